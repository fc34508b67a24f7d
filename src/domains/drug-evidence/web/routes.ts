import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('drugEvidence', () => import('../locale.ts'), {
  '/stock/drug-control/evidence': () => import('./PackList.tsx').then((m) => m.PackList),
})
