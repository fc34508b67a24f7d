import { describe, expect, test } from 'vitest'
import {
  BusinessHours,
  type BusinessWindow,
  dayRuns,
  hoursProblem,
  isOpen,
  opensOn,
} from './hours.ts'
import { say } from './text.ts'

const window = (days: number[], from: string, to: string): BusinessWindow => ({ days, from, to })
const workdays = [1, 2, 3, 4, 5]

describe('a week that fits', () => {
  test.each<[string, BusinessWindow[], string | null]>([
    ['nothing', [], null],
    ['every day', [window([1, 2, 3, 4, 5, 6, 7], '00:00', '23:59')], null],
    [
      'three a day',
      [window([1], '06:00', '08:00'), window([1], '10:00', '12:00'), window([1], '12:00', '14:00')],
      null,
    ],
    [
      'four a day',
      [
        window([2], '01:00', '02:00'),
        window([2], '03:00', '04:00'),
        window([2], '05:00', '06:00'),
        window([2], '07:00', '08:00'),
      ],
      '周二最多3个时段',
    ],
    ['side by side', [window([3], '06:00', '12:00'), window([3], '12:00', '18:00')], null],
    [
      'overlapping',
      [window(workdays, '06:00', '12:00'), window([5], '11:59', '18:00')],
      '周五的时段重叠',
    ],
    [
      'one inside the other',
      [window([4], '06:00', '22:00'), window([4], '10:00', '11:00')],
      '周四的时段重叠',
    ],
    [
      'twice the same',
      [window([6], '06:00', '22:00'), window([6], '06:00', '22:00')],
      '周六的时段重叠',
    ],
    [
      'a night into a morning',
      [window([1], '22:00', '06:00'), window([2], '05:00', '07:00')],
      '周二的时段重叠',
    ],
    [
      'a night that ends when the morning begins',
      [window([1], '22:00', '06:00'), window([2], '06:00', '07:00')],
      null,
    ],
    [
      'Sunday night into Monday',
      [window([7], '20:00', '02:00'), window([1], '01:30', '03:00')],
      '周一的时段重叠',
    ],
    ['days of others', [window([1], '06:00', '12:00'), window([2], '06:00', '12:00')], null],
    ['a day named twice counts once', [window([1, 1], '06:00', '12:00')], null],
  ])('%s', (_, windows, problem) => {
    const found = hoursProblem(windows)
    expect(found === null ? null : say(found, 'zh-CN')).toBe(problem)
  })
})

describe('what may be sent', () => {
  test.each<[unknown, string, string]>([
    [[{ days: [1], from: '24:00', to: '06:00' }], '0.from', '时间格式为 HH:mm'],
    [[{ days: [1], from: '9:00', to: '10:00' }], '0.from', '时间格式为 HH:mm'],
    [[{ days: [1], from: '09:00', to: '' }], '0.to', '时间格式为 HH:mm'],
    [[{ days: [1], from: '09:00', to: '09:00' }], '0.to', '开始和结束不能相同'],
    [[{ days: [], from: '09:00', to: '10:00' }], '0.days', '请选择星期'],
    [[{ days: [8], from: '09:00', to: '10:00' }], '0.days.0', '请选择星期'],
    [
      [
        { days: [1], from: '09:00', to: '12:00' },
        { days: [1], from: '11:00', to: '13:00' },
      ],
      '',
      '周一的时段重叠',
    ],
    [
      Array.from({ length: 22 }, (_, i) => ({
        days: [(i % 7) + 1],
        from: `0${i % 9}:00`,
        to: `0${i % 9}:30`,
      })),
      '',
      '每天最多3个时段',
    ],
  ])('%o', (given, path, message) => {
    const found = BusinessHours.safeParse(given)
    const issue = found.error?.issues[0]
    expect([issue?.path.join('.'), say(issue?.message ?? '', 'zh-CN')]).toEqual([path, message])
  })
  test('the same week reads the same', () =>
    expect(
      BusinessHours.parse([
        window([7, 6], '10:00', '20:00'),
        window([3, 1, 3], '14:00', '18:00'),
        window([1], '06:00', '12:00'),
      ]),
    ).toEqual([
      window([1], '06:00', '12:00'),
      window([1, 3], '14:00', '18:00'),
      window([6, 7], '10:00', '20:00'),
    ]))
})

describe('open', () => {
  const week = [
    window(workdays, '06:00', '22:00'),
    window([6], '20:00', '02:00'),
    window([7], '22:00', '05:00'),
  ]
  test.each([
    ['2026-11-20T05:59:59+08:00', false], // a Friday
    ['2026-11-20T06:00:00+08:00', true],
    ['2026-11-20T21:59:59+08:00', true],
    ['2026-11-20T22:00:00+08:00', false],
    ['2026-11-21T12:00:00+08:00', false],
    ['2026-11-21T23:00:00+08:00', true],
    ['2026-11-22T01:59:00+08:00', true],
    ['2026-11-22T02:00:00+08:00', false],
    ['2026-11-22T23:00:00+08:00', true],
    ['2026-11-23T04:59:00+08:00', true], // Sunday's night on Monday
    ['2026-11-23T05:00:00+08:00', false],
  ])('%s: %s', (at, expected) => expect(isOpen(week, Date.parse(at))).toBe(expected))
  test('23:59 is the end of the day', () =>
    expect(
      isOpen([window([1, 2], '00:00', '23:59')], Date.parse('2026-11-23T23:59:30+08:00')),
    ).toBe(true))
  test('no hours of its own', () => expect(isOpen([], 0)).toBeNull())
  test.each<[number, [number, number][]]>([
    [
      1,
      [
        [360, 1320],
        [0, 300], // Sunday's night
      ],
    ],
    [6, [[1200, 1440]]],
    [
      7,
      [
        [0, 120],
        [1320, 1440],
      ],
    ],
  ])('on day %i', (day, minutes) => expect(opensOn(week, day)).toEqual(minutes))
})

test.each<[number[], [number, number][]]>([
  [[1, 2, 3, 4, 5], [[1, 5]]],
  [[7, 6], [[6, 7]]],
  [
    [5, 1, 3],
    [
      [1, 1],
      [3, 3],
      [5, 5],
    ],
  ],
])('days %o are %o', (days, runs) => expect(dayRuns(days)).toEqual(runs))
