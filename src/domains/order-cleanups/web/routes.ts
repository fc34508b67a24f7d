import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('orderCleanups', () => import('../locale.ts'), {
  '/order/order-clean': () => import('./OrderCleanups.tsx').then((m) => m.OrderCleanups),
})
