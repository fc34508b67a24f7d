import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { roles } from '../../src/domains/accounts/roles.ts'
import { isPlatformOnly } from '../../src/domains/accounts/rules.ts'
import { beforeFactor, beforePasswordChange } from '../../src/domains/session/server/signedIn.ts'
import { answerOf } from '../support/api.ts'
import { endpointNamed, endpoints } from '../support/registry.ts'
import { openWorld, type World, worldNow } from '../support/world.ts'
import { params, samples } from './samples.ts'
import { addScopedPeople, mayBy, scopedPeople } from './scopes.ts'

/**
 * Permission matrix: every endpoint for every built-in role and for whoever has no right to be
 * here. The probe carries an unknown field, so that who may pass meets 400 and nothing is changed;
 * who may not, 401 or 403 before that.
 */
let world: World
const tokens = new Map<string, string | undefined>()
const ago = (minutes: number) => new Date(worldNow.getTime() - minutes * 60_000)

beforeAll(async () => {
  world = await openWorld()
  await addScopedPeople(world)
  for (const { name } of scopedPeople) tokens.set(name, await world.login(name))
  for (const role of [...roles.map((r) => r.code), 'ROLE_NOTHING', 'disabled'])
    tokens.set(role, await world.login(role))
  tokens.set('proven long ago', await world.login('PLATFORM_FULL', { proven_at: ago(11) }))
  tokens.set(
    'without rights, proven long ago',
    await world.login('ROLE_NOTHING', { proven_at: null }),
  )
  tokens.set('anonymous', undefined)
  tokens.set('malformed', 'Bearer')
  tokens.set('unknown', 'x'.repeat(43))
  tokens.set(
    'expired',
    await world.login('ROLE_SUPER_ADMIN', { created_at: ago(120), expires_at: ago(60) }),
  )
  tokens.set(
    'idle',
    await world.login('ROLE_SUPER_ADMIN', { created_at: ago(600), last_seen_at: ago(200) }),
  )
  tokens.set(
    'signed out',
    await world.login('ROLE_SUPER_ADMIN', { revoked_at: ago(1), revoke_reason: 'LOGOUT' }),
  )
  tokens.set(
    'kicked',
    await world.login('ROLE_SUPER_ADMIN', { revoked_at: ago(1), revoke_reason: 'KICKED' }),
  )
  tokens.set(
    'password changed',
    await world.login('ROLE_SUPER_ADMIN', {
      revoked_at: ago(1),
      revoke_reason: 'PASSWORD_CHANGED',
    }),
  )
  tokens.set(
    'role changed',
    await world.login('ROLE_SUPER_ADMIN', { revoked_at: ago(1), revoke_reason: 'ACCESS_CHANGED' }),
  )
})
afterAll(() => world?.close())

const outside: Record<string, number> = {
  anonymous: 110001,
  malformed: 110001,
  unknown: 110003,
  expired: 110002,
  idle: 110002,
  'signed out': 110003,
  kicked: 110004,
  'password changed': 110004,
  'role changed': 110103,
  disabled: 110103,
}
/** Codes of the platform work only for its own people; those of other roles stand in OWN. */
const ofPlatform = ['ROLE_SUPER_ADMIN', 'ROLE_ADMIN', 'ROLE_DRUG_REGULATOR']
const permitted = (role: string, access: string) =>
  !access.includes(':') ||
  ((roles.find((r) => r.code === role)?.permissions.includes(access) ?? false) &&
    (!isPlatformOnly(access) || ofPlatform.includes(role)))
const allowed = new Map(scopedPeople.map((one) => [one.name, mayBy(one)]))
const probe = async (name: string, who: string) => {
  const endpoint = endpointNamed(name)
  return world.call(
    endpoint,
    { ...params(endpoint, 'OWN', world), surelyUnknown: 1 },
    { token: tokens.get(who) },
  )
}

describe.each(endpoints)('$name', ({ name, endpoint }) => {
  const passes = 400
  it('opens to the roles that hold its permission and to nobody else', async () => {
    for (const role of [...roles.map((r) => r.code), 'ROLE_NOTHING']) {
      const { status, body } = await probe(name, role)
      expect([role, status, body.code]).toEqual(
        permitted(role, endpoint.access) ? [role, passes, passes * 1000 + 1] : [role, 403, 403001],
      )
    }
  })
  it('opens in every data scope and region to what the scope leaves of every permission', async () => {
    for (const one of scopedPeople) {
      const may = !endpoint.access.includes(':') || allowed.get(one.name)?.has(endpoint.access)
      const { status, body } = await probe(name, one.name)
      expect([one.name, status, body.code]).toEqual(
        may ? [one.name, passes, passes * 1000 + 1] : [one.name, 403, 403001],
      )
    }
  })
  if (endpoint.fresh === true) {
    it('asks whoever signed in long ago to show who he is, after his right', async () => {
      expect((await probe(name, 'proven long ago')).body.code).toBe(403010)
      expect([403001, 403010]).toContain(
        (await probe(name, 'without rights, proven long ago')).body.code,
      )
      if (endpoint.access !== 'self')
        expect((await probe(name, 'without rights, proven long ago')).body.code).toBe(403001)
    })
  }
  it('is closed without a living session, unless open', async () => {
    for (const [who, code] of Object.entries(outside)) {
      const { status, body } = await probe(name, who)
      expect([who, status, body.code]).toEqual(
        endpoint.access === 'open' ? [who, passes, passes * 1000 + 1] : [who, 401, code],
      )
      expect(Object.keys(body).sort()).toEqual(
        endpoint.access === 'open'
          ? ['code', 'error', 'errors', 'message', 'requestId']
          : ['code', 'error', 'message', 'requestId'],
      )
    }
  })
})

const sampleOf = async (name: string) => (await samples[name]?.(world)) ?? {}

describe('an act that asks for a proof by what is asked', () => {
  const stale = (user: string) => world.login(user, { proven_at: ago(11) })
  it('settings that guard people and money; not the others', async () => {
    const save = (key: string, value: unknown, token: string) =>
      world.call(
        endpointNamed('settings.save'),
        { changes: [{ key, value, version: 0 }] },
        { token },
      )
    const token = await stale('PLATFORM_FULL')
    expect((await save('session.proofMinutes', 60, token)).body.code).toBe(403010)
    expect((await save('home.refresh', 'm30', token)).status).toBe(200)
  })
  it('refunds from the amount of the setting on', async () => {
    const refund = async (token: string) =>
      world.call(
        endpointNamed('orders.refund'),
        { orderNum: await world.sell('OWN', ['OK']), all: true, reason: 'QUALITY', remark: '' },
        { token },
      )
    const limit = (fen: number) =>
      world.sql(
        `insert into settings (org_id, key, value)
          values (1, 'session.refundProof', to_jsonb($1::int)) on conflict (org_id, key) do update
          set value = excluded.value`,
        [fen],
      )
    await limit(1)
    expect((await refund(await stale('ROLE_FULL'))).body.code).toBe(403010)
    expect((await refund(await world.login('ROLE_FULL'))).status).toBe(200)
    await limit(10_000_000)
    expect((await refund(await stale('ROLE_FULL'))).status).toBe(200)
  })
  it('another phone of a person; not the rest of him', async () => {
    for (const [name, change] of [
      ['users.update', { phone: '13900000001' }],
      ['users.update', {}],
    ] as const) {
      const input: Record<string, unknown> = { ...(await sampleOf(name)), ...change }
      const id = input.id as number
      await world.sql(`update users set phone = '13800138000' where id = $1`, [id])
      const answer = await world.call(endpointNamed(name), input, {
        token: await stale('ROLE_FULL'),
      })
      expect([answer.status, answer.body.code]).toEqual(
        'phone' in change ? [403, 403010] : [200, undefined],
      )
    }
  })
})

describe('a session', () => {
  it('ends on the next request when the organisation above is disabled', async () => {
    const token = await world.login('ROLE_RTU_SP')
    const user = endpointNamed('session.user')
    expect((await world.call(user, {}, { token })).status).toBe(200)
    await world.sql(`update organisations set status = 'DISABLED' where id = 2`)
    expect((await world.call(user, {}, { token })).body.code).toBe(110103)
    await world.sql(`update organisations set status = 'ENABLED' where id = 2`)
    expect((await world.call(user, {}, { token })).status).toBe(200)
  })
  it('loses a permission on the next request', async () => {
    const token = await world.login('ROLE_RTU_SP')
    const list = endpointNamed('products.list')
    expect((await world.call(list, {}, { token })).status).toBe(200)
    const removed = await world.sql<{ role_id: number }>(
      `delete from role_permissions
        where permission_code = 'product:read' and role_id = (select id from roles
          where code = 'ROLE_RTU_SP') returning role_id`,
    )
    expect((await world.call(list, {}, { token })).body.code).toBe(403001)
    await world.sql(`insert into role_permissions values ($1, 'product:read')`, [
      removed[0]?.role_id,
    ])
  })
})

/**
 * What answers without a session besides open endpoints: pages, their pictures, health. A new one
 * is a decision.
 */
const publicRoutes = [
  '/api-docs',
  // a machine by its number and secret, as at the gateway
  '/api/machine/releases/:id',
  // a display link's own code (decision 87)
  '/api/screen/events',
  '/dev/inbox',
  '/files/:name',
  '/health',
  '/metrics',
  '/openapi.json',
  '/scan',
]

const passwordDue = (due: boolean) =>
  world.sql(`update users set must_change_password = $1 where username = 'ROLE_FULL'`, [due])
const factorDue = (due: boolean) =>
  world.sql(
    `insert into settings (org_id, key, value)
      values (1, 'session.secondFactor', to_jsonb($1::text)) on conflict (org_id, key) do update
      set value = excluded.value`,
    [due ? 'money-and-secrets' : 'off'],
  )

describe.each([
  { what: 'a password', set: passwordDue, open: beforePasswordChange, firstCode: 403005 },
  { what: 'a second factor', set: factorDue, open: beforeFactor, firstCode: 403011 },
])('$what that is due', ({ set, open, firstCode }) => {
  let token: string
  beforeAll(async () => {
    token = await world.login('ROLE_FULL')
    await set(true)
    await world.login('ROLE_NOTHING')
  })
  afterAll(() => set(false))

  it('stops every endpoint but its own few', async () => {
    const passed = []
    for (const { name, endpoint } of endpoints) {
      if (endpoint.access === 'open') continue
      const input = { ...params(endpoint, 'OWN', world), surelyUnknown: 1 }
      const { body } = await world.call(endpoint, input, { token })
      if (body.code !== firstCode) passed.push(name)
    }
    expect(passed.sort()).toEqual([...open].sort())
  })
  it('stops every other route that wants a session: files, imports, streams, aliases', async () => {
    const registered = new Set(
      endpoints.map(({ endpoint }) => endpoint.path.replace(/\{(\w+)\}/g, ':$1')),
    )
    const others = routesOf(world.http.printRoutes({ commonPrefix: false })).filter(
      ({ path }) => !registered.has(path),
    )
    const found = others.map(({ path }) => path)
    expect(found).toEqual(
      expect.arrayContaining(['/api/me/events', '/api/jobs/:id/file', '/api/imports/:kind/marked']),
    )
    expect(found.length).toBeGreaterThan(20)
    const publicOnes = new Set<string>()
    for (const { method, path } of others) {
      const url = path.replace(/:\w+/g, '1')
      const codes = []
      for (const authorization of ['', token])
        codes.push(
          answerOf(await world.http.inject({ method, url, headers: { authorization } })).body.code,
        )
      if (codes[0] === 405001) continue
      if (codes[0] === 110001) expect([method, path, codes[1]]).toEqual([method, path, firstCode])
      else publicOnes.add(path)
    }
    expect([...publicOnes].sort()).toEqual(publicRoutes)
  })
  it('stops a code to another phone and a WeChat ticket, asked for through an open door', async () => {
    const send = endpointNamed('session.loginsend')
    for (const input of [
      { channel: 'sms', purpose: 'changePhone', phone: '13800138000' },
      { channel: 'qr', purpose: 'bind' },
    ])
      expect((await world.call(send, input, { token })).body.code).toBe(firstCode)
  })
  it('stops whoever looks through a role with fewer rights, too', async () => {
    const [role] = await world.sql<{ id: number }>(
      `select id from roles where code = 'ROLE_NOTHING'`,
    )
    const headers = { 'x-view-role': String(role?.id) }
    expect(
      (await world.call(endpointNamed('session.editProfile'), {}, { token, headers })).body.code,
    ).toBe(firstCode)
  })
})

/** The routes of the tree that fastify prints. */
function routesOf(tree: string): { method: 'GET' | 'POST' | 'PUT' | 'DELETE'; path: string }[] {
  const open: string[] = []
  return tree.split('\n').flatMap((line) => {
    const found = /^([ │]*)[├└]── (\S+)(?: \(([A-Z, ]+)\))?/.exec(line)
    if (!found) return []
    const depth = (found[1] ?? '').length / 4
    open.length = depth
    open[depth] = found[2] ?? ''
    const methods = (found[3] ?? '')
      .split(', ')
      .filter((method) => ['GET', 'POST', 'PUT', 'DELETE'].includes(method))
    return methods.map((method) => ({ method: method as 'GET', path: open.join('') }))
  })
}
