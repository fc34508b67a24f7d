import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { useDetail } from '../../../web/useDetail.ts'
import { useDrugViews } from '../../drug-control/web/pickers.ts'
import { DeviceSelect } from '../../machines/web/pickers.tsx'
import { ProductSelect } from '../../products/web/pickers.tsx'
import { batches } from '../contract.ts'
import { RecallRow } from '../recallContract.ts'
import { RecallDrawer } from './RecallDrawer.tsx'

/** How far each recall has come: a tab of drug control. */
export function RecallList() {
  const { t } = useTranslation('batches')
  const col = useCols(RecallRow, 'batches')
  const title = useTranslation('drugControl').t('title')
  const detail = useDetail()
  return (
    <ListPage
      ns="batches"
      endpoint={batches.recalls}
      live="batches"
      title={title}
      views={useDrugViews('recalls')}
      detail={RecallDrawer}
      filters={[
        { key: 'keyword', label: t('fields.batchNo') },
        {
          key: 'state',
          options: (['OPEN', 'ASKED', 'LATE', 'ENDED'] as const).map((value) => ({
            value,
            label: t(`enums.state.${value}`),
          })),
        },
        { key: 'level', more: true },
        { key: 'productId', picker: ProductSelect, more: true },
        { key: 'deviceId', picker: DeviceSelect, more: true },
        { key: 'range', more: true },
      ]}
      columns={[
        col('batchNo', { fixed: 'start', link: (row) => detail.to(row.id) }),
        col('productName', { width: 132 }),
        col('level', { words: 'recallLevel' }),
        col('state'),
        col('acknowledged', {
          fit: (_, row) => `${row.acknowledged}/${row.devices}`,
          render: (_, row) => `${row.acknowledged}/${row.devices}`,
        }),
        col('lockedLanes'),
        col('inLanes'),
        col('withdrawn'),
        col('sold'),
        col('destroyedQty', { defaultHidden: true }),
        col('recalledAt'),
        col('dueAt'),
        col('loadedQty', { defaultHidden: true }),
        col('recallNo', { defaultHidden: true }),
        col('reason', { defaultHidden: true }),
        col('notice', { defaultHidden: true }),
        col('recalledBy', { defaultHidden: true }),
        col('orgName', { defaultHidden: true }),
        col('endReason', { defaultHidden: true }),
        col('endedAt', { defaultHidden: true }),
        col('endedBy', { defaultHidden: true }),
      ]}
      actions={(row) => [{ key: 'open', label: t('action.open'), to: detail.to(row.id) }]}
      empty={{ title: t('noRecalls') }}
      card={['productName', 'acknowledged', 'inLanes', 'withdrawn', 'sold', 'dueAt']}
    />
  )
}
