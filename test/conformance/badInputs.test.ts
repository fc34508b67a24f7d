import { randomBytes } from 'node:crypto'
import { request as rawRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { buildHttp } from '../../src/server/http.ts'
import { baseType, pathParams, takesJson } from '../../src/shared/contract.ts'
import { id } from '../../src/shared/fields.ts'
import { upperEnd } from '../../src/shared/listQuery.ts'
import { answerOf } from '../support/api.ts'
import { digest } from '../support/digest.ts'
import { endpoints, fieldsOf, idField, isList } from '../support/registry.ts'
import { openWorld, type World } from '../support/world.ts'
import { params, samples } from './samples.ts'

/**
 * Group A of the bad-input catalogue (quality.md), for every endpoint: the database is unchanged
 * and there is no 500.
 */
let world: World
let token: string
let before: Record<string, string>
/** A good input for each write, and what it stands on. */
const prepared = new Map<string, Record<string, unknown>>()
const good = (name: string) => prepared.get(name) ?? {}
beforeAll(async () => {
  world = await openWorld()
  token = await world.login('PLATFORM_FULL')
  for (const { name, endpoint } of endpoints)
    if (endpoint.kind === 'write' && samples[name]) prepared.set(name, await samples[name](world))
  before = await digest(world)
})
afterAll(() => world?.close())

const signed = endpoints.filter(({ endpoint }) => endpoint.access !== 'open')
const lists = endpoints.filter(({ endpoint }) => isList(endpoint))
const bodied = endpoints.filter(({ endpoint }) => takesJson(endpoint))
const ranged = endpoints.filter(
  ({ name, endpoint }) =>
    endpoint.kind === 'read' &&
    'from' in fieldsOf(endpoint) &&
    'to' in fieldsOf(endpoint) &&
    name !== 'splitStrategies.diff', // versions
)

type Raw = { method?: string; headers?: Record<string, string>; payload?: string | Buffer }
const send = async (url: string, { method = 'GET', headers = {}, payload }: Raw = {}) =>
  answerOf(
    await world.http.inject({
      method: method as 'GET',
      url,
      headers: { authorization: token, ...headers },
      ...(payload === undefined ? {} : { payload }),
    }),
  )
const urlOf = (path: string, values: Record<string, unknown>) =>
  path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(values[key])))
const ownUrl = (entry: (typeof endpoints)[number]) =>
  urlOf(entry.endpoint.path, params(entry.endpoint, 'OWN', world))
const json = { 'content-type': 'application/json' }

describe('A1-A3 tokens', () => {
  it.each([
    ['Bearer'],
    ['Bearer '],
    [''],
    ['x'.repeat(10_240)],
    ['Bearer Bearer xx'],
    [`${'x'.repeat(42)}!`],
  ])('%s', async (authorization) => {
    for (const entry of signed.slice(0, 5)) {
      const { status, body } = await send(ownUrl(entry), {
        method: entry.endpoint.method,
        headers: { authorization },
      })
      expect([status, body.code, body.message]).toEqual([401, 110001, '登录已过期,请重新登录'])
    }
  })
  it('two headers and bytes outside ASCII', async () => {
    const live = await buildHttp(world.app)
    await live.listen({ port: 0, host: '127.0.0.1' })
    const { port } = live.server.address() as AddressInfo
    const ask = (headers: string[]) =>
      new Promise<{ status: number; code: number }>((resolve, reject) => {
        const request = rawRequest(
          { port, host: '127.0.0.1', path: '/auth/user', headers, agent: false },
          (response) => {
            let text = ''
            response
              .on('data', (part) => {
                text += part
              })
              .on('end', () =>
                resolve({ status: response.statusCode ?? 0, code: JSON.parse(text).code }),
              )
          },
        )
        request.on('error', reject).end()
      })
    const host = ['host', 'x']
    expect(await ask([...host, 'authorization', token])).toEqual({ status: 200, code: undefined })
    expect(await ask([...host, 'authorization', token, 'Authorization', token])).toEqual({
      status: 401,
      code: 110001,
    })
    expect(
      await ask([...host, 'authorization', Buffer.from('密'.repeat(14)).toString('latin1')]),
    ).toEqual({ status: 401, code: 110001 })
    await live.close()
  })
  it('the message follows the language', async () => {
    const { body } = await send('/auth/user', {
      headers: { authorization: '', 'accept-language': 'en-GB' },
    })
    expect(body.message).toBe('Login has expired, please sign in again')
  })
})

describe('A6-A7 paths and methods', () => {
  it('an unknown path is named, escaped and cut', async () => {
    const found = await send('/nope<script>alert(1)</script>')
    expect([found.status, found.body.code, found.headers['content-type']]).toEqual([
      404,
      404002,
      'application/json; charset=utf-8',
    ])
    expect(found.body.message).toMatch(/^Request path \/nope%3Cscript%3E.* is not found$/)
    const long = await send(`/${'x'.repeat(5000)}`)
    expect([long.status, long.body.message.length < 260]).toEqual([404, true])
  })
  it('a right path with a wrong method names the right ones', async () => {
    for (const entry of endpoints) {
      const url = ownUrl(entry)
      const right = endpoints
        .filter((other) => other.endpoint.path === entry.endpoint.path)
        .map((other) => other.endpoint.method as string)
      for (const method of ['PUT', 'DELETE', 'POST', 'PATCH', 'TRACE'].filter(
        (m) => !right.includes(m),
      )) {
        const { status, headers, body } = await send(url, { method })
        expect([method, url, status, body.code, String(headers.allow).split(', ').sort()]).toEqual([
          method,
          url,
          405,
          405001,
          [...new Set(right)].sort(),
        ])
      }
    }
  })
})

describe('A8-A10 bodies', () => {
  const deep = `${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`
  const many = JSON.stringify(
    Object.fromEntries(Array.from({ length: 15_000 }, (_, i) => [`k${i}`, 1])),
  )
  const vast = `{"a":"${'x'.repeat(1_048_576)}"}`
  const bomb = gzipSync(Buffer.alloc(20_000_000, 32))
  it.each(bodied)('$name', async (entry) => {
    const own = await world.login('PLATFORM_FULL')
    const url = ownUrl(entry)
    const post = (payload: string | Buffer, headers: Record<string, string> = json) =>
      send(url, {
        method: entry.endpoint.method,
        headers: { ...headers, authorization: own },
        payload,
      })
    for (const payload of [
      '{"a":',
      '{"a":1,}',
      '[]',
      '[{}]',
      '"text"',
      '1',
      'true',
      '{"__proto__":{"x":1}}',
      '{"constructor":{"prototype":{"x":1}}}',
      '{"version":1,"version":2}',
      '{"a":[{"b":1,"\\u0062":2}]}',
      Buffer.from('{"a":"\xff"}', 'latin1'),
      deep,
      ...(entry.endpoint.access === 'open' ? [] : [many]), // a stranger's body ends before
    ]) {
      const { status, body } = await post(payload)
      expect([String(payload).slice(0, 30), status, body.code]).toEqual([
        String(payload).slice(0, 30),
        400,
        400001,
      ])
    }
    // nothing is a good body for who needs nothing
    const needy = !entry.endpoint.input.safeParse(params(entry.endpoint, 'OWN', world)).success
    if (needy) expect((await post('')).status).toBe(400)
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/xml',
      'multipart/form-data; boundary=x',
    ]) {
      const { status, body } = await post('{}', { 'content-type': type })
      expect([type, status, body.code]).toEqual([type, 415, 415001])
    }
    const large = await post(vast)
    expect([large.status, large.body.code]).toEqual([413, 413001])
    const burst = await post(bomb, { ...json, 'content-encoding': 'gzip' })
    expect([400, 413, 415]).toContain(burst.status)
  })
})

describe('A11 unknown fields', () => {
  it.each(signed.filter(({ endpoint }) => !endpoint.upload))('$name', async (entry) => {
    for (const field of [
      'tenantId',
      'role',
      'balance',
      'org_id',
      '__proto__x',
      '__proto__',
      'constructor',
      'toString',
    ]) {
      const inUrl = entry.endpoint.method === 'GET' || entry.endpoint.method === 'DELETE'
      const { status, body } = await send(
        inUrl ? `${ownUrl(entry)}?${field}=1` : ownUrl(entry),
        inUrl
          ? { method: entry.endpoint.method }
          : { method: entry.endpoint.method, headers: json, payload: `{"${field}":1}` },
      )
      expect([
        status,
        body.code,
        body.errors?.some(
          (e: { field: string; message: string }) =>
            e.field === field && e.message === '不支持的字段',
        ),
      ]).toEqual([400, 400001, true])
    }
  })
})

const badIds = [
  '0',
  '-1',
  '1.5',
  '1e3',
  'abc',
  '9223372036854775808',
  '9007199254740993',
  'null',
  '[]',
  '{}',
  "' OR 1=1--",
  '%00',
  '１',
  '+1',
  ' 1',
  '0x10',
  '..%2f..',
  '<script>',
]
/** What kind of check refuses it; the whole list is tried once in a domain where the type is one. */
const fewIds = ['0', 'abc', "' OR 1=1--", '%00']
describe('A12 ids', () => {
  const tried = new Set<string>()
  const badFor = (domain: string, type: z.ZodType | undefined) => {
    if (baseType(type as z.ZodType) !== id) return badIds
    const known = tried.has(domain)
    tried.add(domain)
    return known ? fewIds : badIds
  }
  it.each(endpoints.filter(({ endpoint }) => pathParams(endpoint.path).length > 0))(
    '$name in the path',
    async (entry) => {
      for (const param of pathParams(entry.endpoint.path)) {
        for (const bad of badFor(entry.domain, fieldsOf(entry.endpoint)[param])) {
          const url = urlOf(entry.endpoint.path, {
            ...params(entry.endpoint, 'OWN', world),
            [param]: bad,
          })
          const sample = good(entry.name)
          const rest = Object.fromEntries(
            Object.entries(sample).filter(
              ([key]) => !pathParams(entry.endpoint.path).includes(key),
            ),
          )
          const inBody = entry.endpoint.method === 'POST' || entry.endpoint.method === 'PUT'
          const query =
            !inBody && Object.keys(rest).length
              ? `?${new URLSearchParams(Object.entries(rest).map(([k, v]) => [k, String(v)]))}`
              : ''
          const { status, body } = await send(
            url + query,
            inBody
              ? { method: entry.endpoint.method, headers: json, payload: JSON.stringify(rest) }
              : { method: entry.endpoint.method },
          )
          expect([
            bad,
            [400, 404].includes(status),
            body.code === 400001 || body.code === 404001,
            status,
          ]).toEqual([bad, true, true, status])
        }
      }
    },
  )
  it.each(endpoints.filter(({ endpoint }) => endpoint.method === 'GET'))(
    '$name in the query',
    async (entry) => {
      for (const [field, type] of Object.entries(fieldsOf(entry.endpoint))) {
        if (
          pathParams(entry.endpoint.path).includes(field) ||
          !(baseType(type) instanceof z.ZodNumber)
        )
          continue
        for (const bad of badIds.filter((value) => !['0'].includes(value))) {
          const { status, body } = await send(
            `${ownUrl(entry)}?${field}=${encodeURIComponent(bad)}`,
          )
          expect([field, bad, status, body.code]).toEqual([field, bad, 400, 400001])
        }
      }
    },
  )
})
/**
 * Every array of row ids a body may hold, as the smallest body that doubles one, with the path an
 * error names.
 */
function doubledIds(type: z.ZodType, at: string[] = []): { path: string; body: unknown }[] {
  const base = baseType(type)
  if (base instanceof z.ZodObject)
    return Object.entries(base.shape as Record<string, z.ZodType>).flatMap(([key, field]) =>
      doubledIds(field, [...at, key]).map(({ path, body }) => ({ path, body: { [key]: body } })),
    )
  if (!(base instanceof z.ZodArray)) return []
  const element = baseType(base.element as z.ZodType)
  if (element === id) return [{ path: at.join('.'), body: [7, 7] }]
  return doubledIds(element, [...at, '0']).map(({ path, body }) => ({ path, body: [body] }))
}
describe('an id twice', () => {
  const taking = bodied
    .map((entry) => ({
      ...entry,
      doubles: doubledIds(entry.endpoint.input).filter(
        ({ path }) => !(entry.domain === 'distribution' && path === 'deviceIds'),
      ),
    }))
    .filter(({ doubles }) => doubles.length)
  it.each(taking)('$name refuses it and names the field', async (entry) => {
    for (const { path, body: payload } of entry.doubles) {
      const { status, body } = await send(ownUrl(entry), {
        method: entry.endpoint.method,
        headers: json,
        payload: JSON.stringify(payload),
      })
      expect([status, body.code]).toEqual([400, 400001])
      expect(body.errors).toContainEqual({ field: path, message: '不能重复' })
    }
  })
  it.each(
    endpoints.filter(
      ({ endpoint }) =>
        endpoint.method === 'GET' &&
        Object.entries(fieldsOf(endpoint)).some(([k, t]) => idField(k, t) === 'many'),
    ),
  )('$name: a filter is a set', async (entry) => {
    for (const [key, type] of Object.entries(fieldsOf(entry.endpoint)))
      if (idField(key, type) === 'many')
        expect((await send(`${ownUrl(entry)}?${key}=7,7`)).status).toBeLessThan(500)
  })
  it('is looked at wherever ids come', () => expect(taking.length).toBeGreaterThan(15))
})

describe('A14-A15 lists', () => {
  it.each(lists)('$name: wrong pages', async (entry) => {
    for (const [field, values] of [
      ['page', ['0', '-1', '1000000000', 'abc', '1.5', '']],
      ['pageSize', ['0', '7', '10', '201', '1000000', '-3', 'all', '']],
    ] as const) {
      for (const value of values) {
        const { status, body } = await send(`${ownUrl(entry)}?${field}=${value}`)
        expect([field, value, status, body.code, body.message]).toEqual([
          field,
          value,
          400,
          400001,
          '分页参数错误',
        ])
      }
    }
  })
  it.each(lists)('$name: wrong order', async (entry) => {
    for (const query of [
      'sort=password',
      'sort=id;drop',
      'sort=-',
      'sort=--createTime',
      'sort=',
      'order=sideways',
      'sort=createTime&sort=createTime',
    ]) {
      const { status, body } = await send(`${ownUrl(entry)}?${query}`)
      expect([query, status, body.code]).toEqual([query, 400, 400001])
    }
  })
  it.each(lists)('$name: odd but harmless search words', async (entry) => {
    if (!('keyword' in fieldsOf(entry.endpoint))) return
    for (const word of [
      "'",
      '%',
      '_',
      '\\',
      '"; drop table users; --',
      '<script>',
      '😀',
      '﷽',
      '\u202e',
      'a\r\nb',
      'a\u2028b',
      'x'.repeat(60),
    ]) {
      const { status } = await send(`${ownUrl(entry)}?keyword=${encodeURIComponent(word)}`)
      expect([word, status]).toEqual([word, 200])
    }
    for (const word of ['x'.repeat(61), '\u0000'])
      expect([
        word,
        (await send(`${ownUrl(entry)}?keyword=${encodeURIComponent(word)}`)).status,
      ]).toEqual([word, 400])
  })
})

describe('A16 ranges', () => {
  it.each(ranged)('$name', async (entry) => {
    for (const query of [
      'from=2026-11-20&to=2026-11-19',
      'from=2024-01-01&to=2026-01-01',
      'from=2026-02-30',
      'to=2026-13-01',
      'from=0000',
      'from=0000-01-01',
      'from=275760-09-13',
      'to=now',
      'from=2026-11-20T00:00:00Z',
      'from=Asia/Shanghai',
      'from=',
    ]) {
      const { status, body } = await send(`${ownUrl(entry)}?${query}`)
      expect([query, status, body.code, body.message]).toEqual([query, 400, 400001, '日期范围错误'])
    }
    expect((await send(`${ownUrl(entry)}?from=2025-11-22&to=2026-11-21`)).status).toBe(200)
  })
})

describe('ranges of numbers and days', () => {
  const reads = endpoints.filter(
    ({ name, endpoint }) => endpoint.kind === 'read' && name !== 'splitStrategies.diff', // versions
  )
  const crossed = reads.flatMap(({ name, endpoint }) =>
    Object.entries(fieldsOf(endpoint)).flatMap(([lower, type]) => {
      const upper = upperEnd(lower)
      return upper === null ? [] : [{ name, endpoint, lower, upper, type: baseType(type) }]
    }),
  )
  it.each(crossed)('$name $lower-$upper', async ({ endpoint, lower, upper, type }) => {
    expect(fieldsOf(endpoint), 'a range has two ends').toHaveProperty(upper)
    const isNumber = type instanceof z.ZodNumber
    const [low, high] = isNumber ? ['2', '1'] : ['2026-11-20', '2026-11-19']
    const path = urlOf(endpoint.path, params(endpoint, 'OWN', world))
    const ask = (from: string, to: string, language: string) =>
      send(`${path}?${new URLSearchParams({ [lower]: from, [upper]: to })}`, {
        headers: { 'accept-language': language },
      })
    for (const [language, number, day] of [
      ['zh-CN', '最小值不能大于最大值', '日期范围错误'],
      ['en', 'The lowest value is above the highest', 'Wrong date range'],
    ] as const) {
      const { status, body } = await ask(low, high, language)
      expect([status, body.code]).toEqual([400, 400001])
      expect(body.errors).toContainEqual({ field: upper, message: isNumber ? number : day })
      const { body: equal } = await ask(low, low, language)
      expect(JSON.stringify(equal.errors ?? '')).not.toContain(isNumber ? number : day)
    }
  })
  it('are found by the names of their ends', () => {
    const found = crossed.map(({ name, upper }) => `${name} ${upper}`)
    for (const name of ['orders.list amountMax', 'orders.statistics amountMax', 'orders.list to'])
      expect(found).toContain(name)
    expect(found).toContain('products.list priceTo')
    expect(found).toContain('orderSupplements.list dateTo')
  })
})

describe('A17 idempotency keys', () => {
  it.each(endpoints.filter(({ endpoint }) => endpoint.idempotent))(
    '$name refuses a key that is none',
    async (entry) => {
      for (const key of ['', 'x'.repeat(256), 'a b', 'schlüssel']) {
        const { status, body } = await world.call(entry.endpoint, good(entry.name), {
          token,
          headers: { 'idempotency-key': key },
        })
        expect([key, status, body.code]).toEqual([key, 400, 400001])
      }
    },
  )
})

describe('texts', () => {
  const writes = bodied.filter(({ name }) => Object.keys(samples).includes(name))
  it.each(writes)('$name refuses what is no text', async (entry) => {
    const sample = good(entry.name)
    const own = new Set(pathParams(entry.endpoint.path))
    for (const [field, type] of Object.entries(fieldsOf(entry.endpoint))) {
      if (own.has(field) || !(baseType(type) instanceof z.ZodString)) continue
      for (const bad of [
        'a\u0000b',
        'a\ud800',
        'a\u001b[2J',
        'x'.repeat(100_000),
        7,
        true,
        ['x'],
        { x: 1 },
      ]) {
        const { status, body } = await world.call(
          entry.endpoint,
          { ...sample, [field]: bad },
          { token },
        )
        expect([
          field,
          String(bad).slice(0, 10),
          status < 500,
          body.code !== undefined || status === 200,
        ]).toEqual([field, String(bad).slice(0, 10), true, true])
        expect([
          field,
          String(bad).slice(0, 10),
          [400, 401, 403, 404, 413].includes(status),
        ]).toEqual([field, String(bad).slice(0, 10), true])
      }
    }
  })
})

describe('A18 too many', () => {
  it('200 requests in a row meet a limit that says when to come back', async () => {
    const limited = await buildHttp({
      ...world.app,
      config: { ...world.app.config, rateLimit: 25 },
    })
    const ask = () =>
      limited.inject({ method: 'GET', url: '/auth/user', headers: { authorization: token } })
    const answers: Awaited<ReturnType<typeof ask>>[] = []
    // a low limit, ten at a time: it counts a second, and a busy machine answers few
    for (let i = 0; i < 20; i += 1)
      answers.push(...(await Promise.all(Array.from({ length: 10 }, ask))))
    const refused = answers.filter((answer) => answer.statusCode === 429)
    expect(refused.length).toBeGreaterThan(0)
    expect(answers.slice(0, 10).every((answer) => answer.statusCode === 200)).toBe(true)
    expect(
      refused
        .map((answer) => [answer.json().code, Number(answer.headers['retry-after']) >= 1])
        .find(([code, later]) => code !== 429001 || !later),
    ).toBeUndefined()
    // somebody else is not held up
    expect(
      (
        await limited.inject({
          method: 'GET',
          url: '/auth/user',
          headers: { authorization: await world.login('ROLE_RTU_SP') },
        })
      ).statusCode,
    ).toBe(200)
    await limited.close()
  })
  it('made-up tokens count for the address they come from', async () => {
    const limited = await buildHttp({
      ...world.app,
      config: { ...world.app.config, rateLimit: 25 },
    })
    const ask = (authorization: string, remoteAddress = '10.9.9.9') =>
      limited.inject({
        method: 'GET',
        url: '/auth/user',
        headers: { authorization },
        remoteAddress,
      })
    const made = Array.from({ length: 200 }, () => randomBytes(32).toString('base64url'))
    const answers = (await Promise.all(made.map((one) => ask(one)))).map(
      (answer) => answer.statusCode,
    )
    expect(answers.filter((status) => status === 429).length).toBeGreaterThan(100)
    const network = await Promise.all(
      made.map((one, i) => ask(one, `2001:db8:1:2::${i.toString(16)}`)),
    )
    expect(network.filter((answer) => answer.statusCode === 429).length).toBeGreaterThan(100)
    await limited.close()
  })

  it('a stranger is known by his address, whatever headers he makes up', async () => {
    const limited = await buildHttp({
      ...world.app,
      config: {
        ...world.app.config,
        rateLimit: 25,
        signInRateLimit: 25,
        trustProxy: (_: string, hop: number) => hop === 0,
      },
    })
    const refused = async (send: (n: number) => Promise<{ statusCode: number }>) => {
      const answers: number[] = []
      for (let i = 0; i < 10; i += 1)
        answers.push(
          ...(await Promise.all(Array.from({ length: 10 }, (_, n) => send(i * 10 + n)))).map(
            (a) => a.statusCode,
          ),
        )
      return answers.filter((status) => status === 429).length
    }
    const shelf = { method: 'GET', url: '/mobile/devices/OWN0001/lanes' } as const
    expect(
      await refused((n) =>
        limited.inject({
          ...shelf,
          remoteAddress: '10.9.0.1',
          headers: { authorization: `x${n}` },
        }),
      ),
      'made up sessions',
    ).toBeGreaterThan(0)
    expect(
      await refused((n) =>
        limited.inject({
          ...shelf,
          remoteAddress: '10.9.0.2',
          headers: { 'x-forwarded-for': `1.2.3.${n}, 9.9.9.9` },
        }),
      ),
      'made up forwarders: only what the proxy itself wrote counts',
    ).toBeGreaterThan(0)
    const login = {
      method: 'POST',
      url: '/auth/login',
      payload: { username: 'nobody', password: 'x' },
    } as const
    expect(
      await refused((n) =>
        limited.inject({ ...login, remoteAddress: `2001:db8::${n.toString(16)}` }),
      ),
      'addresses of one subscriber',
    ).toBeGreaterThan(0)
    await limited.close()
  })
})

describe('afterwards', () => {
  it('nothing has changed', async () => {
    // loops of the process note their runs, and refused sign-ins leave their trace
    const traces = ['sessions', 'debug_logs', 'job_loops', 'login_attempts', 'sign_in_guards']
    const now = await digest(world, traces)
    const then = Object.fromEntries(
      Object.entries(before).filter(([table]) => !traces.includes(table)),
    )
    const changed = Object.keys(now).filter((table) => now[table] !== then[table])
    expect(changed).toEqual([])
  })
})
