import { Tooltip } from 'antd'
import { useTranslation } from 'react-i18next'
import { yuan } from '../../../shared/money.ts'
import { Picture } from '../../../web/Picture.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { zonedTime } from '../../../web/time.ts'
import type { OrderDetail } from '../contract.ts'
import styles from './detail.module.css'
import { StationMark } from './StationMark.tsx'
import { clock, lane, type Station, stationsOf, type Unit, unitChip } from './stations.ts'
import { useWords } from './words.ts'

/** One line per piece, five stations each. */
export function PieceLines({ order }: { order: OrderDetail }) {
  const { t } = useTranslation('orders')
  return (
    <section className="hd-sheet" aria-label={t('units')}>
      <header className={styles.sheetHead}>
        <h2>{t('units')}</h2>
        <small>{t('line', { n: order.units.length })}</small>
        <small>{t('unitsHint')}</small>
      </header>
      <ol className={styles.pieces}>
        {order.units.map((unit) => (
          <PieceLine key={unit.id} order={order} unit={unit} />
        ))}
      </ol>
    </section>
  )
}

function PieceLine({ order, unit }: { order: OrderDetail; unit: Unit }) {
  const { t } = useTranslation('orders')
  const { words } = useWords()
  const chip = unitChip(order, unit)
  const stations = stationsOf(order, unit)
  const name = `${unit.productName} ${unit.model}`
  return (
    <li className={styles.piece}>
      <span className={styles.no}>{unit.unitNo}</span>
      <Picture src={unit.img} size={32} />
      <div className={styles.what}>
        <strong title={name}>{name}</strong>
        <small>
          {unit.road === null ? null : <span>{t('road', { road: lane(unit.road) })}</span>}
          <span>{t(order.payState === 'UNPAID' || order.payState === 'CLOSED' ? 'dueShare' : 'paidShare', { amount: yuan(unit.paid) })}</span>
        </small>
      </div>
      <ol className={styles.stations}>
        {stations.map((station, index) => (
          <StationCell key={station.key} order={order} station={station} reached={reached(station, stations[index + 1])} />
        ))}
      </ol>
      <div className={styles.verdict}>
        <StatusTag tone={chip.tone} chip>
          {words(chip.word)}
        </StatusTag>
        {unit.held ? <small>{t('held')}</small> : null}
      </div>
    </li>
  )
}

/** The line to the next station is green as far as the piece came. */
const reached = (station: Station, next: Station | undefined): boolean =>
  station.state === 'done' && next !== undefined && (next.state !== 'todo' || station.key === 'vend')

function StationCell({ order, station, reached: green }: { order: OrderDetail; station: Station; reached: boolean }) {
  const { words } = useWords()
  const { state, at, note, more, detail } = station
  const cell = (
    <div className={styles.station} data-state={state} data-key={station.key}>
      <b>{words(station.word)}</b>
      {at ? (
        <time dateTime={at} title={zonedTime(new Date(at))}>
          {clock(at, order.createTime)}
        </time>
      ) : null}
      {note ? <span>{words(note)}</span> : null}
      {more ? <span>{words(more)}</span> : null}
      {at || note ? null : <span className="hd-none">—</span>}
    </div>
  )
  return (
    <li data-line={green}>
      <StationMark state={state} />
      {detail ? <Tooltip title={detail}>{cell}</Tooltip> : cell}
    </li>
  )
}
