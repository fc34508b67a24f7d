import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('splits', () => import('../locale.ts'), {
  '/finance/billing-details/timeline': () => import('./Settlement.tsx').then((m) => m.Settlement),
  '/finance/sub-ledger-list/orders': () => import('./SplitList.tsx').then((m) => m.SplitList),
  '/finance/sub-ledger-list/debts': () => import('./DebtList.tsx').then((m) => m.DebtList),
})
