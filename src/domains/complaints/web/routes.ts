import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('complaints', () => import('../locale.ts'), {
  '/complaint/feedback': () => import('./ComplaintList.tsx').then((m) => m.ComplaintList),
})
