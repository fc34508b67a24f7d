import { afterAll, beforeAll, expect, test } from 'vitest'
import { add } from '../../../../test/factories/things.ts'
import { products } from '../contract.ts'
import { addDevice, addLane, openWorld, type World } from './testWorld.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
  await add(world.sql, 'product_categories', { id: 1, org_id: 1 })
  const drug = {
    drug_class: 'OTC_B',
    generic_name: '布洛芬',
    cost_price: 77_701,
    retail_price: 99_900,
  } as const
  await add(world.sql, 'products', { id: 1, org_id: 3, purchase_limit: 5, ...drug })
  await add(world.sql, 'products', { id: 2, org_id: 3, drug_class: 'RX' })
  for (const id of [3, 4]) await add(world.sql, 'products', { id, org_id: 3 })
  await addDevice(world, 1, 3, 'DRUG', 'MEDICAL')
  await addDevice(world, 2, 3)
  await world.sql(`update devices set licence_no = '粤CB0001' where id = 1`)
  await world.sql(`update organisations set service_phone = '400-1' where id = 3`)
  await addLane(world, 1, 3, 1, 1, 90_000)
  await addLane(world, 1, 3, 2, 2, 250)
  await addLane(world, 2, 3, 1, 3, 250)
  await world.sql('update lanes set retail_price = 95000, restriction = 3 where product_id = 1')
})
afterAll(() => world.close())

type Asked = { id: number; rtu?: string; road?: number }
/** As anybody: without a session. */
const ask = (input: Asked) => world.call(products.commodityContent, input)
const rtu = 'HD000001'

test('a buyer sees the product, its price in this lane and whom to call, nothing else', async () => {
  const { status, body } = await ask({ id: 1, rtu, road: 1 })
  expect(status).toBe(200)
  expect(body).toEqual({
    name: '商品1',
    model: '1件',
    drugClass: 'OTC_B',
    images: ['x'],
    detailImages: [],
    barcode: null,
    genericName: '布洛芬',
    manufacturer: '厂',
    approvalNo: '国药准字Z20147726',
    dosageForm: '丸剂',
    status: 'ON',
    price: 90_000,
    usualPrice: 95_000,
    restriction: 3,
    insuranceClass: null,
    recalled: false,
    licenceNo: '粤CB0001',
    servicePhone: '400-1',
  })
  expect(JSON.stringify(body)).not.toContain('77701')
})

test('without a machine, or in one that does not sell it, the usual price of the product', async () => {
  const usual = { price: 99_900, usualPrice: null, restriction: 5, servicePhone: '', licenceNo: '' }
  expect((await ask({ id: 1 })).body).toMatchObject(usual)
  for (const place of [{ rtu: 'HD000002' }, { rtu, road: 2 }, { rtu: 'HD999999' }])
    expect((await ask({ id: 1, ...place })).body).toMatchObject(usual)
})

test('a prescription drug is not compared, what is no drug has no licence', async () => {
  expect((await ask({ id: 2, rtu })).body).toMatchObject({ price: 250, usualPrice: null })
  expect((await ask({ id: 3, rtu: 'HD000002' })).body).toMatchObject({ licenceNo: '' })
})

test('the insurance class of today', async () => {
  await add(world.sql, 'medical_insurance_items', {
    org_id: 3,
    product_id: 2,
    insurance_code: 'XA01ABD075A002010100483',
    insurance_class: 'B',
    valid_from: '2026-11-21',
    valid_until: '2026-11-22',
  })
  expect((await ask({ id: 2, road: 7 })).body).toMatchObject({ insuranceClass: 'B' })
})

test('a lane with pieces of a batch that is called back says so', async () => {
  await add(world.sql, 'suppliers', { id: 1, org_id: 3, name: '甲', phone: '13800138000' })
  const of = { org_id: 3, product_id: 1, supplier_id: 1, batch_no: 'B1' }
  const dates = { produced_on: '2026-01-01', expires_on: '2028-01-01' }
  await add(world.sql, 'batches', { id: 7, ...of, ...dates })
  await world.sql(`with filled as (update lanes set layered = true, goods_expire_on = '2028-01-01'
      where device_id = 1 and road_index = 1 returning id)
    insert into lane_layers (org_id, device_id, lane_id, pos, batch_id, qty)
    select 3, 1, id, 1, 7, 6 from filled`)
  const seen = async (road: number) => (await ask({ id: 1, rtu, road })).body.recalled
  expect(await seen(1)).toBe(false)
  await world.sql(`update batches set status = 'RECALLED', recall_level = 'I', recalled_at = now()`)
  await expect.poll(() => seen(1)).toBe(true)
  expect(await seen(2)).toBe(false)
})

test('a phone keeps the answer for a minute and asks again by its tag', async () => {
  const asked = (headers = {}) =>
    world.http.inject({ url: `/mobile/commodityContent?id=1&rtu=${rtu}`, headers })
  const first = await asked()
  expect(first.headers['cache-control']).toBe('public, max-age=60')
  const tag = String(first.headers.etag)
  const again = await asked({ 'if-none-match': `W/${tag}` })
  expect([again.statusCode, again.body]).toEqual([304, ''])
  expect((await asked({ 'if-none-match': '"other"' })).statusCode).toBe(200)
  expect((await world.http.inject('/mobile/commodityContent?id=9')).headers['cache-control']).toBe(
    'no-store',
  )
})

test('what is off the shelf has no price', async () => {
  await world.sql(`update products set status = 'OFF' where id = 3`)
  expect((await ask({ id: 3, rtu: 'HD000002', road: 1 })).body).toMatchObject({
    name: '商品3',
    status: 'OFF',
    price: null,
    usualPrice: null,
  })
})

test('what stands in no open machine is not there, and looks as what never was', async () => {
  const never = await ask({ id: 987_654_321 })
  expect([never.status, never.body.code, never.body.error, never.body.message]).toEqual([
    404,
    404001,
    'products.gone',
    '商品不存在或已下架',
  ])
  const english = await world.http.inject({
    url: '/mobile/commodityContent?id=987654321',
    headers: { 'accept-language': 'en' },
  })
  expect(english.json().message).toBe('There is no such product, or it is off the shelf')
  const nowhere = await ask({ id: 4 })
  const same = ({ body }: typeof never) => ({ ...body, requestId: '' })
  expect(same(nowhere)).toEqual(same(never))
  await world.sql(`update devices set lifecycle = 'PAUSED' where id = 2`)
  expect((await ask({ id: 3, road: 2 })).status).toBe(404)
})

test.each(['', 'id=0', 'id=abc', 'id=1&rtu=%3Cscript%3E', 'id=1&road=0', 'id=1&cost=1'])(
  '%s is 400',
  async (query) => {
    const answer = await world.http.inject(`/mobile/commodityContent?${query}`)
    expect([answer.statusCode, answer.json().code]).toEqual([400, 400001])
  },
)

test('who asks more than sixty times in a minute waits, others do not', async () => {
  const asked = async (remoteAddress: string) =>
    (await world.http.inject({ url: '/mobile/commodityContent?id=1', remoteAddress })).statusCode
  const seen = await Promise.all(Array.from({ length: 62 }, () => asked('10.1.1.1')))
  expect(seen.filter((status) => status === 200)).toHaveLength(60)
  expect(seen.slice(60)).toEqual([429, 429])
  expect(await asked('10.1.1.2')).toBe(200)
})
