import { domainRoutes } from '../../../web/routes.ts'

export const publicRoutes = domainRoutes('products', () => import('../locale.ts'), {
  '/commodityimg': () => import('./Commodity.tsx').then((m) => m.Commodity),
})
