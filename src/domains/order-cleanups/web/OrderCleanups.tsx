import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import type { Selection } from '../../../web/list/types.ts'
import { useLastDays } from '../../../web/list/useLastDays.ts'
import { ShortNumber } from '../../../web/ui/ShortNumber.tsx'
import { Cut, Muted } from '../../../web/ui/Text.tsx'
import { useAct } from '../../../web/useAct.ts'
import { DeviceSelect } from '../../machines/web/pickers.tsx'
import { CleanupRow, cleanupKinds, orderCleanups } from '../contract.ts'

const CleanDialog = lazyDialog(() => import('./CleanDialog.tsx').then((m) => m.CleanDialog))

/** Orders that a dialog cleans; null: those of a filter that it asks for. */
type Chosen = { readonly orderNums: readonly string[] | null; readonly done: () => void }

export function OrderCleanups() {
  const { t } = useTranslation('orderCleanups')
  useLastDays()
  const col = useCols(CleanupRow, 'orderCleanups')
  // who cleaned, when and why is known of cleaned orders alone
  const cleaned = useSearchParams()[0].get('state') === 'CLEANED'
  const [cleaning, setCleaning] = useState<Chosen | null>(null)
  const restore = useAct(orderCleanups.restore, {
    ask: ({ orderNums }: { orderNums: string[] }) => t('restoreAsk', { n: orderNums.length }),
    ok: t('restore'),
    danger: false,
    success: 'orderCleanups:restoreDone',
    invalidates: ['order-cleanups', 'orders'],
  })
  const numbers = (rows: readonly CleanupRow[], state: CleanupRow['state']) =>
    rows.filter((row) => row.state === state).map((row) => row.orderNum)
  const start = ({ rows, clear }: Selection<CleanupRow>) => {
    const orderNums = numbers(rows, 'LISTED')
    if (orderNums.length) setCleaning({ orderNums, done: clear })
  }
  const giveBack = ({ rows, clear }: Selection<CleanupRow>) => {
    const orderNums = numbers(rows, 'CLEANED')
    if (orderNums.length) void restore({ orderNums }, {}, clear)
  }
  return (
    <>
      <ListPage
        ns="orderCleanups"
        endpoint={orderCleanups.list}
        rowKey="orderNum"
        live="orders"
        views={cleanupKinds.map((kind) => ({
          key: kind,
          label: t(`enums.kind.${kind}`),
          query: { kind },
        }))}
        header={
          <Button onClick={() => setCleaning({ orderNums: null, done: () => undefined })}>
            {t('cleanMany')}
          </Button>
        }
        filters={['state', { key: 'deviceId', picker: DeviceSelect }, 'range']}
        columns={[
          col('orderNum', {
            width: 108,
            render: (number: string) => (
              <ShortNumber number={number} to={`/order/order-details/${number}`} />
            ),
          }),
          col('deviceNum', {
            fit: (_, row) => `${row.deviceNum} ${row.name}`,
            render: (_, row) => (
              <Cut title={row.name}>
                {row.deviceNum} <Muted>{row.name}</Muted>
              </Cut>
            ),
          }),
          col('detail'),
          col('totalAmount'),
          col('payState', { tones: {} }),
          col('createTime'),
          col('state'),
          cleaned && col('reason'),
          cleaned && col('cleanedBy'),
          cleaned && col('cleanedAt'),
        ]}
        actions={(row) =>
          row.state === 'CLEANED'
            ? [
                {
                  key: 'restore',
                  label: t('restore'),
                  onClick: () => void restore({ orderNums: [row.orderNum] }),
                },
              ]
            : [
                {
                  key: 'clean',
                  label: t('clean'),
                  onClick: () => setCleaning({ orderNums: [row.orderNum], done: () => undefined }),
                },
              ]
        }
        batch={[
          { key: 'clean', label: t('clean'), onClick: start },
          { key: 'restore', label: t('restore'), onClick: giveBack },
        ]}
        empty={{ title: t('empty') }}
        card={['detail', 'deviceNum', 'totalAmount', 'createTime', 'reason']}
      />
      {cleaning ? <CleanDialog {...cleaning} onClose={() => setCleaning(null)} /> : null}
    </>
  )
}
