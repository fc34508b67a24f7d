import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { displayStatus, type Hold, isFinal, type OrderStatus, type PayState, type RefundState, type VendState } from '../rules.ts'

/** Orders and their pieces as the verbs hold them: locked together, labelled together. */

export type Unpaid = { org_id: number; created_at: Date; id: number; device_id: number }
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
  fail_reason: string | null
  cost_amount: number
  total_amount: number
  payable_amount: number
}

export type OrderEvent = { unit: Unit; kind: string; at: Date; data: Record<string, unknown> }

/**
 * Where these rows lie, for the planner: their moments, and as constants their months. A kept plan knows the partitions of those and
 * no others; without them it opens and locks every month there is.
 */
export function within(column: string, moments: readonly Date[]): RawBuilder<unknown> {
  const times = moments.map((at) => at.getTime())
  const [first, last] = [new Date(Math.min(...times)), new Date(Math.max(...times))]
  const month = (at: Date, next = 0) => sql.lit(new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + next)).toISOString())
  const name = sql.ref(column)
  return sql`${name} between ${first} and ${last} and ${name} >= ${month(first)} and ${name} < ${month(last, 1)}`
}

/** Orders by their keys with all their pieces, both locked in ascending order. */
export async function lockOrders(ctx: Ctx, keys: readonly { orgId: number; at: Date; id: number }[]): Promise<{ orders: Order[]; units: Unit[] }> {
  const json = JSON.stringify([...new Map(keys.map((k) => [k.id, { org_id: k.orgId, created_at: k.at.toISOString(), id: k.id }])).values()])
  const moments = keys.map((key) => key.at)
  const locked = sql<Order>`
    select o.id, o.org_id, o.created_at, o.order_num, o.device_id, o.order_type, o.pay_state, o.order_status, o.paid_amount, o.refunded_amount, o.final_at, o.paid_at,
      o.fail_reason, o.cost_amount, o.total_amount, o.payable_amount
    from orders o join jsonb_to_recordset(${json}::jsonb) as k(org_id bigint, created_at timestamptz, id bigint) on o.org_id = k.org_id and o.created_at = k.created_at and o.id = k.id
    where ${within('o.created_at', moments)} order by o.id for no key update of o`.execute(ctx.db)
  const pieces = sql<Unit>`
    select u.id, u.org_id, u.created_at, u.order_id, u.order_num, u.unit_no, u.device_id, u.lane_id, u.road, u.product_id, u.drug_class, u.list_price, u.paid, u.cost, u.attempt,
      u.vend_state, u.hold, u.refund_state, u.drop_confirmed, u.late_success, u.fail_reason
    from order_units u join jsonb_to_recordset(${json}::jsonb) as k(org_id bigint, created_at timestamptz, id bigint) on u.org_id = k.org_id and u.created_at = k.created_at and u.order_id = k.id
    where ${within('u.created_at', moments)} order by u.order_id, u.unit_no for no key update of u`.execute(ctx.db)
  const [{ rows: orders }, { rows: units }] = await Promise.all([locked, pieces])
  return { orders, units }
}

/** Derives label, failure reason, cost and finality of orders from their pieces. */
export function relabel(ctx: Ctx, orders: readonly Order[], units: readonly Unit[]): void {
  const byOrder = Map.groupBy(units, (unit) => unit.order_id)
  const rows = orders.flatMap((order) => {
    const own = byOrder.get(order.id) ?? []
    const facts = own.map((u) => ({ vendState: u.vend_state, refundState: u.refund_state, dropConfirmed: u.drop_confirmed }))
    const test = order.order_type === 'TEST'
    const status = displayStatus({ payState: order.pay_state, paid: order.paid_amount, refunded: order.refunded_amount, test }, facts)
    const final = order.pay_state !== 'UNPAID' && order.pay_state !== 'CLOSED' && isFinal(facts, test)
    const cost = own.reduce((sum, u) => sum + (u.vend_state === 'SUCCESS' ? u.cost : 0), 0)
    const reason = own.find((u) => u.vend_state === 'FAILED' || u.vend_state === 'VOID')?.fail_reason ?? null
    const same = order.order_status === status && (order.final_at !== null) === final
    if (same && order.cost_amount === cost && order.fail_reason === reason) return []
    Object.assign(order, { order_status: status, final_at: final ? (order.final_at ?? ctx.now) : null, cost_amount: cost, fail_reason: reason })
    return [{ org_id: order.org_id, created_at: order.created_at.toISOString(), id: order.id, status, final, cost, reason }]
  })
  if (!rows.length) return
  ctx.later(sql`update orders o set order_status = n.status, fail_reason = n.reason, cost_amount = n.cost, final_at = case when n.final then coalesce(o.final_at, ${ctx.now}) else null end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n(org_id bigint, created_at timestamptz, id bigint, status text, final boolean, reason text, cost bigint)
    where o.org_id = n.org_id and o.created_at = n.created_at and o.id = n.id and ${within(
      'o.created_at',
      orders.map((order) => order.created_at),
    )}
      and (o.order_status, o.fail_reason, o.cost_amount, o.final_at is not null) is distinct from (n.status, n.reason, n.cost, n.final)`)
}

export function writeEvents(ctx: Ctx, events: readonly OrderEvent[], actor = ''): void {
  if (events.length) ctx.later(insertEvents(ctx, events, actor))
}

/** The statement alone, for those who write more together with it. */
export function insertEvents(ctx: Ctx, events: readonly OrderEvent[], actor = ''): RawBuilder<unknown> {
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
  return sql`insert into order_events (org_id, created_at, order_id, order_at, device_id, unit_no, kind, data, actor)
    select org_id, ${ctx.now}::timestamptz, order_id, order_at, device_id, unit_no, kind, data, ${actor}
    from jsonb_to_recordset(${json}::jsonb) as e(org_id bigint, order_id bigint, order_at timestamptz, device_id bigint, unit_no int, kind text, data jsonb)`
}
