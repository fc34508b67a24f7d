import { describe, expect, test } from 'vitest'
import { isPast, stopDays } from './expiry.ts'
import { type Layer, placed, putIn, takeOut } from './layers.ts'

const layer = (pos: number | null, batchId: number | null, qty: number, codes: string[] = []) =>
  ({ pos, batchId, qty, codes }) satisfies Layer
const lane = [layer(3, 1, 2), layer(4, null, 1), layer(5, 2, 3, ['a', 'b', 'c'])]

describe('what comes in', () => {
  test.each([
    ['joins the same batch at the back', 2, 1, ['d'], [4, 'abcd']],
    ['with and without codes stand apart', 2, 1, [], [1, '']],
    ['another batch stands behind', 3, 5, [], [5, '']],
  ])('%s', (_, batchId, qty, codes, [last, queue]) => {
    const after = putIn(lane, { batchId, qty, codes })
    expect([after.at(-1)?.qty, after.at(-1)?.codes.join('')]).toEqual([last, queue])
  })
  test('what was written off stands in front, to be taken at once', () => {
    const back = putIn(lane, { batchId: null, qty: 1, codes: [] }, true)
    expect(takeOut(back, 1, {})?.left).toEqual(lane)
    expect(placed(back).map(({ pos }) => pos)).toEqual([2, 3, 4, 5])
  })
})

describe('what goes out', () => {
  test.each([
    ['from the front', 1, {}, [[1, 1]]],
    [
      'over several layers',
      4,
      {},
      [
        [1, 2],
        [null, 1],
        [2, 1, 'a'],
      ],
    ],
    ['of one batch', 2, { batchId: 2 }, [[2, 2, 'ab']]],
    ['of unknown batch', 1, { batchId: null }, [[null, 1]]],
    ['these boxes', 2, { codes: ['c', 'a'] }, [[2, 2, 'ac']]],
  ])('%s', (_, qty, choice, taken) => {
    const out = takeOut(lane, qty, choice)
    expect(
      out?.taken.map((t) => [t.batchId, t.qty, ...(t.codes.length ? [t.codes.join('')] : [])]),
    ).toEqual(taken)
    expect(out?.left.reduce((sum, { qty }) => sum + qty, 0)).toBe(6 - qty)
  })
  test.each([
    [7, {}],
    [4, { batchId: 2 }],
    [2, { batchId: null }],
    [1, { codes: ['x'] }],
    [1, { batchId: 9 }],
  ])('not %i of %j', (qty, choice) => expect(takeOut(lane, qty, choice)).toBeNull())
  test('the same batch twice is one portion', () => {
    const twice = [layer(1, 1, 1), layer(2, 2, 1), layer(3, 1, 4)]
    expect(takeOut(twice, 6, {})?.taken.map((t) => [t.batchId, t.qty])).toEqual([
      [1, 5],
      [2, 1],
    ])
  })
})

test('rows keep their place, and goods of unknown batch alone have none', () => {
  expect(placed(putIn(lane, { batchId: 7, qty: 1, codes: [] })).map(({ pos }) => pos)).toEqual([
    3, 4, 5, 6,
  ])
  expect(placed([layer(null, 1, 1), layer(null, 2, 1)]).map(({ pos }) => pos)).toEqual([1, 2])
  expect(placed([layer(4, null, 9)])).toEqual([])
})

test.each([
  ['2026-11-25', 'NONE', 1, false],
  ['2026-11-24', 'NONE', 1, true],
  ['2026-11-23', 'NONE', 0, true],
  ['2026-11-24', 'NONE', 0, false],
  ['2026-11-24', 'OTC_B', 0, true],
  ['2026-12-23', 'OTC_B', 90, true],
  ['2026-12-24', 'OTC_B', 90, false],
  ['2026-12-24', 'NONE', 90, true],
])('on 2026-11-23 goods of %s, %s, %i days before: stopped %s', (day, drug, days, stopped) =>
  expect(isPast(day, '2026-11-23', stopDays(drug, days))).toBe(stopped),
)
