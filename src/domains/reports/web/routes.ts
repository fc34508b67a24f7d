import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('reports', () => import('../locale.ts'), {
  '/home': () => import('./Home.tsx').then((m) => m.Home),
})
