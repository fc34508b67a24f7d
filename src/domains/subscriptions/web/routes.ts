import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('subscriptions', () => import('../locale.ts'), {
  '/subscriptions': () => import('./SubscriptionList.tsx').then((m) => m.SubscriptionList),
})
