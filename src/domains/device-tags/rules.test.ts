import { expect, test } from 'vitest'
import { deviceTagErrors } from './contract.ts'
import { ownerRule } from './rules.ts'

test.each([
  ['PLATFORM', null],
  ['AGENT', null],
  ['OPERATOR', null],
  ['SUPPLIER', deviceTagErrors.ownerKind],
  ['SCHOOL', deviceTagErrors.ownerKind],
])('%s owns device tags: %o', (kind, error) => expect(ownerRule(kind)).toBe(error))
