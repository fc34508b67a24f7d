import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('invoices', () => import('../locale.ts'), {
  '/finance/invoice-enterprise': () => import('./InvoiceList.tsx').then((m) => m.InvoiceList),
  '/finance/invoice-enterprise/titles': () => import('./TitleList.tsx').then((m) => m.TitleList),
})
