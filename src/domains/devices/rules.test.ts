import { describe, expect, test } from 'vitest'
import { licenceMatches } from '../drug-guard/rules.ts'
import { usualAge } from '../settings/usual.ts'
import { deviceErrors, lifecycles } from './contract.ts'
import {
  editable,
  forbiddenFields,
  freshness,
  licenceRule,
  lifecycleStates,
  mostTags,
  readyRule,
  retagged,
  typeChange,
  typeRule,
  watchersOf,
} from './rules.ts'

const licence = {
  kind: 'DRUG',
  dispensingMode: 'UNATTENDED',
  licenceNo: '粤DB1',
  licenceAddress: '深圳市南山区',
}

describe('licence', () => {
  test.each([
    [licence, null],
    [{ ...licence, licenceNo: '' }, deviceErrors.licenceMissing],
    [{ ...licence, licenceAddress: '' }, deviceErrors.licenceMissing],
    [{ ...licence, dispensingMode: null }, deviceErrors.licenceMissing],
    [{ ...licence, kind: 'GENERAL', licenceNo: '' }, null],
  ])('%o', (device, error) => expect(licenceRule(device)).toBe(error))
  const names = ['广东省', '深圳市', '南山区']
  test.each([
    ['广东省深圳市南山区科苑路', true],
    ['深圳市南山区科苑路', true],
    ['广东省南山区', true],
    ['深圳市福田区红荔路', false],
    ['广州市南山区', false],
    ['', false],
  ])('%s', (licenceAddress, expected) =>
    expect(licenceMatches({ kind: 'DRUG', licenceAddress }, names)).toBe(expected),
  )
  test('other machines have none', () =>
    expect(licenceMatches({ kind: 'GENERAL', licenceAddress: '' }, names)).toBe(true))
})

test.each([
  ['DRUG', 'DRUG', true],
  ['GENERAL', 'GENERAL', true],
  ['LIFT', 'GENERAL', true],
  ['GENERAL', 'DRUG', false],
  ['DRUG', 'LIFT', false],
])('a %s machine of a %s type: %s', (kind, typeKind, fine) =>
  expect(
    typeRule({ kind }, { pattern: 'spring', maxLevels: 5, maxRoads: 10, kind: typeKind }),
  ).toBe(fine ? null : deviceErrors.typeDiffers),
)

test.each([
  ['440305', '440305', [1, 2], []],
  ['440305', '440106', [2, 3], [1]],
  ['440305', '110101', [4], [1, 2]],
  ['310101', '320102', [], []],
])('a machine goes from %s to %s: %o are told with, %o without it', (from, to, here, left) => {
  const people = ['440300', '440000', '440100', '110000', ''].map((region, i) => ({
    id: i + 1,
    region,
  }))
  expect(watchersOf(people, from, to)).toEqual({ here, left })
})

describe('type change', () => {
  const type = { pattern: 'spring', maxLevels: 5, maxRoads: 10, kind: 'GENERAL' }
  test.each([
    [type, 40, true],
    [{ ...type, pattern: 'lift' }, 0, true],
    [{ ...type, pattern: 'lift' }, 40, false],
    [{ ...type, maxLevels: 6 }, 40, false],
    [{ ...type, maxRoads: 8 }, 1, false],
  ])('%o with %i lanes: %s', (after, lanes, fine) =>
    expect(typeChange(type, after, lanes)).toBe(fine ? null : deviceErrors.typeFixed),
  )
})

test.each(
  lifecycles.map((lifecycle) => [lifecycle, ['SOLD', 'SCRAPPED'].includes(lifecycle)] as const),
)('%s closed: %s', (lifecycle, closed) =>
  expect(editable({ lifecycle })).toBe(closed ? deviceErrors.closed : null),
)
test('every lifecycle is reachable', () => {
  const seen = new Set(lifecycleStates.start)
  for (const state of seen) for (const next of lifecycleStates.moves[state]) seen.add(next)
  expect([...seen].sort()).toEqual([...lifecycles].sort())
})
test.each([
  [{ boardNo: 'B', sellingLanes: 1, licenceMatches: true }, null],
  [{ boardNo: null, sellingLanes: 1, licenceMatches: true }, 'notReady'],
  [{ boardNo: 'B', sellingLanes: 0, licenceMatches: true }, 'notReady'],
  [{ boardNo: 'B', sellingLanes: 1, licenceMatches: false }, 'licenceElsewhere'],
] as const)('%o: %s', (device, error) =>
  expect(readyRule(device)).toBe(error && deviceErrors[error]),
)
test('a repairer changes board, card and place only', () => {
  expect(
    forbiddenFields(['ROLE_RTU_REPAIRER'], ['boardNo', 'address', 'nickname', 'kind']),
  ).toEqual(['nickname', 'kind'])
  expect(forbiddenFields(['ROLE_RTU_REPAIRER', 'ROLE_RTU_SP'], ['nickname'])).toEqual([])
})
test.each([
  [3.9, 'fresh'],
  [4, 'aging'],
  [8, 'aging'],
  [8.1, 'stale'],
  [null, 'stale'],
] as const)('%s hours: %s', (hours, expected) => {
  const now = new Date('2026-11-21T06:00:00Z')
  expect(
    freshness(
      hours === null ? null : new Date(now.getTime() - hours * 3_600_000).toISOString(),
      now,
      usualAge,
    ),
  ).toBe(expected)
})

const tag = (id: number, orgId = 3) => ({ id, orgId })
test.each([
  ['put on', {}, [tag(2)], [], [1, 2], null],
  ['put on again', {}, [tag(1)], [], [1], null],
  ['taken off', {}, [], [tag(1)], [], null],
  ['of its own organisation', {}, [tag(2), tag(3, 4)], [], [1, 2], null],
  ['of another alone', {}, [tag(3, 4)], [], [1], 'tagElsewhere'],
  ['scrapped', { lifecycle: 'SCRAPPED' }, [tag(2)], [], [1], 'closed'],
  ['too many', {}, Array.from({ length: mostTags }, (_, n) => tag(2 + n)), [], [1], 'mostTags'],
] as const)('tags: %s', (_, change, put, taken, after, error) => {
  const machine = { orgId: 3, lifecycle: 'OPERATING', tags: [tag(1)], ...change }
  const found = retagged(machine, put, taken)
  expect(found.after.map(({ id }) => id)).toEqual(after)
  expect(found.refusal).toBe(error && deviceErrors[error])
})
