import type { advices, CaseRow } from './contract.ts'

type Facts = Pick<CaseRow, 'kind' | 'state'> & {
  /** The payment was made good before. */
  supplemented: boolean
  /** Its own refund failed. */
  refundFailed: boolean
}

/** Kinds of which a payment waits for somebody to decide. */
const decided = ['PAID_NOT_SENT', 'UNMATCHED_PAYMENT', 'REFUND_FAILED']
const losses = ['SHIPPED_AFTER_REFUND', 'DOUBLE_SHIPPED']

/** What a person is proposed to do about it (core.md, one-click supplement). */
export function adviceFor(facts: Facts): (typeof advices)[number] {
  const { kind, state, supplemented, refundFailed } = facts
  if (state === 'DONE') return 'NONE'
  if (losses.includes(kind)) return 'LOSS'
  if (kind === 'UNKNOWN_RESULT') return 'COUNT'
  if (decided.includes(kind)) {
    // tried already: what is left is decided piece by piece
    return supplemented ? (state === 'OPEN' ? 'ORDER' : 'WAIT') : 'SUPPLEMENT'
  }
  return refundFailed ? 'SUPPLEMENT' : 'WAIT'
}
export const closable = ({ kind, state }: Pick<CaseRow, 'kind' | 'state'>): boolean =>
  state !== 'DONE' && (kind === 'UNKNOWN_RESULT' || losses.includes(kind))
