import { domainRoutes } from '../../../web/routes.ts'

export const publicRoutes = domainRoutes('referrers', () => import('../locale.ts'), {
  '/bind-referrer': () => import('./BindPage.tsx').then((m) => m.BindPage),
})
