import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { type Ctx, found } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { columns } from '../../../server/shapes.ts'
import { within } from '../../../server/within.ts'
import { reject } from '../../../shared/errors.ts'
import { keepBills } from '../../billing/server/keep.ts'
import {
  drugOf,
  queueOf,
  type RawSite,
  siteOf,
  withQueues,
  withSite,
} from '../../drug-guard/server/facts.ts'
import { fee, feeOf, orderIn, suspenseApplied } from '../../ledger/rules.ts'
import { post } from '../../ledger/server/post.ts'
import { refreshDeviceCounters } from '../../machines/server/counters.ts'
import { noteSplit } from '../../splits/server/note.ts'
import { moveStock } from '../../stock/server/move.ts'
import { type Giver, giverRefusal } from '../rules.ts'
import { addCommands, addUnits, detailText, type Lane, nextOrder, takeKey } from './create.ts'
import { addFigures, productsSold } from './rollups.ts'
import { lockOrders, type Order, type Unit } from './rows.ts'

/** An order that is made for money which was paid without one. */

export type SoldLane = Giver &
  Pick<
    Lane,
    'id' | 'roadIndex' | 'productId' | 'name' | 'model' | 'img' | 'price' | 'costPrice'
  > & { orgId: number; deviceId: number; rtuNumber: string; deviceName: string }

/** These lanes with their products and machines, locked by id; without a price nothing is sold. */
export const lanesToSell = async (ctx: Ctx, laneIds: readonly number[]): Promise<SoldLane[]> => {
  const rows = await rowsOf<Omit<SoldLane, 'site'> & { site: RawSite }>(ctx.db)`
    select l.id, l.org_id as "orgId", l.device_id as "deviceId", d.rtu_number as "rtuNumber",
      d.nickname as "deviceName", l.road_index as "roadIndex", l.product_id as "productId", p.name,
      p.model, p.images[1] as img, p.drug_class as "drugClass", l.price,
      p.cost_price as "costPrice", l.quantity - l.reserved - l.failed_hold as available, l.status,
      p.status = 'ON' as "onShelf", d.lifecycle, d.kind, d.dispensing_mode as "dispensingMode",
      ${siteOf(ctx)} as site, ${drugOf} as drug, ${queueOf} as queue,
      coalesce(s.online, false) as online, d.locked or coalesce(s.door_open, false) as stopped
    from lanes l join products p on p.id = l.product_id join devices d on d.id = l.device_id
    left join device_states s on s.device_id = d.id
    where l.id = any(${[...laneIds]}::bigint[]) and l.archived_at is null and l.price is not null
    order by l.id for no key update of l`
  return (await withQueues(ctx, rows)).map(withSite)
}

export type StrayPayment = {
  id: number
  orgId: number
  amount: number
  payType: 'WECHAT' | 'ALIPAY'
  paidAt: Date
  /** What its channel takes of it. */
  feeBp: number
  configId: number | null
}
type Made = { order: Order; units: Unit[] }

/**
 * Writes the order as paid by this payment, which was in suspense. What the goods cost more than was
 * paid is a discount. `vends`: its pieces are reserved and commanded; else they will not leave.
 */
export async function addSupplement(
  ctx: Ctx,
  payment: StrayPayment,
  sold: readonly { lane: SoldLane; count: number }[],
  vends: boolean,
): Promise<Made> {
  const [first] = sold
  const { orgId, deviceId, rtuNumber, deviceName, img } = found(first).lane
  if (vends)
    for (const { lane, count } of sold)
      reject(giverRefusal({ ...lane, available: lane.available - count + 1 }))
  const total = sold.reduce((sum, { lane, count }) => sum + lane.price * count, 0)
  const { id, orderNum } = await nextOrder(ctx)
  await takeKey(ctx, { id, orderNum }, { id: deviceId, orgId }, randomUUID())
  const order = {
    ...{ id, orderNum, orgId, deviceId, rtuNumber, deviceName, img, createdAt: ctx.now },
    ...({ channel: 'MACHINE', orderType: 'SUPPLEMENT', payType: payment.payType } as const),
    ...({ payState: 'PAID', orderStatus: 'PAID' } as const),
    ...{ detail: detailText(sold), pieces: sold.reduce((sum, { count }) => sum + count, 0) },
    ...{ totalAmount: total, discountAmount: total - payment.amount },
    ...{ payableAmount: payment.amount, paidAmount: payment.amount },
    ...{ expireAt: ctx.now, paidAt: ctx.now },
  }
  await ctx.db.insertInto('orders').values(columns('orders', order)).execute()
  const made = { id, orderNum, orgId, deviceId, isSplit: true }
  await addUnits(ctx, made, sold, order.discountAmount)
  if (!vends)
    await sql`update order_units set vend_state = 'VOID', hold = 'RELEASED',
      fail_reason = 'NOT_VENDED', finished_at = ${ctx.now}
      where org_id = ${orgId} and ${within('created_at', [ctx.now])} and order_id = ${id}`.execute(
      ctx.db,
    )
  const feeAmount = feeOf(payment.amount, payment.feeBp)
  await sql`update payments set org_id = ${orgId}, device_id = ${deviceId}, order_id = ${id},
    order_at = ${ctx.now}, order_num = ${orderNum}, applied = true, fee_amount = ${feeAmount}
    where id = ${payment.id}`.execute(ctx.db)
  await sql`update order_cases set org_id = ${orgId}, device_id = ${deviceId}, order_id = ${id},
    order_num = ${orderNum} where payment_id = ${payment.id} and kind = 'UNMATCHED_PAYMENT'`.execute(
    ctx.db,
  )
  const data = { pieces: order.pieces, total, amount: payment.amount }
  await sql`insert into order_events (org_id, created_at, order_id, order_at, device_id, kind, data,
    actor)
    values (${orgId}, ${ctx.now}, ${id}, ${ctx.now}, ${deviceId}, 'SUPPLEMENTED',
      ${JSON.stringify(data)}, ${ctx.actor.username})`.execute(ctx.db)
  if (vends) {
    const { deviceIds } = await moveStock(
      ctx,
      sold.map(({ lane, count }) => ({ laneId: lane.id, reserved: count })),
    )
    addCommands(ctx, { orgId, at: ctx.now, id })
    refreshDeviceCounters(ctx, deviceIds)
  }
  const { orders, units } = await lockOrders(ctx, [{ orgId, at: ctx.now, id }])
  const figures = { orgId, deviceId, at: ctx.now }
  const { payType, configId } = payment
  const provider = configId === null ? 'SIMULATOR' : payType
  addFigures(
    ctx,
    [
      {
        ...{ ...figures, payType, fee: feeAmount },
        ...{ orders: 1, pieces: units.length, turnover: total, paid: payment.amount },
      },
    ],
    productsSold(figures, units, feeAmount),
  )
  const paid = { payType, configId, provider, orderAt: ctx.now }
  keepBills(ctx, [{ ...figures, ...paid, price: payment.amount, fee: feeAmount, orders: 1 }])
  noteSplit(ctx, { orgId, at: ctx.now, id }, { paid: payment.amount, fee: feeAmount, configId })
  const waited = { orgId: payment.orgId, orderId: null, orderNum: null, configId }
  const of = { orgId, orderId: id, orderNum, configId }
  post(ctx, [
    suspenseApplied(payment.id, payment.amount, waited),
    orderIn(payment.id, payment.amount, of),
    fee(payment.id, feeAmount, of),
  ])
  ctx.touch('orders', orgId)
  return { order: found(orders[0]), units }
}
