import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('dataReports', () => import('../locale.ts'), {
  '/data/sales-report': () => import('./SalesReport.tsx').then((m) => m.SalesReport),
  '/data/products-report': () => import('./ProductsReport.tsx').then((m) => m.ProductsReport),
  '/data/offline-equipment': () => import('./Equipment.tsx').then((m) => m.Equipment),
  '/data/financial-data': () => import('./FinancialData.tsx').then((m) => m.FinancialData),
  '/data/financial-data/differences': () =>
    import('./FinancialDifferences.tsx').then((m) => m.FinancialDifferences),
  '/data/inventory-report': () => import('./InventoryReport.tsx').then((m) => m.InventoryReport),
  '/data/user-data': () => import('./UserData.tsx').then((m) => m.UserData),
  '/best-selling-products': () => import('./BestSellers.tsx').then((m) => m.BestSellers),
  '/offline-equipment': () => import('./OfflineEquipment.tsx').then((m) => m.OfflineEquipment),
  '/online-platform': () => import('./OnlinePlatform.tsx').then((m) => m.OnlinePlatform),
  '/data/best-selling-products': () => import('./BestSellers.tsx').then((m) => m.BestSellers),
})
