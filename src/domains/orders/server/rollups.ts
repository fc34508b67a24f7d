import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { shanghaiDay, startOfDay, startOfHour } from '../../../shared/instants.ts'

/** What a sale, a piece that left or a refund adds to the figures; written in the same transaction, last in the lock order. */
export type SalesDelta = {
  orgId: number
  deviceId: number
  at: Date
  orders?: number
  pieces?: number
  turnover?: number
  paid?: number
  refunded?: number
  refundOrders?: number
  cost?: number
}
export type ProductDelta = {
  orgId: number
  deviceId: number
  productId: number
  at: Date
  pieces?: number
  turnover?: number
  cost?: number
  refundedPieces?: number
}

/** `at` of the one TOTAL row of a machine. */
export const totalAt = new Date('2000-01-01T00:00:00Z')

function salesStatement(deltas: readonly SalesDelta[]): RawBuilder<unknown> {
  const rows = deltas.flatMap((d) =>
    (
      [
        ['HOUR', startOfHour(d.at)],
        ['DAY', startOfDay(shanghaiDay(d.at))],
        ['TOTAL', totalAt],
      ] as const
    ).map(([grain, at]) => ({
      org_id: d.orgId,
      device_id: d.deviceId,
      grain,
      at: at.toISOString(),
      orders: d.orders ?? 0,
      pieces: d.pieces ?? 0,
      turnover: d.turnover ?? 0,
      paid: d.paid ?? 0,
      refunded: d.refunded ?? 0,
      refund_orders: d.refundOrders ?? 0,
      cost: d.cost ?? 0,
    })),
  )
  return sql`insert into sales_rollups as r (org_id, device_id, grain, at, orders, pieces, turnover, paid, refunded, refund_orders, cost)
    select org_id, device_id, grain, at, sum(orders), sum(pieces), sum(turnover), sum(paid), sum(refunded), sum(refund_orders), sum(cost)
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(org_id bigint, device_id bigint, grain text, at timestamptz, orders int, pieces int, turnover bigint, paid bigint, refunded bigint, refund_orders int, cost bigint)
    group by 1, 2, 3, 4 order by 2, 3, 4
    on conflict (device_id, grain, at, org_id) do update set orders = r.orders + excluded.orders, pieces = r.pieces + excluded.pieces, turnover = r.turnover + excluded.turnover,
      paid = r.paid + excluded.paid, refunded = r.refunded + excluded.refunded, refund_orders = r.refund_orders + excluded.refund_orders, cost = r.cost + excluded.cost`
}

function productsStatement(deltas: readonly ProductDelta[]): RawBuilder<unknown> {
  const rows = deltas.map((d) => ({
    org_id: d.orgId,
    device_id: d.deviceId,
    product_id: d.productId,
    day: shanghaiDay(d.at),
    pieces: d.pieces ?? 0,
    turnover: d.turnover ?? 0,
    cost: d.cost ?? 0,
    refunded: d.refundedPieces ?? 0,
  }))
  return sql`insert into product_rollups as r (org_id, device_id, product_id, day, pieces, turnover, cost, refunded_pieces)
    select org_id, device_id, product_id, day, sum(pieces), sum(turnover), sum(cost), sum(refunded)
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(org_id bigint, device_id bigint, product_id bigint, day date, pieces int, turnover bigint, cost bigint, refunded int)
    group by 1, 2, 3, 4 order by 2, 3, 4
    on conflict (device_id, product_id, day, org_id) do update set pieces = r.pieces + excluded.pieces, turnover = r.turnover + excluded.turnover,
      cost = r.cost + excluded.cost, refunded_pieces = r.refunded_pieces + excluded.refunded_pieces`
}

/** Machines before products, as everywhere: in one statement the database would choose the order, and two acts could wait for each other. */
export function addFigures(ctx: Ctx, sales: readonly SalesDelta[], products: readonly ProductDelta[]): void {
  if (sales.length) ctx.later(salesStatement(sales))
  if (products.length) ctx.later(productsStatement(products))
}
