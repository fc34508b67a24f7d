import { domainRoutes } from '../../../web/routes.ts'

export const publicRoutes = domainRoutes('session', () => import('../locale.ts'), {
  '/login': () => import('./Login.tsx').then((m) => m.Login),
  '/404': () => import('./NotFound.tsx').then((m) => m.NotFound),
})
