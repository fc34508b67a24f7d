import { randomUUID } from 'node:crypto'
import { permissions } from '../../src/domains/accounts/permissions.ts'
import { roles } from '../../src/domains/accounts/roles.ts'
import { isPlatformOnly } from '../../src/domains/accounts/rules.ts'
import { seedAccess } from '../../src/domains/accounts/seed.ts'
import { refreshDeviceCounters } from '../../src/domains/machines/server/counters.ts'
import { orders } from '../../src/domains/orders/contract.ts'
import { refundKind } from '../../src/domains/orders/server/refunds.ts'
import { recordVend, takeCommands } from '../../src/domains/orders/server/vend.ts'
import { payments } from '../../src/domains/payments/contract.ts'
import { providers } from '../../src/domains/payments/server/providers.ts'
import { simulatorSign } from '../../src/domains/payments/server/verbs.ts'
import { settingsChanged } from '../../src/domains/settings/server/values.ts'
import { moveStock } from '../../src/domains/stock/server/move.ts'
import type { Ctx } from '../../src/server/context.ts'
import { systemScope } from '../../src/server/database.ts'
import { ensurePartitions } from '../../src/server/partitions.ts'
import { rowsOf } from '../../src/server/rows.ts'
import { bySystem } from '../../src/server/run.ts'
import type { DB } from '../../src/server/schema.ts'
import { runDue } from '../../src/server/work.ts'
import type { Endpoint } from '../../src/shared/contract.ts'
import {
  add,
  addDevice,
  addOrganisations,
  addUser,
  addRole as makeRole,
} from '../factories/things.ts'
import { startTestApi, type TestApi, type TestApiOptions } from './api.ts'
import { testDatabase } from './postgres.ts'

/**
 * A small business in which every domain has rows in every organisation. The actor under test
 * stands in OWN: platform 1 > agent 2 (PARENT) > operators 3 (OWN) and 4 (SIBLING); 3 > 7 (CHILD).
 * Row ids are organisation * 1000 + n, names carry the place, so that a leak is found by its text.
 */
export const place = { PLATFORM: 1, PARENT: 2, OWN: 3, SIBLING: 4, CHILD: 7 } as const
export type Place = keyof typeof place
const trees: Record<Place, { parent: number | null; kind: DB['organisations']['kind'] }> = {
  PLATFORM: { parent: null, kind: 'PLATFORM' },
  PARENT: { parent: 1, kind: 'AGENT' },
  OWN: { parent: 2, kind: 'OPERATOR' },
  SIBLING: { parent: 2, kind: 'OPERATOR' },
  CHILD: { parent: 3, kind: 'OPERATOR' },
}
export const rowId = (where: Place, n: number): number => place[where] * 1000 + n
/** Ids nobody has. */
export const missing = {
  id: 987_654_321,
  orderNum: '20261121999999999999',
  picture: 'files/99999999-0000-4000-8000-000000000000.png',
}
/** The second machine of OWN is nobody's: a replenisher of the first must not see it. */
export const unassigned = 11

/** Who holds every permission and may use this endpoint: codes of the platform work only there. */
export const fullFor = (endpoint: Endpoint): string => {
  // built-in roles, and machines that were sold or scrapped, belong to super administrators,
  // whatever others hold
  if (['/api/roles/{id}/restore', '/api/devices/{id}/restore'].includes(endpoint.path))
    return 'ROLE_SUPER_ADMIN'
  // one calendar for everybody: the platform's, though agents hold the code for their own settings
  if (endpoint.path === '/api/settings/calendar') return 'PLATFORM_FULL'
  return isPlatformOnly(endpoint.access) ? 'PLATFORM_FULL' : 'ROLE_FULL'
}

export type World = TestApi & {
  /** Order number of a place: one piece delivered, one failed and refunded. */
  orderNum(where: Place): string
  /** Of the first sale there. */
  voucherId(where: Place): number
  /** Buys, pays and lets the machine answer each piece. */
  sell(where: Place, results: readonly Result[]): Promise<string>
  system<T>(work: (ctx: Ctx) => Promise<T>): Promise<T>
}

export const worldNow = new Date('2026-11-21T06:00:00Z')

/**
 * Rows of places have ids of their own. Where what the product writes would be numbered like one of
 * them in the end, it is numbered past all of them: ten thousand runs raise more than a thousand
 * events.
 */
const numberedPastPlaces = `do $$ declare t record; most bigint; begin
  for t in select c.oid::regclass as name, pg_get_serial_sequence(c.oid::regclass::text, 'id') as seq
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'id'
      and a.attidentity <> ''
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  loop
    execute format('select max(id) from %s', t.name) into most;
    if most > (select coalesce(last_value, 0) from pg_sequences
      where format('%I.%I', schemaname, sequencename) = t.seq) and most < 100000
    then perform setval(t.seq, 99999); end if;
  end loop; end $$`

/**
 * The world in a database of its own. Filled once in a run for those who begin at `worldNow`, each
 * of whom has a clone of it.
 */
export async function openWorld(options: TestApiOptions = {}): Promise<World> {
  const { now = () => worldNow, on } = options
  const usual = !on && now().getTime() === worldNow.getTime()
  const database = usual
    ? await testDatabase({ filled: { name: 'world', fill: (ownerUrl) => fillApart(ownerUrl) } })
    : null
  const api = await startTestApi({
    ...options,
    now,
    ...(database ? { on: { ...database, serverUrl: database.ownerUrl } } : {}),
  })
  return database ? worldOf(api) : fill(api)
}

async function fillApart(ownerUrl: string): Promise<void> {
  const on = { ownerUrl, serverUrl: ownerUrl, drop: async () => {} }
  const world = await fill(await startTestApi({ now: () => worldNow, on }))
  await world.close()
}

async function worldOf(api: TestApi): Promise<World> {
  type First = { org: number; no: string; voucher: number }
  const firsts = new Map(
    (
      await api.sql<First>(
        `select k.org_id::int as org, min(k.voucher_id)::int as voucher,
          (array_agg(o.order_num order by o.id))[1] as no
        from ledger_voucher_keys k join orders o using (org_id) group by 1`,
      )
    ).map((first) => [first.org, first]),
  )
  const world: World = {
    ...api,
    orderNum: (where) => firsts.get(place[where])?.no as string,
    voucherId: (where) => firsts.get(place[where])?.voucher as number,
    sell: (where, results) => sell(world, where, results),
    system: (work) => bySystem(api.app, work),
  }
  return world
}

async function fill(api: TestApi): Promise<World> {
  await ensurePartitions(api.ownerUrl, worldNow, 1, 1)
  await api.app.database.transact(systemScope, (db) => seedAccess(db, worldNow))
  const world = await worldOf(api)
  for (const where of Object.keys(place) as Place[]) await addOrganisation(world, where)
  // rows of the product are numbered past those of the places
  await world.sql('alter table organisations alter column id restart with 100000')
  await addPeople(world)
  for (const where of Object.keys(place) as Place[]) {
    await addRole(world, where)
    await addGoods(world, where)
    await addSampleRows(world, where)
    await changeGoods(world, where)
    await sell(world, where, ['OK', 'MOTOR_NOT_MOVE'])
    await addFault(world, where)
    await addSecurityEvent(world, where)
    await addPlanogram(world, where)
    await addDesires(world, where)
    await addJob(world, where)
    await ownSubscription(world, where)
    await addNotice(world, where)
    await addComplaint(world, where)
    await addAlert(world, where)
    await addDepartment(world, where)
  }
  await runDue(api.app, refundKind(api.app, providers(api.app)))
  await world.sql(numberedPastPlaces)
  return worldOf(api)
}

/** What is sold first is of a batch: its goods take the place of those of unknown batch. */
async function changeGoods({ system }: World, where: Place): Promise<void> {
  const flow = { occurredAt: worldNow, actorKind: 'SYSTEM' as const }
  await system(async (ctx) => {
    for (const more of [
      { change: -8, type: 'MERCHANT_WITHDRAW' as const, reason: 'TAKE_BACK' as const },
      {
        change: 8,
        type: 'MERCHANT_REPLENISH' as const,
        reason: 'REFILL' as const,
        batchId: rowId(where, 1),
      },
    ])
      await moveStock(ctx, [{ laneId: rowId(where, 1), flow: { ...flow, ...more } }])
  })
}

/** What the domains say in test/conformance/samples; read late, for samples know this world. */
async function addSampleRows({ sql }: World, where: Place): Promise<void> {
  const { domains } = await import('./samples.ts')
  for (const { rows } of domains)
    for (const [table, row] of Object.entries(rows?.(where) ?? {}))
      for (const one of [row].flat()) await add(sql, table as keyof DB, one)
}

async function addOrganisation({ sql }: World, where: Place): Promise<void> {
  const { parent, kind } = trees[where]
  await addOrganisations(sql, [place[where], parent, kind, `机构${where}`])
  // the platform's stands already
  await sql('update organisations set name = $2 where id = $1', [place[where], `机构${where}`])
}

/**
 * One user per built-in role, named by the role's code, and the odd ones: all permissions, none,
 * disabled. Only `full` and `clerk` stand for row tests.
 */
async function addPeople({ sql }: World): Promise<void> {
  const homes: Record<string, Place> = {
    ROLE_SUPER_ADMIN: 'PLATFORM',
    ROLE_ADMIN: 'PLATFORM',
    ROLE_RTU_AGENT: 'PARENT',
    ROLE_DRUG_REGULATOR: 'PLATFORM',
  }
  const extra = [
    { code: 'ROLE_FULL', data_scope: 'ORG_TREE', codes: permissions.map((p) => p.code) },
    { code: 'ROLE_CLERK', data_scope: 'ASSIGNED_DEVICES', codes: permissions.map((p) => p.code) },
    { code: 'ROLE_NOTHING', data_scope: 'ORG_TREE', codes: [] },
  ] as const
  for (const { code, data_scope, codes } of extra) {
    // who holds nothing stands below whoever holds everything, so that he may act on him
    await makeRole(sql, { org_id: 1, code, data_scope, rank: codes.length ? 10 : 1 }, codes)
  }
  // whoever holds everything may add organisations of every kind, and people with nothing
  const full = `(select id from roles where code = 'ROLE_FULL')`
  await sql(
    `insert into role_distributions select ${full}, id from roles where code = 'ROLE_NOTHING'`,
  )
  await sql(
    `insert into role_distribution_limits (role_id, org_kinds)
      values (${full}, '{AGENT,OPERATOR,SPONSOR,SUPPLIER,SCHOOL,HOSPITAL,LANE_TENANT,REGULATOR}')`,
  )
  const people = [
    ...roles.map((role) => ({ username: role.code, role: role.code })),
    ...extra.map(({ code }) => ({ username: code, role: code })),
    { username: 'disabled', role: 'ROLE_SUPER_ADMIN' },
    // codes of the platform work only for its own people
    { username: 'PLATFORM_FULL', role: 'ROLE_FULL', home: 'PLATFORM' as const },
  ]
  for (const { username, role, home } of people.map((person) => ({ home: undefined, ...person }))) {
    const org_id = place[home ?? homes[role] ?? 'OWN']
    await addUser(
      sql,
      {
        org_id,
        username,
        real_name: username.slice(0, 30),
        phone: '13800138000',
        region_code: '440300',
      },
      role,
    )
  }
  await sql(`update users set status = 'DISABLED' where username = 'disabled'`)
  for (const where of Object.keys(place) as Place[]) {
    await addUser(
      sql,
      {
        id: rowId(where, 1),
        org_id: place[where],
        username: `user-${where}`,
        real_name: `员${where}`,
      },
      'ROLE_NOTHING',
    )
  }
}

/**
 * A custom role of the place with one page, and somebody whose role its giver may not give any
 * more.
 */
async function addRole({ sql }: World, where: Place): Promise<void> {
  const id = rowId(where, 1)
  const [code, name] = [`ROLE_C_${where}`, `角${where}`]
  await makeRole(sql, { id, org_id: place[where], code, name, name_en: name, rank: 5 }, [
    'device:read',
  ])
  await sql(
    `insert into role_menus select $1, id from menus
      where path in ('/device', '/device/device-list')`,
    [id],
  )
  // the matrix names roles, not organisations: whose role it is decides alone
  await sql(`insert into role_distributions select id, $1 from roles where code = 'ROLE_FULL'`, [
    id,
  ])
  await sql(
    `update user_roles set granted_by = user_id
      where user_id = (select id from users where username = $1)`,
    [`user-${where}`],
  )
}

const emptyLanes: readonly number[] = [3, 5, 6]

/**
 * A device type, category, product, picture and a machine with lanes 1, 2 on its first level and 3
 * to 6 on its second; 1, 2 and 4 are filled.
 */
async function addGoods({ sql, system }: World, where: Place): Promise<void> {
  const org = place[where]
  const id = rowId(where, 1)
  const own = { id, org_id: org }
  await add(sql, 'device_types', { ...own, name: `型${where}`, max_levels: 4, max_roads: 6 })
  await add(sql, 'product_categories', { ...own, name: `类${where}` })
  await sql(
    `insert into uploads (org_id, user_id, kind, mime, bytes, sha256, url)
      select $1, (select id from users where username = 'ROLE_FULL' and org_id = $1), 'IMAGE',
        'image/png', 10, 'x', $2`,
    [org, picture(where)],
  )
  const barcode = `6900000${String(org).padStart(5, '0')}`
  await add(sql, 'products', {
    ...own,
    category_id: id,
    name: `品${where}`,
    model: '500ml',
    images: [picture(where)],
    barcode,
  })
  await add(sql, 'main_boards', { ...own, board_no: `BOARD-${where}`, model: `板${where}` })
  const seen = { tries: 1, first_seen_at: worldNow, last_seen_at: worldNow }
  await add(sql, 'unknown_boards', {
    ...own,
    board_no: `UNKNOWN-${where}`,
    via: 'MQTT',
    model: `板${where}`,
    ...seen,
  })
  const site = {
    type_id: id,
    address: `址${where}`,
    lng: 114,
    lat: 22.5,
    created_at: new Date(Date.now() - 86_400_000),
  }
  const machine = {
    ...own,
    ...site,
    rtu_number: `${where}0001`,
    nickname: `机${where}`,
    board_no: `BOARD-${where}`,
    planogram_version: 1,
  }
  await addDevice(sql, machine, { last_seen_at: worldNow })
  await sql(
    `insert into activation_codes (org_id, device_id, code_hash, created_at, expires_at)
      values ($2, $1, $3, $4::timestamptz, $4::timestamptz + interval '1 hour')`,
    [id, org, Buffer.from(where), worldNow],
  )
  if (where === 'OWN') {
    const other = {
      id: rowId(where, unassigned),
      rtu_number: 'UNASSIGNED0001',
      nickname: '机UNASSIGNED',
      address: '址UNASSIGNED',
    }
    await addDevice(sql, { ...own, ...site, ...other, lifecycle: 'STOCK' }, { online: false })
  }
  for (const username of ['ROLE_CLERK', 'ROLE_RTU_REPLENISHER', 'ROLE_RTU_REPAIRER']) {
    await sql(
      `insert into device_assignments (org_id, device_id, user_id, kind)
        select org_id, $1, id, 'REPLENISHER' from users where username = $2 and org_id = $3`,
      [id, username, org],
    )
  }
  for (const level of [1, 2])
    await add(sql, 'lane_floors', {
      id: rowId(where, level),
      org_id: org,
      device_id: id,
      level,
      name: '层',
    })
  for (const n of [1, 2, 3, 4, 5, 6]) {
    const [road, col, floor_id] = n < 3 ? [n, n, rowId(where, 1)] : [n + 4, n - 2, rowId(where, 2)]
    const filled = emptyLanes.includes(n) ? {} : { product_id: id, price: 250, warn_qty: 2 }
    await add(sql, 'lanes', {
      id: rowId(where, n),
      org_id: org,
      device_id: id,
      floor_id,
      road_index: road,
      motor_no: road,
      col,
      ...filled,
    })
  }
  await system(async (ctx) => {
    const fill = (n: number) => ({
      laneId: rowId(where, n),
      flow: {
        change: 8,
        type: 'MERCHANT_REPLENISH' as const,
        reason: 'REFILL',
        occurredAt: worldNow,
        actorKind: 'USER' as const,
        actorId: null,
      },
    })
    const { deviceIds } = await moveStock(ctx, [fill(1), fill(2), fill(4)])
    refreshDeviceCounters(ctx, deviceIds)
  })
  await sql(
    `insert into device_message_keys (device_id, boot, seq, org_id, received_at)
      values ($1, 'b1', 1, $2, $3)`,
    [id, org, worldNow],
  )
  await sql(
    `insert into device_messages (org_id, created_at, device_id, boot, seq, kind, payload)
      values ($1, $2, $3, 'b1', 1, 'heartbeat', $4)`,
    [org, worldNow, id, JSON.stringify({ note: `报${where}` })],
  )
  await sql(
    `insert into operation_logs (org_id, created_at, id, username, level, action, content,
      resource_id, ip_address, request_id) values ($1, $2, $4, 'x', 'INFO', 'x', $3, '1', '', 'x')`,
    [org, worldNow, `志${where}`, logId(where)],
  )
  await sql(
    `insert into login_attempts (org_id, username, ok, reason, ip, user_agent, created_at)
      values ($1, $2, true, 'OK', '10.0.0.1', '', $3)`,
    [org, `user-${where}`, worldNow],
  )
  await sql(
    `insert into log_debug_sessions (id, org_id, user_id, created_at, until)
      values ($1, $2, $3, $4::timestamptz, $4::timestamptz + interval '1 hour')`,
    [logId(where), org, id, worldNow],
  )
  await sql(
    `insert into sessions (token_hash, user_id, org_id, ip, user_agent, created_at, last_seen_at,
      expires_at) values ($1, $2, $3, '', '', $4::timestamptz, $4::timestamptz,
      $4::timestamptz + interval '1 day')`,
    [Buffer.from(`session of ${where}`), id, org, worldNow],
  )
}

/** Of a log row and of a recording: far from what the sequence gives. */
export const logId = (where: Place): number => 900_000 + place[where]
export const picture = (where: Place): string =>
  `files/0000000${place[where]}-0000-4000-8000-000000000000.png`

/**
 * A department, a machine that somebody of the place serves, and his request for a new password.
 */
async function addDepartment({ sql }: World, where: Place): Promise<void> {
  const values = [rowId(where, 1), place[where]]
  await sql(`insert into departments (id, org_id, name) values ($1, $2, $3)`, [
    ...values,
    `部${where}`,
  ])
  await sql(
    `insert into device_assignments (id, org_id, device_id, user_id, kind, from_at)
      values ($1, $2, $1, $1, 'REPLENISHER', $3)`,
    [...values, worldNow],
  )
  await sql(
    `insert into password_resets (id, org_id, user_id, method) values ($1, $2, $1, 'ADMIN')`,
    values,
  )
}

/** A kept state of the lanes, a copy of them to other machines, and prices that wait. */
async function addPlanogram({ sql }: World, where: Place): Promise<void> {
  const id = rowId(where, 1)
  const lane = {
    level: 1,
    productId: id,
    productName: `品${where}`,
    capacity: 10,
    warnQty: 2,
    retailPrice: 300,
    price: 250,
    restriction: 0,
  }
  const lanes = [1, 2].map((n) => ({
    ...lane,
    road: n,
    col: n,
    motorNo: n,
    status: 'ENABLED',
    mergedInto: null,
  }))
  const doc = JSON.stringify({ floors: [{ level: 1, name: `层${where}` }], lanes })
  const values = [place[where], id, worldNow]
  await sql(
    `insert into planogram_versions (org_id, device_id, version, doc, diff, source, by_name,
      created_at) values ($1, $2, 1, $4, '[]', 'CREATE', $5, $3)`,
    [...values, doc, `员${where}`],
  )
  await sql(
    `insert into lane_copies (id, org_id, device_id, user_id, version, doc, parts, layout,
      created_at, finished_at) values ($2, $1, $2, $2, 1, $4, '{price}', 'SAME', $3, $3)`,
    [...values, doc],
  )
  await sql(
    `insert into lane_copy_targets (copy_id, org_id, device_id, state, before_version,
      after_version, written, done_at) values ($2, $1, $2, 'DONE', 1, 2, 1, $3)`,
    values,
  )
  await sql(
    `insert into price_schedules (id, org_id, device_id, user_id, by_name, run_at, next_at, lanes,
      created_at) values ($2, $1, $2, $2, $4, '2027-01-01', '2027-01-01', $5, $3)`,
    [
      ...values,
      `员${where}`,
      JSON.stringify([
        {
          laneId: id,
          road: 1,
          productId: id,
          productName: `品${where}`,
          from: 250,
          price: 240,
          retailPrice: 300,
        },
      ]),
    ],
  )
}

/** An alert, one of many machines, a channel, a rule, a mail server and a message on its way. */
async function addAlert({ sql }: World, where: Place): Promise<void> {
  const values = [rowId(where, 1), place[where], worldNow]
  const columns = 'id, org_id, device_id, kind, subject, level, since, opened_at, created_at'
  await sql(
    `insert into alerts (${columns}) values ($1, $2, $1, 'FAULT', $4, 'ERROR', $3, $3, $3)`,
    [...values, `警${where}`],
  )
  await sql(
    `insert into alerts (${columns})
      values ($1, $2, null, 'AREA_OFFLINE', '440305', 'ERROR', $3, $3, $3)`,
    [rowId(where, 2), place[where], worldNow],
  )
  await sql(
    `insert into alert_members (alert_id, device_id, org_id, since, cause)
      values ($4, $1, $2, $3, 'TIMEOUT')`,
    [...values, rowId(where, 2)],
  )
  await sql(
    `insert into alert_channels (id, org_id, type, name, url, created_at)
      values ($1, $2, 'WEBHOOK', $4, 'https://192.0.2.1/x', $3)`,
    [...values, `渠${where}`],
  )
  await sql(
    `insert into alert_rules (org_id, kind, enabled, updated_at) values ($1, 'FAULT', true, $2)`,
    [place[where], worldNow],
  )
  await sql(
    `insert into alert_mail_servers (org_id, host, port, security, sender, updated_at)
      values ($1, $2, 465, 'TLS', 'a@example.com', $3)`,
    [place[where], `mail-${where}.invalid`.toLowerCase(), worldNow],
  )
  await sql(
    `insert into alert_outbox (id, org_id, channel_id, alert_id, event, next_at, created_at)
      values ($1, $2, $1, $1, 'OPENED', $3, $3)`,
    values,
  )
}

async function addComplaint({ sql }: World, where: Place): Promise<void> {
  const id = rowId(where, 1)
  await sql(
    `insert into complaints (id, org_id, device_id, road, order_num, username, content, source,
      type, first_reply_due_at, resolve_due_at, created_at)
      values ($1, $2, $1, 1, $3, $4, $5, 'PHONE', 'OTHER', $6, $6, $6)`,
    [id, place[where], null, `客${where}`, `诉${where}`, worldNow],
  )
  await sql(
    `insert into complaint_entries (complaint_id, org_id, kind, username, content)
      values ($1, $2, 'NOTE', 'x', $3)`,
    [id, place[where], `记${where}`],
  )
}

/**
 * A published notice that one person of the place has not read, and a message: the actor's in his
 * tree, the administrator's elsewhere.
 */
async function addNotice({ sql }: World, where: Place): Promise<void> {
  const [id, org] = [rowId(where, 1), place[where]]
  await sql(
    `insert into notices (id, org_id, title, content, excerpt, state, publish_at, published_at,
      fanned_at, target_count, author_id)
      values ($1, $2, $3, $3, $3, 'PUBLISHED', $4, $4, $4, 1, $1)`,
    [id, org, `告${where}`, worldNow],
  )
  await sql(`insert into notice_targets (org_id, notice_id, everyone) values ($2, $1, true)`, [
    id,
    org,
  ])
  await sql(
    `insert into announcements (notice_id, org_id, sender, content, images, popup, must_confirm,
      pinned) values ($1, $2, 'x', $3, '{}', false, false, false)`,
    [id, org, `告${where}`],
  )
  await sql(
    `insert into messages (id, org_id, user_id, kind, title_zh, title_en, notice_id, created_at)
      values ($1, $2, $3, 'ANNOUNCEMENT', $4, $4, $3, $5)`,
    [rowId(where, 2), org, id, `告${where}`, worldNow],
  )
  await sql(
    `insert into messages (id, org_id, user_id, kind, title_zh, title_en, created_at)
      select $1, $2, u.id, 'SYSTEM', $3, $3, $4 from users u where u.username = $5`,
    [
      id,
      org,
      `息${where}`,
      worldNow,
      where === 'OWN' || where === 'CHILD' ? 'ROLE_FULL' : 'ROLE_SUPER_ADMIN',
    ],
  )
}

export const commandId = (where: Place): string =>
  `00000000-0000-4000-8000-${String(place[where]).padStart(12, '0')}`

/**
 * Settings that a machine has taken, a command it has done, an event and an hour of its sensors.
 */
async function addDesires({ sql }: World, where: Place): Promise<void> {
  const values = [rowId(where, 1), place[where], worldNow]
  await sql(
    `insert into device_configs (device_id, config_version, org_id, temp_min, temp_max, hum_min,
      hum_max, limit_per_order, limit_per_day, doc, created_at)
      values ($1, 1, $2, 2, 8, 20, 80, 0, 0, $4, $3)`,
    [
      ...values,
      JSON.stringify({
        lighting: [],
        defog: false,
        volume: 50,
        reportSeconds: 300,
        screenOffSeconds: 0,
        dropSensor: true,
        autoRefund: true,
      }),
    ],
  )
  await sql(
    `insert into device_shadows (device_id, kind, org_id, wanted, delivered, applied, wanted_at)
      values ($1, 'CONFIG', $2, 1, 1, 1, $3) on conflict do nothing`,
    values,
  )
  await sql(
    `insert into device_commands (cmd_id, org_id, device_id, type, state, issued_by, issued_at,
      expire_at, finished_at) values ($4, $2, $1, 'LOCK', 'DONE', $1, $3::timestamptz,
      $3::timestamptz + interval '30 s', $3)`,
    [...values, commandId(where)],
  )
  await sql(
    `insert into device_events (org_id, created_at, device_id, kind, data)
      values ($2, $3, $1, 'ONLINE', $4)`,
    [...values, JSON.stringify({ note: `事${where}` })],
  )
  await sql(
    `insert into device_moves (device_id, org_id, from_county, from_address, to_county, to_address,
      moved_at, told_at) values ($1, $2, '440304', $4, '440305', $4, $3, $3)`,
    [...values, `址${where}`],
  )
  await sql(
    `insert into outage_days (device_id, org_id, day, times, seconds)
      values ($1, $2, ($3::timestamptz at time zone 'Asia/Shanghai')::date, 1, 600)`,
    values,
  )
  await sql(
    `insert into telemetry_hours (device_id, hour, org_id, temp_min, temp_max, temp_sum, temp_count)
      values ($1, date_trunc('hour', $3::timestamptz), $2, 4, 5, 9, 2)`,
    values,
  )
}

/** An export of the person who holds everything there, or of somebody of that place. */
async function addJob({ sql }: World, where: Place): Promise<void> {
  await sql(
    `insert into jobs (id, org_id, user_id, kind, name, state, error, finished_at, created_at,
        row_errors)
      values ($1, $2, (select id from users where username = $3), 'EXPORT', '/api/products',
        'FAILED', $4, $5, $5, jsonb_build_array(jsonb_build_object('line', 3, 'text', $4::text)))`,
    [
      rowId(where, 1),
      place[where],
      where === 'OWN' ? 'ROLE_FULL' : `user-${where}`,
      `任${where}`,
      worldNow,
    ],
  )
}

/** As a job, it is its person's alone. */
async function ownSubscription({ sql }: World, where: Place): Promise<void> {
  if (where === 'OWN')
    await sql(
      `update subscriptions set user_id = (select id from users where username = 'ROLE_FULL')
        where id = $1`,
      [rowId(where, 1)],
    )
}

async function addSecurityEvent({ sql }: World, where: Place): Promise<void> {
  await sql(
    `insert into security_events (id, org_id, kind, subject, device_id, detail, first_at, last_at)
      values ($1, $2, 'MACHINE_CONTRADICTION', $3, $1, '{"why":"x"}', $4, $4)`,
    [rowId(where, 1), place[where], `安${where}`, worldNow],
  )
}

async function addFault({ sql, system }: World, where: Place): Promise<void> {
  await sql(
    `insert into device_faults (id, org_id, device_id, lane_id, code, level, detail, opened_at)
      values ($1, $2, $1, null, 'SENSOR_FAULT', 'WARN', $3, $4)`,
    [rowId(where, 1), place[where], `障${where}`, worldNow],
  )
  await system(async (ctx) => refreshDeviceCounters(ctx, [rowId(where, 1)]))
}

/** For crowds that order from one address and need not pay at once. */
export async function widenLimits({ app, sql }: Pick<World, 'app' | 'sql'>): Promise<void> {
  await sql(`insert into settings (org_id, key, value) select 1, key, '1000' from unnest(
    array['order.openPerMachine', 'order.openPerAddress', 'order.openPerNetwork']::text[]) key`)
  settingsChanged(app)
}

/** Lanes of a machine with goods hold as many pieces again; for crowds that empty them. */
export async function restock(world: World, deviceId: number, pieces: number): Promise<void> {
  await world.sql(
    'update lanes set capacity = 199 where device_id = $1 and product_id is not null',
    [deviceId],
  )
  await world.system(async (ctx) => {
    const lanes = await rowsOf<{ id: number; room: number }>(ctx.db)`
      select id, ${pieces}::int - quantity as room from lanes
      where device_id = ${deviceId} and product_id is not null and archived_at is null
        and quantity < ${pieces} order by id for no key update`
    await moveStock(
      ctx,
      lanes.map((lane) => ({
        laneId: lane.id,
        flow: {
          change: lane.room,
          type: 'MERCHANT_REPLENISH',
          reason: 'REFILL',
          occurredAt: ctx.now,
          actorKind: 'SYSTEM',
        },
      })),
    )
    refreshDeviceCounters(ctx, [deviceId])
  })
}

type Result = 'OK' | 'NO_DROP' | 'MOTOR_NOT_MOVE' | 'wait'
/** Where pieces come from: a motor that fails stops its lane, so it has one of its own (lane 4). */
const roadOf: Record<Result, number> = { OK: 1, wait: 1, NO_DROP: 2, MOTOR_NOT_MOVE: 8 }

async function sell(world: World, where: Place, results: readonly Result[]): Promise<string> {
  // what is asked for now: samples change prices
  const prices = new Map(
    (
      await world.sql<{ road: number; price: number }>(
        `select road_index as road, price::int from lanes
          where device_id = $1 and price is not null and archived_at is null`,
        [rowId(where, 1)],
      )
    ).map(({ road, price }) => [road, price]),
  )
  const items = [...Map.groupBy(results, (result) => roadOf[result])].map(([roadIndex, own]) => ({
    roadIndex,
    count: own.length,
    price: prices.get(roadIndex),
  }))
  const ordered = await world.call(orders.mobileOrder, {
    rtuNumber: `${where}0001`,
    items,
    payType: 'WECHAT',
    clientId: randomUUID(),
    consumer: `客${where}`,
  })
  if (ordered.status !== 200) throw new Error(`order refused: ${JSON.stringify(ordered.body)}`)
  const notice = {
    eventId: randomUUID(),
    outTradeNo: ordered.body.outTradeNo,
    tradeNo: randomUUID(),
    amount: ordered.body.payableAmount,
    paidAt: worldNow.toISOString(),
  }
  const paid = await world.call(payments.simulatorNotify, {
    ...notice,
    sign: simulatorSign(world.app.config.simPayKey, notice),
  })
  if (paid.body.result !== 'APPLIED')
    throw new Error(`payment refused: ${JSON.stringify(paid.body)}`)
  for (const result of results) {
    if (result === 'wait') break
    for (const out of await takeCommands(world.app, [rowId(where, 1)])) {
      await world.system((ctx) =>
        recordVend(ctx, [
          {
            kind: 'result',
            deviceId: out.deviceId,
            cmdId: out.cmdId,
            result,
            dropDetected: result === 'OK',
            durationMs: 900,
            at: worldNow,
          },
        ]),
      )
    }
  }
  return ordered.body.orderNum
}
