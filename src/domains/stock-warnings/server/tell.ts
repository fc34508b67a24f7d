import type { App, Ctx } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { rowsOf } from '../../../server/rows.ts'
import { eachFree } from '../../../server/run.ts'
import type { ErrorDef } from '../../../shared/errors.ts'
import { type BusinessWindow, isOpen } from '../../../shared/hours.ts'
import { inWindow } from '../../alerts/rules.ts'
import { notify } from '../../notices/server/notify.ts'
import { cachedFor } from '../../settings/server/values.ts'
import { warningErrors } from '../contract.ts'
import { messageOf, settledMs } from '../rules.ts'
import * as q from './queries.ts'
import { replenishersOf } from './replenishers.ts'

type Place = { readonly id: number; readonly orgId: number }

/**
 * Takes the turn of these machines to have people told, whoever asks: those that were told of
 * within the hours of their organisation are left out, also when two ask at once.
 */
async function takeTurns(ctx: Ctx, places: readonly Place[]): Promise<Set<number>> {
  const set = await cachedFor(
    ctx.app,
    places.map(({ orgId }) => orgId),
    ['stock.warnMessageHours'],
  )
  const asked = places.map(({ id, orgId }) => ({
    org: orgId,
    device: id,
    before: new Date(ctx.now.getTime() - set(orgId)['stock.warnMessageHours'] * 3_600_000),
  }))
  const rows = await rowsOf<{ id: number }>(ctx.db)`
    with x as materialized (select * from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb)
      as x (org bigint, device bigint, before timestamptz))
    insert into stock_warning_calls as c (org_id, device_id, told_at)
    select org, device, ${ctx.now}::timestamptz from x order by org, device
    on conflict (org_id, device_id) do update set told_at = excluded.told_at
      where c.told_at <= (select x.before from x where x.org = c.org_id and x.device = c.device_id)
    returning device_id as id`
  return new Set(rows.map(({ id }) => id))
}

export type Told = { machine: q.Machine; refusal: ErrorDef | null }

/**
 * Tells the replenishers of these machines what they are short of; answers of which nobody was
 * told, and why. `orOwner`: where a machine has none, whoever sets its warning levels.
 */
export async function tell(
  ctx: Ctx,
  machines: readonly q.Machine[],
  orOwner: boolean,
): Promise<Told[]> {
  const ids = machines.map(({ id }) => id)
  const lanes = Map.groupBy(await q.shortLanes(ctx, ids), ({ deviceId }) => deviceId)
  const people = Map.groupBy(await replenishersOf(ctx, ids), ({ deviceId }) => deviceId)
  const heard = machines.filter(({ id }) => lanes.has(id) && (orOwner || people.has(id)))
  const turns = await takeTurns(ctx, heard)
  const told = heard.filter(({ id }) => turns.has(id))
  await notify(
    ctx,
    told.map(({ id, orgId, nickname, rtuNumber }) => ({
      kind: 'STOCK' as const,
      ...messageOf({ name: nickname || rtuNumber, lanes: lanes.get(id) ?? [] }),
      link: `/device/device-list/cargo-road/${id}`,
      ...(people.has(id)
        ? { userIds: (people.get(id) ?? []).map(({ userId }) => userId) }
        : { permission: 'stock-warning:update', orgId, orAbove: true as const }),
    })),
  )
  ctx.touch('lanes', told)
  const refusalOf = ({ id }: q.Machine) =>
    turns.has(id)
      ? null
      : !lanes.has(id)
        ? warningErrors.fine
        : people.has(id)
          ? warningErrors.lately
          : warningErrors.nobody
  return machines.map((machine) => ({ machine, refusal: refusalOf(machine) }))
}

type Due = q.Machine & { hours: BusinessWindow[] | null }
const most = 200

/** Machines with a warning that nobody was told of, in their business hours. */
export async function sweepWarnings(app: App): Promise<void> {
  const now = app.now()
  const rows = await app.database.read(
    systemScope,
    (db) =>
      rowsOf<Due & { toldAt: Date | null }>(db)`
      select d.id, d.org_id as "orgId", d.rtu_number as "rtuNumber", d.nickname,
        d.business_hours as hours, c.told_at as "toldAt"
      from devices d left join stock_warning_calls c on c.org_id = d.org_id and c.device_id = d.id
      where d.lifecycle = 'OPERATING' and exists (select from stock_warnings w
        where w.org_id = d.org_id and w.device_id = d.id and w.closed_at is null
          and w.opened_at > coalesce(c.told_at, '-infinity')
          and w.opened_at <= ${new Date(now.getTime() - settledMs)}::timestamptz)
      order by c.told_at nulls first, d.id`,
  )
  const set = await cachedFor(
    app,
    rows.map(({ orgId }) => orgId),
    ['device.businessHours', 'stock.warnMessageHours'],
  )
  const at = now.getTime()
  const due = rows.filter(({ orgId, hours, toldAt }) => {
    const own = set(orgId)
    const rested = at - own['stock.warnMessageHours'] * 3_600_000
    return (
      (toldAt === null || toldAt.getTime() <= rested) &&
      (isOpen(hours ?? [], at) ?? inWindow(at, own['device.businessHours']))
    )
  })
  for (let i = 0; i < due.length; i += most)
    await eachFree(app, due.slice(i, i + most), (ctx, some) => tell(ctx, some, true))
}
