import { defineLocale } from '../../shared/locale.ts'

export const locale = defineLocale(
  {
    one: '收款商户',
    many: '支付通道',
    enums: {
      provider: {
        SIMULATOR: '模拟支付',
        WECHAT: '微信支付',
        ALIPAY: '支付宝',
        AGGREGATOR: '聚合支付',
      },
    },
    audit: { enter: '录入收款商户' },
  },
  {
    one: 'merchant',
    many: 'payment channels',
    enums: {
      provider: {
        SIMULATOR: 'Simulator',
        WECHAT: 'WeChat Pay',
        ALIPAY: 'Alipay',
        AGGREGATOR: 'Aggregator',
      },
    },
    audit: { enter: 'Entered a merchant' },
  },
)
