import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '../../../../test/support/registry.ts'
import { permissions } from '../../accounts/permissions.ts'
import { devices } from '../../devices/contract.ts'
import { organisations } from '../../organisations/contract.ts'
import { users } from '../../users/contract.ts'
import { addRole, openWorld, type World } from '../../users/server/testWorld.ts'
import { session } from '../contract.ts'

let world: World
let root = ''
beforeAll(async () => {
  world = await openWorld()
  root = await world.login('boss')
})
afterAll(() => world.close())
const through = (token: string, headers: Record<string, string>) => ({
  call: (endpoint: Parameters<World['call']>[0], input: Record<string, unknown> = {}) =>
    world.call(endpoint, input, { token, headers }),
})
const group = (menu: { name: string }) => menu.name

describe('a previewed role', () => {
  test('shows its menus and rights, no more than the own ones, and changes nothing', async () => {
    const id = await world.roleId('ROLE_RTU_REPLENISHER')
    const role = through(root, { 'x-view-role': String(id) })
    const { body } = await role.call(session.user)
    expect(body).toMatchObject({
      role: 'ROLE_RTU_REPLENISHER',
      is_superuser: false,
      view: { kind: 'role', id, name: { zh: '补货员', en: 'Replenisher' } },
    })
    expect(body.menus.map(group)).toEqual(['stock', 'log', 'complaint'])
    expect(body.permissions).not.toContain('user:create')
    expect((await role.call(users.list, {})).status).toBe(403)
    expect((await role.call(session.editProfile, { realName: 'x', version: 1 })).body.code).toBe(
      403004,
    )
    expect((await world.call(session.user, {}, { token: root })).body.view).toBeNull()
  })
  test('only for those who may, of roles they see', async () => {
    const chief = await world.login('chief')
    const id = await world.roleId('ROLE_SUPER_ADMIN')
    const seen = await through(chief, { 'x-view-role': String(id) }).call(session.user)
    const own = (await world.call(session.user, {}, { token: chief })).body
    if (own.permissions.includes('role:preview')) {
      expect(own.permissions).toEqual(expect.arrayContaining(seen.body.permissions))
    } else expect(seen.status).toBe(403)
    expect((await through(root, { 'x-view-role': '999999' }).call(session.user)).status).toBe(404)
    expect((await through(root, { 'x-view-role': "1' or 1=1" }).call(session.user)).status).toBe(
      404,
    )
    expect(
      (await through(root, { 'x-view-role': '1', 'x-view-org': '1' }).call(session.user)).status,
    ).toBe(400)
  })
})

test('whether a second factor must be set up hangs on the own rights, through a view too', async () => {
  await world.sql(
    `insert into settings (org_id, key, value)
      values (1, 'session.secondFactor', '"money-and-secrets"') on conflict (org_id, key) do update
      set value = excluded.value`,
  )
  const id = await world.roleId('ROLE_RTU_REPLENISHER')
  const due = async (headers: Record<string, string>) => {
    const { body } = await through(root, headers).call(session.user)
    return body.mustSetUpFactor
  }
  expect([await due({}), await due({ 'x-view-role': String(id) })]).toEqual([true, true])
  await world.sql(`delete from settings where key = 'session.secondFactor'`)
})

describe('a view gives nothing', () => {
  /** Everything an answer allows, by where it stands. */
  const allowed = (value: unknown, path = ''): string[] =>
    value === true
      ? path.endsWith('/hidden')
        ? []
        : [path]
      : typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([key, below]) =>
            allowed(
              below,
              `${path}/${Array.isArray(value) ? ((below as { id?: number })?.id ?? key) : key}`,
            ),
          )
        : []
  /** The platform's manager: nearly every right, below the super administrator. */
  const manager = async () => {
    await addRole(
      world,
      1,
      'ROLE_C_MANAGER',
      95,
      permissions.map((p) => p.code),
    )
    await world.sql(`update roles set data_scope = 'ALL' where code = 'ROLE_C_MANAGER'`)
    await world.addUser('manager', 1, 'ROLE_C_MANAGER')
    return world.login('manager')
  }
  test('to whoever looks: no row, right or button that he has not without it, whatever the role', async () => {
    const token = await manager()
    const wrong: string[] = []
    const plain = endpoints.filter(
      ({ endpoint }) =>
        endpoint.kind === 'read' &&
        endpoint.access !== 'open' &&
        endpoint.input.safeParse({}).success,
    )
    const alone = new Map<string, Awaited<ReturnType<World['call']>>>()
    for (const { name, endpoint } of plain)
      alone.set(name, await world.call(endpoint, {}, { token }))
    for (const code of ['ROLE_SUPER_ADMIN', 'ROLE_RTU_AGENT', 'ROLE_DRUG_REGULATOR']) {
      const role = through(token, { 'x-view-role': String(await world.roleId(code)) })
      for (const { name, endpoint } of plain) {
        const own = alone.get(name) as Awaited<ReturnType<World['call']>>
        const seen = await role.call(endpoint)
        if (seen.status === 200 && own.status !== 200) wrong.push(`${code} opens ${name}`)
        if (seen.status !== 200 || own.status !== 200) continue
        const more = new Set(allowed(seen.body)).difference(new Set(allowed(own.body)))
        const rows = (body: { list?: unknown }) => (Array.isArray(body.list) ? body.list.length : 0)
        // what is refused meanwhile leaves lines
        const grows = name === 'audit.list'
        if (more.size || (!grows && rows(seen.body) > rows(own.body)))
          wrong.push(`${code} ${name}: ${[...more].slice(0, 5)}`)
      }
    }
    expect(wrong).toEqual([])
  })
})

describe('another organisation', () => {
  test('shows its rows only and changes nothing', async () => {
    const org = through(root, { 'x-view-org': '3' })
    const all = (await world.call(users.list, { pageSize: 200 }, { token: root })).body.total
    const below = (await org.call(users.list, { pageSize: 200 })).body
    expect(below.total).toBeGreaterThan(0)
    expect(below.total).toBeLessThan(all)
    expect(new Set(below.list.map((row: { operatorId: number }) => row.operatorId))).toEqual(
      new Set([3]),
    )
    expect((await org.call(session.user)).body).toMatchObject({
      view: { kind: 'org', id: 3 },
      canViewAs: false,
    })
    const [row] = (
      await world.call(organisations.list, { pageSize: 200 }, { token: root })
    ).body.list.filter((one: { id: number }) => one.id === 3)
    const refusal = await org.call(organisations.setStatus, {
      id: 3,
      status: 'DISABLED',
      version: row.version,
      pauseDevices: false,
    })
    expect(refusal.body.code).toBe(403004)
    // whoever is looked through reads neither who looked nor what he tried
    const lines = await world.sql(
      `select distinct org_id, actor_org_id from operation_logs
        where result = 'REFUSED' and username = 'boss'`,
    )
    expect(lines.map((line) => [Number(line.org_id), Number(line.actor_org_id)])).toEqual([[1, 1]])
    expect(await world.sql('select status from organisations where id = 3')).toEqual([
      { status: 'ENABLED' },
    ])
  })
  test('is not for people outside the platform', async () => {
    expect(
      (await through(await world.login('chief'), { 'x-view-org': '3' }).call(session.user)).status,
    ).toBe(403)
    expect((await through(root, { 'x-view-org': '404' }).call(session.user)).status).toBe(404)
  })
})

test('whoever has to change a password does nothing else before', async () => {
  const id = await world.addUser('fresh-1', 3, 'ROLE_RTU_SP', { must_change_password: true })
  const token = await world.login('fresh-1')
  expect((await world.call(devices.list, {}, { token })).body.code).toBe(403005)
  expect((await world.call(session.user, {}, { token })).body.mustChangePassword).toBe(true)
  await world.sql('update users set must_change_password = false where id = $1', [id])
  expect((await world.call(devices.list, {}, { token })).body.code).not.toBe(403005)
})
