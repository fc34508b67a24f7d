import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('audit', () => import('../locale.ts'), {
  '/log/operate-log': () => import('./LogList.tsx').then((m) => m.LogList),
  '/log/login-log': () => import('./LoginLog.tsx').then((m) => m.LoginLog),
  '/organ/online-users': () => import('./OnlineUsers.tsx').then((m) => m.OnlineUsers),
})
