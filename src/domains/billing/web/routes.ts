import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('billing', () => import('../locale.ts'), {
  '/finance/billing-details': () => import('./BillList.tsx').then((m) => m.BillList),
})
