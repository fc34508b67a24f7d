import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/finance/payment-list',
    title: bi('公司列表', 'Payment list'),
    permission: 'payment-config:read',
  },
])
