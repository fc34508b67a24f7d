import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemScope } from '../../../server/database.ts'
import { addDevice, openWorld, people, type World } from '../../devices/server/testWorld.ts'
import { refreshDeviceCounters } from '../../machines/server/counters.ts'

let world: World
let next = 100
/**
 * Each test gets its own machine of operator 3: two levels of five lanes, 01 with five pieces of
 * product 1.
 */
let id: number
let version: number
type Road = {
  id: number
  roadIndex: number
  view: string
  status: string
  productId: number | null
  [key: string]: unknown
}

beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const plan = async (device = id, user = people.operator) =>
  (await world.send(user, 'GET', `/devices/${device}/lanes`)).body
const roads = (body: { floors: { roads: Road[] }[] }) =>
  new Map(body.floors.flatMap((floor) => floor.roads).map((road) => [road.roadIndex, road]))
const laneId = async (road: number) =>
  (
    await world.one<{ id: string }>(
      'select id from lanes where device_id = $1 and road_index = $2 and archived_at is null',
      [id, road],
    )
  ).id
const put = async (road: number, patch: Record<string, unknown>, user = people.operator) =>
  world.send(user, 'PUT', `/devices/${id}/lanes`, {
    version,
    lanes: [{ id: Number(await laneId(road)), ...patch }],
  })
const logs = () =>
  world.one<{ n: number }>('select count(*)::int as n from operation_logs').then((row) => row.n)

async function machine(more: Parameters<typeof addDevice>[3] = {}) {
  next += 1
  id = next
  await addDevice(world, id, 3, more)
  const made = await world.send(people.operator, 'POST', `/devices/${id}/lanes`, {
    version: 0,
    levels: [
      { name: '饮料', columns: 5 },
      { columns: 5, roadCapacity: 6 },
    ],
  })
  expect([made.status, made.body.message]).toEqual([200, undefined])
  version = 1
}
const stock = (road: number, quantity: number, more = '') =>
  world.rows(
    `update lanes set product_id = 1, retail_price = 300, price = 300, warn_qty = 2,
      quantity = $3 ${more} where device_id = $1 and road_index = $2 and archived_at is null`,
    [id, road, quantity],
  )
beforeEach(async () => {
  await machine()
  await stock(1, 5)
})

describe('plan', () => {
  test('levels, lanes, states and totals', async () => {
    await stock(2, 1)
    await stock(3, 0)
    await stock(4, 4, `, status = 'FAULT'`)
    const body = await plan()
    expect(
      body.floors.map((f: { level: number; name: string; roads: Road[] }) => [
        f.level,
        f.name,
        f.roads.map((r) => r.roadIndex),
      ]),
    ).toEqual([
      [1, '饮料', [1, 2, 3, 4, 5]],
      [2, '第2层', [11, 12, 13, 14, 15]],
    ])
    expect([1, 2, 3, 4, 5].map((road) => roads(body).get(road)?.view)).toEqual([
      'normal',
      'low',
      'soldOut',
      'fault',
      'empty',
    ])
    expect(body).toMatchObject({
      version: 1,
      totals: {
        lanes: 10,
        enabled: 9,
        soldOut: 1,
        low: 1,
        fault: 1,
        free: 6,
        stock: 10,
        capacity: 32,
      },
      can: {
        update: true,
        price: true,
        merge: true,
        rebuild: true,
        copy: true,
        lock: true,
        clearFault: true,
      },
    })
  })
  test('cost only with product:cost; buttons follow permissions', async () => {
    expect(roads(await plan()).get(1)?.costPrice).toBe(100)
    const read = await plan(id, people.reader)
    expect([roads(read).get(1)?.costPrice, read.can]).toEqual([
      null,
      {
        update: false,
        price: false,
        merge: false,
        rebuild: false,
        copy: false,
        lock: false,
        clearFault: false,
      },
    ])
  })
  test.each([people.sibling, people.stranger, people.replenisher, people.repairer])(
    'user %i: like a missing machine',
    async (user) => {
      const [foreign, missing] = [
        await world.send(user, 'GET', `/devices/${id}/lanes`),
        await world.send(user, 'GET', '/devices/999999/lanes'),
      ]
      expect([foreign.status, foreign.body.code, foreign.body.message]).toEqual([
        404,
        missing.body.code,
        missing.body.message,
      ])
      if (user === people.sibling) expect((await put(1, { price: 200 }, user)).status).toBe(404)
    },
  )
})

describe('create', () => {
  test('once only, within the type', async () => {
    expect(
      (
        await world.send(people.operator, 'POST', `/devices/${id}/lanes`, {
          version,
          levels: [{ columns: 1 }],
        })
      ).body.error,
    ).toBe('lanes.hasLanes')
    next += 1
    await addDevice(world, next, 3)
    const wide = await world.send(people.operator, 'POST', `/devices/${next}/lanes`, {
      version: 0,
      levels: [{ columns: 11 }],
    })
    expect([wide.status, wide.body.message]).toEqual([400, '每层最多10个货道'])
    const high = await world.send(people.operator, 'POST', `/devices/${next}/lanes`, {
      version: 0,
      levels: Array.from({ length: 7 }, () => ({ columns: 1 })),
    })
    expect([high.status, high.body.message]).toEqual([400, '最多6层货道'])
  })
  test('a drawing twice at once: one wins', async () => {
    next += 1
    await addDevice(world, next, 3)
    const answers = await Promise.all(
      [1, 2, 3].map(() =>
        world.send(people.operator, 'POST', `/devices/${next}/lanes`, {
          version: 0,
          levels: [{ columns: 3 }],
        }),
      ),
    )
    expect(answers.map((a) => a.status).sort()).toEqual([200, 409, 409])
    expect(
      (
        await world.one<{ n: number }>(
          'select count(*)::int as n from lanes where device_id = $1',
          [next],
        )
      ).n,
    ).toBe(3)
  })
})

describe('update', () => {
  test('writes values, version, counters, one log row', async () => {
    const before = await logs()
    const { status, body } = await put(2, {
      productId: 2,
      roadCapacity: 10,
      price: 250,
      restriction: 2,
    })
    expect([status, body.version, (await logs()) - before]).toEqual([200, 2, 1])
    expect(roads(body).get(2)).toMatchObject({
      productId: 2,
      roadCapacity: 10,
      retailPrice: 300,
      price: 250,
      restriction: 2,
      warnQty: 2,
      view: 'soldOut',
    })
    expect(
      await world.one(
        'select lanes_total, lanes_sold_out, lanes_low, lanes_free, stock, capacity from device_states where device_id = $1',
        [id],
      ),
    ).toEqual({
      lanes_total: 10,
      lanes_sold_out: 1,
      lanes_low: 0,
      lanes_free: 8,
      stock: 5,
      capacity: 18,
    })
  })
  test.each([
    [1, { productId: 2 }, 422, '请先清空该货道库存再更换商品', 'productId'],
    [1, { productId: null }, 422, '请先清空该货道库存再更换商品', 'productId'],
    [1, { roadCapacity: 4 }, 400, '货道容量不能小于当前库存', 'roadCapacity'],
    [1, { roadCapacity: 0 }, 400, '货道容量不能小于当前库存', 'roadCapacity'],
    [1, { price: 301 }, 422, '售价不能高于零售价', 'price'],
    [1, { price: 99 }, 422, '售价不能低于成本价', 'price'],
    [1, { retailPrice: 99, price: 99 }, 422, '零售价不能低于成本价', 'retailPrice'],
    [1, { price: 0 }, 400, '价格不能为空或为零', 'price'],
    [1, { price: null }, 400, '价格不能为空或为零', 'price'],
    [1, { restriction: null }, 400, '限购数量不能为空', 'restriction'],
    [1, { restriction: -1 }, 400, '限购数量超出范围', 'restriction'],
    [1, { restriction: 1.5 }, 400, '限购数量超出范围', 'restriction'],
    [1, { roadCapacity: 200 }, 400, '货道容量须为0-199', 'roadCapacity'],
    [1, { roadCapacity: -1 }, 400, '货道容量须为0-199', 'roadCapacity'],
    [1, { warnQty: 9 }, 400, '库存预警值不能大于货道容量', 'warnQty'],
    [2, { productId: [1, 2] }, 400, '只能添加一个商品', 'productId'],
    [2, { productId: 3 }, 422, '该设备不允许销售此类药品：乙类非处方药', 'productId'],
    [2, { productId: 4 }, 422, '该药品不可在自动售货机销售', 'productId'],
    [2, { productId: 5 }, 422, '该药品不可在自动售货机销售', 'productId'],
    [2, { productId: 7 }, 422, '该商品已下架', 'productId'],
    [2, { motorNo: 1 }, 422, '电机号重复', 'motorNo'],
  ])('lane %i with %o: %i %s', async (road, patch, status, message, field) => {
    const before = await plan()
    const answer = await put(road, patch)
    expect([answer.status, answer.body.message]).toEqual([status, message])
    expect(answer.body.errors[0].field.endsWith(field)).toBe(true)
    expect(await plan()).toEqual(before)
  })
  test.each([6, 8, 99999])('product %i of others or missing is 404', async (productId) =>
    expect((await put(2, { productId })).status).toBe(404),
  )
  test('all or nothing', async () => {
    const ids = [Number(await laneId(2)), Number(await laneId(3))]
    const answer = await world.send(people.operator, 'PUT', `/devices/${id}/lanes`, {
      version,
      lanes: [
        { id: ids[0], productId: 1 },
        { id: ids[1], productId: 3 },
      ],
    })
    expect([
      answer.status,
      answer.body.errors[0].field,
      (await plan()).version,
      roads(await plan()).get(2)?.productId,
    ]).toEqual([422, 'lanes.1.productId', 1, null])
  })
  test('a lane twice is two products', async () => {
    const lane = Number(await laneId(2))
    const answer = await world.send(people.operator, 'PUT', `/devices/${id}/lanes`, {
      version,
      lanes: [
        { id: lane, productId: 1 },
        { id: lane, productId: 2 },
      ],
    })
    expect([answer.status, answer.body.message]).toEqual([400, '只能添加一个商品'])
  })
  test('a lane of another machine is 404', async () => {
    const foreign = Number(await laneId(1))
    await machine()
    expect(
      (
        await world.send(people.operator, 'PUT', `/devices/${id}/lanes`, {
          version,
          lanes: [{ id: foreign, price: 200 }],
        })
      ).status,
    ).toBe(404)
  })
  test('a stale version is 409', async () => {
    expect((await put(1, { price: 200 })).status).toBe(200)
    const again = await put(1, { price: 250 })
    expect([again.status, again.body.code, roads(await plan()).get(1)?.price]).toEqual([
      409, 409001, 200,
    ])
  })
  test('two at once: one wins', async () => {
    const answers = await Promise.all([200, 210, 220, 230].map((price) => put(1, { price })))
    expect(answers.map((a) => a.status).sort()).toEqual([200, 409, 409, 409])
    expect((await plan()).version).toBe(2)
  })
  test('only with lane:update', async () =>
    expect((await put(1, { price: 200 }, people.reader)).body.code).toBe(403001))
  test('a scrapped machine stays as it is', async () => {
    await world.rows(`update devices set lifecycle = 'SCRAPPED', board_no = null where id = $1`, [
      id,
    ])
    expect((await put(1, { price: 200 })).body.error).toBe('lanes.closed')
  })
  test('drug machines by mode', async () => {
    await machine({ kind: 'DRUG', mode: 'PHARMACIST' })
    expect([
      (await put(1, { productId: 4 })).status,
      (
        await world.send(people.operator, 'PUT', `/devices/${id}/lanes`, {
          version: 2,
          lanes: [{ id: Number(await laneId(2)), productId: 5 }],
        })
      ).body.error,
    ]).toEqual([200, 'drugGuard.rxRefused'])
    expect(
      await world.rows(
        `select key, rule, act, times, user_id::int as user from drug_guard_refusals
        where device_id = $1`,
        [id],
      ),
    ).toEqual([{ key: 'rxRefused', rule: 2, act: 'PLACE', times: 1, user: 900 + people.operator }])
  })
})

describe('merge and split', () => {
  const merge = async (main: number, secondaries: number[], at = version) =>
    world.send(people.operator, 'POST', `/devices/${id}/lanes/merge`, {
      version: at,
      mainId: Number(await laneId(main)),
      secondaryIds: await Promise.all(secondaries.map(async (road) => Number(await laneId(road)))),
    })
  const split = async (main: number, at: number, more = {}) =>
    world.send(people.operator, 'POST', `/devices/${id}/lanes/split`, {
      version: at,
      mainId: Number(await laneId(main)),
      ...more,
    })
  test('and back', async () => {
    await stock(2, 0)
    const joined = await merge(1, [2, 3])
    expect(joined.status).toBe(200)
    expect(roads(joined.body).get(1)).toMatchObject({ merged: [2, 3], view: 'normal' })
    expect(roads(joined.body).get(2)).toMatchObject({
      status: 'MERGED',
      productId: null,
      price: null,
    })
    expect(
      await world.one('select lanes_total, lanes_free from device_states where device_id = $1', [
        id,
      ]),
    ).toEqual({ lanes_total: 8, lanes_free: 7 })
    const wider = await merge(1, [4], 2)
    expect(wider.status).toBe(200)
    expect((await split(1, 3, { roadCapacity: 4 })).body.message).toBe('货道容量不能小于当前库存')
    const apart = await split(1, 3, { roadCapacity: 5 })
    expect(apart.status).toBe(200)
    expect(roads(apart.body).get(1)).toMatchObject({ merged: [], roadCapacity: 5 })
    expect([2, 3, 4].map((road) => roads(apart.body).get(road)?.status)).toEqual([
      'DISABLED',
      'DISABLED',
      'DISABLED',
    ])
    expect((await split(1, 4)).body.message).toBe('该货道未合并')
  })
  test('refusals', async () => {
    await stock(2, 3)
    expect([(await merge(1, [2])).status, (await merge(1, [2])).body.message]).toEqual([
      422,
      '副货道库存必须为0',
    ])
    await stock(2, 3, ', reserved = 1')
    expect((await merge(1, [2])).body.message).toBe('副货道存在未完成出货')
    expect((await merge(1, [3])).body.message).toBe('只能合并同层相邻的货道')
    expect((await merge(5, [11])).body.message).toBe('只能合并同层相邻的货道')
    const none = await world.send(people.operator, 'POST', `/devices/${id}/lanes/merge`, {
      version,
      mainId: Number(await laneId(1)),
      secondaryIds: [],
    })
    expect([none.status, none.body.message]).toEqual([400, '请选择货道'])
    expect(
      (await world.send(people.operator, 'POST', `/devices/${id}/lanes/merge`, { version })).body
        .message,
    ).toBe('请选择货道')
    expect((await merge(3, [4])).status).toBe(200)
    expect((await merge(2, [3], 2)).body.message).toBe('该货道已合并')
    expect((await put(4, { price: 200 })).status).toBe(409)
    version = 2
    expect((await put(4, { roadCapacity: 3 })).body.message).toBe('副货道不能单独设置')
  })
  test('two merges of the same lane at once: one wins', async () => {
    const answers = await Promise.all([merge(2, [3]), merge(3, [4]), merge(2, [3])])
    expect(answers.map((a) => a.status).sort()).toEqual([200, 409, 409])
    expect(
      (
        await world.one<{ n: number }>(
          `select count(*)::int as n from lanes where device_id = $1 and status = 'MERGED'`,
          [id],
        )
      ).n,
    ).toBe(1)
  })
})

describe('rebuild', () => {
  const rebuild = (more: Record<string, unknown> = {}) =>
    world.send(people.operator, 'POST', `/devices/${id}/lanes/rebuild`, {
      version,
      confirmNumber: `HD${String(id).padStart(6, '0')}`,
      levels: [{ columns: 3 }],
      ...more,
    })
  test('withdraws the stock, archives the lanes, draws new ones', async () => {
    await stock(2, 2)
    const old = Number(await laneId(1))
    const { status, body } = await rebuild()
    expect([status, body.version, body.totals]).toEqual([
      200,
      2,
      { lanes: 3, enabled: 3, soldOut: 0, low: 0, fault: 0, free: 3, stock: 0, capacity: 0 },
    ])
    expect(
      await world.rows(
        `select cargo_road, type, reason, before_total, change_total, after_total from stock_flows
          where device_id = $1 order by cargo_road`,
        [id],
      ),
    ).toEqual([
      {
        cargo_road: 1,
        type: 'MERCHANT_WITHDRAW',
        reason: 'LANE_RESET',
        before_total: 5,
        change_total: -5,
        after_total: 0,
      },
      {
        cargo_road: 2,
        type: 'MERCHANT_WITHDRAW',
        reason: 'LANE_RESET',
        before_total: 2,
        change_total: -2,
        after_total: 0,
      },
    ])
    expect(
      await world.one<{ quantity: number; gone: boolean }>(
        'select quantity, archived_at is not null as gone from lanes where id = $1',
        [old],
      ),
    ).toEqual({
      quantity: 0,
      gone: true,
    })
    expect(
      await world.one('select stock, lanes_total from device_states where device_id = $1', [id]),
    ).toEqual({ stock: 0, lanes_total: 3 })
  })
  test.each([
    [{ confirmNumber: 'HD9' }, 400, '请输入机器编号确认'],
    [{ confirmNumber: undefined }, 400, '请输入机器编号确认'],
    [{ version: 7 }, 409, '数据已被他人修改，请刷新后重试'],
    [{ levels: [] }, 400, '请至少添加一层'],
  ])('%o: %i %s', async (change, status, message) => {
    const answer = await rebuild(change)
    expect([answer.status, answer.body.message, (await plan()).totals.stock]).toEqual([
      status,
      message,
      5,
    ])
  })
  test.each(['reserved', 'failed_hold'])('not while %s', async (column) => {
    await stock(1, 5, `, ${column} = 1`)
    const answer = await rebuild()
    expect([answer.status, answer.body.message, (await plan()).totals.stock]).toEqual([
      422,
      '货道 1 有未完成出货或待盘点库存，不能重建',
      5,
    ])
  })
  test('twice at once withdraws once', async () => {
    const answers = await Promise.all([rebuild(), rebuild(), rebuild()])
    expect(answers.map((a) => a.status).sort()).toEqual([200, 409, 409])
    expect(
      (
        await world.one<{ n: number }>(
          'select count(*)::int as n from stock_flows where device_id = $1',
          [id],
        )
      ).n,
    ).toBe(1)
  })
})

describe('clear fault', () => {
  test('closes the faults, the lane sells again, once', async () => {
    const lane = Number(await laneId(1))
    await stock(1, 5, `, status = 'FAULT'`)
    await world.rows(
      `insert into device_faults (org_id, device_id, lane_id, code, level, opened_at)
        values (3, $1, $2, 'MOTOR_NOT_MOVE', 'ERROR', now())`,
      [id, lane],
    )
    expect(roads(await plan()).get(1)).toMatchObject({ view: 'fault', faultCode: 'MOTOR_NOT_MOVE' })
    const answers = await Promise.all(
      [1, 2].map(() =>
        world.send(people.operator, 'POST', `/devices/${id}/lanes/${lane}/clear-fault`),
      ),
    )
    expect(answers.map((a) => a.status).sort()).toEqual([200, 409])
    expect(roads(await plan()).get(1)?.view).toBe('normal')
    expect(
      await world.one('select fault_count from device_states where device_id = $1', [id]),
    ).toEqual({ fault_count: 0 })
    expect(
      (await world.send(people.sibling, 'POST', `/devices/${id}/lanes/${lane}/clear-fault`)).status,
    ).toBe(404)
    expect(
      (await world.send(people.reader, 'POST', `/devices/${id}/lanes/${lane}/clear-fault`)).status,
    ).toBe(403)
    await world.rows(`update lanes set status = 'FAULT' where id = $1`, [lane])
    await machine()
    expect(
      (await world.send(people.operator, 'POST', `/devices/${id}/lanes/${lane}/clear-fault`))
        .status,
    ).toBe(404)
  })
})

test('counters agree with the rules under parallel sales', async () => {
  await stock(2, 3)
  const [a, b] = [Number(await laneId(1)), Number(await laneId(2))]
  const sell = (lane: number) =>
    world.app.database.transact(systemScope, async (db, later) => {
      await db
        .updateTable('lanes')
        .set((eb) => ({ quantity: eb('quantity', '-', 1) }))
        .where('id', '=', lane)
        .execute()
      refreshDeviceCounters({ later }, [id])
    })
  await Promise.all([a, b, a, b, a, b, a].map(sell))
  const { totals } = await plan()
  expect(
    await world.one(
      'select lanes_total as lanes, lanes_sold_out as "soldOut", lanes_low as low, lanes_free as free, stock, capacity from device_states where device_id = $1',
      [id],
    ),
  ).toEqual({
    lanes: totals.lanes,
    soldOut: totals.soldOut,
    low: totals.low,
    free: totals.free,
    stock: totals.stock,
    capacity: totals.capacity,
  })
  expect([totals.stock, totals.soldOut, totals.low]).toEqual([1, 1, 1])
})
