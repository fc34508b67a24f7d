import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { openWorld, type World } from '../../../../test/support/world.ts'
import { noScope, systemScope } from '../../../server/database.ts'
import type { SettingKey } from '../registry.ts'
import {
  cachedFor,
  cachedSetting,
  noteSettingsVersions,
  type SettingsVersion,
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
  const set = await cachedFor(world.app, [2, 3, 4], ['device.offlineSeconds'])
  expect([2, 3, 4].map((org) => set(org)['device.offlineSeconds'])).toEqual(expected)
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

const versions = () =>
  world.sql<SettingsVersion>(
    'select tenant_id as tenant, version::int from settings_versions order by tenant_id',
  )

test('the cached one asks nothing while the counters stand, and follows them', async () => {
  expect(await cachedSetting(world.app, 3, 'order.maxPieces')).toBe(32)
  await put(2, 5, false, 'order.maxPieces')
  // the counters were looked at a moment ago
  expect(await cachedSetting(world.app, 3, 'order.maxPieces')).toBe(32)
  noteSettingsVersions(world.app, await versions())
  expect(await cachedSetting(world.app, 3, 'order.maxPieces')).toBe(5)
})

test('what a tenant saves makes nobody else’s values be read again; what the platform saves does', async () => {
  await world.sql(`insert into organisations (id, parent_id, path, kind, name)
    values (50, 1, '1.50', 'AGENT', '另一家'), (51, 50, '1.50.51', 'OPERATOR', '另一家的')`)
  const asked = vi.spyOn(world.app.database, 'aside')
  const both = ['device.freshHours', 'device.staleHours'] as const
  /** How many times it was asked for the values of these. */
  const reads = async (orgs: number[]) => {
    noteSettingsVersions(world.app, await versions())
    await cachedSetting(world.app, 1, 'session.idleMinutes')
    asked.mockClear()
    await cachedFor(world.app, orgs, both)
    return asked.mock.calls.length
  }
  expect(await reads([3, 4, 51])).toBe(1)
  expect(await reads([3, 4, 51])).toBe(0)
  await put(50, 3, false, 'device.freshHours')
  expect([await reads([3, 4]), await reads([51]), await reads([51])]).toEqual([0, 1, 0])
  expect((await cachedFor(world.app, [51], both))(51)['device.freshHours']).toBe(3)
  await put(1, 2, false, 'device.freshHours')
  expect([await reads([3, 4]), await reads([51])]).toEqual([1, 1])
  // one that nobody sees yet is asked for until somebody does
  expect([await reads([987]), await reads([987])]).toEqual([1, 1])
  asked.mockRestore()
})

test('a branch that moves takes other values, and moves two counters once', async () => {
  const before = await versions()
  await world.sql(`begin;
    update organisations set parent_id = 1, path = subpath(path, 0, 1) || subpath(path, 2)
      where path <@ '1.50.51';
    update organisations set path = path, kind = 'AGENT' where id = 51; commit`)
  const was = (tenant: number) => before.find((one) => one.tenant === tenant)?.version ?? 0
  expect((await versions()).filter((one) => one.version !== was(one.tenant))).toEqual([
    { tenant: 50, version: was(50) + 1 },
    { tenant: 51, version: was(51) + 1 },
  ])
})
