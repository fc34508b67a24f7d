import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  { path: '/order/order-clean', title: bi('订单清理', 'Order clean'), permission: 'order:clean' },
])
