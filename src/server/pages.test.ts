import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { App } from './context.ts'
import { servePages } from './pages.ts'

/**
 * What the browser asks for that is no file: the app for a page navigation, the refusal in our
 * shape for anything else.
 */
const dir = mkdtempSync(path.join(tmpdir(), 'huodao-pages-'))
let http: FastifyInstance
beforeAll(async () => {
  mkdirSync(path.join(dir, 'assets'))
  writeFileSync(
    path.join(dir, 'index.html'),
    '<meta name="base-path" content="__BASE__"><script src="./a.js">',
  )
  writeFileSync(path.join(dir, 'assets', 'a.js'), 'a()')
  http = Fastify()
  await servePages(http, { config: { basePath: '/' }, log: http.log } as App, dir, (url) =>
    ['/', '/login'].includes(url),
  )
})
afterAll(async () => {
  await http.close()
  rmSync(dir, { recursive: true })
})

const nowhere = [
  '/',
  '/login',
  '/login/',
  '/assets',
  '/assets/',
  '/a//b',
  `/${'x'.repeat(300)}`,
  '/a/./b/..%2fc',
  '/index.html',
]

describe.each([{}, { 'accept-encoding': 'br' }])('with %o', (encoding: Record<string, string>) => {
  it.each(nowhere)('%s is the app for who navigates', async (url) => {
    const { statusCode, body } = await http.inject({
      url,
      headers: { accept: 'text/html', ...encoding },
    })
    expect([statusCode, body]).toEqual([
      200,
      '<meta name="base-path" content="/"><script src="/a.js">',
    ])
  })
  it.each(nowhere)('%s is not found for a program', async (url) => {
    const { statusCode, body } = await http.inject({
      url,
      headers: { accept: 'application/json', ...encoding },
    })
    expect([statusCode, JSON.parse(body).code]).toEqual([404, 404002])
  })
  it('the address of a page is the page for probes that take anything', async () => {
    for (const accept of [{ accept: '*/*' }, {}])
      for (const [url, status] of [
        ['/?x=1', 200],
        ['/login', 200],
        ['/nowhere', 404],
      ] as const)
        expect([
          url,
          (await http.inject({ url, headers: { ...accept, ...encoding } })).statusCode,
        ]).toEqual([url, status])
    expect(
      (await http.inject({ url: '/', headers: { accept: 'text/html' } })).headers[
        'content-security-policy'
      ],
    ).toContain("base-uri 'none'")
  })
  it('a file is sent', async () => {
    expect((await http.inject({ url: '/assets/a.js', headers: encoding })).body).toBe('a()')
  })
})
