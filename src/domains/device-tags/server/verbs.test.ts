import { afterAll, beforeAll, expect, test } from 'vitest'
import { addPermissions, grant } from '../../../../test/factories/things.ts'
import { openWorld, people, type World } from '../../devices/server/testWorld.ts'

const codes = ['read', 'create', 'update', 'delete'].map((action) => `device-tag:${action}`)
let world: World
beforeAll(async () => {
  world = await openWorld()
  await addPermissions(world.sql, codes)
  await grant(world.sql, [901, 902, 903, 904, 905], codes)
})
afterAll(() => world.close())
const create = (user: number, change: Record<string, unknown> = {}) =>
  world.send(user, 'POST', '/device-tags', { name: '重点', tone: 'RED', ...change })

test.each([
  [{ name: ' ' }, 'name', '请输入名称'],
  [{ name: 'x'.repeat(21) }, 'name'],
  [{ tone: 'red' }, 'tone', '请选择颜色'],
  [{ balance: 1 }, 'balance'],
] as [Record<string, unknown>, string, string?][])('%o is 400', async (change, field, message) => {
  const { status, body } = await create(people.operator, change)
  expect([status, body.errors[0].field]).toEqual([400, field])
  if (message) expect(body.errors[0].message).toBe(message)
})

test('create, edit, stale, duplicate, delete', async () => {
  const made = await create(people.operator)
  expect(made.body).toMatchObject({
    name: '重点',
    tone: 'RED',
    orgId: 3,
    version: 1,
    can: { update: true, delete: true },
  })
  expect((await create(people.operator)).body.errors[0]).toEqual({
    field: 'name',
    message: '名称已存在',
  })
  expect((await create(people.sibling)).status).toBe(200)
  expect((await create(people.operator, { orgId: 4 })).status).toBe(404)
  expect((await create(people.platform, { orgId: 6 })).body.errors[0].field).toBe('orgId')
  const url = `/device-tags/${made.body.id}`
  const put = (user: number, version: number) =>
    world.send(user, 'PUT', url, { version, name: '次要', tone: 'GREY' })
  expect((await put(people.operator, 1)).body).toMatchObject({ name: '次要', version: 2 })
  expect((await put(people.operator, 1)).body.code).toBe(409001)
  expect((await put(people.sibling, 2)).status).toBe(404)
  const remove = (version: number) =>
    world.send(people.operator, 'DELETE', `${url}?version=${version}`)
  expect((await remove(1)).body.code).toBe(409001)
  expect((await remove(2)).body).toEqual({ ok: true })
  expect((await remove(2)).status).toBe(404)
})

test('everybody sees his own and those below him', async () => {
  await create(people.operator, { name: '甲' })
  await create(people.stranger, { name: '乙' })
  const names = async (user: number, url = '/device-tags/options') =>
    (await world.send(user, 'GET', url)).body.list.map((row: { name: string }) => row.name)
  expect(await names(people.operator)).toEqual(['甲'])
  expect(await names(people.stranger)).toEqual(['乙'])
  expect((await names(people.agent)).sort()).toEqual(['甲', '重点'].sort())
  expect(await names(people.agent, '/device-tags/options?orgId=3')).toEqual(['甲'])
  expect(await names(people.platform, '/device-tags?keyword=乙')).toEqual(['乙'])
  expect(await names(people.platform, '/device-tags?tone=GREY')).toEqual([])
  expect((await world.send(people.reader, 'GET', '/device-tags')).status).toBe(403)
})
