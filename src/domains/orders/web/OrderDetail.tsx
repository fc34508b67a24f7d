import RollbackOutlined from '@ant-design/icons/es/icons/RollbackOutlined'
import { Button, Skeleton, Tooltip } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useParams } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { CopyButton } from '../../../web/CopyButton.tsx'
import { useLive } from '../../../web/live.ts'
import { Money } from '../../../web/Money.tsx'
import { Empty, Problem } from '../../../web/Problem.tsx'
import { useMay } from '../../../web/session.ts'
import { useTabTitle } from '../../../web/shell/tabs.ts'
import { usePhone } from '../../../web/shell/useWidth.ts'
import { type OrderDetail as Order, orders } from '../contract.ts'
import { MachineCell } from './cells.tsx'
import styles from './detail.module.css'
import { OrderChip } from './OrderChip.tsx'
import { PhoneOrder } from './PhoneOrder.tsx'
import { PieceLines } from './PieceLines.tsx'
import { RefundDialog } from './RefundDialog.tsx'
import { whyNoRefund } from './refunding.ts'
import { PaymentBlock, RefundBlock, RelatedBlock } from './Sides.tsx'
import { groupedOrder, refundingOf, shortOrder } from './stations.ts'
import { Timeline } from './Timeline.tsx'
import { useWords } from './words.ts'

const orderNumbers = /^\d{20}$/

/** One order: what was paid, what each piece did, what went back. */
export function OrderDetail() {
  const { t } = useTranslation('orders')
  const { orderNum = '' } = useParams()
  const known = orderNumbers.test(orderNum)
  const phone = usePhone()
  const [refunding, setRefunding] = useState(false)
  useTabTitle(known ? shortOrder(orderNum) : undefined)
  useLive('orders', [orders.get.path])
  const read = useRead(orders.get, { orderNum }, { inline: true, enabled: known })
  const toList = <Link to="/order/order-list">{t('toList')}</Link>

  if (!known)
    return (
      <section className="hd-sheet">
        <Empty title={t('detailMissing')} hint={t('detailMissingHint')} action={toList} />
      </section>
    )
  if (!read.data)
    return (
      <section className={`hd-sheet ${styles.waiting}`}>
        {read.error ? (
          <Problem error={read.error} title={t('detailFailed')} onRetry={() => void read.refetch()} />
        ) : (
          <Skeleton active paragraph={{ rows: 8 }} />
        )}
      </section>
    )
  const order = read.data
  const open = () => setRefunding(true)
  return (
    <>
      {phone ? <PhoneOrder order={order} onRefund={open} /> : <WideOrder order={order} onRefund={open} />}
      {refunding ? <RefundDialog orderNum={orderNum} onClose={() => setRefunding(false)} /> : null}
    </>
  )
}

function WideOrder({ order, onRefund }: { order: Order; onRefund: () => void }) {
  const { t } = useTranslation('orders')
  return (
    <div className={styles.page}>
      <section className={`hd-sheet ${styles.head}`} aria-label={t('detailTitle')}>
        <div className={styles.title}>
          <OrderChip order={order} />
          <h1>{groupedOrder(order.orderNum)}</h1>
          <CopyButton text={order.orderNum} />
          <span className={styles.grow} />
          <RefundButton order={order} onRefund={onRefund} />
        </div>
        <Amounts order={order} />
      </section>
      <div className={styles.columns}>
        <div className={styles.main}>
          <PieceLines order={order} />
          <Timeline order={order} />
        </div>
        <div className={styles.side}>
          <PaymentBlock order={order} />
          <RefundBlock order={order} />
          <RelatedBlock order={order} />
        </div>
      </div>
    </div>
  )
}

/** Absent without the right, off with its reason in the wrong state. */
function RefundButton({ order, onRefund }: { order: Order; onRefund: () => void }) {
  const { t } = useTranslation('orders')
  const { refusal } = useWords()
  const may = useMay()
  if (!may('order:refund')) return null
  const why = whyNoRefund(order)
  const button = (
    <Button danger icon={<RollbackOutlined />} disabled={why !== null} onClick={onRefund}>
      {t('refundTitle')}
    </Button>
  )
  return why ? <Tooltip title={refusal(why)}>{button}</Tooltip> : button
}

function Amounts({ order }: { order: Order }) {
  const { t } = useTranslation('orders')
  const refunding = refundingOf(order)
  const figures: [key: string, value: ReactNode][] = [
    ['totalAmount', <Money key="v" fen={order.totalAmount} />],
    ['discountAmount', <Money key="v" fen={-order.discountAmount} />],
    ['actuallyAmount', <Money key="v" fen={order.actuallyAmount} />],
    [
      'refunding',
      <span key="v" className={refunding > 0 ? styles.moving : undefined}>
        <Money fen={refunding} />
      </span>,
    ],
    ['refundedAmount', <Money key="v" fen={order.refundedAmount} />],
    ...(order.costPrice === null ? [] : [['costPrice', <Money key="v" fen={order.costPrice} />] as [string, ReactNode]]),
  ]
  return (
    <dl className={styles.amounts}>
      {figures.map(([key, value]) => (
        <div key={key}>
          <dt>{t(`fields.${key}`)}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      <div className={styles.where}>
        <dt>{t('machine')}</dt>
        <dd>
          <MachineCell row={order} />
        </dd>
      </div>
    </dl>
  )
}
