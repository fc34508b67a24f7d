import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('devices', () => import('../locale.ts'), {
  '/device/device-list': () => import('./list/DeviceList.tsx').then((m) => m.DeviceList),
  '/device/device-list/edit/:id': () => import('./form/DeviceEdit.tsx').then((m) => m.DeviceEdit),
  '/device/device-map': () => import('./map/FleetMap.tsx').then((m) => m.FleetMap),
  '/device/device-create': () => import('./form/DeviceCreate.tsx').then((m) => m.DeviceCreate),
})
