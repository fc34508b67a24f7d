import { useTranslation } from 'react-i18next'
import { StatusTag } from '../../../web/StatusTag.tsx'
import type { OrderDetail } from '../contract.ts'
import { statusTones } from './stations.ts'
import { useWords } from './words.ts'

/** The order's state and why. */
export function OrderChip({ order, plain = false }: { order: OrderDetail; plain?: boolean }) {
  const { t } = useTranslation('orders')
  const { words } = useWords()
  const reason =
    !plain && order.orderStatus === 'ABNORMAL' && order.failReason
      ? ` · ${words({ key: `enums.failReason.${order.failReason}` })}`
      : ''
  return (
    <StatusTag tone={statusTones[order.orderStatus]} chip>
      {t(`enums.orderStatus.${order.orderStatus}`)}
      {reason}
    </StatusTag>
  )
}
