import { useTranslation } from 'react-i18next'
import { registerLocale } from '../../../web/i18n.ts'
import type { View } from '../../../web/list/types.ts'
import { useTarget } from '../../../web/useTarget.ts'
import { locale } from '../locale.ts'

// tabs of other domains show these words without having loaded them
registerLocale('billing', locale)

/** Tabs in their order; each is a page of its own, that its reader may open or not. */
export const billingPaths = {
  bills: '/finance/billing-details',
  balance: '/finance/billing-details/balance',
  ledger: '/finance/billing-details/ledger',
  timeline: '/finance/billing-details/timeline',
  reconciliation: '/finance/billing-details/reconciliation',
  withdrawals: '/finance/billing-details/withdrawals',
} as const
export type BillingTab = keyof typeof billingPaths

/** The tabs of the page of money, seen from one of them. */
export function useBillingViews(at: BillingTab): View[] {
  const { t } = useTranslation('billing')
  const target = useTarget()
  return (Object.keys(billingPaths) as BillingTab[])
    .filter((key) => key === at || target(billingPaths[key]))
    .map((key) => ({
      key,
      label: t(`views.${key}`),
      ...(key === at ? { query: {} } : { path: billingPaths[key] }),
    }))
}
