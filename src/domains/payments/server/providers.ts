/** What every payment provider can do for us; drivers of real channels stand beside the simulator. */
export type RefundAnswer =
  | { state: 'SUCCESS'; providerRefundNo: string }
  /** Taken, result comes later; asked again with the same number. */
  | { state: 'PROCESSING' }
  | { state: 'RETRY'; reason: string }
  | { state: 'FAILED'; reason: string }

export type Provider = {
  /** Idempotent by `refundNo`: a repeat answers what the first call did. Amounts in fen. */
  refund(request: { refundNo: string; outTradeNo: string; amount: number; total: number }): Promise<RefundAnswer>
}
export type Providers = Record<'SIMULATOR' | 'WECHAT' | 'ALIPAY', Provider>

const notConnected: Provider = { refund: async () => ({ state: 'RETRY', reason: 'provider is not connected' }) }

/** The simulated channel takes every refund at once. */
export const providers: Providers = {
  SIMULATOR: { refund: async ({ refundNo }) => ({ state: 'SUCCESS', providerRefundNo: `SIM${refundNo}` }) },
  WECHAT: notConnected,
  ALIPAY: notConnected,
}
