import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aliases } from '../../src/domains/product.ts'
import { type Answer, answerOf } from '../support/api.ts'
import { openWorld, place, rowId, unassigned, type World } from '../support/world.ts'

/**
 * The specification's names, section 3 and 7, written down here once more: an alias answers exactly
 * these.
 */
const words = (text: string) => text.split(' ')
const deviceRow = words(
  'id rtuNumber ownedUserName nickyname address rtuBoardId card state createTime',
)
const typeRow = words('id name img screen refrigeration pattern')
const road = words(
  'roadIndex productId roadCapacity productStock productName productImg price retailPrice restriction status',
)
const orderRow = words(
  'orderNum img detail costPrice actuallyAmount name orderStatus orderType createTime',
)
const laneRow = words('id rtuNumber roadIndex productName productStock roadCapacity warnQty')
const flowRow = words(
  'id cargoRoad type wasteNum productName beforeChangeTotal afterChangeTotal changeTotal createTime',
)
const organUser = words(
  'id username realName roleName avatar status password role area operatorId operatorName phone consumerPhone tenantId',
)
const report = words(
  'createTime deviceNum orderTotal orderRefund turnover productCost payAmount refundAmount profit service grossProfit',
)
const userRow = words('id userName name avatar role address createTime')

let world: World
let token: string
/** Device types belong to the platform. */
let platform: string
beforeAll(async () => {
  world = await openWorld()
  token = await world.login('ROLE_FULL')
  platform = await world.login('ROLE_ADMIN')
})
afterAll(() => world.close())

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
async function ask(
  method: Method,
  url: string,
  body?: unknown,
  headers: Record<string, string> = { authorization: token },
): Promise<Answer> {
  const payload =
    body === undefined
      ? {}
      : {
          payload: JSON.stringify(body),
          headers: { ...headers, 'content-type': 'application/json' },
        }
  return answerOf(await world.http.inject({ method, url, headers, ...payload }))
}
const keys = (value: object) => Object.keys(value).toSorted()
const id = rowId('OWN', 1)

describe.each<[path: string, row: readonly string[]]>([
  ['/device-list', deviceRow],
  ['/device-type-list', typeRow],
  ['/stores-list', words('storeName SystemId userName')],
  [
    '/finance-payment-list',
    words('id operatorName merchantName systemId userName desKey saltMd5Key'),
  ],
  ['/product-category-list-index', words('id name createTime')],
  ['/product-manage-list', words('id img detail')],
  ['/stock-waste-list', flowRow],
  ['/stock-replenish-list', laneRow],
  ['/order-list', orderRow],
  ['/data-sales-report', report],
  ['/data-products-report', [...report, 'salesNum', 'product']],
  ['/user-list', userRow],
  ['/select-user', userRow],
  ['/organ-manage-list-index', organUser],
  ['/complaint-feedback', words('id username content remark createTime')],
  ['/log-operate', words('username level content ipAddress createTime')],
])('%s', (path, row) => {
  test('answers list and total with the names of the specification', async () => {
    const { status, body } = await ask('GET', `${path}?page=1&pageSize=20&whatever=1`)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(keys(body)).toEqual(['code', 'list', 'message', 'total'])
    expect([body.code, body.message]).toEqual([200, 'success'])
    expect(body.list.length).toBeGreaterThan(0)
    expect(body.total).toBeGreaterThanOrEqual(body.list.length)
    for (const one of body.list) expect(keys(one)).toEqual([...row].toSorted())
  })
  test('refuses a wrong page size', async () => {
    expect((await ask('GET', `${path}?pageSize=7`)).body.code).toBe(400001)
  })
})

test('a lane is filled and counted by the path of the sample server', async () => {
  const url = `/stock-replenish-list-item/${id}`
  const [before] = (await ask('GET', '/stock-replenish-list?pageSize=200')).body.list.filter(
    (row: { id: number }) => row.id === id,
  )
  const added = await ask('PUT', url, { added: 1 })
  expect(keys(added.body)).toEqual([...laneRow, 'code', 'message'].toSorted())
  expect(added.body.productStock).toBe(before.productStock + 1)
  const counted = await ask('PUT', url, { productStock: before.productStock })
  expect(counted.body.productStock).toBe(before.productStock)
  expect((await ask('PUT', url, {})).body.error).toBe('replenishment.nothing')
})

test('a device has its state, and its detail its floors', async () => {
  const { body } = await ask('GET', '/device-list?rtuNumber=OWN0001')
  expect(keys(body.list[0].state)).toEqual(['signal', 'status', 'temperature'])
  const detail = (await ask('GET', `/device-list-detail?id=${id}`)).body
  const more = words('country province city county type userName stores stock free pattern floors')
  expect(keys(detail)).toEqual([...deviceRow, ...more, 'code', 'message'].toSorted())
  expect(keys(detail.floors[0])).toEqual(['id', 'level', 'name', 'roads'])
  expect(keys(detail.floors[0].roads[0])).toEqual([...road].toSorted())
})

test('a device is saved without an id and changed by one field with it, by GET and by POST', async () => {
  const body = {
    rtuNumber: 'ALIAS00001',
    nickyname: '样机',
    typeId: id,
    county: '440305',
    address: '科技路1号',
  }
  const made = await ask('POST', '/rtu/save', body)
  expect(keys(made.body), JSON.stringify(made.body)).toEqual(
    [...deviceRow, 'secret', 'code', 'message'].toSorted(),
  )
  const changed = await ask(
    'GET',
    `/device-edit?id=${made.body.id}&nickyname=${encodeURIComponent('样机二')}`,
  )
  expect(keys(changed.body), JSON.stringify(changed.body)).toEqual(
    [...deviceRow, 'code', 'message'].toSorted(),
  )
  expect([changed.body.nickyname, changed.body.address]).toEqual(['样机二', '科技路1号'])
  expect(
    (await ask('POST', '/rtu/save', { id: made.body.id, address: '科技路2号' })).body,
  ).toMatchObject({
    code: 200,
    nickyname: '样机二',
    address: '科技路2号',
  })
  // regions are shown by their names, and may come back as they were shown
  const detail = async () => (await ask('GET', `/device-list-detail?id=${made.body.id}`)).body
  expect(await detail()).toMatchObject({
    country: '中国',
    province: '广东省',
    city: '深圳市',
    county: '南山区',
  })
  expect(
    (
      await ask('POST', '/rtu/save', {
        id: made.body.id,
        province: '北京市',
        city: '北京市',
        county: '海淀区',
      })
    ).status,
  ).toBe(200)
  expect(await detail()).toMatchObject({ province: '北京市', county: '海淀区' })
  expect((await ask('POST', '/rtu/save', { id: made.body.id, county: '海淀区' })).status).toBe(400)
  expect((await ask('POST', '/rtu/save', { ...body, rtuNumber: 'ALIAS1' })).status).toBe(400)
  expect((await ask('GET', '/device-edit?id=987654321&nickyname=x')).status).toBe(404)
})

test('lanes are drawn anew, filled, set one by one and copied', async () => {
  const spare = rowId('OWN', unassigned)
  const roads = async (device: number) =>
    world.sql<{ id: number }>(
      'select id from lanes where device_id = $1 and archived_at is null order by road_index',
      [device],
    )
  const drawn = await ask(
    'GET',
    `/reset-road?id=${spare}&levels=${encodeURIComponent(JSON.stringify([{ columns: 2 }]))}`,
  )
  expect(keys(drawn.body), JSON.stringify(drawn.body)).toEqual(['code', 'floors', 'message'])
  expect(keys(drawn.body.floors[0])).toEqual(['id', 'level', 'name', 'roads'])
  expect(keys(drawn.body.floors[0].roads[0])).toEqual([...road].toSorted())
  const again = { id: spare, levels: [{ name: '下层', columns: 2 }] }
  expect(
    (await ask('POST', '/reset-road', { ...again, confirmNumber: 'wrong' })).body.message,
  ).toBe('请输入机器编号确认')
  expect((await ask('POST', '/reset-road', again)).body.floors[0].name).toBe('下层')
  expect((await ask('GET', `/reset-road?id=${spare}`)).body.floors.length).toBeGreaterThan(1)
  expect((await ask('POST', '/reset-road', again)).body.floors).toHaveLength(1)
  const [first] = await roads(spare)
  const set = await ask(
    'GET',
    `/setting-goods-track?laneId=${first?.id}&productId=${id}&price=260&retailPrice=300&roadCapacity=9&restriction=2&status=ENABLED`,
  )
  expect(keys(set.body), JSON.stringify(set.body)).toEqual([...road, 'code', 'message'].toSorted())
  expect(set.body).toMatchObject({ productId: id, price: 260, roadCapacity: 9, restriction: 2 })
  expect((await ask('GET', `/setting-goods-track?laneId=${first?.id}&price=0`)).body.message).toBe(
    '价格不能为空或为零',
  )
  const floors = [
    {
      level: 1,
      name: '上层',
      roads: [
        { roadIndex: 1, price: 255 },
        { roadIndex: 2, productId: id },
      ],
    },
  ]
  const saved = await ask(
    'GET',
    `/save-cargo-road?id=${spare}&floors=${encodeURIComponent(JSON.stringify(floors))}`,
  )
  expect(saved.body.floors[0], JSON.stringify(saved.body)).toMatchObject({
    name: '上层',
    roads: [{ price: 255 }, { productId: id, price: 300 }],
  })
  expect((await ask('POST', '/save-cargo-road', { id: spare, floors: 'x' })).body.code).toBe(400001)
  const copied = await ask('GET', `/copy-to-machine?id=${spare}&targets=${id}&parts=restriction`)
  expect(keys(copied.body), JSON.stringify(copied.body)).toEqual([
    'code',
    'jobId',
    'message',
    'results',
  ])
  expect(copied.body.results[0]).toMatchObject({ deviceId: id, write: [1] })
})

test('a device type is saved and removed by GET, and by POST', async () => {
  const asPlatform = { authorization: platform }
  const made = await ask(
    'GET',
    '/save-device-type?name=样机&screen=false&refrigeration=true&pattern=spring',
    undefined,
    asPlatform,
  )
  expect(keys(made.body), JSON.stringify(made.body)).toEqual(
    [...typeRow, 'code', 'message'].toSorted(),
  )
  const changed = await ask(
    'POST',
    '/save-device-type',
    { id: made.body.id, name: '样机二' },
    asPlatform,
  )
  expect([changed.body.name, changed.body.pattern]).toEqual(['样机二', 'spring'])
  // the fields the specification names are enough, and a screen may be said by its size
  const named = { name: '样机三', img: '', screen: true, refrigeration: true, pattern: 'lift' }
  const whole = (await ask('POST', '/save-device-type', named, asPlatform)).body
  expect(whole).toMatchObject({ code: 200, screen: true, pattern: 'lift' })
  const sized = await ask(
    'GET',
    `/save-device-type?id=${whole.id}&screen=21.5寸`,
    undefined,
    asPlatform,
  )
  expect(sized.body).toMatchObject({ code: 200, screen: true })
  expect(
    (await ask('GET', `/remove-device-type?id=${whole.id}`, undefined, asPlatform)).body.code,
  ).toBe(200)
  expect(
    (await ask('GET', `/remove-device-type?id=${made.body.id}`, undefined, asPlatform)).body.code,
  ).toBe(200)
  expect(
    (await ask('GET', `/remove-device-type?id=${made.body.id}`, undefined, asPlatform)).status,
  ).toBe(404)
})

test('a category is added, renamed without its version, and deleted', async () => {
  const made = await ask('POST', '/product-category-list-index', { name: '样类' })
  expect(keys(made.body)).toEqual(['code', 'createTime', 'id', 'message', 'name'])
  const path = `/product-category-list-index/${made.body.id}`
  expect((await ask('PUT', path, { name: '样类二' })).body.name).toBe('样类二')
  expect((await ask('GET', '/product-category-all')).body).toContainEqual({
    id: made.body.id,
    name: '样类二',
  })
  expect((await ask('DELETE', path)).body).toMatchObject({ code: 200, message: 'success' })
  expect((await ask('PUT', path, { name: '样' })).status).toBe(404)
})

test('a product is read, changed by one field, added and deleted', async () => {
  const read = (await ask('GET', `/product-manage-list-item/${id}`)).body
  expect(read).toMatchObject({
    code: 200,
    id,
    detail: { name: '品OWN', model: '500ml', costPrice: 100, retailPrice: 300 },
  })
  expect(
    (await ask('PUT', `/product-manage-list-item/${id}`, { detail: { retailPrice: 320 } })).body
      .detail.retailPrice,
  ).toBe(320)
  const made = await ask('POST', '/product-manage-list-item', {
    ...{ img: read.img, categoryId: id, drugClass: 'NONE' },
    detail: { name: '样品', model: '1L', costPrice: 100, retailPrice: 300 },
  })
  expect(made.body.code, JSON.stringify(made.body)).toBe(200)
  expect((await ask('DELETE', `/product-manage-list-item/${made.body.id}`)).body.code).toBe(200)
})

test('an order has its lines and its sums', async () => {
  const order = (await ask('GET', `/order-list-item/${world.orderNum('OWN')}`)).body
  expect(keys(order)).toEqual(
    [...orderRow, ...words('deviceNum payType userName userId list'), 'code', 'message'].toSorted(),
  )
  expect(keys(order.list[0])).toEqual(words('count orderStatus orderType refund road'))
  const sums = (await ask('GET', '/order-list-statistics')).body
  expect(keys(sums)).toEqual(
    words('code message orderAmount orderCost orderCount orderIncome orderProfit orderRefund'),
  )
})

test('organisations as a cascade', async () => {
  const { body } = await ask('GET', '/organ-manage-list-all')
  expect(keys(body[0])).toEqual(['children', 'label', 'value'])
  expect(body[0]).toMatchObject({ value: place.OWN, label: '机构OWN' })
})

test('an organ user is added, read, changed by one field, disabled and enabled', async () => {
  const given = {
    username: 'sample.user',
    password: 'Sample-2026',
    realName: '样人',
    phone: '13800138001',
    consumerPhone: '400-830-1866',
    address: '路1号',
  }
  const made = await ask('POST', '/organ-manage-list-item', {
    ...given,
    avatar: `files/00000003-0000-4000-8000-000000000000.png`,
    operatorId: place.OWN,
    role: 'ROLE_NOTHING',
  })
  expect(made.body.code, JSON.stringify(made.body)).toBe(200)
  expect(keys(made.body)).toEqual([...organUser, 'code', 'message'].toSorted())
  expect([made.body.status, made.body.password]).toEqual([1, ''])
  const path = `/organ-manage-list-item/${made.body.id}`
  expect((await ask('PUT', path, { realName: '样人二' })).body.realName).toBe('样人二')
  const status = (value: unknown) =>
    ask('PUT', `/organ-manage-list-item-status/${made.body.id}`, { status: value })
  for (const wrong of ['yes', 2, null, true])
    expect([(await status(wrong)).status, wrong]).toEqual([400, wrong])
  expect((await status(0)).body.code).toBe(200)
  expect((await ask('GET', path)).body.status).toBe(0)
  expect((await status(1)).body.code).toBe(200)
})

test('a notice is issued and listed, a complaint deleted without a reason', async () => {
  const issued = await ask('POST', '/log-issue', { title: '样题', content: '<p>样文</p>' })
  expect(keys(issued.body), JSON.stringify(issued.body)).toEqual(
    words('code content createTime id img message title'),
  )
  const { body } = await ask('GET', '/notice-list')
  expect(keys(body)).toEqual(['code', 'list', 'message', 'total'])
  expect((await ask('DELETE', `/complaint-feedback/${id}`)).body).toMatchObject({ code: 200 })
  expect((await ask('DELETE', `/complaint-feedback/${id}`)).status).toBe(404)
})

describe('every alias', () => {
  const urlOf = (path: string) => `${path.replace(':id', '1')}?id=1`
  test.each(aliases.map((alias) => [alias.method, alias.path] as const))(
    '%s %s wants a session, and its operation’s permission',
    async (method, path) => {
      expect((await ask(method, urlOf(path), undefined, {})).body.code).toBe(110001)
      const nobody = { authorization: await world.login('ROLE_NOTHING') }
      const refused = await ask(method, urlOf(path), undefined, nobody)
      expect([refused.status, refused.body.code], path).toEqual([403, 403001])
    },
  )
  test.each(aliases.map((alias) => alias.path))('%s shows nothing of a neighbour', async (path) => {
    const alias = aliases.find((one) => one.path === path)
    if (alias?.method !== 'GET' || alias.writes) return
    const number = path.startsWith('/order') ? world.orderNum('SIBLING') : rowId('SIBLING', 1)
    const answer = await ask('GET', `${path.replace(':id', String(number))}?id=${number}`)
    expect(JSON.stringify(answer.body)).not.toContain('SIBLING')
    expect(place.SIBLING).toBe(4)
  })
})

test('an unknown path is named', async () => {
  const { status, body } = await ask('GET', '/nothing-here')
  expect([status, body.message]).toEqual([404, 'Request path /nothing-here is not found'])
})
