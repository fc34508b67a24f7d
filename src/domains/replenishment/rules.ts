import { allowedFrom, defineStates } from '../../shared/moves.ts'
import { type Batch, canPlace, type Goods, type Place } from '../drug-guard/rules.ts'
import type { Conflict } from './conflictContract.ts'
import type { VisitRow } from './contract.ts'
import type { LaneError } from './errors.ts'

type State = VisitRow['state']
export const visitStates = defineStates<State>({
  name: 'replenishment visit',
  column: 'replenishment_visits.state',
  start: ['DRAFT', 'POSTED'],
  moves: {
    DRAFT: ['SUBMITTED', 'POSTED', 'PARTIAL', 'REJECTED', 'CANCELLED'],
    SUBMITTED: ['POSTED', 'PARTIAL', 'REJECTED'],
    POSTED: [],
    PARTIAL: [],
    REJECTED: [],
    CANCELLED: [],
  },
})
export const visitFrom = (next: State): State[] => allowedFrom(visitStates, next)

/** What somebody did at a lane. A count says what was there before he took out and put in. */
export type Said = {
  productId: number
  countedQty: number | null
  addedQty: number
  withdrawnQty: number
  batchId: number | null
  codes: readonly string[]
}
/** Of what is put in: the batch as it is now. */
export type BatchNow = Batch & {
  productId: number
  /** Pieces that may still be loaded; null: nobody counts them. */
  room: number | null
}
/** The lane as it is locked, and what happened to it since the count. */
export type Now = {
  productId: number | null
  capacity: number
  quantity: number
  reserved: number
  failedHold: number
  /** Flows after the moment of the count, summed: sales go on while the door is open. */
  since: number
  /** Pieces that were doubtful before the count: it settles them. */
  settled: number
  /** A piece is on its way, or its doubt began while somebody counted. */
  vending: boolean
  /** Somebody counted after this was done: what he found includes it. */
  countedSince: boolean
  goods: Goods
  place: Place
  /** It is stopped because it was too warm or cold. */
  excursion: boolean
  traceRequired: boolean
  batch: BatchNow | undefined
  /** Codes that are of this batch and nowhere else. */
  usableCodes: number
  /** What is done is done, away from the network: recalled goods lie in the lane, which is locked. */
  inside: boolean
}
export type Posting = { before: number; difference: number; after: number }

/**
 * What a lane becomes: deltas on what it holds now. The difference of a count is what was there
 * against what the books say of that moment.
 */
export function judge(said: Said, now: Now | undefined): Posting | LaneError {
  if (!now) return 'laneGone'
  if (now.productId === null) return 'emptyLane'
  if (now.productId !== said.productId) return 'productChanged'
  if (now.countedSince) return 'countedSince'
  const counted = said.countedQty !== null
  if (counted && now.vending) return 'vending'
  const difference = said.countedQty === null ? 0 : said.countedQty - (now.quantity - now.since)
  const held = now.reserved + now.failedHold - (counted ? now.settled : 0)
  const found = now.quantity + difference
  if (found < held) return 'belowHeld'
  if (found - said.withdrawnQty < held) return 'withdrawnTooMany'
  const after = found - said.withdrawnQty + said.addedQty
  // what is there already may be more than the lane is said to hold; nobody adds to it
  if (after > now.capacity) return 'overCapacity'
  return goodsRule(said, now) ?? { before: now.quantity, difference, after }
}

/** What may be put in: where it may be sold, of a batch that may be, each drug with its code. */
function goodsRule({ addedQty, batchId, codes }: Said, now: Now): LaneError | null {
  if (addedQty === 0) return null
  const { batch, inside, traceRequired } = now
  const verdict = canPlace(now.goods, now.place, {
    excursion: now.excursion,
    load: {
      pieces: addedQty,
      batch: batch?.productId === now.productId ? batch : undefined,
      batchNamed: batchId !== null,
      codes: codes.length,
      ...{ traceRequired, inside },
    },
  })
  if (!verdict.ok) return verdict.key
  // what lies there already without a usable code of its own is looked at later
  if (codes.length > 0 && now.usableCodes !== addedQty && !inside) return 'codeUnusable'
  return batch && batch.room !== null && batch.room < addedQty ? 'overReceived' : null
}

/** A difference somebody should hear of. */
export const isAlarming = (
  { counted, off }: { counted: number; off: number },
  most: { pieces: number; percent: number },
): boolean => off > most.pieces || (off > 0 && off * 100 > counted * most.percent)

/**
 * The moment that a device with a clock of its own means: what it says, moved by how far its clock
 * is off, and not outside of what can be.
 */
export function momentOf(at: string, sentAt: string, now: Date, earliest: Date): Date {
  const moment = Date.parse(at) + now.getTime() - Date.parse(sentAt)
  return new Date(Math.min(now.getTime(), Math.max(moment, earliest.getTime())))
}

/** What people may say they did before they began: the door was open already. */
export const beforeStart = 120_000
/** A phone may have been without the network for so long. */
export const longest = 7 * 86_400_000
/** A visit that nobody ends is cancelled. */
export const draftHours = 24

/** What may be said of each; a count settles the others. */
const choices: Readonly<Record<Conflict['kind'], Conflict['choices']>> = {
  PRODUCT_CHANGED: ['NOT_PUT', 'OLD_GOODS'],
  LANE_REBUILT: ['PUT_IN_NEW', 'TAKE_BACK', 'NOT_PUT'],
  VEND_NEAR: ['BEFORE', 'AFTER'],
  TO_COUNT: [],
  TRACE_CODE: ['CODES_CHECKED', 'TAKE_BACK'],
}
export const choicesOf = (kind: Conflict['kind']): Conflict['choices'] => choices[kind]
/** Which reading of a count holds when nobody says so. */
export const smallerOf = (one: { diffBefore: number; diffAfter: number }): 'BEFORE' | 'AFTER' =>
  Math.abs(one.diffBefore) < Math.abs(one.diffAfter) ? 'BEFORE' : 'AFTER'
/** So long somebody may choose. */
export const settleHours = 24
/** A clock that is off by more is told to its owner. */
export const clockLimitMs = 600_000
/** Orders of days, and machines that were left out. */
export const keptDays = 30
/** Of a visit. */
export const mostPhotos = 5
/** A phone that has been silent for longer is told of. */
export const silentHours = 2
/** A pick list is of its day. */
export const pickedHours = 24
/** Goods that will be past their date within so many days are nearly past it. */
export const soonDays = 7
