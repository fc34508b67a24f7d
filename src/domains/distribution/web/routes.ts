import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('distribution', () => import('../locale.ts'), {
  '/device/device-distribution': () =>
    import('./DistributionList.tsx').then((m) => m.DistributionList),
  '/device/device-list/distribution/:id': () =>
    import('./DeviceDistribution.tsx').then((m) => m.DeviceDistribution),
})
