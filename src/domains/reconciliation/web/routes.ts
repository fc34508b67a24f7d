import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('reconciliation', () => import('../locale.ts'), {
  '/finance/billing-details/reconciliation': () => import('./RunList.tsx').then((m) => m.RunList),
  '/finance/billing-details/reconciliation/differences': () =>
    import('./DifferenceList.tsx').then((m) => m.DifferenceList),
})
