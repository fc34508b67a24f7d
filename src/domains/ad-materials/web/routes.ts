import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('adMaterials', () => import('../locale.ts'), {
  '/market/market-manage': () => import('./MaterialList.tsx').then((m) => m.MaterialList),
  '/market/market-manage/creatives': () => import('./CreativeList.tsx').then((m) => m.CreativeList),
})
