import type { ErrorDef } from '../../shared/errors.ts'
import { allowedFrom, defineStates } from '../../shared/moves.ts'
import {
  anyBuyer,
  canPlace,
  type Goods,
  type Place,
  type Queue,
  type Sale,
  type Verdict,
  verdictError,
} from '../drug-guard/rules.ts'
import type { AckCode, ResultCode } from '../machines/rules.ts'
import { orderErrors } from './contract.ts'

/**
 * Payment, command and drop are three separate facts; the label a person sees is derived from them
 * (core.md /order).
 */

export type PayState = 'UNPAID' | 'PAID' | 'PART_REFUNDED' | 'REFUNDED' | 'CLOSED'
export type VendState = 'WAIT' | 'SENT' | 'ACKED' | 'SUCCESS' | 'FAILED' | 'UNKNOWN' | 'VOID'
export type RefundState = 'PENDING' | 'PROCESSING' | 'SUCCESS' | 'FAILED' | 'CANCELLED'
export type Hold = 'HELD' | 'CONSUMED' | 'RELEASED' | 'FAILED_HOLD' | 'COUNTED'
export type OrderStatus =
  | 'UNPAID'
  | 'CLOSED'
  | 'PAID'
  | 'SHIPPED'
  | 'ABNORMAL'
  | 'REFUNDED'
  | 'SUCCESS'

export const payStates = defineStates<PayState>({
  name: 'orders.pay',
  column: 'orders.pay_state',
  start: ['UNPAID'],
  moves: {
    UNPAID: ['PAID', 'CLOSED'],
    PAID: ['PART_REFUNDED', 'REFUNDED'],
    PART_REFUNDED: ['PART_REFUNDED', 'REFUNDED'],
    REFUNDED: [],
    CLOSED: [],
  },
})

export const vendStates = defineStates<VendState>({
  name: 'orders.vend',
  column: 'order_units.vend_state',
  start: ['WAIT'],
  moves: {
    WAIT: ['SENT', 'VOID'],
    SENT: ['ACKED', 'SUCCESS', 'FAILED', 'UNKNOWN', 'VOID'],
    ACKED: ['SUCCESS', 'FAILED', 'UNKNOWN', 'VOID'],
    UNKNOWN: ['ACKED', 'SUCCESS', 'FAILED', 'VOID'],
    FAILED: ['WAIT', 'SUCCESS'],
    VOID: ['WAIT', 'SUCCESS'],
    SUCCESS: [],
  },
})

export const refundStates = defineStates<RefundState>({
  name: 'orders.refund',
  column: 'refunds.state',
  start: ['PENDING'],
  moves: {
    PENDING: ['PROCESSING', 'SUCCESS', 'CANCELLED'],
    PROCESSING: ['SUCCESS', 'FAILED', 'PROCESSING'],
    FAILED: ['PROCESSING', 'CANCELLED'],
    CANCELLED: ['PENDING'],
    SUCCESS: [],
  },
})

export const refundFrom = (next: RefundState): RefundState[] => allowedFrom(refundStates, next)

export type UnitFacts = {
  vendState: VendState
  refundState: RefundState | null
  dropConfirmed: boolean
}

/** The specification's label, first match wins (semantics 3.2). */
export function displayStatus(
  order: { payState: PayState; paid: number; refunded: number; test?: boolean },
  units: readonly UnitFacts[],
): OrderStatus {
  if (order.payState === 'UNPAID' || order.payState === 'CLOSED') return order.payState
  const refunded = (unit: UnitFacts) => unit.refundState === 'SUCCESS'
  if (!order.test && (order.paid > 0 ? order.refunded === order.paid : units.every(refunded)))
    return 'REFUNDED'
  if (
    units.some(
      (unit) =>
        !refunded(unit) &&
        (unit.vendState === 'FAILED' || unit.vendState === 'VOID' || unit.refundState === 'FAILED'),
    )
  )
    return 'ABNORMAL'
  const left = units.filter((unit) => !refunded(unit))
  if (left.every((unit) => unit.vendState === 'SUCCESS' && unit.dropConfirmed)) return 'SUCCESS'
  if (left.every((unit) => unit.vendState === 'SUCCESS')) return 'SHIPPED'
  return 'PAID'
}

/**
 * Nothing more can happen by itself: every piece left or its money went back; a test has none to
 * give back.
 */
export const isFinal = (units: readonly UnitFacts[], test = false): boolean =>
  units.every(
    (unit) =>
      unit.vendState === 'SUCCESS' ||
      unit.refundState === 'SUCCESS' ||
      (test && (unit.vendState === 'FAILED' || unit.vendState === 'VOID')),
  )

/** What happened to a command: the machine's word, or the clock's. */
export type Happening =
  | { kind: 'ack'; ack: AckCode }
  | { kind: 'result'; result: ResultCode; dropDetected: boolean; durationMs: number }
  /** No result in time. */
  | { kind: 'overdue' }
  /** Not sent any more: its lane broke with the piece before it. */
  | { kind: 'stopped' }
  /** Given up: `sent` tells whether the piece may have left. */
  | { kind: 'abandoned'; sent: boolean }
  /** A person found out, while the machine said nothing. */
  | { kind: 'resolved'; dispensed: boolean }
  /** A count misses a piece that was put back, and of which the machine said late that it left. */
  | { kind: 'counted' }

/**
 * Whether the machine says another end of a command than it said before; what the clock ended it
 * may still tell.
 */
export function contradicts(state: VendState, said: string | null, what: Happening): boolean {
  const told = what.kind === 'result' ? what.result : what.kind === 'ack' ? what.ack : null
  const answers: readonly (string | null)[] = [null, 'ACCEPTED', 'DUPLICATE']
  return (
    !answers.includes(told) &&
    !answers.includes(said) &&
    said !== told &&
    ['SUCCESS', 'FAILED', 'VOID'].includes(state)
  )
}

/** What the piece's row becomes; `park` is a result that only a count can settle. */
export type Effect = {
  vendState: VendState
  hold: Hold
  failReason: string | null
  dropConfirmed: boolean
  late: boolean
  /** The machine's lane needs a repairman. */
  laneFault: boolean
  /**
   * Take one piece out of the lane; `correct` first puts back what a count had already written off.
   */
  take: boolean
  correct: boolean
  park: boolean
}

const mechanical: readonly string[] = ['MOTOR_NOT_MOVE', 'MOTOR_NOT_IN_PLACE', 'LANE_FAULT']
const pieceMayHaveLeft: readonly string[] = [
  'NO_DROP',
  'MOTOR_NOT_RETURN',
  'SENSOR_FAULT',
  'TIMEOUT',
]
export const mayHaveLeft = (result: string): boolean => pieceMayHaveLeft.includes(result)
const open: readonly VendState[] = ['SENT', 'ACKED', 'UNKNOWN']

/** null: this fact changes nothing (duplicate, too late, or out of order). */
export function happen(
  unit: { vendState: VendState; hold: Hold },
  dropSensor: boolean,
  what: Happening,
): Effect | null {
  const effect = (vendState: VendState, hold: Hold, more: Partial<Effect> = {}): Effect => ({
    vendState,
    hold,
    failReason: null,
    dropConfirmed: false,
    late: false,
    laneFault: false,
    take: false,
    correct: false,
    park: false,
    ...more,
  })
  const isOpen = open.includes(unit.vendState)
  if (what.kind === 'overdue')
    return unit.vendState === 'SENT' || unit.vendState === 'ACKED'
      ? effect('UNKNOWN', unit.hold)
      : null
  if (what.kind === 'stopped')
    return unit.vendState === 'WAIT'
      ? effect('VOID', 'RELEASED', { failReason: 'LANE_FAULT' })
      : null
  if (what.kind === 'abandoned') {
    if (what.sent ? !isOpen : unit.vendState !== 'WAIT') return null
    return effect('VOID', what.sent ? 'FAILED_HOLD' : 'RELEASED', {
      failReason: what.sent ? 'TIMEOUT' : 'OFFLINE',
    })
  }
  if (what.kind === 'resolved') {
    if (unit.vendState !== 'UNKNOWN') return null
    return what.dispensed
      ? effect('SUCCESS', 'CONSUMED', { dropConfirmed: true, take: true })
      : effect('FAILED', 'RELEASED', { failReason: 'RESOLVED' })
  }
  if (what.kind === 'counted') {
    return ['FAILED', 'VOID'].includes(unit.vendState) && unit.hold === 'RELEASED'
      ? effect('SUCCESS', 'CONSUMED', { late: true, take: true })
      : null
  }
  if (what.kind === 'ack') {
    if (what.ack === 'ACCEPTED' || what.ack === 'DUPLICATE')
      return unit.vendState === 'SENT' ? effect('ACKED', unit.hold) : null
    if (!isOpen) return null
    if (what.ack === 'VOIDED' || what.ack === 'EXPIRED')
      return effect('VOID', 'RELEASED', { failReason: what.ack })
    return effect('FAILED', 'RELEASED', {
      failReason: what.ack,
      laneFault: mechanical.includes(what.ack),
    })
  }
  if (what.result !== 'OK') {
    if (isOpen) {
      return effect('FAILED', mayHaveLeft(what.result) ? 'FAILED_HOLD' : 'RELEASED', {
        failReason: what.result,
        laneFault: mechanical.includes(what.result),
      })
    }
    // the clock gave up first; the machine now says that nothing left
    if (unit.vendState === 'VOID' && unit.hold === 'FAILED_HOLD' && !mayHaveLeft(what.result)) {
      return effect('VOID', 'RELEASED', {
        failReason: what.result,
        laneFault: mechanical.includes(what.result),
      })
    }
    return null
  }
  const dropConfirmed = what.dropDetected || !dropSensor ? what.dropDetected : false
  if (isOpen) return effect('SUCCESS', 'CONSUMED', { dropConfirmed, take: true })
  if (unit.vendState === 'VOID' || unit.vendState === 'FAILED') {
    if (unit.hold === 'FAILED_HOLD')
      return effect('SUCCESS', 'CONSUMED', { dropConfirmed, late: true, take: true })
    if (unit.hold === 'COUNTED')
      return effect('SUCCESS', 'CONSUMED', { dropConfirmed, late: true, take: true, correct: true })
    return effect(unit.vendState, unit.hold, { park: true })
  }
  return null
}

/**
 * Reasons of a manual refund; drugs are special goods and not returnable unless the machine or the
 * goods were wrong.
 */
export const refundReasons = [
  'NOT_DISPENSED',
  'WRONG_ITEM',
  'QUALITY',
  'DUPLICATE',
  'USER_REQUEST',
  'OTHER',
] as const
export type RefundReason = (typeof refundReasons)[number]

export function refundable(
  unit: UnitFacts & { drugClass: string },
  order: { payState: PayState; ageDays: number; refundDays?: number },
  reason: RefundReason,
): ErrorDef | null {
  if (order.payState === 'UNPAID' || order.payState === 'CLOSED') return orderErrors.notPaid
  // a failed refund may be asked for again: it keeps its number
  if (
    unit.refundState !== null &&
    unit.refundState !== 'CANCELLED' &&
    unit.refundState !== 'FAILED'
  )
    return orderErrors.alreadyRefunded
  if (unit.vendState === 'WAIT' || open.includes(unit.vendState)) return orderErrors.shipping
  if (
    unit.vendState === 'SUCCESS' &&
    unit.drugClass !== 'NONE' &&
    reason !== 'QUALITY' &&
    reason !== 'WRONG_ITEM'
  )
    return orderErrors.drugNotReturnable
  if (order.ageDays > (order.refundDays ?? 360)) return orderErrors.tooOld
  return null
}

/**
 * May a piece be vended again? A refund that failed is given up for it; one that is under way is
 * not.
 */
export function revendable(unit: UnitFacts, order: { payState: PayState }): ErrorDef | null {
  if (order.payState === 'UNPAID' || order.payState === 'CLOSED') return orderErrors.notPaid
  if (unit.vendState === 'SUCCESS') return orderErrors.alreadyVended
  if (unit.vendState !== 'FAILED' && unit.vendState !== 'VOID') return orderErrors.shipping
  return unit.refundState === null ||
    unit.refundState === 'CANCELLED' ||
    unit.refundState === 'FAILED'
    ? null
    : orderErrors.alreadyRefunded
}

/** In the words of the drug guard. */
export const forbidden = (verdict: Verdict): ErrorDef => ({
  ...orderErrors.drugForbidden,
  text: verdictError(verdict)?.text ?? orderErrors.drugForbidden.text,
})

/** A lane that may give one more piece of an order that is paid already. */
export type Giver = Goods &
  Place & {
    queue: Queue
    status: string
    onShelf: boolean
    available: number
    lifecycle: string
    online: boolean
    stopped: boolean
  }
export function giverRefusal(lane: Giver | undefined, sale: Sale = anyBuyer): ErrorDef | null {
  if (!lane) return orderErrors.noLane
  if (lane.lifecycle !== 'OPERATING' || lane.stopped) return orderErrors.deviceNotSelling
  if (!lane.online) return orderErrors.deviceOffline
  if (lane.status !== 'ENABLED' || !lane.onShelf) return orderErrors.noLane
  const verdict = canPlace(lane, lane, { sale, queue: lane.queue })
  if (!verdict.ok) return forbidden(verdict)
  return lane.available < 1 ? orderErrors.outOfStock : null
}

/** May a person say what became of it? Only when the machine had its time to. */
export const resolvable = (
  unit: { vendState: VendState; unknownAt: Date | null },
  now: Date,
): ErrorDef | null =>
  unit.vendState === 'UNKNOWN' &&
  unit.unknownAt !== null &&
  now.getTime() - unit.unknownAt.getTime() >= timers.unknown * 1000
    ? null
    : orderErrors.notSilent

/**
 * A discount over pieces in proportion to their prices, in whole fen: the largest remainders are
 * rounded up.
 */
export function splitDiscount(discount: number, prices: readonly number[]): number[] {
  const total = prices.reduce((sum, price) => sum + price, 0)
  if (total === 0) return prices.map(() => 0)
  const exact = prices.map((price) => discount * price)
  const shares = exact.map((part) => Math.floor(part / total))
  const left = discount - shares.reduce((sum, share) => sum + share, 0)
  const first = exact
    .map((part, index) => ({ index, rest: part % total }))
    .sort((a, b) => b.rest - a.rest || a.index - b.index)
    .slice(0, left)
  for (const { index } of first) shares[index] = (shares[index] ?? 0) + 1
  return shares
}

/** Seconds before a refund that the provider did not take is tried again (core.md /order). */
export const refundBackoff = [10, 60, 300, 1800, 21_600] as const
/**
 * After so many tries it is FAILED and a person looks; six hours later it is tried once more, since
 * what was missing may be there: merchants lay in money.
 */
export const refundTries = 5

/** Seconds; see core.md "Timers". The time to pay is a setting. */
/**
 * From when on new orders are refused: undelivered commands of the machine by age and by number
 * (it hands out one every two to five seconds), what gateways are behind, gateways that say
 * nothing.
 */
export const queueLimits = {
  machineMs: 60_000,
  machinePieces: 48,
  platformMs: 5000,
  silentMs: 15_000,
} as const

/** May a machine take one more order? Never asked of an order that is paid. */
export function queueRefusal(
  queue: { waiting: number; oldest: Date | null; platformMs: number },
  now: Date,
): ErrorDef | null {
  if (queue.waiting >= queueLimits.machinePieces) return orderErrors.deviceBusy
  if (queue.oldest && now.getTime() - queue.oldest.getTime() > queueLimits.machineMs)
    return orderErrors.deviceBusy
  return queue.platformMs > queueLimits.platformMs ? orderErrors.vendingBusy : null
}

export const timers = {
  ack: 15,
  resends: 3,
  expire: 60,
  overdue: 60,
  voidAfter: 60,
  unknown: 180,
  offlineWait: 1800,
} as const

/**
 * Seconds an unpaid order is safe from newcomers, whoever made it: time to take out a phone and
 * scan, not to keep others away.
 */
export const safeSeconds = 15

/**
 * Seconds for which an address that did not pay for wanted goods leaves as many of them to others.
 */
export const coolDown = 600
