import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpointNamed, endpoints } from '../../../../test/support/registry.ts'
import { openWorld, place, rowId, type World } from '../../../../test/support/world.ts'
import type { MenuNode } from '../../../shared/person.ts'
import { roles as builtin } from '../../accounts/roles.ts'
import { session } from '../../session/contract.ts'
import { roles } from '../contract.ts'
import type { Explanation, RowAnswer } from '../explained.ts'

/** The explanation against the enforcement: whatever it says must be what really happens. */
let world: World
let admin: string
const people = [...builtin.map((role) => role.code), 'ROLE_FULL', 'ROLE_CLERK', 'ROLE_NOTHING']
const ids = new Map<string, number>()
beforeAll(async () => {
  world = await openWorld()
  admin = await world.login('ROLE_SUPER_ADMIN')
  for (const { id, username } of await world.sql<{ id: number; username: string }>(
    'select id, username from users',
  ))
    ids.set(username, Number(id))
}, 120_000)
afterAll(() => world?.close())

async function explained(
  username: string,
  input: Record<string, unknown> = {},
): Promise<Explanation> {
  const { status, body } = await world.call(
    roles.explain,
    { id: ids.get(username), ...input },
    { token: admin },
  )
  expect([username, status]).toEqual([username, 200])
  return body
}

const accesses = [
  ...new Set(
    endpoints.map(({ endpoint }) => endpoint.access).filter((access) => access.includes(':')),
  ),
]
/** One endpoint for each right; the unknown field keeps it from doing anything. */
const probes = accesses.map((access) => ({
  access,
  endpoint: (
    endpoints.find(({ endpoint }) => endpoint.access === access) as (typeof endpoints)[number]
  ).endpoint,
}))

describe('rights', () => {
  test.each(people)('of %s are those of every endpoint', async (username) => {
    const token = await world.login(username)
    const { rights } = await explained(username)
    const granted = new Map(rights.map((right) => [right.permission, right]))
    const wrong: unknown[] = []
    for (const { access, endpoint } of probes) {
      const values = Object.fromEntries(
        [...endpoint.path.matchAll(/\{(\w+)\}/g)].map((m) => [m[1] as string, 1]),
      )
      const { status } = await world.call(endpoint, { ...values, surelyUnknown: 1 }, { token })
      const right = granted.get(access)
      if ((status !== 403) !== right?.granted) wrong.push([access, status, right])
      if (right && right.granted !== (right.reason === null))
        wrong.push([access, 'a reason where none is needed, or none where one is', right])
      if (right?.granted && (!right.through.length || !right.scopes.length))
        wrong.push([access, 'no role or scope named', right])
    }
    expect(wrong).toEqual([])
  })
  test('what is missing is named', async () => {
    const reasonOf = async (username: string, code: string) =>
      (await explained(username, { code })).rights[0]?.reason
    expect(await reasonOf('ROLE_RTU_SP', 'user:create')).toBe('NO_ROLE_LISTS')
    expect(await reasonOf('ROLE_FULL', 'menu:create')).toBe('PLATFORM_ONLY')
    await world.sql(
      `delete from role_permissions
        where permission_code = 'product:read' and role_id = (select id from roles
          where code = 'ROLE_SUPPLIER')`,
    )
    const lone = (await explained('ROLE_SUPPLIER', { code: 'product:update' })).rights[0]
    expect([lone?.reason, lone?.read, lone?.granted]).toEqual([
      'READ_MISSING',
      'product:read',
      false,
    ])
    await world.sql(
      `insert into role_permissions select id, 'product:read' from roles
        where code = 'ROLE_SUPPLIER'`,
    )
    await world.sql(
      `insert into role_permissions select id, 'device:delete' from roles
        where code = 'ROLE_DRUG_REGULATOR'`,
    )
    expect(await reasonOf('ROLE_DRUG_REGULATOR', 'device:delete')).toBe('REGULATOR_READS')
    await world.sql(
      `delete from role_permissions
        where permission_code = 'device:delete' and role_id = (select id from roles
          where code = 'ROLE_DRUG_REGULATOR')`,
    )
    await world.sql(`update roles set status = 'DISABLED' where code = 'ROLE_FINANCE'`)
    expect(await reasonOf('ROLE_FINANCE', 'order:read')).toBe('ROLE_DISABLED')
    await world.sql(`update roles set status = 'ENABLED' where code = 'ROLE_FINANCE'`)
    const closed = await explained('disabled', { code: 'order:read' })
    expect([closed.closed, closed.rights[0]?.reason]).toEqual(['USER_DISABLED', 'CLOSED'])
  })
  test('one asks about oneself without a right to ask about others', async () => {
    const token = await world.login('ROLE_RTU_REPLENISHER')
    expect((await world.call(roles.why, { code: 'order:refund' }, { token })).body).toMatchObject({
      right: { granted: false, reason: 'NO_ROLE_LISTS' },
      roles: [{ identifier: 'ROLE_RTU_REPLENISHER' }],
    })
    expect(
      (await world.call(roles.explain, { id: ids.get('ROLE_RTU_SP') }, { token })).status,
    ).toBe(403)
  })
})

const pathsIn = (nodes: MenuNode[]): string[] =>
  nodes.flatMap((node) => [node.path, ...pathsIn(node.children)])

describe('pages', () => {
  test.each(people)('of %s are those of his menus', async (username) => {
    const served = pathsIn(
      (await world.call(session.user, {}, { token: await world.login(username) })).body.menus,
    )
    const { pages } = await explained(username)
    expect(
      pages
        .filter((page) => page.shown)
        .map((page) => page.path)
        .sort(),
    ).toEqual(served.filter((path) => pages.some((page) => page.path === path)).sort())
    expect(pages.filter((page) => page.shown === (page.reason !== null))).toEqual([])
  })
  test('a stopped menu, a stopped group, a right taken away', async () => {
    const reasonOf = async (page: string) =>
      (await explained('ROLE_RTU_SP', { page })).pages[0]?.reason
    expect(await reasonOf('/order/order-list')).toBeNull()
    await world.sql(`update menus set status = 'DISABLED' where path = '/order/order-list'`)
    expect(await reasonOf('/order/order-list')).toBe('MENU_DISABLED')
    await world.sql(`update menus set status = 'ENABLED' where path = '/order/order-list'`)
    await world.sql(`update menus set status = 'DISABLED' where path = '/order'`)
    expect(await reasonOf('/order/order-list')).toBe('GROUP_DISABLED')
    await world.sql(`update menus set status = 'ENABLED' where path = '/order'`)
    await world.sql(
      `delete from role_permissions
        where permission_code = 'order:read' and role_id = (select id from roles
          where code = 'ROLE_RTU_SP')`,
    )
    expect(await reasonOf('/order/order-list')).toBe('NO_RIGHT')
    await world.sql(
      `insert into role_permissions select id, 'order:read' from roles where code = 'ROLE_RTU_SP'`,
    )
    expect(await reasonOf('/organ/organ-user')).toBe('NO_ROLE_LISTS')
  })
})

/**
 * Ids or numbers a person's own list shows, and the rows of the world the explainer is asked about.
 */
const kinds: Record<
  RowAnswer['resource'],
  { list: string; field: string; input: Record<string, unknown>; rows(): Promise<string[]> }
> = {
  device: {
    list: 'devices.list',
    field: 'rtuNumber',
    input: {},
    rows: async () => [...Object.keys(place).map((where) => `${where}0001`), 'UNASSIGNED0001'],
  },
  order: {
    list: 'orders.list',
    field: 'orderNum',
    input: {},
    rows: async () =>
      Object.keys(place).map((where) => world.orderNum(where as keyof typeof place)),
  },
  product: {
    list: 'products.list',
    field: 'id',
    input: {},
    rows: async () =>
      Object.keys(place).map((where) => String(rowId(where as keyof typeof place, 1))),
  },
  user: {
    list: 'users.list',
    field: 'username',
    input: {},
    rows: async () => Object.keys(place).map((where) => `user-${where}`),
  },
  organisation: {
    list: 'accounts.organisationOptions',
    field: 'id',
    input: {},
    rows: async () => Object.values(place).map(String),
  },
}

/** One of each kind of scope. */
const watchers = [
  'ROLE_SUPER_ADMIN',
  'ROLE_RTU_AGENT',
  'ROLE_RTU_REPLENISHER',
  'ROLE_LANE_TENANT',
  'ROLE_DRUG_REGULATOR',
  'ROLE_FULL',
  'ROLE_CLERK',
]

describe('rows', () => {
  test.each(Object.keys(kinds) as RowAnswer['resource'][])(
    '%s: visible where the list shows it, and nowhere else',
    { timeout: 120_000 },
    async (resource) => {
      const kind = kinds[resource]
      const endpoint = endpointNamed(kind.list)
      const paged = 'pageSize' in endpoint.input.shape
      const wrong: unknown[] = []
      const rules = new Set<string>()
      for (const username of watchers) {
        const token = await world.login(username)
        const answer = await world.call(
          endpoint,
          { ...kind.input, ...(paged ? { pageSize: 200 } : {}) },
          { token },
        )
        for (const row of await kind.rows()) {
          const found = (
            await explained(username, { resource, rowId: row, code: 'message:read', page: '/' })
          ).row as RowAnswer
          rules.add(found.rule)
          if (answer.status === 403) {
            if (found.rule !== 'NO_RIGHT')
              wrong.push([username, row, 'no right to the list, and yet', found.rule])
            continue
          }
          // options of organisations open for everybody; their list needs its own right
          if (found.rule === 'NO_RIGHT' && resource === 'organisation') continue
          const listed = (answer.body.list as Record<string, unknown>[]).some(
            (entry) => String(entry[kind.field] ?? entry.userName) === row,
          )
          if (listed !== found.visible) wrong.push([username, row, listed, found.rule])
        }
      }
      expect(wrong).toEqual([])
      // the world meets both sides of the rule
      expect(rules.size).toBeGreaterThan(2)
    },
  )
  test('a row the asker does not see is not told of', async () => {
    const token = await world.login('ROLE_ORG_MANAGER')
    const ask = async (rowNumber: string) =>
      (
        await world.call(
          roles.explain,
          { id: ids.get('user-OWN'), resource: 'user', rowId: rowNumber },
          { token },
        )
      ).body.row
    expect((await ask('user-CHILD')).rule).toBe('NO_RIGHT')
    expect(await ask('user-SIBLING')).toMatchObject({
      rule: 'NOT_FOUND',
      id: null,
      name: '',
      orgName: '',
    })
    expect(
      (await world.call(roles.explain, { id: ids.get('user-SIBLING') }, { token })).status,
    ).toBe(404)
    // nor a machine by whoever reads no machines
    const machine = await world.call(
      roles.explain,
      { id: ids.get('user-OWN'), resource: 'device', rowId: 'OWN0001' },
      { token },
    )
    expect(machine.body.row).toMatchObject({ rule: 'NOT_FOUND', id: null, name: '', orgName: '' })
  })
})
