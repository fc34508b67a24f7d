import { Divider, Flex } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { CopyButton } from '../../../web/CopyButton.tsx'
import { Money } from '../../../web/Money.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { Pairs, Sheet } from '../../../web/ui/Sheet.tsx'
import { Bad, Cut } from '../../../web/ui/Text.tsx'
import type { OrderDetail } from '../contract.ts'
import { refundTries } from '../rules.ts'
import { clock, lane, payTones, refundTones, shortForeign, type Unit } from './stations.ts'
import { useWords } from './words.ts'

type Items = (readonly [label: string, value: ReactNode] | false)[]
const List = ({ items }: { items: Items }) => (
  <Pairs items={items.filter((item) => item !== false)} />
)
const Copied = ({ number, short }: { number: string; short: string }) => (
  <Flex align="center" justify="end" gap={2}>
    <span title={number}>{short}</span>
    <CopyButton text={number} />
  </Flex>
)
const foreign = (number: string) => (
  <Copied key={number} number={number} short={shortForeign(number)} />
)

export function PaymentBlock({ order }: { order: OrderDetail }) {
  const { t } = useTranslation('orders')
  const f = (key: string) => t(`fields.${key}`)
  const { payment, payType, channel, orderType } = order
  const provider = payment
    ? t(`enums.provider.${payment.provider}`, { defaultValue: payment.provider })
    : ''
  return (
    <Sheet
      title={t('payment')}
      end={
        <StatusTag tone={payTones[order.payState]} chip>
          {t(`enums.payState.${order.payState}`)}
        </StatusTag>
      }
    >
      <List
        items={[
          [f('payType'), t(`enums.payType.${payType}`)],
          payment !== null && [f('provider'), provider],
          [f('paidAt'), order.paidAt ? <Time key="v" at={order.paidAt} style="full" /> : null],
          [f('tradeNo'), payment?.tradeNo ? foreign(payment.tradeNo) : null],
          payment !== null && [f('outTradeNo'), foreign(payment.outTradeNo)],
          payment !== null && [f('fee'), <Money key="v" fen={payment.fee} />],
          [f('userName'), order.userName],
          order.registered !== null && [
            f('registered'),
            `${order.registered.buyer} ${order.registered.card}`,
          ],
          [f('channel'), `${t(`enums.channel.${channel}`)} · ${t(`enums.orderType.${orderType}`)}`],
          [f('ownedUserName'), order.ownedUserName],
        ]}
      />
    </Sheet>
  )
}

/** What the pieces cost less, piece by piece; absent where nothing does. */
export function DiscountBlock({ order }: { order: OrderDetail }) {
  const { t } = useTranslation('orders')
  if (order.discountAmount === 0) return null
  return (
    <Sheet title={t('fields.discountAmount')} end={<Money fen={-order.discountAmount} strong />}>
      <List
        items={order.units
          .filter((unit) => unit.discount > 0)
          .map((unit) => [
            `${t('piece', { n: unit.unitNo })} ${unit.productName}`,
            <Flex key={unit.id} gap={8} justify="end">
              <Money fen={unit.price} />
              <Money fen={-unit.discount} />
            </Flex>,
          ])}
      />
    </Sheet>
  )
}

/** Refunds piece by piece; absent while nothing goes back. */
export function RefundBlock({ order }: { order: OrderDetail }) {
  const { t } = useTranslation('orders')
  const refunds = order.units.flatMap((unit) =>
    unit.refund ? [{ ...unit, refund: unit.refund }] : [],
  )
  if (refunds.length === 0) return null
  return (
    <Sheet
      title={t('refundBlock')}
      note={refunds.length > 1 ? t('line', { n: refunds.length }) : null}
    >
      {refunds.map((unit, index) => (
        <div key={unit.id}>
          {index > 0 ? <Divider size="small" /> : null}
          <Refund unit={unit} since={order.createTime} />
        </div>
      ))}
    </Sheet>
  )
}

type Refunded = Unit & { refund: NonNullable<Unit['refund']> }
function Refund({ unit, since }: { unit: Refunded; since: string }) {
  const { t } = useTranslation('orders')
  const { words } = useWords()
  const { refund } = unit
  const reason = words({ key: `enums.refundReason.${refund.reason}` })
  const moving = refund.state === 'PENDING' || refund.state === 'PROCESSING'
  const { lastError, nextAt, attempts, succeededAt } = refund
  const f = (key: string) => t(`fields.${key}`)
  return (
    <>
      <Flex align="center" gap={8}>
        <Cut>
          {t('piece', { n: unit.unitNo })} {unit.productName}
        </Cut>
        <StatusTag tone={refundTones[refund.state]} chip>
          {t(`enums.refundState.${refund.state}`)}
        </StatusTag>
      </Flex>
      <List
        items={[
          [
            f('refundNo'),
            <Copied key="v" number={refund.refundNo} short={`…${refund.refundNo.slice(-9)}`} />,
          ],
          [f('amount'), <Money key="v" strong fen={refund.amount} />],
          [
            f('reason'),
            refund.automatic ? t('withNote', { text: reason, note: t('automatic') }) : reason,
          ],
          (attempts > 1 || (moving && attempts > 0)) && [
            f('attempts'),
            t('attempt', { n: attempts, max: Math.max(attempts, refundTries) }),
          ],
          succeededAt !== null && [
            f('succeededAt'),
            <Time key="v" at={succeededAt} style="full" />,
          ],
          lastError !== null &&
            refund.state !== 'SUCCESS' && [f('lastError'), <Bad key="v">{lastError}</Bad>],
          moving && lastError !== null && nextAt !== null && [f('nextAt'), clock(nextAt, since)],
        ]}
      />
    </>
  )
}

/**
 * Pieces nobody knows the place of (somebody has to count the lane), complaints about the order, and
 * who did what with it.
 */
export function RelatedBlock({ order }: { order: OrderDetail }) {
  const { t } = useTranslation('orders')
  const may = useMay()
  const lost = order.units.filter((unit) => unit.held && unit.road !== null)
  const held = [...Map.groupBy(lost, (unit) => unit.road ?? 0)].map(([road, units], index) => {
    const text = t('heldLane', { road: lane(road), n: units.length })
    const lanes = `/device/device-list/cargo-road/${order.deviceId}`
    return [
      index === 0 ? t('held') : `${t('held')} ${index + 1}`,
      may('lane:read') ? (
        <Link key="v" to={lanes}>
          {text}
        </Link>
      ) : (
        text
      ),
    ] as const
  })
  const told = order.complaints.map(
    ({ id, content }, index) =>
      [
        index === 0 ? t('complaint') : `${t('complaint')} ${index + 1}`,
        <Cut key="v" title={content}>
          <Link to={`/complaint/feedback?orderNum=${order.orderNum}&detail=${id}`}>{content}</Link>
        </Cut>,
      ] as const,
  )
  const log = may('log:read')
    ? [
        [
          t('log'),
          <Link key="v" to={`/log/operate-log?keyword=${order.orderNum}`}>
            {t('logOpen')}
          </Link>,
        ] as const,
      ]
    : []
  const items = [...held, ...told, ...log]
  if (items.length === 0) return null
  return (
    <Sheet title={t('related')}>
      <List items={items} />
    </Sheet>
  )
}
