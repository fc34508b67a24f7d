import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { add, addPermissions, grant } from '../../../../test/factories/things.ts'
import { pagesTouched } from '../../../../test/support/pages.ts'
import type { Ctx } from '../../../server/context.ts'
import type { Input } from '../../../shared/contract.ts'
import { devices } from '../contract.ts'
import { addDevice, openWorld, people, type World } from './testWorld.ts'
import { handlers } from './verbs.ts'

let world: World
/** Machines 1 and 2 of operator 3, 3 of operator 4; tags 1 and 2 of operator 3, 3 of 4, 4 of 5. */
beforeAll(async () => {
  world = await openWorld()
  await addPermissions(world.sql, ['device-tag:read'])
  await grant(world.sql, [903], ['device-tag:read'])
  for (const [id, org] of [
    [1, 3],
    [2, 3],
    [3, 4],
  ] as const)
    await addDevice(world, id, org)
  for (const [id, org_id, name] of [
    [1, 3, '重点'],
    [2, 3, '校园'],
    [3, 4, '别家'],
    [4, 5, '外人'],
  ] as const)
    await add(world.sql, 'device_tags', { id, org_id, name, tone: 'BLUE' })
})
afterAll(() => world.close())
beforeEach(() => world.rows('delete from device_tag_links'))

const tag = (user: number, ids: number[], on: number[], off: number[] = []) =>
  world.send(user, 'POST', '/devices/batch-tags', { ids, on, off })
const names = async (id: number) =>
  (await world.send(people.platform, 'GET', `/devices/${id}`)).body.tags.map(
    (found: { name: string }) => found.name,
  )
const found = async (query: string, user = people.agent) =>
  (await world.send(user, 'GET', `/devices?sort=rtuNumber&${query}`)).body.list.map(
    (row: { id: number }) => row.id,
  )

test('on, off, in the list, in the detail and as a filter', async () => {
  expect((await tag(people.operator, [1, 2], [1, 2])).body).toMatchObject({ done: 2, skipped: 0 })
  expect((await tag(people.operator, [2], [], [2])).body.done).toBe(1)
  expect([await names(1), await names(2)]).toEqual([['校园', '重点'], ['重点']])
  const { body } = await world.send(people.operator, 'GET', '/devices?sort=rtuNumber')
  expect(body.list[1].tags).toEqual([{ id: 1, name: '重点', tone: 'BLUE' }])
  expect([await found('tagIds=1'), await found('tagIds=2'), await found('tagIds=2,3')]).toEqual([
    [1, 2],
    [1],
    [1],
  ])
  const options = await world.send(people.operator, 'GET', '/device-tags/options')
  expect(options.body.list.map((row: { id: number }) => row.id)).toEqual([2, 1])
})

test('each machine gets those of its own organisation; who has none of them is skipped', async () => {
  const { body } = await tag(people.agent, [1, 3], [1])
  expect(body).toMatchObject({ done: 1, skipped: 1 })
  expect(body.results[1]).toMatchObject({ id: 3, ok: false, reason: '标签不属于该设备的所属用户' })
  await tag(people.agent, [1, 3], [2, 3])
  expect([await names(1), await names(3)]).toEqual([['校园', '重点'], ['别家']])
})

test('a trial does nothing; the log says what each machine carried and carries', async () => {
  const query = 'ids=1&on=1'
  const trial = await world.send(people.operator, 'GET', `/devices/batch-tags?${query}`)
  expect([trial.body.done, await names(1)]).toEqual([1, []])
  await tag(people.operator, [1], [1])
  await tag(people.operator, [1], [2], [1])
  const rows = await world.rows(
    `select content, before, after from operation_logs
      where action = 'devices.tagMany' and resource_id = '1' order by id desc limit 2`,
  )
  expect(rows).toMatchObject([
    { content: '调整设备标签：HD000001', before: { tags: ['重点'] }, after: { tags: ['校园'] } },
    { before: { tags: [] }, after: { tags: ['重点'] } },
  ])
})

test('what is not seen is not there, what is closed stays', async () => {
  expect((await tag(people.operator, [3], [1])).status).toBe(404)
  expect((await tag(people.operator, [1], [4])).status).toBe(404)
  expect((await tag(people.reader, [1], [1])).status).toBe(403)
  expect((await tag(people.operator, [1], [])).body.errors[0].message).toBe('请选择标签')
  await world.rows(
    `update devices set lifecycle = 'SOLD', board_no = null, card = null where id = 2`,
  )
  expect((await tag(people.operator, [2], [1])).body.skipped).toBe(1)
  await world.rows(`update devices set lifecycle = 'OPERATING' where id = 2`)
})

test('the database holds tag, machine and organisation together', async () => {
  const link = (org: number, device: number, tagId: number) =>
    add(world.sql, 'device_tag_links', { org_id: org, device_id: device, tag_id: tagId })
  await expect(link(3, 1, 3)).rejects.toThrow(/device_tag_links_org_id_tag_id_fkey/)
  await expect(link(4, 1, 3)).rejects.toThrow(/machine 1 is not of organisation 4/)
  await tag(people.operator, [1], [1, 2])
  await world.rows('update devices set org_id = 4 where id = 1')
  expect(await names(1)).toEqual([])
  await world.rows('update devices set org_id = 3 where id = 1')
  await tag(people.operator, [1], [1])
  await world.rows('delete from device_tags where id = 1')
  expect(await names(1)).toEqual([])
})

test('the page of the list costs what it did, however many tags there are; a filter reads its tag', async () => {
  await world.rows(
    `with d as (insert into devices (org_id, rtu_number, nickname, type_id, province, city, county,
      address, kind, lifecycle, drop_sensor, secret_hash)
      select 3, 'C' || lpad(n::text, 6, '0'), 'c', 1, '440000', '440300', '440305', 'a', 'GENERAL',
        'OPERATING', true, 'x' from generate_series(1, 2000) n returning id)
    insert into device_states (device_id, org_id, online) select id, 3, true from d`,
  )
  await world.rows(`insert into device_tags (id, org_id, name, tone)
    select 100 + n, 3, 'many' || n, 'RED' from generate_series(1, 40) n`)
  const scope = { all: false, orgs: [3], ancestors: [1, 2], devices: null, watched: [] }
  const pages = async (input: Record<string, unknown> = {}) => {
    // or it depends on when the server last cleaned up
    await world.rows('vacuum analyze')
    return pagesTouched(world.app, scope, (ctx) =>
      (handlers.list as (ctx: Ctx, input: Input<typeof devices.list>) => Promise<unknown>)(
        ctx,
        devices.list.input.parse(input),
      ),
    )
  }
  const before = await pages()
  // three of each machine, and one that ten machines carry
  await world.rows(`insert into device_tag_links (org_id, device_id, tag_id)
    select 3, d.id, 101 + (d.id + n) % 39 from devices d, generate_series(1, 3) n
      where d.org_id = 3`)
  await world.rows(`insert into device_tag_links (org_id, device_id, tag_id)
    select 3, id, 140 from devices where org_id = 3 order by id limit 10 on conflict do nothing`)
  const [after, filtered] = [await pages(), await pages({ tagIds: [140] })]
  expect(after - before).toBeLessThan(40)
  // all that carry any tag lie in 45 pages
  expect(filtered - before).toBeLessThan(30)
})
