import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('expiry', () => import('../locale.ts'), {
  '/stock/prompt-expired-goods': () => import('./ExpiryList.tsx').then((m) => m.ExpiryList),
})
