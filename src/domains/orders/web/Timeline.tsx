import { useTranslation } from 'react-i18next'
import { yuan } from '../../../shared/money.ts'
import { Mark, type Tone } from '../../../web/StatusTag.tsx'
import { zonedTime } from '../../../web/time.ts'
import { Sheet } from '../../../web/ui/Sheet.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import type { OrderDetail } from '../contract.ts'
import { type Event, eventsOf } from './events.ts'
import styles from './orders.module.css'
import { clock } from './stations.ts'
import { useWords } from './words.ts'

const tones: Readonly<Record<string, Tone>> = {
  CREATED: 'closed',
  PAID: 'paid',
  CLOSED: 'closed',
  LATE_PAYMENT: 'warn',
  SENT: 'shipped',
  ACKED: 'shipped',
  SUCCESS: 'success',
  FAILED: 'fault',
  UNKNOWN: 'warn',
  VOID: 'warn',
  LATE_RESULT: 'warn',
  LATE_DENIED: 'closed',
  REVEND: 'paid',
  SUPPLEMENTED: 'paid',
  REFUND_PENDING: 'paid',
  REFUNDED: 'refunded',
  REFUND_RETRY: 'warn',
  REFUND_FAILED: 'fault',
}
const sources: Readonly<Record<string, string>> = {
  CREATED: 'customer',
  PAID: 'payment',
  LATE_PAYMENT: 'payment',
  ACKED: 'device',
  SUCCESS: 'device',
  FAILED: 'device',
  LATE_RESULT: 'device',
}
/** Kinds whose result is the reason. */
const failing = ['FAILED', 'VOID']
const sourceOf = (kind: string) =>
  kind.startsWith('REFUND') ? 'refundTitle' : (sources[kind] ?? 'system')

/** Order, payment, commands, results and refunds in one order, newest first. */
export function Timeline({ order }: { order: OrderDetail }) {
  const { t } = useTranslation('orders')
  const text = useEventText()
  const events = eventsOf(order)
  const wide = events.some((event) => clock(event.at, order.createTime).length > 8)
  return (
    <Sheet title={t('timeline')} note={t('timelineHint')}>
      <ol className={styles.timeline} data-wide={wide}>
        {events.map((event) => (
          <li key={event.id}>
            <time dateTime={event.at} title={zonedTime(new Date(event.at))}>
              {clock(event.at, order.createTime)}
            </time>
            <Muted>{t(sourceOf(event.kind))}</Muted>
            <Mark tone={tones[event.kind] ?? 'closed'} />
            <span>{text(event)}</span>
          </li>
        ))}
      </ol>
    </Sheet>
  )
}

/** What happened, in one line: the event, then what the machine or the provider said about it. */
function useEventText(): (event: Event) => string {
  const { t } = useTranslation('orders')
  const { words } = useWords()
  return ({ kind, unitNo, actor, data }) => {
    const text = t(`enums.event.${kind}`, {
      pieces: Number(data.pieces ?? 0),
      attempt: Number(data.attempt ?? 0),
      amount: typeof data.amount === 'number' ? yuan(data.amount) : '',
      defaultValue: kind,
    })
    const notes: string[] = []
    const said =
      typeof data.reason === 'string' && !kind.startsWith('REFUND_PENDING')
        ? data.reason
        : failing.includes(kind) && typeof data.result === 'string'
          ? words({ key: `enums.failReason.${data.result}` })
          : null
    if (data.manual === true) notes.push(t('byHand'))
    if ((kind === 'REVEND' || kind === 'SUPPLEMENTED') && actor)
      notes.push(t('by', { name: actor }))
    if ((kind === 'SENT' || kind === 'REVEND') && typeof data.road === 'number')
      notes.push(t('road', { road: String(data.road).padStart(2, '0') }))
    if (kind === 'SUCCESS' && data.drop === true) notes.push(t('dropped'))
    if (data.late === true) notes.push(t('step.late'))
    if (typeof data.ms === 'number' && data.ms > 0)
      notes.push(t('turned', { s: (data.ms / 1000).toFixed(1) }))
    if (kind === 'REFUND_PENDING') {
      if (typeof data.reason === 'string')
        notes.push(words({ key: `enums.refundReason.${data.reason}` }))
      if (data.automatic === true) notes.push(t('automatic'))
      else if (actor) notes.push(t('by', { name: actor }))
    }
    const whole = said ? t('withReason', { text, reason: said }) : text
    const noted =
      notes.length > 0 ? t('withNote', { text: whole, note: notes.join(t('summary.join')) }) : whole
    return unitNo === null ? noted : t('ofPiece', { n: unitNo, text: noted })
  }
}
