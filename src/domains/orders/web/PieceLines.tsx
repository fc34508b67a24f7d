import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { yuan } from '../../../shared/money.ts'
import { Picture } from '../../../web/Picture.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { zonedTime } from '../../../web/time.ts'
import { Sheet } from '../../../web/ui/Sheet.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { Tooltip } from '../../../web/ui/Tooltip.tsx'
import type { OrderDetail } from '../contract.ts'
import type { OnDo } from './doing.ts'
import styles from './orders.module.css'
import { StationMark } from './StationMark.tsx'
import { clock, lane, type Station, stationsOf, type Unit, unitChip } from './stations.ts'
import { useWords } from './words.ts'

/** One line per piece, five stations each. */
export function PieceLines({ order, onDo }: { order: OrderDetail; onDo: OnDo }) {
  const { t } = useTranslation('orders')
  return (
    <Sheet
      title={t('units')}
      note={`${t('line', { n: order.units.length })} · ${t('unitsHint')}`}
      flush
    >
      <ol className={styles.pieces}>
        {order.units.map((unit) => (
          <PieceLine key={unit.id} order={order} unit={unit} onDo={onDo} />
        ))}
      </ol>
    </Sheet>
  )
}

function PieceLine({ order, unit, onDo }: { order: OrderDetail; unit: Unit; onDo: OnDo }) {
  const { t } = useTranslation('orders')
  const { words } = useWords()
  const chip = unitChip(order, unit)
  const stations = stationsOf(order, unit)
  const name = `${unit.productName} ${unit.model}`
  const due = order.payState === 'UNPAID' || order.payState === 'CLOSED'
  return (
    <li className={styles.piece}>
      <Muted>{unit.unitNo}</Muted>
      <Picture src={unit.img} size={32} />
      <div className={styles.what}>
        <span title={name}>{name}</span>
        <Muted small>
          {unit.road === null ? null : `${t('road', { road: lane(unit.road) })} · `}
          {t(due ? 'dueShare' : 'paidShare', { amount: yuan(unit.paid) })}
        </Muted>
      </div>
      <ol className={styles.stations}>
        {stations.map((station, index) => (
          <StationCell
            key={station.key}
            order={order}
            station={station}
            reached={reached(station, stations[index + 1])}
          />
        ))}
      </ol>
      <div className={styles.verdict}>
        <StatusTag tone={chip.tone} chip>
          {words(chip.word)}
        </StatusTag>
        {unit.held ? <StatusTag tone="warn">{t('held')}</StatusTag> : null}
        {unit.manual ? <ByHand unit={unit} /> : null}
        <PieceActs unit={unit} onDo={onDo} />
      </div>
    </li>
  )
}

/** Who said so, and on what it rests. */
function ByHand({ unit: { resolution } }: { unit: Unit }) {
  const { t } = useTranslation('orders')
  const said = resolution
    ? [resolution.by, resolution.evidence].filter((text) => text !== '').join('：')
    : ''
  return (
    <Tooltip title={said || null}>
      <span>
        <StatusTag tone="closed">{t('byHand')}</StatusTag>
      </span>
    </Tooltip>
  )
}

/** What can be done with this piece alone. */
export function PieceActs({ unit, onDo }: { unit: Unit; onDo: OnDo }) {
  const { t } = useTranslation('orders')
  if (!unit.canVend && !unit.canResolve) return null
  return (
    <span className={styles.pieceActs}>
      {unit.canVend ? (
        <Button size="small" onClick={() => onDo({ what: 'vend', unit })}>
          {t('vendTitle')}
        </Button>
      ) : null}
      {unit.canResolve ? (
        <Button size="small" onClick={() => onDo({ what: 'resolve', unit })}>
          {t('resolveTitle')}
        </Button>
      ) : null}
    </span>
  )
}

/** The line to the next station is green as far as the piece came. */
const reached = (station: Station, next: Station | undefined): boolean =>
  station.state === 'done' &&
  next !== undefined &&
  (next.state !== 'todo' || station.key === 'vend')

type CellProps = { order: OrderDetail; station: Station; reached: boolean }
function StationCell({ order, station, reached: green }: CellProps) {
  const { words } = useWords()
  const { key, state, at, note, more, detail } = station
  return (
    <li data-line={green}>
      <StationMark state={state} />
      <Tooltip title={detail}>
        <div className={styles.station} data-state={state} data-key={key}>
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
      </Tooltip>
    </li>
  )
}
