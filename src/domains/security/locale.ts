import { defineLocale } from '../../shared/locale.ts'

export const locale = defineLocale(
  {
    told: '安全事件：{what}（{subject}）',
    enums: {
      kind: {
        PAYMENT_MISMATCH: '支付通知与订单不符',
        PAYMENT_FORGED: '支付通知签名无效',
        MACHINE_CONTRADICTION: '设备消息自相矛盾',
        SIGN_IN_PRESSURE: '账号正被反复试探登录',
      },
    },
  },
  {
    told: 'Security event: {what} ({subject})',
    enums: {
      kind: {
        PAYMENT_MISMATCH: 'Payment does not fit its order',
        PAYMENT_FORGED: 'Payment notice with a wrong signature',
        MACHINE_CONTRADICTION: 'Contradictory messages of a machine',
        SIGN_IN_PRESSURE: 'Somebody keeps guessing the password of an account',
      },
    },
  },
)
