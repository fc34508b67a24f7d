import { describe, expect, test } from 'vitest'
import { orgKinds } from '../../shared/access.ts'
import { username } from './contract.ts'
import { freedName, maskedPhone, missingHome, placeRule, regionRule, servesAs } from './rules.ts'

describe('where a role makes sense', () => {
  test.each([
    [['ROLE_RTU_SP'], 'OPERATOR', null],
    [['ROLE_SPONSOR'], 'SPONSOR', null],
    [['ROLE_SPONSOR'], 'OPERATOR', 'SPONSOR'],
    [['ROLE_RTU_SP', 'ROLE_LANE_TENANT'], 'OPERATOR', 'LANE_TENANT'],
    [['ROLE_CAMPUS_CARD', 'ROLE_HOSPITAL_CARD'], 'SCHOOL', 'HOSPITAL'],
    [[], 'PLATFORM', null],
  ] as const)('%j in %s misses %s', (roles, kind, missing) => {
    expect(
      missingHome(
        roles.map((code) => ({ code, dataScope: 'ORG_TREE' as const })),
        kind,
      ),
    ).toBe(missing)
  })
  test('who looks at machines of others stands in the platform or in an authority', () => {
    const watching = [{ code: 'ROLE_C_ANY', dataScope: 'REGION_DRUGS' as const }]
    expect(
      orgKinds
        .map((kind) => [kind, missingHome(watching, kind)])
        .filter(([, missing]) => missing === null),
    ).toEqual([
      ['PLATFORM', null],
      ['REGULATOR', null],
    ])
  })
})

test('a regulator has a region', () => {
  expect(regionRule([{ dataScope: 'REGION_DRUGS' }], '')?.name).toBe('users.regionMissing')
  expect(regionRule([{ dataScope: 'REGION_DRUGS' }], '440300')).toBeNull()
  expect(regionRule([{ dataScope: 'ORG_TREE' }], '')).toBeNull()
})

test('who serves machines, and as what', () => {
  const role = (code: string, dataScope = 'ASSIGNED_DEVICES') => ({ code, dataScope })
  expect(servesAs([role('ROLE_RTU_SP', 'ORG_TREE')])).toEqual([])
  expect(servesAs([role('ROLE_RTU_REPAIRER'), role('ROLE_RTU_REPLENISHER')])).toEqual([
    'REPAIRER',
    'REPLENISHER',
  ])
  expect(servesAs([role('ROLE_C_1'), role('ROLE_RTU_REPLENISHER')])).toEqual(['REPLENISHER'])
})

test.each([
  ['13800138000', '138****8000'],
  ['075512345678', '075****5678'],
  ['110', '***'],
  ['', ''],
])('%s is shown as %s', (phone, shown) => expect(maskedPhone(phone)).toBe(shown))

describe('places of departments', () => {
  // 1 > 2 > 3 > 4 > 5, 6 alone
  const all = [
    { id: 1, parentId: null },
    { id: 2, parentId: 1 },
    { id: 3, parentId: 2 },
    { id: 4, parentId: 3 },
    { id: 5, parentId: 4 },
    { id: 6, parentId: null },
  ]
  test.each([
    [null, 4, undefined],
    [null, 5, 'users.departmentTooDeep'],
    [6, 4, undefined],
    [6, 5, 'users.departmentTooDeep'],
    [1, 6, 'users.departmentTooDeep'],
    [2, null, undefined],
    [2, 5, 'users.departmentInItself'],
    [2, 2, 'users.departmentInItself'],
    [4, 6, undefined],
  ])('%s below %s: %s', (id, parent, error) => expect(placeRule(all, id, parent)?.name).toBe(error))
})

test('a freed name tells who it was and can be nobody’s', () => {
  expect(freedName('zhangsan', 17)).toBe('zhangsan#17')
  const long = freedName('a'.repeat(40), 123)
  expect(long).toHaveLength(40)
  expect(username.safeParse(freedName('zhangsan', 17)).success).toBe(false)
})
