import { expect, test } from 'vitest'
import { storeErrors } from './contract.ts'
import { ownerRule, removable } from './rules.ts'

test.each([
  ['PLATFORM', null],
  ['AGENT', null],
  ['OPERATOR', null],
  ['SUPPLIER', storeErrors.ownerKind],
  ['SCHOOL', storeErrors.ownerKind],
])('%s owns stores: %o', (kind, error) => expect(ownerRule(kind)).toBe(error))
test('a store with machines stays', () =>
  expect([removable({ deviceCount: 0 }), removable({ deviceCount: 2 })]).toEqual([
    null,
    storeErrors.inUse,
  ]))
