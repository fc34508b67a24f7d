import { describe, expect, test } from 'vitest'
import { type CalendarDay, settingErrors } from './contract.ts'
import {
  calendarDue,
  calendarProblem,
  calendarRows,
  changeable,
  effective,
  type Stored,
  weekType,
  withDay,
  yearOf,
} from './rules.ts'

const row = (orgId: number, depth: number, locked = false): Stored => ({
  orgId,
  depth,
  value: orgId,
  locked,
})

describe('whose value counts', () => {
  test.each([
    [[], null],
    [[row(1, 1)], 1],
    [[row(3, 3), row(1, 1), row(2, 2)], 3],
    [[row(3, 3), row(2, 2, true), row(1, 1)], 2],
    [[row(3, 3, true), row(2, 2, true)], 2],
    [[row(2, 2), row(3, 3, true)], 3],
  ] as [Stored[], number | null][])('%o', (chain, expected) =>
    expect(effective(chain)?.value ?? null).toBe(expected),
  )
})

describe('who may change', () => {
  test.each([
    ['org', [], 3, null],
    ['org', [row(2, 2)], 3, null],
    ['org', [row(2, 2, true)], 3, 'lockedAbove'],
    ['org', [row(3, 3, true)], 3, null],
    ['org', [row(2, 2, true), row(3, 3, true)], 3, 'lockedAbove'],
    ['platform', [], 3, 'platformOnly'],
    ['platform', [], 1, null],
  ] as ['org' | 'platform', Stored[], number, 'lockedAbove' | 'platformOnly' | null][])(
    '%s %o by %i',
    (level, chain, org, expected) =>
      expect(changeable({ level }, chain, org, 1)).toBe(expected ? settingErrors[expected] : null),
  )
})

describe('calendar', () => {
  test.each([
    ['2026-11-20', 'WORKDAY'],
    ['2026-11-21', 'REST'],
    ['2026-11-22', 'REST'],
    ['2026-11-23', 'WORKDAY'],
  ])('%s goes by its weekday', (day, type) => expect(weekType(day)).toBe(type))
  test('a year has all its days, special ones as stored', () => {
    const days = yearOf(2028, new Map([['2028-02-29', { type: 'HOLIDAY' as const, name: '测试' }]]))
    expect([days.length, days[0]?.day, days.at(-1)?.day]).toEqual([366, '2028-01-01', '2028-12-31'])
    expect(days.find((d) => d.day === '2028-02-29')).toEqual({
      day: '2028-02-29',
      type: 'HOLIDAY',
      name: '测试',
    })
  })
  const day = (text: string): CalendarDay => ({ day: text, type: 'HOLIDAY', name: '' })
  test.each([
    [[day('2026-01-01'), day('2026-01-02')], null],
    [
      [day('2026-01-01'), day('2027-01-02')],
      ['settings.dayElsewhere', 2],
    ],
    [
      [day('2026-01-01'), day('2026-01-02'), day('2026-01-01')],
      ['settings.dayTwice', 3],
    ],
  ] as [CalendarDay[], [string, number] | null][])('%o', (days, expected) => {
    const found = calendarProblem(2026, days)
    expect(found && [found.def.name, found.row]).toEqual(expected)
  })
  test.each([
    ['nonsense', null],
    ['{}', null],
    ['7', null],
    ['null', null],
    ['[{"day":"2026-01-01","type":"HOLIDAY"}]', [{ day: '2026-01-01', type: 'HOLIDAY' }]],
    [
      '{"days":[{"date":"2026-01-01","type":"节假日补班","name":"元旦"}]}',
      [{ day: '2026-01-01', type: 'MAKEUP', name: '元旦' }],
    ],
    ['[1,null]', [1, null]],
  ] as [string, unknown[] | null][])('the file %s', (text, expected) =>
    expect(calendarRows(text)).toEqual(expected),
  )
  test.each([
    ['2026-11-30', null],
    ['2026-12-01', 2027],
    ['2026-12-31', 2027],
    ['2027-01-01', null],
  ] as [string, number | null][])('on %s the calendar of %o is due', (today, expected) =>
    expect(calendarDue(today)).toBe(expected),
  )
})

test('one changed day leaves the other special days of its year as they are', () => {
  const holiday = { day: '2027-01-01', type: 'HOLIDAY' as const, name: '元旦' }
  const year = yearOf(2027, new Map([[holiday.day, holiday]]))
  const worked = { day: '2027-01-03', type: 'MAKEUP' as const, name: '' }
  expect(withDay(year, worked)).toEqual([holiday, worked])
  // back to what its weekday says: it stays named, so that a year never loses its last row
  const plain = { ...holiday, type: 'WORKDAY' as const, name: '' }
  expect(withDay(year, plain)).toEqual([plain])
})
