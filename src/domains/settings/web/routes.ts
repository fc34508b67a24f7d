import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('settings', () => import('../locale.ts'), {
  '/system/organ-system': () => import('./SystemSettings.tsx').then((m) => m.SystemSettings),
  '/system/calendar': () => import('./Calendar.tsx').then((m) => m.Calendar),
  '/system/dictionary': () => import('./Dictionary.tsx').then((m) => m.Dictionary),
  '/system/server': () => import('./Server.tsx').then((m) => m.Server),
})
