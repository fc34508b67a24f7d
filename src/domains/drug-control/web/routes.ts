import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('drugControl', () => import('../locale.ts'), {
  '/stock/drug-control': () => import('./LockList.tsx').then((m) => m.LockList),
  '/stock/drug-control/temperature': () =>
    import('./TemperatureList.tsx').then((m) => m.TemperatureList),
  '/stock/drug-control/refusals': () => import('./RefusalList.tsx').then((m) => m.RefusalList),
})
