import { defineLocale } from '../../shared/locale.ts'

export const locale = defineLocale(
  { one: '收款商户', many: '支付通道', audit: { enter: '录入收款商户' } },
  { one: 'merchant', many: 'payment channels', audit: { enter: 'Entered a merchant' } },
)
