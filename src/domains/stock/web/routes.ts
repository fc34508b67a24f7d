import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('stock', () => import('../locale.ts'), {
  '/stock/waste': () => import('./FlowList.tsx').then((m) => m.FlowList),
})
