import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  fullFor,
  openWorld,
  place,
  rowId,
  type World,
  worldNow,
} from '../../../../test/support/world.ts'
import { systemActor } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { buildHttp } from '../../../server/http.ts'
import { hashPassword } from '../../../server/passwords.ts'
import { act, systemCaller } from '../../../server/run.ts'
import { runDue } from '../../../server/work.ts'
import { contracts } from '../../product.ts'
import { products } from '../../products/contract.ts'
import { session } from '../../session/contract.ts'
import { audit } from '../contract.ts'
import { copyHead } from './chain/heads.ts'
import { sealOnce } from './chain/seal.ts'
import { checkKind } from './checks.ts'
import { retire } from './jobs.ts'

let world: World
let full: string
let platform: string
beforeAll(async () => {
  world = await openWorld()
  full = await world.login('ROLE_FULL')
  platform = await world.login('ROLE_SUPER_ADMIN')
})
afterAll(() => world?.close())

const own = rowId('OWN', 1)
const list = async (input: Record<string, unknown> = {}, token = full) =>
  (await world.call(audit.list, { pageSize: 200, ...input }, { token })).body
const logs = (where: string) =>
  world.sql<Record<string, unknown>>(
    `select level, action, content, result, error_name, resource_id, target_name, user_id,
      actor_org_id, org_id, username, duration_ms from operation_logs
      where (${where}) and id < 900000 order by id`,
  )
const version = async (table: string) =>
  (await world.sql<{ version: number }>(`select version from ${table} where id = $1`, [own]))[0]
    ?.version
const rename = async (name: string, token = full, headers: Record<string, string> = {}) =>
  world.call(
    products.editCategory,
    { id: own, name, version: await version('product_categories') },
    { token, headers },
  )

describe('a row', () => {
  test('says who did what to which thing, how it ended and how long it took', async () => {
    const done = await rename('饮料', full, {
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/130.0 Safari/537.36',
    })
    const [row] = await logs(`request_id = '${done.headers['x-request-id']}'`)
    expect(row).toMatchObject({
      level: 'INFO',
      action: 'products.editCategory',
      result: 'SUCCESS',
      error_name: '',
      resource_id: String(own),
      actor_org_id: place.OWN,
      org_id: place.OWN,
    })
    expect(row?.duration_ms).toBeGreaterThanOrEqual(0)
    const shown = (await list({ action: 'products.editCategory' })).list[0]
    expect(shown).toMatchObject({
      username: 'ROLE_FULL',
      actor: 'USER',
      module: 'products',
      moduleName: '商品',
      targetId: String(own),
      result: 'SUCCESS',
    })
    const detail = (await world.call(audit.get, { id: shown.id }, { token: full })).body
    expect(detail).toMatchObject({
      device: 'Chrome 130 · Linux',
      orgName: '机构OWN',
      seal: null,
      related: [],
    })
    expect(detail.changes).toEqual([
      { field: 'name', label: expect.any(String), before: '类OWN', after: '饮料' },
    ])
  })
  test('tells what a thing costs only to whoever may know', async () => {
    const [row] = await world.sql<{ id: number }>(
      `insert into operation_logs (org_id, created_at, username, level, action, content,
        resource_id, ip_address, request_id, before, after)
        values (3, $1, 'x', 'INFO', 'products.edit', 'x', '1', '', 'x',
          '{"costPrice": 100, "name": "a"}', '{"costPrice": 200, "name": "b"}') returning id`,
      [worldNow],
    )
    const fields = async (token: string) =>
      (await world.call(audit.get, { id: row?.id }, { token })).body.changes
        .map((change: { field: string }) => change.field)
        .sort()
    expect(await fields(full)).toEqual(['costPrice', 'name'])
    await world.sql(
      `delete from role_permissions
        where permission_code = 'product:cost' and role_id = (select id from roles
          where code = 'ROLE_FULL')`,
    )
    expect(await fields(full)).toEqual(['name'])
    await world.sql(
      `insert into role_permissions select id, 'product:cost' from roles where code = 'ROLE_FULL'`,
    )
  })
  test('is told in English to who asks in English', async () => {
    const answer = await world.call(
      audit.list,
      { action: 'products.editCategory' },
      { token: full, headers: { 'accept-language': 'en' } },
    )
    expect(answer.body.list[0]).toMatchObject({
      moduleName: 'Products',
      content: expect.stringMatching(/^[\x20-\x7e]+: /),
    })
  })
  test('never holds a secret or a whole personal number', async () => {
    await act(
      world.app,
      systemCaller(systemActor),
      { audit: 'session.editProfile', scope: 'system' },
      async (ctx) => {
        ctx.audit({
          id: 1,
          before: { phone: '13800138000', passwordHash: 'x' },
          after: { phone: '13900139000', password: "O'Neil \\ 1" },
        })
      },
    )
    expect(
      await world.sql(
        `select before, after from operation_logs where action = 'session.editProfile'`,
      ),
    ).toEqual([{ before: { phone: '138****8000' }, after: { phone: '139****9000' } }])
  })
})

describe('what did not happen', () => {
  test('a refused right, reading or writing', async () => {
    const nothing = await world.login('ROLE_NOTHING')
    const read = await world.call(products.list, {}, { token: nothing })
    const write = await world.call(
      products.removeCategory,
      { id: own, version: 1 },
      { token: nothing },
    )
    expect([read.status, write.status]).toEqual([403, 403])
    expect(await logs(`username = 'ROLE_NOTHING'`)).toMatchObject([
      {
        level: 'ERROR',
        action: 'products.list',
        result: 'REFUSED',
        error_name: 'common.forbidden',
        content: '商品查看（无权限执行该操作）',
        org_id: place.OWN,
      },
      {
        level: 'ERROR',
        action: expect.stringMatching(/^products\./),
        result: 'REFUSED',
        resource_id: String(own),
      },
    ])
  })
  test('a write that a rule refused, with the thing and the reason; the act itself left nothing', async () => {
    const before = await logs('true')
    const stale = await world.call(
      products.editCategory,
      { id: own, name: 'x', version: 999 },
      { token: full },
    )
    expect(stale.status).toBe(409)
    const gone = await world.call(
      products.editCategory,
      { id: 987654321, name: 'x', version: 1 },
      { token: full },
    )
    expect(gone.status).toBe(404)
    expect((await logs('true')).slice(before.length)).toMatchObject([
      {
        level: 'ERROR',
        action: 'products.editCategory',
        result: 'REFUSED',
        error_name: 'common.stale',
        resource_id: String(own),
        username: 'ROLE_FULL',
      },
      { result: 'REFUSED', error_name: 'common.notFound', resource_id: '987654321' },
    ])
  })
  test('not a wrong form, a read of nothing, a missing session or a stranger', async () => {
    const before = await logs('true')
    expect((await world.call(products.createCategory, { name: '' }, { token: full })).status).toBe(
      400,
    )
    expect((await world.call(products.list, {}, {})).status).toBe(401)
    expect((await world.call(audit.get, { id: 987654321 }, { token: full })).status).toBe(404)
    expect((await world.call(session.login, { username: 'nobody', password: 'x' })).status).toBe(
      401,
    )
    expect(await logs('true')).toEqual(before)
  })
  test('sixty a minute of one person, so that nobody floods the log; of others still', async () => {
    const clerk = await world.login('ROLE_CLERK')
    for (let n = 0; n < 70; n += 1)
      await world.call(
        products.editCategory,
        { id: 987654321, name: 'x', version: 1 },
        { token: clerk },
      )
    expect(await logs(`username = 'ROLE_CLERK'`)).toHaveLength(60)
    await world.call(products.list, {}, { token: await world.login('ROLE_FINANCE') })
    await world.call(
      products.createCategory,
      { name: 'x' },
      { token: await world.login('ROLE_FINANCE') },
    )
    expect(await logs(`username = 'ROLE_FINANCE'`)).toHaveLength(1)
  })
  test('the lock of an account, once', async () => {
    await world.sql(`update users set password_hash = $1 where username = 'user-OWN'`, [
      await hashPassword('Right horse 7'),
    ])
    await Promise.all(
      [1, 2, 3, 4, 5, 6].map(() =>
        world.call(session.login, { username: 'user-OWN', password: 'wrong 1 password' }),
      ),
    )
    // nobody who signs in waits for this row
    await expect
      .poll(() => logs(`action = 'session.lock'`))
      .toMatchObject([
        {
          level: 'ERROR',
          result: 'REFUSED',
          username: 'user-OWN',
          org_id: place.OWN,
          target_name: 'user-OWN',
        },
      ])
    const tries = (
      await world.call(audit.logins, { username: 'user-own', ok: false }, { token: full })
    ).body.list
    expect(tries.map((row: { reason: string }) => row.reason)).toContain('WRONG')
    expect(tries).toHaveLength(6)
  })
})

describe('who sees what', () => {
  const contents = async (token: string) =>
    (await list({}, token)).list.map((row: { content: string }) => row.content)
  test('the subtree, and nothing beside or above', async () => {
    const seen = await contents(full)
    expect(seen).toEqual(expect.arrayContaining(['志OWN', '志CHILD']))
    for (const other of ['志SIBLING', '志PARENT', '志PLATFORM']) expect(seen).not.toContain(other)
    expect(await contents(platform)).toEqual(
      expect.arrayContaining(['志SIBLING', '志PLATFORM', '志OWN']),
    )
  })
  test('who works on single machines sees only what he did himself', async () => {
    const clerk = await world.login('ROLE_CLERK')
    const rows = (await list({}, clerk)).list
    expect([...new Set(rows.map((row: { username: string }) => row.username))]).toEqual([
      'ROLE_CLERK',
    ])
  })
  test('people above stay without name and address, and are not found by them', async () => {
    const done = await rename('由平台改名', platform)
    expect(done.status).toBe(200)
    const row = (await list({ keyword: '饮料' })).list[0]
    expect(row).toMatchObject({ username: '', actor: 'ABOVE', ipAddress: '' })
    const detail = (await world.call(audit.get, { id: row.id }, { token: full })).body
    expect(JSON.stringify(detail)).not.toMatch(/ROLE_SUPER_ADMIN|127\.0\.0\.1/)
    for (const input of [{ username: 'super' }, { ipAddress: '127', keyword: '饮料' }])
      expect((await list(input)).total).toBe(0)
    expect((await list({ keyword: '饮料' }, platform)).list[0]).toMatchObject({
      username: 'ROLE_SUPER_ADMIN',
      actor: 'USER',
      ipAddress: '127.0.0.1',
    })
  })
  test.each([
    ['user', { username: 'role_full' }, true],
    ['another user', { username: 'role_finance' }, false],
    ['module', { module: 'products' }, true],
    ['module by its beginning only', { module: 'product' }, false],
    ['result', { result: 'SUCCESS' }, true],
    ['level', { level: 'ERROR' }, false],
    ['thing', { targetId: String(own) }, true],
    ['address', { ipAddress: '127.0' }, true],
    ['words', { keyword: '类own' }, true],
    ['days before', { from: '2026-11-01', to: '2026-11-02' }, false],
  ])('the filter by %s', async (_, input, found) => {
    const rows = (await list({ ...input, action: 'products.editCategory' })).list.filter(
      (row: { content: string }) => row.content.endsWith('类OWN'),
    )
    expect(rows.length > 0).toBe(found)
  })
  test('days are bounded, and nobody deletes', async () => {
    expect(
      (await world.call(audit.list, { from: '2024-01-01', to: '2026-01-01' }, { token: full }))
        .status,
    ).toBe(400)
    expect(
      Object.values(audit)
        .filter((endpoint) => endpoint.method === 'DELETE')
        .map((endpoint) => endpoint.path),
    ).toEqual(['/api/operation-logs/debug-sessions/{id}'])
  })
  test('rows of one request stand together', async () => {
    const [row] = await world.sql<{ id: number; request_id: string }>(
      `select id, request_id from operation_logs
        where action = 'products.editCategory' and result = 'SUCCESS' limit 1`,
    )
    await world.sql(
      `insert into operation_logs (org_id, created_at, username, level, action, content,
        resource_id, ip_address, request_id)
        values ($1, $2, 'x', 'INFO', 'products.publish', '同一请求', '1', '', $3)`,
      [place.OWN, worldNow, row?.request_id],
    )
    const detail = (await world.call(audit.get, { id: Number(row?.id) }, { token: full })).body
    expect(detail.related.map((other: { content: string }) => other.content)).toEqual(['同一请求'])
  })
  test('filters offer modules and acts by name', async () => {
    const { body } = await world.call(audit.options, {}, { token: full })
    expect(body.modules.map((m: { value: string }) => m.value).sort()).toEqual(
      Object.keys(contracts).sort(),
    )
    expect(body.actions).toContainEqual({
      value: 'orders.refund',
      label: expect.stringMatching(/退款/),
      module: 'orders',
    })
  })
})

describe('the check', () => {
  const runCheck = async (app: World['app']) => (await runDue(app, checkKind(app))) > 0
  const latest = async () => (await world.call(audit.check, {}, { token: platform })).body.check
  async function sealAll(): Promise<void> {
    for (let tries = 0; tries < 400; tries += 1) {
      await sealOnce(world.app)
      const [left] = await world.sql<{ n: number }>(
        'select (select count(*) from operation_logs)::int - (select count(*) from operation_log_seals)::int as n',
      )
      if (left?.n === 0) return
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
  }
  test('runs in the background, one at a time, and names the first broken row', async () => {
    expect(
      (await world.call(audit.verify, {}, { token: await world.login('ROLE_ADMIN') })).status,
    ).toBe(403)
    const asked = await world.call(audit.verify, {}, { token: platform })
    expect([asked.status, asked.body.state]).toEqual([200, 'WAITING'])
    expect((await world.call(audit.verify, {}, { token: platform })).body.code).toBe(409060)
    await sealAll()
    await copyHead(world.app)
    expect(await runCheck(world.app)).toBe(true)
    expect(await latest()).toMatchObject({ state: 'DONE', broken: null, heads: 1 })
    expect(await runCheck(world.app)).toBe(false)

    const [row] = await world.sql<{ seq: number; log_id: number }>(
      'select seq, log_id from operation_log_seals order by seq offset 2 limit 1',
    )
    await world.sql(`set session_replication_role = 'replica'`)
    await world.sql(`update operation_logs set username = 'other' where id = ${row?.log_id}`)
    await world.sql(`set session_replication_role = 'origin'`)
    await world.call(audit.verify, {}, { token: platform })
    await runCheck(world.app)
    expect((await latest()).broken).toMatchObject({
      seq: Number(row?.seq),
      logId: Number(row?.log_id),
      why: 'CHANGED',
    })
  })
  test('whose worker died is taken up again', async () => {
    await world.sql(
      `update log_checks set state = 'RUNNING', result = null, next_at = $1
        where id = (select max(id) from log_checks)`,
      [new Date(worldNow.getTime() - 130_000)],
    )
    expect(await runCheck(world.app)).toBe(true)
    expect((await latest()).state).toBe('DONE')
  })
})

describe('debug recording', () => {
  test('writes reads of the user while it is on, apart from the chain, and they go after thirty days', async () => {
    const http = await buildHttp(world.app)
    const start = (input: Record<string, unknown>, token = platform) =>
      world.call(audit.debug, { minutes: 10, ...input }, { token })
    expect((await start({ username: 'ROLE_FULL', module: 'orders' })).status).toBe(400)
    expect((await start({})).status).toBe(400)
    expect((await start({ username: 'ROLE_FULL', minutes: 1441 })).status).toBe(400)
    expect((await start({ username: 'nobody' })).body.code).toBe(422061)
    expect((await start({ module: 'nothing' })).status).toBe(404)
    const on = await start({ username: 'ROLE_FULL' })
    expect([on.status, on.body.username]).toEqual([200, 'ROLE_FULL'])
    const before = (await logs('true')).length
    await world.call(products.list, {}, { token: full, on: http })
    // what is on is read again in the background, at most five seconds later
    await new Promise((resolve) => setTimeout(resolve, 300))
    await world.call(products.list, { keyword: '水' }, { token: full, on: http })
    await world.call(products.list, {}, { token: platform, on: http })
    await http.close()
    const rows = (await list({ level: 'DEBUG' }, platform)).list
    expect(rows).toMatchObject([
      {
        level: 'DEBUG',
        action: 'products.list',
        username: 'ROLE_FULL',
        content: expect.stringContaining('商品查看（200）GET /api/products'),
      },
    ])
    expect((await world.call(audit.get, { id: rows[0].id }, { token: full })).body).toMatchObject({
      level: 'DEBUG',
      seal: null,
      changes: [],
    })
    expect(await logs('true')).toHaveLength(before)
    expect(
      (await world.call(audit.stopDebug, { id: on.body.id }, { token: platform })).status,
    ).toBe(200)
    expect(
      (await world.call(audit.debugSessions, {}, { token: platform })).body.list.map(
        (row: { id: number }) => row.id,
      ),
    ).not.toContain(on.body.id)
    await world.sql(`update debug_logs set created_at = created_at - interval '31 days'`)
    await retire(world.app)
    expect(await world.sql('select 1 from debug_logs')).toEqual([])
  })
})

describe('online users', () => {
  const online = async (token: string, input = {}) =>
    (await world.call(audit.online, { pageSize: 200, ...input }, { token })).body.list
  test('are the living sessions of the subtree', async () => {
    const admin = await world.login('ROLE_RTU_SP', {
      user_agent: 'Mozilla/5.0 (iPhone) Version/17.5 Mobile/15E148 Safari/605',
      ip: '10.0.0.9',
    })
    await world.login('ROLE_RTU_SP', {
      expires_at: new Date(worldNow.getTime() + 1),
      ip: '10.0.0.8',
      last_seen_at: new Date(worldNow.getTime() - 86_400_000),
    })
    const rows = await online(full)
    expect(rows.find((row: { ip: string }) => row.ip === '10.0.0.9')).toMatchObject({
      username: 'ROLE_RTU_SP',
      orgName: '机构OWN',
      device: 'Safari 17 · iPhone',
      current: false,
    })
    expect(rows.map((row: { ip: string }) => row.ip)).not.toContain('10.0.0.8')
    expect(rows.map((row: { username: string }) => row.username)).not.toContain('ROLE_SUPER_ADMIN')
    expect(rows.filter((row: { current: boolean }) => row.current)).toHaveLength(1)
    expect(await online(full, { keyword: 'role_rtu' })).not.toHaveLength(0)
    expect((await world.call(session.user, {}, { token: admin })).status).toBe(200)
  })
  test('are signed out one or many at a time, all or none, never from above or oneself', async () => {
    const [a, b] = [
      await world.login('user-CHILD', { ip: '10.1.0.1' }),
      await world.login('user-CHILD', { ip: '10.1.0.2' }),
    ]
    const idsOf = async (where: string) =>
      (
        await world.sql<{ id: string }>(
          `select s.id from sessions s join users u on u.id = s.user_id where ${where}
            order by s.ip`,
        )
      ).map((row) => row.id)
    const kick = (ids: string[], token = full) => world.call(audit.kick, { ids }, { token })
    const mine = (await online(full)).find((row: { current: boolean }) => row.current).id
    const above = await idsOf(`u.username = 'ROLE_RTU_SP' and s.ip = '10.0.0.9'`)
    const foreign = await idsOf(`u.username = 'ROLE_SUPER_ADMIN'`)
    const ids = await idsOf(`s.ip like '10.1.0.%'`)
    expect((await kick([...ids, mine])).body.code).toBe(422060)
    expect((await kick([...ids, ...above])).body.code, 'rank 60 is above rank 10').toBe(403060)
    expect((await kick([...ids, foreign[0] as string])).status).toBe(404)
    expect((await kick(['00000000-0000-4000-8000-000000000000'])).status).toBe(404)
    expect((await kick([])).status).toBe(400)
    expect((await world.call(session.user, {}, { token: a })).status).toBe(200)
    expect((await kick(ids)).body).toEqual({ ended: 2 })
    for (const token of [a, b])
      expect((await world.call(session.user, {}, { token })).body.code).toBe(110004)
    expect(await logs(`action = 'audit.kick' and result = 'SUCCESS'`)).toMatchObject([
      { org_id: place.CHILD, target_name: 'user-CHILD' },
    ])
    expect((await kick(ids)).status).toBe(404)
  })
})

test('the sealer and the list use the application role: no row is theirs without a scope', async () => {
  const { rows } = await world.app.database.read(
    { all: false, orgs: [], ancestors: [], devices: null, watched: null },
    (db) => sql`select 1 from operation_logs limit 1`.execute(db),
  )
  expect(rows).toEqual([])
  expect(
    (
      await world.app.database.read(systemScope, (db) =>
        sql`select 1 from operation_logs limit 1`.execute(db),
      )
    ).rows,
  ).toHaveLength(1)
  expect(fullFor(audit.verify)).not.toBe('ROLE_FULL')
})
