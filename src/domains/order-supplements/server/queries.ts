import { sql } from 'kysely'
import { z } from 'zod'
import { type Ctx, may, visible } from '../../../server/context.ts'
import { answerOf } from '../../../server/lists.ts'
import { shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import * as f from '../../../shared/fields.ts'
import { addDays, startOfDay } from '../../../shared/instants.ts'
import { CaseRow, type orderSupplements, SaleLane } from '../contract.ts'
import { adviceFor, closable } from '../rules.ts'

const seen = shape(
  CaseRow.extend({ supplemented: z.boolean(), refundFailed: z.boolean() }),
  ['order_cases', 'c'],
  {
    kind: sql`c.kind`,
    paymentId: sql`p.id`,
    tradeNo: sql`p.provider_trade_no`,
    deviceNum: sql`d.rtu_number`,
    name: sql`d.nickname`,
    payType: sql`o.pay_type`,
    paidAt: sql`p.paid_at`,
    userName: sql`case when coalesce(o.consumer, '') = '' then ''
      else '***' || right(o.consumer, 4) end`,
    handledBy: sql`h.username`,
    createTime: sql`c.created_at`,
    supplemented: sql`s.id is not null`,
    refundFailed: sql`exists (select from refunds r where r.payment_id = p.id
      and r.state = 'FAILED')`,
  },
  ['advice', 'can'],
)

/** A case names its payment, or the piece whose order was paid by one. */
const joins = sql`left join lateral (select p.* from payments p where p.id = c.payment_id
    union all select p.* from payments p
      where c.payment_id is null and p.order_id = c.order_id and p.applied) p on true
  left join order_supplements s on s.payment_id = p.id
  left join devices d on d.id = c.device_id left join users h on h.id = c.handled_by
  left join order_keys k on k.order_num = c.order_num
  left join orders o on o.org_id = k.org_id and o.created_at = k.created_at and o.id = k.order_id`
const from = sql`order_cases c ${joins}`

/**
 * Of a machine and its days, or all that is open. Money of a machine that nobody knows is shown
 * with each.
 */
export async function list(ctx: Ctx, input: Input<typeof orderSupplements.list>) {
  const { rtuNumber, dateFrom, dateTo } = input
  const { rows, ...found } = await seen.page(ctx.db, {
    from,
    ...(!input.payType &&
      !input.tradeNo && { countFrom: sql`order_cases c`, late: { name: 'c', joins } }),
    where: [
      visible(ctx, 'c.org_id', 'c.device_id'),
      rtuNumber
        ? sql`(c.device_id is null or c.device_id = (select id from devices
            where rtu_number = ${rtuNumber.toUpperCase()}))`
        : sql`c.state <> 'DONE'`,
      input.openOnly && sql`c.state <> 'DONE'`,
      dateFrom && sql`c.created_at >= ${startOfDay(dateFrom)}`,
      dateTo && sql`c.created_at < ${startOfDay(addDays(dateTo, 1))}`,
      input.kind && sql`c.kind = ${input.kind}`,
      input.payType && sql`o.pay_type = ${input.payType}`,
      input.tradeNo && sql`p.provider_trade_no = ${input.tradeNo}`,
      input.amount !== undefined && sql`c.amount = ${input.amount}`,
    ],
    sort: { createTime: sql`c.created_at`, amount: sql`c.amount` },
    filled: ['createTime', 'amount'],
    grows: true,
    last: sql`c.id`,
    input,
  })
  const list = rows.map(({ supplemented, refundFailed, ...row }) => {
    const advice = adviceFor({ ...row, supplemented, refundFailed })
    const mine = may(ctx, 'order:supplement')
    return {
      ...row,
      advice,
      can: { supplement: mine && advice === 'SUPPLEMENT', close: mine && closable(row) },
    }
  })
  return answerOf(found, list)
}

const saleLane = shape(SaleLane.extend({ id: f.id }), ['lanes', 'l'], {
  road: sql`l.road_index`,
  productName: sql`p.name`,
  model: sql`p.model`,
  img: sql`p.images[1]`,
  price: sql`l.price`,
  available: sql`l.quantity - l.reserved - l.failed_hold`,
})
/** Lanes of a machine that have a product and a price, whether they can give it now or not. */
export const lanesOf = (ctx: Ctx, deviceId: number) =>
  saleLane.all(
    ctx.db,
    sql`from lanes l join products p on p.id = l.product_id
      where l.device_id = ${deviceId} and l.archived_at is null and l.price is not null
        and ${visible(ctx, 'l.org_id', 'l.device_id')} order by l.road_index`,
  )
