import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBoardWorld } from '../../boards/server/testWorld.ts'
import { addDevice, people, type World } from '../../devices/server/testWorld.ts'

let world: World
beforeAll(async () => {
  world = await openBoardWorld()
  await addDevice(world, 1, 3)
})
afterAll(() => world.close())
const create = (user: number, change: Record<string, unknown> = {}) =>
  world.send(user, 'POST', '/stores', { storeName: '科技园店', ...change })

test.each([
  [{ storeName: ' ' }, 'storeName', '请输入门店名称'],
  [{ storeName: 'x'.repeat(41) }, 'storeName'],
  [{ systemId: '=1' }, 'systemId'],
  [{ lng: 114 }, 'lat', '经度和纬度须同时填写'],
  [{ lng: 0, lat: 0 }, 'lng', '坐标超出中国范围'],
  [{ county: '999999' }, 'county', '请选择所在地区'],
  [{ balance: 1 }, 'balance'],
] as [Record<string, unknown>, string, string?][])('%o is 400', async (change, field, message) => {
  const { status, body } = await create(people.operator, change)
  expect([status, body.errors[0].field]).toEqual([400, field])
  if (message) expect(body.errors[0].message).toBe(message)
})
test('create, edit, stale, duplicate, delete', async () => {
  const made = await create(people.operator, {
    systemId: 'HF-1001',
    userId: 903,
    county: '440305',
    address: '科苑路15号',
  })
  expect(made.body).toMatchObject({
    orgId: 3,
    userName: '员工3',
    systemId: 'HF-1001',
    deviceCount: 0,
    version: 1,
    can: { update: true, delete: true },
  })
  expect((await create(people.operator)).body.errors[0]).toEqual({
    field: 'storeName',
    message: '门店名称已存在',
  })
  expect((await create(people.stranger, { systemId: 'HF-1001' })).body.errors[0]).toEqual({
    field: 'systemId',
    message: '系统号已被其他门店使用',
  })
  expect((await create(people.operator, { storeName: '二店', userId: 904 })).body.message).toBe(
    '负责人须属于该机构',
  )
  expect((await create(people.operator, { storeName: '二店', orgId: 4 })).status).toBe(404)
  expect((await create(people.platform, { orgId: 6 })).body.message).toBe('该机构不能拥有门店')
  const put = (version: number) =>
    world.send(people.operator, 'PUT', `/stores/${made.body.id}`, {
      version,
      storeName: '科技园一店',
    })
  expect((await put(1)).body).toMatchObject({
    storeName: '科技园一店',
    systemId: '',
    userId: null,
    version: 2,
  })
  expect((await put(1)).body.code).toBe(409001)
  expect(
    (
      await world.send(people.sibling, 'PUT', `/stores/${made.body.id}`, {
        version: 2,
        storeName: 'x',
      })
    ).status,
  ).toBe(404)
  await world.rows('update devices set store_id = $1 where id = 1', [made.body.id])
  const used = await world.send(people.operator, 'DELETE', `/stores/${made.body.id}?version=2`)
  expect([used.status, used.body.message]).toEqual([409, '该门店下仍有 1 台设备，无法删除'])
  await world.rows('update devices set store_id = null where id = 1')
  expect(
    (await world.send(people.operator, 'DELETE', `/stores/${made.body.id}?version=1`)).body.code,
  ).toBe(409001)
  expect(
    (await world.send(people.operator, 'DELETE', `/stores/${made.body.id}?version=2`)).body,
  ).toEqual({ ok: true })
})
test('everybody sees his own; a store of others never holds a machine', async () => {
  const mine = (await create(people.operator, { storeName: '甲店' })).body.id
  const other = (await create(people.stranger, { storeName: '乙店' })).body.id
  const names = async (user: number) =>
    (await world.send(user, 'GET', '/stores/options')).body.list.map(
      (row: { storeName: string }) => row.storeName,
    )
  expect([
    await names(people.operator),
    await names(people.stranger),
    await names(people.agent),
  ]).toEqual([['甲店'], ['乙店'], ['甲店']])
  expect(
    (await world.send(people.operator, 'GET', '/stores/people?orgId=3')).body.list.length,
  ).toBeGreaterThan(1)
  expect((await world.send(people.operator, 'GET', '/stores/people?orgId=4')).body.list).toEqual([])
  await expect(
    world.rows('update devices set store_id = $1 where id = 1', [other]),
  ).rejects.toThrow(/devices_store_fkey/)
  await world.rows('update devices set store_id = $1 where id = 1', [mine])
  expect(
    (await world.send(people.operator, 'GET', '/stores?keyword=甲')).body.list[0],
  ).toMatchObject({ deviceCount: 1, can: { delete: false } })
  expect((await world.send(people.reader, 'GET', '/stores')).status).toBe(403)
})
