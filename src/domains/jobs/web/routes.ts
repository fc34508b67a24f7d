import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('jobs', () => import('../locale.ts'), {
  '/downloads': () => import('./Downloads.tsx').then((m) => m.Downloads),
  '/system/job-console': () => import('./JobConsole.tsx').then((m) => m.JobConsole),
})
