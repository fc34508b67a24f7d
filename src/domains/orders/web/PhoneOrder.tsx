import RightOutlined from '@ant-design/icons/es/icons/RightOutlined'
import { Button, Flex } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { yuan } from '../../../shared/money.ts'
import { CopyButton } from '../../../web/CopyButton.tsx'
import { Money } from '../../../web/Money.tsx'
import { Picture } from '../../../web/Picture.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { CardHead } from '../../../web/ui/Card.tsx'
import { Pairs, Sheet } from '../../../web/ui/Sheet.tsx'
import { Lead, Muted } from '../../../web/ui/Text.tsx'
import { SplitBlock } from '../../splits/web/SplitBlock.tsx'
import type { OrderDetail } from '../contract.ts'
import { machinePath } from './cells.tsx'
import type { OnDo } from './doing.ts'
import { OrderChip } from './OrderChip.tsx'
import styles from './orders.module.css'
import { PieceActs } from './PieceLines.tsx'
import { whyNoRefund } from './refunding.ts'
import { StationMark } from './StationMark.tsx'
import {
  clock,
  groupedOrder,
  lane,
  stationsOf,
  summaryOf,
  type Unit,
  unitChip,
  worstFirst,
} from './stations.ts'
import { useWords } from './words.ts'

/**
 * The order for one hand: what is wrong first, the pieces, the course of one of them, the verb at
 * the bottom.
 */
export function PhoneOrder({ order, onDo }: { order: OrderDetail; onDo: OnDo }) {
  const { t } = useTranslation('orders')
  const { list } = useWords()
  const may = useMay()
  const [chosen, setChosen] = useState<number | null>(null)
  const pieces = worstFirst(order)
  const unit = pieces.find(({ id }) => id === chosen) ?? pieces[0]
  const machine = `${order.deviceNum} ${order.name}`
  return (
    <Flex vertical flex={1} gap={8}>
      <Sheet label={t('detailTitle')}>
        <Flex align="center" justify="space-between" className={styles.paid ?? ''}>
          <OrderChip order={order} plain />
          <Money fen={order.actuallyAmount} strong />
        </Flex>
        <p>{list(summaryOf(order))}</p>
        <Flex align="center" gap={4}>
          <Muted>{groupedOrder(order.orderNum)}</Muted> <CopyButton text={order.orderNum} />
        </Flex>
      </Sheet>
      <Sheet label={t('units')} flush>
        {may('device:read') ? (
          <Link className={styles.machine ?? ''} to={machinePath(order)}>
            <strong>{machine}</strong>
            <RightOutlined />
          </Link>
        ) : (
          <div className={styles.machine}>
            <strong>{machine}</strong>
          </div>
        )}
        {pieces.map((piece) => (
          <Piece
            key={piece.id}
            order={order}
            piece={piece}
            pressed={piece.id === unit?.id}
            onPress={() => setChosen(piece.id)}
          />
        ))}
      </Sheet>
      {unit ? <Progress order={order} unit={unit} onDo={onDo} /> : null}
      <Paid order={order} />
      <SplitBlock orderNum={order.orderNum} />
      {may('order:refund') && whyNoRefund(order) === null ? (
        <div className={styles.bottom}>
          <Button danger block onClick={() => onDo({ what: 'refund' })}>
            {t('refundTitle')}
          </Button>
        </div>
      ) : null}
    </Flex>
  )
}

type PieceProps = { order: OrderDetail; piece: Unit; pressed: boolean; onPress: () => void }
function Piece({ order, piece, pressed, onPress }: PieceProps) {
  const { t } = useTranslation('orders')
  const { words } = useWords()
  const chip = unitChip(order, piece)
  const at = piece.road === null ? [] : [t('road', { road: lane(piece.road) })]
  return (
    <button type="button" className={styles.press} aria-pressed={pressed} onClick={onPress}>
      <CardHead
        picture={<Picture src={piece.img} size={40} />}
        title={`${piece.productName} ${piece.model}`}
        lines={[...at, yuan(piece.paid)]}
        end={
          <StatusTag tone={chip.tone} chip>
            {words(chip.word)}
          </StatusTag>
        }
      />
    </button>
  )
}

function Paid({ order }: { order: OrderDetail }) {
  const { t } = useTranslation('orders')
  const { userName, payType, channel, refundedAmount, payment } = order
  const back = <Money key="back" fen={refundedAmount} />
  return (
    <Sheet label={t('payment')}>
      <Pairs
        items={[
          ...(userName ? [[t('fields.userName'), userName] as const] : []),
          [
            t('fields.payType'),
            `${t(`enums.payType.${payType}`)} · ${t(`enums.channel.${channel}`)}`,
          ],
          ...(refundedAmount > 0 ? [[t('fields.refundedAmount'), back] as const] : []),
          ...(payment?.tradeNo ? [[t('fields.tradeNo'), payment.tradeNo] as const] : []),
        ]}
      />
    </Sheet>
  )
}

/** The stations of one piece, newest first. */
function Progress({ order, unit, onDo }: { order: OrderDetail; unit: Unit; onDo: OnDo }) {
  const { t } = useTranslation('orders')
  const { words, list } = useWords()
  const stations = stationsOf(order, unit)
  const reached = stations.filter((station) => station.state !== 'todo').reverse()
  return (
    <Sheet
      title={t('progress', { name: unit.productName })}
      end={unit.road === null ? null : <Muted>{t('road', { road: lane(unit.road) })}</Muted>}
    >
      <ol className={styles.steps}>
        {reached.map(({ key, state, word, at, note, more, detail }) => {
          const notes = [
            ...[note, more].flatMap((text) => (text ? [words(text)] : [])),
            ...(detail ? [detail] : []),
            ...(key === 'vend' && unit.held ? [t('held')] : []),
          ]
          return (
            <li key={key} data-state={state}>
              <StationMark state={state} />
              <b>{words(word)}</b>
              {at ? <time dateTime={at}>{clock(at, order.createTime)}</time> : null}
              {notes.length > 0 ? <small>{notes.join(t('summary.join'))}</small> : null}
            </li>
          )
        })}
      </ol>
      <PieceActs unit={unit} onDo={onDo} />
      {reached.length === 0 ? (
        <Lead>{list([{ key: `enums.orderStatus.${order.orderStatus}` }])}</Lead>
      ) : null}
    </Sheet>
  )
}
