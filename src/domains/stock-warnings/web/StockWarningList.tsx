import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useRead, useWrite } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { useConfirm } from '../../../web/confirm.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import type { Selection } from '../../../web/list/types.ts'
import { useLive } from '../../../web/live.ts'
import { AnyRegion } from '../../../web/RegionSelect.tsx'
import { useMay } from '../../../web/session.ts'
import { toast } from '../../../web/toast.ts'
import { Bad, Cut } from '../../../web/ui/Text.tsx'
import { PersonSelect } from '../../accounts/web/pickers.tsx'
import { DeviceSelect, numberAndName } from '../../machines/web/pickers.tsx'
import { CategorySelect, ProductSelect } from '../../products/web/pickers.tsx'
import { replenishment } from '../../replenishment/contract.ts'
import { stockWarnings, WarningRow } from '../contract.ts'

const ThresholdDialog = lazyDialog(() =>
  import('./ThresholdDialog.tsx').then((m) => m.ThresholdDialog),
)
const laneOf = ({ deviceId, laneId }: WarningRow) =>
  `/device/device-list/cargo-road/${deviceId}?lane=${laneId}`
const nothing = () => undefined

export function StockWarningList() {
  const { t } = useTranslation('stockWarnings')
  const col = useCols(WarningRow, 'stockWarnings')
  const may = useMay()
  const tell = useTell()
  const counts = useRead(stockWarnings.stats, {}, { inline: true }).data
  useLive('lanes', [stockWarnings.stats.path])
  const [setting, setSetting] = useState<{ rows: readonly WarningRow[]; done: () => void }>()
  const can = may('stock-warning:update')
  const navigate = useNavigate()
  const pick = useWrite(replenishment.pick, {
    onSuccess: ({ id }) => void navigate(`/stock/replenish/pick-lists/${id}`),
  })
  const view = (kind: WarningRow['kind'], count: number | undefined) => ({
    key: kind,
    label: t(`enums.kind.${kind}`),
    query: { kind },
    count,
  })
  return (
    <>
      <ListPage
        ns="stockWarnings"
        endpoint={stockWarnings.list}
        live="lanes"
        views={[
          { key: 'all', label: t('web:list.all'), query: {}, count: counts?.all },
          view('SOLD_OUT', counts?.soldOut),
          view('LOW', counts?.low),
          view('COUNT', counts?.count),
        ]}
        filters={[
          { key: 'deviceId', picker: DeviceSelect },
          { key: 'productId', picker: ProductSelect },
          'lasting',
          { key: 'categoryId', picker: CategorySelect, more: true },
          { key: 'region', picker: AnyRegion, more: true },
          ...(may('user:lookup') ? [{ key: 'userId', picker: PersonSelect, more: true }] : []),
        ]}
        columns={[
          col('rtuNumber', numberAndName),
          col('roadIndex', { link: (row) => (may('lane:read') ? laneOf(row) : undefined) }),
          col('productName'),
          col('kind'),
          col('sellable', { render: (n: number) => <Bad when={n <= 0}>{n}</Bad> }),
          col('quantity'),
          col('reserved', { defaultHidden: true }),
          col('failedHold', { defaultHidden: true }),
          col('roadCapacity', { defaultHidden: true }),
          col('warnQty'),
          col('openTime'),
          may('dashboard:money') && col('lossPerDay'),
          col('replenishers', {
            fit: (_, row) => row.replenishers.join(' '),
            render: (names: readonly string[]) =>
              names.length ? <Cut>{names.join('、')}</Cut> : <span className="hd-none">—</span>,
          }),
          col('notifyTime', { defaultHidden: true }),
        ]}
        actions={(row) => [
          {
            key: 'threshold',
            label: t('threshold'),
            can,
            onClick: () => setSetting({ rows: [row], done: nothing }),
          },
          { key: 'notify', label: t('notify'), can, onClick: () => void tell([row], nothing) },
        ]}
        batch={[
          {
            key: 'threshold',
            label: t('threshold'),
            can,
            onClick: ({ rows, clear }: Selection<WarningRow>) => setSetting({ rows, done: clear }),
          },
          {
            key: 'pick',
            label: t('pick'),
            can: may('replenish:create'),
            onClick: ({ rows, clear }: Selection<WarningRow>) =>
              pick.mutate(
                { deviceIds: [...new Set(rows.map((row) => row.deviceId))] },
                { onSuccess: clear },
              ),
          },
          {
            key: 'notify',
            label: t('notify'),
            can,
            onClick: ({ rows, clear }: Selection<WarningRow>) => void tell(rows, clear),
          },
        ]}
        empty={{ title: t('empty') }}
        card={['rtuNumber', 'roadIndex', 'productName', 'sellable', 'warnQty', 'openTime']}
      />
      {setting ? <ThresholdDialog {...setting} onClose={() => setSetting(undefined)} /> : null}
    </>
  )
}

/** Asks for several machines, and says of how many nobody was told, and why. */
function useTell() {
  const { t } = useTranslation('stockWarnings')
  const confirm = useConfirm()
  const write = useWrite(stockWarnings.notify, { invalidates: ['stock-warnings'] })
  return async (rows: readonly WarningRow[], done: () => void) => {
    const deviceIds = [...new Set(rows.map((row) => row.deviceId))]
    const ask = { title: t('notifyAsk', { n: deviceIds.length }), ok: t('notify') }
    if (deviceIds.length > 1 && !(await confirm(ask))) return
    write.mutate(
      { deviceIds },
      {
        onSuccess: ({ done: told, results }) => {
          const skipped = Map.groupBy(
            results.filter(({ ok }) => !ok),
            ({ reason }) => reason,
          )
          const why = [...skipped].map(([reason, { length: n }]) => t('skipped', { n, reason }))
          const first = told ? t('notifyDone', { n: told }) : t('notifyNone')
          toast(told ? 'success' : 'info', [first, ...why].join(' · '))
          done()
        },
      },
    )
  }
}
