import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openWorld, place, type World } from '../../../../test/support/world.ts'
import { systemScope } from '../../../server/database.ts'
import { settings } from '../contract.ts'
import { type SettingKey, shownKeys } from '../registry.ts'
import { seedCalendar, seedSettings } from '../seed.ts'
import { dayTypeOf } from './calendar.ts'
import { remindOfCalendar } from './jobs.ts'
import { figuresOf, reportProcess } from './processStats.ts'
import { settingOf } from './values.ts'

let world: World
const tokens = new Map<string, string>()
beforeAll(async () => {
  world = await openWorld()
  for (const name of [
    'ROLE_SUPER_ADMIN',
    'ROLE_ADMIN',
    'ROLE_RTU_AGENT',
    'ROLE_FULL',
    'ROLE_RTU_SP',
  ])
    tokens.set(name, await world.login(name))
})
afterAll(() => world?.close())
beforeEach(() => world.sql('delete from settings'))

type Who = 'ROLE_SUPER_ADMIN' | 'ROLE_ADMIN' | 'ROLE_RTU_AGENT' | 'ROLE_FULL' | 'ROLE_RTU_SP'
const call = (who: Who, endpoint: keyof typeof settings, input: Record<string, unknown> = {}) =>
  world.call(settings[endpoint], input, { token: tokens.get(who) as string })
const admin = (endpoint: keyof typeof settings, input?: Record<string, unknown>) =>
  call('ROLE_ADMIN', endpoint, input)
const agent = (endpoint: keyof typeof settings, input?: Record<string, unknown>) =>
  call('ROLE_RTU_AGENT', endpoint, input)
const own = (who: Who, changes: Record<string, unknown>[], orgId?: number) =>
  call(who, 'save', { changes, ...(orgId ? { orgId } : {}) })
const row = async (who: Who, key: SettingKey, orgId?: number) => {
  const { body } = await call(who, 'list', orgId ? { orgId } : {})
  return (body.list as { key: string }[]).find((item) => item.key === key) as Record<
    string,
    unknown
  >
}
const offline = 'device.offlineSeconds'

describe('reading', () => {
  test('a burst right after a change waits for nobody, whatever its requests look up while they hold a connection', async () => {
    await world.sql('update settings_versions set version = version + 1')
    const ask = () =>
      world.http.inject({
        method: 'GET',
        url: '/auth/user',
        headers: { authorization: tokens.get('ROLE_FULL') as string },
      })
    const answers = await Promise.all(Array.from({ length: 60 }, ask))
    expect(answers.filter(({ statusCode }) => statusCode !== 200)).toEqual([])
  }, 5000)
  test('defaults, with the fixed limits', async () => {
    const { status, body } = await agent('list')
    expect([status, body.org.id, body.list.map((item: { key: string }) => item.key)]).toEqual([
      200,
      place.PARENT,
      shownKeys,
    ])
    expect(body.fixed).toMatchObject({
      timeoutMs: 100_000,
      importRows: 1000,
      pageSizes: [3, 20, 50, 100, 200],
      formats: ['jpg', 'png'],
    })
    expect(await row('ROLE_RTU_AGENT', offline)).toMatchObject({
      value: 180,
      source: 'DEFAULT',
      from: null,
      version: 0,
      can: { update: true, lock: false, reset: false },
    })
  })
  test('sources, names above, and who changed', async () => {
    await own('ROLE_ADMIN', [{ key: offline, value: 240, version: 0 }], place.PLATFORM)
    const seen = await row('ROLE_RTU_AGENT', offline)
    expect(seen).toMatchObject({
      value: 240,
      source: 'INHERITED',
      from: { id: 1, name: '机构PLATFORM' },
      version: 0,
    })
    // people above are not named
    expect(seen).toMatchObject({ updatedBy: null })
    expect(await row('ROLE_ADMIN', offline)).toMatchObject({
      source: 'OWN',
      updatedBy: 'ROLE_ADMIN',
      version: 1,
      can: { update: true, lock: true, reset: true },
    })
  })
  test('strangers and those above are not there', async () => {
    expect((await agent('list', { orgId: place.PLATFORM })).status).toBe(404)
    expect((await agent('history', { orgId: place.PLATFORM, key: offline })).status).toBe(404)
    expect((await call('ROLE_RTU_SP', 'list')).status).toBe(403)
  })
})

describe('saving', () => {
  test('several at once, each with its version; then stale, then history', async () => {
    const saved = await own('ROLE_RTU_AGENT', [
      { key: offline, value: 300, version: 0 },
      { key: 'order.maxPieces', value: 10, version: 0 },
    ])
    expect([saved.status, saved.body]).toEqual([200, { ok: true }])
    expect(
      await world.app.database.read(systemScope, (db) => settingOf(db, place.OWN, offline)),
    ).toBe(300)
    // first values beside ours, and an old version
    expect(
      (await own('ROLE_RTU_AGENT', [{ key: offline, value: 400, version: 0 }])).body.code,
    ).toBe(409001)
    expect(
      (await own('ROLE_RTU_AGENT', [{ key: offline, value: 400, version: 7 }])).body.code,
    ).toBe(409001)
    expect((await own('ROLE_RTU_AGENT', [{ key: offline, value: 400, version: 1 }])).status).toBe(
      200,
    )
    const { body } = await agent('history', { key: offline })
    expect(body.list.slice(0, 2)).toMatchObject([
      { username: 'ROLE_RTU_AGENT', before: 300, after: 400 },
      { username: 'ROLE_RTU_AGENT', before: null, after: 300 },
    ])
  })
  test('all or nothing, and the wrong one is named', async () => {
    const { status, body } = await own('ROLE_RTU_AGENT', [
      { key: 'order.maxPieces', value: 10, version: 0 },
      { key: offline, value: 59, version: 0 },
    ])
    expect([status, body.code, body.message]).toEqual([
      400,
      400001,
      '设置项离线判定：超出允许范围（60–3600）',
    ])
    expect(body.errors).toEqual([{ field: offline, message: '超出允许范围（60–3600）' }])
    expect(await world.sql('select 1 from settings')).toEqual([])
  })
  test.each([
    ['an unknown key', { key: 'device.unknown', value: 1, version: 0 }, 400],
    [
      'a key whose consumer is not built',
      { key: 'order.autoRefund', value: false, version: 0 },
      400,
    ],
    ['another field', { key: offline, value: 100, version: 0, orgId: 1 }, 400],
    ['no version', { key: offline, value: 100 }, 400],
  ])('%s is refused', async (_, change, status) =>
    expect((await own('ROLE_RTU_AGENT', [change])).status).toBe(status),
  )
  test('the same key twice', async () => {
    const change = { key: offline, value: 100, version: 0 }
    expect((await own('ROLE_RTU_AGENT', [change, change])).body.message).toBe(
      '同一设置项只能修改一次',
    )
  })
  test('an organisation below: yes; above or beside: not there', async () => {
    expect(
      (await own('ROLE_RTU_AGENT', [{ key: offline, value: 100, version: 0 }], place.OWN)).status,
    ).toBe(200)
    expect(
      (await own('ROLE_RTU_AGENT', [{ key: offline, value: 100, version: 0 }], place.PLATFORM))
        .status,
    ).toBe(404)
    expect(
      (await own('ROLE_FULL', [{ key: offline, value: 100, version: 0 }], place.SIBLING)).status,
    ).toBe(404)
  })
})

describe('locks', () => {
  test('a lock of what counts; below it nobody changes, and values below sleep', async () => {
    await own('ROLE_RTU_AGENT', [{ key: offline, value: 300, version: 0 }])
    expect(await row('ROLE_ADMIN', offline)).toMatchObject({ below: 1 })
    expect(
      (await own('ROLE_ADMIN', [{ key: offline, locked: true, version: 0 }], place.PLATFORM))
        .status,
    ).toBe(200)
    expect(await row('ROLE_ADMIN', offline)).toMatchObject({
      value: 180,
      locked: true,
      source: 'OWN',
    })
    expect(await row('ROLE_RTU_AGENT', offline)).toMatchObject({
      value: 180,
      source: 'INHERITED',
      lockedBy: { id: 1 },
      can: { update: false, reset: false },
    })
    const refused = await own('ROLE_RTU_AGENT', [{ key: offline, value: 100, version: 1 }])
    expect([refused.status, refused.body.message, refused.body.errors[0].field]).toEqual([
      422,
      '该设置已被上级机构锁定，不能修改',
      offline,
    ])
    expect((await agent('reset', { key: offline, version: 1 })).status).toBe(422)
    // unlocked again, the sleeping value wakes
    expect(
      (await own('ROLE_ADMIN', [{ key: offline, locked: false, version: 1 }], place.PLATFORM))
        .status,
    ).toBe(200)
    expect(await row('ROLE_RTU_AGENT', offline)).toMatchObject({ value: 300, source: 'OWN' })
  })
  test('a lock takes its own right, and so does changing what is locked', async () => {
    expect(
      (await own('ROLE_RTU_AGENT', [{ key: offline, value: 100, locked: true, version: 0 }]))
        .status,
    ).toBe(403)
    await own('ROLE_ADMIN', [{ key: offline, value: 100, locked: true, version: 0 }], place.PARENT)
    expect((await own('ROLE_RTU_AGENT', [{ key: offline, value: 200, version: 1 }])).status).toBe(
      403,
    )
    expect((await agent('reset', { key: offline, version: 1 })).status).toBe(403)
    expect(
      (await own('ROLE_ADMIN', [{ key: offline, value: 200, version: 1 }], place.PARENT)).status,
    ).toBe(200)
  })
})

test('inherit again: the own value goes, once', async () => {
  await own('ROLE_RTU_AGENT', [{ key: offline, value: 300, version: 0 }])
  expect((await agent('reset', { key: offline, version: 9 })).body.code).toBe(409001)
  expect((await agent('reset', { key: offline, version: 1 })).body).toEqual({ ok: true })
  expect((await agent('reset', { key: offline, version: 1 })).status).toBe(404)
  expect(await row('ROLE_RTU_AGENT', offline)).toMatchObject({ value: 180, source: 'DEFAULT' })
  const { body } = await agent('history', { key: offline })
  expect(body.list[0]).toMatchObject({ before: 300, after: null })
})

test('the home page begins with what the organisation set', async () => {
  expect((await call('ROLE_RTU_SP', 'mine')).body).toEqual({ homeRefresh: 'm1' })
  await own('ROLE_RTU_AGENT', [{ key: 'home.refresh', value: 'm30', version: 0 }])
  expect((await call('ROLE_RTU_SP', 'mine')).body).toEqual({ homeRefresh: 'm30' })
})

test('a test message reaches oneself', async () => {
  expect((await agent('notifyTest')).body).toEqual({ ok: true })
  const rows = await world.sql(
    `select u.username from messages m join users u on u.id = m.user_id
      where m.title_zh like '测试通知%'`,
  )
  expect(rows).toEqual([{ username: 'ROLE_RTU_AGENT' }])
})

describe('calendar', () => {
  const typeOf = (day: string) => world.app.database.read(systemScope, (db) => dayTypeOf(db, day))
  test('the years of the library, once; what an administrator imported stays', async () => {
    await world.app.database.transact(systemScope, seedCalendar)
    expect([
      await typeOf('2026-10-01'),
      await typeOf('2026-10-10'),
      await typeOf('2026-11-21'),
      await typeOf('2026-11-20'),
    ]).toEqual(['HOLIDAY', 'MAKEUP', 'REST', 'WORKDAY'])
    const imported = await admin('importCalendar', {
      year: 2026,
      days: [{ day: '2026-05-01', type: 'HOLIDAY', name: '劳动节' }],
    })
    expect(imported.body).toEqual({ stored: 1 })
    await world.app.database.transact(systemScope, seedCalendar)
    expect([await typeOf('2026-05-01'), await typeOf('2026-10-01')]).toEqual(['HOLIDAY', 'WORKDAY'])
    const { body } = await agent('calendar', { year: 2026 })
    expect([body.known, body.days.length, body.can.import]).toEqual([true, 365, false])
    expect(body.days.find((d: { day: string }) => d.day === '2026-05-01')).toEqual({
      day: '2026-05-01',
      type: 'HOLIDAY',
      name: '劳动节',
    })
  })
  test('a year without special days is known too', async () => {
    expect(
      (
        await admin('importCalendar', {
          year: 2031,
          days: [{ day: '2031-01-02', type: 'WORKDAY' }],
        })
      ).body,
    ).toEqual({ stored: 1 })
    expect((await admin('calendar', { year: 2031 })).body.known).toBe(true)
  })
  test.each([
    [
      'the agent',
      'ROLE_RTU_AGENT',
      [{ day: '2026-05-01', type: 'HOLIDAY' }],
      422,
      '该设置由平台统一管理',
    ],
    [
      'another year',
      'ROLE_ADMIN',
      [{ day: '2025-05-01', type: 'HOLIDAY' }],
      400,
      '第1行不属于2026年',
    ],
    [
      'a day twice',
      'ROLE_ADMIN',
      [1, 2].map(() => ({ day: '2026-05-01', type: 'HOLIDAY' })),
      400,
      '第1行与第2行日期重复',
    ],
    ['no day', 'ROLE_ADMIN', [], 400, '文件中没有数据'],
    [
      '1001 rows',
      'ROLE_ADMIN',
      Array.from({ length: 1001 }, () => ({ day: '2026-05-01', type: 'REST' })),
      400,
      '一次最多导入1000行',
    ],
    [
      'a day that is none',
      'ROLE_ADMIN',
      [{ day: '2026-02-30', type: 'REST' }],
      400,
      '日期范围错误',
    ],
  ] as [string, Who, unknown[], number, string][])('%s', async (_, who, days, status, message) => {
    const answer = await call(who, 'importCalendar', { year: 2026, days })
    expect([answer.status, answer.body.message]).toEqual([status, message])
  })
  test('from December on administrators are reminded of the next year, once', async () => {
    const december = { ...world.app, now: () => new Date('2026-12-02T02:00:00Z') }
    const messages = () =>
      world.sql<{ n: number }>(
        `select count(*)::int as n from messages where link = '/system/calendar'`,
      )
    await remindOfCalendar(world.app)
    expect((await messages())[0]?.n).toBe(0)
    await remindOfCalendar(december)
    const [first] = await messages()
    expect(first?.n).toBeGreaterThan(0)
    await remindOfCalendar(december)
    expect(await messages()).toEqual([first])
  })
})

test('the dictionary has the words of enums and errors, searchable', async () => {
  const { body } = await agent('dictionary', { keyword: '法定节假日' })
  expect(body.list).toContainEqual(
    expect.objectContaining({
      kind: 'ENUM',
      area: 'settings',
      field: 'type',
      value: 'HOLIDAY',
      zh: '法定节假日',
    }),
  )
  const errors = await agent('dictionary', { kind: 'ERROR', keyword: 'lockedAbove' })
  expect(errors.body).toMatchObject({ total: 1, list: [{ value: '422001' }] })
  const all = await agent('dictionary', { pageSize: 200 })
  expect(new Set(all.body.list.map((r: { key: string }) => r.key)).size).toBe(all.body.list.length)
})

test('processes write down how they are; only super administrators look', async () => {
  reportProcess(world.app, 'worker')
  reportProcess(world.app, 'api', () => 3)
  world.app.jobs.poke('process-stats')
  await expect
    .poll(async () => (await world.sql('select 1 from process_stats')).length, { timeout: 5000 })
    .toBe(1)
  const { status, body } = await call('ROLE_SUPER_ADMIN', 'server')
  expect(status).toBe(200)
  expect(body.processes).toMatchObject([
    { parts: ['api', 'worker'], alive: true, figures: { machines: 3, pid: process.pid } },
  ])
  expect(body.missing).toEqual(['gateway'])
  expect(body.processes[0].figures.memory).toBeGreaterThan(1e7)
  expect(body.migrations.applied).toBeGreaterThan(3)
  expect((await admin('server')).status).toBe(403)
  const figures = await figuresOf(world.app, {
    machines: null,
    last: { at: performance.now() - 1000, cpu: 0 },
  })
  expect(figures.requests).toBeGreaterThan(10)
})

test('the demo shows values of every source', async () => {
  const org = new Map([
    ['platform', place.PLATFORM],
    ['agent', place.PARENT],
    ['operator', place.OWN],
  ])
  await world.app.database.transact(systemScope, (db) => seedSettings(db, { org }, new Date()))
  const { body } = await call('ROLE_ADMIN', 'list', { orgId: place.OWN })
  expect(new Set(body.list.map((item: { source: string }) => item.source))).toEqual(
    new Set(['OWN', 'INHERITED', 'DEFAULT']),
  )
})
