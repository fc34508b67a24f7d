import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('billing', () => import('../locale.ts'), {
  '/finance/billing-details': () => import('./BillList.tsx').then((m) => m.BillList),
  '/finance/billing-details/balance': () => import('./Balance.tsx').then((m) => m.Balance),
  '/finance/billing-details/ledger': () => import('./LedgerList.tsx').then((m) => m.LedgerList),
  '/finance/billing-details/adjustments': () =>
    import('./AdjustmentList.tsx').then((m) => m.AdjustmentList),
})
