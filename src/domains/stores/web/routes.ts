import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('stores', () => import('../locale.ts'), {
  '/device/stores': () => import('./StoreList.tsx').then((m) => m.StoreList),
})
