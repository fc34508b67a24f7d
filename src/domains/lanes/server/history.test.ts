import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runDue } from '../../../server/work.ts'
import { addDevice, openWorld, people, type World } from '../../devices/server/testWorld.ts'
import { priceKind } from './priceRun.ts'

let world: World
const runNextPrices = async (app: World['app']) => (await runDue(app, priceKind(app))) > 0
let next = 300
/** Each test: a machine of operator 3 with one level of four lanes; 01 and 02 hold product 1. */
let id: number
let lane: number[]

beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())
const send = (
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: object,
  user = people.operator,
) => world.send(user, method, `/devices/${id}${path}`, body)
const version = () =>
  world
    .one<{ v: number }>('select planogram_version as v from devices where id = $1', [id])
    .then((row) => row.v)
const put = async (lanes: object[], more: object = {}) =>
  send('PUT', '/lanes', { version: await version(), lanes, ...more })
const history = async () => (await send('GET', '/planogram-versions')).body.list
const prices = () =>
  world.rows<{ price: number }>(
    'select price from lanes where device_id = $1 and archived_at is null order by road_index',
    [id],
  )
const shadow = () =>
  world.one('select wanted, state from device_shadows where device_id = $1', [id])

beforeEach(async () => {
  next += 1
  id = next
  await addDevice(world, id, 3)
  await send('POST', '/lanes', { version: 0, levels: [{ name: '饮料', columns: 4 }] })
  lane = (
    await world.rows<{ id: string }>(
      'select id from lanes where device_id = $1 order by road_index',
      [id],
    )
  ).map((row) => Number(row.id))
  await put([
    { id: lane[0], productId: 1 },
    { id: lane[1], productId: 1 },
  ])
})

describe('versions', () => {
  test('a machine that goes to another owner while its lanes are saved is not written for the old one', async () => {
    const before = await version()
    await world.rows('begin')
    await world.rows('update devices set org_id = 4 where id = $1', [id])
    // the agent stands above both owners; he read the machine before it went
    const saving = send(
      'PUT',
      '/lanes',
      { version: before, lanes: [{ id: lane[0], price: 260 }] },
      people.agent,
    )
    const waits = () =>
      world.one<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`,
      )
    await expect.poll(async () => (await waits()).n).toBe(1)
    await world.rows('commit')
    expect((await saving).body.code).toBe(409001)
    expect([await version(), (await prices())[0]?.price]).toEqual([before, 300])
    expect(
      await world.rows('select 1 from planogram_versions where device_id = $1 and version > $2', [
        id,
        before,
      ]),
    ).toEqual([])
  })
  test('every change keeps one, with what changed, who and how; the machine is to have it', async () => {
    await put([{ id: lane[0], price: 250 }], {
      floors: [
        {
          id: Number(
            (
              await world.one<{ id: string }>('select id from lane_floors where device_id = $1', [
                id,
              ])
            ).id,
          ),
          name: '零食',
        },
      ],
    })
    const list = await history()
    expect(
      list.map((row: { version: number; source: string; byName: string; current: boolean }) => [
        row.version,
        row.source,
        row.byName,
        row.current,
      ]),
    ).toEqual([
      [3, 'EDIT', 'test3', true],
      [2, 'EDIT', 'test3', false],
      [1, 'CREATE', 'test3', false],
    ])
    expect(list[0].diff).toEqual([
      { road: null, level: 1, field: 'levelName', from: '饮料', to: '零食' },
      { road: 1, level: 1, field: 'price', from: 300, to: 250 },
    ])
    expect(await shadow()).toEqual({ wanted: 3, state: 'PENDING' })
  })
  test('lanes that are older than their first change keep the state before it', async () => {
    await world.rows('alter table planogram_versions disable trigger append_only')
    await world.rows('delete from planogram_versions where device_id = $1', [id])
    await world.rows('alter table planogram_versions enable trigger append_only')
    await put([{ id: lane[0], price: 250 }])
    expect(
      (await history()).map((row: { version: number; source: string }) => [
        row.version,
        row.source,
      ]),
    ).toEqual([
      [3, 'EDIT'],
      [2, 'FIRST'],
    ])
  })
  test('compare two, or one with the lanes as they are', async () => {
    await put([{ id: lane[0], price: 250 }])
    await put([{ id: lane[1], price: 260 }])
    expect(
      (await send('GET', '/planogram-versions/2/diff?against=3')).body.changes.map(
        (c: { road: number }) => c.road,
      ),
    ).toEqual([1])
    expect(
      (await send('GET', '/planogram-versions/2/diff')).body.changes.map(
        (c: { road: number }) => c.road,
      ),
    ).toEqual([1, 2])
    expect((await send('GET', '/planogram-versions/9/diff')).status).toBe(404)
    expect(
      (await send('GET', '/planogram-versions/2/diff', undefined, people.sibling)).status,
    ).toBe(404)
  })
  test('restore: what may go back goes, the rest is named, and it is a new version', async () => {
    await put([
      { id: lane[0], price: 250 },
      { id: lane[1], productId: 2 },
    ])
    await world.rows(`update lanes set quantity = 3 where id = $1`, [lane[1]])
    const plan = (await send('GET', '/planogram-versions/2/restore-plan')).body
    expect(plan).toEqual({
      write: [1],
      same: [3, 4],
      skipped: [{ road: 2, reason: '目标货道仍有其他商品库存' }],
    })
    const done = await send('POST', '/planogram-versions/2/restore', { version: 3 })
    expect([done.status, done.body.version, done.body.write]).toEqual([200, 4, [1]])
    expect((await history())[0]).toMatchObject({ version: 4, source: 'RESTORE' })
    expect((await prices()).map((row) => row.price)).toEqual([300, 300, null, null])
    expect((await send('POST', '/planogram-versions/2/restore', { version: 3 })).status).toBe(409)
    expect((await send('POST', '/planogram-versions/4/restore', { version: 4 })).body.error).toBe(
      'lanes.nothingToWrite',
    )
    expect(await version()).toBe(4)
  })
  test('a merge is taken back', async () => {
    expect(
      (await send('POST', '/lanes/merge', { version: 2, mainId: lane[2], secondaryIds: [lane[3]] }))
        .status,
    ).toBe(200)
    expect(
      (await send('POST', '/planogram-versions/2/restore', { version: 3, undo: true })).body.write,
    ).toEqual([4])
    expect((await history())[0]).toMatchObject({ source: 'UNDO' })
    expect(
      await world.one('select status, merged_into from lanes where id = $1', [lane[3]]),
    ).toEqual({ status: 'ENABLED', merged_into: null })
  })
  test('history is append-only and of its owner', async () => {
    await expect(world.rows(`update planogram_versions set by_name = 'x'`)).rejects.toThrow(
      /append-only/,
    )
    expect(
      (await world.send(people.sibling, 'GET', `/devices/${id}/planogram-versions`)).status,
    ).toBe(404)
    expect(
      (await send('POST', '/planogram-versions/1/restore', { version: 2 }, people.reader)).status,
    ).toBe(403)
  })
  test('an edit of nothing is refused', async () =>
    expect((await put([])).body.message).toBe('请选择货道'))
})

describe('prices', () => {
  const change = (more: object) => ({ laneIds: lane, mode: 'YUAN', value: -50, ...more })
  const query = (more: object) =>
    new URLSearchParams(
      Object.entries({ ...change(more), laneIds: lane.join(',') }).map(([k, v]) => [k, String(v)]),
    )
  test('the plan shows each lane and what breaks a rule', async () => {
    const { body } = await send('GET', `/lanes/price-plan?${query({ value: -250 })}`)
    expect(body.changes).toBe(0)
    expect(
      body.rows.map((row: { road: number; to: number; problem: string }) => [
        row.road,
        row.to,
        row.problem,
      ]),
    ).toEqual([
      [1, 50, '售价不能低于成本价'],
      [2, 50, '售价不能低于成本价'],
      [3, null, '未放商品'],
      [4, null, '未放商品'],
    ])
  })
  test('the plan tells no cost to who may not know it; the change holds to it', async () => {
    await world.rows(
      `insert into role_permissions select role_id, 'lane:price' from user_roles
        where user_id = 906`,
    )
    const { body } = await send(
      'GET',
      `/lanes/price-plan?${query({ value: -250 })}`,
      undefined,
      people.reader,
    )
    expect([body.changes, body.rows[0].to, body.rows[0].problem]).toEqual([2, 50, ''])
    const { body: done } = await send(
      'POST',
      '/lanes/prices',
      { version: 2, ...change({ value: -250 }) },
      people.reader,
    )
    await world.rows(
      `delete from role_permissions
        where permission_code = 'lane:price' and role_id in (select role_id from user_roles
          where user_id = 906)`,
    )
    expect(done.error).toBe('lanes.noPriceChange')
  })
  test('now: the lanes that may change do, as one version', async () => {
    await put([{ id: lane[1], price: 120 }])
    const { status, body } = await send('POST', '/lanes/prices', { version: 3, ...change({}) })
    expect([status, body.changed, body.version]).toEqual([200, 1, 4])
    expect((await prices()).map((row) => row.price)).toEqual([250, 120, null, null])
    expect((await history())[0]).toMatchObject({ source: 'PRICE', changes: 1 })
    expect((await send('POST', '/lanes/prices', { version: 3, ...change({}) })).status).toBe(409)
    expect(
      (await send('POST', '/lanes/prices', { version: 4, ...change({ value: 500 }) })).body.error,
    ).toBe('lanes.noPriceChange')
    expect(
      (
        await send('POST', '/lanes/prices', {
          version: 4,
          ...change({ value: 500, alsoRetail: true }),
        })
      ).body.changed,
    ).toBe(2)
    expect(
      (await send('POST', '/lanes/prices', { version: 5, ...change({}) }, people.reader)).status,
    ).toBe(403)
  })
  test.each([
    [{ value: null }, '请输入调整值'],
    [{ value: 1.5 }, '价格格式错误'],
    [{ laneIds: [] }, '请选择货道'],
    [{ at: '2020-01-01T00:00:00Z' }, '生效时间须在未来一年内'],
    [{ at: '2030-01-01T00:00:00Z' }, '生效时间须在未来一年内'],
  ])('%o: %s', async (more, message) =>
    expect(
      (await send('POST', '/lanes/prices', { version: 2, ...change(more) })).body.message,
    ).toBe(message),
  )

  const later = async (more: object = {}) =>
    (
      await send('POST', '/lanes/prices', {
        version: await version(),
        ...change({ at: '2026-11-21T07:00:00Z', ...more }),
      })
    ).body
  const due = () =>
    world.rows(
      `update price_schedules set run_at = '2026-11-21T05:00:00Z', next_at = '2026-11-21T05:00:00Z'
        where state = 'WAITING'`,
    )
  const listed = async () => (await send('GET', '/price-schedules')).body.list[0]
  test('at a time: visible until it runs, in the name of who asked, with what it could not change', async () => {
    const made = await later()
    expect([made.changed, made.version, (await send('GET', '/lanes')).body.scheduled]).toEqual([
      2, 2, 1,
    ])
    expect(await runNextPrices(world.app)).toBe(false)
    await put([{ id: lane[1], productId: 2 }])
    await due()
    expect([await runNextPrices(world.app), await runNextPrices(world.app)]).toEqual([true, false])
    expect(await listed()).toMatchObject({
      state: 'DONE',
      changed: 1,
      skipped: [{ road: 2, reason: '商品不同' }],
      can: { cancel: false },
    })
    expect((await prices()).map((row) => row.price)).toEqual([250, 300, null, null])
    expect((await history())[0]).toMatchObject({ source: 'PRICE', byName: 'test3' })
    expect(
      await world.one(`select count(*)::int as n from messages where user_id = 903 and link = $1`, [
        `/device/device-list/cargo-road/${id}`,
      ]),
    ).toEqual({
      n: 1,
    })
  })
  test('twenty may wait for one machine, however many are asked for at once', async () => {
    await world.rows(
      `insert into price_schedules (org_id, device_id, user_id, by_name, run_at, next_at, lanes,
        created_at) select 3, $1, 903, 'test3', $2, $2, '[1]', $2 from generate_series(1, 18)`,
      [id, '2026-11-22T00:00:00Z'],
    )
    const asked = await Promise.all(Array.from({ length: 4 }, () => later()))
    expect(asked.map((body) => body.message ?? 'taken').sort()).toEqual([
      'taken',
      'taken',
      ...Array(2).fill('每台机器最多20项待执行的定时改价'),
    ])
    await world.rows('delete from price_schedules where device_id = $1', [id])
  })
  test('cancelled, it does not run; cancelled once', async () => {
    const { scheduleId } = await later()
    const cancel = (user = people.operator) =>
      world.send(user, 'POST', `/price-schedules/${scheduleId}/cancel`)
    expect([
      (await cancel(people.sibling)).status,
      (await cancel()).status,
      (await cancel()).status,
    ]).toEqual([404, 200, 409])
    await due()
    expect([await runNextPrices(world.app), (await listed()).state]).toEqual([false, 'CANCELLED'])
  })
  test('a machine that is held keeps no other waiting, and is done when it is free', async () => {
    const held = id
    await later()
    id = next += 1
    await addDevice(world, id, 4)
    await send('POST', '/lanes', { version: 0, levels: [{ columns: 1 }] }, people.sibling)
    const { id: theirs } = await world.one<{ id: number }>(
      'select id from lanes where device_id = $1',
      [id],
    )
    const fill = { version: 1, lanes: [{ id: Number(theirs), productId: 8 }] }
    await send('PUT', '/lanes', fill, people.sibling)
    const asked = change({ laneIds: [Number(theirs)], at: '2026-11-21T07:00:00Z' })
    await send('POST', '/lanes/prices', { version: 2, ...asked }, people.sibling)
    await due()
    await world.rows('begin')
    await world.rows('select 1 from devices where id = $1 for update', [held])
    const began = performance.now()
    expect([await runNextPrices(world.app), await runNextPrices(world.app)]).toEqual([true, true])
    const states = () =>
      world.rows(
        `select state, attempts from price_schedules where device_id = any($1) order by device_id`,
        [[held, id]],
      )
    expect([await states(), performance.now() - began < 1000]).toEqual([
      [
        { state: 'WAITING', attempts: 0 },
        { state: 'DONE', attempts: 1 },
      ],
      true,
    ])
    await world.rows('rollback')
    await due()
    await runNextPrices(world.app)
    expect((await states())[0]).toEqual({ state: 'DONE', attempts: 1 })
  })
  test('without the right, or with a machine that is gone, it fails and says so', async () => {
    await later()
    await due()
    await world.rows(
      `delete from role_permissions where role_id = 903 and permission_code = 'lane:price'`,
    )
    await runNextPrices(world.app)
    await world.rows(`insert into role_permissions values (903, 'lane:price')`)
    expect(await listed()).toMatchObject({ state: 'FAILED', problem: '操作权限已被收回' })
    await later()
    await due()
    await world.rows(`update devices set lifecycle = 'SCRAPPED', board_no = null where id = $1`, [
      id,
    ])
    await runNextPrices(world.app)
    expect(await listed()).toMatchObject({ state: 'FAILED', problem: '设备已外售或报废，不能修改' })
  })
})

describe('lock by hand', () => {
  const lock = async (path: 'lock' | 'unlock', more: object = {}, user = people.operator) =>
    send(
      'POST',
      `/lanes/${path}`,
      {
        version: await version(),
        laneIds: [lane[0]],
        ...(path === 'lock' ? { reason: '包装破损' } : {}),
        ...more,
      },
      user,
    )
  test('stops the lane, and only such a lock is taken back by hand', async () => {
    const locked = await lock('lock')
    expect(locked.body.floors[0].roads[0]).toMatchObject({
      status: 'LOCKED',
      view: 'locked',
      lockReason: 'QUALITY 包装破损',
    })
    expect((await lock('lock')).body.message).toBe('货道 1 不能锁定')
    expect(locked.body.version).toBe(2)
    expect((await lock('unlock')).body.floors[0].roads[0]).toMatchObject({
      status: 'ENABLED',
      lockReason: null,
    })
    await world.rows(
      `update lanes set status = 'LOCKED', lock_reason = 'COUNT_NEEDED' where id = $1`,
      [lane[0]],
    )
    expect((await lock('unlock')).body.error).toBe('lanes.notLocked')
    expect((await lock('lock', { reason: ' ' })).body.message).toBe('请输入锁定原因')
    expect((await lock('lock', {}, people.reader)).status).toBe(403)
  })
  test('a faulty lane is faulty again', async () => {
    await world.rows(`update lanes set status = 'FAULT' where id = $1`, [lane[0]])
    await world.rows(
      `insert into device_faults (org_id, device_id, lane_id, code, level, opened_at)
        values (3, $1, $2, 'X', 'ERROR', now())`,
      [id, lane[0]],
    )
    await lock('lock')
    expect((await lock('unlock')).body.floors[0].roads[0].status).toBe('FAULT')
  })
})

test('the machine charges the price it confirmed until it confirms the next', async () => {
  await world.rows(`update device_shadows set applied = 2 where device_id = $1`, [id])
  await put([{ id: lane[0], price: 250 }])
  const { body } = await send('GET', '/lanes')
  expect(body.sync).toEqual({ wanted: 3, applied: 2, state: 'PENDING', reason: '' })
  expect(
    body.floors[0].roads.map((road: { confirmedPrice: number | null }) => road.confirmedPrice),
  ).toEqual([300, null, null, null])
})
test('one lane by its id', async () => {
  expect((await world.send(people.operator, 'GET', `/lanes/${lane[0]}`)).body).toMatchObject({
    deviceId: id,
    version: 2,
    road: { id: lane[0] },
  })
  expect((await world.send(people.sibling, 'GET', `/lanes/${lane[0]}`)).status).toBe(404)
})
