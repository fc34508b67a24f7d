import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  { path: '/order/order-list', title: bi('订单列表', 'Order list'), permission: 'order:read' },
  {
    path: '/order/order-details/:orderNum',
    title: bi('订单详情', 'Order'),
    permission: 'order:read',
    parent: '/order/order-list',
  },
])
