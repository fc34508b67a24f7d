import { useTranslation } from 'react-i18next'
import { Rows } from '../../../web/Detail.tsx'
import { Lead } from '../../../web/ui/Text.tsx'
import type { Settings } from '../contract.ts'

/** What the specification fixes: shown, because people ask why a file is refused. */
export function FixedLimits({ fixed }: { fixed: Settings['fixed'] }) {
  const { t } = useTranslation('settings')
  const rows: [string, string][] = [
    ['file', `${fixed.fileBytes / 1_048_576}M`],
    ['image', `${fixed.imageBytes / 1_048_576}M`],
    ['images', t('fixed.most', { n: fixed.images })],
    ['formats', fixed.formats.join(', ')],
    ['importRows', t('fixed.rows', { n: fixed.importRows })],
    ['timeout', `${fixed.timeoutMs} ms`],
    [
      'pageSizes',
      t('fixed.default', { sizes: fixed.pageSizes.join(' / '), n: fixed.defaultPageSize }),
    ],
    ['reportDays', t('fixed.days', { n: fixed.reportDays })],
    ['environment', fixed.environment],
  ]
  return (
    <>
      <Lead>{t('fixed.purpose')}</Lead>
      <Rows items={rows.map(([key, value]) => [t(`fixed.${key}`), value])} />
    </>
  )
}
