import { addDays } from '../../shared/instants.ts'
import { defineStates } from '../../shared/moves.ts'

export const dimensions = ['ORG', 'DEVICE', 'MERCHANT', 'DAY'] as const
export type Dimension = (typeof dimensions)[number]

export type Span = { readonly grain: 'DAY' | 'MONTH'; readonly from: string; readonly to: string }

const firstOf = (day: string): string => `${day.slice(0, 7)}-01`
const nextMonth = (day: string): string => firstOf(addDays(firstOf(day), 31))

/**
 * The rows that add up to these days, both included: months that are over as a whole, the days
 * before and behind them one by one. `byDay`: only days.
 */
export function spansOf(from: string, to: string, today: string, byDay = false): Span[] {
  const first = from === firstOf(from) ? from : nextMonth(from)
  const end = to < today ? addDays(to, 1) : today
  const last = firstOf(end)
  if (byDay || first >= last) return [{ grain: 'DAY', from, to }]
  const spans: Span[] = [
    { grain: 'DAY', from, to: addDays(first, -1) },
    { grain: 'MONTH', from: first, to: addDays(last, -1) },
    { grain: 'DAY', from: last, to },
  ]
  return spans.filter((span) => span.from <= span.to)
}

/** How far back a bill begins when nobody says. */
export const usualDays = 30

export const accountCodes = [
  ...(['1001', '1003', '1101', '1102', '2001', '2002', '2003'] as const),
  ...(['2004', '2005', '2101', '2102', '2201', '2202', '2301', '2302', '2901'] as const),
] as const
/** Of referrers: nobody books there by hand. */
export const referrersCodes: readonly string[] = ['1102', '2004', '2005']
export const voucherTypes = [
  ...(['V1', 'V1b', 'V1c', 'V2', 'V3', 'V4', 'V5', 'V6', 'V6b', 'V6c'] as const),
  ...(['V7', 'V7b', 'V7c', 'V8', 'V9', 'V10', 'V11', 'V12', 'V13'] as const),
] as const

/** What a party has a statement of: what it is owed, what is on its way, what it owes. */
export const statementCodes = ['2002', '2003', '1101'] as const

/** How the key of a voucher begins: what it books, in words. */
export const facts = [
  ...(['in', 'fee', 'rf', 'sus', 'susr', 'susa', 'al', 'so', 'st', 'sr', 'srr', 'net'] as const),
  ...(['wd', 'rent', 'rc', 'sp', 'spr', 'adj', 'off', 'rev', 'tr'] as const),
] as const
export type Fact = (typeof facts)[number]
/** What some of them say behind their number. */
const steps = ['', ':apply', ':paid', ':back']
/** The keys under which a number of business may have been booked. */
export const keysOf = (number: string): string[] =>
  facts.flatMap((fact) => steps.map((step) => `${fact}:${number}${step}`))

/** Number of a voucher as people say it, and back. */
export const voucherNo = (id: number): string => `PZ${String(id).padStart(10, '0')}`
export const voucherIdOf = (text: string): number | null => {
  const id = Number(/^PZ0*(\d{1,15})$/i.exec(text)?.[1])
  return Number.isSafeInteger(id) && id > 0 ? id : null
}

/** Debit makes an asset larger and a liability smaller: its balance is on its own side. */
export const sideOf = (code: string): 1 | -1 => (code.startsWith('1') ? 1 : -1)

/** What a voucher is about, by the beginning of its key. */
export const whatOf = (key: string | null): Fact | null => {
  const [first] = (key ?? '').split(':')
  return facts.find((fact) => fact === first) ?? null
}
/** Adjustments by hand and money that waits for somebody may be taken back; else its business is. */
export const mayReverse = (what: string | null): boolean => what === 'adj' || what === 'sus'

export type AdjustmentState = 'PENDING' | 'APPROVED' | 'REJECTED'
export const adjustmentStates = defineStates<AdjustmentState>({
  name: 'billing.adjustment',
  column: 'ledger_adjustments.state',
  start: ['PENDING'],
  moves: { PENDING: ['APPROVED', 'REJECTED'], APPROVED: [], REJECTED: [] },
})
