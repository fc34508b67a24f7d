import { sql } from 'kysely'
import { type Ctx, found, inheritable, nameFor, visible } from '../../../server/context.ts'
import { matches } from '../../../server/lists.ts'
import { rowOf, rowsOf } from '../../../server/rows.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import * as f from '../../../shared/fields.ts'
import { addDays, startOfDay } from '../../../shared/instants.ts'
import type { Fitting } from '../rollout.ts'
import { RolloutRow, type RolloutsContract, UpdateRow } from '../rolloutContract.ts'
import type { ReleaseKind } from '../rules.ts'
import { countColumns } from './engine.ts'
import { signed } from './queries.ts'

const person = (ctx: Ctx, users: string) =>
  sql`coalesce(${nameFor(
    ctx,
    1,
    sql`coalesce(nullif(${sql.ref(`${users}.real_name`)}, ''),
    ${sql.ref(`${users}.username`)})`,
  )}, '')`

const rollout = (ctx: Ctx) =>
  shape(
    RolloutRow.extend({ orgId: f.id, createdBy: f.id.nullable() }),
    ['rollouts', 'r'],
    {
      target: sql`v.target`,
      versionName: sql`v.version_name`,
      orgName: sql`o.name`,
      devices: sql`n.devices`,
      stages: sql`(select jsonb_agg(s.stage || coalesce(c.counts, '{"total": 0, "succeeded": 0,
          "failed": 0, "left": 0, "open": 0}') order by s.n)
        from jsonb_array_elements(r.stages) with ordinality as s(stage, n)
        left join jsonb_to_recordset(n.counts) as c(stage int, counts jsonb) on c.stage = s.n - 1)`,
      succeeded: sql`n.succeeded`,
      failed: sql`n.failed`,
      rolledBack: sql`n."rolledBack"`,
      pending: sql`n.pending`,
      successShare: sql`coalesce(n.succeeded * 1000 / nullif(n.devices - n."left", 0), 0)`,
      author: person(ctx, 'a'),
      approver: person(ctx, 'b'),
      startTime: sql`r.started_at`,
      finishTime: sql`r.finished_at`,
      createTime: sql`r.created_at`,
    },
    ['can'],
  )
export type RolloutOf = Rows<typeof rollout>
/** Counts are of the machines that the reader sees. */
const from = (ctx: Ctx) => sql`rollouts r join release_versions v on v.id = r.version_id
  join organisations o on o.id = r.org_id
  left join users a on a.id = r.created_by left join users b on b.id = r.approved_by
  cross join lateral (select coalesce(sum(total), 0)::int as devices,
      coalesce(sum(succeeded), 0)::int as succeeded, coalesce(sum(failed), 0)::int as failed,
      coalesce(sum("left"), 0)::int as "left", coalesce(sum(open), 0)::int as pending,
      coalesce(sum("rolledBack"), 0)::int as "rolledBack",
      coalesce(jsonb_agg(jsonb_build_object('stage', stage, 'counts', jsonb_build_object(
        'total', total, 'succeeded', succeeded, 'failed', failed, 'left', "left",
        'open', open))), '[]') as counts
    from (select u.stage, count(*) filter (where u.state = 'ROLLED_BACK')::int as "rolledBack",
        ${countColumns} from release_updates u where u.rollout_id = r.id
        and ${visible(ctx, 'u.org_id', 'u.device_id')} group by u.stage) u) n`

export const listRows = (ctx: Ctx, kind: ReleaseKind, input: Input<RolloutsContract['rollouts']>) =>
  rollout(ctx).page(ctx.db, {
    from: from(ctx),
    countFrom: sql`rollouts r`,
    input,
    last: sql`r.id`,
    sort: { createTime: sql`r.created_at` },
    where: [
      visible(ctx, 'r.org_id'),
      sql`r.kind = ${kind}`,
      input.keyword && sql`strpos(lower(r.name), lower(${input.keyword})) > 0`,
      input.versionId && sql`r.version_id = ${input.versionId}`,
      input.state && sql`r.state = ${input.state}`,
      input.deviceId &&
        sql`exists (select from release_updates u where u.rollout_id = r.id
          and u.device_id = ${input.deviceId} and ${visible(ctx, 'u.org_id', 'u.device_id')})`,
      input.from && sql`r.created_at >= ${startOfDay(input.from)}`,
      input.to && sql`r.created_at < ${startOfDay(addDays(input.to, 1))}`,
    ],
  })
export const row = (ctx: Ctx, kind: ReleaseKind, id: number) =>
  rollout(ctx).one(
    ctx.db,
    sql`from ${from(ctx)} where r.id = ${id} and r.kind = ${kind} and ${visible(ctx, 'r.org_id')}`,
  )

const update = shape(
  UpdateRow.extend({ rolloutState: f.optionalText(20) }),
  ['release_updates', 'u'],
  {
    rtuNumber: sql`d.rtu_number`,
    nickname: sql`d.nickname`,
    orgName: sql`o.name`,
    notifyTime: sql`u.notified_at`,
    downloadTime: sql`u.downloaded_at`,
    installTime: sql`u.installing_at`,
    finishTime: sql`u.finished_at`,
    rolloutState: sql`r.state`,
  },
  ['can'],
)
export const deviceRows = (
  ctx: Ctx,
  kind: ReleaseKind,
  input: Input<RolloutsContract['rolloutDevices']>,
) =>
  update.page(ctx.db, {
    from: sql`release_updates u join rollouts r on r.id = u.rollout_id
      join devices d on d.id = u.device_id join organisations o on o.id = u.org_id`,
    input,
    last: sql`u.id`,
    sort: { rtuNumber: sql`d.rtu_number`, stage: sql`u.stage` },
    where: [
      sql`u.rollout_id = ${input.id} and r.kind = ${kind}`,
      visible(ctx, 'r.org_id'),
      visible(ctx, 'u.org_id', 'u.device_id'),
      matches('devices', 'd.id', input.keyword),
      input.state && sql`u.state = ${input.state}`,
      input.stage !== undefined && sql`u.stage = ${input.stage}`,
    ],
  })

export type Offer = {
  id: number
  target: string
  versionName: string
  versionCode: number
  boards: string[]
  minVersion: string
  minApk: string
  size: number
  state: string
  manifestId: number | null
  downgrade: boolean
  expired: boolean
}
/** A version with its newest signed manifest. */
export const offer = (ctx: Ctx, kind: ReleaseKind, id: number) =>
  rowOf<Offer>(ctx.db)`select v.id, v.target, v.version_name as "versionName",
      v.version_code as "versionCode", v.boards, v.min_version as "minVersion",
      v.min_apk as "minApk", v.size, v.state, m.id as "manifestId",
      coalesce(m.downgrade, false) as downgrade, m.expires_at <= ${ctx.now} as expired
    from release_versions v left join ${signed} on true
    where v.id = ${id} and v.kind = ${kind} and ${inheritable(ctx, 'v.org_id')}`
/** The published one below it, to which machines can go back. */
export const previous = (ctx: Ctx, versionId: number) =>
  rowOf<{ id: number }>(ctx.db)`select p.id from release_versions v
    join release_versions p on p.kind = v.kind and p.target = v.target and p.org_id = v.org_id
      and p.version_code < v.version_code and p.state = 'PUBLISHED'
    where v.id = ${versionId} order by p.version_code desc limit 1`

export type Machine = Fitting & {
  id: number
  orgId: number
  rtuNumber: string
  nickname: string
}
type Which = Pick<
  Input<RolloutsContract['createRollout']>,
  'deviceIds' | 'numbers' | 'orgId' | 'deviceTypeId'
>
/** An organisation or a type that the reader does not see is not there. */
export async function reachable(ctx: Ctx, { orgId, deviceTypeId }: Which): Promise<void> {
  if (orgId)
    found(
      await rowOf(ctx.db)`select 1 from organisations o where o.id = ${orgId}
        and ${visible(ctx, 'o.id')}`,
    )
  if (deviceTypeId)
    found(
      await rowOf(ctx.db)`select 1 from device_types t where t.id = ${deviceTypeId}
        and ${inheritable(ctx, 't.org_id')}`,
    )
}
const mostMachines = 10_000
/** Machines of the scope that are meant, each once; those that are closed are not there. */
export function chosen(ctx: Ctx, kind: ReleaseKind, which: Which): Promise<Machine[]> {
  const { deviceIds, numbers, orgId, deviceTypeId } = which
  const named = deviceIds.length || numbers.length
  const meant = named
    ? sql`(d.id = any(${[...deviceIds]}::bigint[]) or d.rtu_number = any(${[...numbers]}::text[]))`
    : sql`(${orgId ?? null}::bigint is null or d.org_id = ${orgId ?? null}) and
        (${deviceTypeId ?? null}::bigint is null or d.type_id = ${deviceTypeId ?? null})`
  return rowsOf<Machine>(ctx.db)`select d.id, d.org_id as "orgId", d.rtu_number as "rtuNumber",
      d.nickname, coalesce(b.model, '') as board, coalesce(s.apk, '') as apk,
      coalesce(${kind === 'APK' ? sql`s.apk` : sql`s.fw`}, '') as current,
      exists (select from release_updates u where u.device_id = d.id and u.kind = ${kind}
        and u.open) as busy
    from devices d join device_states s on s.device_id = d.id
    left join main_boards b on b.board_no = d.board_no
    where ${visible(ctx, 'd.org_id', 'd.id')} and d.lifecycle not in ('SOLD', 'SCRAPPED')
      and ${meant} order by d.id limit ${mostMachines}`
}
