import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('security', () => import('../locale.ts'), {
  '/log/security-events': () => import('./SecurityList.tsx').then((m) => m.SecurityList),
})
