import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('paymentConfigs', () => import('../locale.ts'), {
  '/finance/payment-list': () => import('./PaymentList.tsx').then((m) => m.PaymentList),
})
