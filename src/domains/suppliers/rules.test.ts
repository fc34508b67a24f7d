import { expect, test } from 'vitest'
import { licenceFindings, ownerRule, supplierErrors } from './rules.ts'

test.each([
  ['PLATFORM', null],
  ['AGENT', null],
  ['OPERATOR', null],
  ['SUPPLIER', supplierErrors.ownerKind],
  ['SCHOOL', supplierErrors.ownerKind],
])('%s owns suppliers: %o', (kind, error) => expect(ownerRule(kind)).toBe(error))

test.each([
  [false, '', null, []],
  [true, 'files/a.png', '2027-01-01', []],
  [true, '', '2027-01-01', ['licence']],
  [true, 'files/a.png', null, ['licenceUntil']],
  [true, '', null, ['licence', 'licenceUntil']],
])('drugs %o with %o until %o misses %o', (suppliesDrugs, licence, licenceUntil, fields) =>
  expect(
    licenceFindings({ suppliesDrugs, licence, licenceUntil }).map(({ field }) => field),
  ).toEqual(fields),
)
