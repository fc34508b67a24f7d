import { useTranslation } from 'react-i18next'
import { registerLocale } from '../../../web/i18n.ts'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import type { View } from '../../../web/list/types.ts'
import { useTarget } from '../../../web/useTarget.ts'
import { locale } from '../locale.ts'

// tabs of other domains show these words without having loaded them
registerLocale('drugControl', locale)

/** The way to the page from those beside it, for whoever may open it. */
export { DrugControlLink } from './DrugControlLink.tsx'
/** In the details of a machine. */
export const ModeDialog = lazyDialog(() => import('./ModeDialog.tsx').then((m) => m.ModeDialog))

/** Tabs in their order; each is a page of its own, that its reader may open or not. */
const paths = {
  locks: '/stock/drug-control',
  recalls: '/stock/drug-control/recalls',
  temperature: '/stock/drug-control/temperature',
  codes: '/stock/drug-control/codes',
  refusals: '/stock/drug-control/refusals',
  evidence: '/stock/drug-control/evidence',
} as const

export function useDrugViews(at: keyof typeof paths): View[] {
  const { t } = useTranslation('drugControl')
  const target = useTarget()
  return (Object.keys(paths) as (keyof typeof paths)[])
    .filter((key) => key === at || target(paths[key]))
    .map((key) => ({
      key,
      label: t(`views.${key}`),
      ...(key === at ? { query: {} } : { path: paths[key] }),
    }))
}
