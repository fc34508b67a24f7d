import { expect, test } from 'vitest'
import { drugRule, insuranceErrors, periodFindings } from './rules.ts'

test.each([
  ['2026-01-01', '2026-01-02', 0],
  ['2026-01-01', '2026-01-01', 1],
  ['2026-01-02', '2026-01-01', 1],
])('%s to %s', (validFrom, validUntil, faults) =>
  expect(periodFindings({ validFrom, validUntil })).toHaveLength(faults),
)

test.each([
  ['NONE', insuranceErrors.noDrug],
  ['OTC_B', null],
  ['RX', null],
])('%s', (drugClass, error) => expect(drugRule({ drugClass })).toBe(error))
