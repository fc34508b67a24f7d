import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('splitReceivers', () => import('../locale.ts'), {
  '/finance/sub-ledger-list/receivers': () =>
    import('./ReceiverList.tsx').then((m) => m.ReceiverList),
})
