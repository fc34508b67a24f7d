import { domainRoutes } from '../../../web/routes.ts'

const texts = () => import('../buyerLocale.ts').then(({ buyer }) => ({ locale: buyer }))

export const publicRoutes = domainRoutes('products', texts, {
  '/commodityimg': () => import('./Commodity.tsx').then((m) => m.Commodity),
})
