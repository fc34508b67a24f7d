import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('session', () => import('../locale.ts'), {
  '/info': () => import('./Info.tsx').then((m) => m.Info),
  '/pwd': () => import('./Pwd.tsx').then((m) => m.Pwd),
  '/bindOpenId': () => import('./BindOpenId.tsx').then((m) => m.BindOpenId),
})
