import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../test/support/api.ts'
import { buildApi } from '../apps/api.ts'

/** Asked over a real connection: what the framework or Node refuses never reaches a route. */
let api: TestApi
let limited: FastifyInstance
let port: number
beforeAll(async () => {
  api = await startTestApi()
  await api.http.listen({ port: 0, host: '127.0.0.1' })
  port = (api.http.server.address() as AddressInfo).port
  limited = await buildApi({ ...api.app, config: { ...api.app.config, rateLimit: 5 } }, '/nowhere')
})
afterAll(async () => {
  await limited.close()
  await api.close()
})

async function said(text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(text)
  let answer = ''
  socket.on('data', (part) => {
    answer += part
  })
  await once(socket, 'close')
  return answer
}
const ask = (line: string, ...headers: string[]) =>
  said(`${[line, 'Host: a', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`)
const every =
  /^x-content-type-options: nosniff\r\n[\s\S]*^x-frame-options: DENY\r\n[\s\S]*^cache-control: no-store\r\n/im

it.each<[string, number, number, () => Promise<string>]>([
  ['a path nobody knows', 404, 404002, () => ask('GET /api/nowhere HTTP/1.1')],
  ['what cannot be decoded', 400, 400001, () => ask('GET /%zz HTTP/1.1')],
  [
    'a part of a path that is too long',
    400,
    400001,
    () => ask(`GET /api/devices/${'1'.repeat(300)} HTTP/1.1`),
  ],
  ['OPTIONS', 404, 404002, () => ask('OPTIONS /api/devices HTTP/1.1')],
  ['a method no route has', 404, 404002, () => ask('PURGE /api/devices HTTP/1.1')],
  ['a method that is none', 400, 400001, () => ask('FOO /api/devices HTTP/1.1')],
  ['an address without end', 413, 413001, () => ask(`GET /${'x'.repeat(40_000)} HTTP/1.1`)],
  ['a broken header', 400, 400001, () => ask('GET /api/devices HTTP/1.1', 'A b: c')],
  ['no host', 400, 400001, () => said('GET /api/devices HTTP/1.1\r\nConnection: close\r\n\r\n')],
  ['an unknown expectation', 401, 110001, () => ask('GET /auth/user HTTP/1.1', 'Expect: wonders')],
])('%s: the usual shape and headers', async (_what, status, code, answer) => {
  const text = await answer()
  const [head = '', body = ''] = text.split('\r\n\r\n')
  expect(Number(head.split(' ')[1]), text).toBe(status)
  expect(`${head}\r\n`).toMatch(every)
  // in chunks or whole
  expect(JSON.parse(/\{.*\}/s.exec(body)?.[0] ?? body)).toMatchObject({
    code,
    error: expect.any(String),
    message: expect.any(String),
    requestId: expect.any(String),
  })
})

it.each(['/api/nowhere', '/nowhere', '/%zz', '/auth/methods'])(
  '%s is rate limited',
  async (url) => {
    const remoteAddress = `10.8.0.${url.length}`
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => limited.inject({ url, remoteAddress })),
    )
    expect(answers.filter(({ statusCode }) => statusCode === 429).length).toBeGreaterThan(9)
    expect(answers.at(-1)?.json()).toMatchObject({ code: 429001 })
  },
)
it('OPTIONS is rate limited', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      limited.inject({ method: 'OPTIONS', url: '/api/devices', remoteAddress: '10.8.1.1' }),
    ),
  )
  expect(answers.filter(({ statusCode }) => statusCode === 429).length).toBeGreaterThan(9)
})
