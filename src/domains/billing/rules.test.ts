import { expect, test } from 'vitest'
import { addDays } from '../../shared/instants.ts'
import { type Span, spansOf } from './rules.ts'

const today = '2026-11-24'
test.each([
  ['2026-11-01', '2026-11-24', ['DAY 2026-11-01 2026-11-24']],
  ['2026-10-26', '2026-11-24', ['DAY 2026-10-26 2026-11-24']],
  ['2026-10-01', '2026-10-31', ['MONTH 2026-10-01 2026-10-31']],
  [
    '2026-09-30',
    '2026-11-02',
    ['DAY 2026-09-30 2026-09-30', 'MONTH 2026-10-01 2026-10-31', 'DAY 2026-11-01 2026-11-02'],
  ],
  [
    '2025-11-24',
    '2026-11-24',
    ['DAY 2025-11-24 2025-11-30', 'MONTH 2025-12-01 2026-10-31', 'DAY 2026-11-01 2026-11-24'],
  ],
  // a month is whole when its last day is over
  ['2024-02-01', '2024-02-29', ['MONTH 2024-02-01 2024-02-29']],
  ['2026-10-15', '2027-01-31', ['DAY 2026-10-15 2027-01-31']],
])('%s to %s is %j', (from, to, spans) => {
  const said = (span: Span) => `${span.grain} ${span.from} ${span.to}`
  expect(spansOf(from, to, today).map(said)).toEqual(spans)
  expect(spansOf(from, to, today, true).map(said)).toEqual([`DAY ${from} ${to}`])
})

test('each day is in one span, whatever the range', () => {
  for (let start = 0; start < 400; start += 7)
    for (let length = 0; length < 366; length += 13) {
      const from = addDays('2025-07-01', start)
      const to = addDays(from, length)
      let next = from
      for (const span of spansOf(from, to, today)) {
        expect(span.from).toBe(next)
        if (span.grain === 'MONTH') {
          expect(span.from.slice(8)).toBe('01')
          expect(addDays(span.to, 1).slice(8)).toBe('01')
          expect(span.to < today).toBe(true)
        }
        next = addDays(span.to, 1)
      }
      expect(next).toBe(addDays(to, 1))
    }
})
