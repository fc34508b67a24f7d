import { expect, test } from 'vitest'
import { lastDue, nextDue, type Plan, spanOf } from './rules.ts'

const shanghai = (text: string) => new Date(`${text}+08:00`)
const plan = (every: Plan['every'], onDay: number, atHour: number): Plan => ({
  every,
  onDay,
  atHour,
})

test.each([
  // 24 Nov 2026 is a Tuesday
  [plan('DAY', 1, 8), '2026-11-24T08:00', '2026-11-24', '2026-11-25T08:00'],
  [plan('DAY', 1, 8), '2026-11-24T07:59', '2026-11-23', '2026-11-24T08:00'],
  [plan('DAY', 1, 0), '2026-11-24T00:00', '2026-11-24', '2026-11-25T00:00'],
  [plan('WEEK', 2, 8), '2026-11-24T08:00', '2026-11-24', '2026-12-01T08:00'],
  [plan('WEEK', 2, 8), '2026-11-24T07:00', '2026-11-17', '2026-11-24T08:00'],
  [plan('WEEK', 7, 23), '2026-11-24T08:00', '2026-11-22', '2026-11-29T23:00'],
  [plan('MONTH', 1, 7), '2026-12-01T07:00', '2026-12-01', '2027-01-01T07:00'],
  [plan('MONTH', 1, 7), '2026-12-01T06:59', '2026-11-01', '2026-12-01T07:00'],
  [plan('MONTH', 28, 7), '2027-01-15T12:00', '2026-12-28', '2027-01-28T07:00'],
  [plan('MONTH', 28, 7), '2028-02-28T07:00', '2028-02-28', '2028-03-28T07:00'],
])('%j at %s was due on %s and is next at %s', (given, now, last, next) => {
  expect(lastDue(given, shanghai(now))).toBe(last)
  expect(nextDue(given, shanghai(now))).toEqual(shanghai(next))
})

test.each([
  ['NONE', null],
  ['YESTERDAY', '2026-02-28 2026-02-28'],
  ['LAST_7_DAYS', '2026-02-22 2026-02-28'],
  // 1 March 2026 is a Sunday
  ['LAST_WEEK', '2026-02-16 2026-02-22'],
  ['LAST_MONTH', '2026-02-01 2026-02-28'],
] as const)('%s on 1 March is %s', (period, days) => {
  const span = spanOf(period, '2026-03-01')
  expect(span && `${span.from} ${span.to}`).toBe(days)
})
