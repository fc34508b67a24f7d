import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/finance/invoice-enterprise',
    title: bi('企业发票', 'Enterprise invoices'),
    permission: 'invoice:read',
  },
  {
    path: '/finance/invoice-enterprise/titles',
    title: bi('抬头管理', 'Invoice titles'),
    permission: 'invoice:read',
    parent: '/finance/invoice-enterprise',
  },
])
