import { describe, expect, it } from 'vitest'
import { age, fullTime, shortTime, zonedTime } from './time.ts'

const now = new Date('2026-11-21T06:05:00Z')

describe('instants', () => {
  it.each([
    ['2026-11-21T06:05:00Z', '14:05'],
    ['2026-11-20T16:00:00Z', '00:00'],
    ['2026-11-20T15:59:59Z', '11-20 23:59'],
    ['2025-12-31T16:00:00Z', '01-01 00:00'],
    ['2025-12-31T15:59:00Z', '2025-12-31 23:59'],
  ])('%s is %s in a table', (at, text) => expect(shortTime(new Date(at), now)).toBe(text))
  it('is complete in details', () => {
    expect(fullTime(new Date('2026-11-21T06:02:11Z'))).toBe('2026-11-21 14:02:11')
    expect(zonedTime(new Date('2026-11-21T06:02:11Z'))).toBe('2026-11-21 14:02:11 UTC+8')
  })
  it.each([
    [0, 'now'],
    [59, 'now'],
    [60, '1m'],
    [3599, '59m'],
    [3600, '1h'],
    [86_399, '23h'],
    [86_400, '1d'],
    [-60, 'now'],
  ])('%i seconds ago is %s', (seconds, text) =>
    expect(age(new Date(now.getTime() - seconds * 1000), now, 'en')).toBe(text),
  )
})
