import { domainRoutes } from '../../../web/routes.ts'

export const stockRoutes = domainRoutes('stock', () => import('../locale.ts'), {
  '/stock/waste': () => import('./FlowList.tsx').then((m) => m.FlowList),
})
