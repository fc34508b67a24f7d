import type { Provider, Providers } from '../../orders/server/refunds.ts'

/** Drivers of real channels stand beside the simulator. */
const notConnected: Provider = {
  refund: async () => ({ state: 'RETRY', reason: 'provider is not connected' }),
}

/** The simulated channel takes every refund at once. */
export const providers: Providers = {
  SIMULATOR: {
    refund: async ({ refundNo }) => ({ state: 'SUCCESS', providerRefundNo: `SIM${refundNo}` }),
  },
  WECHAT: notConnected,
  ALIPAY: notConnected,
}
