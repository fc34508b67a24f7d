import { useTranslation } from 'react-i18next'
import type { View } from '../../../web/list/types.ts'

const paths = {
  tasks: '/stock/replenish',
  route: '/stock/replenish/route',
  visits: '/stock/replenish/visits',
  picks: '/stock/replenish/pick-lists',
  sync: '/stock/replenish/sync',
} as const

/** What waits, what was done and what to take along are tabs with addresses of their own. */
export function useViews(at: keyof typeof paths): View[] {
  const { t } = useTranslation('replenishment')
  return (Object.keys(paths) as (keyof typeof paths)[]).map((key) => ({
    key,
    label: t(`views.${key}`),
    ...(key === at ? { query: {} } : { path: paths[key] }),
  }))
}
