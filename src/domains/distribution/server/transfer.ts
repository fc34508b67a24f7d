import { sql } from 'kysely'
import { type AuditEntry, type Ctx, visible } from '../../../server/context.ts'
import { rowOf, rowsOf } from '../../../server/rows.ts'
import { fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { dropAlertsOf } from '../../alerts/server/left.ts'
import { hasOpenOrder, type Machine, shutOut } from '../../boards/server/binding.ts'
import { revokeCodes } from '../../boards/server/codes.ts'
import { noteDevice } from '../../machines/server/events.ts'
import { type Wish, want } from '../../machines/server/shadows.ts'
import { distributionErrors } from '../contract.ts'
import { moves, movesLast } from '../moves.ts'
import { goodsRule, type LaneInHand, targetRule } from '../rules.ts'

/** The only writer of whose a machine is. */

export type Target = { id: number; name: string; kind: string; path: string; enabled: boolean }
export const target = (ctx: Ctx, orgId: number) =>
  rowOf<Target>(
    ctx.db,
  )`select o.id, o.name, o.kind, o.path::text as path, o.status = 'ENABLED' as enabled
    from organisations o
    where o.id = ${orgId} and ${visible(ctx, 'o.id')} for key share of o`
/** Ids of the organisation and of all above it: rows of these it may use. */
const above = ({ path }: Target): number[] => path.split('.').map(Number)

/**
 * The machine, held by the caller, goes to another organisation with all that describes its
 * present, in this transaction; what has ended keeps the owner of its time. Locks: machine, lanes
 * ascending, faults, states.
 */
export async function transferMachine(ctx: Ctx, machine: Machine, to: Target): Promise<void> {
  await giveMachine(ctx, machine, to)
  await moveWords(ctx, [machine.id])
}

/**
 * All but what the machine itself writes: whoever gives several says `moveWords` of them at the end
 * of his act.
 */
export async function giveMachine(ctx: Ctx, machine: Machine, to: Target): Promise<void> {
  const wrong = targetRule(machine, to)
  if (wrong) throw fieldRefusal(wrong, 'orgId')
  await checkType(ctx, machine, to)
  const lanes = await lockLanes(ctx, machine, to)
  const bad = goodsRule(lanes, await hasOpenOrder(ctx, machine.id))
  if (bad) throw new Refusal(bad.def, bad.values)
  await sql`update devices set org_id = ${to.id}, store_id = null, version = version + 1
    where id = ${machine.id}`.execute(ctx.db)
  await writeHistory(ctx, machine, to)
  for (const [table, present] of Object.entries(moves))
    await sql`update ${sql.table(table)} set org_id = ${to.id}
      where device_id = ${machine.id} and ${sql.raw(present)}`.execute(ctx.db)
  await moveStaff(ctx, machine, to)
  await revokeCodes(ctx, [machine.id])
  await dropAlertsOf(ctx, machine.id, machine.orgId)
  await noteDevice(ctx, [
    { deviceId: machine.id, orgId: machine.orgId, kind: 'OWNER_LEFT', data: { to: to.name } },
    { deviceId: machine.id, orgId: to.id, kind: 'OWNER_CHANGED', data: {} },
  ])
  // a connection carries the owner its messages are stored for
  shutOut(ctx)
  for (const topic of ['lanes', 'users']) ctx.touch(topic)
}

/** Whoever gave it away reads where it went, whoever got it that he did. */
export function handedOver(
  { id, rtuNumber: name, orgId: from }: Machine,
  fromName: string,
  to: Pick<Target, 'id' | 'name'>,
): AuditEntry[] {
  const after = { orgId: to.id, org: to.name }
  return [
    { id, name, before: { orgId: from, org: fromName }, after, orgId: from },
    { id, name, after, orgId: to.id },
  ]
}

async function checkType(ctx: Ctx, machine: Machine, to: Target): Promise<void> {
  const type = await rowOf<{ name: string; usable: boolean }>(
    ctx.db,
  )`select t.name, t.org_id = any(${above(to)}::bigint[]) as usable
    from devices d join device_types t on t.id = d.type_id where d.id = ${machine.id}`
  if (!type?.usable) throw new Refusal(distributionErrors.typeUnknown, { type: type?.name ?? '' })
}

/** Whoever buys, fills or counts now waits, and finds the machine with its new owner. */
const lockLanes = (ctx: Ctx, machine: Machine, to: Target) =>
  rowsOf<LaneInHand>(ctx.db)`
    select l.road_index as road, l.reserved, l.failed_hold as "failedHold", case
      when l.product_id is not null then concat_ws(' ', coalesce(p.name, '?'), y.elsewhere) end as goods,
      coalesce(p.org_id = any(${above(to)}::bigint[]), false)
        and y.elsewhere is null as "goodsVisible"
    from lanes l left join products p on p.id = l.product_id
    left join lateral (select string_agg(distinct b.batch_no, ' ') as elsewhere from lane_layers y
      join batches b on b.id = y.batch_id
      where y.lane_id = l.id and b.org_id <> all(${above(to)}::bigint[])) y on l.layered
    where l.device_id = ${machine.id} and l.archived_at is null
    order by l.id for no key update of l`

/** The end of one owner is the beginning of the next, and later than his own beginning. */
async function writeHistory(ctx: Ctx, machine: Machine, to: Target): Promise<void> {
  const ended = await rowOf<{ at: Date }>(ctx.db)`update device_owner_history h
    set valid = tstzrange(lower(h.valid),
      greatest(${ctx.now}::timestamptz,
        date_trunc('milliseconds', lower(h.valid)) + interval '1 millisecond'))
    where h.device_id = ${machine.id} and upper_inf(h.valid) returning upper(h.valid) as at`
  await sql`insert into device_owner_history (org_id, device_id, valid, by_user)
    values (${to.id}, ${machine.id}, tstzrange(${ended?.at ?? ctx.now}::timestamptz, null),
      ${ctx.actor.userId})`.execute(ctx.db)
}

/**
 * People at the new owner or above him go on; all others lose the machine with their next request.
 * People who are not seen here stand above both.
 */
async function moveStaff(ctx: Ctx, machine: Machine, to: Target): Promise<void> {
  await sql`update device_assignments a set to_at = greatest(${ctx.now}::timestamptz, a.from_at)
    from users u
    where u.id = a.user_id and a.device_id = ${machine.id} and a.to_at is null
      and u.org_id <> all(${above(to)}::bigint[])`.execute(ctx.db)
  await sql`update device_assignments set org_id = ${to.id}
    where device_id = ${machine.id} and to_at is null`.execute(ctx.db)
}

/** What machines that were given say of themselves, and their settings, go where they are now. */
export async function moveWords(ctx: Ctx, deviceIds: readonly number[]): Promise<void> {
  if (deviceIds.length === 0) return
  const settings = await moveSettings(ctx, deviceIds)
  for (const name of movesLast) {
    const table = sql.table(name)
    await sql`select 1 from ${table} where device_id = any(${deviceIds}::bigint[])
      order by ${sql.raw(name === 'device_states' ? 'device_id' : 'device_id, kind')} for no key
        update`.execute(ctx.db)
    await sql`update ${table} t set org_id = d.org_id from devices d
      where d.id = t.device_id and t.device_id = any(${deviceIds}::bigint[])`.execute(ctx.db)
  }
  await want(ctx, 'CONFIG', settings)
}

/**
 * Settings never change: the ones in force become a version of the new owner, which the machine
 * then confirms.
 */
async function moveSettings(ctx: Ctx, deviceIds: readonly number[]): Promise<Wish[]> {
  const { rows } = await sql<Wish>`
    insert into device_configs (device_id, config_version, org_id, temp_min, temp_max, hum_min,
      hum_max, limit_per_order, limit_per_day, doc, by_user, created_at)
    select d.id, c.config_version + 1, d.org_id, c.temp_min, c.temp_max, c.hum_min, c.hum_max,
      c.limit_per_order, c.limit_per_day, c.doc, ${ctx.actor.userId}, ${ctx.now}
    from devices d cross join lateral (select * from device_configs c where c.device_id = d.id
      order by c.config_version desc limit 1) c
    where d.id = any(${deviceIds}::bigint[])
    returning device_id as "deviceId", org_id as "orgId", config_version as version`.execute(ctx.db)
  return rows
}
