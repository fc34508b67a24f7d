import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useWrite } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { RegionSelect } from '../../../web/RegionSelect.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { StockBar } from '../../../web/StockBar.tsx'
import { useMay } from '../../../web/session.ts'
import { Cut, Muted } from '../../../web/ui/Text.tsx'
import { ProductSelect } from '../../products/web/pickers.tsx'
import { needs, replenishment, TaskRow } from '../contract.ts'
import { useStart } from './useStart.ts'
import { useViews } from './views.ts'

const hour = 3_600_000

/** Opens the map that the device has for it. */
const route = ({ lng, lat, nickname }: TaskRow) =>
  `https://uri.amap.com/marker?position=${lng},${lat}&name=${encodeURIComponent(nickname)}`

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
  const soon = ({ sellsOutAt }: TaskRow) => {
    if (sellsOutAt === null) return t('unknown')
    const left = (Date.parse(sellsOutAt) - Date.now()) / hour
    if (left <= 0) return t('soon')
    return left < 48 ? t('hours', { n: Math.ceil(left) }) : t('days', { n: Math.floor(left / 24) })
  }
  const marked = (count: number, tone: 'soldOut' | 'warn') =>
    count ? <StatusTag tone={tone}>{count}</StatusTag> : <Muted>0</Muted>
  return (
    <ListPage
      ns="replenishment"
      endpoint={replenishment.tasks}
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
        col('sellsOutAt', {
          width: 116,
          render: (_, row) =>
            row.sellsOutAt === null ? <Muted>{soon(row)}</Muted> : <b>{soon(row)}</b>,
          card: { as: 'fact', draw: soon },
        }),
        col('soldOut', { render: (_, { soldOut }) => marked(soldOut, 'soldOut') }),
        col('low', { render: (_, { low }) => marked(low, 'warn') }),
        col('fillRate', { fit: (rate) => `${rate}%`, render: (_, row) => `${row.fillRate}%` }),
        col('suggested'),
        col('stock', {
          width: 132,
          defaultHidden: true,
          render: (_, row) => <StockBar stock={row.stock} capacity={row.capacity} />,
        }),
        col('toCount', {
          render: (_, row) => (row.toCount ? marked(row.toCount, 'warn') : <Muted>0</Muted>),
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
          onClick: () => void window.open(route(row), '_blank', 'noopener'),
        },
      ]}
      batch={
        may('replenish:create')
          ? [
              {
                key: 'pick',
                label: t('pick'),
                onClick: ({ rows, clear }) =>
                  pick.mutate({ deviceIds: rows.map((row) => row.id) }, { onSuccess: clear }),
              },
            ]
          : []
      }
      empty={{
        title: t('full'),
        action: (
          <Button onClick={() => navigate('/stock/replenish/visits')}>{t('toVisits')}</Button>
        ),
      }}
      card={['sellsOutAt', 'soldOut', 'low', 'suggested', 'toCount', 'lastPostedAt']}
    />
  )
}
