import { expect, test } from 'vitest'
import { bindRefusal, deviceSplitErrors, releaseRefusal, undoRefusal } from './rules.ts'

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

const was = { orgId: 3, state: 'PUBLISHED' }
test.each([
  [{ now: 5, made: 5, was }, null],
  [{ now: 5, made: 5, was: null }, null],
  [{ now: null, made: null, was }, null],
  [{ now: 6, made: 5, was }, deviceSplitErrors.changedSince],
  [{ now: 6, made: null, was }, deviceSplitErrors.changedSince],
  [{ now: null, made: 5, was: null }, deviceSplitErrors.changedSince],
  [{ now: null, made: null, was: { ...was, orgId: 4 } }, deviceSplitErrors.changedSince],
  [{ now: 5, made: 5, was: { ...was, state: 'RETIRED' } }, deviceSplitErrors.notPublished],
])('%o is taken back: %o', (deed, refusal) =>
  expect(undoRefusal({ orgId: 3, ...deed })).toBe(refusal),
)
