import { useTranslation } from 'react-i18next'
import { registerLocale } from '../../../web/i18n.ts'
import type { View } from '../../../web/list/types.ts'
import { locale } from '../locale.ts'

// tabs of other domains show these words without having loaded them
registerLocale('splits', locale)

export const settlementPath = '/finance/billing-details/timeline'

const paths = {
  devices: '/finance/sub-ledger-list',
  orders: '/finance/sub-ledger-list/orders',
  receivers: '/finance/sub-ledger-list/receivers',
  debts: '/finance/sub-ledger-list/debts',
} as const

/** Tabs of the page; each is a page of its own. */
export function useSplitViews(at: keyof typeof paths): View[] {
  const { t } = useTranslation('splits')
  return (Object.keys(paths) as (keyof typeof paths)[]).map((key) => ({
    key,
    label: t(`views.${key}`),
    ...(key === at ? { query: {} } : { path: paths[key] }),
  }))
}
