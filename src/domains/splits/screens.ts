import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

const parent = '/finance/sub-ledger-list'
export const screens = defineScreens([
  {
    path: '/finance/billing-details/timeline',
    title: bi('结算时间线', 'Settlement timeline'),
    permission: 'settlement:read',
    parent: '/finance/billing-details',
  },
  {
    path: '/finance/sub-ledger-list/orders',
    title: bi('分账单', 'Split orders'),
    permission: 'split:read',
    parent,
  },
  {
    path: '/finance/sub-ledger-list/debts',
    title: bi('分账欠款', 'Debts of parties'),
    permission: 'split:read',
    parent,
  },
])
