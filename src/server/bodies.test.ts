import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openWorld, type World } from '../../test/support/world.ts'
import { notices } from '../domains/notices/contract.ts'
import { boundConnections } from './everyAnswer.ts'
import { slowest } from './oneFile.ts'

/**
 * Bodies over real connections: what a stranger sends is small, and nobody's slow bytes stand in
 * another's way.
 */
let world: World
let port: number
beforeAll(async () => {
  world = await openWorld()
  await world.http.listen({ port: 0, host: '127.0.0.1' })
  port = (world.http.server.address() as AddressInfo).port
})
afterAll(() => world?.close())

const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  })
const filler = (bytes: number) => JSON.stringify({ a: 'x'.repeat(bytes) })

test.each([
  ['an open endpoint', '/auth/login', 413],
  ['a path nobody knows', '/api/nowhere', 413],
  ['a method that is not there', '/api/orders', 413],
  ['an endpoint that needs a session', '/api/stores', 401],
])('a stranger on %s: 20 kB are not parsed', async (_what, path, status) => {
  const parsed = vi.spyOn(JSON, 'parse')
  const answer = await post(path, filler(20_000))
  const whole = parsed.mock.calls.filter(([text]) => String(text).length > 16_384)
  parsed.mockRestore()
  expect([answer.status, whole]).toEqual([status, []])
})
test('somebody who is signed in may send 256 kB, and one without the right none', async () => {
  const authorization = await world.login('ROLE_FULL')
  expect((await post('/api/stores', filler(200_000), { authorization })).status).toBe(400)
  expect((await post('/api/stores', filler(270_000), { authorization })).status).toBe(413)
  expect(
    (
      await post('/api/stores', filler(270_000), {
        authorization: await world.login('ROLE_SPONSOR'),
      })
    ).status,
  ).toBe(403)
})

test('a stranger may say little, each text as long as it may be, and an address names few things', async () => {
  const many = JSON.stringify({ a: Array.from({ length: 600 }, () => 1) })
  expect((await post('/auth/login', many)).status).toBe(400)
  const authorization = await world.login('ROLE_FULL')
  const notice = await post(
    '/api/notices',
    JSON.stringify({ title: 'x', content: '<'.repeat(100_000) }),
    { authorization },
  )
  expect([notice.status, JSON.stringify(await notice.json())]).toEqual([
    400,
    expect.stringContaining('不能超过20000个字符'),
  ])
  const names = (n: number) =>
    fetch(
      `http://127.0.0.1:${port}/auth/methods?${Array.from({ length: n }, (_, i) => `k${i}=1`).join('&')}`,
    )
  expect((await (await names(101)).text()).length).toBeLessThan(300)
  expect((await names(3)).status).toBe(400)
})

test('whoever is signed out while his body is on its way has asked nothing', async () => {
  const authorization = await world.login('ROLE_FULL')
  const body = JSON.stringify({ key: 'late', value: 1 })
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `PUT /api/me/preferences HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
  )
  await sleep(400)
  await world.sql(`update sessions set revoke_reason = 'KICKED', revoked_at = now()`)
  socket.write(body)
  const [answer] = await once(socket, 'data')
  socket.destroy()
  expect(String(answer).split(' ')[1]).toBe('401')
  expect(await world.sql(`select from preferences where key = 'late'`)).toEqual([])
})

test('a file is judged by what its sender may when it has come whole', async () => {
  const authorization = await world.login('ROLE_FULL')
  const parts = [
    `--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n`,
    '机器编号,归属机构\r\n',
    '\r\n--b--\r\n',
  ]
  const held = async (path: string, meanwhile: () => Promise<unknown>) => {
    const socket = connect(port, '127.0.0.1')
    const [first, ...rest] = parts
    socket.write(
      `POST /api/imports/device-assignments${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${Buffer.byteLength(parts.join(''))}\r\n\r\n${first}`,
    )
    await sleep(400)
    await meanwhile()
    socket.write(rest.join(''))
    const [answer] = await once(socket, 'data')
    socket.destroy()
    return String(answer).split(' ')[1]
  }
  const paths = ['', '?dryRun=true', '/marked']
  expect(await Promise.all(paths.map((path) => held(path, async () => {})))).not.toContain('403')
  const right = `permission_code = 'device:assign' and role_id = (select id from roles where code = 'ROLE_FULL')`
  let taken: Promise<unknown> | undefined
  const take = () => (taken ??= world.sql(`delete from role_permissions where ${right}`))
  expect(await Promise.all(paths.map((path) => held(path, take)))).toEqual(['403', '403', '403'])
  await world.sql(
    `insert into role_permissions (role_id, permission_code)
      select id, 'device:assign' from roles where code = 'ROLE_FULL'`,
  )
})

test('what an announcement is left with without its marks is found in one go', () => {
  const startedAt = performance.now()
  notices.create.input.safeParse({ title: 'x', content: '<'.repeat(20_000) })
  // some milliseconds; the square of it was seconds
  expect(performance.now() - startedAt).toBeLessThan(1500)
})

test('whoever asks on and on without reading loses the connection, and holds no files', async () => {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  const opened = vi.spyOn(world.app.files, 'open')
  socket.write(`GET /files/${randomUUID()}.png HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(1000))
  await new Promise((resolve) => socket.once('close', resolve))
  expect(opened.mock.calls.length).toBeLessThanOrEqual(10)
  opened.mockRestore()
})

test('one address holds so many connections, not more', async () => {
  const server = createServer((_request, response) => response.end('here'))
  boundConnections(world.app, server, 20)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port: own } = server.address() as AddressInfo
  const sockets = Array.from({ length: 30 }, () => connect(own, '127.0.0.1').on('error', () => {}))
  await vi.waitFor(() => expect(sockets.filter((socket) => socket.closed).length).toBe(10), 10_000)
  const open = sockets.filter((socket) => !socket.closed)
  await Promise.all(open.map((socket) => once(socket.destroy(), 'close')))
  await vi.waitFor(
    async () => expect((await fetch(`http://127.0.0.1:${own}`)).status).toBe(200),
    10_000,
  )
  server.close()
})

test('the rest of a large body that was refused is not read; a small one ends, and the connection stays', async () => {
  const served: Socket[] = []
  world.http.server.on('connection', (socket: Socket) => served.push(socket))
  const begin = (length: number) =>
    `POST /auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${length}\r\n\r\n`
  const refused = async (length: number) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    socket.write(begin(length))
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1.1 415 /)
    // whoever keeps his connections does not send the next request into one that ends
    expect(/^connection: close\r$/im.test(String(answer))).toBe(length > 1_000_000)
    return socket
  }
  const large = await refused(200_000_000)
  const part = Buffer.alloc(1_000_000)
  const send = () => {
    while (!large.destroyed && large.write(part));
  }
  large.on('drain', send)
  send()
  await new Promise((resolve) => large.once('close', resolve))
  expect(served[0]?.bytesRead).toBeLessThan(5_000_000)
  const small = await refused(100_000)
  small.write(Buffer.alloc(100_000))
  small.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n')
  expect(String((await once(small, 'data'))[0])).toMatch(/^HTTP\/1.1 200 /)
  small.destroy()
})

const boundary = 'b0undary'
const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n`
/** The beginning of an upload whose rest never comes. */
async function begun(token: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(
    `POST /api/uploads/images HTTP/1.1\r\nHost: a\r\nAuthorization: ${token}\r\nContent-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: 100000\r\n\r\n${head}`,
  )
  return socket
}
async function uploads(authorization: string): Promise<number> {
  const form = new FormData()
  form.append('file', new Blob([Buffer.from('no picture')]), 'a.png')
  return (
    await fetch(`http://127.0.0.1:${port}/api/uploads/images`, {
      method: 'POST',
      body: form,
      headers: { authorization },
    })
  ).status
}
test('slow uploads hold the places of their own organisation, and not for long', async () => {
  const real = globalThis.setTimeout
  const shortened = vi
    .spyOn(globalThis, 'setTimeout')
    .mockImplementation(((work: () => void, ms?: number, ...rest: unknown[]) =>
      real(work, ms === slowest ? 6000 : ms, ...rest)) as typeof setTimeout)
  const token = await world.login('ROLE_FULL')
  const slow = await Promise.all(Array.from({ length: 12 }, () => begun(token)))
  const ended = Promise.all(slow.map((socket) => once(socket, 'close')))
  await vi.waitFor(async () => expect(await uploads(token)).toBe(503), 10_000)
  expect(await uploads(await world.login('ROLE_SUPER_ADMIN'))).toBe(415)
  await ended
  shortened.mockRestore()
  expect(await uploads(token)).toBe(415)
})

/**
 * Sends parts until the connection is closed, and answers what was said and how many bytes were
 * taken.
 */
async function dribble(head: string, part: string): Promise<[answer: string, taken: number]> {
  let taken = 0
  world.http.server.once('connection', (served: Socket) =>
    served.once('close', () => (taken = served.bytesRead)),
  )
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  let answer = ''
  socket.on('data', (data) => {
    answer += data
  })
  socket.write(
    `${head} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n`,
  )
  const send = () => {
    while (!socket.destroyed && taken === 0 && socket.write(part));
  }
  socket.on('drain', send)
  send()
  await new Promise((resolve) => socket.once('close', resolve))
  await vi.waitFor(() => expect(taken).toBeGreaterThan(0), 10_000)
  return [answer.split('\r\n')[0] ?? '', taken]
}
test('a question with a body is refused, and its body is not read', async () => {
  const part = '1\r\na\r\n'.repeat(10_000)
  for (const head of ['GET /health', 'GET /nowhere', 'GET /%zz']) {
    const [answer, taken] = await dribble(head, part)
    expect([head, answer, taken < 2_000_000]).toEqual([head, 'HTTP/1.1 400 Bad Request', true])
  }
  const plain = { host: 'a', 'content-length': '0' }
  expect((await world.http.inject({ url: '/health', headers: plain })).statusCode).toBe(200)
}, 20_000)
test('a body in crumbs ends its connection, one in pieces of the usual size does not', async () => {
  const [answer, taken] = await dribble('POST /auth/login', '1\r\na\r\n'.repeat(500))
  expect([answer, taken < 1_000_000]).toEqual(['', true])
  const authorization = await world.login('ROLE_FULL')
  const body = filler(200_000)
  async function* pieces() {
    for (let at = 0; at < body.length; at += 150) yield Buffer.from(body.slice(at, at + 150))
  }
  const sent = await fetch(`http://127.0.0.1:${port}/api/stores`, {
    method: 'POST',
    body: pieces(),
    duplex: 'half',
    headers: { authorization, 'content-type': 'application/json' },
  } as unknown as RequestInit)
  expect(sent.status).toBe(400)
})
