import { expect, test } from 'vitest'
import { flowRange, flowReasons, reasonsOf } from './rules.ts'

const now = new Date('2026-11-21T06:00:00Z')
const at = (day: string) => new Date(`${day}T00:00:00+08:00`)

test.each([
  [{}, '2026-11-15', '2026-11-22'],
  [{ from: '2026-11-01', to: '2026-11-02' }, '2026-11-01', '2026-11-03'],
  [{ from: '2026-11-10' }, '2026-11-10', '2026-11-22'],
  [{ from: '2020-01-01' }, '2020-01-01', '2021-01-01'],
  [{ from: '2027-01-01' }, '2027-01-01', '2027-01-02'],
  [{ to: '2026-11-10' }, '2026-11-04', '2026-11-11'],
  [{ wasteNum: '20260301000000000012' }, '2026-02-28', '2026-04-01'],
  [{ wasteNum: 'W20260301-12' }, '2026-02-28', '2026-04-01'],
  [{ orderNum: '20260301000000000012' }, '2026-02-28', '2026-04-01'],
  [{ traceCode: '81000001' }, '2025-11-21', '2026-11-22'],
  [{ orderNum: '20260231000000000012' }, '2026-11-15', '2026-11-22'],
  [{ orderNum: '99999999999999999999' }, '2026-11-15', '2026-11-22'],
  [
    { orderNum: '20260301000000000012', from: '2026-11-01', to: '2026-11-01' },
    '2026-11-01',
    '2026-11-02',
  ],
])('%o', (asked, from, until) =>
  expect(flowRange(asked, now)).toEqual({ from: at(from), until: at(until) }),
)

test('a Shanghai day begins at 16:00 UTC', () =>
  expect(flowRange({}, new Date('2026-11-21T17:00:00Z')).until).toEqual(at('2026-11-23')))
test('every reason of a type is a reason', () =>
  expect(new Set(Object.values(reasonsOf).flat())).toEqual(new Set(flowReasons)))
