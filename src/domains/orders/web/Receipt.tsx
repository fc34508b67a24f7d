import { Button } from 'antd'
import { createPortal } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { yuan } from '../../../shared/money.ts'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { fullTime } from '../../../web/time.ts'
import { Modal } from '../../../web/ui/overlay.tsx'
import type { OrderDetail } from '../contract.ts'
import styles from './orders.module.css'
import { groupedOrder, lane } from './stations.ts'

/** The slip a customer may ask for, as it comes out of the printer. */
export function ReceiptDialog({ order, onClose }: { order: OrderDetail; onClose: () => void }) {
  const { t } = useTranslation('orders')
  const active = useActiveTab()
  if (!active) return null
  return (
    <Modal
      open
      width={360}
      title={t('receipt')}
      onCancel={onClose}
      footer={
        <Button type="primary" onClick={() => window.print()}>
          {t('print')}
        </Button>
      }
    >
      <Slip order={order} />
      {createPortal(
        <div className={styles.printed}>
          <Slip order={order} />
        </div>,
        document.body,
      )}
    </Modal>
  )
}

function Slip({ order }: { order: OrderDetail }) {
  const { t } = useTranslation('orders')
  const line = (label: string, value: string) => (
    <p key={label}>
      <span>{label}</span>
      <span>{value}</span>
    </p>
  )
  const f = (key: string) => t(`fields.${key}`)
  return (
    <div className={styles.slip}>
      <strong>{order.ownedUserName}</strong>
      {line(f('orderNum'), groupedOrder(order.orderNum))}
      {line(f('machine'), `${order.deviceNum} ${order.name}`)}
      {line(f('createTime'), fullTime(new Date(order.createTime)))}
      {line(f('payType'), t(`enums.payType.${order.payType}`))}
      {order.payment?.tradeNo ? line(f('tradeNo'), order.payment.tradeNo) : null}
      <hr />
      {order.units.map((unit) =>
        line(
          `${unit.unitNo}. ${unit.productName} ${unit.model}${unit.road === null ? '' : ` · ${t('road', { road: lane(unit.road) })}`}`,
          yuan(unit.price),
        ),
      )}
      <hr />
      {line(f('totalAmount'), yuan(order.totalAmount))}
      {order.discountAmount > 0 ? line(f('discountAmount'), yuan(-order.discountAmount)) : null}
      {line(f('actuallyAmount'), yuan(order.actuallyAmount))}
      {order.refundedAmount > 0 ? line(f('refundedAmount'), yuan(order.refundedAmount)) : null}
    </div>
  )
}
