import { domainRoutes } from '../../../web/routes.ts'

export const deviceRoutes = domainRoutes('devices', () => import('../locale.ts'), {
  '/device/device-list': () => import('./DeviceList.tsx').then((m) => m.DeviceList),
  '/device/device-list/edit/:id': () => import('./DeviceEdit.tsx').then((m) => m.DeviceEdit),
  '/device/device-map': () => import('./FleetMap.tsx').then((m) => m.FleetMap),
  '/device/device-create': () => import('./DeviceCreate.tsx').then((m) => m.DeviceCreate),
})
