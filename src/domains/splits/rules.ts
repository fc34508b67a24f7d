import { addDays, shanghaiDay, startOfDay } from '../../shared/instants.ts'
import { largestRemainder } from '../../shared/money.ts'
import { allowedFrom, defineStates } from '../../shared/moves.ts'

/**
 * Who gets how much of a piece: the computation of management.md, without a database, for live
 * splits, the panel of the form and the simulation alike. Money is fen; entitlements and carries are
 * ten-thousandths of a fen. Numbers hold both exactly: the largest product, ¥90 million at 100 %, is
 * below 2^53, and whoever asks for more is refused.
 */
const parts = 10_000
/** What a carry must stay below; beyond it a person looks. */
export const largestCarry = 100 * parts

/** Through the channel, from a merchant below it, or in the ledger until it is withdrawn. */
export const modes = ['CHANNEL', 'SUB_MERCHANT', 'LEDGER'] as const
export type Mode = (typeof modes)[number]
/** What real merchants take and let others have by default; the simulator does the same. */
export const usual = { feeBp: 60, capBp: 3000 }
/** How many basis points may leave the collector through the channel; null: no channel is asked. */
export const capOf = (mode: string, capBp: number): number | null =>
  mode === 'LEDGER' ? null : capBp

export type FeeMode = 'BEFORE' | 'AFTER'
export type Party = { readonly ratioBp: number; readonly isCollector: boolean }
export type Terms = {
  /** In their order: ties go to the first. The ratios add up to the whole, one is the collector. */
  readonly parties: readonly Party[]
  readonly feeMode: FeeMode
  /** How much of what was paid may leave the collector through the channel; null: no channel. */
  readonly capBp: number | null
}
/** A piece: what was paid for it, its share of the fee, what a sponsor added. */
export type Piece = { readonly paid: number; readonly fee: number; readonly subsidy?: number }
/** What a piece was divided into; `gives` add up to `base`. */
export type Division = {
  readonly base: number
  readonly entitled: readonly number[]
  readonly gives: readonly number[]
  readonly carries: readonly number[]
}

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0)

/** The share of each piece in the fee of its order. */
export const feesOf = (fee: number, paid: readonly number[]): number[] =>
  largestRemainder(fee, paid)

/** Gives a piece to its parties; `carries` are those before it. */
export function divide(
  { paid, fee, subsidy = 0 }: Piece,
  { parties, feeMode, capBp }: Terms,
  carries: readonly number[],
): Division {
  const base = paid + subsidy - (feeMode === 'BEFORE' ? fee : 0)
  const entitled = parties.map(({ ratioBp }) => base * ratioBp)
  const wants = entitled.map((part, i) => part + (carries[i] ?? 0))
  if (base < 0 || ![...wants, base * parts].every(Number.isSafeInteger))
    throw new RangeError(`${base} fen cannot be divided`)
  const gives = wants.map((want) => Math.max(0, Math.floor(want / parts)))
  const rest = (i: number) => (wants[i] ?? 0) - parts * (gives[i] ?? 0)
  let missing = base - sum(gives)
  for (; missing > 0; missing -= 1) add(gives, first(gives, rest), 1)
  // only after refunds: somebody is owed less than nothing
  for (; missing < 0; missing += 1)
    add(
      gives,
      last(gives, (i) => (gives[i] === 0 ? Number.POSITIVE_INFINITY : rest(i))),
      -1,
    )
  const collector = parties.findIndex(({ isCollector }) => isCollector)
  if (capBp !== null) {
    const other = (i: number) => (i === collector ? -1 : (gives[i] ?? 0))
    let over = sum(gives) - (gives[collector] ?? 0) - Math.floor((paid * capBp) / parts)
    for (; over > 0; over -= 1) {
      add(gives, first(gives, other), -1)
      add(gives, collector, 1)
    }
  }
  return { base, entitled, gives, carries: gives.map((_, i) => rest(i)) }
}

/**
 * The carries after a piece went back whole: what was given is taken back exactly, so what it left
 * in the carries goes too.
 */
export const withoutDivision = (
  { entitled, gives }: Pick<Division, 'entitled' | 'gives'>,
  carries: readonly number[],
): number[] => carries.map((carry, i) => carry - ((entitled[i] ?? 0) - parts * (gives[i] ?? 0)))

/**
 * A part of a piece's money goes back, `amount` of what was given: in proportion to what each still
 * has of it, which is also the most that can be taken. The last part takes exactly what is left.
 */
export function takeBack(
  amount: number,
  parties: readonly Party[],
  left: readonly number[],
  carries: readonly number[],
): { backs: number[]; carries: number[] } {
  if (amount > sum(left)) throw new RangeError(`${amount} fen are more than was given`)
  const backs = largestRemainder(amount, left)
  const after = carries.map(
    (carry, i) => carry - (amount * (parties[i]?.ratioBp ?? 0) - parts * (backs[i] ?? 0)),
  )
  return { backs, carries: after }
}

/** What of a share pays a debt of its party: at most so much that it still earns. */
export const nettedOf = (share: number, debt: number, mostBp: number): number =>
  Math.max(0, Math.min(debt, Math.floor((share * mostBp) / parts)))

/** A carry nobody expects: a person finds out why. */
export const isTooLarge = (carry: number): boolean => Math.abs(carry) >= largestCarry

function add(gives: number[], i: number, fen: number): void {
  gives[i] = (gives[i] ?? 0) + fen
}
/** The first party with the largest value. */
const first = (gives: readonly number[], value: (i: number) => number): number =>
  gives.reduce((best, _, i) => (value(i) > value(best) ? i : best), 0)
/** The last party with the smallest value. */
const last = (gives: readonly number[], value: (i: number) => number): number =>
  gives.reduce((best, _, i) => (value(i) <= value(best) ? i : best), 0)

/** What becomes of the share of a sale. */
export const splitStateNames = [
  'WAIT',
  'READY',
  'SPLITTING',
  'PARTIAL',
  'DONE',
  'RETURNING',
  'RETURNED',
  'CLOSED',
] as const
export type SplitState = (typeof splitStateNames)[number]
export const splitStates = defineStates<SplitState>({
  name: 'splits.order',
  column: 'split_orders.state',
  start: ['WAIT'],
  moves: {
    WAIT: ['READY', 'CLOSED'],
    READY: ['SPLITTING', 'DONE', 'CLOSED'],
    SPLITTING: ['DONE', 'PARTIAL'],
    PARTIAL: ['SPLITTING', 'DONE', 'RETURNING', 'RETURNED'],
    DONE: ['RETURNING', 'RETURNED'],
    RETURNING: ['DONE', 'RETURNED'],
    RETURNED: [],
    CLOSED: [],
  },
})
export const splitFrom = (next: SplitState): SplitState[] => allowedFrom(splitStates, next)

type Timing = 'MANUAL' | 'SECONDS' | 'MINUTES' | 'HALF_HOUR' | 'HOUR' | 'NEXT_DAY'
const later = (at: Date, seconds: number) => new Date(at.getTime() + 1000 * seconds)
/** When an order that was over at `at` is split; null: when a person says so. */
export function dueOf(timing: Timing, number: number | null, at: Date): Date | null {
  switch (timing) {
    case 'MANUAL':
      return null
    case 'SECONDS':
      return later(at, number ?? 60)
    case 'MINUTES':
      return later(at, 60 * (number ?? 1))
    case 'HALF_HOUR':
      return later(at, 1800)
    case 'HOUR':
      return later(at, 3600)
    case 'NEXT_DAY':
      return later(startOfDay(addDays(shanghaiDay(at), 1)), 7200)
  }
}
/** The channel lets nobody split sooner after the payment. */
export const soonestSeconds = 60

/**
 * Why a person looks: what is pending in the ledger is not what its pieces say, or a party has no
 * receiver at the merchant.
 */
export const failReasons = ['PENDING_MISMATCH', 'NO_RECEIVER'] as const
export type FailReason = (typeof failReasons)[number]

/** The first of the last 30 days. */
export const recentFrom = (now: Date): string => addDays(shanghaiDay(now), -29)
/** What a channel does with the share of a party; LEDGER: it is not asked. */
export const shareStates = ['LEDGER', 'SENDING', 'PAID', 'FAILED'] as const
export const returnStates = ['SENDING', 'DONE', 'DEBT'] as const
/** Why nobody asks the channel to take a share back: it is the party's debt at once. */
export const noReturns = ['PERSONAL', 'NO_CONSENT', 'TOO_OLD'] as const
export type NoReturn = (typeof noReturns)[number]
/** So long a channel takes shares back. */
const returnDays = 180
type Receiver = { readonly kind: string; readonly returnConsent: boolean | null }
export function noReturn({ kind, returnConsent }: Receiver, paidAt: Date, now: Date) {
  if (kind !== 'MERCHANT_ID') return 'PERSONAL'
  if (returnConsent === false) return 'NO_CONSENT'
  return now.getTime() - paidAt.getTime() > returnDays * 86_400_000 ? 'TOO_OLD' : null
}

/**
 * WeChat Pay's guide to refused shares (分账失败处理指引) explains this reason as the monthly limit of what
 * a person may receive, and says to try again next month or to pay him as a merchant. It names no sum:
 * the ¥200,000 of our texts are the product's own rule, which the channel keeps for us because it alone
 * knows what others sent him. What is more is no failure, it stays in the ledger.
 */
export const stays = (personal: boolean, reason: string | null): boolean =>
  personal && reason === 'RECEIVER_RECEIPT_LIMIT'

const hourly = (times: number) => Array<number>(times).fill(3600)
/** Seconds between questions about a split: soon, then hourly for two days; then a person looks. */
export const sendWaits = [10, 30, 120, 600, ...hourly(48)]
/** Between attempts to take a share back, for a day. */
export const returnWaits = [60, 300, 1800, ...hourly(23)]
/** Nothing was taken back: whoever got the share does not have it. */
export const isShort = (reason: string): boolean =>
  /(^|_)NOT_ENOUGH$|BALANCE_NOT_ENOUGH/.test(reason)
/** Days before the money of a payment is let go of by itself at which people are told. */
export const freezeAlertDays = 3

export const splitsName = 'splits'
export const returnsName = 'split-returns'
