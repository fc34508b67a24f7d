import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { within } from '../../../server/within.ts'
import { Refusal, reject } from '../../../shared/errors.ts'
import type { Sale } from '../../drug-guard/rules.ts'
import {
  drugOf,
  queueOf,
  type RawSite,
  siteOf,
  withQueues,
  withSite,
} from '../../drug-guard/server/facts.ts'
import { refreshDeviceCounters } from '../../machines/server/counters.ts'
import { moveStock } from '../../stock/server/move.ts'
import { orderErrors } from '../contract.ts'
import { type Giver, giverRefusal, revendable } from '../rules.ts'
import { takeCases } from './cases.ts'
import { type Order, type Unit, writeEvents } from './rows.ts'
import { takenAgain } from './specials.ts'

/** Pieces that were paid and did not leave, once more. */

export type GiverLane = Giver & {
  id: number
  deviceId: number
  orgId: number
  road: number
  productId: number
}

/**
 * Lanes of these machines with one of these products, by machine and road. An order's machine may
 * have changed hands: whose lanes these are is compared by the caller. `locking` takes them by id.
 */
export async function giversOf(
  ctx: Ctx,
  deviceIds: readonly number[],
  productIds: readonly number[],
  locking?: RawBuilder<unknown>,
): Promise<GiverLane[]> {
  const lanes = await rowsOf<Omit<GiverLane, 'site'> & { site: RawSite }>(ctx.db)`
    select l.id, l.device_id as "deviceId", l.org_id as "orgId", l.road_index as road,
      l.product_id as "productId", l.quantity - l.reserved - l.failed_hold as available, l.status,
      p.status = 'ON' as "onShelf", p.drug_class as "drugClass", d.lifecycle, d.kind,
      d.dispensing_mode as "dispensingMode",
      ${siteOf(ctx)} as site, ${drugOf} as drug, ${queueOf} as queue, coalesce(s.online, false) as online,
      d.locked or coalesce(s.door_open, false) as stopped
    from lanes l join products p on p.id = l.product_id join devices d on d.id = l.device_id
    left join device_states s on s.device_id = d.id
    where l.device_id = any(${[...deviceIds]}::bigint[]) and l.archived_at is null
      and l.product_id = any(${[...productIds]}::bigint[]) order by l.id ${locking ?? sql``}`
  const held = locking ? await withQueues(ctx, lanes) : lanes
  return held.map(withSite).toSorted((a, b) => a.road - b.road)
}

/** `sale`: of whom is known who he is. */
export type Wanted = {
  order: Order
  unit: Unit
  laneId?: number | undefined
  sale?: Sale | undefined
}
type Chosen = Wanted & { lane: GiverLane }

/**
 * A lane for each piece: the one that was asked for, else its own, else any with the same product
 * that can. Throws why a piece has none. `lanes` lose what is chosen.
 */
export function chooseLanes(wanted: readonly Wanted[], lanes: readonly GiverLane[]): Chosen[] {
  return wanted.map(({ order, unit, laneId, sale }) => {
    reject(revendable(unit, order))
    const own = lanes.filter(
      (lane) =>
        lane.deviceId === order.deviceId &&
        lane.orgId === order.orgId &&
        lane.productId === unit.productId,
    )
    const first = own.find((lane) => lane.id === (laneId ?? unit.laneId))
    const lane =
      laneId === undefined && giverRefusal(first, sale)
        ? (own.find((other) => giverRefusal(other, sale) === null) ?? first ?? own[0])
        : first
    reject(giverRefusal(lane, sale))
    if (!lane) throw new Refusal(orderErrors.noLane)
    lane.available -= 1
    return { order, unit, lane }
  })
}

/**
 * New commands for pieces whose orders and lanes are locked. What the attempt before may have taken
 * stays held in its lane, under that attempt.
 */
export async function vendAgain(ctx: Ctx, chosen: readonly Chosen[]): Promise<void> {
  const held = chosen.filter(({ unit }) => unit.hold === 'FAILED_HOLD')
  if (held.length)
    await sql`update vend_commands c set hold = 'FAILED_HOLD'
      from jsonb_to_recordset(${JSON.stringify(held.map(({ unit }) => unit))}::jsonb)
        as n(id bigint, attempt int)
      where c.unit_id = n.id and c.attempt = n.attempt`.execute(ctx.db)
  const failed = chosen.flatMap(({ unit }) => (unit.refundState === 'FAILED' ? [unit.id] : []))
  if (failed.length)
    await sql`update refunds set state = 'CANCELLED', next_at = null
      where unit_id = any(${failed}::bigint[]) and state = 'FAILED'`.execute(ctx.db)
  for (const { unit, lane } of chosen)
    Object.assign(unit, {
      ...{ vendState: 'WAIT', hold: 'HELD', attempt: unit.attempt + 1, failReason: null },
      ...{ laneId: lane.id, road: lane.road, dropConfirmed: false, manual: false },
      refundState: unit.refundState === 'FAILED' ? 'CANCELLED' : unit.refundState,
    })
  const moments = chosen.map(({ unit }) => unit.createdAt)
  const rows = JSON.stringify(chosen.map(({ unit }) => unit))
  await sql`with again as (
      update order_units u set vend_state = 'WAIT', hold = 'HELD', attempt = w.attempt,
        lane_id = w."laneId", road = w.road, fail_reason = null, drop_confirmed = false,
        manual = false, sent_at = null, acked_at = null, finished_at = null,
        refund_state = w."refundState"
      from jsonb_to_recordset(${rows}::jsonb) as w(id bigint, "orgId" bigint,
        "createdAt" timestamptz, attempt int, "laneId" bigint, road int, "refundState" text)
      where u.org_id = w."orgId" and u.created_at = w."createdAt" and u.id = w.id
        and ${within('u.created_at', moments)} and u.vend_state in ('FAILED','VOID')
      returning u.*)
    insert into vend_commands (cmd_id, org_id, device_id, order_id, order_at, order_num, unit_id,
      unit_no, lane_id, road, motor_no, attempt, created_at)
    select gen_random_uuid(), a.org_id, a.device_id, a.order_id, a.created_at, a.order_num, a.id,
      a.unit_no, a.lane_id, a.road, l.motor_no, a.attempt, ${ctx.now}::timestamptz
    from again a join lanes l on l.id = a.lane_id`.execute(ctx.db)
  takenAgain(
    ctx,
    chosen.map(({ unit }) => unit),
  )
  const { deviceIds } = await moveStock(
    ctx,
    chosen.map(({ lane }) => ({ laneId: lane.id, reserved: 1 })),
  )
  writeEvents(
    ctx,
    chosen.map(({ unit }) => ({
      unit,
      kind: 'REVEND',
      at: ctx.now,
      data: { road: unit.road, attempt: unit.attempt },
    })),
    ctx.actor.username,
  )
  takeCases(
    ctx,
    chosen.map(({ order }) => order.id),
  )
  refreshDeviceCounters(ctx, deviceIds)
  ctx.touch(
    'orders',
    chosen.map(({ order }) => order),
  )
  ctx.touch('vend')
}
