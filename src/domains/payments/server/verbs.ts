import { createHmac, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import type { Ctx } from '../../../server/context.ts'
import { Refusal } from '../../../shared/errors.ts'
import { fee, feeOf, orderIn, suspenseIn } from '../../ledger/rules.ts'
import { post } from '../../ledger/server/post.ts'
import { applyPayment, openPaymentRefund } from '../../orders/server/verbs.ts'
import { paymentErrors, type payments } from '../contract.ts'

/** Fee of the simulated channel in basis points. */
const simulatorFee = 60

export const simulatorSign = (key: string, n: { eventId: string; outTradeNo: string; tradeNo: string; amount: number; paidAt: string }): string =>
  createHmac('sha256', key).update(`${n.eventId}|${n.outTradeNo}|${n.tradeNo}|${n.amount}|${n.paidAt}`).digest('hex')

const simulatorNotify: Handlers<typeof payments>['simulatorNotify'] = async (ctx, input) => {
  const right = Buffer.from(simulatorSign(ctx.app.config.simPayKey, input), 'hex')
  if (!timingSafeEqual(right, Buffer.from(input.sign, 'hex'))) throw new Refusal(paymentErrors.badSignature)
  return { result: await receive(ctx, 'SIMULATOR', input) }
}

type Notice = { eventId: string; outTradeNo: string; tradeNo: string; amount: number }
type Found = { id: number; org_id: number; device_id: number; order_id: number; order_at: Date; order_num: string; amount: number; state: string }

/** One notification: stored once, applied at most once. Money that no open order expects goes to suspense and back. */
async function receive(ctx: Ctx, provider: 'SIMULATOR', notice: Notice): Promise<'APPLIED' | 'DUPLICATE' | 'LATE' | 'MISMATCH' | 'UNKNOWN'> {
  const lookup =
    await sql<Found>`select id, org_id, device_id, order_id, order_at, order_num, amount, state from payments where out_trade_no = ${notice.outTradeNo}`.execute(
      ctx.db,
    )
  const payment = lookup.rows[0]
  // orders are locked before payments, everywhere
  const outcome = payment ? await applyPayment(ctx, payment, { orderPaid: payment.amount === notice.amount }) : 'UNKNOWN'
  const { rows: stored } = await sql<{ id: number }>`insert into payment_events (org_id, payment_id, provider, event_id, kind, raw, outcome, created_at)
    values (${payment?.org_id ?? null}, ${payment?.id ?? null}, ${provider}, ${notice.eventId}, 'PAID', ${JSON.stringify(notice)}::jsonb, ${outcome}, ${ctx.now})
    on conflict (provider, event_id) do nothing returning id`.execute(ctx.db)
  if (!payment || !stored[0] || outcome === 'MISMATCH' || outcome === 'DUPLICATE') return stored[0] ? outcome : 'DUPLICATE'
  const feeAmount = feeOf(payment.amount, simulatorFee)
  await sql`update payments set state = 'SUCCESS', applied = ${outcome === 'APPLIED'}, provider_trade_no = ${notice.tradeNo}, fee_amount = ${feeAmount}, paid_at = ${ctx.now} where id = ${payment.id}`.execute(
    ctx.db,
  )
  const of = { orgId: payment.org_id, orderId: payment.order_id, orderNum: payment.order_num }
  if (outcome === 'APPLIED') await post(ctx, [orderIn(payment.id, payment.amount, of), fee(payment.id, feeAmount, of)])
  else {
    // money back in full: the channel charges nothing for what it takes back at once
    await sql`update payments set fee_amount = 0 where id = ${payment.id}`.execute(ctx.db)
    await post(ctx, [suspenseIn(payment.id, payment.amount, of)])
    await openPaymentRefund(ctx, payment)
  }
  return outcome
}

export const handlers: Handlers<typeof payments> = { simulatorNotify }
