import { expect, test } from 'vitest'
import type { BoardPlace, BoardSale } from '../boardContract.ts'
import {
  ceiling,
  country,
  line,
  machinesOf,
  named,
  newSales,
  nextProvince,
  scaleOf,
  stateOf,
  windowOf,
  x,
  y,
} from './wallRules.ts'

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

test('a round goes through the provinces with machines and ends at the country', () => {
  const of = (code: string, online: number): BoardPlace => ({
    ...{ code, name: code, nameEn: code, lng: 110, lat: 30, online },
    ...{ fault: 1, offline: 0 },
  })
  const places = [of('440300', 9), of('310000', 5), of('440100', 2)]
  const seen: (string | null)[] = []
  for (let now = nextProvince(places, null); now; now = nextProvince(places, now)) seen.push(now)
  expect(seen).toEqual(['440000', '310000'])
  expect(nextProvince([], null)).toBeNull()
  // gone since
  expect(nextProvince(places, '110000')).toBe('440000')
  expect(machinesOf(places, '440000')).toEqual({ total: 13, online: 11, fault: 2, offline: 0 })
})

test('a province fills the map in the shape of the whole', () => {
  const square = [
    [100, 30],
    [104, 30],
    [104, 32],
    [100, 32],
    [100, 30],
  ]
  const view = windowOf({
    properties: { name: '', adcode: '' },
    geometry: { type: 'Polygon', coordinates: [square] },
  })
  expect(view.width / view.height).toBeCloseTo(country.width / country.height)
  for (const [lng = 0, lat = 0] of square) {
    expect(x(lng)).toBeGreaterThan(view.left)
    expect(x(lng)).toBeLessThan(view.left + view.width)
    expect(y(lat)).toBeGreaterThan(view.top)
    expect(y(lat)).toBeLessThan(view.top + view.height)
  }
})
