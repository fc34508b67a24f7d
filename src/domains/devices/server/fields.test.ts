import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { tellMoves } from './places.ts'
import { addDevice, openWorld, people, type World } from './testWorld.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
  await addDevice(world, 1, 3)
  await addDevice(world, 2, 3, { kind: 'DRUG' })
  await world.rows(`insert into roles (id, org_id, code, name, name_en, rank, data_scope) values
    (950, 1, 'ROLE_DRUG_REGULATOR', '药监', 'r', 1, 'REGION_DRUGS'),
    (951, 1, 'ROLE_BLIND', '药监二', 'r', 1, 'REGION_DRUGS')`)
  await world.rows(`insert into role_permissions values (950, 'device:read'), (950, 'lane:read')`)
  for (const [id, region, more] of [
    [950, '440300', { role: 950 }],
    [951, '440100', { role: 950 }],
    [952, '440000', { role: 950 }],
    [953, '440305', { role: 950, status: 'DISABLED' }],
    [954, '440300', { role: 951 }],
    [955, '110000', { role: 950 }],
    [956, '', { role: 950 }],
  ] as [number, string, { role: number; status?: string }][]) {
    await world.rows(
      `insert into users (id, org_id, username, password_hash, real_name, region_code, status)
        values ($1, 1, $2, 'x', $2, $3, $4)`,
      [id, `watch${id}`, region, more.status ?? 'ENABLED'],
    )
    await world.rows('insert into user_roles (user_id, role_id, org_id) values ($1, $2, 1)', [
      id,
      more.role,
    ])
  }
})
afterAll(() => world.close())
beforeEach(() => world.rows('delete from messages'))

const load = async (id: number) => (await world.send(people.operator, 'GET', `/devices/${id}`)).body
const keys =
  'version nickname typeId kind boardNo card storeId county address lng lat dispensingMode licenceNo licenceAddress dropSensor autoRefund businessHours onlineMall remark'
async function edit(id: number, change: Record<string, unknown>, user = people.operator) {
  const device = await load(id)
  return world.send(user, 'PUT', `/devices/${id}`, {
    ...Object.fromEntries(keys.split(' ').map((key) => [key, device[key]])),
    ...change,
  })
}
const night = { days: [6, 5], from: '18:00', to: '02:00' }
const workdays = { days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' }

describe('opening hours and the online mall', () => {
  test('a new machine follows its organisation and is in no mall', async () =>
    expect(await load(1)).toMatchObject({ businessHours: [], onlineMall: false }))
  test('created with them, one or many', async () => {
    const place = {
      typeId: 1,
      kind: 'GENERAL',
      county: '440305',
      address: '科苑路15号',
      dropSensor: true,
      onlineMall: true,
      businessHours: [workdays],
    }
    const one = await world.send(people.operator, 'POST', '/devices', {
      rtuNumber: 'HOUR0001',
      nickname: '新机',
      ...place,
    })
    expect(await load(one.body.id)).toMatchObject({ businessHours: [workdays], onlineMall: true })
    const many = await world.send(people.operator, 'POST', '/devices/batch-create', {
      start: 'HOUR1001',
      count: 2,
      namePrefix: '园',
      ...place,
    })
    for (const { id } of many.body.created)
      expect(await load(id)).toMatchObject({ businessHours: [workdays], onlineMall: true })
  })
  test('edited, in order, logged, and taken away again', async () => {
    const { status, body } = await edit(1, { businessHours: [night, workdays], onlineMall: true })
    const week = [workdays, { ...night, days: [5, 6] }]
    expect([status, body.businessHours, body.onlineMall]).toEqual([200, week, true])
    const log = await world.one<{ before: object; after: object }>(
      `select before, after from operation_logs where action = 'devices.update' order by id desc
        limit 1`,
    )
    expect([log.before, log.after]).toMatchObject([
      { businessHours: [], onlineMall: false },
      { businessHours: week, onlineMall: true },
    ])
    expect((await edit(1, { businessHours: [], onlineMall: false })).body).toMatchObject({
      businessHours: [],
      onlineMall: false,
    })
  })
  test.each([
    [[{ ...night, from: '25:00' }], 'businessHours.0.from', '时间格式为 HH:mm'],
    [[{ ...night, to: '18:00' }], 'businessHours.0.to', '开始和结束不能相同'],
    [[{ ...night, days: [] }], 'businessHours.0.days', '请选择星期'],
    [[workdays, { days: [3], from: '17:59', to: '20:00' }], 'businessHours', '周三的时段重叠'],
    [
      ['06:00', '07:00', '08:00', '09:00'].map((from) => ({
        days: [7],
        from,
        to: from.replace(':00', ':30'),
      })),
      'businessHours',
      '周日最多3个时段',
    ],
    ['always', 'businessHours'],
  ])('%o is refused at %s', async (businessHours, field, message = '格式不正确') => {
    const { status, body } = await edit(1, { businessHours })
    expect([status, body.errors[0]]).toEqual([400, { field, message }])
    expect((await load(1)).businessHours).toEqual([])
  })
  test('what a repairer sends back unchanged is no change of his', async () => {
    await edit(1, { businessHours: [workdays], onlineMall: true })
    await world.rows(
      `insert into device_assignments (org_id, device_id, user_id, kind)
        values (3, 1, 907, 'REPAIRER')`,
    )
    expect((await edit(1, { address: '科苑路16号' }, people.repairer)).status).toBe(200)
    const refused = await edit(1, { businessHours: [night], onlineMall: false }, people.repairer)
    expect([refused.status, refused.body.errors.map((e: { field: string }) => e.field)]).toEqual([
      403,
      ['businessHours', 'onlineMall'],
    ])
  })
})

describe('a machine that moves', () => {
  const told = () =>
    world.rows<{ user_id: number; link: string }>(
      'select user_id::int, title_zh, body_zh, body_en, link from messages order by user_id',
    )
  const waiting = () => world.rows('select 1 from device_moves where told_at is null')
  test('its timeline keeps both addresses; of an ordinary one nobody is told', async () => {
    await edit(1, { address: '高新南路1号' })
    const { body } = await world.send(people.operator, 'GET', '/devices/1/timeline?group=OWNER')
    expect(body.list[0]).toMatchObject({
      kind: 'PLACE_CHANGED',
      by: '员工3',
      data: {
        oldAddress: '广东省 深圳市 南山区 科苑路16号',
        newAddress: '广东省 深圳市 南山区 高新南路1号',
      },
    })
    expect(await waiting()).toEqual([])
    expect(await tellMoves(world.app)).toBe(0)
  })
  test('of a drug machine the regulators of both regions hear once', async () => {
    const moved = await edit(2, {
      county: '440106',
      address: '天河路1号',
      licenceAddress: '广州市天河区天河路1号',
    })
    expect([moved.status, moved.body.lifecycle, (await waiting()).length]).toEqual([
      200,
      'OPERATING',
      1,
    ])
    expect(await tellMoves(world.app)).toBe(1)
    expect(await tellMoves(world.app)).toBe(0)
    const messages = await told()
    // 950 watches over Shenzhen, which it left; 951 over Guangzhou; 952 over the province, so over
    // both
    expect(messages.map((message) => [message.user_id, message.link])).toEqual([
      [950, ''],
      [951, '/device/device-list?detail=2'],
      [952, '/device/device-list?detail=2'],
    ])
    expect(messages[0]).toMatchObject({
      title_zh: '售药机 HD000002 地址变更',
      body_zh:
        '机器2 (机构3)：由「广东省 深圳市 南山区 科苑路15号」变更为「广东省 广州市 天河区 天河路1号」',
      body_en: expect.stringContaining('from “广东省 深圳市'),
    })
  })
  test('another house of the same county is told too; another pin on the map is not', async () => {
    await edit(2, { lng: 113.33, lat: 23.13 })
    expect(await waiting()).toEqual([])
    await edit(2, { address: '天河路2号' })
    await tellMoves(world.app)
    expect((await told()).map((message) => message.user_id)).toEqual([951, 952])
  })
  test('a refused edit tells nobody', async () => {
    const { status } = await edit(2, { address: '天河路3号', version: 1 })
    expect([status, await waiting()]).toEqual([409, []])
  })
  test('two workers tell it once', async () => {
    await edit(2, { address: '天河路9号' })
    await Promise.all([tellMoves(world.app), tellMoves(world.app)])
    expect((await told()).map((message) => message.user_id)).toEqual([951, 952])
  })
})

test('a regulator sees what was changed on a machine, not by whom', async () => {
  await world.send(people.operator, 'POST', '/devices/2/lanes', {
    version: 0,
    levels: [{ name: '药', columns: 2 }],
  })
  await edit(2, { address: '天河路18号' })
  await world.rows(`insert into price_schedules (org_id, device_id, user_id, by_name, run_at, lanes,
    state, created_at, ended_at, ended_by)
    values (3, 2, 903, 'test3', now(),
      '[{"laneId":1,"road":1,"productId":1,"productName":"药","from":100,"price":100,"retailPrice":100}]', 'CANCELLED', now(), now(), 'test3')`)
  const watcher = await world.login('watch952')
  const paths = ['/planogram-versions', '/price-schedules', '/timeline?group=OWNER'].map(
    (path) => `/api/devices/2${path}`,
  )
  const seen = async (authorization: string) => {
    const answers = await Promise.all(
      paths.map((url) => world.http.inject({ url, headers: { authorization } })),
    )
    return answers.map((answer) =>
      answer.json().list.map((row: { byName?: string; by?: string }) => row.byName ?? row.by),
    )
  }
  expect(await seen(await world.login('test3'))).toEqual([
    ['test3'],
    ['test3'],
    expect.arrayContaining(['员工3']),
  ])
  expect((await seen(watcher)).map((names) => new Set(names))).toEqual([
    new Set(['']),
    new Set(),
    new Set(['']),
  ])
})
