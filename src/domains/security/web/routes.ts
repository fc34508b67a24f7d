import { domainRoutes } from '../../../web/routes.ts'

export const securityRoutes = domainRoutes('security', () => import('../locale.ts'), {
  '/log/security-events': () => import('./SecurityList.tsx').then((m) => m.SecurityList),
})
