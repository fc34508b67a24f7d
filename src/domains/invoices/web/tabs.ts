import { useTranslation } from 'react-i18next'
import type { View } from '../../../web/list/types.ts'

/** Requests, and the titles they are made out to. */
export function useTabs(): readonly View[] {
  const { t } = useTranslation('invoices')
  return [
    { key: 'list', label: t('list'), path: '/finance/invoice-enterprise' },
    { key: 'titles', label: t('titleTab'), path: '/finance/invoice-enterprise/titles' },
  ]
}
