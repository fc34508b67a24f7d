import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('batches', () => import('../locale.ts'), {
  '/stock/drug-control/recalls': () => import('./RecallList.tsx').then((m) => m.RecallList),
  '/stock/drug-control/codes': () => import('./CodeList.tsx').then((m) => m.CodeList),
  '/product/supplier-batch/batches': () => import('./BatchList.tsx').then((m) => m.BatchList),
})
