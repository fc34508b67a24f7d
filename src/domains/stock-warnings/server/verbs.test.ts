import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { add, addPermissions, grant } from '../../../../test/factories/things.ts'
import { bySystem } from '../../../server/run.ts'
import { addDevice, openWorld, people, type World } from '../../products/server/testWorld.ts'
import { moveStock } from '../../stock/server/move.ts'
import { sweepWarnings } from './tell.ts'

const codes = ['read', 'update', 'export'].map((action) => `stock-warning:${action}`)
const money = ['dashboard:read', 'dashboard:money']
const noon = new Date('2026-11-21T06:00:00Z')
let now = noon
let world: World
beforeAll(async () => {
  world = await openWorld()
  Object.assign(world.app, { now: () => now })
  await addPermissions(world.sql, [...codes, ...money])
  await grant(world.sql, [901, 902, 903, 904, 905, 908], codes)
  await grant(world.sql, [903], money)
  await add(world.sql, 'product_categories', { id: 1, org_id: 1 })
  for (const id of [4, 5]) await add(world.sql, 'products', { id, org_id: 1 })
  for (const [id, org] of [
    [21, 3],
    [22, 3],
    [31, 4],
    [51, 5],
  ] as const) {
    await addDevice(world, id, org)
    await add(world.sql, 'device_states', { device_id: id, org_id: org, online: true })
  }
})
afterAll(() => world.close())

let lane: number
/** Lanes of machine 21: one with six of ten, low at two. */
beforeEach(async () => {
  now = noon
  await world.sql('delete from stock_warning_calls')
  await world.sql('delete from messages')
  await world.sql('delete from device_assignments')
  await world.sql(`update lanes set archived_at = now() where archived_at is null`)
  lane = await addLane(21, 3, 1)
})
const addLane = (device: number, org: number, road: number, quantity = 6, product = 5) =>
  add(world.sql, 'lanes', {
    org_id: org,
    device_id: device,
    floor_id: device,
    road_index: road,
    product_id: product,
    quantity,
    warn_qty: 2,
    retail_price: 300,
    price: 300,
  })
const open = async (id = lane) =>
  (
    await world.rows<{ kind: string }>(
      `select kind from stock_warnings where lane_id = $1 and closed_at is null order by kind`,
      [id],
    )
  ).map(({ kind }) => kind)
const set = (change: string, id = lane) =>
  world.rows(`update lanes set ${change} where id = $1`, [id])
const list = async (query = '', user = people.operator) =>
  (await world.send(user, 'GET', `/stock-warnings?${query}`)).body
/** As if it had begun so many minutes ago. */
const began = (minutes: number, id = lane) =>
  world.rows(`update stock_warnings set opened_at = $2 where lane_id = $1 and closed_at is null`, [
    id,
    new Date(now.getTime() - minutes * 60_000),
  ])
const messages = () =>
  world.rows<{ user_id: number; title_zh: string; title_en: string; link: string }>(
    `select user_id, title_zh, title_en, link from messages where kind = 'STOCK' order by id`,
  )
const replenisher = (device: number, user: number, org = 3) =>
  add(world.sql, 'device_assignments', {
    org_id: org,
    device_id: device,
    user_id: 900 + user,
    kind: 'REPLENISHER',
  })

describe('a warning opens and closes with its lane', () => {
  test.each([
    ['quantity = 3', []],
    ['quantity = 2', ['LOW']],
    ['reserved = 4', ['LOW']],
    ['reserved = 6', ['SOLD_OUT']],
    ['quantity = 0', ['SOLD_OUT']],
    ['quantity = 0, warn_qty = 0', ['SOLD_OUT']],
    ['failed_hold = 1', ['COUNT']],
    ['failed_hold = 4', ['COUNT', 'LOW']],
    ['warn_qty = 6', ['LOW']],
    [`quantity = 0, status = 'DISABLED'`, []],
    [`failed_hold = 6, status = 'LOCKED', lock_reason = 'COUNT_NEEDED'`, ['COUNT']],
    ['quantity = 0, product_id = null', []],
    ['quantity = 0, archived_at = now()', []],
  ] as const)('%s', async (change, kinds) => {
    await set(change)
    expect(await open()).toEqual(kinds)
    await set(
      `quantity = 6, reserved = 0, failed_hold = 0, warn_qty = 2, status = 'ENABLED',
        archived_at = null, product_id = 5`,
    )
    expect(await open()).toEqual([])
  })

  test('one of a kind, however often the lane changes; sold out after low', async () => {
    for (const quantity of [2, 1, 2, 1]) await set(`quantity = ${quantity}`)
    const [{ n } = { n: 0 }] = await world.rows<{ n: number }>(
      'select count(*)::int as n from stock_warnings where lane_id = $1',
      [lane],
    )
    expect([n, await open()]).toEqual([1, ['LOW']])
    await set('quantity = 0')
    expect(await open()).toEqual(['SOLD_OUT'])
  })

  test('what moves stock moves it: a sale, a refill, a count', async () => {
    const move = (change: number, failedHold = 0) =>
      bySystem(world.app, (ctx) =>
        moveStock(ctx, [
          {
            laneId: lane,
            failedHold,
            ...(change
              ? {
                  flow: {
                    change,
                    type:
                      change > 0 ? ('MERCHANT_REPLENISH' as const) : ('MERCHANT_WITHDRAW' as const),
                    reason: change > 0 ? 'REFILL' : 'TAKE_BACK',
                    occurredAt: now,
                    actorKind: 'USER' as const,
                  },
                }
              : {}),
          },
        ]),
      )
    await move(-4)
    expect(await open()).toEqual(['LOW'])
    await move(0, 1)
    expect(await open()).toEqual(['COUNT', 'LOW'])
    await move(8, -1)
    expect(await open()).toEqual([])
  })

  test('a lane that begins short, and one of many at once', async () => {
    const others = [await addLane(21, 3, 2, 0), await addLane(21, 3, 3, 2)]
    expect(await Promise.all(others.map(open))).toEqual([['SOLD_OUT'], ['LOW']])
    await world.rows('update lanes set quantity = 1 where archived_at is null and device_id = 21')
    expect(await Promise.all([lane, ...others].map(open))).toEqual([['LOW'], ['LOW'], ['LOW']])
  })

  test('an act that fails leaves no warning', async () => {
    await expect(set('quantity = 0, reserved = 1')).rejects.toThrow()
    expect(await open()).toEqual([])
  })
})

describe('the list', () => {
  test('kinds, filters, order and what it says of a lane', async () => {
    const empty = await addLane(22, 3, 7, 0, 4)
    await set('quantity = 3, reserved = 1, failed_hold = 1')
    await began(60)
    await began(26 * 60, empty)
    await replenisher(22, 8)
    expect(
      (await list()).list.map((row: { laneId: number; kind: string }) => [row.laneId, row.kind]),
    ).toEqual([
      [empty, 'SOLD_OUT'],
      [lane, 'LOW'],
      [lane, 'COUNT'],
    ])
    expect((await list('kind=LOW')).list).toMatchObject([
      {
        deviceId: 21,
        roadIndex: 1,
        quantity: 3,
        reserved: 1,
        failedHold: 1,
        sellable: 1,
        roadCapacity: 10,
        warnQty: 2,
        openTime: '2026-11-21T05:00:00.000Z',
        lossPerDay: null,
        replenishers: [],
      },
    ])
    for (const [query, n] of [
      ['deviceId=22', 1],
      ['productId=4', 1],
      ['lasting=h4', 1],
      ['lasting=d3', 0],
      ['region=440300', 3],
      ['region=110000', 0],
      ['userId=908', 1],
      ['categoryId=987654', 0],
    ] as const)
      expect([query, (await list(query)).total]).toEqual([query, n])
    const { body } = await world.send(people.operator, 'GET', '/stock-warnings/stats')
    expect(body).toEqual({ all: 3, soldOut: 1, low: 1, count: 1 })
  })

  test('a day of loss is what was sold before it ran short', async () => {
    await addLane(21, 3, 2, 9)
    await set('quantity = 0')
    await began(6 * 24 * 60)
    const sold = (day: string, turnover: number) =>
      add(world.sql, 'product_rollups', { org_id: 3, device_id: 21, product_id: 5, day, turnover })
    await sold('2026-11-11', 3000)
    await sold('2026-11-14', 1000)
    // of this day nothing is known: it ran short then; nor of a year ago
    await sold('2026-11-15', 99_900)
    await sold('2025-11-15', 99_900)
    // 4,000 in four days, two lanes
    expect((await list('kind=SOLD_OUT')).list).toMatchObject([{ lossPerDay: 500 }])
    expect((await list('kind=SOLD_OUT', people.agent)).list).toMatchObject([{ lossPerDay: null }])
    await world.sql('delete from product_rollups')
  })

  test('machines that are not in use, other organisations', async () => {
    await set('quantity = 0')
    const foreign = await addLane(31, 4, 1, 0)
    expect((await list('', people.sibling)).list).toMatchObject([{ laneId: foreign }])
    expect((await list('deviceId=31')).total).toBe(0)
    expect((await list('', people.agent)).total).toBe(2)
    expect((await list('', people.reader)).code).toBe(403001)
    await world.rows(`update devices set lifecycle = 'STOCK' where id = 21`)
    expect((await list()).total).toBe(0)
    await world.rows(`update devices set lifecycle = 'OPERATING' where id = 21`)
  })
})

describe('thresholds', () => {
  const put = (laneIds: number[], warnQty: unknown, user = people.operator) =>
    world.send(user, 'PUT', '/stock-warnings/thresholds', { laneIds, warnQty })
  const level = async (id = lane) =>
    (await world.rows<{ n: number }>('select warn_qty as n from lanes where id = $1', [id]))[0]?.n

  test('several machines; each keeps a version, the log names both', async () => {
    const other = await addLane(22, 3, 1)
    const versions = () =>
      world.rows<{ v: number }>(
        'select planogram_version as v from devices where id in (21, 22) order by id',
      )
    const before = await versions()
    expect(await put([lane, other], 6)).toMatchObject({ status: 200, body: { lanes: 2 } })
    expect([await level(), await level(other)]).toEqual([6, 6])
    expect(await versions()).toEqual(before.map(({ v }) => ({ v: v + 1 })))
    expect([await open(), await open(other)]).toEqual([['LOW'], ['LOW']])
    // the same again is no change
    await put([lane, other], 6)
    expect(await versions()).toEqual(before.map(({ v }) => ({ v: v + 1 })))
    const log = await world.rows<{ resource_id: string }>(
      `select resource_id from operation_logs where action = 'stockWarnings.thresholds' order by 1`,
    )
    expect(log.map((row) => row.resource_id)).toEqual(['21', '22'])
  })

  test.each([
    ['over the smallest capacity', 11, '库存预警值不能大于货道容量'],
    ['below zero', -1, '库存预警值须为0-199'],
    ['half a piece', 1.5, '库存预警值须为0-199'],
    ['nothing', undefined, '库存预警值须为0-199'],
  ])('%s is refused, and nothing is changed', async (_, warnQty, message) => {
    const { status, body } = await put([lane], warnQty)
    expect([status, body.errors[0]]).toMatchObject([400, { field: 'warnQty', message }])
    expect(await level()).toBe(2)
  })

  test('a foreign, a gone and a doubled lane', async () => {
    const foreign = await addLane(31, 4, 1)
    expect((await put([lane, foreign], 6)).status).toBe(404)
    expect((await put([lane, 987_654_321], 6)).status).toBe(404)
    expect((await put([lane, lane], 6)).status).toBe(400)
    await set('archived_at = now()')
    expect((await put([lane], 6)).status).toBe(404)
    expect([await level(), await level(foreign)]).toEqual([2, 2])
  })
})

describe('messages', () => {
  const notify = async (deviceIds: number[], user = people.operator) =>
    (await world.send(user, 'POST', '/stock-warnings/notify', { deviceIds })).body

  test('to replenishers, once in four hours, also when two ask at once', async () => {
    await set('quantity = 0')
    await addLane(21, 3, 2, 1)
    await replenisher(21, 8)
    const answers = await Promise.all([notify([21]), notify([21]), notify([21])])
    expect(answers.map(({ done }) => done).sort()).toEqual([0, 0, 1])
    expect(await messages()).toEqual([
      {
        user_id: 908,
        title_zh: '机器21：1 个货道售罄，1 个货道库存预警',
        title_en: '机器21: 1 lanes sold out, 1 lanes low',
        link: '/device/device-list/cargo-road/21',
      },
    ])
    const told = (hours: number) =>
      world.rows('update stock_warning_calls set told_at = $1', [
        new Date(now.getTime() - hours * 3_600_000),
      ])
    await told(3.9)
    expect(await notify([21])).toMatchObject({
      skipped: 1,
      results: [{ id: 21, rtuNumber: 'HD000021', ok: false, reason: '近期已通知过' }],
    })
    await told(4)
    expect(await notify([21])).toMatchObject({ done: 1, skipped: 0 })
  })

  test('without a replenisher, without a warning, of others', async () => {
    await set('quantity = 0')
    expect(await notify([21, 22])).toMatchObject({
      done: 0,
      results: [
        { id: 21, reason: '没有补货员' },
        { id: 22, reason: '已没有预警' },
      ],
    })
    expect((await notify([21, 31])).code).toBe(404001)
    expect(await messages()).toEqual([])
  })

  test('the sweep tells of what is new, in business hours, four hours apart', async () => {
    await replenisher(21, 8)
    await set('quantity = 0')
    await began(3)
    await sweepWarnings(world.app)
    // an order that is not paid gives its pieces back
    expect(await messages()).toEqual([])
    await began(10)
    await sweepWarnings(world.app)
    await sweepWarnings(world.app)
    expect(await messages()).toMatchObject([{ user_id: 908 }])
    // nothing new: no word, however long ago
    now = new Date(noon.getTime() + 5 * 3_600_000)
    await sweepWarnings(world.app)
    expect(await messages()).toHaveLength(1)
    const other = await addLane(21, 3, 2, 0)
    await began(10, other)
    // 03:00 in Shanghai
    now = new Date('2026-11-21T19:00:00Z')
    await sweepWarnings(world.app)
    expect(await messages()).toHaveLength(1)
    now = new Date('2026-11-22T02:00:00Z')
    await Promise.all([sweepWarnings(world.app), sweepWarnings(world.app)])
    expect(await messages()).toHaveLength(2)
  })

  test('a machine without a replenisher is told to who may set its levels', async () => {
    await set('quantity = 0')
    await began(10)
    await sweepWarnings(world.app)
    expect((await messages()).map(({ user_id }) => user_id)).toContain(903)
  })
})
