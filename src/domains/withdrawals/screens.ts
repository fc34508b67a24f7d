import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/finance/billing-details/withdrawals',
    title: bi('提现', 'Withdrawals'),
    permission: 'withdrawal:read',
    parent: '/finance/billing-details',
  },
])
