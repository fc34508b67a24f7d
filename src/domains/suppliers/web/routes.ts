import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('suppliers', () => import('../locale.ts'), {
  '/product/supplier-batch': () => import('./SupplierList.tsx').then((m) => m.SupplierList),
})
