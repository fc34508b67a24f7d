import { useTranslation } from 'react-i18next'
import type { View } from '../../../web/list/types.ts'

const paths = {
  list: '/finance/invoice-enterprise',
  titles: '/finance/invoice-enterprise/titles',
} as const

/** Requests, and the titles they are made out to, seen from one of them. */
export function useTabs(at: keyof typeof paths): readonly View[] {
  const { t } = useTranslation('invoices')
  const tab = (key: keyof typeof paths, label: string): View => ({
    ...{ key, label },
    ...(key === at ? { query: {} } : { path: paths[key] }),
  })
  return [tab('list', t('list')), tab('titles', t('titleTab'))]
}
