import { describe, expect, test } from 'vitest'
import { allot, kmBetween, ownOrder, type Place, plan, type Stop } from './route.ts'

/** A kilometre of road to the east at this latitude. */
const step = 1 / 1.4 / 111.19 / Math.cos((31 * Math.PI) / 180)
const at = (km: number): Place => ({ lng: 121 + km * step, lat: 31 })
const start = { at: at(0), minute: 8 * 60 }
const stop = (id: number, km: number, more: Partial<Stop> = {}): Stop => ({
  id,
  at: at(km),
  worth: 1000,
  recall: false,
  opens: [[0, 1440]],
  minutes: 10,
  ...more,
})

test('roads are longer than the straight line', () => {
  expect(kmBetween(at(0), at(10))).toBeCloseTo(10, 2)
  expect(kmBetween(at(0), null)).toBeNull()
})

describe('in which order', () => {
  const cases: [string, Stop[], number[]][] = [
    ['nothing', [], []],
    ['along the road', [stop(1, 9), stop(2, 3), stop(3, 6)], [2, 3, 1]],
    [
      'what is worth more for a minute first',
      [stop(1, 3, { worth: 100 }), stop(2, -3, { worth: 90_000 })],
      [2, 1],
    ],
    [
      'a little worth does not take him across the town',
      [stop(1, 2, { worth: 900 }), stop(2, 40, { worth: 1000 })],
      [1, 2],
    ],
    ['a recall before all', [stop(1, 1, { worth: 90_000 }), stop(2, 30, { recall: true })], [2, 1]],
    [
      'a recall that is still closed is waited for elsewhere',
      [stop(1, 1), stop(2, 5, { recall: true, opens: [[10 * 60, 1440]] })],
      [1, 2],
    ],
    [
      'whoever closes early is visited early',
      [stop(1, 1, { minutes: 60 }), stop(2, 20, { opens: [[0, 9 * 60]] })],
      [2, 1],
    ],
    [
      'whoever opens late is visited late',
      [stop(1, 1, { opens: [[12 * 60, 1440]], worth: 9000 }), stop(2, 20)],
      [2, 1],
    ],
    ['a place nobody knows', [stop(1, 1, { at: null, worth: 10 }), stop(2, 2)], [2, 1]],
  ]
  test.each(cases)('%s', (_, stops, order) => {
    expect(plan(stops, start).order).toEqual(order)
    expect(plan([...stops].reverse(), start).order).toEqual(order)
  })
  test('closed for today: last, and said', () => {
    const found = plan([stop(1, 1, { opens: [[0, 7 * 60]] }), stop(2, 9)], start)
    expect(found.order).toEqual([2, 1])
    expect([...found.closed]).toEqual([1])
  })
  test('no crossing is left: stops on a circle are gone round', () => {
    const around = Array.from({ length: 12 }, (_, i) => ({
      ...stop(i + 1, 0),
      at: {
        lng: 121 + 0.2 * Math.cos((i * Math.PI) / 6),
        lat: 31 + 0.2 * Math.sin((i * Math.PI) / 6),
      },
    }))
    const { order } = plan(around, { at: around[0]?.at ?? null, minute: 480 })
    const steps = order.slice(1).map((id, i) => Math.abs(id - (order[i] as number)))
    expect(steps.filter((n) => n !== 1 && n !== 11)).toEqual([])
  })
  test('sixty stops, some of which open late, in bounded time', () => {
    const many = Array.from({ length: 60 }, (_, i) =>
      stop(i + 1, 0, {
        at: { lng: 121 + ((i * 37) % 60) / 100, lat: 31 + ((i * 53) % 60) / 100 },
        worth: (i * 7919) % 10_000,
        opens: i % 5 ? [[0, 1440]] : [[600, 1200]],
      }),
    )
    const from = performance.now()
    const { order } = plan(many, start)
    expect(new Set(order).size).toBe(60)
    expect(performance.now() - from).toBeLessThan(2000)
  })
})

test('an own order holds, and new machines follow', () => {
  expect(ownOrder([3, 9, 1], [1, 2, 3, 4])).toEqual([3, 1, 2, 4])
})

test('what is short goes where it is worth most', () => {
  const want = (laneId: number, pieces: number, worth: number, productId = 7) => ({
    laneId,
    productId,
    pieces,
    worth,
  })
  const wants = [want(1, 5, 10), want(2, 5, 90), want(3, 4, 1, 8)]
  expect([...allot(wants, new Map([[7, 6]]))].sort()).toEqual([
    [1, 1],
    [2, 5],
    [3, 4],
  ])
  expect([...allot(wants, new Map())].sort()).toEqual([
    [1, 5],
    [2, 5],
    [3, 4],
  ])
})
