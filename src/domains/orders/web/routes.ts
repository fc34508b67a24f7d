import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('orders', () => import('../locale.ts'), {
  '/order/order-list': () => import('./OrderList.tsx').then((m) => m.OrderList),
  '/order/order-details/:orderNum': () => import('./OrderDetail.tsx').then((m) => m.OrderDetail),
})
