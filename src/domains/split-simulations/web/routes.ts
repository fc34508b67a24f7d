import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('splitSimulations', () => import('../locale.ts'), {
  '/finance/sub-account/:id/simulate': () => import('./Simulate.tsx').then((m) => m.Simulate),
})
