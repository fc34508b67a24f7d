import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('alerts', () => import('../locale.ts'), {
  '/device/alerts': () => import('./AlertList.tsx').then((m) => m.AlertList),
  '/device/alert-rules': () => import('./AlertRules.tsx').then((m) => m.AlertRules),
})
