import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('batches', () => import('../locale.ts'), {
  '/product/supplier-batch/batches': () => import('./BatchList.tsx').then((m) => m.BatchList),
})
