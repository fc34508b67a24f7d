import { addDays, startOfDay } from '../../shared/instants.ts'
import { allowedFrom, defineStates } from '../../shared/moves.ts'

/** What is compared with what, each by itself and in this order. */
export const inner = ['ORDERS', 'PAYMENTS', 'REFUNDS', 'STOCK', 'LEDGER'] as const
/** Bills of channels: trades, what moved on the account, what was paid on to receivers. */
export const outer = ['BILL', 'FUND', 'SPLIT'] as const
export const parts = [...inner, ...outer] as const
export type Inner = (typeof inner)[number]
export type Outer = (typeof outer)[number]
export type Part = Inner | Outer
export const isOuter = (part: string): part is Outer => outer.some((one) => one === part)
export const billTypeOf = { BILL: 'TRADE', FUND: 'FUND', SPLIT: 'SPLIT' } as const satisfies Record<
  Outer,
  string
>

export const kinds = [
  // an order with its pieces, its refunds, its payment, and whether it is over
  'ORDER_AMOUNT',
  'ORDER_REFUNDED',
  'ORDER_PAYMENT',
  'ORDER_FINAL',
  // a payment with the ledger, the ledger with payments, a payment with its refunds
  'PAYMENT_LEDGER',
  'FEE_LEDGER',
  'LEDGER_PAYMENT',
  'PAYMENT_REFUNDED',
  // a refund with the ledger, the ledger with refunds, a refund with its piece
  'REFUND_UNBOOKED',
  'REFUND_LEDGER',
  'LEDGER_REFUND',
  'REFUND_PIECE',
  // a piece with its flow, a flow with its piece and the one before it, a lane with its flows and holds
  'PIECE_FLOW',
  'FLOW_PIECE',
  'FLOW_CHAIN',
  'LANE_QUANTITY',
  'LANE_HOLDS',
  'VOUCHER_BALANCE',
  'PARTY_BALANCE',
  // what rounding owes a party of a strategy
  'CARRY',
  // our books with the provider's bill
  'LOCAL_ONLY',
  'CHANNEL_ONLY',
  'AMOUNT',
  'STATUS',
  'FEE',
  'DUPLICATE',
  // a share that went to somebody else than ours
  'SPLIT',
  // channel money in the ledger with what lies at the channel
  'BALANCE',
  // a line of it that says nothing
  'BILL_LINE',
] as const
export type DifferenceKind = (typeof kinds)[number]

/** A person looks at one until it is explained; what a later comparison finds mended is resolved. */
export type DifferenceState = 'OPEN' | 'HANDLING' | 'REVIEW' | 'RESOLVED' | 'IGNORED'
export const differenceStates = defineStates<DifferenceState>({
  name: 'reconciliation.difference',
  column: 'reconciliation_differences.state',
  start: ['OPEN'],
  moves: {
    OPEN: ['HANDLING', 'REVIEW', 'RESOLVED'],
    HANDLING: ['OPEN', 'REVIEW', 'RESOLVED'],
    REVIEW: ['HANDLING', 'RESOLVED', 'IGNORED'],
    RESOLVED: ['OPEN'],
    IGNORED: ['OPEN'],
  },
})
export const differenceFrom = (next: DifferenceState): DifferenceState[] =>
  allowedFrom(differenceStates, next)

/**
 * Beyond the limit (¥100) a second person looks, and always before something is ignored or the books
 * are corrected.
 */
export const needsReview = (
  wanted: 'RESOLVED' | 'IGNORED',
  { localAmount, otherAmount }: { localAmount: number; otherAmount: number },
  limit: number,
  corrects = false,
): boolean => wanted === 'IGNORED' || corrects || Math.abs(localAmount - otherAmount) > limit

/** What a bill that is asked for comes to. */
export const runStates = [
  'WAITING',
  'FETCHING',
  'COMPARING',
  'BALANCED',
  'DIFFERENT',
  'FAILED',
] as const
/**
 * What is done about a difference: an explanation, an order that its money found, its money back, a
 * voucher that corrects the books, or the channel corrects what it said.
 */
export const treatments = ['CHECKED', 'SUPPLEMENTED', 'REFUNDED', 'CORRECTED', 'CHANNEL'] as const
export type Treatment = (typeof treatments)[number]
const billTreatments: { readonly [K in DifferenceKind]?: readonly Treatment[] } = {
  LOCAL_ONLY: ['CHECKED', 'CORRECTED', 'CHANNEL'],
  CHANNEL_ONLY: ['SUPPLEMENTED', 'REFUNDED', 'CORRECTED', 'CHECKED', 'CHANNEL'],
  AMOUNT: ['CORRECTED', 'CHECKED', 'CHANNEL'],
  STATUS: ['CORRECTED', 'CHECKED', 'CHANNEL'],
  FEE: ['CORRECTED', 'CHECKED', 'CHANNEL'],
  BALANCE: ['CORRECTED', 'CHECKED', 'CHANNEL'],
  SPLIT: ['CORRECTED', 'CHECKED', 'CHANNEL'],
  DUPLICATE: ['REFUNDED', 'CHECKED', 'CHANNEL'],
  BILL_LINE: ['CHECKED', 'CHANNEL'],
}
/** A share is no money of a buyer: nothing is made good and nothing given back. */
const shareTreatments: readonly Treatment[] = ['CORRECTED', 'CHECKED', 'CHANNEL']
/** Of what our own books disagree about, somebody finds out why and adjusts by hand. */
export const treatmentsOf = (kind: DifferenceKind, part?: string): readonly Treatment[] =>
  part === 'SPLIT' && kind !== 'BILL_LINE'
    ? shareTreatments
    : (billTreatments[kind] ?? ['CHECKED', 'CORRECTED'])
/** What a treatment books by itself when it is agreed to. */
export const booksItself = (kind: DifferenceKind, treatment: Treatment | null): boolean =>
  treatment === 'CORRECTED' && Object.hasOwn(billTreatments, kind)

/** What a channel says when it is asked after one. */
export const answers = [
  ...(['PAID', 'OPEN', 'ABSENT', 'CLOSED'] as const),
  ...(['REFUNDED', 'REFUNDING', 'REFUND_FAILED', 'SILENT'] as const),
] as const
export type Answer = (typeof answers)[number]
const asked: readonly DifferenceKind[] = [
  ...(['LOCAL_ONLY', 'CHANNEL_ONLY', 'AMOUNT', 'STATUS'] as const),
]
/** Of shares a channel is asked under our numbers: what only it knows has none. */
const askedOfShares: readonly DifferenceKind[] = ['LOCAL_ONLY', 'STATUS']
export const mayAsk = (part: string, kind: DifferenceKind): boolean =>
  part === 'BILL' ? asked.includes(kind) : part === 'SPLIT' && askedOfShares.includes(kind)

/**
 * The subject of a share: our number of it and which party, or `R` of a return; of a receiver that is
 * none of ours some letters.
 */
export function shareOf(subject: string) {
  const [, requestNo = subject, which = ''] = /^(.*)\/([^/]+)$/.exec(subject) ?? []
  const partyNo = /^\d{1,2}$/.test(which) ? Number(which) : null
  return { requestNo, partyNo, isReturn: which === 'R' }
}

/** Fees that a bill corrects without anybody: a fen each, and a yuan of a bill. */
const smallFee = { each: 1, run: 100 } as const
/** Those of a bill that are corrected by themselves; none where together they are too much. */
export function smallFees<D extends { kind: string; localAmount: number; otherAmount: number }>(
  found: readonly D[],
): D[] {
  const gap = ({ localAmount, otherAmount }: D) => Math.abs(localAmount - otherAmount)
  const small = found.filter((one) => one.kind === 'FEE' && gap(one) <= smallFee.each)
  return small.reduce((sum, one) => sum + gap(one), 0) > smallFee.run ? [] : small
}

/** So long one is looked for in the bills beside its own before its channel is asked. */
export const crossDays = 3
/** Bills of channels may be asked for so far back, and files of them uploaded up to a size. */
export const runLimits = { days: 90, fileBytes: 8 * 1024 * 1024, rows: 200_000 } as const

/** A difference that was explained may be taken up again for so long. */
export const reopenDays = 30

export type Window = { day: string; from: Date; until: Date }
export const windowOf = (day: string): Window => ({
  day,
  from: startOfDay(day),
  until: startOfDay(addDays(day, 1)),
})

/**
 * Clocks differ: what we booked in the last minutes of a day may stand in the bill of the next one,
 * so it is looked for a day later.
 */
export const bookedFor = ({ from, until }: Window): { from: Date; until: Date } => ({
  from: new Date(from.getTime() - edge),
  until: new Date(until.getTime() - edge),
})
export const edge = 600_000
