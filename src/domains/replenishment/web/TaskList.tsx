import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { queryClient, useRead, useWrite } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { RegionSelect } from '../../../web/RegionSelect.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { StockBar } from '../../../web/StockBar.tsx'
import { useMay } from '../../../web/session.ts'
import { Bad, Cut, Muted } from '../../../web/ui/Text.tsx'
import { PersonSelect } from '../../accounts/web/pickers.tsx'
import { DeviceSelect, numberAndName } from '../../machines/web/pickers.tsx'
import { ProductSelect } from '../../products/web/pickers.tsx'
import { StoreSelect } from '../../stores/web/pickers.tsx'
import { needs, replenishment, TaskRow } from '../contract.ts'
import { mapOf, useSoon } from './shown.ts'
import { useStart } from './useStart.ts'
import { useViews } from './views.ts'

const AssignDialog = lazyDialog(() =>
  import('../../distribution/web/AssignDialog.tsx').then((m) => m.AssignDialog),
)

export function TaskList() {
  const { t } = useTranslation('replenishment')
  const col = useCols(TaskRow, 'replenishment')
  const may = useMay()
  const navigate = useNavigate()
  const start = useStart()
  const pick = useWrite(replenishment.pick, {
    success: 'replenishment:pickDone',
    onSuccess: ({ id }) => void navigate(`/stock/replenish/pick-lists/${id}`),
  })
  const inWords = useSoon()
  const soon = ({ sellsOutAt }: TaskRow) => inWords(sellsOutAt)
  const [assigned, setAssigned] = useState<{ ids: number[]; done: () => void }>()
  const unsent = useRead(
    replenishment.unsent,
    {},
    { inline: true, enabled: may('replenish:create') },
  ).data?.list
  const marked = (count: number, tone: 'soldOut' | 'warn') =>
    count ? <StatusTag tone={tone}>{count}</StatusTag> : <Muted>0</Muted>
  return (
    <>
      <ListPage
        ns="replenishment"
        endpoint={replenishment.tasks}
        notice={
          unsent?.length ? (
            <Bad>
              {unsent
                .map(({ userName, visits }) => t('unsent', { name: userName, n: visits }))
                .join('；')}
            </Bad>
          ) : null
        }
        live="replenishment"
        title={t('title')}
        views={useViews('tasks')}
        filters={[
          { key: 'keyword', label: t('device') },
          {
            key: 'need',
            options: needs.map((value) => ({ value, label: t(`enums.need.${value}`) })),
          },
          { key: 'region', picker: RegionSelect },
          { key: 'productId', picker: ProductSelect },
          { key: 'status', more: true },
          { key: 'deviceId', picker: DeviceSelect, more: true },
          ...(may('store:read')
            ? [{ key: 'storeId', picker: StoreSelect as never, more: true }]
            : []),
          ...(may('user:lookup') ? [{ key: 'userId', picker: PersonSelect, more: true }] : []),
        ]}
        columns={[
          col('rtuNumber', numberAndName),
          col('sellsOutAt', {
            width: 116,
            render: (_, row) =>
              row.sellsOutAt === null ? <Muted>{soon(row)}</Muted> : <b>{soon(row)}</b>,
            card: { as: 'fact', draw: soon },
          }),
          col('soldOut', { width: 88, render: (_, { soldOut }) => marked(soldOut, 'soldOut') }),
          col('low', { width: 88, render: (_, { low }) => marked(low, 'warn') }),
          col('fillRate', {
            width: 68,
            fit: (rate) => `${rate}%`,
            render: (_, row) => `${row.fillRate}%`,
          }),
          col('suggested', { width: 88 }),
          col('stock', {
            width: 132,
            defaultHidden: true,
            render: (_, row) => <StockBar stock={row.stock} capacity={row.capacity} />,
          }),
          col('toCount', {
            width: 80,
            render: (_, row) => (row.toCount ? marked(row.toCount, 'warn') : <Muted>0</Muted>),
          }),
          col('expiring', {
            width: 80,
            render: (_, row) => (row.expiring ? marked(row.expiring, 'warn') : <Muted>0</Muted>),
          }),
          col('replenishers', {
            width: 132,
            render: (_, row) =>
              row.replenishers.length ? (
                <Cut title={row.replenishers.join('、')}>{row.replenishers.join('、')}</Cut>
              ) : (
                <span className="hd-none">—</span>
              ),
            card: { as: 'fact', draw: (row) => row.replenishers.join('、') || '—' },
          }),
          col('lastPostedAt'),
          col('status', { defaultHidden: true }),
          col('address', { defaultHidden: true }),
          col('storeName', { defaultHidden: true }),
        ]}
        actions={(row) => [
          {
            key: 'start',
            label: t(row.draftId === null ? 'start' : 'goOn'),
            can: may('replenish:update'),
            onClick: () => start(row),
          },
          {
            key: 'navigate',
            label: t('navigate'),
            can: row.lng !== null,
            onClick: () => void window.open(mapOf(row), '_blank', 'noopener'),
          },
        ]}
        batch={[
          {
            key: 'pick',
            label: t('pick'),
            can: may('replenish:create'),
            onClick: ({ rows, clear }) =>
              pick.mutate({ deviceIds: rows.map((row) => row.id) }, { onSuccess: clear }),
          },
          {
            key: 'assign',
            label: t('assign'),
            can: may('device:assign'),
            onClick: ({ rows, clear }) =>
              setAssigned({ ids: rows.map((row) => row.id), done: clear }),
          },
        ]}
        empty={{
          title: t('full'),
          action: (
            <Button onClick={() => navigate('/stock/replenish/visits')}>{t('toVisits')}</Button>
          ),
        }}
        card={['sellsOutAt', 'soldOut', 'low', 'suggested', 'toCount', 'lastPostedAt']}
      />
      {assigned ? (
        <AssignDialog
          kinds={['REPLENISHER']}
          remove={false}
          deviceIds={assigned.ids}
          onClose={() => setAssigned(undefined)}
          onDone={() => {
            assigned.done()
            void queryClient.invalidateQueries({ queryKey: [replenishment.tasks.path] })
          }}
        />
      ) : null}
    </>
  )
}
