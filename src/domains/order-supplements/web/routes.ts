import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('orderSupplements', () => import('../locale.ts'), {
  '/order/order-details': () => import('./OrderSupplements.tsx').then((m) => m.OrderSupplements),
})
