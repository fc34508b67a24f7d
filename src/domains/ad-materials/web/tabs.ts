import { useTranslation } from 'react-i18next'
import type { View } from '../../../web/list/types.ts'

const paths = {
  materials: '/market/market-manage',
  creatives: '/market/market-manage/creatives',
} as const

/** Files, and what is made of them, seen from one of them. */
export function useTabs(at: keyof typeof paths): readonly View[] {
  const { t } = useTranslation('adMaterials')
  const tab = (key: keyof typeof paths, label: string): View => ({
    ...{ key, label },
    ...(key === at ? { query: {} } : { path: paths[key] }),
  })
  return [tab('materials', t('materials')), tab('creatives', t('creatives'))]
}
