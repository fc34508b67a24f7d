import { afterAll, beforeAll, expect, test } from 'vitest'
import { add as made } from '../../../../test/factories/things.ts'
import { nodes, type Plan, plansOf } from '../../../../test/support/plans.ts'
import {
  addDevice,
  addLane,
  openWorld,
  people,
  type World,
} from '../../products/server/testWorld.ts'

let world: World
const ask = async (query: string, user = people.operator) =>
  (await world.send(user, 'GET', `/stock-flows?${query}`)).body
const nums = async (query: string, user?: number) =>
  (await ask(query, user)).list.map((row: { wasteNum: string }) => row.wasteNum)

type Flow = {
  num: string
  at: string
  org?: number
  device?: number
  road?: number
  product?: number
  type?: string
  reason?: string
  change: number
  order?: string
  actor?: [string, number | null]
}
async function add({
  num,
  at,
  org = 3,
  device = 21,
  road = 1,
  product = 5,
  type = 'MERCHANT_REPLENISH',
  reason = 'REFILL',
  change,
  order,
  actor = ['SYSTEM', null],
}: Flow) {
  await world.rows(
    `insert into stock_flows (org_id, created_at, waste_num, device_id, rtu_number, lane_id,
      lane_seq, cargo_road, product_id, product_name, type, reason, before_total, change_total,
      after_total, unit_id, order_num, actor_kind, actor_id, occurred_at)
    values ($1, $2, $3, $4, $5, 1, 1, $6, $7, '水', $8, $9, 50, $10, $11, $12, $13, $14, $15, $2)`,
    [
      org,
      at,
      num,
      device,
      `HD${String(device).padStart(6, '0')}`,
      road,
      product,
      type,
      reason,
      change,
      50 + change,
      type === 'CUSTOMER_TAKE' ? 1 : null,
      order ?? null,
      ...actor,
    ],
  )
}

beforeAll(async () => {
  world = await openWorld()
  await addDevice(world, 21, 3)
  await addDevice(world, 22, 3)
  await addDevice(world, 31, 4)
  await addDevice(world, 51, 5)
  await world.rows(
    `insert into device_assignments (org_id, device_id, user_id, kind)
      values (3, 22, 908, 'REPLENISHER')`,
  )
  await world.rows(`insert into product_categories (id, org_id, name) values (1, 1, 'c')`)
  await world.rows(
    `insert into products (id, org_id, category_id, name, model, drug_class, cost_price,
      retail_price, images) values (5, 1, 1, '矿泉水', 'x', 'NONE', 1, 2, '{a}'),
      (6, 1, 1, '薯片', 'x', 'NONE', 1, 2, '{a}')`,
  )
  await add({
    num: '20261120000000000001',
    at: '2026-11-20T01:00:00Z',
    change: 5,
    actor: ['USER', 903],
  })
  await add({
    num: '20261120000000000002',
    at: '2026-11-20T02:00:00Z',
    change: -1,
    type: 'CUSTOMER_TAKE',
    reason: 'SALE',
    order: '20261120000000000077',
    road: 2,
    actor: ['DEVICE', null],
  })
  await add({
    num: '20261121000000000003',
    at: '2026-11-21T02:00:00Z',
    change: -2,
    type: 'MERCHANT_WITHDRAW',
    reason: 'WASTE',
    device: 22,
    product: 6,
    actor: ['USER', 902],
  })
  await add({
    num: '20261121000000000004',
    at: '2026-11-21T03:00:00Z',
    change: 9,
    org: 4,
    device: 31,
  })
  await add({
    num: '20261121000000000005',
    at: '2026-11-21T04:00:00Z',
    change: 9,
    org: 5,
    device: 51,
  })
  await add({ num: '20260301000000000006', at: '2026-03-01T04:00:00Z', change: 3 })
})
afterAll(() => world.close())

test('the last seven days, newest first, with sums', async () => {
  const body = await ask('')
  expect(body.list.map((row: { wasteNum: string }) => row.wasteNum)).toEqual([
    '20261121000000000003',
    '20261120000000000002',
    '20261120000000000001',
  ])
  expect([body.total, body.sums]).toEqual([3, { plus: 5, minus: -3 }])
  expect(body.list[2]).toMatchObject({
    rtuNumber: 'HD000021',
    cargoRoad: 1,
    type: 'MERCHANT_REPLENISH',
    reason: 'REFILL',
    productName: '水',
    beforeChangeTotal: 50,
    changeTotal: 5,
    afterChangeTotal: 55,
    actorKind: 'USER',
    actorName: '员工3',
    createTime: '2026-11-20T01:00:00.000Z',
  })
})
test.each([
  ['type=CUSTOMER_TAKE', ['2']],
  ['reason=WASTE', ['3']],
  ['rtuNumber=000022', ['3']],
  ['deviceId=21', ['2', '1']],
  ['cargoRoad=2', ['2']],
  ['keyword=薯片', ['3']],
  ['productId=5', ['2', '1']],
  ['orderNum=20261120000000000077', ['2']],
  ['wasteNum=20260301000000000006', ['6']],
  ['from=2026-11-21&to=2026-11-21', ['3']],
  ['from=2026-02-01&to=2026-12-31', ['3', '2', '1', '6']],
  ['actorId=903', ['1']],
  // people above are not told
  ['actorId=902', []],
  ['sort=createTime', ['1', '2', '3']],
  ['pageSize=3&page=2&from=2026-02-01&to=2026-12-31', ['6']],
  ['rtuNumber=nothing', []],
])('%s', async (query, wanted) =>
  expect((await nums(query)).map((num: string) => num.slice(-1))).toEqual(wanted),
)
test('pages over several organisations do not overlap', async () => {
  const pages = [
    await nums('pageSize=3&from=2026-02-01&to=2026-12-31', people.agent),
    await nums('pageSize=3&page=2&from=2026-02-01&to=2026-12-31', people.agent),
  ]
  expect(pages.flat().map((num: string) => num.slice(-1))).toEqual(['4', '3', '2', '1', '6'])
  expect((await nums('', people.platform)).map((num: string) => num.slice(-1))).toEqual([
    '5',
    '4',
    '3',
    '2',
    '1',
  ])
})
test('scope: own machines, assigned machines, permission', async () => {
  expect(await nums('', people.sibling)).toEqual(['20261121000000000004'])
  expect((await ask('deviceId=31')).total).toBe(0)
  expect(await ask('', people.replenisher)).toMatchObject({
    total: 1,
    sums: { plus: 0, minus: -2 },
  })
  expect((await ask('', people.reader)).code).toBe(403001)
})
test('a batch by its number, a box by its code over the whole year, by whoever may read codes', async () => {
  await made(world.sql, 'suppliers', { id: 1, org_id: 3, name: '甲', phone: '13800138000' })
  const dates = { produced_on: '2026-01-01', expires_on: '2028-01-01' }
  const of = { org_id: 3, product_id: 5, supplier_id: 1, ...dates }
  await made(world.sql, 'batches', { id: 7, ...of, batch_no: 'B2026-07' })
  const lane = await addLane(world, 22, 3, 7, 5, 250)
  await world.rows(`insert into trace_codes (code, org_id, batch_id) values ('81000001', 3, 7)`)
  await world.rows(
    `insert into stock_flows (org_id, created_at, waste_num, device_id, rtu_number, lane_id,
      lane_seq, cargo_road, product_id, product_name, type, reason, before_total, change_total,
      after_total, actor_kind, occurred_at, batch_id, batch_no, codes)
    values (3, '2026-04-01T04:00:00Z', '20260401000000000007', 22, 'HD000022', $1, 1, 7, 5, '水',
      'MERCHANT_REPLENISH', 'REFILL', 0, 1, 1, 'SYSTEM', now(), 7, 'B2026-07', '{81000001}')`,
    [lane],
  )
  const days = 'from=2026-02-01&to=2026-12-31'
  expect(await nums(`${days}&batchNo=2026-07`)).toEqual(['20260401000000000007'])
  expect(await nums('batchNo=2026-07')).toEqual([])
  const box = { batchNo: 'B2026-07', codes: ['81000001'] }
  expect((await ask('traceCode=81000001')).list).toMatchObject([box])
  expect(await nums('traceCode=81000002')).toEqual([])
  // he moved it, and may not read codes
  const seen = await ask(`${days}&batchNo=B2026-07`, people.replenisher)
  expect(seen.list).toMatchObject([{ ...box, codes: [] }])
  expect((await ask('traceCode=81000001', people.replenisher)).code).toBe(403001)
})
test.each([
  'traceCode=81',
  'from=2026-11-02&to=2026-11-01',
  'from=2024-01-01&to=2026-11-01',
  'type=EATEN',
  'sort=changeTotal',
  'orderNum=1',
  'cargoRoad=0',
  'pageSize=7',
  'from=2026-02-30',
  'unknown=1',
])('%s is refused', async (query) =>
  expect((await world.send(people.operator, 'GET', `/stock-flows?${query}`)).status).toBe(400),
)
test('flows never change', async () =>
  expect(world.rows('update stock_flows set change_total = 1')).rejects.toThrow(/append-only/))
test('an organisation reads its page from the (org_id, created_at) index', async () => {
  await world.rows(`insert into stock_flows (org_id, created_at, waste_num, device_id, rtu_number,
    lane_id, lane_seq, cargo_road, product_id, product_name, type, reason, before_total,
    change_total, after_total, actor_kind, occurred_at)
    select 3 + n % 2, timestamptz '2026-11-21T05:00:00Z' - n * interval '20 seconds', 'bulk' || n,
      21, 'HD000021', 1, n, 1, 5, '水', 'MERCHANT_REPLENISH', 'REFILL', 0, 1, 1, 'SYSTEM', now()
      from generate_series(1, 20000) n`)
  await world.rows('analyze stock_flows')
  const scope = { all: false, orgs: [2, 3, 4], ancestors: [1], devices: null, watched: null }
  const [page] = await plansOf(
    world.app,
    scope,
    async () => expect((await ask('page=2', people.agent)).list).toHaveLength(20),
    /lateral/,
  )
  const read = nodes(page?.plan as Plan).filter((node) =>
    node['Relation Name']?.startsWith('stock_flows'),
  )
  expect(
    read
      .map((node) => node['Index Name'] ?? '')
      .filter((name) => /^stock_flows_\S*(org_id_created_at_id_idx\d*|pkey)$/.test(name)),
  ).not.toEqual([])
  expect(read.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([])
  // each of thousands of organisations would go through the list of all of them
  expect(read.filter((node) => /ANY \('/.test(JSON.stringify(node)))).toEqual([])
})
