import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([
  {
    path: '/finance/billing-details',
    title: bi('账单明细', 'Billing details'),
    permission: 'billing:read',
  },
])
