import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { permissions } from '../../src/domains/accounts/permissions.ts'
import { loadPerson } from '../../src/domains/accounts/server/people.ts'
import { roles } from '../../src/domains/roles/contract.ts'
import { users } from '../../src/domains/users/contract.ts'
import { createRandom, type Random } from '../../src/seed/random.ts'
import type { Scope } from '../../src/server/database.ts'
import { openWatch } from '../../src/server/watch.ts'
import type { Access, Endpoint } from '../../src/shared/contract.ts'
import { endpointNamed, endpoints } from '../support/registry.ts'
import { openWorld, type Place, place, rowId, type World } from '../support/world.ts'
import { ask, readsOf } from './foreign.ts'
import { params, samples } from './samples.ts'

/**
 * The walls between organisations: whatever the people of one write into roles, give each other,
 * call their region or move about, nobody of theirs reaches a row outside their own subtree. The
 * one scope that leads out is the platform's alone to give.
 */
const seed = process.env.MODEL_SEED ?? String(Date.now() % 1_000_000)
const steps = Number(process.env.WALL_STEPS ?? 160)
let world: World
let tables: { name: string; inherited: boolean }[]
const subtrees: Record<number, number[]> = {
  1: [1, 2, 3, 4, 7],
  2: [2, 3, 4, 7],
  3: [3, 7],
  4: [4],
  7: [7],
}
const ancestors: Record<number, number[]> = { 1: [], 2: [1], 3: [1, 2], 4: [1, 2], 7: [1, 2, 3] }
const tokens = new Map<string, string>()
const as = async (who: string) =>
  tokens.get(who) ?? tokens.set(who, await world.login(who)).get(who)
const call = async (who: string, endpoint: Endpoint, input: Record<string, unknown> = {}) =>
  world.call(endpoint, input, { token: await as(who) })
const roleId = async (code: string) =>
  Number((await world.sql<{ id: number }>('select id from roles where code = $1', [code]))[0]?.id)
const userId = async (name: string) =>
  Number(
    (await world.sql<{ id: number }>('select id from users where username = $1', [name]))[0]?.id,
  )
const versionOf = async (table: string, id: number) =>
  (await world.sql<{ version: number }>(`select version from ${table} where id = $1`, [id]))[0]
    ?.version

async function addPerson(
  username: string,
  org: number,
  role: string,
  region = '',
): Promise<number> {
  const [made] = await world.sql<{ id: number }>(
    `insert into users (org_id, username, password_hash, real_name, phone, region_code)
      values ($1, $2, 'x', $2, '13800138000', $3) returning id`,
    [org, username, region],
  )
  await world.sql(
    'insert into user_roles (user_id, role_id, org_id) select $1, id, $2 from roles where code = $3',
    [made?.id, org, role],
  )
  return Number(made?.id)
}

beforeAll(async () => {
  world = await openWorld()
  tables = await world.sql<{ name: string; inherited: boolean }>(`
    select c.relname as name, exists (select from pg_policy p
      where p.polrelid = c.oid and p.polname = 'inherited') as inherited
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id'
      and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relrowsecurity and c.relkind in ('r', 'p')
      and not c.relispartition order by 1`)
  // every place has a drug machine in the region, of a store where a pharmacist was there, and
  // SIBLING one more machine that is none
  await world.sql(
    `update devices set kind = 'DRUG', licence_no = 'x', dispensing_mode = 'UNATTENDED',
      store_id = id + 1 where id = any($1)`,
    [Object.keys(place).map((where) => rowId(where as Place, 1))],
  )
  await world.sql(
    `update products set drug_class = 'OTC_B', approval_no = '国药准字Z' || lpad(id::text, 8, '0'),
      dosage_form = 'x', manufacturer = 'x'`,
  )
  await world.sql('update batches set cost_price = 77')
  await world.sql(
    `insert into devices (id, org_id, rtu_number, nickname, type_id, province, city, county,
      address, kind, lifecycle, drop_sensor, secret_hash)
      values (4050, 4, 'PLAIN0001', '普通SIBLING', 4001, '440000', '440300', '440305', 'x', 'GENERAL',
        'STOCK', true, '\\x00')`,
  )
  await world.sql('insert into device_states (device_id, org_id) values (4050, 4)')
  // what lies in it is of batch 4050, and nothing of that lies in the drug machine
  await world.sql(`begin;
    insert into batches (id, org_id, product_id, supplier_id, batch_no, produced_on, expires_on)
      values (4050, 4, 4001, 4001, '普批SIBLING', '2026-11-01', '2027-11-01');
    insert into lane_floors (id, org_id, device_id, level, name) values (4050, 4, 4050, 1, '1');
    insert into lanes (id, org_id, device_id, floor_id, road_index, col, motor_no, product_id,
      price, retail_price, capacity, quantity, layered, goods_expire_on)
      values (4050, 4, 4050, 4050, 1, 1, 1, 4001, 300, 300, 10, 1, true, '2027-11-01');
    insert into lane_layers (org_id, device_id, lane_id, pos, batch_id, qty)
      values (4, 4050, 4050, 1, 4050, 1);
    commit`)
  for (const target of [
    'ROLE_DRUG_REGULATOR',
    'ROLE_ADMIN',
    'ROLE_RTU_AGENT',
    'ROLE_RTU_REPLENISHER',
  ])
    await world.sql(
      `insert into role_distributions select a.id, b.id from roles a, roles b
        where a.code in ('ROLE_FULL', 'ROLE_CLERK', 'ROLE_RTU_AGENT', 'ROLE_ORG_MANAGER')
          and b.code = $1 on conflict do nothing`,
      [target],
    )
  await addPerson('manager', place.OWN, 'ROLE_ORG_MANAGER')
  // much in his hands, and over no machine
  await world.sql(
    `insert into roles (org_id, code, name, name_en, rank, data_scope)
      values (1, 'ROLE_C_NARROW', '窄', 'x', 1, 'OWN_LANES')`,
  )
  await world.sql(
    `insert into role_permissions select r.id, p.code from roles r, permissions p
      where r.code = 'ROLE_C_NARROW'`,
  )
  const patchwork = await addPerson('patchwork', place.OWN, 'ROLE_ORG_MANAGER')
  await world.sql(
    `insert into user_roles (user_id, role_id, org_id) select $1, id, 3 from roles
      where code = 'ROLE_C_NARROW'`,
    [patchwork],
  )
  await addPerson('watcher', place.PLATFORM, 'ROLE_DRUG_REGULATOR', '440300')
})
afterAll(() => world?.close())

/**
 * Organisations whose rows a connection with this scope sees, by table; only what the subtree does
 * not explain.
 */
async function beyond(scope: Scope, home: number): Promise<string[]> {
  const own = subtrees[home] as number[]
  const above = [...own, ...(ancestors[home] as number[])]
  const parts = tables.map(
    ({ name, inherited }) =>
      sql`select ${name} as name, org_id from ${sql.table(name)}
        where not org_id = any(${inherited ? above : own}::bigint[]) group by org_id`,
  )
  const { rows } = await world.app.database.read(scope, (db) =>
    sql<{ name: string; org_id: number }>`${sql.join(parts, sql` union all `)}`.execute(db),
  )
  return rows.map((row) => `${row.name} of ${row.org_id}`)
}

const form = (change: Record<string, unknown> = {}) => ({
  name: `角${Math.random().toString(36).slice(2, 10)}`,
  nameEn: '',
  description: '',
  dataScope: 'ORG_TREE',
  rank: 5,
  permissions: ['device:read'],
  menus: [],
  ...change,
})

describe('the region is the platform’s alone', () => {
  it('nobody else writes it into a role, by whatever verb', async () => {
    expect(
      (await call('ROLE_FULL', roles.create, form({ dataScope: 'REGION_DRUGS' }))).body.error,
    ).toBe('roles.scopeTooWide')
    const made = (await call('ROLE_FULL', roles.create, form({ dataScope: 'ASSIGNED_DEVICES' })))
      .body
    const edited = await call('ROLE_FULL', roles.update, {
      ...form({ dataScope: 'REGION_DRUGS' }),
      id: made.id,
      version: made.version,
    })
    expect(edited.body.error).toBe('roles.scopeTooWide')
    const copied = await call('ROLE_FULL', roles.copy, {
      id: await roleId('ROLE_DRUG_REGULATOR'),
      name: '抄来的角色',
    })
    expect([copied.status, copied.body.dataScope]).toEqual([200, 'ORG_TREE'])
    expect((await call('ROLE_FULL', roles.catalogue)).body.can.scopes).not.toContain('REGION_DRUGS')
    expect((await call('ROLE_SUPER_ADMIN', roles.catalogue)).body.can.scopes).toContain(
      'REGION_DRUGS',
    )
    await expect(
      world.sql(`update roles set data_scope = 'REGION_DRUGS' where id = $1`, [made.id]),
    ).rejects.toThrow('roles_region_is_of_the_platform')
  })
  it('nobody else gives it, and it counts for nobody in the organisation of a tenant', async () => {
    const [id, role] = [
      await addPerson('insider', place.OWN, 'ROLE_NOTHING', '440300'),
      await roleId('ROLE_DRUG_REGULATOR'),
    ]
    const given = { id, version: 1, roleIds: [role] }
    expect((await call('ROLE_FULL', users.setRoles, given)).status).toBe(403)
    expect((await call('ROLE_SUPER_ADMIN', users.setRoles, given)).body.message).toBe(
      '请选择所属监管机构',
    )
    const insert = () =>
      world.sql('insert into user_roles (user_id, role_id, org_id) values ($1, $2, 3)', [id, role])
    await expect(insert()).rejects.toThrow('out of place')
    // a row from before the rule
    await world.sql('alter table user_roles disable trigger role_home')
    await insert()
    await world.sql('alter table user_roles enable trigger role_home')
    const person = await loadPerson(world.app.database, id)
    expect([person?.scope.watched, person?.permissions.has('device:read')]).toEqual([null, true])
    expect(await beyond(person?.scope as Scope, place.OWN)).toEqual([])
  })
})

describe('a regulator', () => {
  const read = (name: string, input: Record<string, unknown>) =>
    call('watcher', endpointNamed(name), input)
  it('sees the drug machines of the region with what they hold, and nothing else of their owners', async () => {
    const machines = (await read('devices.list', { pageSize: 200 })).body.list
    expect(machines.map((row: { id: number }) => row.id).sort()).toEqual([
      1001, 2001, 3001, 4001, 7001,
    ])
    expect((await read('devices.detail', { id: 4001 })).body).toMatchObject({
      nickname: '机SIBLING',
      replenishers: [],
      repairers: [],
    })
    expect(JSON.stringify(machines)).toContain('机构SIBLING')
    expect((await read('devices.detail', { id: 4050 })).status).toBe(404)
    expect(JSON.stringify((await read('products.list', {})).body)).toContain('品SIBLING')
    expect(JSON.stringify((await read('deviceTypes.list', {})).body)).toContain('型SIBLING')
    expect(JSON.stringify((await read('lanes.plan', { deviceId: 4001 })).body)).toContain(
      '品SIBLING',
    )
    expect(JSON.stringify((await read('stock.flows', {})).body)).toContain('品SIBLING')
    // the batch that lies in the machine, none that lies only in another of the same owner
    const lying = JSON.stringify((await read('batches.list', { pageSize: 200 })).body)
    expect(lying).toContain('"批SIBLING')
    expect(lying).not.toContain('普批SIBLING')
    // what its owner paid for it is not his
    expect(lying).not.toMatch(/"costPrice":\d/)
    const { scope } = (await loadPerson(
      world.app.database,
      await userId('watcher'),
    )) as NonNullable<Awaited<ReturnType<typeof loadPerson>>>
    const { rows } = await world.app.database.read(scope, (db) =>
      sql<{ table: string; id: number }>`select 'batches' as table, id::int from batches
        where org_id = 4 union all select 'layers', device_id::int from lane_layers where org_id = 4
        order by 1`.execute(db),
    )
    expect(rows).toEqual([
      { table: 'batches', id: 4001 },
      { table: 'layers', id: 4001 },
    ])
  })
  it('reads nothing of staff, complaints, money, roles or settings, also with every permission there is', async () => {
    await world.sql(
      `insert into roles (org_id, code, name, name_en, rank, data_scope)
        values (1, 'ROLE_C_ALL', '全权监管', 'x', 5, 'REGION_DRUGS')`,
    )
    await world.sql(
      `insert into role_permissions select r.id, p.code from roles r, permissions p
        where r.code = 'ROLE_C_ALL'`,
    )
    const id = await addPerson('almighty', place.PLATFORM, 'ROLE_C_ALL', '440300')
    const person = await loadPerson(world.app.database, id)
    expect(person?.scope.watched).toContain(4001)
    // another role beside it adds nothing
    await world.sql(
      `insert into user_roles (user_id, role_id, org_id) select $1, id, 1 from roles
        where code = 'ROLE_ADMIN'`,
      [id],
    )
    const both = await loadPerson(world.app.database, id)
    expect([
      both?.scope.all,
      [...(both?.permissions ?? [])].filter((code) =>
        /:(create|update|delete|door|refund|reset-password|cost|money)$/.test(code),
      ),
    ]).toEqual([false, ['upload:create']])
    const seen = new Set(
      (
        await beyond(both?.scope as Scope, place.PLATFORM).then(() =>
          beyondOwn(both?.scope as Scope),
        )
      ).map((line) => line.replace(/ of .*/, '')),
    )
    expect([...seen]).toEqual(watchedTables)
    expect(
      JSON.stringify((await call('almighty', endpointNamed('devices.faults'), { id: 4001 })).body),
    ).toContain('障SIBLING')
    const sold = await call('almighty', endpointNamed('orders.list'), {
      from: '2026-11-15',
      to: '2026-11-21',
    })
    expect(JSON.stringify(sold.body)).toContain('SIBLING')
    expect(
      sold.body.list.every((row: { costPrice: number | null }) => row.costPrice === null),
    ).toBe(true)
  })
  it('changes nothing, not even when a verb let him', async () => {
    const { scope } = (await loadPerson(
      world.app.database,
      await userId('watcher'),
    )) as NonNullable<Awaited<ReturnType<typeof loadPerson>>>
    const changed = await world.app.database.transact(scope, (db) =>
      sql`update lanes set quantity = 0 where device_id = 4001`.execute(db),
    )
    expect(changed.numAffectedRows).toBe(0n)
  })
  it('hears that something changed at these machines, and nothing of another of the same owner', async () => {
    const person = (await loadPerson(world.app.database, await userId('watcher'))) as NonNullable<
      Awaited<ReturnType<typeof loadPerson>>
    >
    const heard: string[] = []
    const watch = openWatch(
      world.app.database,
      world.app.product.topics,
      () => person,
      (topics) => heard.push(...topics),
      (error) => heard.push(String(error)),
      0,
    )
    const heardAfter = async (work: string, change: Record<string, number[]>) => {
      await world.sql(work)
      watch.hear(change)
      await new Promise((go) => setTimeout(go, 400))
      return heard.splice(0)
    }
    expect(await heardAfter('select 1', {})).toEqual([])
    expect(
      await heardAfter('update device_states set rsrp = -70 where device_id = 4050', {
        devices: [4],
        orders: [4],
        lanes: [4],
      }),
    ).toEqual([])
    expect(
      await heardAfter('update device_states set rsrp = -71 where device_id = 4001', {
        devices: [5],
        users: [4],
      }),
    ).toEqual([])
    expect(
      await heardAfter('update lanes set warn_qty = 1 where device_id = 4001', { lanes: [4] }),
    ).toEqual(['devices', 'lanes'])
    expect(
      await heardAfter('update orders set consumer = consumer where device_id = 4001', {
        orders: [4],
      }),
    ).toEqual([])
    watch.end()
    expect(
      await heardAfter('update lanes set warn_qty = 2 where device_id = 4001', { lanes: [4] }),
    ).toEqual([])

    await world.http.listen({ host: '127.0.0.1', port: 0 })
    const stop = new AbortController()
    const { port } = world.http.server.address() as AddressInfo
    const stream = await fetch(`http://127.0.0.1:${port}/api/me/events`, {
      headers: { authorization: String(await as('watcher')) },
      signal: stop.signal,
    })
    setTimeout(async () => {
      await world.sql(
        'update device_states set rsrp = -72 where device_id = any(array[4001, 4050])',
      )
      world.app.live.publish(['devices'], 4)
    }, 400)
    let text = ''
    for await (const chunk of stream.body as ReadableStream<Uint8Array>) {
      text += new TextDecoder().decode(chunk)
      if (text.includes('data:')) break
    }
    expect(text).toContain('data: {"topics":["devices"]}')
    stop.abort()
  })
})
/** The tables a region opens, to the word. */
const watchedTables = [
  'batches', // of what lies in his machines, as their products: recalls are followed by them
  'device_configs',
  'device_events',
  'device_faults',
  'device_shadows',
  'device_states',
  'device_types',
  'devices',
  'drug_guard_refusals',
  'evidence_packs', // who made which of his machines
  'lane_floors',
  'lane_layers', // which batches lie in his machines
  'lanes',
  'order_events',
  'order_keys',
  'order_units',
  'orders',
  'pharmacist_duties', // who was there for the store of his machines
  'planogram_versions',
  'product_categories',
  'products',
  'special_purchases', // who bought packs that are registered, masked
  'stock_flows',
  'telemetry_hours',
  'temperature_excursions',
]
/** Tables with rows of SIBLING. */
async function beyondOwn(scope: Scope): Promise<string[]> {
  const parts = tables.map(
    ({ name }) => sql`select ${name} as name from ${sql.table(name)} where org_id = 4 group by 1`,
  )
  const { rows } = await world.app.database.read(scope, (db) =>
    sql<{ name: string }>`${sql.join(parts, sql` union all `)}`.execute(db),
  )
  return rows.map((row) => row.name).sort()
}

const scopes = [
  'ALL',
  'ORG_TREE',
  'ASSIGNED_DEVICES',
  'OWN_LANES',
  'OWN_BUDGET',
  'OWN_GOODS',
  'REGION_DRUGS',
]
/** Whoever may give anything, those who hold every permission more often. */
const givers = [
  ...Array(5).fill('ROLE_FULL'),
  ...Array(5).fill('patchwork'),
  'PLATFORM_FULL',
  'PLATFORM_FULL',
  'ROLE_CLERK',
  'manager',
  'ROLE_RTU_AGENT',
  'ROLE_RTU_SP',
  'ROLE_ADMIN',
] as string[]
const regions = ['440000', '440300', '440305']

type Grants = {
  roles: Map<number, { builtin: boolean; on: boolean; reach: number; codes: Set<string> }>
  hands: Map<string, [user: number, role: number]>
}
/** Over no machine, over those assigned, over those of the own tree, over everything. */
const reachOf: Record<string, number> = {
  OWN_LANES: 0,
  OWN_BUDGET: 0,
  OWN_GOODS: 0,
  ASSIGNED_DEVICES: 1,
  ORG_TREE: 2,
  REGION_DRUGS: 2,
  ALL: 3,
}
async function grants(): Promise<Grants> {
  const rows = await world.sql<{
    id: number
    builtin: boolean
    on: boolean
    scope: string
    codes: string[]
  }>(`select r.id::int, r.builtin, r.status = 'ENABLED' as on,
    r.data_scope as scope, array(select permission_code from role_permissions p
      where p.role_id = r.id) as codes from roles r`)
  const hands = await world.sql<{ user_id: string; role_id: string }>(
    'select user_id, role_id from user_roles',
  )
  return {
    roles: new Map(
      rows.map((row) => [
        row.id,
        { ...row, reach: reachOf[row.scope] as number, codes: new Set(row.codes) },
      ]),
    ),
    hands: new Map(
      hands.map((row) => [
        `${row.user_id} ${row.role_id}`,
        [Number(row.user_id), Number(row.role_id)],
      ]),
    ),
  }
}
/**
 * What custom roles, or people through them, hold since then and whoever did it did not hold as
 * widely.
 */
function givenBeyond(who: number, before: Grants, after: Grants): string[] {
  const own = [...before.hands.values()]
    .flatMap(([user, role]) => (user === who ? (before.roles.get(role) ?? []) : []))
    .filter((role) => role.on)
  const holds = (code: string, reach: number) =>
    own.some((role) => role.reach >= reach && role.codes.has(code))
  const given = new Set(
    [...after.hands].flatMap(([key, [, role]]) => (before.hands.has(key) ? [] : [role])),
  )
  return [...after.roles].flatMap(([id, now]) => {
    const was = before.roles.get(id)
    if (now.builtin || !now.on) return []
    const fresh = [...now.codes].filter(
      (code) => given.has(id) || !was?.on || was.reach !== now.reach || !was.codes.has(code),
    )
    return fresh.filter((code) => !holds(code, now.reach)).map((code) => `${code} by role ${id}`)
  })
}

/**
 * One random thing somebody does to grants; what is refused is fine, what is not refused must not
 * widen anything.
 */
async function step(draw: Random, people: number[], made: number[]): Promise<string> {
  const who = draw.pick(givers)
  const codes = permissions.map((p) => p.code).filter(() => draw.int(0, 3) > 0)
  const allRoles = (await world.sql<{ id: number }>('select id from roles order by id')).map(
    (row) => Number(row.id),
  )
  const some = <T>(from: readonly T[]) => [...new Set([draw.pick(from), draw.pick(from)])]
  const person = draw.pick(draw.chance(0.7) ? people.slice(0, 4) : people)
  const role = draw.pick(made.length && draw.int(0, 2) ? made : allRoles)
  const held = (await loadPerson(world.app.database, await userId(who)))?.permissions ?? new Set()
  // with its reads, or the form is wrong
  const listed = codes
    .filter((code) => held.has(code))
    .filter(
      (code, _, all) => all.includes(`${code.split(':')[0]}:read`) || code.endsWith(':lookup'),
    )
  const written = {
    dataScope: draw.chance(0.4)
      ? draw.pick(['REGION_DRUGS', 'ASSIGNED_DEVICES'])
      : draw.pick(scopes),
    rank: draw.int(1, 6),
    permissions: listed.length ? listed : ['device:read'],
  }
  const acts: [Endpoint, () => Promise<Record<string, unknown>>][] = [
    [roles.create, async () => form(written)],
    [
      roles.update,
      async () => ({ ...form(written), id: role, version: await versionOf('roles', role) }),
    ],
    [
      roles.setStatus,
      async () => ({
        id: role,
        version: await versionOf('roles', role),
        status: draw.pick(['ENABLED', 'DISABLED']),
      }),
    ],
    [roles.copy, async () => ({ id: role, name: form().name })],
    [
      users.setRoles,
      async () => ({
        id: person,
        version: await versionOf('users', person),
        roleIds: draw.chance(0.7) ? [role] : some([...made, role]),
      }),
    ],
    [users.batchRoles, async () => ({ ids: some(people), roleIds: [role] })],
    [
      users.create,
      async () => ({
        ...(await samples['users.create']?.(world)),
        orgId: draw.pick([2, 3, 4, 7]),
        roleIds: [role],
        regionCode: draw.pick(regions),
      }),
    ],
    [
      users.update,
      async () => ({
        ...(await samples['users.update']?.(world)),
        id: person,
        version: await versionOf('users', person),
        regionCode: draw.pick(regions),
      }),
    ],
    [
      users.setDevices,
      async () => ({
        id: person,
        deviceIds: some([1001, 2001, 3001, 4001, 4050, 7001, rowId('OWN', 11)]),
      }),
    ],
    [
      endpointNamed('distribution.assign'),
      async () => ({ id: draw.pick([3001, 4001, 7001]), kind: 'REPLENISHER', userIds: [person] }),
    ],
    [
      endpointNamed('distribution.transfer'),
      async () => ({
        id: rowId('OWN', 11),
        version: await versionOf('devices', rowId('OWN', 11)),
        orgId: draw.pick([2, 3, 4, 7]),
      }),
    ],
    [
      endpointNamed('organisations.move'),
      async () => ({
        id: 7,
        version: await versionOf('organisations', 7),
        parentId: draw.pick([1, 2, 4]),
      }),
    ],
  ]
  // whoever stands above may move the organisation; then the subtrees of this file were wrong
  // roles in hands are what counts
  if (draw.chance(0.3)) acts.splice(0, 9, acts[4] as (typeof acts)[number])
  const [endpoint, input] = draw.pick(
    ['ROLE_ADMIN', 'ROLE_RTU_AGENT', 'PLATFORM_FULL'].includes(who) ? acts.slice(0, -1) : acts,
  )
  const before = await grants()
  const { status, body } = await call(who, endpoint, await input())
  const wide = status === 200 ? givenBeyond(await userId(who), before, await grants()) : []
  expect(wide.slice(0, 3), `seed ${seed}: ${who} ${endpoint.path}`).toEqual([])
  if (status === 200 && endpoint === users.create) people.push(body.id)
  if (status === 200 && (endpoint === roles.create || endpoint === roles.copy)) made.push(body.id)
  return `${who} ${endpoint.path} ${status}`
}

/**
 * Every right of everybody among these people leads at most to his own subtree; answers the
 * distinct scopes.
 */
async function widened(
  people: readonly number[],
): Promise<{ wrong: string[]; scopes: Map<string, { scope: Scope; home: number; user: number }> }> {
  const wrong: string[] = []
  const found = new Map<string, { scope: Scope; home: number; user: number }>()
  for (const user of people) {
    const person = await loadPerson(world.app.database, user)
    if (!person) continue
    const own = subtrees[person.orgId] as number[]
    for (const right of [...person.permissions, 'self']) {
      const scope = person.scopeOf(right as Access)
      if (scope.all || scope.watched || scope.orgs.some((org) => !own.includes(org)))
        wrong.push(`${user} of ${person.orgId} by ${right}: ${JSON.stringify(scope)}`)
      found.set(JSON.stringify([scope, person.orgId]), { scope, home: person.orgId, user })
    }
  }
  return { wrong, scopes: found }
}

describe('random grants', () => {
  it(
    `never lead out of the own subtree (seed ${seed})`,
    async () => {
      const draw = createRandom(seed)
      const people = await Promise.all(
        [3, 3, 3, 7, 7, 2, 4].map((org, n) =>
          addPerson(`pawn-${n}`, org, 'ROLE_NOTHING', draw.pick(regions)),
        ),
      )
      // lies in the distribution of those who give, as an administrator may have put it
      const made = [await roleId('ROLE_DRUG_REGULATOR')]
      const done = new Map<string, number>()
      const seen = new Map<string, { scope: Scope; home: number; user: number }>()
      for (let n = 0; n < steps; n++) {
        // whoever was given a role as high as the giver's cannot be given another
        if (n % 8 === 7)
          people.unshift(
            await addPerson(`pawn-${n}-new`, draw.pick([3, 7]), 'ROLE_NOTHING', draw.pick(regions)),
          )
        const what = await step(draw, people, made)
        done.set(what, (done.get(what) ?? 0) + 1)
        if (n % 20 < 19) continue
        const { wrong, scopes: reached } = await widened(people)
        expect([...new Set(wrong)], `seed ${seed}, after ${n} steps, last ${what}`).toEqual([])
        for (const [key, value] of reached) seen.set(key, value)
      }
      // grants did happen, or nothing was tested
      expect(
        [...done].filter(([what]) => what.endsWith(' 200')).length,
        JSON.stringify([...done]),
      ).toBeGreaterThan(4)
      for (const { scope, home } of seen.values())
        expect(await beyond(scope, home), `seed ${seed}`).toEqual([])
      const wrong: string[] = []
      for (const [username] of await strongest(people, 4)) wrong.push(...(await tells(username)))
      expect(wrong, `seed ${seed}`).toEqual([])
    },
    steps * 400,
  )
})

/** Those of OWN and CHILD who may do most. */
async function strongest(people: readonly number[], most: number): Promise<[string, number][]> {
  const own = await Promise.all(people.map((id) => loadPerson(world.app.database, id)))
  const strong = own.filter(
    (person) => person && [place.OWN, place.CHILD].some((org) => org === person.orgId),
  )
  return strong
    .map((person): [string, number] => [person?.username ?? '', person?.permissions.size ?? 0])
    .sort((a, b) => b[1] - a[1])
    .slice(0, most)
}

/** What every list tells this person of SIBLING, and which details of its rows he opens. */
async function tells(username: string): Promise<string[]> {
  const token = (await as(username)) as string
  const wrong: string[] = []
  for (const entry of endpoints.filter(
    ({ endpoint }) => endpoint.kind === 'read' && endpoint.access !== 'open',
  )) {
    const [input] = readsOf(entry, world)
    if (!input) continue
    if (JSON.stringify((await ask(world, entry, input, token)).body).includes('SIBLING'))
      wrong.push(`${username} ${entry.name}`)
    const foreign = params(entry.endpoint, 'SIBLING', world)
    if (!Object.keys(foreign).length) continue
    const { status } = await ask(world, entry, { ...input, ...foreign }, token)
    if (status === 200) wrong.push(`${username} opens ${entry.name}`)
  }
  return wrong
}
