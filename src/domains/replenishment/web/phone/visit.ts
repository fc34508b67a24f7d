import { useTranslation } from 'react-i18next'
import { isGuardKey } from '../../../drug-guard/rules.ts'
import { whyNot } from '../shown.ts'
import { type Entry, isOff, says } from './entries.ts'
import type { Machine, PhoneLane } from './store.ts'
import { batchesFor, whyNotPut } from './takeAlong.ts'

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
  machine: Pick<Machine, 'batches' | 'place'>,
  lane: PhoneLane,
  entry: Entry | undefined,
): string | null {
  if (!entry || !says(entry)) return null
  const { addedQty, withdrawnQty, batchId, codes } = entry
  if (withdrawnQty > 0 && !entry.withdrawReason) return 'reasonAsk'
  if (withdrawnQty > (entry.countedQty ?? lane.quantity)) return 'takenAsk'
  if (addedQty > mostAdded(lane, entry)) return 'capacityAsk'
  const own = batchesFor(machine.batches, lane.productId)
  if (addedQty > 0 && batchId === null && own.length > 0) return 'batchMissing'
  const batch = own.find(({ id }) => id === batchId)
  const load = { pieces: addedQty, batch, codes: codes.length }
  const guard = addedQty > 0 ? whyNotPut(machine, lane, load) : null
  if (guard) return guard
  if (isOff(entry) && !entry.differs) return 'differsAsk'
  return null
}

/** Such a problem in words. */
export function useSay(): (problem: string) => string {
  const { t } = useTranslation('replenishment')
  return (problem) => (isGuardKey(problem) ? whyNot(problem) : t(`phone.${problem}`))
}
