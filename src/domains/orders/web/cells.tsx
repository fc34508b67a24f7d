import { Tooltip } from 'antd'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { CopyButton } from '../../../web/CopyButton.tsx'
import { Money } from '../../../web/Money.tsx'
import { Picture } from '../../../web/Picture.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import type { OrderRow } from '../contract.ts'
import styles from './orders.module.css'
import { groupedOrder, shortOrder, statusTones } from './stations.ts'

export const detailPath = (orderNum: string): string => `/order/order-details/${orderNum}`
/** The machine's own panel over the list of machines. */
export const machinePath = (row: OrderRow): string => `/device/device-list?keyword=${row.deviceNum}&detail=${row.deviceId}`

/** True for a second after the row changed under the reader's eyes, or when the order is brand-new. */
function useFresh(row: OrderRow): boolean {
  const state = `${row.orderStatus} ${row.refundedAmount} ${row.failReason ?? ''}`
  const [seen, setSeen] = useState(state)
  const [fresh, setFresh] = useState(() => Math.abs(Date.now() - Date.parse(row.createTime)) < 10_000)
  if (seen !== state) {
    setSeen(state)
    setFresh(true)
  }
  useEffect(() => {
    if (!fresh) return
    const timer = setTimeout(() => setFresh(false), 1000)
    return () => clearTimeout(timer)
  }, [fresh])
  return fresh
}

/** Number of the order, short: its last six and a copy button; tints its row when the order changes. */
export function NumberCell({ row }: { row: OrderRow }) {
  const fresh = useFresh(row)
  return (
    <span className={styles.number} data-fresh={fresh}>
      <Tooltip title={groupedOrder(row.orderNum)}>
        <Link to={detailPath(row.orderNum)} title={row.orderNum}>
          {shortOrder(row.orderNum)}
        </Link>
      </Tooltip>
      <CopyButton text={row.orderNum} />
    </span>
  )
}

/** The name gives way, the count never does. */
function Products({ detail }: { detail: string }) {
  const [, name = detail, count = ''] = /^(.*?)( ×\d+.*)$/.exec(detail) ?? []
  return (
    <span className={styles.products} title={detail}>
      <span>{name}</span>
      <span>{count}</span>
    </span>
  )
}

export const ProductCell = ({ row }: { row: OrderRow }) => (
  <span className={styles.product}>
    <Picture src={row.img} size={24} />
    <Products detail={row.detail} />
  </span>
)

/** Where it was sold; a link for those who may look at machines. */
export function MachineCell({ row, link = true }: { row: OrderRow; link?: boolean }) {
  const may = useMay()
  const number = link && may('device:read') ? <Link to={machinePath(row)}>{row.deviceNum}</Link> : row.deviceNum
  return (
    <span className={styles.machine}>
      {number} <small title={row.name}>{row.name}</small>
    </span>
  )
}

/** State, and beside it why. */
export function StatusCell({ row }: { row: OrderRow }) {
  const { t } = useTranslation('orders')
  const reason =
    row.failReason && (row.orderStatus === 'ABNORMAL' || row.orderStatus === 'REFUNDED')
      ? t(`enums.failReason.${row.failReason}`, { defaultValue: row.failReason })
      : null
  return (
    <span className={styles.status}>
      <StatusTag tone={statusTones[row.orderStatus]} chip>
        {t(`enums.orderStatus.${row.orderStatus}`)}
      </StatusTag>
      {reason ? <small title={reason}>{reason}</small> : null}
    </span>
  )
}

/** Nothing given back is nothing to read. */
export const RefundedCell = ({ fen }: { fen: number }) => (fen === 0 ? <span className="hd-zero">0</span> : <Money fen={fen} />)

/** One order on a phone. */
export function OrderCard({ row, actions }: { row: OrderRow; actions: ReactNode }) {
  const { t } = useTranslation('orders')
  return (
    <div className={styles.card}>
      <div className={styles.cardHead}>
        <StatusCell row={row} />
        <strong>
          <Money fen={row.actuallyAmount} />
        </strong>
      </div>
      <div className={styles.cardLine}>
        <Picture src={row.img} size={32} />
        <Products detail={row.detail} />
      </div>
      <div className={styles.cardLine}>
        <MachineCell row={row} link={false} />
        <Time at={row.createTime} />
      </div>
      <div className={styles.cardFoot}>
        <NumberCell row={row} />
        {row.refundedAmount > 0 && row.orderStatus !== 'REFUNDED' ? (
          <span className={styles.quiet}>
            {t('fields.refundedAmount')} <Money fen={row.refundedAmount} />
          </span>
        ) : null}
        <span className={styles.grow} />
        {actions}
      </div>
    </div>
  )
}
