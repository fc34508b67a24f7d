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
        MACHINE_BOOT_JUMP: '设备启动计数异常跳变，消息未被采纳',
        MACHINE_FOREIGN_COMMAND: '设备答复了从未下发给它的指令',
        MACHINE_CLOCK: '设备时钟严重偏差',
        MACHINE_FLOOD: '设备消息洪泛，连接已断开',
        MACHINE_SECRET_GUESSED: '有人用错误的密钥冒充设备连接',
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
        MACHINE_BOOT_JUMP: 'Start counter of a machine jumped; its messages were not taken',
        MACHINE_FOREIGN_COMMAND: 'A machine answered a command it was never given',
        MACHINE_CLOCK: 'Clock of a machine is far off',
        MACHINE_FLOOD: 'A machine flooded the gateway and was cut off',
        MACHINE_SECRET_GUESSED: 'Somebody connects as a machine with a wrong secret',
      },
    },
  },
)
