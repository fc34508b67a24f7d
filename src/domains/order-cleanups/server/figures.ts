import { sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { within } from '../../../server/within.ts'
import { addFigures, type ProductDelta, type SalesDelta } from '../../orders/server/rollups.ts'
import { liesAt, places } from '../../orders/server/rows.ts'

type Figures = Required<SalesDelta> & { productId: number | null; refundedPieces: number }

/**
 * Takes what these orders stand in the figures with out of them (-1), or puts it back (1): sales at
 * their payment, costs when pieces left, money back when it arrived, fees when they were booked. The
 * orders are locked.
 */
export async function moveFigures(
  ctx: Ctx,
  orders: readonly { orgId: number; createdAt: Date; id: number }[],
  sign: 1 | -1,
): Promise<void> {
  const moments = orders.map(({ createdAt }) => createdAt)
  const figures = [
    ...['orders', 'pieces', 'vended', 'turnover', 'paid', 'refunded', '"refundOrders"', 'cost'],
    ...['fee', '"refundedPieces"'],
  ]
  /** A part of the union: the figures that are not zero. */
  const part = (productId: string, at: string, said: Readonly<Record<string, string>>) =>
    sql.raw(`select org_id, device_id, pay_type, ${productId} as product_id, ${at} as at,
      ${figures.map((name) => `${said[name.replaceAll('"', '')] ?? '0'} as ${name}`).join(', ')}`)
  const rows = await rowsOf<Figures>(ctx.db)`
    with o as (select o.* from orders o join ${places(orders)} on ${liesAt('o')}
      where ${within('o.created_at', moments)}),
    u as (select u.*, o.paid_at, o.pay_type, o.order_type,
        row_number() over (partition by u.order_id, u.product_id order by u.unit_no) as nth,
        sum(u.paid) over (partition by u.order_id order by u.unit_no) as upto,
        sum(u.paid) over (partition by u.order_id) as whole from order_units u
      join o on o.org_id = u.org_id and o.created_at = u.created_at and o.id = u.order_id
      where ${within('u.created_at', moments)}),
    r as (select r.*, u.product_id, u.pay_type,
        (row_number() over (partition by r.order_id order by succeeded_at, r.id) = 1)::int as first,
        (row_number() over (partition by r.order_id, u.product_id
          order by succeeded_at, r.id) = 1)::int as nth,
        r.amount - coalesce((select -sum(e.amount) from ledger_voucher_keys k
          join ledger_entries e on e.voucher_id = k.voucher_id and e.created_at = k.created_at
          join ledger_accounts a on a.id = e.account_id and a.code = '1001'
          where k.key = 'rf:' || r.refund_no), r.amount) as kept from refunds r
      join u on u.id = r.unit_id where r.state = 'SUCCESS' and r.amount > 0),
    p as (select o.*, p.id as payment_id, p.fee_amount from payments p join o on o.org_id = p.org_id
      and o.created_at = p.order_at and o.id = p.order_id where p.applied),
    x as (select f.*, p.org_id as owner_id from payment_fee_fixes f join p using (payment_id)),
    f as (select p.id, p.org_id, p.device_id, p.pay_type, p.paid_at as at, p.fee_amount -
        coalesce((select sum(after_fee - before_fee) from x where x.payment_id = p.payment_id), 0)
          as fee from p
      union all select p.id, p.org_id, p.device_id, p.pay_type, x.created_at,
        x.after_fee - x.before_fee - x.returned from x join p using (payment_id)),
    moved as (
      ${part('null::bigint', 'paid_at', { orders: '1', pieces: 'pieces', turnover: 'total_amount', paid: 'paid_amount' })}
        from o where paid_at is not null
      union all ${part('null', 'at', { fee: 'fee' })} from f
      union all ${part('product_id', 'paid_at', { orders: '(nth = 1)::int', pieces: '1', turnover: 'list_price', paid: 'paid' })}
        from u where paid_at is not null
      union all ${part('v.id', 'finished_at', { vended: '1', cost: 'cost' })}
        from u cross join lateral (values (null), (u.product_id)) v (id)
        where vend_state = 'SUCCESS' and order_type <> 'TEST'
      union all select u.org_id, u.device_id, u.pay_type, u.product_id, f.at, 0, 0, 0, 0, 0, 0, 0, 0,
        floor(f.fee * upto / whole) - floor(f.fee * (upto - paid) / whole), 0
        from f join u on u.order_id = f.id where whole > 0
      union all ${part('null', 'succeeded_at', { refunded: 'amount', refundOrders: 'first', fee: '-kept' })}
        from r
      union all ${part('product_id', 'succeeded_at', { refunded: 'amount', refundOrders: 'nth', fee: '-kept', refundedPieces: '1' })}
        from r)
    select org_id as "orgId", device_id as "deviceId", pay_type as "payType",
      product_id as "productId", at, ${sql.raw(figures.map((name) => `${name}::bigint`).join(', '))}
    from moved`
  const signed = rows.map(({ orgId, deviceId, payType, productId, at, ...counted }) => ({
    ...{ orgId, deviceId, payType, productId, at },
    ...Object.fromEntries(Object.entries(counted).map(([name, n]) => [name, sign * n])),
  }))
  addFigures(
    ctx,
    signed.filter((row) => row.productId === null) as SalesDelta[],
    signed.filter((row) => row.productId !== null) as ProductDelta[],
  )
}
