import { yuan } from '../../../shared/money.ts'
import type { Tone } from '../../../web/StatusTag.tsx'
import { fullTime } from '../../../web/time.ts'
import type { OrderDetail, OrderRow } from '../contract.ts'

export type Unit = OrderDetail['units'][number]
/** A text of locale.ts with its values. */
export type Words = {
  readonly key: string
  readonly values?: Readonly<Record<string, string | number>>
}
/** One of the five stations of a piece: what is known there, when, and why not. */
export type Station = {
  readonly key: 'pay' | 'send' | 'ack' | 'vend' | 'refund'
  readonly state: 'done' | 'now' | 'bad' | 'back' | 'todo'
  readonly word: Words
  readonly at?: string | null
  readonly note?: Words | undefined
  /** A second note, when the first one says how often. */
  readonly more?: Words | undefined
  /** As the provider said it, for the tooltip. */
  readonly detail?: string | undefined
}

export const statusTones: Readonly<Record<OrderRow['orderStatus'], Tone>> = {
  UNPAID: 'closed',
  CLOSED: 'closed',
  PAID: 'paid',
  SHIPPED: 'shipped',
  ABNORMAL: 'fault',
  REFUNDED: 'refunded',
  SUCCESS: 'success',
}
export const payTones: Readonly<Record<OrderDetail['payState'], Tone>> = {
  UNPAID: 'closed',
  PAID: 'paid',
  PART_REFUNDED: 'refunded',
  REFUNDED: 'refunded',
  CLOSED: 'closed',
}
export const refundTones: Readonly<Record<NonNullable<Unit['refund']>['state'], Tone>> = {
  PENDING: 'paid',
  PROCESSING: 'paid',
  SUCCESS: 'refunded',
  FAILED: 'fault',
  CANCELLED: 'closed',
}
const step = (name: string, values?: Words['values']): Words => ({
  key: `step.${name}`,
  ...(values ? { values } : {}),
})
export const failWords = (reason: string | null): Words | undefined =>
  reason ? { key: `enums.failReason.${reason}` } : undefined

/** `14:02:11`; with its day when that is not the order's. */
export function clock(at: string, base: string): string {
  const [text, day] = [fullTime(new Date(at)), fullTime(new Date(base)).slice(0, 10)]
  return text.slice(0, 10) === day ? text.slice(11) : text.slice(5)
}

export function stationsOf(order: OrderDetail, unit: Unit): Station[] {
  const over =
    unit.vendState === 'FAILED' ||
    unit.vendState === 'VOID' ||
    unit.vendState === 'SUCCESS' ||
    order.payState === 'CLOSED'
  return [
    payStation(order),
    sendStation(unit, over),
    ackStation(unit, over),
    vendStation(unit, over),
    refundStation(order, unit),
  ]
}

function payStation(order: OrderDetail): Station {
  if (order.payState === 'CLOSED') return { key: 'pay', state: 'todo', word: step('closed') }
  if (order.payState === 'UNPAID') return { key: 'pay', state: 'now', word: step('waitPay') }
  return { key: 'pay', state: 'done', word: step('paid'), at: order.paidAt }
}

function sendStation(unit: Unit, over: boolean): Station {
  if (unit.sentAt) return { key: 'send', state: 'done', word: step('sent'), at: unit.sentAt }
  return { key: 'send', state: 'todo', word: step(over ? 'notSent' : 'waitSend') }
}

function ackStation(unit: Unit, over: boolean): Station {
  if (unit.ackedAt) {
    const seconds = unit.sentAt ? (Date.parse(unit.ackedAt) - Date.parse(unit.sentAt)) / 1000 : null
    return {
      key: 'ack',
      state: 'done',
      word: step('acked'),
      ...(seconds === null || seconds < 0
        ? { at: unit.ackedAt }
        : { note: { key: 'seconds', values: { s: seconds.toFixed(1) } } }),
    }
  }
  // a result without a receipt: the receipt was lost on the way
  if (unit.vendState === 'SUCCESS') return { key: 'ack', state: 'done', word: step('acked') }
  if (unit.vendState === 'SENT') return { key: 'ack', state: 'now', word: step('waitAck') }
  return {
    key: 'ack',
    state: 'todo',
    word: step(over || unit.vendState === 'UNKNOWN' ? 'notAcked' : 'waitAck'),
  }
}

function vendStation(unit: Unit, over: boolean): Station {
  const at = unit.finishedAt
  if (unit.vendState === 'SUCCESS')
    return {
      key: 'vend',
      state: 'done',
      word: step('vended'),
      at,
      note: unit.dropConfirmed ? { key: 'dropSeen' } : step('noDrop'),
      more: unit.lateSuccess ? step('late') : undefined,
    }
  if (unit.vendState === 'FAILED' || unit.vendState === 'VOID')
    return {
      key: 'vend',
      state: 'bad',
      word: step(unit.vendState === 'FAILED' ? 'failed' : 'void'),
      at,
      note: failWords(unit.failReason),
    }
  if (unit.vendState === 'UNKNOWN') return { key: 'vend', state: 'now', word: step('unknown') }
  if (unit.vendState === 'ACKED') return { key: 'vend', state: 'now', word: step('vending') }
  return { key: 'vend', state: 'todo', word: step(over ? 'notVended' : 'waiting') }
}

function refundStation(order: OrderDetail, unit: Unit): Station {
  const refund = unit.refund
  if (!refund) return { key: 'refund', state: 'todo', word: { key: 'noRefund' } }
  const detail = refund.lastError ?? undefined
  const tried =
    refund.attempts > 1 ? { key: 'attemptShort', values: { n: refund.attempts } } : undefined
  if (refund.state === 'SUCCESS')
    return { key: 'refund', state: 'back', word: step('refunded'), at: refund.succeededAt }
  const again =
    refund.lastError && refund.nextAt
      ? step('retryAt', { time: clock(refund.nextAt, order.createTime) })
      : undefined
  if (refund.state === 'FAILED')
    return {
      ...{ key: 'refund', state: 'bad', word: step('refundFailed') },
      ...{ note: tried, more: again, detail },
    }
  if (refund.state === 'CANCELLED')
    return { key: 'refund', state: 'todo', word: step('refundCancelled') }
  return { key: 'refund', state: 'now', word: step('refunding'), note: tried, more: again, detail }
}

/** What the piece needs a person to know, as one tinted word. */
export function unitChip(order: OrderDetail, unit: Unit): { tone: Tone; word: Words } {
  if (order.payState === 'UNPAID' || order.payState === 'CLOSED')
    return { tone: 'closed', word: { key: `enums.payState.${order.payState}` } }
  if (unit.refund?.state === 'SUCCESS') return { tone: 'refunded', word: step('refunded') }
  if (unit.vendState === 'SUCCESS')
    return {
      tone: unit.dropConfirmed ? 'success' : 'shipped',
      word: { key: `enums.orderStatus.${unit.dropConfirmed ? 'SUCCESS' : 'SHIPPED'}` },
    }
  if (unit.vendState === 'FAILED' || unit.vendState === 'VOID')
    return { tone: 'fault', word: { key: 'enums.orderStatus.ABNORMAL' } }
  if (unit.vendState === 'UNKNOWN') return { tone: 'warn', word: step('unknown') }
  return { tone: 'paid', word: step(unit.vendState === 'WAIT' ? 'waiting' : 'vending') }
}

const sum = (units: readonly Unit[], states: readonly string[]) =>
  units.reduce(
    (fen, unit) =>
      fen + (unit.refund && states.includes(unit.refund.state) ? unit.refund.amount : 0),
    0,
  )
export const refundingOf = (order: OrderDetail): number =>
  sum(order.units, ['PENDING', 'PROCESSING'])

/** The order in one sentence for a phone: what failed and where its money is. */
export function summaryOf(order: OrderDetail): Words[] {
  const failed = order.units.filter(
    (unit) => unit.vendState === 'FAILED' || unit.vendState === 'VOID',
  )
  const [refunding, stuck] = [refundingOf(order), sum(order.units, ['FAILED'])]
  const reasons = [...Map.groupBy(failed, (unit) => unit.failReason ?? '')]
  const parts: Words[] = reasons.map(([reason, own]) =>
    reason
      ? { key: 'summary.failed', values: { n: own.length, reason: `enums.failReason.${reason}` } }
      : { key: 'summary.failedPlain', values: { n: own.length } },
  )
  if (refunding > 0) parts.push({ key: 'summary.refunding', values: { amount: yuan(refunding) } })
  if (stuck > 0) parts.push({ key: 'summary.refundFailed', values: { amount: yuan(stuck) } })
  if (order.refundedAmount > 0)
    parts.push({ key: 'summary.refunded', values: { amount: yuan(order.refundedAmount) } })
  return parts.length > 0 ? parts : [{ key: 'summary.pieces', values: { n: order.units.length } }]
}

/** The pieces a person should look at first, then the others in their order. */
export function worstFirst(order: OrderDetail): Unit[] {
  const rank = (unit: Unit) =>
    [
      unit.refund?.state === 'FAILED',
      unit.vendState === 'FAILED' || unit.vendState === 'VOID',
      unit.vendState === 'UNKNOWN',
      unit.refund !== null,
      true,
    ].indexOf(true)
  return [...order.units].sort((a, b) => rank(a) - rank(b) || a.unitNo - b.unitNo)
}

/** `20261121 000000 004817`. */
export const groupedOrder = (orderNum: string): string =>
  [orderNum.slice(0, 8), orderNum.slice(8, 14), orderNum.slice(14)].join(' ')
/** `…004817`, in tight places. */
export const shortOrder = (orderNum: string): string => `…${orderNum.slice(-6)}`
/** `4200 …0817 3362`: long numbers of others. */
export const shortForeign = (number: string): string =>
  number.length <= 12
    ? number
    : `${number.slice(0, 4)} …${number.slice(-8, -4)} ${number.slice(-4)}`
export const lane = (road: number): string => String(road).padStart(2, '0')
