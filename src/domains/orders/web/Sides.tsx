import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { CopyButton } from '../../../web/CopyButton.tsx'
import { Money } from '../../../web/Money.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import type { OrderDetail } from '../contract.ts'
import styles from './detail.module.css'
import { clock, lane, payTones, refundTones, refundTries, shortForeign } from './stations.ts'
import { useWords } from './words.ts'

type Rows = readonly (readonly [label: string, value: ReactNode])[]

/** Label left, value right. */
const List = ({ rows }: { rows: Rows }) => (
  <dl className={styles.rows}>
    {rows.map(([label, value]) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>{value === null || value === '' ? <span className="hd-none">—</span> : value}</dd>
      </div>
    ))}
  </dl>
)
const Block = ({ title, tag, children }: { title: string; tag?: ReactNode; children: ReactNode }) => (
  <section className={`hd-sheet ${styles.block}`} aria-label={title}>
    <header>
      <h2>{title}</h2>
      {tag}
    </header>
    {children}
  </section>
)
const Copied = ({ number, short }: { number: string; short: string }) => (
  <span className={styles.copied}>
    <span title={number}>{short}</span>
    <CopyButton text={number} />
  </span>
)

export function PaymentBlock({ order }: { order: OrderDetail }) {
  const { t } = useTranslation('orders')
  const { payment } = order
  const rows: Rows = [
    [t('fields.payType'), t(`enums.payType.${order.payType}`)],
    ...(payment ? [[t('fields.provider'), t(`enums.provider.${payment.provider}`, { defaultValue: payment.provider })] as const] : []),
    [t('fields.paidAt'), order.paidAt ? <Time key="v" at={order.paidAt} style="full" /> : null],
    [t('fields.tradeNo'), payment?.tradeNo ? <Copied key="v" number={payment.tradeNo} short={shortForeign(payment.tradeNo)} /> : null],
    ...(payment
      ? [
          [t('fields.outTradeNo'), <Copied key="v" number={payment.outTradeNo} short={shortForeign(payment.outTradeNo)} />] as const,
          [t('fields.fee'), <Money key="v" fen={payment.fee} />] as const,
        ]
      : []),
    [t('fields.userName'), order.userName],
    [t('fields.channel'), `${t(`enums.channel.${order.channel}`)} · ${t(`enums.orderType.${order.orderType}`)}`],
    [t('fields.ownedUserName'), order.ownedUserName],
  ]
  return (
    <Block
      title={t('payment')}
      tag={
        <StatusTag tone={payTones[order.payState]} chip>
          {t(`enums.payState.${order.payState}`)}
        </StatusTag>
      }
    >
      <List rows={rows} />
    </Block>
  )
}

/** Refunds piece by piece; absent while nothing goes back. */
export function RefundBlock({ order }: { order: OrderDetail }) {
  const { t } = useTranslation('orders')
  const { words } = useWords()
  const refunds = order.units.flatMap((unit) => (unit.refund ? [{ unit, refund: unit.refund }] : []))
  if (refunds.length === 0) return null
  return (
    <Block title={t('refundBlock')} tag={refunds.length > 1 ? <small>{t('line', { n: refunds.length })}</small> : null}>
      {refunds.map(({ unit, refund }) => {
        const reason = words({ key: `enums.refundReason.${refund.reason}` })
        const moving = refund.state === 'PENDING' || refund.state === 'PROCESSING'
        return (
          <div key={unit.id} className={styles.refund}>
            <header>
              <span>
                {t('piece', { n: unit.unitNo })} {unit.productName}
              </span>
              <StatusTag tone={refundTones[refund.state]} chip>
                {t(`enums.refundState.${refund.state}`)}
              </StatusTag>
            </header>
            <List
              rows={[
                [t('fields.refundNo'), <Copied key="v" number={refund.refundNo} short={`…${refund.refundNo.slice(-9)}`} />],
                [t('fields.amount'), <Money key="v" strong fen={refund.amount} />],
                [t('fields.reason'), refund.automatic ? t('withNote', { text: reason, note: t('automatic') }) : reason],
                ...(refund.attempts > 1 || (moving && refund.attempts > 0)
                  ? [[t('fields.attempts'), t('attempt', { n: refund.attempts, max: refundTries })] as const]
                  : []),
                ...(refund.succeededAt ? [[t('fields.succeededAt'), <Time key="v" at={refund.succeededAt} style="full" />] as const] : []),
                ...(refund.lastError && refund.state !== 'SUCCESS'
                  ? [
                      [
                        t('fields.lastError'),
                        <span key="v" className={styles.wrong}>
                          {refund.lastError}
                        </span>,
                      ] as const,
                    ]
                  : []),
                ...(moving && refund.lastError && refund.nextAt ? [[t('fields.nextAt'), clock(refund.nextAt, order.createTime)] as const] : []),
              ]}
            />
          </div>
        )
      })}
    </Block>
  )
}

/** Pieces nobody knows the place of: somebody has to count the lane. */
export function RelatedBlock({ order }: { order: OrderDetail }) {
  const { t } = useTranslation('orders')
  const may = useMay()
  const held = [
    ...Map.groupBy(
      order.units.filter((unit) => unit.held && unit.road !== null),
      (unit) => unit.road ?? 0,
    ),
  ]
  if (held.length === 0) return null
  return (
    <Block title={t('related')}>
      <List
        rows={held.map(([road, units], index) => {
          const text = t('heldLane', { road: lane(road), n: units.length })
          return [
            index === 0 ? t('held') : `${t('held')} ${index + 1}`,
            may('lane:read') ? (
              <Link key="v" to={`/device/device-list/cargo-road/${order.deviceId}`}>
                {text}
              </Link>
            ) : (
              text
            ),
          ] as const
        })}
      />
    </Block>
  )
}
