import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('replenishment', () => import('../locale.ts'), {
  '/stock/replenish': () => import('./Replenish.tsx').then((m) => m.Replenish),
})
