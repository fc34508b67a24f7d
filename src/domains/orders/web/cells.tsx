import { Flex } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { yuan } from '../../../shared/money.ts'
import { Money } from '../../../web/Money.tsx'
import { Picture } from '../../../web/Picture.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { CardHead } from '../../../web/ui/Card.tsx'
import { ShortNumber } from '../../../web/ui/ShortNumber.tsx'
import { Side } from '../../../web/ui/Side.tsx'
import { Cut, Muted } from '../../../web/ui/Text.tsx'
import type { OrderRow } from '../contract.ts'
import { groupedOrder, statusTones } from './stations.ts'

export const detailPath = (orderNum: string): string => `/order/order-details/${orderNum}`
/** The machine's own panel over the list of machines. */
export const machinePath = (row: OrderRow): string =>
  `/device/device-list?keyword=${row.deviceNum}&detail=${row.deviceId}`

/** Number of the order, short: its last six and a copy button. */
export const NumberCell = ({ row: { orderNum } }: { row: OrderRow }) => (
  <ShortNumber number={orderNum} title={groupedOrder(orderNum)} to={detailPath(orderNum)} />
)

/** The name gives way, the count never does. */
export function ProductCell({ row, size = 24 }: { row: OrderRow; size?: number }) {
  const [, name = row.detail, count = ''] = /^(.*?)( ×\d+.*)$/.exec(row.detail) ?? []
  return (
    <Side gap={8}>
      <Picture src={row.img} size={size} />
      <Side whole title={row.detail}>
        <Cut own>{name}</Cut>
        <span>{count}</span>
      </Side>
    </Side>
  )
}

/** Where it was sold; a link for those who may look at machines. */
export function MachineCell({ row, link = true }: { row: OrderRow; link?: boolean }) {
  const linked = useMay()('device:read') && link
  return (
    <Cut title={row.name}>
      {linked ? <Link to={machinePath(row)}>{row.deviceNum}</Link> : row.deviceNum}{' '}
      <Muted>{row.name}</Muted>
    </Cut>
  )
}

export function useReason(): (row: OrderRow) => string | null {
  const { t } = useTranslation('orders')
  return (row) =>
    row.failReason && (row.orderStatus === 'ABNORMAL' || row.orderStatus === 'REFUNDED')
      ? t(`enums.failReason.${row.failReason}`, { defaultValue: row.failReason })
      : null
}

/** State, and beside it why. */
export function StatusCell({ row }: { row: OrderRow }) {
  const { t } = useTranslation('orders')
  const reason = useReason()(row)
  return (
    <Side gap={6}>
      <StatusTag tone={statusTones[row.orderStatus]} chip>
        {t(`enums.orderStatus.${row.orderStatus}`)}
      </StatusTag>
      {reason ? (
        <Cut title={reason}>
          <Muted small>{reason}</Muted>
        </Cut>
      ) : null}
    </Side>
  )
}

/** Nothing given back is nothing to read. */
export const RefundedCell = ({ fen }: { fen: number }) =>
  fen === 0 ? <span className="hd-zero">0</span> : <Money fen={fen} />

/** One order on a phone: what is wrong, what for, where, and its two figures. */
export function OrderCard({ row, actions }: { row: OrderRow; actions: ReactNode }) {
  const { t } = useTranslation('orders')
  const back = row.refundedAmount > 0 && row.orderStatus !== 'REFUNDED'
  return (
    <>
      <CardHead
        title={<StatusCell row={row} />}
        lines={[<MachineCell key="at" row={row} link={false} />]}
        end={<Money fen={row.actuallyAmount} strong />}
      />
      <Flex align="center" justify="space-between" gap={8}>
        <ProductCell row={row} size={32} />
        <Muted small>
          {back ? `${t('fields.refundedAmount')} ${yuan(row.refundedAmount)} ` : null}
          <Time at={row.createTime} />
        </Muted>
      </Flex>
      <Flex align="center" justify="space-between" gap={8} wrap>
        <NumberCell row={row} />
        {actions}
      </Flex>
    </>
  )
}
