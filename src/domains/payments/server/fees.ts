import { sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { exists, onlyRow, rowOf, rowsOf } from '../../../server/rows.ts'
import { within } from '../../../server/within.ts'
import { keepBills, keepShares } from '../../billing/server/keep.ts'
import { feeFixed } from '../../ledger/rules.ts'
import { post } from '../../ledger/server/post.ts'
import { addFigures, feeParts } from '../../orders/server/rollups.ts'
import { type Account, ofAccount } from './bills.ts'

/** What a bill says that its channel kept of a payment. */
export type BilledFee = { readonly tradeNo: string; readonly fee: number }

type Paid = {
  id: number
  orgId: number
  deviceId: number
  orderId: number
  orderNum: string
  orderAt: Date
  provider: string
  payType: string
  amount: number
  fee: number
  refunded: number
  excluded: boolean
}
const back = ({ amount, refunded }: Paid, fee: number) => Math.floor((fee * refunded) / amount)

const wasFixed = (ctx: Ctx, paymentId: number) =>
  exists(ctx.db)`select from payment_fee_fixes where payment_id = ${paymentId}`

/**
 * Corrects V2 to what the bill says: from pending money until the order was shared out, from what its
 * collector is owed after it, and the figures of bills with it. What refunds before this moment would
 * have brought back of the other fee is counted too, so they stay as they were booked. False: nothing
 * to correct, or its collector has not so much.
 */
export async function fixFee(
  ctx: Ctx,
  account: Account,
  day: string,
  { tradeNo, fee }: BilledFee,
): Promise<boolean> {
  // before its shares and the ledger, in the order of locks
  const paid = await rowOf<Paid>(
    ctx.db,
  )`select p.id, p.org_id as "orgId", o.device_id as "deviceId",
      p.order_id as "orderId", p.order_num as "orderNum", p.order_at as "orderAt", p.provider,
      o.pay_type as "payType", p.amount, p.fee_amount as fee, p.refunded_amount as refunded,
      o.excluded
    from payments p join orders o on o.org_id = p.org_id and o.created_at = p.order_at
      and o.id = p.order_id
    where ${ofAccount('p', account)} and p.provider_trade_no = ${tradeNo} and p.applied
    for no key update of o, p`
  if (!paid || paid.fee === fee || fee > paid.amount) return false
  // a fen each time a bill is uploaded would be a fee that nobody agreed to
  const automatic = ctx.actor.userId === null
  if (automatic && (await wasFixed(ctx, paid.id))) return false
  const { id: paymentId, orgId, orderId, orderNum, orderAt, deviceId } = paid
  const returned = back(paid, fee) - back(paid, paid.fee)
  const amount = fee - paid.fee - returned
  const splits = await rowsOf<{ collector: number; accrued: boolean }>(ctx.db)`
    select y.party_org_id as collector, s.accrued_at is not null as accrued
    from split_orders s join split_parties y on y.version_id = s.version_id and y.is_collector
    where s.order_id = ${orderId} order by s.id for no key update of s`
  const collector = splits.find(({ accrued }) => accrued)?.collector ?? null
  if (collector !== null && amount > 0) {
    const held = await rowOf<{ owed: number }>(ctx.db)`
      select owed from ledger_hold(${[collector]}::bigint[])`
    if ((held?.owed ?? 0) < amount) return false
  }
  const { configId } = account
  const { id: fixId } = await onlyRow<{ id: number }>(ctx.db)`
    insert into payment_fee_fixes (org_id, payment_id, before_fee, after_fee, returned, account, day,
      automatic, user_id, created_at)
    values (${orgId}, ${paymentId}, ${paid.fee}, ${fee}, ${returned},
      ${collector === null ? '2001' : '2002'}, ${day}::date, ${automatic},
      ${ctx.actor.userId}, ${ctx.now}) returning id`
  ctx.later(sql`update payments set fee_amount = ${fee} where id = ${paymentId}`)
  const { provider, payType } = paid
  // what is cleaned stands in no figure of sales
  if (!paid.excluded) {
    const of = { orgId, deviceId, at: ctx.now }
    const units = await rowsOf<{ productId: number; paid: number }>(ctx.db)`
      select product_id as "productId", paid from order_units u
      where u.org_id = ${orgId} and ${within('u.created_at', [orderAt])} and u.order_id = ${orderId}
      order by unit_no`
    const parts = feeParts(
      amount,
      units.map((unit) => unit.paid),
    )
    addFigures(
      ctx,
      [{ ...of, payType, fee: amount }],
      units.map(({ productId }, at) => ({ ...of, productId, fee: parts[at] ?? 0 })),
    )
  }
  keepBills(ctx, [
    { orgId, deviceId, configId, provider, payType, orderAt, at: ctx.now, fee: amount },
  ])
  if (collector !== null)
    keepShares(ctx, [{ orgId, orderAt, orderId, party: collector, share: -amount }])
  const from = { account: collector === null ? '2001' : '2002', amount, orgId: collector ?? orgId }
  post(ctx, [
    feeFixed({ paymentId, fixId, day }, amount, from as Parameters<typeof feeFixed>[2], {
      orgId,
      orderId,
      orderNum,
      configId,
    }),
  ])
  return true
}
