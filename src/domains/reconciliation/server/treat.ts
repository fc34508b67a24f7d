import { sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { rowOf } from '../../../server/rows.ts'
import { clock } from '../../../server/work.ts'
import { Refusal } from '../../../shared/errors.ts'
import { balanceFixed } from '../../ledger/rules.ts'
import { post } from '../../ledger/server/post.ts'
import { openPaymentRefund } from '../../orders/server/verbs.ts'
import { type Account, billsName, ofAccount } from '../../payments/server/bills.ts'
import { fixFee } from '../../payments/server/fees.ts'
import { paidAfterAll } from '../../splits/server/send.ts'
import { reconciliationErrors as errors } from '../contract.ts'
import {
  booksItself,
  type DifferenceKind,
  shareOf,
  type Treatment,
  treatmentsOf,
} from '../rules.ts'

/**
 * What a treatment does, in the transaction that closes its difference: once, however often it is
 * pressed, since the difference is held and its voucher and its refund have one number.
 */
export type Treated = {
  id: number
  orgId: number
  day: string
  part: string
  provider: string
  configId: number | null
  kind: DifferenceKind
  subject: string
  localAmount: number
  otherAmount: number
}
const accountOf = ({ provider, configId, orgId }: Treated): Account => ({
  provider: provider as Account['provider'],
  configId,
  orgId,
})

/** Refuses what is not handled that way, or by this person. */
export function checkTreatment(
  ctx: Ctx,
  { kind, part }: Treated,
  treatment: Treatment | null,
): void {
  if (treatment && !treatmentsOf(kind, part).includes(treatment)) throw new Refusal(errors.notSuch)
  if (booksItself(kind, treatment) && !ctx.actor.ofPlatform) throw new Refusal(errors.needsPlatform)
}

/** Does it; what is kept of it with the difference. */
export async function treat(
  ctx: Ctx,
  difference: Treated,
  treatment: Treatment | null,
): Promise<{ voucher_key?: string }> {
  checkTreatment(ctx, difference, treatment)
  if (treatment === 'SUPPLEMENTED') return supplemented(ctx, difference)
  if (treatment === 'REFUNDED') return refunded(ctx, difference)
  if (!booksItself(difference.kind, treatment)) return {}
  const key = await (difference.part === 'SPLIT'
    ? correctShare(ctx, difference)
    : difference.kind === 'FEE'
      ? fee(ctx, difference)
      : correct(ctx, difference))
  await compareAgain(ctx, difference)
  return { voucher_key: key }
}

type Stray = Parameters<typeof openPaymentRefund>[1] & {
  applied: boolean
  refunded: number
  refundState: string | null
}
/** The payment of a line of the bill, held. */
const paymentOf = (ctx: Ctx, difference: Treated) =>
  rowOf<Stray>(ctx.db)`select p.id, p.org_id, p.device_id, p.order_id, p.order_at, p.order_num,
      p.amount, p.applied, p.refunded_amount as refunded,
      (select r.state from refunds r where r.payment_id = p.id and r.kind = 'PAYMENT')
        as "refundState"
    from payments p where ${ofAccount('p', accountOf(difference))} and p.state = 'SUCCESS'
      and p.provider_trade_no = ${difference.subject} for no key update of p`

async function supplemented(ctx: Ctx, difference: Treated): Promise<object> {
  const payment = await paymentOf(ctx, difference)
  if (!payment?.applied) throw new Refusal(errors.noOrderYet)
  return {}
}

/** Money in suspense goes back as it came; what goes back already stays one refund. */
async function refunded(ctx: Ctx, difference: Treated): Promise<object> {
  const payment = await paymentOf(ctx, difference)
  if (!payment) throw new Refusal(errors.notInBooks)
  if (payment.applied) throw new Refusal(errors.notInSuspense)
  if (payment.refundState === 'FAILED') {
    await sql`update refunds set state = 'PROCESSING', attempts = 0, waited = 0,
        next_at = ${ctx.now}, requested_by = ${ctx.actor.userId}
      where payment_id = ${payment.id} and kind = 'PAYMENT' and state = 'FAILED'`.execute(ctx.db)
  } else if (payment.refundState === null) {
    const twice = difference.kind === 'DUPLICATE'
    await openPaymentRefund(ctx, payment, twice ? 'DUPLICATE_PAYMENT' : 'UNMATCHED_PAYMENT')
  }
  await sql`update order_cases set state = 'HANDLING', handled_by = ${ctx.actor.userId}
    where payment_id = ${payment.id} and state = 'OPEN'`.execute(ctx.db)
  return {}
}

/** V2 becomes what the bill says. */
async function fee(ctx: Ctx, difference: Treated): Promise<string> {
  const { day, subject: tradeNo, otherAmount } = difference
  const line = { tradeNo, fee: otherAmount }
  if (!(await fixFee(ctx, accountOf(difference), day, line))) throw new Refusal(errors.tooLittle)
  return `fee:${tradeNo}`
}

/**
 * Channel money becomes what the channel says, against money that waits for somebody to find out
 * whose it is: of the day of the bill, booked now.
 */
async function correct(ctx: Ctx, difference: Treated): Promise<string> {
  const { day, kind, subject, localAmount, otherAmount } = difference
  const gap = otherAmount - localAmount
  const isRefund = await rowOf(ctx.db)`select 1 from payment_bills l
    where ${ofAccount('l', accountOf(difference))} and l.kind = 'REFUND' and l.day = ${day}
      and (l.refund_no = ${subject} or l.trade_no = ${subject})
    union all select 1 from refunds r join payments p on p.id = r.payment_id
    where r.refund_no = ${subject} and ${ofAccount('p', accountOf(difference))}`
  if (kind === 'CHANNEL_ONLY' && !isRefund && (await paymentOf(ctx, difference)))
    throw new Refusal(errors.inSuspense)
  return book(ctx, difference, isRefund ? -gap : gap)
}

/** A share that a bill has and our books refused was paid (V4); whatever else waits in suspense. */
async function correctShare(ctx: Ctx, difference: Treated): Promise<string> {
  const { kind, day, subject, localAmount, otherAmount } = difference
  const share = shareOf(subject)
  if (kind === 'STATUS' && share.partyNo !== null && otherAmount > 0) {
    const key = await paidAfterAll(ctx, share, { amount: otherAmount, day })
    if (key) return key
  }
  const gap = otherAmount - localAmount
  return book(ctx, difference, share.isReturn ? gap : -gap)
}

async function book(ctx: Ctx, difference: Treated, amount: number): Promise<string> {
  const { id, day, configId, orgId } = difference
  const voucher = balanceFixed({ differenceId: id, day }, amount, {
    ...{ orgId, orderId: null, orderNum: null, configId },
  })
  if (await rowOf(ctx.db)`select 1 from ledger_voucher_keys where key = ${voucher.key}`)
    throw new Refusal(errors.correctedAlready)
  post(ctx, [voucher])
  return voucher.key
}

/** The bill is compared once more when somebody has time: other differences of it may be mended. */
export async function compareAgain(
  ctx: Ctx,
  { day, provider, configId, orgId }: Treated,
): Promise<void> {
  await sql`update payment_bill_days d set state = 'KEPT', next_at = ${clock(ctx.app)}, attempts = 0
    where ${ofAccount('d', { provider, configId, orgId } as Account)} and d.day = ${day}
      and d.state = 'DONE' and d.fetched_at is not null`.execute(ctx.db)
  ctx.afterCommit(() => ctx.app.jobs.poke(billsName))
}
