import { expect, test } from 'vitest'
import { batchErrors, dateFindings, producedRule } from './rules.ts'

test.each([
  ['2026-01-01', '2026-01-02', 0],
  ['2026-01-01', '2026-01-01', 1],
  ['2026-01-02', '2026-01-01', 1],
])('made %s, good until %s', (producedOn, expiresOn, findings) =>
  expect(dateFindings({ producedOn, expiresOn }).length).toBe(findings),
)

test.each([
  ['2026-11-23', null],
  ['2026-11-24', batchErrors.producedLater],
])('made %s, on 2026-11-23', (producedOn, wrong) =>
  expect(producedRule({ producedOn, expiresOn: '2030-01-01' }, '2026-11-23')).toBe(wrong),
)
