import { sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { platformOrg } from '../../../shared/access.ts'
import { fee, feeOf, orderIn, suspenseIn } from '../../ledger/rules.ts'
import { post } from '../../ledger/server/post.ts'
import { applyPayment, openCase, openPaymentRefund } from '../../orders/server/verbs.ts'
import type { Merchant, Notice } from '../../payment-channels/server/channels.ts'
import { raiseSecurity } from '../../security/server/raise.ts'
import { noteSplit } from '../../splits/server/note.ts'
import { openLost } from './lost.ts'

export type Outcome = 'APPLIED' | 'DUPLICATE' | 'LATE' | 'MISMATCH' | 'UNKNOWN'
/** Who heard it: the simulator, or the channel of a merchant. */
export type Source = {
  provider: 'SIMULATOR' | 'WECHAT' | 'ALIPAY'
  /** Null: the simulator. */
  configId: number | null
  /** Its own name, as a notice says it. */
  merchant: string
  /** Whose money it is when no order is found. */
  orgId: number
  feeBp: number
}
export const simulator: Source = {
  provider: 'SIMULATOR',
  configId: null,
  merchant: 'SIMULATOR',
  orgId: platformOrg,
  feeBp: 60,
}
export const sourceOf = (merchant: Merchant): Source => ({
  provider: merchant.provider,
  configId: merchant.id,
  merchant: merchant.mchId,
  orgId: merchant.orgId,
  feeBp: merchant.feeBp,
})
/** What a trade was booked for already; no order: the platform's suspense. */
type Trade = { order_id: number | null; amount: number }
const nobody = ({ orgId, configId }: Source) => ({
  ...{ orgId, configId },
  orderId: null,
  orderNum: null,
})
const ofOrder = ({ configId }: Source, payment: Found) => ({
  ...{ orgId: payment.org_id, orderId: payment.order_id, orderNum: payment.order_num },
  configId,
})
const tradeOf = (provider: string, { tradeNo }: Notice) => `${provider}:${tradeNo}`
type Found = {
  id: number
  org_id: number
  device_id: number
  order_id: number
  order_at: Date
  order_num: string
  amount: number
  state: string
  config_id: number | null
  pay_type: 'WECHAT' | 'ALIPAY' | null
  rtu_number: string
}
/** What a person is told about a notice that fits no open payment, and why. */
type Alarm = {
  kind: 'PAYMENT_MISMATCH' | 'PAYMENT_UNKNOWN' | 'PAYMENT_DOUBLE' | 'PAYMENT_LATE' | 'PAYMENT_CLOCK'
  why: string
  subject?: string
}

/**
 * One notification: stored once, applied at most once. Money that really arrived and that no open
 * order expects goes to suspense, late and double money back as well; whatever does not fit is seen
 * by a person.
 */
export async function receive(ctx: Ctx, from: Source, told: Notice): Promise<Outcome> {
  const { provider, configId } = from
  // merchants number their events by themselves
  const notice = configId === null ? told : { ...told, eventId: `${configId}:${told.eventId}` }
  // notices of one event, and of one trade, take turns: each sees what the one before it wrote
  // (events before trades, both before orders)
  ctx.later(sql`select pg_advisory_xact_lock(hashtextextended(${`event ${provider} ${notice.eventId}`}, 0)),
    pg_advisory_xact_lock(hashtextextended(${`trade ${provider} ${notice.tradeNo}`}, 0))`)
  const looked =
    sql<Found>`select p.id, p.org_id, p.device_id, p.order_id, p.order_at, p.order_num, p.amount,
      p.state, p.config_id, p.pay_type, d.rtu_number
    from payments p join devices d on d.id = p.device_id
    where p.out_trade_no = ${notice.outTradeNo}`.execute(ctx.db)
  const heard = sql<{ same: boolean }>`
    select raw - 'sign' = ${JSON.stringify({ ...notice, sign: undefined })}::jsonb as same
    from payment_events where provider = ${provider} and event_id = ${notice.eventId}`.execute(
    ctx.db,
  )
  // whom this trade has paid already, or that its money waits for somebody to find out
  const traded = sql<Trade>`select order_id, amount from payments
      where provider = ${provider} and provider_trade_no = ${notice.tradeNo}
    union all select null, e.amount from ledger_voucher_keys k
    join ledger_entries e on e.voucher_id = k.voucher_id and e.created_at = k.created_at
      and e.amount > 0
    where k.key = ${suspenseIn(tradeOf(provider, notice), notice.amount, nobody(from)).key}`.execute(
    ctx.db,
  )
  const [{ rows: found }, { rows: before }, { rows: trades }] = await Promise.all([
    looked,
    heard,
    traded,
  ])
  const payment = found[0]
  if (before[0]?.same) return 'DUPLICATE'
  const [outcome, alarm] = before[0]
    ? contradiction('EVENT')
    : await take(ctx, from, notice, payment, trades[0])
  // before the event: the notice that pays it holds the payment when it writes the same event
  if (payment && outcome !== 'APPLIED')
    ctx.later(sql`select 1 from payments where id = ${payment.id} for key share`)
  ctx.later(sql`insert into payment_events (org_id, payment_id, provider, event_id, kind, raw,
    outcome, created_at)
    values (${payment?.org_id ?? null}, ${payment?.id ?? null}, ${provider}, ${notice.eventId},
      'PAID', ${JSON.stringify(notice)}::jsonb, ${outcome}, ${ctx.now})
    on conflict (provider, event_id) do nothing`)
  if (alarm) await tell(ctx, from, alarm, notice, payment)
  return outcome
}

const contradiction = (why: string): [Outcome, Alarm] => [
  'MISMATCH',
  { kind: 'PAYMENT_MISMATCH', why },
]

async function take(
  ctx: Ctx,
  from: Source,
  notice: Notice,
  payment: Found | undefined,
  trade: Trade | undefined,
): Promise<[Outcome, Alarm?]> {
  // money of another currency, or on the account of somebody else, is not in our books
  if (notice.currency !== undefined && notice.currency !== 'CNY') return contradiction('CURRENCY')
  if (notice.merchant !== undefined && notice.merchant !== from.merchant)
    return contradiction('MERCHANT')
  if (payment && payment.config_id !== from.configId) return contradiction('MERCHANT')
  // one trade is one sum for one order, or in suspense until a person has looked
  if (trade && (trade.order_id !== (payment?.order_id ?? null) || trade.amount !== notice.amount))
    return contradiction('TRADE')
  if (!payment) {
    if (!trade) await openLost(ctx, from, notice)
    return ['UNKNOWN', { kind: 'PAYMENT_UNKNOWN', why: 'ORDER' }]
  }
  if (trade) return ['DUPLICATE']
  // orders are locked before payments, everywhere
  const { provider, configId } = from
  const fee = feeOf(payment.amount, from.feeBp)
  const outcome = await applyPayment(ctx, payment, {
    orderPaid: payment.amount === notice.amount,
    payType: payment.pay_type,
    paid: { price: payment.amount, fee, provider, configId },
  })
  if (outcome === 'MISMATCH' || outcome === 'DUPLICATE') {
    const stray = await addStray(ctx, from, notice, payment)
    if (outcome === 'MISMATCH') {
      if (stray) await openCase(ctx, stray, 'UNMATCHED_PAYMENT')
      return contradiction('AMOUNT')
    }
    if (stray) await openPaymentRefund(ctx, stray, 'DUPLICATE_PAYMENT')
    return ['DUPLICATE', { kind: 'PAYMENT_DOUBLE', why: 'TWICE' }]
  }
  await book(ctx, from, notice, payment, outcome)
  if (outcome === 'TWICE') return ['DUPLICATE', { kind: 'PAYMENT_DOUBLE', why: 'TWICE' }]
  return outcome === 'LATE'
    ? ['LATE', { kind: 'PAYMENT_LATE', why: 'CLOSED', subject: payment.rtu_number }]
    : isFarOff(notice.paidAt, ctx.now)
      ? ['APPLIED', { kind: 'PAYMENT_CLOCK', why: 'CLOCK' }]
      : ['APPLIED']
}

/** A channel tells within days; its clock and ours do not differ by an hour. */
const isFarOff = (told: string | undefined, now: Date): boolean => {
  const ahead = told === undefined ? 0 : Date.parse(told) - now.getTime()
  return ahead > 3_600_000 || ahead < -7 * 86_400_000
}

async function book(
  ctx: Ctx,
  from: Source,
  notice: Notice,
  payment: Found,
  outcome: 'APPLIED' | 'LATE' | 'TWICE',
): Promise<void> {
  const feeAmount = outcome === 'APPLIED' ? feeOf(payment.amount, from.feeBp) : 0
  ctx.later(
    sql`update payments set state = 'SUCCESS', applied = ${outcome === 'APPLIED'},
      provider_trade_no = ${notice.tradeNo}, fee_amount = ${feeAmount}, paid_at = ${ctx.now},
      next_at = null
      where id = ${payment.id}`,
  )
  const of = ofOrder(from, payment)
  if (outcome === 'APPLIED') {
    const order = { orgId: payment.org_id, at: payment.order_at, id: payment.order_id }
    noteSplit(ctx, order, { paid: payment.amount, fee: feeAmount, configId: from.configId })
    return post(ctx, [orderIn(payment.id, payment.amount, of), fee(payment.id, feeAmount, of)])
  }
  // money back in full: the channel charges nothing for what it takes back at once
  post(ctx, [suspenseIn(payment.id, payment.amount, of)])
  const kind = outcome === 'LATE' ? 'LATE_PAYMENT' : 'DUPLICATE_PAYMENT'
  await openPaymentRefund(ctx, payment, kind)
}

/**
 * Money beside the payment it names: a payment of its own that pays nothing, in suspense. Null:
 * nothing arrived.
 */
async function addStray(
  ctx: Ctx,
  from: Source,
  notice: Notice,
  payment: Found,
): Promise<Found | null> {
  const { provider, configId } = from
  if (notice.amount === 0) return null
  const { rows } = await sql<{
    id: number
  }>`insert into payments (org_id, device_id, order_id, order_at, order_num, out_trade_no, provider,
    config_id, provider_trade_no, amount, state, paid_at, created_at)
    values (${payment.org_id}, ${payment.device_id}, ${payment.order_id}, ${payment.order_at},
      ${payment.order_num}, ${`${notice.outTradeNo}~${notice.tradeNo}`},
      ${provider}, ${configId}, ${notice.tradeNo}, ${notice.amount}, 'SUCCESS', ${ctx.now}, ${ctx.now})
      returning id`.execute(ctx.db)
  const { id } = rows[0] as { id: number }
  post(ctx, [suspenseIn(id, notice.amount, ofOrder(from, payment))])
  return { ...payment, id, amount: notice.amount }
}

function tell(
  ctx: Ctx,
  from: Source,
  alarm: Alarm,
  notice: Notice,
  payment: Found | undefined,
): Promise<void> {
  return raiseSecurity(ctx, {
    orgId: payment?.org_id ?? from.orgId,
    kind: alarm.kind,
    subject: alarm.subject ?? payment?.order_num ?? notice.outTradeNo,
    ...(payment ? { deviceId: payment.device_id } : {}),
    detail: {
      why: alarm.why,
      outTradeNo: notice.outTradeNo,
      tradeNo: notice.tradeNo,
      amount: notice.amount,
      ...(notice.paidAt ? { paidAt: notice.paidAt } : {}),
      ...(payment ? { expected: payment.amount, orderNum: payment.order_num } : {}),
      ...(notice.currency ? { currency: notice.currency } : {}),
      ...(notice.merchant ? { merchant: notice.merchant } : {}),
    },
  })
}
