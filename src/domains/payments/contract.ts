import { z } from 'zod'
import { write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { deviceSplitErrors } from '../device-splits/rules.ts'

export const paymentErrors = defineErrors('payments', {
  badSignature: [403020, '签名校验失败', 'The signature is wrong'],
  notPayable: [409090, '订单已支付或已关闭', 'The order is paid or closed already'],
  channelDown: [
    503005,
    '支付通道暂不可用，请稍后再试',
    'The payment channel does not answer, try again later',
  ],
})

const configId = f.id

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
  prepay: write('open', {
    path: '/mobile/orders/{orderNum}/pay',
    summary: 'What the buyer pays with: a code to show, or the parameters of a page of WeChat',
    audit: { none: 'the payment of the order keeps it' },
    scope: 'system',
    errors: [paymentErrors.notPayable, paymentErrors.channelDown, deviceSplitErrors.tradePaused],
    input: z.strictObject({
      orderNum: z.string().regex(/^\d{20}$/),
      /** Of the phone that ordered; nobody else pays with this order's code. */
      clientId: z.uuid().toLowerCase(),
      /** Another way than the order's, both of which can be paid until one is. */
      payType: z.enum(['WECHAT', 'ALIPAY']).optional(),
      /** Inside WeChat: who pays. */
      openid: z
        .string()
        .regex(/^[\w-]{1,128}$/)
        .optional(),
    }),
    output: z.strictObject({
      provider: z.enum(['SIMULATOR', 'WECHAT', 'ALIPAY']),
      outTradeNo: z.string(),
      codeUrl: z.string().nullable(),
      params: z.record(z.string(), z.string()).nullable(),
    }),
  }),
  wechatNotify: write('open', {
    path: '/pay/wechat/notify/{configId}',
    summary: 'Notification of WeChat Pay (API v3) to a merchant',
    audit: { none: 'payment_events keeps every notification' },
    scope: 'system',
    urgent: true,
    signed: true,
    errors: [paymentErrors.badSignature],
    input: z.strictObject({ configId }),
    output: z.strictObject({}),
  }),
  alipayNotify: write('open', {
    path: '/pay/alipay/notify/{configId}',
    summary: 'Notification of Alipay to a merchant',
    audit: { none: 'payment_events keeps every notification' },
    scope: 'system',
    urgent: true,
    signed: true,
    errors: [paymentErrors.badSignature],
    input: z.strictObject({ configId }),
    /** Seven letters; whatever else is answered is asked for again. */
    output: z.literal('success'),
  }),
}
