import { expect, test } from 'vitest'
import { organisationErrors as e } from './contract.ts'
import { guardRule, type Kind, kindsBelow, moveRule, newcomer, placeRule } from './rules.ts'
import { creditCodeIsRight } from './shapes.ts'

const at = (kind: Kind, depth = 1, agents = 0) => ({ kind, depth, agents })

test.each([
  ['AGENT', 'PLATFORM', null],
  ['AGENT', 'AGENT', null],
  ['AGENT', 'OPERATOR', e.kindMisplaced],
  ['OPERATOR', 'PLATFORM', null],
  ['OPERATOR', 'AGENT', null],
  ['OPERATOR', 'OPERATOR', e.kindMisplaced],
  ['SPONSOR', 'OPERATOR', null],
  ['LANE_TENANT', 'AGENT', null],
  ['SCHOOL', 'SCHOOL', e.kindMisplaced],
  ['HOSPITAL', 'SUPPLIER', e.kindMisplaced],
  ['REGULATOR', 'PLATFORM', null],
  ['REGULATOR', 'AGENT', e.kindMisplaced],
  ['PLATFORM', 'PLATFORM', e.kindMisplaced],
] as const)('%s below %s', (kind, parent, expected) =>
  expect(placeRule(at(parent), newcomer(kind))).toBe(expected),
)

test.each([
  [at('AGENT', 3, 2), newcomer('AGENT'), null],
  [at('AGENT', 4, 3), newcomer('AGENT'), e.agentLevels],
  [at('AGENT', 4, 3), newcomer('OPERATOR'), null],
  [at('AGENT', 2, 1), { kind: 'AGENT', levels: 4, agents: 3 } as const, e.agentLevels],
  [at('AGENT', 7, 1), newcomer('OPERATOR'), null],
  [at('AGENT', 8, 1), newcomer('OPERATOR'), e.tooDeep],
  [at('AGENT', 6, 1), { kind: 'OPERATOR', levels: 3, agents: 0 } as const, e.tooDeep],
])('%o takes %o', (parent, comer, expected) => expect(placeRule(parent, comer)).toBe(expected))

test('kinds below', () => {
  expect(kindsBelow('SCHOOL')).toEqual([])
  expect(kindsBelow('OPERATOR')).toEqual([
    'SPONSOR',
    'SUPPLIER',
    'SCHOOL',
    'HOSPITAL',
    'LANE_TENANT',
  ])
})

test.each([
  [{ id: 1, kind: 'PLATFORM' }, e.isPlatform],
  [{ id: 3, kind: 'OPERATOR' }, e.isOwn],
  [{ id: 2, kind: 'AGENT' }, e.isOwn],
  [{ id: 4, kind: 'OPERATOR' }, null],
] as const)('guard %o', (org, expected) =>
  expect(guardRule(org, { orgId: 3, ancestors: [1, 2] })).toBe(expected),
)

test.each([
  ['1.2.3', e.intoItself],
  ['1.2.3.4', e.intoItself],
  ['1.2', e.alreadyThere],
  ['1.23', null],
  ['1', null],
] as const)('3 moves to %s', (path, expected) =>
  expect(moveRule({ id: 3, parentId: 2 }, { id: Number(path.split('.').at(-1)), path })).toBe(
    expected,
  ),
)

test.each([
  ['91110108551385082Q', true],
  ['91440300708461136T', true],
  ['91440300708461136A', false],
  ['91440300708461163T', false],
  ['91440300708461I36T', false],
  ['9144030070846113', false],
  ['91440300708461136t', false],
  ['', false],
])('credit code %s', (code, right) => expect(creditCodeIsRight(code)).toBe(right))
