import { useTranslation } from 'react-i18next'
import { say } from '../../../shared/text.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { AnyRegion } from '../../../web/RegionSelect.tsx'
import { Cut } from '../../../web/ui/Text.tsx'
import { guardErrors } from '../../drug-guard/rules.ts'
import { DeviceSelect, numberAndName } from '../../machines/web/pickers.tsx'
import { ProductSelect } from '../../products/web/pickers.tsx'
import { drugControl, RefusalRow } from '../contract.ts'
import { useDrugViews } from './pickers.ts'

const rules = [1, 2, 3, 4, 5, 6, 7, 8] as const

export function RefusalList() {
  const { t } = useTranslation('drugControl')
  const { lang } = usePrefs()
  const col = useCols(RefusalRow, 'drugControl')
  const why = (row: RefusalRow) => say(guardErrors[row.key].text, lang)
  return (
    <ListPage
      ns="drugControl"
      endpoint={drugControl.refusals}
      live="drug-refusals"
      title={t('title')}
      views={useDrugViews('refusals')}
      filters={[
        { key: 'deviceId', picker: DeviceSelect },
        { key: 'productId', picker: ProductSelect },
        'act',
        {
          key: 'rule',
          options: rules.map((value) => ({ value, label: t(`enums.rule.${value}`) })),
        },
        { key: 'range', more: true },
        { key: 'region', picker: AnyRegion, more: true },
      ]}
      columns={[
        col('lastAt'),
        col('rtuNumber', numberAndName),
        col('road'),
        col('productName'),
        // most reasons name it
        col('drugClass', { tones: {}, defaultHidden: true }),
        col('act', { tones: {} }),
        col('rule', {
          width: 112,
          align: 'left',
          fit: (_, row) => t(`enums.rule.${row.rule}`),
          render: (_, row) => t(`enums.rule.${row.rule}`),
        }),
        col('key', {
          width: 320,
          render: (_, row) => <Cut title={why(row)}>{why(row)}</Cut>,
        }),
        col('who'),
        col('times'),
        col('firstAt', { defaultHidden: true }),
      ]}
      empty={{ title: t('noRefusals') }}
      card={['productName', 'rtuNumber', 'key', 'act', 'lastAt', 'times']}
    />
  )
}
