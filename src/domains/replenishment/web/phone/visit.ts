import { type Entry, isOff, says } from './entries.ts'
import type { PhoneBatch, PhoneLane } from './store.ts'
import { batchesFor } from './takeAlong.ts'

export type LaneState = 'count' | 'locked' | 'faulty' | 'disabled' | 'soldOut' | 'low' | 'fine'
export function stateOf(lane: PhoneLane): LaneState {
  if (lane.failedHold > 0 || lane.lockReason === 'COUNT_NEEDED') return 'count'
  if (lane.status === 'LOCKED') return 'locked'
  if (lane.status === 'FAULT') return 'faulty'
  if (lane.status === 'DISABLED') return 'disabled'
  const left = lane.quantity - lane.reserved
  if (left <= 0) return 'soldOut'
  return left <= lane.warnQty ? 'low' : 'fine'
}

export const laneFilters = ['todo', 'soldOut', 'count', 'all'] as const
export type LaneFilter = (typeof laneFilters)[number]
export const isShown = (lane: PhoneLane, filter: LaneFilter): boolean => {
  if (filter === 'all') return true
  if (filter === 'todo') return lane.planned > 0 || stateOf(lane) === 'count'
  return stateOf(lane) === filter
}

/** What still fits, after what was counted and taken out. */
export const mostAdded = (lane: PhoneLane, entry: Entry | undefined): number =>
  Math.max(0, lane.capacity - (entry?.countedQty ?? lane.quantity) + (entry?.withdrawnQty ?? 0))

/** What has to be said of a lane before it is submitted; the server decides by the same rules. */
export function problemOf(
  lane: PhoneLane,
  entry: Entry | undefined,
  batches: readonly PhoneBatch[],
): string | null {
  if (!entry || !says(entry)) return null
  const { addedQty, withdrawnQty, batchId, codes } = entry
  if (withdrawnQty > 0 && !entry.withdrawReason) return 'reasonAsk'
  if (withdrawnQty > (entry.countedQty ?? lane.quantity)) return 'takenAsk'
  if (addedQty > mostAdded(lane, entry)) return 'capacityAsk'
  const drug = lane.drugClass !== 'NONE'
  if (addedQty > 0 && batchId === null && (drug || batchesFor(batches, lane.productId).length > 0))
    return 'batchAsk'
  if (addedQty > 0 && lane.traceRequired && codes.length !== addedQty) return 'codesAsk'
  if (isOff(entry) && !entry.differs) return 'differsAsk'
  return null
}
