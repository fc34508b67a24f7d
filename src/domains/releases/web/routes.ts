import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('releases', () => import('../locale.ts'), {
  '/apk/apk-manage': () => import('./VersionList.tsx').then((m) => m.ApkVersions),
  '/firmware/firmware-manage': () => import('./VersionList.tsx').then((m) => m.FirmwareVersions),
  '/apk/apk-history': () => import('./RolloutList.tsx').then((m) => m.ApkHistory),
  '/firmware/firmware-history': () => import('./RolloutList.tsx').then((m) => m.FirmwareHistory),
})
