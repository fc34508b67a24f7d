import { createHmac, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import { type Handlers, prepared } from '../../../server/bind.ts'
import type { Ctx } from '../../../server/context.ts'
import { platformOrg } from '../../../shared/access.ts'
import type { Input } from '../../../shared/contract.ts'
import { Refusal } from '../../../shared/errors.ts'
import { fee, feeOf, orderIn, suspenseIn } from '../../ledger/rules.ts'
import { post } from '../../ledger/server/post.ts'
import { applyPayment, openCase, openPaymentRefund } from '../../orders/server/verbs.ts'
import { raiseApart, raiseSecurity } from '../../security/server/raise.ts'
import { paymentErrors, type payments } from '../contract.ts'
import { openLost } from './lost.ts'

/** Fee of the simulated channel in basis points. */
export const simulatorFee = 60

export const simulatorSign = (
  key: string,
  n: Omit<Input<(typeof payments)['simulatorNotify']>, 'sign'>,
): string =>
  createHmac('sha256', key)
    .update(
      [
        n.eventId,
        n.outTradeNo,
        n.tradeNo,
        n.amount,
        n.paidAt,
        ...(n.currency || n.merchant ? [n.currency ?? '', n.merchant ?? ''] : []),
      ].join('|'),
    )
    .digest('hex')

/**
 * A signature is checked before anything is opened: a forged notice costs no transaction, and at
 * most one row a second.
 */
const simulatorNotify = prepared<(typeof payments)['simulatorNotify'], void>({
  async prepare(app, input, request) {
    const right = Buffer.from(simulatorSign(app.config.simPayKey, input), 'hex')
    if (timingSafeEqual(right, Buffer.from(input.sign, 'hex'))) return
    const detail = {
      provider: 'SIMULATOR',
      outTradeNo: input.outTradeNo,
      amount: input.amount,
      address: request.ip,
    }
    await raiseApart(app, {
      orgId: platformOrg,
      kind: 'PAYMENT_FORGED',
      subject: 'SIMULATOR',
      detail,
    })
    throw new Refusal(paymentErrors.badSignature)
  },
  run: async (ctx, input) => ({ result: await receive(ctx, 'SIMULATOR', input) }),
})

type Outcome = 'APPLIED' | 'DUPLICATE' | 'LATE' | 'MISMATCH' | 'UNKNOWN'
type Notice = {
  eventId: string
  outTradeNo: string
  tradeNo: string
  amount: number
  paidAt: string
  currency?: string | undefined
  merchant?: string | undefined
}
/** What a trade was booked for already; no order: the platform's suspense. */
type Trade = { order_id: number | null; amount: number }
const nobody = { orgId: platformOrg, orderId: null, orderNum: null }
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
async function receive(ctx: Ctx, provider: 'SIMULATOR', notice: Notice): Promise<Outcome> {
  // notices of one event, and of one trade, take turns: each sees what the one before it wrote
  // (events before trades, both before orders)
  ctx.later(sql`select pg_advisory_xact_lock(hashtextextended(${`event ${provider} ${notice.eventId}`}, 0)),
    pg_advisory_xact_lock(hashtextextended(${`trade ${provider} ${notice.tradeNo}`}, 0))`)
  const looked =
    sql<Found>`select p.id, p.org_id, p.device_id, p.order_id, p.order_at, p.order_num, p.amount,
      p.state, d.rtu_number
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
    where k.key = ${suspenseIn(tradeOf(provider, notice), notice.amount, nobody).key}`.execute(
    ctx.db,
  )
  const [{ rows: found }, { rows: told }, { rows: trades }] = await Promise.all([
    looked,
    heard,
    traded,
  ])
  const payment = found[0]
  if (told[0]?.same) return 'DUPLICATE'
  const [outcome, alarm] = told[0]
    ? contradiction('EVENT')
    : await take(ctx, provider, notice, payment, trades[0])
  // before the event: the notice that pays it holds the payment when it writes the same event
  if (payment && outcome !== 'APPLIED')
    ctx.later(sql`select 1 from payments where id = ${payment.id} for key share`)
  ctx.later(sql`insert into payment_events (org_id, payment_id, provider, event_id, kind, raw,
    outcome, created_at)
    values (${payment?.org_id ?? null}, ${payment?.id ?? null}, ${provider}, ${notice.eventId},
      'PAID', ${JSON.stringify(notice)}::jsonb, ${outcome}, ${ctx.now})
    on conflict (provider, event_id) do nothing`)
  if (alarm) await tell(ctx, alarm, notice, payment)
  return outcome
}

const contradiction = (why: string): [Outcome, Alarm] => [
  'MISMATCH',
  { kind: 'PAYMENT_MISMATCH', why },
]

async function take(
  ctx: Ctx,
  provider: 'SIMULATOR',
  notice: Notice,
  payment: Found | undefined,
  trade: Trade | undefined,
): Promise<[Outcome, Alarm?]> {
  // money of another currency, or on the account of somebody else, is not in our books
  if (notice.currency !== undefined && notice.currency !== 'CNY') return contradiction('CURRENCY')
  if (notice.merchant !== undefined && notice.merchant !== provider)
    return contradiction('MERCHANT')
  // one trade is one sum for one order, or in suspense until a person has looked
  if (trade && (trade.order_id !== (payment?.order_id ?? null) || trade.amount !== notice.amount))
    return contradiction('TRADE')
  if (!payment) {
    if (!trade) await openLost(ctx, { provider, orgId: platformOrg }, notice)
    return ['UNKNOWN', { kind: 'PAYMENT_UNKNOWN', why: 'ORDER' }]
  }
  if (trade) return ['DUPLICATE']
  // orders are locked before payments, everywhere
  const outcome = await applyPayment(ctx, payment, { orderPaid: payment.amount === notice.amount })
  if (outcome === 'MISMATCH' || outcome === 'DUPLICATE') {
    const stray = await addStray(ctx, provider, notice, payment)
    if (outcome === 'MISMATCH') {
      if (stray) await openCase(ctx, stray, 'UNMATCHED_PAYMENT')
      return contradiction('AMOUNT')
    }
    if (stray) await openPaymentRefund(ctx, stray, 'DUPLICATE_PAYMENT')
    return ['DUPLICATE', { kind: 'PAYMENT_DOUBLE', why: 'TWICE' }]
  }
  await book(ctx, notice, payment, outcome)
  return outcome === 'LATE'
    ? ['LATE', { kind: 'PAYMENT_LATE', why: 'CLOSED', subject: payment.rtu_number }]
    : isFarOff(notice.paidAt, ctx.now)
      ? ['APPLIED', { kind: 'PAYMENT_CLOCK', why: 'CLOCK' }]
      : ['APPLIED']
}

/** A channel tells within days; its clock and ours do not differ by an hour. */
const isFarOff = (told: string, now: Date): boolean => {
  const ahead = Date.parse(told) - now.getTime()
  return ahead > 3_600_000 || ahead < -7 * 86_400_000
}

async function book(
  ctx: Ctx,
  notice: Notice,
  payment: Found,
  outcome: 'APPLIED' | 'LATE',
): Promise<void> {
  const feeAmount = outcome === 'APPLIED' ? feeOf(payment.amount, simulatorFee) : 0
  ctx.later(
    sql`update payments set state = 'SUCCESS', applied = ${outcome === 'APPLIED'},
      provider_trade_no = ${notice.tradeNo}, fee_amount = ${feeAmount}, paid_at = ${ctx.now}
      where id = ${payment.id}`,
  )
  const of = { orgId: payment.org_id, orderId: payment.order_id, orderNum: payment.order_num }
  if (outcome === 'APPLIED')
    return post(ctx, [orderIn(payment.id, payment.amount, of), fee(payment.id, feeAmount, of)])
  // money back in full: the channel charges nothing for what it takes back at once
  post(ctx, [suspenseIn(payment.id, payment.amount, of)])
  await openPaymentRefund(ctx, payment, 'LATE_PAYMENT')
}

/**
 * Money beside the payment it names: a payment of its own that pays nothing, in suspense. Null:
 * nothing arrived.
 */
async function addStray(
  ctx: Ctx,
  provider: 'SIMULATOR',
  notice: Notice,
  payment: Found,
): Promise<Found | null> {
  if (notice.amount === 0) return null
  const { rows } = await sql<{
    id: number
  }>`insert into payments (org_id, device_id, order_id, order_at, order_num, out_trade_no, provider,
    provider_trade_no, amount, state, paid_at, created_at)
    values (${payment.org_id}, ${payment.device_id}, ${payment.order_id}, ${payment.order_at},
      ${payment.order_num}, ${`${notice.outTradeNo}~${notice.tradeNo}`},
      ${provider}, ${notice.tradeNo}, ${notice.amount}, 'SUCCESS', ${ctx.now}, ${ctx.now})
      returning id`.execute(ctx.db)
  const { id } = rows[0] as { id: number }
  const of = { orgId: payment.org_id, orderId: payment.order_id, orderNum: payment.order_num }
  post(ctx, [suspenseIn(id, notice.amount, of)])
  return { ...payment, id, amount: notice.amount }
}

function tell(ctx: Ctx, alarm: Alarm, notice: Notice, payment: Found | undefined): Promise<void> {
  return raiseSecurity(ctx, {
    orgId: payment?.org_id ?? platformOrg,
    kind: alarm.kind,
    subject: alarm.subject ?? payment?.order_num ?? notice.outTradeNo,
    ...(payment ? { deviceId: payment.device_id } : {}),
    detail: {
      why: alarm.why,
      outTradeNo: notice.outTradeNo,
      tradeNo: notice.tradeNo,
      amount: notice.amount,
      paidAt: notice.paidAt,
      ...(payment ? { expected: payment.amount, orderNum: payment.order_num } : {}),
      ...(notice.currency ? { currency: notice.currency } : {}),
      ...(notice.merchant ? { merchant: notice.merchant } : {}),
    },
  })
}

export const handlers: Handlers<typeof payments> = { simulatorNotify }
