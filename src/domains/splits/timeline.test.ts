import { expect, test } from 'vitest'
import { shanghaiDay } from '../../shared/instants.ts'
import { bankDayAfter, calendarOf, type Due, stepsOf, type Times } from './timeline.ts'

const days = new Map(
  ['WORKDAY', 'HOLIDAY', 'REST', 'MAKEUP', 'WORKDAY'].map((type, n) => [
    `2026-10-0${n + 1}`,
    { type: type as 'WORKDAY' },
  ]),
)
test.each([
  ['2026-10-01', '2026-10-04'],
  ['2026-10-03', '2026-10-04'],
  ['2026-10-04', '2026-10-05'],
])('what is settled on %s is at the bank on %s', (day, bank) => {
  expect(bankDayAfter(days, day)).toBe(bank)
})

const at = (time: string) => new Date(`2026-10-01T${time}:00+08:00`)
const split: Times = {
  ...{ state: 'READY', mode: 'CHANNEL', paid: 500, given: 500, returned: 100 },
  ...{ paidAt: at('09:00'), finalAt: at('09:01'), accruedAt: at('09:02') },
  ...{ dueAt: at('12:00'), doneAt: null },
}
const seen = (change: Partial<Times>, now = at('10:00')) =>
  stepsOf({ ...split, ...change }, now, shanghaiDay, days).map(
    ({ key, at, expected, amount }) =>
      `${key} ${at ? 'at' : expected ? 'expected' : '-'} ${amount}`,
  )
test('stations of a split: what was, what is expected, and how much of it', () => {
  const first = ['PAID at 500', 'FINAL at 500', 'ACCRUED at 500']
  expect(seen({})).toEqual([
    ...[...first, 'DUE expected 400', 'SENT - null', 'DONE expected 400', 'ARRIVED expected 400'],
  ])
  expect(seen({}, at('13:00'))).toContain('DUE at 400')
  expect(seen({ mode: 'LEDGER', doneAt: at('12:01') }, at('13:00'))).toEqual([
    ...[...first, 'DUE at 400', 'DONE at 400'],
  ])
  expect(seen({ state: 'CLOSED', returned: 500 })).toContain('DUE - null')
  expect(seen({ state: 'WAIT', finalAt: null, accruedAt: null, dueAt: null })).toEqual([
    ...['PAID at 500', 'FINAL - null', 'ACCRUED - null', 'DUE - null', 'SENT - null'],
    ...['DONE - null', 'ARRIVED - null'],
  ])
})

test('the calendar: what is overdue comes as if it were due today', () => {
  const due = (day: string | null, amount: number, change: Partial<Due> = {}): Due => ({
    ...{ day, amount, done: false, channel: true },
    ...change,
  })
  const sums = calendarOf(
    [
      due('2026-10-03', 5),
      due('2026-10-02', 20, { done: true }),
      due('2026-10-04', 100),
      due('2026-10-04', 7, { channel: false }),
      due(null, 3),
      due(null, 4, { done: true }),
    ],
    ['2026-10-04', '2026-10-05'],
    days,
  )
  expect(sums).toEqual({
    overdue: 5,
    manual: 3,
    days: [
      // what was done on the second came behind the holiday
      { day: '2026-10-04', ledger: 7, channel: 100, arrives: 20 },
      { day: '2026-10-05', ledger: 0, channel: 0, arrives: 105 },
    ],
  })
})
