import type { Ctx } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { within } from '../../../server/within.ts'
import { addFigures, type ProductDelta, type SalesDelta } from '../../orders/server/rollups.ts'
import { liesAt, places } from '../../orders/server/rows.ts'

type Figures = Required<SalesDelta> & { productId: number | null; refundedPieces: number }

/**
 * Takes what these orders stand in the figures with out of them (-1), or puts it back (1): sales at
 * their payment, costs when pieces left, money back when it arrived. The orders are locked.
 */
export async function moveFigures(
  ctx: Ctx,
  orders: readonly { orgId: number; createdAt: Date; id: number }[],
  sign: 1 | -1,
): Promise<void> {
  const moments = orders.map(({ createdAt }) => createdAt)
  const rows = await rowsOf<Figures>(ctx.db)`
    with o as (select o.* from orders o join ${places(orders)} on ${liesAt('o')}
      where ${within('o.created_at', moments)}),
    u as (select u.*, o.paid_at from order_units u
      join o on o.org_id = u.org_id and o.created_at = u.created_at and o.id = u.order_id
      where ${within('u.created_at', moments)}),
    r as (select r.*, u.product_id from refunds r join u on u.id = r.unit_id
      where r.state = 'SUCCESS' and r.amount > 0)
    select org_id as "orgId", device_id as "deviceId", null as "productId", paid_at as at,
      1 as orders, pieces, total_amount as turnover, paid_amount as paid, 0::bigint as refunded,
      0 as "refundOrders", 0::bigint as cost, 0 as "refundedPieces" from o where paid_at is not null
    union all select org_id, device_id, product_id, paid_at, 0, 1, list_price, 0, 0, 0, 0, 0 from u
      where paid_at is not null
    union all select org_id, device_id, p.id, finished_at, 0, 0, 0, 0, 0, 0, cost, 0 from u
      cross join lateral (values (null), (u.product_id)) p (id) where vend_state = 'SUCCESS'
    union all select org_id, device_id, null, succeeded_at, 0, 0, 0, 0, amount, 0, 0, 0 from r
    union all select org_id, device_id, product_id, succeeded_at, 0, 0, 0, 0, 0, 0, 0, 1 from r
    union all select org_id, device_id, null, min(succeeded_at), 0, 0, 0, 0, 0, 1, 0, 0 from r
      group by org_id, device_id, order_id`
  const signed = rows.map(({ orgId, deviceId, productId, at, ...figures }) => ({
    ...{ orgId, deviceId, productId, at },
    ...Object.fromEntries(Object.entries(figures).map(([name, n]) => [name, sign * n])),
  }))
  addFigures(
    ctx,
    signed.filter((row) => row.productId === null) as SalesDelta[],
    signed.filter((row) => row.productId !== null) as ProductDelta[],
  )
}
