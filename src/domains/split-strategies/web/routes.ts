import { domainRoutes } from '../../../web/routes.ts'

const form = () => import('./StrategyForm.tsx').then((m) => m.StrategyForm)
export const routes = domainRoutes('splitStrategies', () => import('../locale.ts'), {
  '/finance/sub-account': () => import('./StrategyList.tsx').then((m) => m.StrategyList),
  '/finance/sub-account/create': form,
  '/finance/sub-account/:id/edit': form,
})
