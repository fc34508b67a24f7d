import { domainRoutes } from '../../../web/routes.ts'

export const complaintRoutes = domainRoutes('complaints', () => import('../locale.ts'), {
  '/complaint/feedback': () => import('./ComplaintList.tsx').then((m) => m.ComplaintList),
})
