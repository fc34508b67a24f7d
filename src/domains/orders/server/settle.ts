import { sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { refreshDeviceCounters } from '../../lanes/server/counters.ts'
import { type Move, moveStock } from '../../stock/server/move.ts'
import {
  displayStatus,
  type Effect,
  type Happening,
  type Hold,
  happen,
  isFinal,
  type OrderStatus,
  type PayState,
  type RefundState,
  type VendState,
} from '../rules.ts'
import { addProducts, addSales, type ProductDelta, type SalesDelta } from './rollups.ts'

/** One command and what happened to it. */
export type Fact = { cmdId: string; what: Happening; at: Date }

type Command = {
  cmd_id: string
  org_id: number
  device_id: number
  order_id: number
  order_at: Date
  unit_id: number
  attempt: number
  state: VendState
  drop_sensor: boolean
  auto_refund: boolean
}
export type Unit = {
  id: number
  org_id: number
  created_at: Date
  order_id: number
  order_num: string
  unit_no: number
  device_id: number
  lane_id: number
  road: number
  product_id: number
  drug_class: string
  list_price: number
  paid: number
  cost: number
  attempt: number
  vend_state: VendState
  hold: Hold
  refund_state: RefundState | null
  drop_confirmed: boolean
  late_success: boolean
  fail_reason: string | null
}
export type Order = {
  id: number
  org_id: number
  created_at: Date
  order_num: string
  device_id: number
  order_type: string
  pay_state: PayState
  order_status: OrderStatus
  paid_amount: number
  refunded_amount: number
  final_at: Date | null
  paid_at: Date | null
}

/**
 * Settles what machines and clocks say about commands: pieces, stock, refunds, order labels and figures in one transaction,
 * set-based, idempotent and in any order. Locks: orders, units, lanes, rollups.
 */
export async function settle(ctx: Ctx, facts: readonly Fact[]): Promise<void> {
  if (!facts.length) return
  const { rows: commands } = await sql<Command>`
    select c.cmd_id, c.org_id, c.device_id, c.order_id, c.order_at, c.unit_id, c.attempt, c.state, d.drop_sensor, d.auto_refund
    from vend_commands c join devices d on d.id = c.device_id where c.cmd_id = any(${[...new Set(facts.map((f) => f.cmdId))]}::uuid[])`.execute(ctx.db)
  if (!commands.length) return
  const { orders, units } = await lockOrders(
    ctx,
    commands.map((c) => ({ orgId: c.org_id, at: c.order_at, id: c.order_id })),
  )
  const unitOf = new Map(units.map((unit) => [unit.id, unit]))
  const commandOf = new Map(commands.map((command) => [command.cmd_id, command]))
  const work = newWork()
  for (const fact of facts) {
    const command = commandOf.get(fact.cmdId)
    const unit = command && unitOf.get(command.unit_id)
    if (!command || !unit) continue
    if (command.attempt !== unit.attempt) {
      if (fact.what.kind === 'result' && fact.what.result === 'OK') work.cases.push({ unit, kind: 'DOUBLE_SHIPPED' })
      continue
    }
    const effect = happen({ vendState: unit.vend_state, hold: unit.hold }, command.drop_sensor, fact.what)
    if (effect) apply(work, unit, command, effect, fact)
  }
  await write(ctx, work, orders, units)
}

type Work = {
  units: Map<number, Unit & { finished: boolean }>
  commands: Map<string, { cmd_id: string; state: VendState; result: string | null; duration: number | null; at: string }>
  moves: Move[]
  events: { unit: Unit; kind: string; at: Date; data: Record<string, unknown> }[]
  cases: { unit: Unit; kind: string }[]
  refunds: Unit[]
  cancels: number[]
  products: ProductDelta[]
  sales: SalesDelta[]
  faults: { deviceId: number; orgId: number; laneId: number; code: string; at: Date }[]
}
const newWork = (): Work => ({
  units: new Map(),
  commands: new Map(),
  moves: [],
  events: [],
  cases: [],
  refunds: [],
  cancels: [],
  products: [],
  sales: [],
  faults: [],
})

function apply(work: Work, unit: Unit, command: Command, effect: Effect, fact: Fact): void {
  const result = fact.what.kind === 'result' ? fact.what.result : fact.what.kind === 'ack' ? fact.what.ack : null
  if (effect.park) {
    // the machine says a piece left that the books hold as put back: a person counts
    work.moves.push({ laneId: unit.lane_id, stop: { to: 'LOCKED', reason: 'COUNT_NEEDED' } })
    work.cases.push({ unit, kind: 'UNKNOWN_RESULT' })
    work.events.push({ unit, kind: 'LATE_RESULT', at: fact.at, data: { result } })
    return
  }
  work.moves.push(...movesOf(unit, effect, fact.at))
  if (effect.laneFault)
    work.faults.push({ deviceId: unit.device_id, orgId: unit.org_id, laneId: unit.lane_id, code: effect.failReason ?? 'FAULT', at: fact.at })
  unit.vend_state = effect.vendState
  unit.hold = effect.hold
  unit.fail_reason = effect.failReason ?? (effect.vendState === 'SUCCESS' ? null : unit.fail_reason)
  unit.drop_confirmed = effect.dropConfirmed
  unit.late_success ||= effect.late
  const ended = ['SUCCESS', 'FAILED', 'VOID'].includes(effect.vendState)
  work.units.set(unit.id, Object.assign(unit, { finished: ended }))
  work.commands.set(command.cmd_id, {
    cmd_id: command.cmd_id,
    state: effect.vendState,
    result,
    duration: fact.what.kind === 'result' ? fact.what.durationMs : null,
    at: fact.at.toISOString(),
  })
  work.events.push({
    unit,
    kind: effect.vendState,
    at: fact.at,
    data: { result, late: effect.late, drop: effect.dropConfirmed, ms: fact.what.kind === 'result' ? fact.what.durationMs : undefined },
  })
  if (effect.take) {
    work.sales.push({ orgId: unit.org_id, deviceId: unit.device_id, at: fact.at, cost: unit.cost })
    work.products.push({ orgId: unit.org_id, deviceId: unit.device_id, productId: unit.product_id, at: fact.at, cost: unit.cost })
    if (unit.refund_state === 'PENDING') work.cancels.push(unit.id)
    else if (unit.refund_state === 'PROCESSING' || unit.refund_state === 'SUCCESS' || unit.refund_state === 'FAILED')
      work.cases.push({ unit, kind: 'SHIPPED_AFTER_REFUND' })
  } else if (ended && unit.refund_state === null && command.auto_refund) work.refunds.push(unit)
}

/** What the effect does to the lane: the hold ends or changes kind, and the piece leaves with exactly one flow. */
function movesOf(unit: Unit, effect: Effect, at: Date): Move[] {
  const was = { reserved: unit.hold === 'HELD' ? 1 : 0, failedHold: unit.hold === 'FAILED_HOLD' ? 1 : 0 }
  const is = { reserved: effect.hold === 'HELD' ? 1 : 0, failedHold: effect.hold === 'FAILED_HOLD' ? 1 : 0 }
  const move: Move = { laneId: unit.lane_id, reserved: is.reserved - was.reserved, failedHold: is.failedHold - was.failedHold }
  if (effect.laneFault) move.stop = { to: 'FAULT', reason: effect.failReason ?? 'FAULT' }
  const moves: Move[] = []
  if (effect.correct)
    moves.push({
      laneId: unit.lane_id,
      flow: {
        change: 1,
        type: 'MERCHANT_REPLENISH',
        reason: 'CORRECTION',
        orderNum: unit.order_num,
        occurredAt: at,
        actorKind: 'DEVICE',
        actorId: unit.device_id,
      },
    })
  if (effect.take)
    move.flow = {
      change: -1,
      type: 'CUSTOMER_TAKE',
      reason: 'SALE',
      unitId: unit.id,
      orderNum: unit.order_num,
      occurredAt: at,
      actorKind: 'DEVICE',
      actorId: unit.device_id,
    }
  if (move.flow || move.stop || move.reserved || move.failedHold) moves.push(move)
  return moves
}

async function write(ctx: Ctx, work: Work, orders: readonly Order[], units: readonly Unit[]): Promise<void> {
  const { flowOfUnit, deviceIds } = await moveStock(ctx, work.moves)
  const changed = [...work.units.values()]
  if (changed.length) {
    const json = JSON.stringify(changed.map((u) => ({ ...u, flow_id: flowOfUnit.get(u.id) ?? null, refund_state: u.refund_state })))
    await sql`update order_units u set vend_state = n.vend_state, hold = n.hold, fail_reason = n.fail_reason, drop_confirmed = n.drop_confirmed, late_success = n.late_success,
        flow_id = coalesce(n.flow_id, u.flow_id), acked_at = case when n.vend_state = 'ACKED' then ${ctx.now} else u.acked_at end,
        finished_at = case when n.finished then ${ctx.now} else u.finished_at end
      from jsonb_to_recordset(${json}::jsonb) as n(id bigint, org_id bigint, created_at timestamptz, vend_state text, hold text, fail_reason text, drop_confirmed boolean, late_success boolean, flow_id bigint, finished boolean)
      where u.org_id = n.org_id and u.created_at = n.created_at and u.id = n.id`.execute(ctx.db)
    await sql`update vend_commands c set state = n.state, result_code = coalesce(n.result, c.result_code), duration_ms = coalesce(n.duration, c.duration_ms),
        acked_at = case when n.state = 'ACKED' then ${ctx.now} else c.acked_at end,
        unknown_at = case when n.state = 'UNKNOWN' then ${ctx.now} else c.unknown_at end,
        finished_at = case when n.state in ('SUCCESS','FAILED','VOID') then ${ctx.now} else c.finished_at end
      from jsonb_to_recordset(${JSON.stringify([...work.commands.values()])}::jsonb) as n(cmd_id uuid, state text, result text, duration int) where c.cmd_id = n.cmd_id`.execute(
      ctx.db,
    )
  }
  await writeEvents(ctx, work.events)
  await writeCases(ctx, work.cases)
  if (work.cancels.length) {
    await sql`with gone as (update refunds set state = 'CANCELLED', next_at = null where unit_id = any(${work.cancels}::bigint[]) and state = 'PENDING' returning unit_id)
      update order_units u set refund_state = 'CANCELLED' from gone where u.id = gone.unit_id and u.order_id = any(${orders.map((o) => o.id)}::bigint[])`.execute(
      ctx.db,
    )
    for (const unit of units) if (work.cancels.includes(unit.id)) unit.refund_state = 'CANCELLED'
  }
  await openRefunds(ctx, work.refunds, { reason: 'NOT_DISPENSED', remark: '', automatic: true, userId: null })
  await openFaults(ctx, work.faults)
  await relabel(ctx, orders, units)
  await refreshDeviceCounters(ctx, deviceIds)
  await addSales(ctx, work.sales)
  await addProducts(ctx, work.products)
  if (changed.length) ctx.touch('orders')
  // the next piece of a finished one may go to its machine
  if (changed.some((u) => u.finished)) ctx.touch('vend')
}

/** Orders by their keys with all their pieces, both locked in ascending order. */
export async function lockOrders(ctx: Ctx, keys: readonly { orgId: number; at: Date; id: number }[]): Promise<{ orders: Order[]; units: Unit[] }> {
  const json = JSON.stringify([...new Map(keys.map((k) => [k.id, { org_id: k.orgId, created_at: k.at.toISOString(), id: k.id }])).values()])
  const { rows: orders } = await sql<Order>`
    select o.id, o.org_id, o.created_at, o.order_num, o.device_id, o.order_type, o.pay_state, o.order_status, o.paid_amount, o.refunded_amount, o.final_at, o.paid_at
    from orders o join jsonb_to_recordset(${json}::jsonb) as k(org_id bigint, created_at timestamptz, id bigint) on o.org_id = k.org_id and o.created_at = k.created_at and o.id = k.id
    order by o.id for no key update of o`.execute(ctx.db)
  const { rows: units } = await sql<Unit>`
    select u.id, u.org_id, u.created_at, u.order_id, u.order_num, u.unit_no, u.device_id, u.lane_id, u.road, u.product_id, u.drug_class, u.list_price, u.paid, u.cost, u.attempt,
      u.vend_state, u.hold, u.refund_state, u.drop_confirmed, u.late_success, u.fail_reason
    from order_units u join jsonb_to_recordset(${json}::jsonb) as k(org_id bigint, created_at timestamptz, id bigint) on u.org_id = k.org_id and u.created_at = k.created_at and u.order_id = k.id
    order by u.order_id, u.unit_no for no key update of u`.execute(ctx.db)
  return { orders, units }
}

/** Derives label, failure reason, cost and finality of orders from their pieces. */
export async function relabel(ctx: Ctx, orders: readonly Order[], units: readonly Unit[]): Promise<void> {
  const byOrder = Map.groupBy(units, (unit) => unit.order_id)
  const rows = orders.map((order) => {
    const own = byOrder.get(order.id) ?? []
    const facts = own.map((u) => ({ vendState: u.vend_state, refundState: u.refund_state, dropConfirmed: u.drop_confirmed }))
    const status = displayStatus({ payState: order.pay_state, paid: order.paid_amount, refunded: order.refunded_amount }, facts)
    return {
      org_id: order.org_id,
      created_at: order.created_at.toISOString(),
      id: order.id,
      status,
      final: order.pay_state !== 'UNPAID' && order.pay_state !== 'CLOSED' && isFinal(facts),
      cost: own.reduce((sum, u) => sum + (u.vend_state === 'SUCCESS' ? u.cost : 0), 0),
      reason: own.find((u) => u.vend_state === 'FAILED' || u.vend_state === 'VOID')?.fail_reason ?? null,
    }
  })
  await sql`update orders o set order_status = n.status, fail_reason = n.reason, cost_amount = n.cost, final_at = case when n.final then coalesce(o.final_at, ${ctx.now}) else null end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n(org_id bigint, created_at timestamptz, id bigint, status text, final boolean, reason text, cost bigint)
    where o.org_id = n.org_id and o.created_at = n.created_at and o.id = n.id
      and (o.order_status, o.fail_reason, o.cost_amount, o.final_at is not null) is distinct from (n.status, n.reason, n.cost, n.final)`.execute(ctx.db)
}

export async function writeEvents(ctx: Ctx, events: Work['events'], actor = ''): Promise<void> {
  if (!events.length) return
  const json = JSON.stringify(
    events.map((e) => ({
      org_id: e.unit.org_id,
      order_id: e.unit.order_id,
      order_at: e.unit.created_at.toISOString(),
      device_id: e.unit.device_id,
      unit_no: e.unit.unit_no,
      kind: e.kind,
      data: { ...e.data, at: e.at.toISOString() },
    })),
  )
  await sql`insert into order_events (org_id, created_at, order_id, order_at, device_id, unit_no, kind, data, actor)
    select org_id, ${ctx.now}::timestamptz, order_id, order_at, device_id, unit_no, kind, data, ${actor}
    from jsonb_to_recordset(${json}::jsonb) as e(org_id bigint, order_id bigint, order_at timestamptz, device_id bigint, unit_no int, kind text, data jsonb)`.execute(
    ctx.db,
  )
}

async function writeCases(ctx: Ctx, cases: Work['cases']): Promise<void> {
  if (!cases.length) return
  const json = JSON.stringify(
    cases.map((c) => ({
      org_id: c.unit.org_id,
      device_id: c.unit.device_id,
      order_id: c.unit.order_id,
      order_num: c.unit.order_num,
      unit_id: c.unit.id,
      kind: c.kind,
      amount: c.unit.paid,
      cost: c.unit.cost,
    })),
  )
  await sql`insert into order_cases (org_id, device_id, order_id, order_num, unit_id, kind, amount, cost, created_at)
    select distinct on (kind, unit_id) org_id, device_id, order_id, order_num, unit_id, kind, amount, cost, ${ctx.now}::timestamptz
    from jsonb_to_recordset(${json}::jsonb) as c(org_id bigint, device_id bigint, order_id bigint, order_num text, unit_id bigint, kind text, amount bigint, cost bigint)
    on conflict (kind, unit_id, payment_id) do nothing`.execute(ctx.db)
}

/** One refund row per piece for ever; its number is the same at every attempt. A free piece is refunded at once. */
export async function openRefunds(
  ctx: Ctx,
  units: readonly Unit[],
  why: { reason: string; remark: string; automatic: boolean; userId: number | null },
): Promise<void> {
  if (!units.length) return
  const json = JSON.stringify(
    units.map((u) => ({
      org_id: u.org_id,
      device_id: u.device_id,
      order_id: u.order_id,
      order_at: u.created_at.toISOString(),
      order_num: u.order_num,
      unit_id: u.id,
      unit_no: u.unit_no,
      amount: u.paid,
    })),
  )
  await sql`with n as (
      select * from jsonb_to_recordset(${json}::jsonb) as x(org_id bigint, device_id bigint, order_id bigint, order_at timestamptz, order_num text, unit_id bigint, unit_no int, amount bigint)
    ), made as (
      insert into refunds (org_id, device_id, refund_no, payment_id, order_id, order_at, order_num, unit_id, unit_no, kind, amount, reason, remark, automatic, state, next_at, requested_by, created_at, succeeded_at)
      select n.org_id, n.device_id, n.order_num || '-' || lpad(n.unit_no::text, 2, '0'), p.id, n.order_id, n.order_at, n.order_num, n.unit_id, n.unit_no, 'UNIT', n.amount,
        ${why.reason}, ${why.remark}, ${why.automatic}, case when n.amount = 0 then 'SUCCESS' else 'PENDING' end, ${ctx.now}::timestamptz, ${why.userId}::bigint, ${ctx.now}::timestamptz,
        case when n.amount = 0 then ${ctx.now}::timestamptz end
      from n left join payments p on p.order_id = n.order_id and p.applied
      on conflict (unit_id) do update set state = case refunds.state when 'FAILED' then 'PROCESSING' else 'PENDING' end, attempts = 0,
        next_at = excluded.next_at, reason = excluded.reason, remark = excluded.remark, automatic = excluded.automatic, requested_by = excluded.requested_by
        where refunds.state in ('CANCELLED', 'FAILED')
      returning unit_id, state
    )
    update order_units u set refund_state = made.state from made join n on n.unit_id = made.unit_id
    where u.org_id = n.org_id and u.created_at = n.order_at and u.id = made.unit_id`.execute(ctx.db)
  for (const unit of units) unit.refund_state = unit.paid === 0 ? 'SUCCESS' : unit.refund_state === 'FAILED' ? 'PROCESSING' : 'PENDING'
  await writeEvents(
    ctx,
    units.map((unit) => ({ unit, kind: 'REFUND_PENDING', at: ctx.now, data: { amount: unit.paid, reason: why.reason, automatic: why.automatic } })),
    why.automatic ? '' : ctx.actor.username,
  )
  ctx.touch('refunds')
}

async function openFaults(ctx: Ctx, faults: Work['faults']): Promise<void> {
  if (!faults.length) return
  const json = JSON.stringify(faults.map((x) => ({ org_id: x.orgId, device_id: x.deviceId, lane_id: x.laneId, code: x.code, at: x.at.toISOString() })))
  // the counters of device_states follow with refreshDeviceCounters
  await sql`insert into device_faults (org_id, device_id, lane_id, code, level, opened_at)
    select distinct on (device_id, lane_id, code) org_id, device_id, lane_id, code, 'ERROR', at
    from jsonb_to_recordset(${json}::jsonb) as x(org_id bigint, device_id bigint, lane_id bigint, code text, at timestamptz)
    on conflict (device_id, coalesce(lane_id, 0), code) where closed_at is null do nothing`.execute(ctx.db)
  ctx.touch('devices')
}
