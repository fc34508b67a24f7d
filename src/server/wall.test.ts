import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import pino from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../test/support/api.ts'
import { buildApi } from '../apps/api.ts'
import { common, Refusal } from '../shared/errors.ts'
import { freshName } from './files.ts'

/** What a stranger gets from the address of a server in production. */
let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api?.close())

it('figures and the contract are closed in production, figures open to whoever has the token', async () => {
  const closed = await buildApi({
    ...api.app,
    config: { ...api.app.config, production: true, apiDocs: false, metricsToken: 'x'.repeat(20) },
  })
  const ask = async (url: string, authorization = '') =>
    (await closed.inject({ url, headers: { authorization } })).statusCode
  expect(
    await Promise.all(['/metrics', '/openapi.json', '/api-docs', '/health'].map((url) => ask(url))),
  ).toEqual([404, 404, 404, 200])
  expect([
    await ask('/metrics', `Bearer ${'y'.repeat(20)}`),
    await ask('/metrics', `Bearer ${'x'.repeat(20)}`),
  ]).toEqual([404, 200])
  expect((await api.http.inject({ url: '/openapi.json' })).statusCode).toBe(200)
  await closed.close()
})

it('the contract is written once, and packed for whoever takes it so', async () => {
  const ask = (url: string, encoding = 'identity') =>
    api.http.inject({ url, headers: { 'accept-encoding': encoding } })
  for (const url of ['/openapi.json', '/api-docs']) {
    const plain = await ask(url)
    const packed = await ask(url, 'br, gzip')
    expect([plain.statusCode, packed.headers['content-encoding']]).toEqual([200, 'gzip'])
    expect(gunzipSync(packed.rawPayload).equals(plain.rawPayload)).toBe(true)
  }
  const [, style] = /<style>([^<]*)</.exec((await ask('/api-docs')).body) ?? []
  expect((await ask('/api-docs')).headers['content-security-policy']).toContain(
    `style-src 'sha256-${createHash('sha256').update(String(style)).digest('base64')}'`,
  )
  const began = process.cpuUsage()
  for (let n = 0; n < 20; n += 1) await ask('/api-docs', 'gzip')
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(400)
})

it('a browser that came by TLS is told to come by nothing else', async () => {
  const behind = await buildApi({
    ...api.app,
    config: { ...api.app.config, trustProxy: '127.0.0.1' },
  })
  const ask = (proto: string, remoteAddress = '127.0.0.1') =>
    behind.inject({ url: '/health', headers: { 'x-forwarded-proto': proto }, remoteAddress })
  expect((await ask('https')).headers['strict-transport-security']).toBe(
    'max-age=31536000; includeSubDomains',
  )
  expect((await ask('http')).headers).not.toHaveProperty('strict-transport-security')
  expect((await ask('https', '10.1.1.1')).headers).not.toHaveProperty('strict-transport-security')
  await behind.close()
})

it('every answer says that no page may frame it and no browser may take it for something else', async () => {
  const web = join(api.app.config.dataDir, 'pages')
  mkdirSync(join(web, 'assets'), { recursive: true })
  writeFileSync(join(web, 'index.html'), '<p>')
  writeFileSync(join(web, 'assets', 'a.js'), 'a()')
  const name = freshName('png')
  await api.app.files.put(name, Buffer.from('x'))
  const served = await buildApi({ ...api.app }, web)
  const ask = (url: string, accept = 'application/json') =>
    served.inject({ url, headers: { accept, origin: 'https://elsewhere.example' } })
  const answers = [
    await ask('/health'),
    await ask('/auth/user'),
    await ask('/auth/login'),
    await ask('/nowhere'),
    await ask('/api-docs'),
    await ask('/dev/inbox'),
    await ask('/scan?t=x'),
    await ask(`/files/${name}`),
    await ask('/assets/a.js'),
    await ask('/login', 'text/html'),
  ]
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([
    200, 401, 405, 404, 200, 200, 302, 200, 200, 200,
  ])
  for (const { headers, statusCode } of answers) {
    const policy = String(headers['content-security-policy'])
    expect([
      statusCode,
      policy.includes("frame-ancestors 'none'"),
      policy.includes("base-uri 'none'"),
    ]).toEqual([statusCode, true, true])
    expect(policy).toMatch(/default-src 'none'|object-src 'none'/)
    expect(headers).not.toHaveProperty('access-control-allow-origin')
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'x-frame-options': 'DENY',
    })
  }
  const kept = answers.map(({ headers }) => headers['cache-control'])
  expect(kept).toEqual([
    ...Array(7).fill('no-store'),
    ...Array(2).fill('public, max-age=31536000, immutable'),
    'no-cache',
  ])
  await served.close()
})

it('what somebody asks for stands in no line of the process log', async () => {
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) })
  const loud = await buildApi({ ...api.app, log })
  for (const url of [
    '/scan?t=x&code=OAUTHCODE',
    '/health?keyword=13800138000',
    '/nowhere?token=SECRET',
  ])
    await loud.inject({ url })
  await loud.close()
  expect(lines.filter((line) => line.includes('/scan')).length).toBe(1)
  expect(lines.filter((line) => /OAUTHCODE|13800138000|SECRET/.test(line))).toEqual([])
})

it('what is turned away on purpose is one line a second without a stack, what the database refused a fault', async () => {
  const lines: string[] = []
  const loud = await buildApi({
    ...api.app,
    log: pino({ level: 'info' }, { write: (line: string) => lines.push(line) }),
  })
  loud.get('/full', async () => {
    throw new Refusal(common.busy)
  })
  loud.get('/slow', async () => {
    throw Object.assign(new Error('canceling statement'), { code: '57014' })
  })
  for (let i = 0; i < 20; i += 1) expect((await loud.inject({ url: '/full' })).statusCode).toBe(503)
  const turnedAway = lines.splice(0).map((line) => JSON.parse(line))
  expect((await loud.inject({ url: '/slow' })).statusCode).toBe(503)
  await loud.close()
  expect(turnedAway).toMatchObject([
    { level: 40, error: 'common.busy', count: 1, msg: 'turned away' },
  ])
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 50, err: { message: 'canceling statement' } },
    { level: 50, status: 503 },
  ])
})

it('a failure of ours tells its number and nothing else', async () => {
  const broken = await buildApi({ ...api.app })
  broken.get('/boom', async () => {
    throw new Error(`select password_hash from users at ${api.app.config.dataDir}`)
  })
  const { statusCode, json } = await broken.inject({
    url: '/boom',
    headers: { 'accept-language': 'en' },
  })
  const { code, error, message, requestId, ...rest } = json()
  expect([statusCode, code, error, rest]).toEqual([500, 500001, 'common.unexpected', {}])
  expect(message).not.toMatch(/select|password|users|\//)
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/)
  await broken.close()
})

it('of the stored files only pictures are open, whatever address is tried', async () => {
  async function* bytes() {
    yield Buffer.from('rows of somebody')
  }
  const { name } = await api.app.files.write(bytes(), 'xlsx')
  writeFileSync(join(api.app.files.folder, 'beside.txt'), 'x')
  const up = '..%2f'.repeat(3)
  for (const tried of [
    name,
    `${name.slice(0, 36)}.png`,
    `${up}installation.json`,
    `${up}etc%2fpasswd`,
    '..%2fbeside.txt',
    'beside.txt',
    '%00',
  ])
    expect(
      await api.http.inject({ url: `/files/${tried}`, headers: { accept: 'application/json' } }),
      tried,
    ).toMatchObject({
      statusCode: 404,
      headers: { 'cache-control': 'no-store' },
    })
})
