import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('lanes', () => import('../locale.ts'), {
  '/device/device-list/cargo-road/:id': () => import('./CargoRoad.tsx').then((m) => m.CargoRoad),
})
