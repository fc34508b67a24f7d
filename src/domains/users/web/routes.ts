import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('users', () => import('../locale.ts'), {
  '/organ/organ-user': () => import('./UserList.tsx').then((m) => m.UserList),
  '/system/forgetpwd': () => import('./ResetList.tsx').then((m) => m.ResetList),
})
