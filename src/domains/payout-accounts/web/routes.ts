import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('payoutAccounts', () => import('../locale.ts'), {
  '/finance/billing-details/payout-accounts': () =>
    import('./AccountList.tsx').then((m) => m.AccountList),
})
