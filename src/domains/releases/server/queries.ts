import { sql } from 'kysely'
import { type Ctx, inheritable, nameFor, visible } from '../../../server/context.ts'
import { rowOf, rowsOf } from '../../../server/rows.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import * as f from '../../../shared/fields.ts'
import { addDays, startOfDay } from '../../../shared/instants.ts'
import { VersionOption, VersionRow, type VersionsContract } from '../contract.ts'
import type { ReleaseKind } from '../rules.ts'

/** What a machine of this kind of release says it runs. */
const runs = (kind: ReleaseKind) => (kind === 'APK' ? sql`s.apk` : sql`s.fw`)
const readable = (ctx: Ctx) => inheritable(ctx, 'v.org_id')
const machines = (ctx: Ctx) => sql`devices d join device_states s on s.device_id = d.id
  left join main_boards b on b.board_no = d.board_no
  where ${visible(ctx, 'd.org_id', 'd.id')} and d.lifecycle not in ('SOLD', 'SCRAPPED')`
/** The newest manifest that is signed. */
export const signed = sql`lateral (select m.id, m.expires_at, m.downgrade, m.key_id
  from release_manifests m where m.version_id = v.id and m.signed_at is not null
  order by m.id desc limit 1) m`

const version = (ctx: Ctx) =>
  shape(
    VersionRow.extend({ orgId: f.id }),
    ['release_versions', 'v'],
    {
      signedUntil: sql`m.expires_at`,
      downgrade: sql`coalesce(m.downgrade, false)`,
      keyId: sql`coalesce(m.key_id, '')`,
      toSign: sql`exists (select from release_manifests w where w.version_id = v.id
        and w.signed_at is null and w.id > coalesce(m.id, 0))`,
      installs: sql`coalesce(n.installs, 0)`,
      installShare: sql`coalesce(n.installs * 1000 / nullif(n.total, 0), 0)`,
      author: sql`coalesce(${nameFor(ctx, 1, sql`coalesce(nullif(u.real_name, ''), u.username)`)}, '')`,
      publishTime: sql`v.published_at`,
      createTime: sql`v.created_at`,
    },
    ['can'],
  )
export type Version = Rows<typeof version>

const from = (ctx: Ctx, kind: ReleaseKind) => sql`release_versions v
  left join users u on u.id = v.created_by left join ${signed} on true
  left join lateral (select count(*) filter (where ${runs(kind)} = v.version_name
      and (v.kind = 'APK' or b.model = v.target))::int as installs,
    count(*)::int as total from ${machines(ctx)} and ${runs(kind)} is not null) n on true`

export const listRows = (ctx: Ctx, kind: ReleaseKind, input: Input<VersionsContract['versions']>) =>
  version(ctx).page(ctx.db, {
    from: from(ctx, kind),
    countFrom: sql`release_versions v`,
    input,
    last: sql`v.id`,
    sort: { createTime: sql`v.created_at`, versionCode: sql`v.version_code` },
    where: [
      readable(ctx),
      sql`v.kind = ${kind}`,
      input.keyword && sql`strpos(lower(v.name), lower(${input.keyword})) > 0`,
      input.target && sql`strpos(lower(v.target), lower(${input.target})) > 0`,
      input.versionName && sql`starts_with(v.version_name, ${input.versionName})`,
      input.board && sql`(v.boards = '{}' or ${input.board} = any(v.boards))`,
      input.state && sql`v.state = ${input.state}`,
      input.from && sql`v.created_at >= ${startOfDay(input.from)}`,
      input.to && sql`v.created_at < ${startOfDay(addDays(input.to, 1))}`,
    ],
  })

export const row = (ctx: Ctx, kind: ReleaseKind, id: number) =>
  version(ctx).one(
    ctx.db,
    sql`from ${from(ctx, kind)} where v.id = ${id} and v.kind = ${kind} and ${readable(ctx)}`,
  )

const option = shape(VersionOption, ['release_versions', 'v'], {})
export const options = (ctx: Ctx, kind: ReleaseKind) =>
  option.all(
    ctx.db,
    sql`from release_versions v join ${signed} on true
      where ${readable(ctx)} and v.kind = ${kind} and v.state = 'PUBLISHED'
        and m.expires_at > ${ctx.now} order by v.target, v.version_code desc limit 200`,
  )

export async function spread(ctx: Ctx, kind: ReleaseKind) {
  const list = await rowsOf<{ versionName: string; count: number; total: number }>(ctx.db)`
    select ${runs(kind)} as "versionName", count(*)::int as count,
      sum(count(*)) over ()::int as total from ${machines(ctx)} and ${runs(kind)} is not null
    group by 1 order by 2 desc, 1 limit 50`
  return {
    total: list[0]?.total ?? 0,
    versions: list.map(({ versionName, count }) => ({ versionName, count })),
  }
}

/** Versions of one target are written one after the other: their codes only grow. */
export async function holdTarget(ctx: Ctx, kind: ReleaseKind, target: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`release ${kind} ${target}`},
    0))`.execute(ctx.db)
}
export const newestCode = async (
  ctx: Ctx,
  kind: ReleaseKind,
  target: string,
  but: number,
): Promise<number> =>
  (
    await rowOf<{ code: number }>(ctx.db)`select coalesce(max(version_code), 0)::int as code
      from release_versions where org_id = ${ctx.actor.orgId} and kind = ${kind}
        and target = ${target} and id <> ${but}`
  )?.code ?? 0

/** A file that somebody of the platform uploaded and nobody else has named. */
export const uploaded = (ctx: Ctx, url: string) =>
  rowOf<{ size: number; sha256: string }>(ctx.db)`select u.bytes as size, u.sha256 from uploads u
    where u.url = ${url} and u.user_id = ${ctx.actor.userId}::bigint and u.sha256 <> ''
      and coalesce(u.unused_since, 'infinity') = 'infinity'
      and not exists (select from release_versions v where v.file = u.url)`

export type ManifestRow = {
  id: number
  body: string
  downgrade: boolean
  expiresAt: Date
  signed: boolean
}
export const newestManifest = (ctx: Ctx, versionId: number) =>
  rowOf<ManifestRow>(ctx.db)`select m.id, m.body, m.downgrade, m.expires_at as "expiresAt",
      m.signed_at is not null as signed
    from release_manifests m join release_versions v on v.id = m.version_id
    where m.version_id = ${versionId} and ${readable(ctx)} order by m.id desc limit 1`
