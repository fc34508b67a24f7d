import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { rowOf, rowsOf } from '../../../server/rows.ts'
import type { SettingKey } from '../registry.ts'

export type Org = { id: number; name: string }
/** An organisation the actor may see; his own when none is named. */
export const organisation = (ctx: Ctx, id: number | undefined): Promise<Org | undefined> =>
  rowOf<Org>(ctx.db)`select o.id, o.name from organisations o
    where o.id = ${id ?? ctx.actor.orgId} and ${visible(ctx, 'o.id')}`

export type ChainRow = {
  orgId: number
  depth: number
  key: SettingKey
  value: unknown
  locked: boolean
  version: number
}
/**
 * Values on the way from the platform to the organisation. Rows above are inherited, so the actor's
 * own scope sees them.
 */
export const chain = (ctx: Ctx, orgId: number, keys: readonly string[]): Promise<ChainRow[]> =>
  rowsOf<ChainRow>(
    ctx.db,
  )`select s.org_id as "orgId", above.depth, s.key, s.value, s.locked, s.version
    from organisations o cross
    join lateral unnest(string_to_array(o.path::text, '.')) with ordinality as above(id, depth)
    join settings s on s.org_id = above.id::bigint
    where o.id = ${orgId} and s.key = any(${[...keys]}::text[])`

export type SourceRow = ChainRow & {
  orgName: string
  updatedAt: Date
  updatedBy: string | null
  byOrg: number | null
}
/**
 * The same with names; system scope, because names of organisations above are not the actor's rows.
 */
export const sources = (ctx: Ctx, orgId: number): Promise<SourceRow[]> =>
  rowsOf<SourceRow>(
    ctx.db,
  )`select s.org_id as "orgId", nlevel(a.path) as depth, s.key, s.value, s.locked, s.version,
    a.name as "orgName",
      s.updated_at as "updatedAt", u.real_name as "updatedBy", u.org_id as "byOrg"
    from organisations o join organisations a on a.path @> o.path join settings s on s.org_id = a.id
    left join users u on u.id = s.updated_by
    where o.id = ${orgId}`

/** Organisations below with a value of their own, by key. */
export async function below(ctx: Ctx, orgId: number): Promise<Map<string, number>> {
  const rows = await rowsOf<{ key: string; n: number }>(
    ctx.db,
  )`select s.key, count(*) as n from organisations o
    join organisations b on b.path <@ o.path and b.id <> o.id join settings s on s.org_id = b.id
    where o.id = ${orgId} group by s.key`
  return new Map(rows.map((row) => [row.key, row.n]))
}

type Write = { orgId: number; key: SettingKey; value: unknown; locked: boolean; version: number }
/** False when somebody was faster: another version, or a first value beside ours. */
export async function store(
  ctx: Ctx,
  { orgId, key, value, locked, version }: Write,
): Promise<boolean> {
  const json = JSON.stringify(value)
  const { numAffectedRows } =
    version === 0
      ? await sql`insert into settings (org_id, key, value, locked, updated_by, updated_at)
          values (${orgId}, ${key}, ${json}::jsonb, ${locked}, ${ctx.actor.userId}, ${ctx.now})
          on conflict do nothing`.execute(ctx.db)
      : await sql`update settings
        set value = ${json}::jsonb, locked = ${locked}, version = version + 1,
          updated_by = ${ctx.actor.userId}, updated_at = ${ctx.now}
          where org_id = ${orgId} and key = ${key} and version = ${version}`.execute(ctx.db)
  return Number(numAffectedRows) === 1
}

export type Told = { value: unknown; locked: boolean }
type HistoryRow = {
  at: Date
  username: string
  userOrg: number | null
  before: Told | null
  after: Told | null
}
/** Log rows of the organisation that name the key. */
export const history = (ctx: Ctx, orgId: number, key: string): Promise<HistoryRow[]> =>
  rowsOf<HistoryRow>(ctx.db)`select l.created_at as at, l.username, u.org_id as "userOrg",
    l.before -> ${key}::text as before, l.after -> ${key}::text as after
    from operation_logs l left join users u on u.id = l.user_id
    where l.action in ('settings.save','settings.reset') and l.resource_id = ${String(orgId)}
      and l.org_id = ${orgId} and ${visible(ctx, 'l.org_id')}
      and (l.before ? ${key}::text or l.after ? ${key}::text)
    order by l.created_at desc, l.id desc limit 100`
