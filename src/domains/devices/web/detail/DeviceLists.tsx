import { useTranslation } from 'react-i18next'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { useCols } from '../../../web/columns.tsx'
import { registerLocale } from '../../../web/i18n.ts'
import { audit, LogRow } from '../../audit/contract.ts'
import { locale as auditTexts } from '../../audit/locale.ts'
import { OrderRow, orders } from '../../orders/contract.ts'
import { locale as orderTexts } from '../../orders/locale.ts'
import { FlowRow, stock } from '../../stock/contract.ts'
import { locale as stockTexts } from '../../stock/locale.ts'
import { TabTable } from './TabTable.tsx'

registerLocale('orders', orderTexts)
registerLocale('stock', stockTexts)
registerLocale('audit', auditTexts)

/** How far back the tabs of one machine look. */
const since = (days: number) => addDays(shanghaiDay(new Date()), -days)

export function DeviceOrders({ deviceId }: { deviceId: number }) {
  const { t } = useTranslation('devices')
  const col = useCols(OrderRow, 'orders')
  return (
    <TabTable
      endpoint={orders.list}
      query={{ deviceId, from: since(30), pageSize: 50 }}
      rowKey="orderNum"
      empty={t('lists.noOrders')}
      live="orders"
      columns={[
        col('orderNum', { link: (row) => `/order/order-details/${row.orderNum}`, width: 190 }),
        col('detail', { width: 180 }),
        col('actuallyAmount', { width: 96 }),
        col('orderStatus', {
          width: 104,
          tones: {
            PAID: 'paid',
            SHIPPED: 'shipped',
            ABNORMAL: 'fault',
            REFUNDED: 'refunded',
            SUCCESS: 'success',
            UNPAID: 'warn',
            CLOSED: 'closed',
          },
        }),
        col('orderType', { width: 96 }),
        col('createTime', { width: 110 }),
      ]}
    />
  )
}

export function DeviceFlows({ deviceId }: { deviceId: number }) {
  const { t } = useTranslation('devices')
  const col = useCols(FlowRow, 'stock')
  return (
    <TabTable
      endpoint={stock.flows}
      query={{ deviceId, from: since(30), pageSize: 50 }}
      rowKey="wasteNum"
      empty={t('lists.noFlows')}
      live="stock"
      columns={[
        col('createTime', { width: 110 }),
        col('cargoRoad', { width: 72 }),
        col('type', { width: 112 }),
        col('productName', { width: 150 }),
        col('beforeChangeTotal', { width: 80 }),
        col('changeTotal', { width: 80 }),
        col('afterChangeTotal', { width: 80 }),
        col('actorName', { width: 96 }),
      ]}
    />
  )
}

/** Everything people did that names this machine. */
export function DeviceLogs({ rtuNumber }: { rtuNumber: string }) {
  const { t } = useTranslation('devices')
  const col = useCols(LogRow, 'audit')
  return (
    <TabTable
      endpoint={audit.list}
      query={{ keyword: rtuNumber, from: since(90), pageSize: 50 }}
      rowKey="id"
      empty={t('lists.noLogs')}
      columns={[
        col('createTime', { width: 110 }),
        col('username', { width: 110 }),
        col('content', { width: 280 }),
        col('result', { width: 88 }),
        col('ipAddress', { width: 120 }),
      ]}
    />
  )
}
