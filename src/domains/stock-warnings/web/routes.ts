import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('stockWarnings', () => import('../locale.ts'), {
  '/stock/cordon_stock': () => import('./StockWarningList.tsx').then((m) => m.StockWarningList),
})
