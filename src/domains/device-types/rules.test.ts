import { expect, test } from 'vitest'
import { deviceTypeErrors } from './contract.ts'
import { changeRule, removable, screenRule } from './rules.ts'

const none = { deviceCount: 0, levels: 0, roads: 0 }
const used = { deviceCount: 2, levels: 5, roads: 8 }
const type = { pattern: 'spring' as const, maxLevels: 5, maxRoads: 8 }
test.each([
  [{ ...type, pattern: 'lift' as const }, none, null],
  [{ ...type, pattern: 'lift' as const }, used, deviceTypeErrors.patternFixed],
  [{ ...type, maxLevels: 4 }, used, deviceTypeErrors.tooSmall],
  [{ ...type, maxRoads: 7 }, used, deviceTypeErrors.tooSmall],
  [type, used, null],
  [{ ...type, maxLevels: 1 }, none, null],
])('%o with %o', (after, counts, error) => expect(changeRule(type, after, counts)).toBe(error))
test('a used type stays', () =>
  expect([removable(none), removable(used)]).toEqual([null, deviceTypeErrors.inUse]))
test('a screen has a size', () =>
  expect([
    screenRule({ screen: true, screenSize: '' }),
    screenRule({ screen: true, screenSize: '32寸' }),
    screenRule({ screen: false, screenSize: '' }),
  ]).toEqual([deviceTypeErrors.screenSize, null, null]))
