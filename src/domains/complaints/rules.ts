import type { ErrorDef } from '../../shared/errors.ts'
import { defineStates } from '../../shared/moves.ts'
import { complaintErrors, type states } from './contract.ts'

export type ComplaintState = (typeof states)[number]

/** A resolved complaint closes after a week, or opens again when the buyer is not content. */
export const complaintTable = defineStates<ComplaintState>({
  name: 'complaints',
  column: 'complaints.state',
  start: ['OPEN'],
  moves: {
    OPEN: ['HANDLING', 'RESOLVED', 'INVALID'],
    HANDLING: ['WAITING', 'RESOLVED', 'HANDLING'],
    WAITING: ['HANDLING', 'RESOLVED'],
    RESOLVED: ['CLOSED', 'HANDLING'],
    CLOSED: [],
    INVALID: [],
  },
})

export const mayMove = (from: ComplaintState, to: ComplaintState): ErrorDef | null =>
  complaintTable.moves[from].includes(to) ? null : complaintErrors.wrongState

export const isOpen = (state: ComplaintState): boolean =>
  state === 'OPEN' || state === 'HANDLING' || state === 'WAITING'

/** Overdue: nobody answered in time, or it is not resolved in time. */
export function overdue(
  row: {
    state: ComplaintState
    firstReplyDueAt: string
    resolveDueAt: string
    firstRepliedAt: string | null
  },
  now: Date,
): boolean {
  const past = (at: string) => Date.parse(at) <= now.getTime()
  return (
    isOpen(row.state) &&
    (past(row.resolveDueAt) || (row.firstRepliedAt === null && past(row.firstReplyDueAt)))
  )
}

/** A duplicate lives on in the complaint it was merged into; that one is opened again. */
export const reopenable = (row: {
  state: ComplaintState
  mergedInto: number | null
}): ErrorDef | null =>
  row.state === 'RESOLVED' && row.mergedInto === null ? null : complaintErrors.wrongState

export const removable = (row: { refunded: boolean }): ErrorDef | null =>
  row.refunded ? complaintErrors.refundLinked : null

/** A lane with that many reports of nothing dispensed within a day should stop selling. */
export const laneAlarm = { reports: 3, hours: 24 }
