import { z } from 'zod'
import { write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'

export const paymentErrors = defineErrors('payments', {
  badSignature: [403010, '签名校验失败', 'The signature is wrong'],
})

/**
 * The simulator is a payment provider like any other: it tells by a signed notification that money
 * arrived. sign = HMAC-SHA256 hex over `eventId|outTradeNo|tradeNo|amount|paidAt` with SIM_PAY_KEY,
 * and `|currency|merchant` when one of the two is given.
 */
export const payments = {
  simulatorNotify: write('open', {
    path: '/pay/simulator/notify',
    summary: 'Notification of the simulated payment provider',
    audit: { none: 'payment_events keeps every notification' },
    scope: 'system',
    urgent: true,
    errors: [paymentErrors.badSignature],
    input: z.strictObject({
      eventId: z.string().min(1).max(64),
      outTradeNo: z.string().min(1).max(64),
      tradeNo: z.string().min(1).max(64),
      amount: f.fen,
      paidAt: f.instant,
      /** CNY and our own account unless said otherwise. */
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/)
        .optional(),
      merchant: z.string().min(1).max(40).optional(),
      sign: z.string().regex(/^[0-9a-f]{64}$/),
    }),
    output: z.strictObject({
      result: z.enum(['APPLIED', 'DUPLICATE', 'LATE', 'MISMATCH', 'UNKNOWN']),
    }),
  }),
}
