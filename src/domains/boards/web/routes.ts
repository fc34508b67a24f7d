import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('boards', () => import('../locale.ts'), {
  '/device/main-board': () => import('./BoardList.tsx').then((m) => m.BoardList),
  '/device/unknown-boards': () => import('./UnknownList.tsx').then((m) => m.UnknownList),
})
