import RightOutlined from '@ant-design/icons/es/icons/RightOutlined'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { yuan } from '../../../shared/money.ts'
import { CopyButton } from '../../../web/CopyButton.tsx'
import { Money } from '../../../web/Money.tsx'
import { Picture } from '../../../web/Picture.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import type { OrderDetail } from '../contract.ts'
import { machinePath } from './cells.tsx'
import { OrderChip } from './OrderChip.tsx'
import styles from './phone.module.css'
import { whyNoRefund } from './refunding.ts'
import { StationMark } from './StationMark.tsx'
import { clock, groupedOrder, lane, stationsOf, summaryOf, type Unit, unitChip, worstFirst } from './stations.ts'
import { useWords } from './words.ts'

/** The order for one hand: what is wrong first, the pieces, the course of one of them, the verb at the bottom. */
export function PhoneOrder({ order, onRefund }: { order: OrderDetail; onRefund: () => void }) {
  const { t } = useTranslation('orders')
  const { words, list } = useWords()
  const may = useMay()
  const [chosen, setChosen] = useState<number | null>(null)
  const pieces = worstFirst(order)
  const unit = pieces.find(({ id }) => id === chosen) ?? pieces[0]
  const machine = (
    <>
      <strong>
        {order.deviceNum} {order.name}
      </strong>
      {may('device:read') ? <RightOutlined /> : null}
    </>
  )
  return (
    <div className={styles.page}>
      <section className={`hd-sheet ${styles.card}`}>
        <div className={styles.head}>
          <OrderChip order={order} plain />
          <strong>
            <Money fen={order.actuallyAmount} />
          </strong>
        </div>
        <p>{list(summaryOf(order))}</p>
        <div className={styles.number}>
          {groupedOrder(order.orderNum)} <CopyButton text={order.orderNum} />
        </div>
      </section>
      <section className={`hd-sheet ${styles.list}`} aria-label={t('units')}>
        {may('device:read') ? (
          <Link className={styles.machine ?? ''} to={machinePath(order)}>
            {machine}
          </Link>
        ) : (
          <div className={styles.machine}>{machine}</div>
        )}
        {pieces.map((piece) => {
          const chip = unitChip(order, piece)
          return (
            <button key={piece.id} type="button" className={styles.piece} aria-pressed={piece.id === unit?.id} onClick={() => setChosen(piece.id)}>
              <Picture src={piece.img} size={40} />
              <span>
                <b>
                  {piece.productName} {piece.model}
                </b>
                <small>
                  {piece.road === null ? null : <span>{t('road', { road: lane(piece.road) })}</span>}
                  <span>{yuan(piece.paid)}</span>
                </small>
              </span>
              <StatusTag tone={chip.tone} chip>
                {words(chip.word)}
              </StatusTag>
            </button>
          )
        })}
      </section>
      {unit ? <Progress order={order} unit={unit} /> : null}
      <section className={`hd-sheet ${styles.card}`}>
        <dl className={styles.rows}>
          {order.userName ? (
            <div>
              <dt>{t('fields.userName')}</dt>
              <dd>{order.userName}</dd>
            </div>
          ) : null}
          <div>
            <dt>{t('fields.payType')}</dt>
            <dd>
              {t(`enums.payType.${order.payType}`)} · {t(`enums.channel.${order.channel}`)}
            </dd>
          </div>
          {order.refundedAmount > 0 ? (
            <div>
              <dt>{t('fields.refundedAmount')}</dt>
              <dd>
                <Money fen={order.refundedAmount} />
              </dd>
            </div>
          ) : null}
          {order.payment?.tradeNo ? (
            <div>
              <dt>{t('fields.tradeNo')}</dt>
              <dd className={styles.long}>{order.payment.tradeNo}</dd>
            </div>
          ) : null}
        </dl>
      </section>
      {may('order:refund') && whyNoRefund(order) === null ? (
        <div className={styles.bottom}>
          <Button danger onClick={onRefund}>
            {t('refundTitle')}
          </Button>
        </div>
      ) : null}
    </div>
  )
}

/** The stations of one piece, newest first. */
function Progress({ order, unit }: { order: OrderDetail; unit: Unit }) {
  const { t } = useTranslation('orders')
  const { words, list } = useWords()
  const reached = stationsOf(order, unit)
    .filter((station) => station.state !== 'todo')
    .reverse()
  return (
    <section className={`hd-sheet ${styles.card}`}>
      <header className={styles.title}>
        <h2>{t('progress', { name: unit.productName })}</h2>
        {unit.road === null ? null : <small>{t('road', { road: lane(unit.road) })}</small>}
      </header>
      <ol className={styles.steps}>
        {reached.map(({ key, state, word, at, note, more, detail }) => {
          const notes = [
            ...(note ? [words(note)] : []),
            ...(more ? [words(more)] : []),
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
      {reached.length === 0 ? <p className={styles.quiet}>{list([{ key: `enums.orderStatus.${order.orderStatus}` }])}</p> : null}
    </section>
  )
}
