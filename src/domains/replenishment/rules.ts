import { allowedFrom, defineStates } from '../../shared/moves.ts'
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
export type BatchNow = {
  productId: number
  recalled: boolean
  past: boolean
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
  drug: boolean
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

/** What may be put in: of a batch that may be sold, each drug with its code. */
function goodsRule({ addedQty, batchId, codes }: Said, now: Now): LaneError | null {
  if (addedQty === 0) return null
  const { batch } = now
  if (batchId === null ? now.drug : batch?.productId !== now.productId) return 'batchMissing'
  if (now.traceRequired || codes.length > 0) {
    if (batchId === null) return 'batchMissing'
    if (codes.length !== addedQty) return 'codesMismatch'
    if (now.usableCodes !== addedQty) return 'codeUnusable'
  }
  if (!batch) return null
  if (batch.recalled && !now.inside) return 'batchRecalled'
  if (batch.past && !now.inside) return 'batchExpired'
  return batch.room !== null && batch.room < addedQty ? 'overReceived' : null
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
/** A visit that nobody ends is cancelled. */
export const draftHours = 24
