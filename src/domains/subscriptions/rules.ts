import { addDays, shanghaiDay, startOfDay } from '../../shared/instants.ts'
import { allowedFrom, defineStates } from '../../shared/moves.ts'

/** Bounds of what comes by itself. */
export const subscriptionLimits = {
  /** Of a person, ended ones not counted. */
  each: 20,
  /** Who get one. */
  people: 20,
  /** Runs by hand of a person in an hour. */
  byHand: 10,
  /** A larger file is not attached: the mail says where it is. */
  mailBytes: 5_242_880,
  leaseSeconds: 300,
  /** Runs are told of for so long; the once-only of a time needs a month of them. */
  keepDays: 90,
} as const

export const everies = ['DAY', 'WEEK', 'MONTH'] as const
export const periods = ['NONE', 'YESTERDAY', 'LAST_7_DAYS', 'LAST_WEEK', 'LAST_MONTH'] as const
/** Why there is no file, or no mail of it. */
export const problems = [
  'NONE',
  'NO_RIGHT',
  'LEFT',
  'TOO_MANY',
  'NOT_ISSUED',
  'NO_ADDRESS',
  'UNCONFIRMED',
  'NO_MAIL_SERVER',
  'LIMIT',
  'MAIL',
  'GONE',
  'FAILED',
] as const
export type Problem = (typeof problems)[number]

export type State = 'ACTIVE' | 'PAUSED' | 'ENDED'
const states = defineStates<State>({
  name: 'subscriptions.state',
  column: 'subscriptions.state',
  start: ['ACTIVE'],
  moves: { ACTIVE: ['PAUSED', 'ENDED'], PAUSED: ['ACTIVE', 'ENDED'], ENDED: [] },
})
export const stateFrom = (next: State): State[] => allowedFrom(states, next)

export type Plan = {
  readonly every: (typeof everies)[number]
  /** Of the week, Monday is 1; of the month at most 28. */
  readonly onDay: number
  readonly atHour: number
}
const hourMs = 3_600_000
/** Monday is 0. */
const weekday = (day: string) => (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7

export const dueAt = ({ atHour }: Pick<Plan, 'atHour'>, day: string): Date =>
  new Date(startOfDay(day).getTime() + atHour * hourMs)

/** The last day whose time has come, in Asia/Shanghai. */
export function lastDue(plan: Plan, now: Date): string {
  const today = shanghaiDay(new Date(now.getTime() - plan.atHour * hourMs))
  if (plan.every === 'DAY') return today
  if (plan.every === 'WEEK') return addDays(today, -((weekday(today) - (plan.onDay - 1) + 7) % 7))
  const first = `${today.slice(0, 7)}-01`
  const month =
    Number(today.slice(8)) >= plan.onDay ? first : `${addDays(first, -1).slice(0, 7)}-01`
  return addDays(month, plan.onDay - 1)
}

export function nextDue(plan: Plan, now: Date): Date {
  const last = lastDue(plan, now)
  if (plan.every !== 'MONTH') return dueAt(plan, addDays(last, plan.every === 'DAY' ? 1 : 7))
  return dueAt(plan, `${addDays(`${last.slice(0, 7)}-01`, 31).slice(0, 7)}${last.slice(7)}`)
}

/** What is told of on that day: whole days in Asia/Shanghai; null: what there is. */
export function spanOf(
  period: (typeof periods)[number],
  day: string,
): { from: string; to: string } | null {
  const monday = addDays(day, -weekday(day))
  const lastDay = addDays(`${day.slice(0, 7)}-01`, -1)
  return {
    NONE: null,
    YESTERDAY: { from: addDays(day, -1), to: addDays(day, -1) },
    LAST_7_DAYS: { from: addDays(day, -7), to: addDays(day, -1) },
    LAST_WEEK: { from: addDays(monday, -7), to: addDays(monday, -1) },
    LAST_MONTH: { from: `${lastDay.slice(0, 7)}-01`, to: lastDay },
  }[period]
}

/** A statement tells of the time that is over when it comes. */
export const statementPeriod = { DAY: 'YESTERDAY', WEEK: 'LAST_WEEK', MONTH: 'LAST_MONTH' } as const
