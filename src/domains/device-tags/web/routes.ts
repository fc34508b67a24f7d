import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('deviceTags', () => import('../locale.ts'), {
  '/device/device-tags': () => import('./DeviceTagList.tsx').then((m) => m.DeviceTagList),
})
