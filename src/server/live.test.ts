import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { audit } from '../domains/audit/contract.ts'
import { organisations } from '../domains/organisations/contract.ts'
import { topics } from '../domains/product.ts'
import { session } from '../domains/session/contract.ts'
import { users } from '../domains/users/contract.ts'
import { addRole, openWorld, type World } from '../domains/users/server/testWorld.ts'
import { noScope } from './database.ts'
import { concerns, hears } from './live.ts'
import { tokenHash } from './rateKeys.ts'

let world: World
let base = ''
beforeAll(async () => {
  world = await openWorld()
  await world.http.listen({ host: '127.0.0.1', port: 0 })
  base = `http://127.0.0.1:${(world.http.server.address() as AddressInfo).port}`
})
afterAll(async () => {
  world.app.live.endStreams()
  await world.close()
})

/** An open page; its stream ends when the server ends it. */
async function open(token: string): Promise<Promise<unknown>[]> {
  const response = await fetch(`${base}/api/me/events`, { headers: { authorization: token } })
  expect([response.status, response.headers.get('x-frame-options')]).toEqual([200, 'DENY'])
  return [response.text()]
}
const within = (ms: number, [ended]: Promise<unknown>[]) =>
  Promise.race([
    ended?.then(() => 'ended'),
    new Promise((resolve) => setTimeout(() => resolve('open'), ms)),
  ])

type Act = (root: string, id: number) => Promise<{ status: number }>
const logout: Act = (_, __) => world.call(session.logout, {}, { token: left })
let left = ''
const acts: [string, Act][] = [
  ['signed out by himself', logout],
  [
    'given another role',
    async (root, id) => {
      const [row] = await world.sql<{ version: number }>(
        'select version from users where id = $1',
        [id],
      )
      return world.call(
        users.setRoles,
        { id, version: row?.version, roleIds: [await world.roleId('ROLE_RTU_REPAIRER')] },
        { token: root },
      )
    },
  ],
  [
    'given another password',
    (root, id) => world.call(users.resetPassword, { id }, { token: root }),
  ],
  ['kicked in the list of users', (root, id) => world.call(users.logout, { id }, { token: root })],
  [
    'kicked in the list of sessions',
    async (root) => {
      const { body } = await world.call(audit.online, { keyword: 'keeper' }, { token: root })
      return world.call(
        audit.kick,
        { ids: body.list.map((row: { id: string }) => row.id) },
        { token: root },
      )
    },
  ],
  [
    'in an organisation that is disabled',
    (root) =>
      world.call(
        organisations.setStatus,
        { id: 3, version: 1, status: 'DISABLED' },
        { token: root },
      ),
  ],
]

test.each(acts)(
  'the open page of somebody who is %s hears of it at once, another stays',
  async (_, act) => {
    const root = await world.login('boss')
    const kept = await open(root)
    // a password of the case before is due
    await world.sql(`update users set must_change_password = false where username = 'keeper'`)
    left = await world.login('keeper')
    const ends = await open(left)
    expect((await act(root, await world.userId('keeper'))).status).toBe(200)
    expect(await within(1000, ends)).toBe('ended')
    expect(await within(100, kept)).toBe('open')
  },
)

/** The topics a stream names while something happens. */
async function heard(token: string, ms: number): Promise<string[]> {
  const stop = new AbortController()
  const response = await fetch(`${base}/api/me/events`, {
    headers: { authorization: token },
    signal: stop.signal,
  })
  expect(response.status).toBe(200)
  setTimeout(() => stop.abort(), ms)
  let text = ''
  try {
    for await (const chunk of response.body as ReadableStream<Uint8Array>)
      text += new TextDecoder().decode(chunk)
  } catch {
    // ended by ourselves
  }
  return [...text.matchAll(/^data: (.*)$/gm)]
    .flatMap((found) => JSON.parse(found[1] ?? '').topics)
    .sort()
}

test('a stream tells what its person may read of his own organisations, and of nobody else’s sales', async () => {
  await world.sql(`update organisations set status = 'ENABLED' where id = 3`)
  await addRole(world, 3, 'ROLE_C_EMPTY', 1, [])
  await addRole(world, 3, 'ROLE_C_SELLER', 1, ['order:read'])
  await world.addUser('empty-1', 3, 'ROLE_C_EMPTY')
  const seller = await world.addUser('seller-1', 3, 'ROLE_C_SELLER')
  const streams = Promise.all(
    ['empty-1', 'seller-1', 'chief'].map(async (who) => heard(await world.login(who), 700)),
  )
  await new Promise((resolve) => setTimeout(resolve, 300))
  // a sale of organisation 5 that a machine reports, whatever else is said inside, and two things
  // of organisation 3
  world.app.live.publish([...Object.keys(topics), 'vend', 'identity', 'jobs:1', 'sessions:1'], 5)
  world.app.live.publish(['orders', 'users', `jobs:${seller}`], 3)
  expect(await streams).toEqual([[], [`jobs:${seller}`, 'orders'], ['users']])
})

test('rows of an organisation beside it are silent; what is shared from above is heard', () => {
  const listener = (right: string, orgs: number[], ancestors: number[]) => ({
    userId: 7,
    permissions: new Set([right]),
    scopeOf: () => ({ ...noScope, orgs, ancestors }),
  })
  expect(hears(topics, listener('order:read', [3], [1, 2]), 'orders', [4, 1, 2])).toBe(false)
  expect(hears(topics, listener('order:read', [3], [1, 2]), 'orders', [4, 3])).toBe(true)
  expect(hears(topics, listener('product:read', [3], [1, 2]), 'products', [2])).toBe(true)
  expect(hears(topics, listener('product:read', [3], [1, 2]), 'products', [4])).toBe(false)
  expect(hears(topics, listener('product:read', [3], [1, 2]), 'jobs:7', [])).toBe(true)
  expect(hears(topics, listener('product:read', [3], [1, 2]), 'sessions:8', [3])).toBe(false)
})

test('what people of other tenants do makes no stream look, what happens above it does', () => {
  const listener = {
    userId: 7,
    sessionId: 's',
    permissions: new Set<string>(),
    scopeOf: () => ({ ...noScope, orgs: [3], ancestors: [1, 2] }),
  }
  expect(concerns(listener, { users: [5, 6], orders: [3] })).toBe(false)
  expect(concerns(listener, { users: [5, 3] })).toBe(true)
  expect(concerns(listener, { roles: [2] })).toBe(true)
})

test('a long transaction of one tenant holds up no change of another’s people, and empties nobody’s caches', async () => {
  const version = async () =>
    Object.fromEntries(
      (
        await world.sql<{ id: number; version: number }>(
          'select tenant_id as id, version from access_versions',
        )
      ).map((one) => [one.id, one.version]),
    )
  const before = await version()
  const held = new pg.Client(world.ownerUrl)
  await held.connect()
  await held.query('begin')
  await held.query(`update users set title = 'tried' where username = 'chief'`)
  await held.query(`update organisations set path = path where id = 2`)
  const other = await world
    .sql(`set lock_timeout = '300ms'`)
    .then(() => world.sql(`update users set title = 'changed' where username = 'other'`))
  await held.query('rollback')
  await held.end()
  expect(other).toEqual([])
  const after = await version()
  expect(after).toEqual({ ...before, 5: Number(before[5]) + 1 })
  // the same list again changes nothing
  await world.sql(`update user_roles set role_id = role_id where false`)
  expect(await version()).toEqual(after)
})

test('disabling an organisation is told to those it concerns, and to nobody when it changes nothing', async () => {
  await world.sql(`update organisations set status = 'ENABLED' where id = 3`)
  const token = await world.login('boss')
  const told: unknown[] = []
  const silence = world.app.live.subscribe((_, change) => told.push(change))
  const disable = async () => {
    const [row] = await world.sql<{ version: number }>(
      'select version from organisations where id = 3',
    )
    const input = { id: 3, version: row?.version, status: 'DISABLED' }
    expect((await world.call(organisations.setStatus, input, { token })).status).toBe(200)
    await new Promise((resolve) => setTimeout(resolve, 300))
    return told.splice(0)
  }
  expect(await disable()).toEqual([{ organisations: [3] }])
  expect(await disable()).toEqual([])
  silence()
  await world.sql(`update organisations set status = 'ENABLED' where id = 3`)
})

test('a stream alone does not keep a session from timing out', async () => {
  const token = await world.login('boss', {
    last_seen_at: new Date(world.app.now().getTime() - 300_000),
  })
  await open(token)
  const idle = async () => {
    const [row] = await world.sql<{ last_seen_at: Date }>(
      'select last_seen_at from sessions where token_hash = $1',
      [tokenHash(token)],
    )
    return (world.app.now().getTime() - (row?.last_seen_at.getTime() ?? 0)) / 1000
  }
  expect(await idle()).toBeGreaterThan(200)
  await world.call(session.user, {}, { token })
  expect(await idle()).toBeLessThan(60)
})

test('one token holds few streams; the oldest make room', async () => {
  const token = await world.login('other')
  const before = world.app.live.streaming()
  const streams = []
  for (let n = 0; n < 40; n++) streams.push(await open(token))
  expect(await within(1000, streams[0] as Promise<unknown>[])).toBe('ended')
  expect(world.app.live.streaming() - before).toBe(4)
  expect(await within(100, streams.at(-1) as Promise<unknown>[])).toBe('open')
  const many = []
  for (let n = 0; n < 20; n++) many.push(await open(await world.login('other')))
  expect(world.app.live.streaming() - before).toBe(16)
})

test('a stream that the server ends leaves no connection', async () => {
  const socket = connect(Number(new URL(base).port), '127.0.0.1')
  socket.write(
    `GET /api/me/events HTTP/1.1\r\nHost: a\r\nAuthorization: ${await world.login('other')}\r\n\r\n`,
  )
  await once(socket, 'data')
  world.app.live.endStreams()
  expect(
    await Promise.race([
      once(socket, 'close').then(() => 'closed'),
      sleep(2000).then(() => 'open'),
    ]),
  ).toBe('closed')
})
