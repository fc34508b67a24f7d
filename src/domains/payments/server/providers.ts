import type { App } from '../../../server/context.ts'
import type { Provider, Providers } from '../../orders/server/refunds.ts'
import { type RefundAnswer, retry } from '../../payment-channels/server/channels.ts'
import { connectedTo } from '../../payment-channels/server/configs.ts'
import { backsOf } from '../../splits/server/returns.ts'

/** What the simulated channel answers next, by refund number; at the end it takes the refund. */
export const simulatorFaults = new Map<string, RefundAnswer[]>()

/** Who gives money back: the simulator at once, a channel as the merchant that was paid. */
export const providers = (app: App): Providers => {
  const channel: Provider = {
    async refund(request) {
      const connected = request.configId === null ? null : await connectedTo(app, request.configId)
      if (request.configId === null) return retry('merchant is not known')
      // its keys are new and not verified: asked again, which is no try
      if (!connected) return { state: 'PROCESSING' }
      // Alipay takes shares back with the refund, WeChat by a question of its own
      const isAlipay = connected.merchant.provider === 'ALIPAY'
      const backs = isAlipay ? await backsOf(app, request.refundNo) : []
      return connected.channel.refund({ ...request, backs })
    },
  }
  return {
    SIMULATOR: {
      refund: async ({ refundNo }) =>
        simulatorFaults.get(refundNo)?.shift() ?? {
          state: 'SUCCESS',
          providerRefundNo: `SIM${refundNo}`,
        },
    },
    WECHAT: channel,
    ALIPAY: channel,
  }
}
