import { expect, test } from 'vitest'
import type { BoardPlace, BoardSale } from '../boardContract.ts'
import { ceiling, line, named, newSales, scaleOf, stateOf } from './wallRules.ts'

const place = (change: Partial<BoardPlace> = {}): BoardPlace => ({
  ...{ code: '440300', name: '深圳', nameEn: 'Shenzhen', lng: 114, lat: 22.5 },
  ...{ online: 3, fault: 0, offline: 0 },
  ...change,
})

test.each([
  [1920, 1080, 1],
  [3840, 2160, 2],
  [1366, 768, 1366 / 1920],
  [1920, 900, 900 / 1080],
  [0, 0, 0.1],
])('%i × %i is drawn %f times as large', (width, height, scale) =>
  expect(scaleOf(width, height)).toBeCloseTo(scale),
)
test.each([
  [{ fault: 1 }, 'fault'],
  [{ offline: 4 }, 'offline'],
  [{ offline: 2 }, 'online'],
] as const)('a place with %o is %s', (change, state) => expect(stateOf(place(change))).toBe(state))
test.each([
  [0, 4],
  [4, 4],
  [37, 40],
  [41, 60],
  [50, 60],
  [343, 400],
  [8001, 10_000],
])('the axis of %i ends at %i', (value, end) => expect(ceiling(value)).toBe(end))
test('names do not cover each other', () => {
  const all = [place(), place({ code: '2', lng: 114.5 }), place({ code: '3', lat: 30 })]
  expect(named(all).map(({ code }) => code)).toEqual(['440300', '3'])
  expect(named(all, 1)).toHaveLength(1)
})
test('sales of the first look are not new', () => {
  const sale = (at: string) => ({ at }) as BoardSale
  const all = [sale('2026-11-24T02:00:00Z'), sale('2026-11-24T01:00:00Z')]
  expect(newSales(all, null)).toEqual([])
  expect(newSales(all, '2026-11-24T01:00:00Z')).toEqual([all[0]])
})
test('a line ends where its values do', () =>
  expect(line([0, 5], { width: 100, height: 10, slots: 3, most: 10 })).toBe('M0.0 10.0L50.0 5.0'))
