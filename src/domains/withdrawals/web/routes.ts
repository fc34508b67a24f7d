import { domainRoutes } from '../../../web/routes.ts'

export const routes = domainRoutes('withdrawals', () => import('../locale.ts'), {
  '/finance/billing-details/withdrawals': () =>
    import('./WithdrawalList.tsx').then((m) => m.WithdrawalList),
})
