import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bodyOf, callOut, reasonOf } from './outbound.ts'

/** Who is called may be slow, large, or lead elsewhere. */
let base: string
const heard: string[] = []
const answers: Record<string, (answer: ServerResponse) => unknown> = {
  '/silent': () => undefined,
  '/slow': (answer) => answer.writeHead(200).write('begun'),
  '/large': (answer) => answer.end(Buffer.alloc(50_000)),
  '/elsewhere': (answer) => answer.writeHead(302, { location: `${base}/there` }).end(),
  '/broken': (answer) => {
    answer.writeHead(200, { 'content-length': 100 }).write('half')
    setTimeout(() => answer.destroy(), 20)
  },
  '/good': (answer) => answer.end('good'),
}
const server = createServer((request, answer) => {
  heard.push(request.url ?? '')
  answers[request.url ?? '']?.(answer)
})
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const call = async (path: string, privateAllowed = true) => {
  try {
    const answer = await callOut({ url: base + path, privateAllowed, timeoutMs: 200 })
    return `${answer.statusCode} ${await bodyOf(answer, 10_000)}`
  } catch (error) {
    return reasonOf(error)
  }
}

test.each([
  ['/good', '200 good'],
  ['/silent', 'ETIMEDOUT'],
  ['/slow', 'ECONNRESET'],
  ['/large', 'EMSGSIZE'],
  ['/broken', 'ECONNRESET'],
  ['/elsewhere', '302 '],
])('%s: %s', async (path, said) => {
  heard.length = 0
  expect(await call(path)).toBe(said)
  expect(heard, 'nowhere else').toEqual([path])
})
test('an inner address is not called unless that is allowed', async () => {
  heard.length = 0
  expect(await call('/good', false)).toBe('failed')
  expect(heard).toEqual([])
})
