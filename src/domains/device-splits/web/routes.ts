import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('deviceSplits', () => import('../locale.ts'), {
  '/finance/sub-ledger-list': () => import('./DeviceSplitList.tsx').then((m) => m.DeviceSplitList),
})
