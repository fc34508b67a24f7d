import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('dataReports', () => import('../locale.ts'), {
  '/data/sales-report': () => import('./SalesReport.tsx').then((m) => m.SalesReport),
  '/data/products-report': () => import('./ProductsReport.tsx').then((m) => m.ProductsReport),
  '/data/offline-equipment': () => import('./Equipment.tsx').then((m) => m.Equipment),
  '/best-selling-products': () => import('./BestSellers.tsx').then((m) => m.BestSellers),
  '/offline-equipment': () => import('./OfflineEquipment.tsx').then((m) => m.OfflineEquipment),
  '/online-platform': () => import('./OnlinePlatform.tsx').then((m) => m.OnlinePlatform),
  '/data/best-selling-products': () => import('./BestSellers.tsx').then((m) => m.BestSellers),
})
