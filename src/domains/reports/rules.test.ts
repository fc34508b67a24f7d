import { describe, expect, it } from 'vitest'
import { changeShare, hoursOfToday, lastDays, sameTimeYesterday } from './rules.ts'
import { bounds, mix, shade } from './web/mapRules.ts'

const at = (text: string) => new Date(text)

describe('the Shanghai day', () => {
  it.each([
    ['2026-11-20T15:59:59.999Z', '2026-11-20', 24],
    ['2026-11-20T16:00:00Z', '2026-11-21', 1],
    ['2026-11-21T06:05:00Z', '2026-11-21', 15],
    ['2027-01-01T00:00:00Z', '2027-01-01', 9],
  ])('%s is %s with %i hours begun', (now, day, hours) => {
    expect(lastDays(at(now), 7).at(-1)).toBe(day)
    const starts = hoursOfToday(at(now))
    expect(starts).toHaveLength(hours)
    expect(starts[0]?.getUTCHours()).toBe(16)
    expect(starts.at(-1)?.getTime()).toBeLessThanOrEqual(at(now).getTime())
  })
  it('counts days back over the end of a year', () => {
    expect(lastDays(at('2027-01-01T00:00:00Z'), 3)).toEqual([
      '2026-12-30',
      '2026-12-31',
      '2027-01-01',
    ])
  })
  it.each([
    [
      '2026-11-21T06:05:00Z',
      '2026-11-19T16:00:00Z',
      '2026-11-20T06:00:00Z',
      '2026-11-20T06:05:00Z',
    ],
    [
      '2026-11-20T16:00:00Z',
      '2026-11-19T16:00:00Z',
      '2026-11-19T16:00:00Z',
      '2026-11-19T16:00:00Z',
    ],
  ])('yesterday until %s', (now, from, hour, until) => {
    expect(sameTimeYesterday(at(now))).toEqual({ from: at(from), hour: at(hour), until: at(until) })
  })
})

it('compares with something only', () => {
  expect(changeShare(3, 2)).toBe(0.5)
  expect(changeShare(0, 4)).toBe(-1)
  expect(changeShare(5, 0)).toBeNull()
})

describe('the map', () => {
  it('shades by the share of the largest', () =>
    expect([100, 30, 10, 8].map((n) => shade(n, 100))).toEqual([3, 2, 1, 0]))
  it('mixes colours', () => expect(mix('#000000', '#ff8000', 0.5)).toBe('#804000'))
  it('frames one machine too', () => {
    expect(bounds([])).toBeNull()
    const [[west, north], [east, south]] = bounds([{ lng: 114, lat: 22 }]) ?? [
      [0, 0],
      [0, 0],
    ]
    expect(west).toBeLessThan(114)
    expect(east).toBeGreaterThan(114)
    expect(north).toBeGreaterThan(south)
  })
})
