import { expect, test } from 'vitest'
import { doorSeconds, intervals, referenceOf } from './doors.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 6, minute))
const said = (...words: [minute: number, open: boolean][]) =>
  intervals(
    words.map(([minute, open]) => ({ at: at(minute), open })),
    at(0),
    at(60),
  ).map(({ from, to }) => [
    from.getUTCMinutes(),
    from < to ? (to.getTime() - at(0).getTime()) / 60_000 : 0,
  ])

test.each<[string, [number, boolean][], number[][]]>([
  ['nothing was said', [], []],
  [
    'opened and shut',
    [
      [5, true],
      [9, false],
    ],
    [[5, 9]],
  ],
  [
    'twice',
    [
      [5, true],
      [9, false],
      [20, true],
      [30, false],
    ],
    [
      [5, 9],
      [20, 30],
    ],
  ],
  [
    'said twice it is open once',
    [
      [5, true],
      [6, true],
      [9, false],
    ],
    [[5, 9]],
  ],
  ['open before anybody looked', [[9, false]], [[0, 9]]],
  ['not shut', [[40, true]], [[40, 60]]],
])('when a door stood open: %s', (_, words, found) => expect(said(...words)).toEqual(found))

test('a count while it was open is of the moment when it was opened', () => {
  const doors = intervals(
    [
      { at: at(5), open: true },
      { at: at(9), open: false },
    ],
    at(0),
    at(60),
  )
  expect([4, 5, 7, 9, 10].map((minute) => referenceOf(at(minute), doors).getUTCMinutes())).toEqual([
    4, 5, 5, 5, 10,
  ])
  expect([doorSeconds(doors), doorSeconds([])]).toEqual([240, null])
})
