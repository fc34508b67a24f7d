import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openWorld, type World } from '../../../../test/support/world.ts'
import { noScope, systemScope } from '../../../server/database.ts'
import type { SettingKey } from '../registry.ts'
import {
  cachedByOrg,
  cachedSetting,
  noteSettingsVersion,
  settingOf,
  settingsChanged,
  settingsOf,
} from './values.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())
beforeEach(async () => {
  await world.sql('delete from settings')
  settingsChanged(world.app)
})

const put = (
  org: number,
  value: unknown,
  locked = false,
  key: SettingKey = 'device.offlineSeconds',
) =>
  world.sql('insert into settings (org_id, key, value, locked) values ($1, $2, $3, $4)', [
    org,
    key,
    JSON.stringify(value),
    locked,
  ])
/** As an actor without any rows of his own: the value does not depend on who asks. */
const value = (org: number, key: SettingKey = 'device.offlineSeconds') =>
  world.app.database.read(noScope, (db) => settingOf(db, org, key))

// platform 1 > agent 2 > operator 3 > 7, and operator 4 beside 3
test.each([
  ['nobody set it', [], [180, 180, 180]],
  ['the platform set it', [[1, 100]], [100, 100, 100]],
  [
    'the nearest wins',
    [
      [1, 100],
      [2, 200],
      [3, 300],
    ],
    [200, 300, 200],
  ],
  [
    'a locked one above wins',
    [
      [1, 100],
      [2, 200, true],
      [3, 300],
    ],
    [200, 200, 200],
  ],
  [
    'the highest locked one wins',
    [
      [1, 100, true],
      [2, 200, true],
      [3, 300, true],
    ],
    [100, 100, 100],
  ],
  ['a lock below binds nobody above', [[3, 300, true]], [180, 300, 180]],
  ['what the registry no longer allows counts as not set', [[3, 'soon']], [180, 180, 180]],
] as [string, [number, unknown, boolean?][], number[]][])('%s', async (_, rows, expected) => {
  for (const [org, given, locked] of rows) await put(org, given, locked)
  expect([await value(2), await value(3), await value(4)]).toEqual(expected)
  const byOrg = await cachedByOrg(world.app, 'device.offlineSeconds')
  expect([2, 3, 4].map((org) => byOrg.get(org))).toEqual(expected)
})

test('settings of the platform are those of organisation 1, whatever stands below', async () => {
  await put(3, 9, false, 'session.absoluteDays')
  expect(await value(3, 'session.absoluteDays')).toBe(7)
  await put(1, 14, false, 'session.absoluteDays')
  expect(await value(3, 'session.absoluteDays')).toBe(14)
})

test('several in one query', async () => {
  await put(2, 5, false, 'order.maxPieces')
  expect(
    await world.app.database.read(systemScope, (db) =>
      settingsOf(db, 3, ['order.maxPieces', 'order.refundDays', 'home.refresh']),
    ),
  ).toEqual({
    'order.maxPieces': 5,
    'order.refundDays': 360,
    'home.refresh': 'm1',
  })
})

test('the cached one asks nothing while the counter stands, and follows it', async () => {
  expect(await cachedSetting(world.app, 3, 'order.maxPieces')).toBe(32)
  await put(2, 5, false, 'order.maxPieces')
  // the counter was looked at a moment ago
  expect(await cachedSetting(world.app, 3, 'order.maxPieces')).toBe(32)
  const { version } = (
    await world.sql<{ version: number }>('select version from settings_version')
  )[0] ?? { version: 0 }
  noteSettingsVersion(world.app, version)
  expect(await cachedSetting(world.app, 3, 'order.maxPieces')).toBe(5)
  // an organisation that moves takes other values
  await world.sql('update organisations set path = path where id = 3')
  expect(
    (await world.sql<{ version: number }>('select version from settings_version'))[0]?.version,
  ).toBe(Number(version) + 1)
})
