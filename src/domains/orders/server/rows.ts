import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { within } from '../../../server/within.ts'
import { touchSplits } from '../../splits/server/note.ts'
import {
  displayStatus,
  type Hold,
  isFinal,
  type OrderStatus,
  type PayState,
  type RefundState,
  type VendState,
} from '../rules.ts'
import { closeCases } from './cases.ts'

/** Orders and their pieces as the verbs hold them: locked together, labelled together. */

/** Where a row of these tables lies. */
type Place = { readonly orgId: number; readonly createdAt: Date; readonly id: number }
export type Unpaid = Place & { readonly deviceId: number }
export type Unit = {
  id: number
  orgId: number
  createdAt: Date
  orderId: number
  orderNum: string
  unitNo: number
  deviceId: number
  laneId: number
  road: number
  productId: number
  drugClass: string
  listPrice: number
  paid: number
  cost: number
  attempt: number
  vendState: VendState
  hold: Hold
  refundState: RefundState | null
  dropConfirmed: boolean
  lateSuccess: boolean
  /** A person said what became of it. */
  manual: boolean
  failReason: string | null
  /** The version of the split strategy it was sold under. */
  splitVersionId: number | null
}
export type Order = {
  id: number
  orgId: number
  createdAt: Date
  orderNum: string
  deviceId: number
  orderType: string
  payType: string
  payState: PayState
  orderStatus: OrderStatus
  paidAmount: number
  refundedAmount: number
  finalAt: Date | null
  failReason: string | null
  costAmount: number
  totalAmount: number
  payableAmount: number
  /** Cleaned: it counts in no list and no figure. */
  excluded: boolean
}

export type OrderEvent = { unit: Unit; kind: string; at: Date; data: Record<string, unknown> }

/**
 * Rows by where they lie, as the table `n` of a statement, and the condition that they are those of
 * `alias`.
 */
export const places = (rows: readonly Place[]) =>
  sql`jsonb_to_recordset(${JSON.stringify(rows.map(({ orgId, createdAt, id }) => ({ orgId, createdAt, id })))}::jsonb) as n("orgId" bigint, "createdAt" timestamptz, id bigint)`
export const liesAt = (alias: string, id = 'id') =>
  sql`${sql.ref(`${alias}.org_id`)} = n."orgId"
    and ${sql.ref(`${alias}.created_at`)} = n."createdAt" and ${sql.ref(`${alias}.${id}`)} = n.id`

/** Orders by their keys with all their pieces, both locked in ascending order. */
export async function lockOrders(
  ctx: Ctx,
  keys: readonly { orgId: number; at: Date; id: number }[],
): Promise<{ orders: Order[]; units: Unit[] }> {
  const wanted = places([
    ...new Map(keys.map(({ orgId, at, id }) => [id, { orgId, createdAt: at, id }])).values(),
  ])
  const moments = keys.map((key) => key.at)
  const locked = rowsOf<Order>(ctx.db)`
    select o.id, o.org_id as "orgId", o.created_at as "createdAt", o.order_num as "orderNum",
      o.device_id as "deviceId", o.order_type as "orderType",
      o.pay_type as "payType", o.pay_state as "payState", o.order_status as "orderStatus", o.paid_amount as "paidAmount",
      o.refunded_amount as "refundedAmount",
      o.final_at as "finalAt", o.fail_reason as "failReason", o.cost_amount as "costAmount",
      o.total_amount as "totalAmount", o.payable_amount as "payableAmount",
      o.excluded
    from orders o join ${wanted} on ${liesAt('o')}
    where ${within('o.created_at', moments)} order by o.id for no key update of o`
  const pieces = rowsOf<Unit>(ctx.db)`
    select u.id, u.org_id as "orgId", u.created_at as "createdAt", u.order_id as "orderId",
      u.order_num as "orderNum", u.unit_no as "unitNo",
      u.device_id as "deviceId", u.lane_id as "laneId", u.road, u.product_id as "productId",
      u.drug_class as "drugClass", u.list_price as "listPrice",
      u.paid, u.cost, u.attempt, u.vend_state as "vendState", u.hold,
      u.refund_state as "refundState", u.drop_confirmed as "dropConfirmed",
      u.late_success as "lateSuccess", u.manual, u.fail_reason as "failReason",
      u.split_version_id as "splitVersionId"
    from order_units u join ${wanted} on ${liesAt('u', 'order_id')}
    where ${within('u.created_at', moments)} order by u.order_id, u.unit_no for no key update of u`
  const [orders, units] = await Promise.all([locked, pieces])
  return { orders, units }
}

/** What went by itself has nothing open. */
const exceptional = (order: Order, own: readonly Unit[]): boolean =>
  order.orderType === 'SUPPLEMENT' || own.some((u) => u.refundState !== null || u.attempt > 1)

/** Derives label, failure reason, cost and finality of orders from their pieces. */
export function relabel(ctx: Ctx, orders: readonly Order[], units: readonly Unit[]): void {
  const byOrder = Map.groupBy(units, (unit) => unit.orderId)
  const rows = orders.flatMap((order) => {
    const own = byOrder.get(order.id) ?? []
    const test = order.orderType === 'TEST'
    const status = displayStatus(
      { payState: order.payState, paid: order.paidAmount, refunded: order.refundedAmount, test },
      own,
    )
    const final = order.payState !== 'UNPAID' && order.payState !== 'CLOSED' && isFinal(own, test)
    const cost = own.reduce((sum, u) => sum + (u.vendState === 'SUCCESS' ? u.cost : 0), 0)
    const reason =
      own.find((u) => u.vendState === 'FAILED' || u.vendState === 'VOID')?.failReason ?? null
    if (final && !order.finalAt && exceptional(order, own)) closeCases(ctx, order.id)
    const same = order.orderStatus === status && (order.finalAt !== null) === final
    if (same && order.costAmount === cost && order.failReason === reason) return []
    Object.assign(order, {
      orderStatus: status,
      finalAt: final ? (order.finalAt ?? ctx.now) : null,
      costAmount: cost,
      failReason: reason,
    })
    return [
      { orgId: order.orgId, createdAt: order.createdAt, id: order.id, status, final, cost, reason },
    ]
  })
  const over = orders.filter(({ finalAt, paidAmount }) => finalAt !== null && paidAmount > 0)
  const shared = (id: number) => byOrder.get(id)?.some((u) => u.splitVersionId !== null)
  touchSplits(
    ctx,
    over.flatMap(({ id }) => (shared(id) ? [id] : [])),
  )
  if (!rows.length) return
  ctx.later(sql`update orders o
    set order_status = n.status, fail_reason = n.reason, cost_amount = n.cost, final_at = case
      when n.final then coalesce(o.final_at, ${ctx.now}) else null end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n("orgId" bigint,
      "createdAt" timestamptz, id bigint, status text, final boolean, reason text, cost bigint)
    where ${liesAt('o')} and ${within(
      'o.created_at',
      orders.map((order) => order.createdAt),
    )}
      and (o.order_status, o.fail_reason, o.cost_amount, o.final_at is not null) is distinct
      from (n.status, n.reason, n.cost, n.final)`)
}

export function writeEvents(ctx: Ctx, events: readonly OrderEvent[], actor = ''): void {
  if (events.length) ctx.later(insertEvents(ctx, events, actor))
}

/** The statement alone, for those who write more together with it. */
export function insertEvents(
  ctx: Ctx,
  events: readonly OrderEvent[],
  actor = '',
): RawBuilder<unknown> {
  const json = JSON.stringify(
    events.map(({ unit: { orgId, orderId, createdAt, deviceId, unitNo }, kind, data, at }) => ({
      ...{ orgId, orderId, createdAt, deviceId, unitNo, kind },
      data: { ...data, at },
    })),
  )
  return sql`insert into order_events (org_id, created_at, order_id, order_at, device_id, unit_no,
    kind, data, actor)
    select "orgId", ${ctx.now}::timestamptz, "orderId", "createdAt", "deviceId", "unitNo", kind,
      data, ${actor}
    from jsonb_to_recordset(${json}::jsonb)
      as e("orgId" bigint, "orderId" bigint, "createdAt" timestamptz, "deviceId" bigint,
        "unitNo" int, kind text, data jsonb)`
}
