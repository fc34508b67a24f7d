import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { AnyRegion } from '../../../web/RegionSelect.tsx'
import { useDetail } from '../../../web/useDetail.ts'
import { DeviceSelect, numberAndName } from '../../machines/web/pickers.tsx'
import { ProductSelect } from '../../products/web/pickers.tsx'
import { drugControl, ExcursionRow } from '../contract.ts'
import { useDrugViews } from './pickers.ts'

const ExcursionDrawer = lazyDialog(() =>
  import('./ExcursionDrawer.tsx').then((m) => m.ExcursionDrawer),
)

export function TemperatureList() {
  const { t } = useTranslation('drugControl')
  const col = useCols(ExcursionRow, 'drugControl')
  const detail = useDetail()
  const range = (low: number | null, high: number | null) =>
    low === null && high === null ? '' : low === high ? `${low}` : `${low} – ${high}`
  return (
    <ListPage
      ns="drugControl"
      endpoint={drugControl.excursions}
      live="excursions"
      title={t('title')}
      detail={ExcursionDrawer}
      views={useDrugViews('temperature')}
      filters={[
        { key: 'deviceId', picker: DeviceSelect },
        'state',
        { key: 'productId', picker: ProductSelect },
        { key: 'range', more: true },
        { key: 'region', picker: AnyRegion, more: true },
      ]}
      columns={[
        col('rtuNumber', numberAndName),
        col('kind', { tones: {} }),
        col('fromAt'),
        col('toAt'),
        col('minutes'),
        col('tempMax', {
          title: t('fields.measured'),
          width: 112,
          fit: (_, row) => range(row.tempMin, row.tempMax),
          render: (_, row) => range(row.tempMin, row.tempMax),
        }),
        col('limitLow', {
          title: t('fields.limits'),
          width: 96,
          fit: (_, row) => range(row.limitLow, row.limitHigh),
          render: (_, row) => range(row.limitLow, row.limitHigh),
        }),
        col('laneCount'),
        col('pieces'),
        col('state'),
        col('decidedBy', { defaultHidden: true }),
        col('decidedAt', { defaultHidden: true }),
        col('reason', { defaultHidden: true }),
      ]}
      actions={(row) => [{ key: 'open', label: t('action.open'), to: detail.to(row.id) }]}
      empty={{ title: t('noExcursions') }}
      card={['rtuNumber', 'kind', 'fromAt', 'minutes', 'laneCount', 'state']}
    />
  )
}
