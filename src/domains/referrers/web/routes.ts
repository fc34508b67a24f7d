import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('referrers', () => import('../locale.ts'), {
  '/finance/busManager': () => import('./ReferrerList.tsx').then((m) => m.ReferrerList),
  '/finance/busManager/create': () => import('./ReferrerPage.tsx').then((m) => m.ReferrerPage),
})
