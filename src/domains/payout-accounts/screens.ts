import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/finance/billing-details/payout-accounts',
    title: bi('收款账户', 'Payout accounts'),
    permission: 'payout-account:read',
    parent: '/finance/billing-details',
  },
])
