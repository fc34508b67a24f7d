import { Table } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { z } from 'zod'
import type { Endpoint } from '../../../../shared/contract.ts'
import { addDays, shanghaiDay } from '../../../../shared/instants.ts'
import { useRead } from '../../../../web/api.ts'
import { type Column, useCols } from '../../../../web/columns.tsx'
import { registerLocale } from '../../../../web/i18n.ts'
import { useFitted } from '../../../../web/list/useFitted.ts'
import { useLive } from '../../../../web/live.ts'
import { Empty, Problem } from '../../../../web/Problem.tsx'
import { usePrefs } from '../../../../web/prefs.ts'
import { Part } from '../../../../web/ui/Sheet.tsx'
import { ShortNumber } from '../../../../web/ui/ShortNumber.tsx'
import { AlertRow, alerts } from '../../../alerts/contract.ts'
import { locale as alertTexts } from '../../../alerts/locale.ts'
import { audit, LogRow } from '../../../audit/contract.ts'
import { locale as auditTexts } from '../../../audit/locale.ts'
import { OrderRow, orders } from '../../../orders/contract.ts'
import { locale as orderTexts } from '../../../orders/locale.ts'
import { FlowRow, stock } from '../../../stock/contract.ts'
import { locale as stockTexts } from '../../../stock/locale.ts'
import type { TabProps } from './DeviceDrawer.tsx'

registerLocale('alerts', alertTexts)
registerLocale('orders', orderTexts)
registerLocale('stock', stockTexts)
registerLocale('audit', auditTexts)

/** How far back the tabs of one machine look. */
const since = (days: number) => addDays(shanghaiDay(new Date()), -days)

type Props<R> = {
  endpoint: Endpoint
  query: Record<string, unknown>
  columns: readonly Column<R>[]
  rowKey: keyof R & string
  empty: string
  live?: string
}
/** The newest rows of another list that concern one machine. */
function Newest<R extends z.output<z.ZodObject>>({
  endpoint,
  query,
  columns,
  rowKey,
  empty,
  live,
}: Props<R>) {
  const read = useRead(endpoint, { pageSize: 50, ...query } as never, { inline: true, keep: true })
  useLive(live, [endpoint.path])
  const list = (read.data as { list: R[] } | undefined)?.list
  const fitted = useFitted(list, usePrefs().lang, [])
  if (read.error && !read.data)
    return <Problem error={read.error} onRetry={() => void read.refetch()} />
  if (list?.length === 0) return <Empty title={empty} />
  return (
    <Table<R>
      size="small"
      rowKey={rowKey}
      loading={!list}
      columns={columns.map((column) => ({ ...fitted(column), sorter: false }))}
      dataSource={[...(list ?? [])]}
      pagination={false}
      scroll={{ x: 'max-content' }}
    />
  )
}

const tones = {
  PAID: 'paid',
  SHIPPED: 'shipped',
  ABNORMAL: 'fault',
  REFUNDED: 'refunded',
  SUCCESS: 'success',
  UNPAID: 'warn',
  CLOSED: 'closed',
} as const
export function DeviceOrders({ device }: TabProps) {
  const { t } = useTranslation('devices')
  const col = useCols(OrderRow, 'orders')
  const number = (num: string) => <ShortNumber number={num} to={`/order/order-details/${num}`} />
  return (
    <Newest
      endpoint={orders.list}
      query={{ deviceId: device.id, from: since(30) }}
      rowKey="orderNum"
      empty={t('lists.noOrders')}
      live="orders"
      columns={[
        col('orderNum', { width: 112, render: number }),
        col('detail'),
        col('actuallyAmount'),
        col('orderStatus', { tones }),
        col('orderType'),
        col('createTime'),
      ]}
    />
  )
}

export function DeviceFlows({ device }: TabProps) {
  const { t } = useTranslation('devices')
  const col = useCols(FlowRow, 'stock')
  return (
    <Newest
      endpoint={stock.flows}
      query={{ deviceId: device.id, from: since(30) }}
      rowKey="wasteNum"
      empty={t('lists.noFlows')}
      live="stock"
      columns={[
        col('createTime'),
        col('cargoRoad'),
        col('type'),
        col('productName'),
        col('beforeChangeTotal'),
        col('changeTotal'),
        col('afterChangeTotal'),
        col('actorName'),
      ]}
    />
  )
}

/** Everything people did that names this machine. */
export function DeviceLogs({ device }: TabProps) {
  const { t } = useTranslation('devices')
  const col = useCols(LogRow, 'audit')
  return (
    <Newest
      endpoint={audit.list}
      query={{ keyword: device.rtuNumber, from: since(90) }}
      rowKey="id"
      empty={t('lists.noLogs')}
      columns={[
        col('createTime'),
        col('username'),
        col('content'),
        col('result'),
        col('ipAddress'),
      ]}
    />
  )
}

/** What people were told of the machine. */
export function DeviceAlerts({ device }: TabProps) {
  const { t } = useTranslation('devices')
  const col = useCols(AlertRow, 'alerts')
  const all = `/device/alerts?state=all&deviceId=${device.id}`
  const one = (row: AlertRow) => `${all}&detail=${row.id}`
  return (
    <Part title={t('faultTab.alerts')} end={<Link to={all}>{t('faultTab.allAlerts')}</Link>}>
      <Newest
        endpoint={alerts.list}
        query={{ deviceId: device.id, state: 'all', pageSize: 20 }}
        rowKey="id"
        empty={t('faultTab.noAlerts')}
        live="alerts"
        columns={[
          col('level'),
          col('content', { link: one }),
          col('state'),
          col('openTime'),
          col('times'),
          col('handler'),
          {
            key: 'handle',
            title: '',
            width: 104,
            render: (_: unknown, row: AlertRow) =>
              row.can.acknowledge || row.can.close ? (
                <Link to={one(row)}>{t('faultTab.toAlert')}</Link>
              ) : null,
          },
        ]}
      />
    </Part>
  )
}
