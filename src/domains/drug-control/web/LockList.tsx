import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { RegionSelect } from '../../../web/RegionSelect.tsx'
import { useMay } from '../../../web/session.ts'
import { Cut, Muted } from '../../../web/ui/Text.tsx'
import { DeviceSelect } from '../../machines/web/pickers.tsx'
import { DrugMark } from '../../products/web/DrugMark.tsx'
import { ProductSelect } from '../../products/web/pickers.tsx'
import { drugControl, LockRow } from '../contract.ts'
import { useDrugViews } from './pickers.ts'

const AnyRegion = (props: Parameters<typeof RegionSelect>[0]) =>
  RegionSelect({ ...props, any: true })

export function LockList() {
  const { t } = useTranslation('drugControl')
  const col = useCols(LockRow, 'drugControl')
  const may = useMay()
  return (
    <ListPage
      ns="drugControl"
      endpoint={drugControl.locks}
      live="lanes"
      title={t('title')}
      views={useDrugViews('locks')}
      filters={[
        { key: 'deviceId', picker: DeviceSelect },
        { key: 'productId', picker: ProductSelect },
        'reason',
        { key: 'batchNo', more: true },
        { key: 'code', more: true },
        { key: 'range', more: true },
        { key: 'region', picker: AnyRegion, more: true },
      ]}
      columns={[
        col('rtuNumber', {
          width: 176,
          fit: (_, row) => `${row.rtuNumber} ${row.nickname}`,
          render: (_, row) => (
            <Cut title={row.nickname}>
              {row.rtuNumber} <Muted>{row.nickname}</Muted>
            </Cut>
          ),
        }),
        col('roadIndex', {
          link: (row) =>
            may('lane:read')
              ? `/device/device-list/cargo-road/${row.deviceId}?lane=${row.id}`
              : undefined,
        }),
        col('productName', {
          width: 132,
          render: (name: string | null, row) => (
            <Cut title={name ?? ''}>
              {name} <DrugMark drugClass={row.drugClass ?? 'NONE'} />
            </Cut>
          ),
        }),
        col('reason'),
        col('since'),
        col('qty'),
        col('batchNo'),
        col('orgName'),
        col('dueAt'),
      ]}
      empty={{ title: t('noLocks') }}
      card={['productName', 'rtuNumber', 'roadIndex', 'reason', 'since', 'qty']}
    />
  )
}
