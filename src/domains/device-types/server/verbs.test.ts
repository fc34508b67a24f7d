import { afterAll, beforeAll, expect, test } from 'vitest'
import { addDevice, openWorld, people, type World } from '../../devices/server/testWorld.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())
const fine = (change: Record<string, unknown> = {}) => ({
  name: '履带机',
  screen: false,
  refrigeration: true,
  pattern: 'belt',
  kind: 'GENERAL',
  dropSensor: true,
  ...change,
})
const send = (user: number, change: Record<string, unknown> = {}) =>
  world.send(user, 'POST', '/device-types', fine(change))

test('types of organisations above are seen, not changed; those of strangers are not there', async () => {
  const { body } = await world.send(people.operator, 'GET', '/device-types?sort=name')
  expect(
    body.list.map((t: { id: number; can: { update: boolean } }) => [t.id, t.can.update]).sort(),
  ).toEqual([
    [1, false],
    [2, false],
    [3, false],
  ])
  expect(
    (await world.send(people.operator, 'PUT', '/device-types/1', { ...fine(), version: 1 })).status,
  ).toBe(403)
  expect((await world.send(people.operator, 'DELETE', '/device-types/4')).status).toBe(403)
  expect((await world.send(people.reader, 'GET', '/device-types/options')).body.list).toHaveLength(
    3,
  )
})
test.each([
  [{ name: '' }, 'name', '请输入设备类型名称'],
  [{ name: 'x'.repeat(31) }, 'name'],
  [{ pattern: undefined }, 'pattern', '请选择出货方式'],
  [{ maxLevels: 21 }, 'maxLevels'],
  [{ maxRoads: 0 }, 'maxRoads'],
  [{ orgId: 1 }, 'orgId'],
] as [Record<string, unknown>, string, string?][])('%o is 400', async (change, field, message) => {
  const { status, body } = await send(people.platform, change)
  expect([status, body.errors[0].field]).toEqual([400, field])
  if (message) expect(body.errors[0].message).toBe(message)
})
test('create, edit, stale, duplicate, delete', async () => {
  const made = await send(people.platform)
  expect(made.body).toMatchObject({
    name: '履带机',
    maxLevels: 10,
    maxRoads: 10,
    deviceCount: 0,
    version: 1,
    can: { update: true, delete: true },
  })
  const again = await send(people.platform)
  expect([again.status, again.body.message, again.body.errors[0].field]).toEqual([
    409,
    '类型名称已存在',
    'name',
  ])
  const put = (change: Record<string, unknown>) =>
    world.send(people.platform, 'PUT', `/device-types/${made.body.id}`, {
      ...fine(),
      version: 1,
      ...change,
    })
  expect((await put({ pattern: 'lift', screen: true })).body.message).toBe('请填写屏幕尺寸')
  expect((await put({ pattern: 'lift', screen: true, screenSize: '32寸' })).body).toMatchObject({
    pattern: 'lift',
    screenSize: '32寸',
    version: 2,
  })
  expect((await put({})).body.code).toBe(409001)
  expect(
    (await world.send(people.platform, 'DELETE', `/device-types/${made.body.id}`)).body,
  ).toEqual({ ok: true })
  expect(
    (await world.send(people.platform, 'DELETE', `/device-types/${made.body.id}`)).status,
  ).toBe(404)
})
test('in use: pattern and limits stay, no deletion', async () => {
  await addDevice(world, 1, 3)
  expect(
    (
      await world.send(people.operator, 'POST', '/devices/1/lanes', {
        version: 0,
        levels: [{ columns: 4 }, { columns: 2 }],
      })
    ).status,
  ).toBe(200)
  const put = (change: Record<string, unknown>) =>
    world.send(people.platform, 'PUT', '/device-types/1', {
      ...fine({ name: '弹簧机', pattern: 'spring' }),
      version: 1,
      ...change,
    })
  expect((await put({ pattern: 'belt' })).body.message).toBe('该类型下已有设备，不能更改出货方式')
  expect((await put({ maxRoads: 3 })).body.message).toBe('已有货道超出新的层数或货道数')
  expect((await put({ maxLevels: 1 })).body.message).toBe('已有货道超出新的层数或货道数')
  const gone = await world.send(people.platform, 'DELETE', '/device-types/1')
  expect([gone.status, gone.body.code, gone.body.message]).toEqual([
    409,
    409003,
    '该类型下仍有 1 台设备，无法删除',
  ])
  expect((await put({ maxRoads: 4, maxLevels: 2 })).status).toBe(200)
})
