import { useTranslation } from 'react-i18next'
import { addDays, shanghaiDay } from '../../../../shared/instants.ts'
import { useCols } from '../../../../web/columns.tsx'
import { registerLocale } from '../../../../web/i18n.ts'
import { ShortNumber } from '../../../../web/ui/ShortNumber.tsx'
import { audit, LogRow } from '../../../audit/contract.ts'
import { locale as auditTexts } from '../../../audit/locale.ts'
import { OrderRow, orders } from '../../../orders/contract.ts'
import { locale as orderTexts } from '../../../orders/locale.ts'
import { FlowRow, stock } from '../../../stock/contract.ts'
import { locale as stockTexts } from '../../../stock/locale.ts'
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
        col('orderNum', {
          width: 112,
          render: (num: string) => <ShortNumber number={num} to={`/order/order-details/${num}`} />,
        }),
        col('detail'),
        col('actuallyAmount'),
        col('orderStatus', {
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
        col('orderType'),
        col('createTime'),
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
        col('createTime'),
        col('username'),
        col('content'),
        col('result'),
        col('ipAddress'),
      ]}
    />
  )
}
