import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { add, addPermissions, grant } from '../../../../test/factories/things.ts'
import { bySystem } from '../../../server/run.ts'
import { addDays } from '../../../shared/instants.ts'
import { addDevice, openWorld, people, type World } from '../../products/server/testWorld.ts'
import { settingsChanged } from '../../settings/server/values.ts'
import { type Move, moveStock } from '../../stock/server/move.ts'
import { sendDigest } from './tell.ts'

const codes = ['read', 'update', 'export'].map((action) => `near-expiry:${action}`)
const today = '2026-11-21'
let world: World
beforeAll(async () => {
  world = await openWorld()
  await addPermissions(world.sql, codes)
  await grant(world.sql, [901, 902, 903, 904, 905], codes)
  await grant(world.sql, [907], ['near-expiry:read'])
  await add(world.sql, 'product_categories', { id: 1, org_id: 1 })
  await add(world.sql, 'products', { id: 5, org_id: 1, cost_price: 200 })
  await add(world.sql, 'products', { id: 6, org_id: 1, drug_class: 'OTC_B' })
  await add(world.sql, 'suppliers', { id: 1, org_id: 1, name: '供应商', phone: '13800138000' })
  for (const [id, org] of [
    [21, 3],
    [22, 3],
    [31, 4],
  ] as const) {
    await addDevice(world, id, org)
    await add(world.sql, 'device_states', { device_id: id, org_id: org, online: true })
  }
})
afterAll(() => world.close())

let road: number
beforeEach(async () => {
  road = 0
  await world.sql('delete from expiry_days')
  await world.sql('delete from settings')
  settingsChanged(world.app)
  await world.sql('delete from messages')
  await world.sql('delete from device_assignments')
  await world.sql('update devices set lifecycle = $1', ['OPERATING'])
  await world.sql(`update lanes set archived_at = now() where archived_at is null`)
  await world.sql(`update devices set lifecycle = 'OPERATING'`)
  // goods of the test before are out of sight
  await world.sql(`begin; delete from lane_layers; update lanes set quantity = 0, layered = false,
    goods_expire_on = null; delete from expiry_items; commit`)
})

let batches = 0
const batch = async (days: number, product_id = 5, cost_price: number | null = null) =>
  add(world.sql, 'batches', {
    org_id: 1,
    product_id,
    supplier_id: 1,
    batch_no: `B${++batches}`,
    produced_on: '2020-01-01',
    expires_on: addDays(today, days),
    ...(cost_price ? { cost_price } : {}),
  })
const move = (laneId: number, change: number, more: Partial<NonNullable<Move['flow']>> = {}) =>
  bySystem(world.app, (ctx) =>
    moveStock(ctx, [
      {
        laneId,
        flow: {
          change,
          type: change > 0 ? 'MERCHANT_REPLENISH' : 'MERCHANT_WITHDRAW',
          reason: change > 0 ? 'REFILL' : 'EXPIRED',
          occurredAt: ctx.now,
          actorKind: 'USER',
          ...more,
        },
      },
    ]),
  )
const addLane = (device: number, org: number, product_id = 5) => {
  road += 1
  return add(world.sql, 'lanes', {
    org_id: org,
    device_id: device,
    floor_id: device,
    road_index: road,
    product_id,
    retail_price: 300,
    price: 300,
  })
}
/** A lane with goods whose date lies so many days ahead; before today they came in earlier. */
async function laneOf(days: number, { device = 21, org = 3, product = 5, qty = 4 } = {}) {
  const lane = await addLane(device, org, product)
  const batchId = await batch(Math.max(days, 60), product)
  await move(lane, qty, { batchId })
  if (days < 60)
    await world.sql(`begin; update batches set expires_on = '${addDays(today, days)}'
      where id = ${batchId}; update lanes set goods_expire_on = '${addDays(today, days)}'
      where id = ${lane}; commit`)
  return lane
}
const list = async (query = '', user = people.operator) =>
  (await world.send(user, 'GET', `/expiry-items?${query}`)).body
const lanesOf = async (query = '', user?: number) =>
  (await list(query, user)).list.map((row: { laneId: number }) => row.laneId)
const replenisher = (device: number, user: number, org = 3) =>
  add(world.sql, 'device_assignments', {
    org_id: org,
    device_id: device,
    user_id: 900 + user,
    kind: 'REPLENISHER',
  })
const messages = () =>
  world.rows<{ user_id: number; title_zh: string; body_zh: string; link: string }>(
    `select user_id, title_zh, body_zh, link from messages where kind = 'STOCK' order by user_id, id`,
  )

describe('what is near its date', () => {
  test('by product, by category, else by the kind of goods, the nearest organisation first', async () => {
    const lane = await laneOf(45)
    const drug = await laneOf(150, { product: 6 })
    // drugs 180 days, other goods 30
    expect(await lanesOf()).toEqual([drug])
    const say = (user: number, rule: Record<string, unknown>) =>
      world.send(user, 'PUT', '/expiry-settings', rule)
    await say(people.agent, { categoryId: 1, days: 60 })
    expect(await lanesOf()).toEqual([lane])
    await say(people.agent, { productId: 5, days: 20 })
    expect(await lanesOf()).toEqual([])
    await say(people.operator, { productId: 5, days: 50 })
    expect(await lanesOf()).toEqual([lane])
    // another operator below the same agent has the agent's
    const other = await laneOf(45, { device: 31, org: 4 })
    expect(await lanesOf('', people.sibling)).toEqual([])
    await say(people.agent, { productId: 5, days: null })
    expect(await lanesOf('', people.sibling)).toEqual([other])
    expect((await world.send(people.operator, 'GET', '/expiry-settings')).body).toMatchObject({
      list: [{ productId: 5, productName: '商品5', categoryId: null, days: 50 }],
      drugDays: 180,
      otherDays: 30,
    })
  })

  test.each([
    [30, ['near']],
    [31, []],
    [0, ['near']],
    [-1, ['expired']],
  ] as const)('%i days ahead', async (days, states) => {
    const lane = await laneOf(days)
    for (const state of ['near', 'expired'] as const)
      expect([state, await lanesOf(`state=${state}`)]).toEqual([
        state,
        (states as readonly string[]).includes(state) ? [lane] : [],
      ])
  })

  test('a row, and the figures of the tabs', async () => {
    const lane = await laneOf(10)
    await laneOf(-3, { qty: 2 })
    const unknown = await addLane(22, 3)
    await move(unknown, 7)
    const mixed = await addLane(22, 3)
    await move(mixed, 3)
    await move(mixed, 2, { batchId: await batch(400) })
    expect((await list()).list).toMatchObject([
      {
        laneId: lane,
        roadIndex: 1,
        productName: '商品5',
        drugClass: 'NONE',
        expiresOn: '2026-12-01',
        daysLeft: 10,
        qty: 4,
        costAmount: 800,
        laneStatus: 'ENABLED',
        handling: 'OPEN',
      },
    ])
    expect((await list('', people.reader)).list).toMatchObject([{ costAmount: null }])
    expect((await list('state=unknown')).list).toMatchObject([
      { laneId: unknown, qty: 7, batchNo: '', expiresOn: null, daysLeft: null },
      { laneId: mixed, qty: 3 },
    ])
    expect((await world.send(people.operator, 'GET', '/expiry-items/stats')).body).toEqual({
      near: { rows: 1, pieces: 4 },
      expired: { rows: 1, pieces: 2 },
      unknown: { rows: 2, pieces: 10 },
    })
  })

  test('filters and scope', async () => {
    const lane = await laneOf(5)
    const drug = await laneOf(100, { device: 22, product: 6 })
    const foreign = await laneOf(5, { device: 31, org: 4 })
    for (const [query, lanes] of [
      ['', [lane, drug]],
      ['within=d7', [lane]],
      ['within=d180', [lane, drug]],
      ['deviceId=22', [drug]],
      ['productId=6', [drug]],
      ['drugClass=OTC_B', [drug]],
      [`batchNo=b${batches}`, []],
      [`batchNo=b${batches - 1}`, [drug]],
      ['region=440300', [lane, drug]],
      ['region=110000', []],
      ['sort=-expiresOn', [drug, lane]],
      ['deviceId=31', []],
    ] as const)
      expect([query, await lanesOf(query)]).toEqual([query, lanes])
    expect(await lanesOf('', people.sibling)).toEqual([foreign])
    expect((await list('', people.noCost)).code).toBe(403001)
  })
})

test('goods that were fetched are shown as such, until they lie there again', async () => {
  const lane = await laneOf(5)
  const [{ id: batchId } = { id: 0 }] = await world.rows<{ id: number }>(
    'select batch_id as id from lane_layers where lane_id = $1',
    [lane],
  )
  await move(lane, -3)
  expect((await list()).list).toMatchObject([{ laneId: lane, qty: 1 }])
  expect(await lanesOf('handling=TAKEN')).toEqual([])
  await move(lane, -1)
  expect(await lanesOf()).toEqual([])
  expect((await list('handling=TAKEN')).list).toMatchObject([
    { laneId: lane, qty: 4, handling: 'TAKEN' },
  ])
  await move(lane, 2, { batchId })
  expect((await list()).list).toMatchObject([{ laneId: lane, qty: 2, handling: 'OPEN' }])
  expect(await lanesOf('handling=TAKEN')).toEqual([])
})

describe('messages', () => {
  const notify = async (laneIds: number[], user = people.operator) =>
    (await world.send(user, 'POST', '/expiry-items/notify', { laneIds })).body

  test('one for each machine, each batch of a lane once in four hours, also from three at once', async () => {
    const lanes = [await laneOf(5), await laneOf(-2)]
    await replenisher(21, 8)
    const answers = await Promise.all([notify(lanes), notify(lanes), notify(lanes)])
    expect(answers.map(({ told }) => told).sort()).toEqual([0, 0, 2])
    expect(await messages()).toMatchObject([
      {
        user_id: 908,
        title_zh: '机器21：请取回 8 件临期或过期商品',
        link: '/device/device-list/cargo-road/21',
      },
    ])
    expect(await lanesOf('handling=TOLD')).toEqual([lanes[0]])
    expect(await lanesOf('handling=OPEN')).toEqual([])
    await world.rows(`update expiry_items set told_at = told_at - interval '4 hours'`)
    expect(await notify(lanes)).toEqual({ told: 2, lately: 0, nobody: 0, fine: 0 })
  })

  test('nobody to tell, nothing to fetch, lanes of others', async () => {
    const [lane, fine, foreign] = [
      await laneOf(5),
      await laneOf(300),
      await laneOf(5, { device: 31, org: 4 }),
    ]
    expect(await notify([lane, fine])).toEqual({ told: 0, lately: 0, nobody: 1, fine: 1 })
    expect((await notify([lane, foreign])).code).toBe(404001)
    expect((await notify([lane, 987_654_321])).code).toBe(404001)
    expect(await lanesOf('handling=TOLD')).toEqual([])
  })

  test('the digest: each person once, each machine once for him, those who are to hear', async () => {
    await laneOf(5)
    await laneOf(-2, { qty: 3 })
    await laneOf(5, { device: 22, qty: 2 })
    await replenisher(21, 8)
    await replenisher(21, 3)
    await sendDigest(world.app)
    await sendDigest(world.app)
    expect(await messages()).toEqual([
      {
        user_id: 903,
        title_zh: '临期商品提醒',
        body_zh: '您负责的设备有 6 件商品临期，3 件商品已过期，请尽快处理',
        link: '/stock/prompt-expired-goods',
      },
      {
        user_id: 908,
        title_zh: '临期商品提醒',
        body_zh: '您负责的设备有 4 件商品临期，3 件商品已过期，请尽快处理',
        link: '/stock/replenish',
      },
    ])
    await world.sql('delete from messages')
    await add(world.sql, 'settings', {
      org_id: 2,
      key: 'stock.expiryTellOperators',
      value: JSON.stringify(false),
    })
    settingsChanged(world.app)
    await sendDigest(world.app)
    expect((await messages()).map(({ user_id }) => user_id)).toEqual([903, 908])
    expect((await messages())[0]?.body_zh).toContain('4 件商品临期')
  })
})

test('a supplier reads what became of his own goods, in whosever machine, and of nobody who moved them', async () => {
  await grant(world.sql, [909], ['near-expiry:read'])
  await add(world.sql, 'suppliers', {
    ...{ id: 2, org_id: 1, name: '供应二', phone: '13800138000', supplier_org_id: 6 },
  })
  const other = await laneOf(20)
  const [mine, gone] = [await laneOf(20), await laneOf(20, { device: 31, org: 4 })]
  await world.sql(
    `update batches b set supplier_id = 2 from lane_layers y
    where y.batch_id = b.id and y.lane_id = any($1)`,
    [[mine, gone]],
  )
  const [layer] = await world.sql<{ b: number }>(
    'select batch_id as b from lane_layers where lane_id = $1',
    [gone],
  )
  await move(gone, -4, { batchId: Number(layer?.b), actorId: 904 })
  expect(await lanesOf('', people.supplier)).toEqual([mine])
  expect((await list('', people.supplier)).list[0]).toMatchObject({
    rtuNumber: expect.stringMatching(/\d/),
    nickname: '',
    qty: 4,
    daysLeft: 20,
    costAmount: null,
  })
  const { body: stats } = await world.send(people.supplier, 'GET', '/expiry-items/stats')
  expect(stats).toMatchObject({ near: { rows: 1, pieces: 4 }, unknown: { rows: 0 } })
  expect(await lanesOf('state=unknown', people.supplier)).toEqual([])
  // as his customer says, whose rules he does not read: product, category, nearer before farther
  const near = async () => [
    (await lanesOf('', people.supplier)).length,
    (await lanesOf('', people.operator)).filter((lane: number) => lane === mine).length,
  ]
  const days = (of: object) => add(world.sql, 'expiry_days', { org_id: 3, ...of, days: 10 })
  await days({ category_id: 1 })
  expect(await near()).toEqual([0, 0])
  await add(world.sql, 'expiry_days', { org_id: 2, product_id: 5, days: 25 })
  expect(await near()).toEqual([1, 1])
  await days({ product_id: 5 })
  expect(await near()).toEqual([0, 0])
  await world.sql('delete from expiry_days')
  expect(await near()).toEqual([1, 1])
  const flows = async (query = '') =>
    (await world.send(people.supplier, 'GET', `/stock-flows?${query}`)).body
  const { list: rows, total, sums } = await flows()
  expect([total, sums]).toEqual([3, { plus: 8, minus: -4 }])
  const lanes = rows.map((row: { laneId: number }) => row.laneId)
  expect(lanes.sort()).toEqual([gone, gone, mine].sort())
  expect(lanes).not.toContain(other)
  for (const row of rows)
    expect(row).toMatchObject({ nickname: '', actorName: null, orderNum: null, visitId: null })
  expect((await flows('reason=EXPIRED')).total).toBe(1)
  expect((await flows(`deviceId=21`)).total).toBe(1)
  // his entry is somebody else's now
  await world.sql('update suppliers set supplier_org_id = null where id = 2')
  expect([await lanesOf('', people.supplier), (await flows()).total]).toEqual([[], 0])
})

test.each([
  [{ productId: 5, categoryId: 1, days: 5 }, 400],
  [{ days: 5 }, 400],
  [{ productId: 5, days: 0 }, 400],
  [{ productId: 5, days: 721 }, 400],
  [{ productId: 5 }, 400],
  [{ productId: 987_654_321, days: 5 }, 404],
  [{ categoryId: 987_654_321, days: 5 }, 404],
])('rule %o is %i', async (rule, status) =>
  expect((await world.send(people.operator, 'PUT', '/expiry-settings', rule)).status).toBe(status),
)
