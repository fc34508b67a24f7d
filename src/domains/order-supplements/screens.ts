import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/order/order-details',
    title: bi('一键补单', 'Order supplement'),
    permission: 'order:supplement',
  },
])
