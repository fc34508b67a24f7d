import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('dataReports', () => import('../locale.ts'), {
  '/data/sales-report': () => import('./SalesReport.tsx').then((m) => m.SalesReport),
  '/data/products-report': () => import('./ProductsReport.tsx').then((m) => m.ProductsReport),
  '/data/best-selling-products': () => import('./BestSellers.tsx').then((m) => m.BestSellers),
})
