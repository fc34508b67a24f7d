import LinkOutlined from '@ant-design/icons/es/icons/LinkOutlined'
import PrinterOutlined from '@ant-design/icons/es/icons/PrinterOutlined'
import RollbackOutlined from '@ant-design/icons/es/icons/RollbackOutlined'
import { Button, Flex } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useParams } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { CopyButton } from '../../../web/CopyButton.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useLive } from '../../../web/live.ts'
import { Money } from '../../../web/Money.tsx'
import { Empty, Problem, Skeleton } from '../../../web/Problem.tsx'
import { useMay } from '../../../web/session.ts'
import { useTabTitle } from '../../../web/shell/tabs.ts'
import { usePhone } from '../../../web/shell/useWidth.ts'
import { toast } from '../../../web/toast.ts'
import { Figures, Sheet } from '../../../web/ui/Sheet.tsx'
import { Tooltip } from '../../../web/ui/Tooltip.tsx'
import { SplitBlock } from '../../splits/web/SplitBlock.tsx'
import { type OrderDetail as Order, orders } from '../contract.ts'
import { MachineCell } from './cells.tsx'
import type { Doing, OnDo } from './doing.ts'
import { OrderChip } from './OrderChip.tsx'
import styles from './orders.module.css'
import { PhoneOrder } from './PhoneOrder.tsx'
import { PieceLines } from './PieceLines.tsx'
import { RefundDialog } from './RefundDialog.tsx'
import { whyNoRefund } from './refunding.ts'
import { DiscountBlock, PaymentBlock, RefundBlock, RelatedBlock } from './Sides.tsx'
import { groupedOrder, refundingOf, shortOrder } from './stations.ts'
import { Timeline } from './Timeline.tsx'
import { useWords } from './words.ts'

const VendDialog = lazyDialog(() => import('./VendDialog.tsx').then((m) => m.VendDialog))
const ResolveDialog = lazyDialog(() => import('./ResolveDialog.tsx').then((m) => m.ResolveDialog))
const ReceiptDialog = lazyDialog(() => import('./Receipt.tsx').then((m) => m.ReceiptDialog))

const orderNumbers = /^\d{20}$/

/** One order: what was paid, what each piece did, what went back. */
export function OrderDetail() {
  const { t } = useTranslation('orders')
  const { orderNum = '' } = useParams()
  const known = orderNumbers.test(orderNum)
  const phone = usePhone()
  const [doing, setDoing] = useState<Doing | null>(null)
  const close = () => setDoing(null)
  useTabTitle(known ? shortOrder(orderNum) : undefined)
  useLive('orders', [orders.get.path])
  const read = useRead(orders.get, { orderNum }, { inline: true, enabled: known })
  const toList = <Link to="/order/order-list">{t('toList')}</Link>

  if (!known)
    return (
      <Sheet>
        <Empty title={t('detailMissing')} hint={t('detailMissingHint')} action={toList} />
      </Sheet>
    )
  if (!read.data)
    return (
      <Sheet>
        {read.error ? (
          <Problem
            error={read.error}
            title={t('detailFailed')}
            onRetry={() => void read.refetch()}
          />
        ) : (
          <Skeleton rows={8} />
        )}
      </Sheet>
    )
  const order = read.data
  return (
    <>
      {phone ? (
        <PhoneOrder order={order} onDo={setDoing} />
      ) : (
        <WideOrder order={order} onDo={setDoing} />
      )}
      {doing?.what === 'refund' ? <RefundDialog orderNum={orderNum} onClose={close} /> : null}
      {doing?.what === 'vend' ? (
        <VendDialog orderNum={orderNum} unitId={doing.unit.id} onClose={close} />
      ) : null}
      {doing?.what === 'resolve' ? (
        <ResolveDialog orderNum={orderNum} unit={doing.unit} onClose={close} />
      ) : null}
      {doing?.what === 'receipt' ? <ReceiptDialog order={order} onClose={close} /> : null}
    </>
  )
}

function WideOrder({ order, onDo }: { order: Order; onDo: OnDo }) {
  const { t } = useTranslation('orders')
  return (
    <Flex vertical gap={12}>
      <Sheet label={t('detailTitle')}>
        <Flex align="center" gap={10} className={styles.title ?? ''}>
          <OrderChip order={order} />
          <h1>{groupedOrder(order.orderNum)}</h1>
          <CopyButton text={order.orderNum} />
          <span className={styles.end}>
            <Flex gap={8}>
              <CopyLink />
              <Button icon={<PrinterOutlined />} onClick={() => onDo({ what: 'receipt' })}>
                {t('receipt')}
              </Button>
              <RefundButton order={order} onRefund={() => onDo({ what: 'refund' })} />
            </Flex>
          </span>
        </Flex>
        <Amounts order={order} />
      </Sheet>
      <div className={styles.columns}>
        <div>
          <PieceLines order={order} onDo={onDo} />
          <Timeline order={order} />
        </div>
        <div>
          <PaymentBlock order={order} />
          <RefundBlock order={order} />
          <SplitBlock orderNum={order.orderNum} />
          <DiscountBlock order={order} />
          <RelatedBlock order={order} />
        </div>
      </div>
    </Flex>
  )
}

/** For whoever is asked to look at this order, too. */
function CopyLink() {
  const { t } = useTranslation('orders')
  const copy = () =>
    void navigator.clipboard.writeText(window.location.href).then(
      () => toast('success', t('linkCopied')),
      () => undefined,
    )
  return (
    <Button icon={<LinkOutlined />} onClick={copy}>
      {t('copyLink')}
    </Button>
  )
}

/** Absent without the right, off with its reason in the wrong state. */
function RefundButton({ order, onRefund }: { order: Order; onRefund: () => void }) {
  const { t } = useTranslation('orders')
  const { refusal } = useWords()
  const may = useMay()
  if (!may('order:refund')) return null
  const why = whyNoRefund(order)
  return (
    <Tooltip title={why ? refusal(why) : null}>
      <span>
        <Button danger icon={<RollbackOutlined />} disabled={why !== null} onClick={onRefund}>
          {t('refundTitle')}
        </Button>
      </span>
    </Tooltip>
  )
}

function Amounts({ order }: { order: Order }) {
  const { t } = useTranslation('orders')
  const money = (key: string, fen: number) =>
    [t(`fields.${key}`), <Money key={key} fen={fen} />] as const
  return (
    <Figures
      items={[
        money('totalAmount', order.totalAmount),
        money('discountAmount', -order.discountAmount),
        money('actuallyAmount', order.actuallyAmount),
        money('refunding', refundingOf(order)),
        money('refundedAmount', order.refundedAmount),
        ...(order.costPrice === null ? [] : [money('costPrice', order.costPrice)]),
        [t('machine'), <MachineCell key="machine" row={order} />],
      ]}
    />
  )
}
