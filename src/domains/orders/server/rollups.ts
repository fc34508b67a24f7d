import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { shanghaiDay, startOfDay, startOfHour } from '../../../shared/instants.ts'

type Figure<K extends string> = {
  readonly orgId: number
  readonly deviceId: number
  readonly at: Date
} & { readonly [N in K]?: number }
/**
 * What a sale, a piece that left or a refund adds to the figures; written in the same transaction,
 * last in the lock order.
 */
export type SalesDelta = Figure<
  'orders' | 'pieces' | 'turnover' | 'paid' | 'refunded' | 'refundOrders' | 'cost'
>
export type ProductDelta = Figure<'pieces' | 'turnover' | 'cost' | 'refundedPieces'> & {
  readonly productId: number
}

/** `at` of the one TOTAL row of a machine. */
export const totalAt = new Date('2000-01-01T00:00:00Z')

const sum = (name: string) => sql`coalesce(sum(${sql.ref(name)}), 0)`

function salesStatement(deltas: readonly SalesDelta[]): RawBuilder<unknown> {
  const rows = deltas.flatMap((delta) => [
    { ...delta, grain: 'HOUR', at: startOfHour(delta.at) },
    { ...delta, grain: 'DAY', at: startOfDay(shanghaiDay(delta.at)) },
    { ...delta, grain: 'TOTAL', at: totalAt },
  ])
  return sql`insert into sales_rollups as r (org_id, device_id, grain, at, orders, pieces, turnover,
    paid, refunded, refund_orders, cost)
    select "orgId", "deviceId", grain, at, ${sum('orders')}, ${sum('pieces')}, ${sum('turnover')},
      ${sum('paid')}, ${sum('refunded')}, ${sum('refundOrders')}, ${sum('cost')}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x("orgId" bigint, "deviceId" bigint,
      grain text, at timestamptz, orders int, pieces int,
      turnover bigint, paid bigint, refunded bigint, "refundOrders" int, cost bigint)
    group by 1, 2, 3, 4 order by 2, 3, 4
    on conflict (device_id, grain, at, org_id) do update
    set orders = r.orders + excluded.orders, pieces = r.pieces + excluded.pieces,
      turnover = r.turnover + excluded.turnover,
      paid = r.paid + excluded.paid, refunded = r.refunded + excluded.refunded,
      refund_orders = r.refund_orders + excluded.refund_orders, cost = r.cost + excluded.cost`
}

function productsStatement(deltas: readonly ProductDelta[]): RawBuilder<unknown> {
  const rows = deltas.map((delta) => ({ ...delta, day: shanghaiDay(delta.at) }))
  return sql`insert into product_rollups as r (org_id, device_id, product_id, day, pieces, turnover,
    cost, refunded_pieces)
    select "orgId", "deviceId", "productId", day, ${sum('pieces')}, ${sum('turnover')},
      ${sum('cost')}, ${sum('refundedPieces')}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x("orgId" bigint, "deviceId" bigint,
      "productId" bigint, day date, pieces int,
      turnover bigint, cost bigint, "refundedPieces" int)
    group by 1, 2, 3, 4 order by 2, 3, 4
    on conflict (device_id, product_id, day, org_id) do update
    set pieces = r.pieces + excluded.pieces, turnover = r.turnover + excluded.turnover,
      cost = r.cost + excluded.cost, refunded_pieces = r.refunded_pieces + excluded.refunded_pieces`
}

/**
 * Machines before products, as everywhere: in one statement the database would choose the order,
 * and two acts could wait for each other.
 */
export function addFigures(
  ctx: Ctx,
  sales: readonly SalesDelta[],
  products: readonly ProductDelta[],
): void {
  if (sales.length) ctx.later(salesStatement(sales))
  if (products.length) ctx.later(productsStatement(products))
}
