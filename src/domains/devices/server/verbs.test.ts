import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pagesTouched } from '../../../../test/support/pages.ts'
import type { Ctx } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import type { Input } from '../../../shared/contract.ts'
import { shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import { secretHash } from '../../machines/server/secret.ts'
import { devices } from '../contract.ts'
import { addDevice, now, openWorld, people, type World } from './testWorld.ts'
import { handlers } from './verbs.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
  await addDevice(world, 1, 3)
  await addDevice(world, 2, 3, { online: false })
  await addDevice(world, 3, 4)
  await addDevice(world, 4, 5)
  await addDevice(world, 5, 3, { kind: 'DRUG' })
  await addDevice(world, 6, 3, { lifecycle: 'SCRAPPED', online: false })
  await world.rows(
    `insert into device_assignments (org_id, device_id, user_id, kind)
      values (3, 1, 908, 'REPLENISHER')`,
  )
  await world.rows(
    `update device_states set fault_count = 1, stock = 7, capacity = 20, lanes_sold_out = 2,
      signal = 'weak', temp_alarm = true where device_id = 1`,
  )
  const today = startOfDay('2026-11-21')
  await world.rows(
    `insert into sales_rollups (org_id, device_id, grain, at, orders, turnover)
      values (3, 1, 'DAY', $1, 4, 1200), (3, 2, 'DAY', $1, 2, 500), (3, 1, 'DAY', $2, 9, 9999),
        (3, 1, 'HOUR', $1, 4, 1200), (4, 3, 'DAY', $1, 1, 100)`,
    [today, new Date(today.getTime() - 86_400_000)],
  )
})
afterAll(() => world.close())

const list = async (user: number, query = '') =>
  (await world.send(user, 'GET', `/devices?pageSize=200${query}`)).body
const ids = (body: { list: { id: number }[] }) => body.list.map((row) => row.id)
const place = {
  typeId: 1,
  kind: 'GENERAL',
  county: '440305',
  address: '科苑路15号',
  dropSensor: true,
}
const fresh = (rtuNumber: string, change: Record<string, unknown> = {}) => ({
  rtuNumber,
  nickname: '新机',
  ...place,
  ...change,
})
const create = (user: number, rtuNumber: string, change: Record<string, unknown> = {}) =>
  world.send(user, 'POST', '/devices', fresh(rtuNumber, change))
const count = async (where: string) =>
  (await world.one<{ n: number }>(`select count(*)::int as n from ${where}`)).n

describe('list', () => {
  test('faults first, then offline machines in use, then the newest', async () =>
    expect(ids(await list(people.operator))).toEqual([1, 2, 6, 5]))
  test.each([
    [people.platform, [1, 2, 3, 4, 5, 6]],
    [people.agent, [1, 2, 3, 5, 6]],
    [people.sibling, [3]],
    [people.stranger, [4]],
    [people.replenisher, [1]],
    [people.repairer, []],
  ])('user %i sees %o', async (user, expected) =>
    expect(ids(await list(user)).sort()).toEqual(expected),
  )
  test.each([
    ['keyword=000002', [2]],
    ['keyword=机器5', [5]],
    ['keyword=%25', []],
    ['status=offline', [2]],
    ['signal=weak', [1]],
    ['typeId=2', [5]],
    ['kind=DRUG', [5]],
    ['lifecycle=SCRAPPED', [6]],
    ['orgId=4', []],
    ['hasFault=true', [1]],
    ['soldOut=true', [1]],
    ['tempAlarm=true', [1]],
    ['province=440000&city=440300&county=440305', [1, 2, 6, 5]],
    ['county=440304', []],
    ['region=440300', [1, 2, 6, 5]],
    ['region=110000', []],
    ['boardNo=BOARD-2', [2]],
    ['from=2026-11-21&to=2026-11-21', [1, 2, 6, 5]],
    ['to=2026-11-20', []],
    ['sort=rtuNumber', [1, 2, 5, 6]],
    ['sort=-todayTurnover', [1, 2, 6, 5]],
  ])('%s', async (query, expected) =>
    expect(ids(await list(people.operator, `&${query}`))).toEqual(expected),
  )
  test.each([
    'sort=secret_hash',
    'signal=none',
    'from=2026-11-22&to=2026-11-21',
    'pageSize=7',
    'tenantId=4',
    'typeId=0',
  ])('%s is 400', async (query) =>
    expect((await world.send(people.operator, 'GET', `/devices?${query}`)).status).toBe(400),
  )
  test('figures of today and sums of the filter', async () => {
    const body = await list(people.operator)
    expect(body.list[0]).toMatchObject({
      rtuNumber: 'HD000001',
      regionName: '广东省 / 深圳市 / 南山区',
      todayOrders: 4,
      todayTurnover: 1200,
      stock: 7,
      capacity: 20,
      soldOut: 2,
      faultCount: 1,
      can: { update: true, pause: true, operate: false },
    })
    expect(body.sums).toEqual({ todayOrders: 6, todayTurnover: 1700, stock: 7, capacity: 20 })
    expect((await list(people.operator, '&status=offline')).sums).toMatchObject({
      todayOrders: 2,
      todayTurnover: 500,
    })
  })
  test('money only with dashboard:money, neither shown nor sortable', async () => {
    const body = await list(people.reader)
    expect([
      body.list[0].todayOrders,
      body.list[0].todayTurnover,
      body.sums.todayTurnover,
      body.list[0].can.update,
    ]).toEqual([4, null, null, false])
    expect((await world.send(people.reader, 'GET', '/devices?sort=-todayTurnover')).body.code).toBe(
      403001,
    )
  })
  test('counts and options', async () => {
    expect((await world.send(people.operator, 'GET', '/devices/counts')).body).toEqual({
      all: 4,
      online: 2,
      offline: 1,
      fault: 1,
      soldOut: 1,
      tempAlarm: 1,
    })
    expect(
      (await world.send(people.operator, 'GET', '/devices/options?keyword=HD000001')).body.list,
    ).toEqual([{ id: 1, rtuNumber: 'HD000001', nickname: '机器1', orgId: 3, status: 'online' }])
    expect(
      ids((await world.send(people.operator, 'GET', '/devices/options?ids=1,4,5')).body),
    ).toEqual([1, 5])
  })
})

describe('how old the last word of a machine is', () => {
  const aged = (hours: number, id: number) =>
    world.rows('update device_states set last_seen_at = $1 where device_id = $2', [
      new Date(now.getTime() - hours * 3_600_000),
      id,
    ])
  const told = async (user: number) =>
    Object.fromEntries(
      (await list(user)).list.map(
        (row: { id: number; freshness: string }) => [row.id, row.freshness] as const,
      ),
    )
  test('by the settings of its organisation, in list and detail', async () => {
    await aged(3, 1)
    await aged(5, 2)
    await aged(5, 3)
    expect(await told(people.agent)).toMatchObject({
      1: 'fresh',
      2: 'aging',
      3: 'aging',
      5: 'stale',
    })
    await world.rows(
      `insert into settings (org_id, key, value)
        values (3, 'device.freshHours', '2'), (3, 'device.staleHours', '4')`,
    )
    expect(await told(people.agent)).toMatchObject({
      1: 'aging',
      2: 'stale',
      3: 'aging',
      5: 'stale',
    })
    expect((await world.send(people.agent, 'GET', '/devices/1')).body.freshness).toBe('aging')
    await world.rows(`delete from settings where key in ('device.freshHours', 'device.staleHours')`)
    expect(await told(people.agent)).toMatchObject({ 1: 'fresh', 2: 'aging' })
    await world.rows('update device_states set last_seen_at = null')
  })
})

describe('detail', () => {
  test('names the business hours of the organisation that owns it', async () => {
    const hours = async (id: number) =>
      (await world.send(people.agent, 'GET', `/devices/${id}`)).body.orgHours
    expect(await hours(1)).toEqual({ from: '06:00', to: '23:00' })
    await world.rows(
      `insert into settings (org_id, key, value)
        values (3, 'device.businessHours', '{"from": "22:00", "to": "05:30"}')`,
    )
    expect([await hours(1), await hours(3)]).toEqual([
      { from: '22:00', to: '05:30' },
      { from: '06:00', to: '23:00' },
    ])
    await world.rows(`delete from settings where key = 'device.businessHours'`)
  })
  test('all fields, never the secret', async () => {
    const { status, body } = await world.send(people.operator, 'GET', '/devices/5')
    expect([status, body.dispensingMode, body.licenceMatches, body.pattern, body.version]).toEqual([
      200,
      'UNATTENDED',
      true,
      'lift',
      1,
    ])
    expect(JSON.stringify(body)).not.toContain('secret')
  })
  test.each([
    [people.sibling, 1],
    [people.replenisher, 2],
    [people.operator, 4],
    [people.operator, 99999],
  ])('user %i, machine %i: 404', async (user, id) => {
    const { status, body } = await world.send(user, 'GET', `/devices/${id}`)
    expect([status, body.code, body.message]).toEqual([404, 404001, '数据不存在或无权查看'])
  })
})

describe('create', () => {
  test('hands out a secret once and keeps its hash', async () => {
    const { status, body } = await create(people.operator, 'NEW0001', {
      boardNo: 'BOARD-N1',
      card: '89860422010000000001',
      lng: 113.948901,
      lat: 22.5418,
    })
    expect(status).toBe(200)
    expect(body.secret).toMatch(/^[0-9a-f]{64}$/)
    const row = await world.one<{
      secret_hash: Buffer
      org_id: number
      lifecycle: string
      city: string
    }>(`select secret_hash, org_id, lifecycle, city from devices where id = $1`, [body.id])
    expect([
      row.secret_hash.equals(secretHash(body.secret)),
      row.org_id,
      row.lifecycle,
      row.city,
    ]).toEqual([true, 3, 'STOCK', '440300'])
    expect(await count(`device_states where device_id = ${body.id}`)).toBe(1)
    expect(
      await world.rows(
        `select content, after::text like '%${body.secret}%' as leaks from operation_logs
          where action = 'devices.create'`,
      ),
    ).toEqual([{ content: '创建设备：NEW0001', leaks: false }])
  })
  test.each([
    [{ rtuNumber: '' }, 'rtuNumber', '请输入机器编号'],
    [{ rtuNumber: `${'A'.repeat(60)}0001` }, 'rtuNumber'],
    [{ rtuNumber: 'HD１２３４' }, 'rtuNumber'],
    [{ rtuNumber: 'hd0001' }, 'rtuNumber'],
    [{ rtuNumber: '001' }, 'rtuNumber'],
    [{ rtuNumber: 'HD0001A' }, 'rtuNumber'],
    [{ nickname: ' ' }, 'nickname', '请输入机器名称'],
    [{ nickname: 'x'.repeat(41) }, 'nickname'],
    [{ typeId: null }, 'typeId', '请选择设备类型'],
    [{ county: '440300' }, 'county', '请选择所在地区'],
    [{ county: '999999' }, 'county', '请选择所在地区'],
    [{ address: '' }, 'address', '请输入详细地址'],
    [{ card: '8986062309' }, 'card', '物联卡号格式不正确'],
    [{ boardNo: 'B1' }, 'boardNo'],
    [{ lng: 181, lat: 22 }, 'lng'],
    [{ lng: 113, lat: 91 }, 'lat'],
    [{ lng: 0, lat: 0 }, 'lng'],
    [{ lng: 113 }, 'lat'],
    [{ typeId: 2, kind: 'DRUG' }, 'dispensingMode', '请填写药品经营许可证信息'],
    [
      { typeId: 2, kind: 'DRUG', dispensingMode: 'MEDICAL', licenceNo: '粤1' },
      'licenceAddress',
      '请填写药品经营许可证信息',
    ],
    [{ tenantId: 3 }, 'tenantId'],
  ] as [Record<string, unknown>, string, string?][])(
    '%o is 400 at %s',
    async (change, field, message) => {
      const { status, body } = await world.send(
        people.operator,
        'POST',
        '/devices',
        fresh('BAD0001', change),
      )
      expect([status, body.code, body.errors[0].field]).toEqual([400, 400001, field])
      if (message) expect(body.errors[0].message).toBe(message)
    },
  )
  test.each([
    [
      { kind: 'DRUG', dispensingMode: 'MEDICAL', licenceNo: '1', licenceAddress: '深圳市南山区' },
      422,
    ],
    [{ typeId: 4 }, 404],
    [{ typeId: 999 }, 404],
  ])('%o is %i', async (change, status) =>
    expect((await create(people.operator, 'BAD0002', change)).status).toBe(status),
  )
  test('numbers, boards and cards are unique over the platform', async () => {
    const [number, board, card] = [
      await create(people.stranger, 'HD000001'),
      await create(people.stranger, 'NEW0009', { boardNo: 'BOARD-1' }),
      await create(people.stranger, 'NEW0009', { card: '89860422010000000001' }),
    ]
    expect(
      [number, board, card].map((a) => [
        a.status,
        a.body.code,
        a.body.message,
        a.body.errors[0].field,
      ]),
    ).toEqual([
      [409, 409004, '机器编号已存在', 'rtuNumber'],
      [409, 409004, '该主板已绑定其他设备', 'boardNo'],
      [409, 409004, '该物联卡已绑定其他设备', 'card'],
    ])
    expect((await create(people.operator, '0001')).status).toBe(200) // 0001 and 1 are different texts; the short one has no form
  })
  test('for an organisation of the own tree only, and one that runs machines', async () => {
    expect((await create(people.operator, 'NEW0002', { orgId: 4 })).status).toBe(404)
    expect((await create(people.platform, 'NEW0002', { orgId: 6 })).body.message).toBe(
      '该机构不能拥有设备',
    )
    expect((await create(people.agent, 'NEW0003', { orgId: 4 })).status).toBe(200)
    expect(await count(`devices where rtu_number = 'NEW0003' and org_id = 4`)).toBe(1)
  })
  test('a repairer sees what he set up; others need the permission', async () => {
    const { status, body } = await create(people.repairer, 'NEW0004')
    expect(status).toBe(200)
    expect(ids(await list(people.repairer))).toEqual([body.id])
    expect((await create(people.reader, 'NEW0005')).status).toBe(403)
  })
  test('the same number ten times at once: one machine', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => create(people.operator, 'RACE0001')),
    )
    expect(answers.map((a) => a.status).sort()).toEqual([200, ...Array(9).fill(409)])
    expect(await count(`devices where rtu_number = 'RACE0001'`)).toBe(1)
  })
})

describe('batch', () => {
  const batch = (change: Record<string, unknown>) =>
    world.send(people.operator, 'POST', '/devices/batch-create', {
      start: 'BT000098',
      count: 3,
      namePrefix: '园区',
      ...place,
      ...change,
    })
  const preview = (query: string, user = people.operator) =>
    world.send(user, 'GET', `/devices/batch-preview?${query}`)
  test('following numbers keep their width', async () => {
    const { status, body } = await batch({})
    expect([
      status,
      body.created.map((d: { rtuNumber: string }) => d.rtuNumber),
      new Set(body.created.map((d: { secret: string }) => d.secret)).size,
    ]).toEqual([200, ['BT000098', 'BT000099', 'BT000100'], 3])
    expect(
      await world.rows(
        `select nickname from devices where rtu_number like 'BT%' order by rtu_number`,
      ),
    ).toEqual([{ nickname: '园区01' }, { nickname: '园区02' }, { nickname: '园区03' }])
    expect(await count(`operation_logs where action = 'devices.createBatch'`)).toBe(3)
  })
  test('a conflict refuses all, also with a machine of strangers', async () => {
    expect((await create(people.stranger, 'BC000002')).status).toBe(200)
    const { status, body } = await batch({ start: 'BC000001' })
    expect([
      status,
      body.code,
      body.message,
      await count(`devices where rtu_number like 'BC%'`),
    ]).toEqual([409, 409004, '机器编号已存在：BC000002', 1])
    expect((await preview('start=BC000001&count=3')).body).toEqual({
      first: 'BC000001',
      last: 'BC000003',
      numbers: ['BC000001', 'BC000002', 'BC000003'],
      conflicts: ['BC000002'],
    })
    expect((await preview('start=BC000001&count=3&skipExisting=true')).body).toEqual({
      first: 'BC000001',
      last: 'BC000004',
      numbers: ['BC000001', 'BC000003', 'BC000004'],
      conflicts: ['BC000002'],
    })
    expect(
      (await batch({ start: 'BC000001', skipExisting: true })).body.created.map(
        (d: { rtuNumber: string }) => d.rtuNumber,
      ),
    ).toEqual(['BC000001', 'BC000003', 'BC000004'])
  })
  test.each([
    [{ start: 'BD9999' }, '编号位数不足'],
    [{ count: 0 }, '数量须为1-200'],
    [{ count: 201 }, '数量须为1-200'],
    [{ count: 1.5 }, '数量须为1-200'],
    [{ namePrefix: '' }, '请输入名称前缀'],
  ])('%o is 400 %s', async (change, message) => {
    const { status, body } = await batch(change)
    expect([status, body.errors[0].message]).toEqual([400, message])
  })
  test('skipping cannot run past the width', async () => {
    expect((await create(people.operator, 'BE9999')).status).toBe(200)
    expect((await preview('start=BE9999&count=1&skipExisting=true')).body.message).toBe(
      '编号位数不足',
    )
  })
  test('two overlapping batches at once: one wins whole', async () => {
    const answers = await Promise.all([
      batch({ start: 'BF000001', count: 20 }),
      batch({ start: 'BF000010', count: 20 }),
    ])
    expect(answers.map((a) => a.status).sort()).toEqual([200, 409])
    expect(await count(`devices where rtu_number like 'BF%'`)).toBe(20)
  })
})

describe('edit', () => {
  const load = async (id: number) =>
    (await world.send(people.operator, 'GET', `/devices/${id}`)).body
  const body = (d: Record<string, unknown>, change: Record<string, unknown> = {}) => {
    const keys = [
      'version',
      'nickname',
      'typeId',
      'kind',
      'boardNo',
      'card',
      'county',
      'address',
      'lng',
      'lat',
      'dispensingMode',
      'licenceNo',
      'licenceAddress',
      'dropSensor',
      'autoRefund',
      'remark',
    ]
    return { ...Object.fromEntries(keys.map((key) => [key, d[key]])), ...change }
  }
  test('changes, counts the version, logs both sides', async () => {
    const before = await load(2)
    const { status, body: after } = await world.send(
      people.operator,
      'PUT',
      '/devices/2',
      body(before, { nickname: '新名', county: '440304', remark: '靠窗' }),
    )
    expect([status, after.nickname, after.city, after.county, after.version]).toEqual([
      200,
      '新名',
      '440300',
      '440304',
      before.version + 1,
    ])
    expect(
      await world.one(
        `select before ->> 'nickname' as old, after ->> 'nickname' as new from operation_logs
          where action = 'devices.update'`,
      ),
    ).toEqual({
      old: '机器2',
      new: '新名',
    })
    const stale = await world.send(
      people.operator,
      'PUT',
      '/devices/2',
      body(before, { nickname: '晚到' }),
    )
    expect([stale.status, stale.body.code, (await load(2)).nickname]).toEqual([409, 409001, '新名'])
  })
  test('five edits at once: one wins', async () => {
    const before = await load(2)
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map((n) =>
        world.send(people.operator, 'PUT', '/devices/2', body(before, { nickname: `第${n}` })),
      ),
    )
    expect(answers.map((a) => a.status).sort()).toEqual([200, 409, 409, 409, 409])
  })
  test('the number is not a field; strangers get 404; scrapped machines stay', async () => {
    const d = await load(1)
    expect(
      (await world.send(people.operator, 'PUT', '/devices/1', { ...body(d), rtuNumber: 'HD9999' }))
        .status,
    ).toBe(400)
    expect((await world.send(people.sibling, 'PUT', '/devices/1', body(d))).status).toBe(404)
    expect(
      (await world.send(people.operator, 'PUT', '/devices/6', body(await load(6)))).body.error,
    ).toBe('devices.closed')
  })
  test('with lanes the type must drive them alike; placed drugs keep their machine', async () => {
    const lanes = await world.send(people.operator, 'POST', '/devices/1/lanes', {
      version: 0,
      levels: [{ columns: 2 }],
    })
    expect(lanes.status).toBe(200)
    const refused = await world.send(
      people.operator,
      'PUT',
      '/devices/1',
      body(await load(1), { typeId: 3 }),
    )
    expect([refused.status, refused.body.message, refused.body.errors[0].field]).toEqual([
      422,
      '更换类型前请先重建货道',
      'typeId',
    ])
    await addDevice(world, 20, 3, { kind: 'DRUG', mode: 'PHARMACIST' })
    const drawn = await world.send(people.operator, 'POST', '/devices/20/lanes', {
      version: 0,
      levels: [{ columns: 1 }],
    })
    expect(
      (
        await world.send(people.operator, 'PUT', '/devices/20/lanes', {
          version: 1,
          lanes: [{ id: drawn.body.floors[0].roads[0].id, productId: 4 }],
        })
      ).status,
    ).toBe(200)
    expect(
      (
        await world.send(
          people.operator,
          'PUT',
          '/devices/20',
          body(await load(20), { dispensingMode: 'UNATTENDED' }),
        )
      ).body.message,
    ).toBe('售药方式须由两人确认变更：请在设备详情中发起')
    const plain = { typeId: 1, kind: 'GENERAL', dispensingMode: null }
    await world.rows(
      'update device_types set pattern = (select pattern from device_types where id = 2) where id = 1',
    )
    const other = await world.send(
      people.operator,
      'PUT',
      '/devices/20',
      body(await load(20), plain),
    )
    expect(other.body.message).toBe('该药品不可在自动售货机销售')
  })
  test('a licence for another place stops sales, and they cannot resume', async () => {
    const { status, body: after } = await world.send(
      people.operator,
      'PUT',
      '/devices/5',
      body(await load(5), { licenceAddress: '深圳市福田区红荔路6030号' }),
    )
    expect([status, after.lifecycle, after.licenceMatches]).toEqual([200, 'PAUSED', false])
    const resume = await world.send(people.operator, 'POST', '/devices/5/lifecycle', {
      version: after.version,
      to: 'OPERATING',
    })
    expect([resume.status, resume.body.message]).toEqual([422, '许可证地址与设备地址不一致'])
  })
  test('a repairer changes board, card and place only', async () => {
    await world.rows(
      `insert into device_assignments (org_id, device_id, user_id, kind)
        values (3, 2, 907, 'REPAIRER')`,
    )
    const d = await load(2)
    const no = await world.send(
      people.repairer,
      'PUT',
      '/devices/2',
      body(d, { nickname: '我的', boardNo: 'BOARD-R2' }),
    )
    expect([
      no.status,
      no.body.code,
      no.body.errors.map((e: { field: string }) => e.field),
    ]).toEqual([403, 403001, ['nickname']])
    expect(
      (
        await world.send(
          people.repairer,
          'PUT',
          '/devices/2',
          body(d, { boardNo: 'BOARD-R2', address: '新址1号' }),
        )
      ).body,
    ).toMatchObject({
      boardNo: 'BOARD-R2',
      address: '新址1号',
    })
  })
})

describe('lifecycle', () => {
  test('a new machine needs board and lanes before it sells', async () => {
    const { body: made } = await create(people.operator, 'LIFE0001', { boardNo: 'BOARD-L1' })
    const go = (to: string, version: number) =>
      world.send(people.operator, 'POST', `/devices/${made.id}/lifecycle`, {
        version,
        to,
        reason: to === 'PAUSED' ? '换货' : '',
      })
    expect(
      (
        await world.send(people.operator, 'POST', `/devices/${made.id}/lifecycle`, {
          version: 1,
          to: 'PAUSED',
        })
      ).body.errors[0].message,
    ).toBe('请填写原因')
    expect((await go('PAUSED', 1)).body.code).toBe(409001)
    expect((await go('OPERATING', 1)).body.error).toBe('devices.notReady')
    const drawn = await world.send(people.operator, 'POST', `/devices/${made.id}/lanes`, {
      version: 0,
      levels: [{ columns: 1 }],
    })
    await world.send(people.operator, 'PUT', `/devices/${made.id}/lanes`, {
      version: 1,
      lanes: [{ id: drawn.body.floors[0].roads[0].id, productId: 1 }],
    })
    expect((await go('OPERATING', 1)).body).toMatchObject({
      lifecycle: 'OPERATING',
      version: 2,
      can: { pause: true, operate: false },
    })
    expect((await go('PAUSED', 1)).status).toBe(409)
    expect((await go('PAUSED', 2)).body.lifecycle).toBe('PAUSED')
  })
})

describe('faults and timeline', () => {
  test('a fault is handled once and frees its lane', async () => {
    const lane = (await world.send(people.operator, 'GET', '/devices/1/lanes')).body.floors[0]
      .roads[0].id
    await world.rows(`update lanes set status = 'FAULT' where id = $1`, [lane])
    const fault = await world.one<{ id: string }>(
      `insert into device_faults (org_id, device_id, lane_id, code, level, opened_at)
        values (3, 1, $1, 'MOTOR_NOT_MOVE', 'ERROR', $2) returning id`,
      [lane, now],
    )
    await world.rows(`update device_states set fault_count = 1 where device_id = 1`)
    const worst = async (who: typeof people.operator) =>
      (await world.send(who, 'GET', '/devices/1')).body.fault
    expect([await worst(people.operator), await worst(people.reader)]).toEqual([
      { faultCode: 'MOTOR_NOT_MOVE', road: 1 },
      null,
    ])
    const url = `/device-faults/${fault.id}/handle`
    expect(
      (await world.send(people.operator, 'POST', url, { remark: ' ' })).body.errors[0].message,
    ).toBe('请填写处理说明')
    expect((await world.send(people.sibling, 'POST', url, { remark: '换电机' })).status).toBe(404)
    expect((await world.send(people.reader, 'POST', url, { remark: '换电机' })).status).toBe(403)
    const answers = await Promise.all(
      [1, 2, 3].map(() => world.send(people.operator, 'POST', url, { remark: '换电机' })),
    )
    expect(answers.map((a) => a.status).sort()).toEqual([200, 409, 409])
    expect(await world.one('select status from lanes where id = $1', [lane])).toEqual({
      status: 'ENABLED',
    })
    expect(await worst(people.operator)).toBeNull()
    const { body } = await world.send(people.operator, 'GET', '/devices/1/faults')
    expect(body).toMatchObject({
      total: 1,
      list: [
        {
          road: 1,
          faultCode: 'MOTOR_NOT_MOVE',
          handledBy: '员工3',
          remark: '换电机',
          can: { handle: false },
        },
      ],
    })
    expect((await world.send(people.reader, 'GET', '/devices/1/faults')).status).toBe(403)
    expect((await world.send(people.sibling, 'GET', '/devices/1/faults')).status).toBe(404)
  })
  test('what the machine said in the last seven days, newest first', async () => {
    for (const [seq, hours] of [
      [1, 200],
      [2, 2],
      [3, 1],
    ]) {
      await world.rows(
        `insert into device_messages (org_id, created_at, device_id, boot, seq, kind, payload)
          values (3, $1, 1, 'b', $2, 'heartbeat', '{"rsrp":-80}')`,
        [new Date(now.getTime() - (hours as number) * 3_600_000), seq],
      )
    }
    const { body } = await world.send(people.operator, 'GET', '/devices/1/timeline')
    const said = body.list.filter((line: { source: string }) => line.source === 'MESSAGE')
    expect([said.map((m: { seq: number }) => m.seq), said[0].data]).toEqual([[3, 2], { rsrp: -80 }])
    const all = (await world.send(people.operator, 'GET', '/devices/1/timeline?from=2026-11-10'))
      .body.list
    expect(all.filter((line: { source: string }) => line.source === 'MESSAGE')).toHaveLength(3)
    expect((await world.send(people.sibling, 'GET', '/devices/1/timeline')).status).toBe(404)
    expect(body.sums.cut).toBe(false)
  })
  test('of a range with very many messages the newest are looked through, and it says so', async () => {
    await world.rows(
      `insert into device_messages (org_id, created_at, device_id, boot, seq, kind, payload)
        select 3, $1::timestamptz - interval '10 seconds' * n, 1, 'c', 30000 - n, case
          when n % 1000 = 1 then 'door' else 'telemetry' end, '{}'
          from generate_series(0, 20500) n`,
      [now],
    )
    const { body } = await world.send(people.operator, 'GET', '/devices/1/timeline?group=DOOR')
    expect([body.sums.cut, body.total]).toEqual([true, 20])
    const { body: day } = await world.send(
      people.operator,
      'GET',
      `/devices/1/timeline?group=DOOR&from=${shanghaiDay(now)}`,
    )
    expect(day.sums.cut).toBe(false)
  })
})

test('a page among 2,000 machines touches fewer pages of the database than there are machines', async () => {
  await world.rows(
    `with d as (insert into devices (org_id, rtu_number, nickname, type_id, province, city, county,
      address, kind, lifecycle, drop_sensor, secret_hash)
      select 5, 'C' || lpad(n::text, 6, '0'), 'c', 1, '440000', '440300', '440305', 'a', 'GENERAL',
        'OPERATING', true, 'x' from generate_series(1, 2000) n returning id),
    s as (insert into device_states (device_id, org_id, online) select id, 5, true from d)
    insert into sales_rollups (org_id, device_id, grain, at, orders, turnover)
    select 5, id, g, $1, 1, 100 from d, unnest('{HOUR,DAY,TOTAL}'::text[]) g`,
    [startOfDay('2026-11-21')],
  )
  await world.rows('analyze')
  const own = { all: false, orgs: [5], ancestors: [1], devices: null, watched: [] }
  for (const scope of [systemScope, own]) {
    const touched = await pagesTouched(world.app, scope, (ctx) =>
      (handlers.list as (ctx: Ctx, input: Input<typeof devices.list>) => Promise<unknown>)(
        ctx,
        devices.list.input.parse({}),
      ),
    )
    expect(touched).toBeLessThan(2000)
  }
})

describe('boards and SIM cards of others stay theirs', () => {
  const cupboard = (org: number, boardNo: string, iccid: string | null) =>
    world.rows('insert into main_boards (org_id, board_no, iccid) values ($1, $2, $3)', [
      org,
      boardNo,
      iccid,
    ])
  const held = (boardNo: string) =>
    world.one(`select org_id, iccid from main_boards where board_no = $1`, [boardNo])
  test.each([
    [people.operator, 5, 1],
    [people.repairer, 5, 2],
    [people.operator, 2, 3],
    [people.operator, 4, 4],
    [people.agent, 3, 5],
  ])(
    'user %i does not get the SIM of a board of organisation %i, with a new board or without one',
    async (user, org, n) => {
      const [boardNo, iccid] = [`KEPT-SIM-${n}`, `898604220100000010${n}`]
      await cupboard(org, boardNo, iccid)
      for (const board of [{ boardNo: `OTHER-BOARD-${n}` }, {}]) {
        const { status, body } = await create(user, `SIM000${n}`, { ...board, card: iccid })
        expect([status, body.message, body.errors?.[0].field]).toEqual([
          409,
          '该物联卡已绑定其他设备',
          'card',
        ])
      }
      expect(await held(boardNo)).toEqual({ org_id: org, iccid })
    },
  )
  test.each([
    [people.operator, 5, 1],
    [people.repairer, 2, 2],
    [people.operator, 1, 3],
  ])('user %i does not get a board of organisation %i by its number', async (user, org, n) => {
    await cupboard(org, `KEPT-BOARD-${n}`, null)
    const { status, body } = await create(user, `BRD000${n}`, { boardNo: `KEPT-BOARD-${n}` })
    expect([status, body.message, body.errors?.[0].field]).toEqual([
      409,
      '该主板已绑定其他设备',
      'boardNo',
    ])
    expect(await held(`KEPT-BOARD-${n}`)).toEqual({ org_id: org, iccid: null })
  })
  test('a board of the own cupboard goes in with its SIM, and a SIM goes over to another board', async () => {
    await cupboard(3, 'OWN-BOARD-1', '8986042201000000201')
    expect((await create(people.repairer, 'OWN0001', { boardNo: 'OWN-BOARD-1' })).status).toBe(200)
    await cupboard(3, 'OWN-BOARD-2', '8986042201000000202')
    expect(
      (
        await create(people.operator, 'OWN0002', {
          boardNo: 'OWN-BOARD-3',
          card: '8986042201000000202',
        })
      ).status,
    ).toBe(200)
    expect([(await held('OWN-BOARD-2')).iccid, (await held('OWN-BOARD-3')).iccid]).toEqual([
      null,
      '8986042201000000202',
    ])
    await cupboard(2, 'OWN-BOARD-4', '8986042201000000203')
    expect(
      (await create(people.agent, 'OWN0003', { orgId: 3, boardNo: 'OWN-BOARD-4' })).status,
    ).toBe(200)
    expect(await held('OWN-BOARD-4')).toEqual({ org_id: 3, iccid: '8986042201000000203' })
  })
  test('an edit writes down no SIM of others either', async () => {
    await cupboard(5, 'KEPT-SIM-9', '8986042201000000209')
    const { body: made } = await create(people.operator, 'SIM0009')
    const edit = {
      ...place,
      nickname: '新机',
      boardNo: null,
      storeId: null,
      lng: null,
      lat: null,
      dispensingMode: null,
      licenceNo: '',
      licenceAddress: '',
    }
    const flags = { autoRefund: true, businessHours: [], onlineMall: false, remark: '' }
    for (const boardNo of [null, 'OTHER-BOARD-9']) {
      const change = { ...edit, ...flags, version: 1, boardNo, card: '8986042201000000209' }
      const { status, body } = await world.send(
        people.operator,
        'PUT',
        `/devices/${made.id}`,
        change,
      )
      expect([status, body.message, body.errors?.[0].field]).toEqual([
        409,
        '该物联卡已绑定其他设备',
        'card',
      ])
    }
  })
})
