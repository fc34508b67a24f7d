import { afterAll, beforeAll, expect, test } from 'vitest'
import { addPermissions, grant } from '../../../../test/factories/things.ts'
import { openWorld, people, type World } from '../../devices/server/testWorld.ts'

const codes = ['read', 'create', 'update', 'delete'].map((action) => `program-group:${action}`)
let world: World
const creatives: Record<string, number> = {}
beforeAll(async () => {
  world = await openWorld()
  await addPermissions(world.sql, codes)
  await grant(world.sql, [901, 902, 903, 904, 905], codes)
  for (const [name, org, kind] of [
    ['own', 3, 'IMAGE'],
    ['film', 3, 'VIDEO'],
    ['agents', 2, 'IMAGE'],
    ['siblings', 4, 'IMAGE'],
  ] as const) {
    const film = kind === 'VIDEO'
    const { id } = await world.one<{ id: number }>(
      `with m as (insert into ad_materials (org_id, name, kind, file, sha256, bytes, width, height,
          duration_ms, state)
        values ($1, $2, $3, $4, $5, 9, 6, 4, $6, $7) returning id)
      insert into ad_creatives (org_id, material_id, title, seconds)
        select $1, id, $2, $8 from m returning id`,
      [
        ...[org, name, kind, `files/${name}.${film ? 'mp4' : 'png'}`],
        String(creatives.own ?? 0).padStart(64, String(org)),
        ...[film ? 14_000 : null, name === 'own' ? 'APPROVED' : 'PENDING', film ? 14 : 8],
      ],
    )
    creatives[name] = id
  }
})
afterAll(() => world.close())

const item = (name: string, seconds = 10) => ({ creativeId: creatives[name], seconds })
let n = 0
const create = (user: number, change: Record<string, unknown> = {}) => {
  n += 1
  return world.send(user, 'POST', '/program-groups', {
    ...{ name: `组${n}`, slotKind: 'FULL', items: [item('own')] },
    ...change,
  })
}

test.each([
  [{ name: ' ' }, 'name', '名称不能为空'],
  [{ items: [] }, 'items', '请选择广告创意'],
  [{ items: [{ creativeId: 987654, seconds: 5 }] }, 'items.0.creativeId', '请选择广告创意'],
  [{ items: [{ creativeId: 1, seconds: 301 }] }, 'items.0.seconds', '时长超出范围'],
  [{ windows: [] }, 'windows'],
  [{ windows: [{ from: '08:00', to: '08:00' }] }, 'windows.0.to', '结束时间必须晚于开始时间'],
  [{ windows: [{ from: '24:00', to: '08:00' }] }, 'windows.0.from'],
  [{ windows: [{ from: '08:00' }] }, 'windows.0.to', '结束时间不能为空'],
  [
    {
      windows: [
        { from: '22:00', to: '06:00' },
        { from: '05:00', to: '07:00' },
      ],
    },
    'windows',
    '节目组时间不能重叠',
  ],
  [{ price: 1 }, 'price'],
] as [Record<string, unknown>, string, string?][])('%o', async (change, field, message) => {
  const { status, body } = await create(people.operator, change)
  expect([status >= 400 && status < 500, body.errors[0].field]).toEqual([true, field])
  if (message) expect(body.errors[0].message).toBe(message)
})

test('its life', async () => {
  const { body } = await create(people.operator, {
    items: [item('film', 3), item('own', 6), item('film', 3)],
    windows: [
      { from: '22:00', to: '06:00' },
      { from: '06:00', to: '08:00' },
    ],
  })
  expect(body).toMatchObject({
    ...{ state: 'DRAFT', itemCount: 3, loopSeconds: 34, version: 1, orgId: 3 },
    // over midnight it is two, and what touches is one
    windows: [
      { from: '00:00', to: '08:00' },
      { from: '22:00', to: '24:00' },
    ],
  })
  expect(
    body.shows.map((one: { title: string; seconds: number; plays: boolean }) => [
      one.title,
      one.seconds,
      one.plays,
    ]),
  ).toEqual([
    ['film', 14, false],
    ['own', 6, true],
    ['film', 14, false],
  ])
  const url = `/program-groups/${body.id}`
  const act = (name: string, version: number, user = people.operator) =>
    world.send(user, 'POST', `${url}/${name}`, { version })
  expect((await act('disable', 1)).body.error).toBe('programGroups.wrongState')
  expect((await act('enable', 1, people.sibling)).status).toBe(404)
  expect((await act('enable', 1)).body).toMatchObject({ state: 'ENABLED', version: 2 })
  expect((await act('enable', 2)).body.error).toBe('programGroups.wrongState')
  const edit = { name: '改', slotKind: 'HALF', items: [item('own', 5)] }
  expect((await world.send(people.operator, 'PUT', url, { ...edit, version: 1 })).body.code).toBe(
    409001,
  )
  const edited = await world.send(people.operator, 'PUT', url, { ...edit, version: 2 })
  expect(edited.body).toMatchObject({ name: '改', itemCount: 1, loopSeconds: 5, state: 'ENABLED' })
  const copy = (name: string) => world.send(people.operator, 'POST', `${url}/copy`, { name })
  expect((await copy('改')).body.errors[0].message).toBe('名称已存在')
  expect((await copy('二')).body).toMatchObject({ state: 'DRAFT', loopSeconds: 5 })
  expect((await act('disable', 3)).body.state).toBe('DISABLED')
  expect((await world.send(people.operator, 'DELETE', `${url}?version=4`)).body).toEqual({
    ok: true,
  })
})

test('a group shows what its organisation or one below it has', async () => {
  expect((await create(people.operator, { items: [item('agents')] })).body.errors[0].field).toBe(
    'items.0.creativeId',
  )
  expect((await create(people.operator, { items: [item('siblings')] })).status).toBe(422)
  expect((await create(people.agent, { items: [item('siblings'), item('own')] })).status).toBe(200)
  // the agent's own group is not shown to those below him
  const names = async (user: number) =>
    (await world.send(user, 'GET', '/program-groups')).body.total as number
  expect([await names(people.sibling), (await names(people.agent)) > 0]).toEqual([0, true])
})
