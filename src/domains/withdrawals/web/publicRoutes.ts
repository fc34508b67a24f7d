import { domainRoutes } from '../../../web/routes.ts'

export const publicRoutes = domainRoutes('withdrawals', () => import('../locale.ts'), {
  '/confirm-transfer': () => import('./ConfirmPage.tsx').then((m) => m.ConfirmPage),
})
