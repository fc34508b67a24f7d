import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

const parent = '/finance/billing-details'
export const screens = defineScreens([
  {
    path: '/finance/billing-details/reconciliation',
    title: bi('日对账', 'Reconciliation'),
    permission: 'recon:read',
    parent,
  },
  {
    path: '/finance/billing-details/reconciliation/differences',
    title: bi('对账差异', 'Differences'),
    permission: 'recon:read',
    parent,
  },
])
