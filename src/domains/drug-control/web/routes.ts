import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('drugControl', () => import('../locale.ts'), {
  '/stock/drug-control': () => import('./LockList.tsx').then((m) => m.LockList),
})
