import { addDays, startOfDay } from '../../shared/instants.ts'
import { banksWork } from '../settings/rules.ts'
import { failReasons, type Mode, type SplitState } from './rules.ts'

/** Where the money of an order stands, and when it comes. Pure. */

export const steps = ['PAID', 'FINAL', 'ACCRUED', 'DUE', 'SENT', 'DONE', 'ARRIVED'] as const
/** Why the share of an order stands still. */
export const standings = [
  ...(['VEND', 'DUE', 'MANUAL', 'CHANNEL'] as const),
  ...failReasons,
] as const
export type Standing = (typeof standings)[number]

export type Times = {
  readonly state: SplitState
  readonly mode: Mode
  readonly paid: number
  /** What parties were given, and what of it went back. */
  readonly given: number
  readonly returned: number
  readonly paidAt: Date
  readonly finalAt: Date | null
  readonly accruedAt: Date | null
  readonly dueAt: Date | null
  readonly doneAt: Date | null
}
type Days = Parameters<typeof banksWork>[0]
export type Step = {
  key: (typeof steps)[number]
  at: string | null
  expected: string | null
  amount: number | null
}

/** The first day after it on which banks work; within what is known of `days`. */
export function bankDayAfter(days: Days, day: string): string {
  let at = addDays(day, 1)
  while (days.has(at) && !banksWork(days, at)) at = addDays(at, 1)
  return at
}

/** The stations of a split: the ledger sends nothing, and its money is had when it is done. */
export function stepsOf(split: Times, now: Date, dayOf: (at: Date) => string, days: Days): Step[] {
  const { mode, dueAt, doneAt } = split
  const step = (
    key: Step['key'],
    at: Date | null,
    amount: number,
    expected: Date | null = null,
  ) => ({
    key,
    at: at?.toISOString() ?? null,
    expected: at === null ? (expected?.toISOString() ?? null) : null,
    amount: at === null && expected === null ? null : amount,
  })
  const left = split.given - split.returned
  const closed = split.state === 'CLOSED'
  const due = dueAt !== null && dueAt <= now ? dueAt : null
  const ahead = closed ? null : dueAt
  const first = [
    step('PAID', split.paidAt, split.paid),
    step('FINAL', split.finalAt, split.paid),
    step('ACCRUED', split.accruedAt, split.given),
    step('DUE', closed ? null : due, left, ahead),
  ]
  if (mode === 'LEDGER') return [...first, step('DONE', doneAt, left, ahead)]
  const settled = doneAt ?? ahead
  const arrives = settled && startOfDay(bankDayAfter(days, dayOf(settled)))
  return [
    ...first,
    step('SENT', null, left, null),
    step('DONE', doneAt, left, ahead),
    step('ARRIVED', null, left, arrives),
  ]
}

export type Due = { day: string | null; done: boolean; channel: boolean; amount: number }
type Expected = { ledger: number; channel: number; arrives: number }
export type Sums = { days: (Expected & { day: string })[]; overdue: number; manual: number }

/**
 * What is due on each day of the calendar and what comes to the bank on it: what is overdue at the
 * channel as if it were due today.
 */
export function calendarOf(dues: readonly Due[], shown: readonly string[], days: Days): Sums {
  const today = shown[0] as string
  const sums = new Map(shown.map((day) => [day, { day, ledger: 0, channel: 0, arrives: 0 }]))
  let [overdue, manual] = [0, 0]
  for (const { day, done, channel, amount } of dues) {
    if (day === null) {
      if (!done) manual += amount
      continue
    }
    const late = day < today && !done
    if (late) overdue += amount
    const on = sums.get(day)
    if (on) on[channel ? 'channel' : 'ledger'] += amount
    const bank = channel ? sums.get(bankDayAfter(days, late ? today : day)) : undefined
    if (bank) bank.arrives += amount
  }
  return { days: [...sums.values()], overdue, manual }
}
