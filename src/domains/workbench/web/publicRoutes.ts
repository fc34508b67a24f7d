import { domainRoutes } from '../../../web/routes.ts'

export const publicRoutes = domainRoutes('workbench', () => import('../locale.ts'), {
  '/screen': () => import('./ScreenPage.tsx').then((m) => m.ScreenPage),
})
