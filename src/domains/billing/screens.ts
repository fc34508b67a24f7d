import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

const parent = '/finance/billing-details'
export const screens = defineScreens([
  {
    path: parent,
    title: bi('账单明细', 'Billing details'),
    permission: 'billing:read',
  },
  {
    path: '/finance/billing-details/balance',
    title: bi('资金账户', 'Balance'),
    permission: 'account:read',
    parent,
  },
  {
    path: '/finance/billing-details/ledger',
    title: bi('资金流水', 'Ledger'),
    permission: 'ledger:read',
    parent,
  },
  {
    path: '/finance/billing-details/adjustments',
    title: bi('调账单', 'Adjustments'),
    permission: 'ledger:read',
    parent,
  },
])
