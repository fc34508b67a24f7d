import { expect, test } from 'vitest'
import { bindRefusal, deviceSplitErrors, releaseRefusal } from './rules.ts'

const strategy = { id: 7, orgId: 3 }
test.each([
  [{ orgId: 3, strategyId: null }, null],
  [{ orgId: 3, strategyId: 8 }, null],
  [{ orgId: 3, strategyId: 7 }, deviceSplitErrors.bound],
  [{ orgId: 4, strategyId: null }, deviceSplitErrors.otherOrganisation],
])('%o gets strategy 7 of 3: %o', (machine, refusal) =>
  expect(bindRefusal(machine, strategy)).toBe(refusal),
)
test('only what is bound is released', () => {
  expect(releaseRefusal({ orgId: 3, strategyId: null })).toBe(deviceSplitErrors.unbound)
  expect(releaseRefusal({ orgId: 3, strategyId: 7 })).toBe(null)
})
