import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('programGroups', () => import('../locale.ts'), {
  '/market/market-program-group': () => import('./GroupList.tsx').then((m) => m.GroupList),
})
