import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { AnyRegion } from '../../../web/RegionSelect.tsx'
import { useMay } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { Bad, Cut } from '../../../web/ui/Text.tsx'
import { DeviceSelect, numberAndName } from '../../machines/web/pickers.tsx'
import { DrugMark } from '../../products/web/DrugMark.tsx'
import { ProductSelect } from '../../products/web/pickers.tsx'
import { drugControl, LockRow } from '../contract.ts'
import { DutyBar } from './DutyBar.tsx'
import { useDrugViews } from './pickers.ts'

const DecideLock = lazyDialog(() => import('./DecideDialog.tsx').then((m) => m.DecideLock))

export function LockList() {
  const { t } = useTranslation('drugControl')
  const col = useCols(LockRow, 'drugControl')
  const may = useMay()
  const [deciding, setDeciding] = useState<LockRow | null>(null)
  return (
    <>
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
          col('rtuNumber', numberAndName),
          col('roadIndex', {
            link: (row) =>
              may('lane:read')
                ? `/device/device-list/cargo-road/${row.deviceId}?lane=${row.id}`
                : undefined,
          }),
          col('productName', {
            // the mark stands behind the name
            fit: (name, row) => `${name ?? ''}${row.drugClass === 'NONE' ? '' : ' OTC...'}`,
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
          col('dueAt', {
            render: (at: string | null) =>
              at && (
                <Bad when={Date.parse(at) < Date.now()}>
                  <Time at={at} />
                </Bad>
              ),
          }),
        ]}
        notice={<DutyBar />}
        empty={{ title: t('noLocks') }}
        {...(may('lane:lock')
          ? {
              actions: (row: LockRow) => [
                { key: 'decide', label: t('decide'), onClick: () => setDeciding(row) },
              ],
            }
          : {})}
        card={['productName', 'rtuNumber', 'roadIndex', 'reason', 'since', 'dueAt', 'qty']}
      />
      {deciding ? <DecideLock lock={deciding} onClose={() => setDeciding(null)} /> : null}
    </>
  )
}
