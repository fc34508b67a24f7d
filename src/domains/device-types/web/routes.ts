import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('deviceTypes', () => import('../locale.ts'), {
  '/device/device-category': () => import('./TypeList.tsx').then((m) => m.TypeList),
})
