import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../../test/support/api.ts'
import { buildApi } from '../../../apps/api.ts'
import { systemScope } from '../../../server/database.ts'
import { bySystem } from '../../../server/run.ts'
import { seedAccess } from '../../accounts/seed.ts'
import { session } from '../contract.ts'
import { identityProvider } from './identity.ts'
import { codeOf, openWays, password, sendCodes, shows, type Ways } from './testWorld.ts'
import { unbindWechat } from './verbs.ts'

/** Signing in and binding by a scan, and the services behind it. */
let ways: Ways
let api: TestApi
let name = ''
beforeAll(async () => {
  ways = await openWays()
  api = ways.api
})
afterAll(() => api?.close())
beforeEach(async () => {
  await ways.next()
  name = ways.name
})

describe('scan', () => {
  const begin = async (purpose = 'login', token?: string) =>
    (await api.call(session.loginsend, { channel: 'qr', purpose }, { token })).body as {
      ticket: string
      secret: string
      qrContent: string
    }
  const poll = ({ ticket, secret }: { ticket: string; secret: string }) =>
    api.call(session.loginv, { channel: 'qr', ticket, secret })
  const newPhone = async () =>
    (
      await api.call(session.scanIdentity, {
        ticket: '00000000-0000-4000-8000-000000000001',
        nickname: '微信用户',
      })
    ).body.identity as string
  const scan = (id: string, identity: string) => api.call(session.scan, { id, identity })
  const confirm = (id: string, identity: string) => api.call(session.confirmScan, { id, identity })
  async function bound(): Promise<string> {
    const identity = await newPhone()
    const { ticket } = await begin('bind', await api.login(name))
    expect(codeOf(await scan(ticket, identity))).toBe(200)
    expect(codeOf(await confirm(ticket, identity))).toBe(200)
    return identity
  }

  test('binding, then signing in: every state, and the token once', async () => {
    const identity = await bound()
    const it = await begin()
    expect(it.qrContent).toMatch(/\/scan\?t=/)
    expect((await poll(it)).body).toEqual({ state: 'WAITING', problem: '' })
    expect((await scan(it.ticket, identity)).body).toMatchObject({
      purpose: 'LOGIN',
      username: name,
    })
    expect((await poll(it)).body.state).toBe('SCANNED')
    expect(codeOf(await confirm(it.ticket, identity))).toBe(200)
    const first = (await poll(it)).body
    expect(first.state).toBe('CONFIRMED')
    expect((await api.call(session.user, {}, { token: first.token })).body.username).toBe(name)
    expect((await poll(it)).body).toEqual({ state: 'EXPIRED' })
    const [row] = await api.sql(
      `select last_login_at, last_login_ip from users where username = $1`,
      [name],
    )
    expect(row).toEqual({ last_login_at: ways.now(), last_login_ip: '127.0.0.1' })
  })
  test('the address in the code is no other than the browser came by, and WeChat wants a set one', async () => {
    const proxied = await buildApi({
      ...api.app,
      config: { ...api.app.config, trustProxy: '127.0.0.1' },
    })
    const ask = {
      method: 'POST',
      url: '/auth/loginsend',
      payload: { channel: 'qr', purpose: 'login' },
    } as const
    const answer = await proxied.inject({
      ...ask,
      headers: { host: 'hd.example', 'x-forwarded-host': 'evil.example' },
    })
    await proxied.close()
    expect(answer.json().qrContent).toMatch(/^http:\/\/hd\.example\/scan\?t=/)
    const config = { ...api.app.config, demo: false, wechatAppId: 'wx1', wechatAppSecret: 's' }
    expect([
      identityProvider(config),
      identityProvider({ ...config, publicUrl: 'https://hd.example' })?.name,
    ]).toEqual([null, 'wechat'])
  })
  test('fifty who ask at once get one token', async () => {
    const identity = await bound()
    const it = await begin()
    await scan(it.ticket, identity)
    await confirm(it.ticket, identity)
    const before = (await api.sql(`select 1 from sessions`)).length
    const answers = await Promise.all(Array.from({ length: 50 }, () => poll(it)))
    expect(answers.filter((answer) => answer.body.token).length).toBe(1)
    expect(answers.every((answer) => answer.status === 200)).toBe(true)
    expect((await api.sql(`select 1 from sessions`)).length - before).toBe(1)
  })
  test('another secret, another phone, a forged identity', async () => {
    const identity = await bound()
    const it = await begin()
    expect(codeOf(await poll({ ...it, secret: 'x'.repeat(43) }))).toBe(404001)
    await scan(it.ticket, identity)
    expect(codeOf(await confirm(it.ticket, await newPhone()))).toBe(409007)
    const [body = ''] = identity.split('.')
    const forged = Buffer.from(
      Buffer.from(body, 'base64url').toString().replace(/sim-/, 'sin-'),
    ).toString('base64url')
    expect(codeOf(await confirm(it.ticket, `${forged}.${identity.split('.')[1]}`))).toBe(403003)
    expect(codeOf(await confirm(it.ticket, 'nothing'))).toBe(403003)
    expect((await poll(it)).body.state).toBe('SCANNED')
  })
  test('the secret is kept as a hash only', async () => {
    const { secret } = await begin()
    const [row] = await api.sql<{ text: string }>(
      `select string_agg(t::text, '') as text from scan_tickets t`,
    )
    expect(shows(row?.text, secret)).toBe(false)
  })
  test('120 seconds, confirmed or not', async () => {
    const identity = await bound()
    const [early, late] = [await begin(), await begin()]
    await scan(late.ticket, identity)
    await confirm(late.ticket, identity)
    ways.later(121)
    expect((await poll(early)).body).toEqual({ state: 'EXPIRED' })
    expect((await poll(late)).body).toEqual({ state: 'EXPIRED' })
    expect(codeOf(await scan(early.ticket, identity))).toBe(409007)
  })
  test('refused on the phone; not to be confirmed any more', async () => {
    const identity = await bound()
    const it = await begin()
    await scan(it.ticket, identity)
    expect(codeOf(await api.call(session.refuseScan, { id: it.ticket, identity }))).toBe(200)
    expect((await poll(it)).body).toEqual({ state: 'REFUSED', problem: '' })
    expect(codeOf(await confirm(it.ticket, identity))).toBe(409007)
  })
  test('a phone nobody bound is told what to do, and so is the computer', async () => {
    const it = await begin()
    const answer = await scan(it.ticket, await newPhone())
    expect([answer.status, answer.body.message]).toEqual([
      422,
      '该微信未绑定账号，请先用账号登录后在扫码绑定中绑定',
    ])
    expect((await poll(it)).body).toEqual({ state: 'REFUSED', problem: 'NOT_BOUND' })
  })
  test('one WeChat, one account: 409004, also when both confirm at once', async () => {
    const identity = await bound()
    const other = `${name}b`
    await ways.addUser(other, '')
    const it = await begin('bind', await api.login(other))
    const answer = await scan(it.ticket, identity)
    expect([codeOf(answer), answer.body.message]).toEqual([409004, '该微信已绑定其他账号'])
    expect((await poll(it)).body).toEqual({ state: 'REFUSED', problem: 'BOUND_ELSEWHERE' })
    const fresh = await newPhone()
    const third = `${name}c`
    await ways.addUser(third, '')
    const tickets = [
      await begin('bind', await api.login(other)),
      await begin('bind', await api.login(third)),
    ]
    for (const { ticket } of tickets) await scan(ticket, fresh)
    const both = await Promise.all(tickets.map(({ ticket }) => confirm(ticket, fresh)))
    expect(both.map(codeOf).sort()).toEqual([200, 409004])
  })
  test('binding wants a session, and only one WeChat at a time', async () => {
    expect(codeOf(await api.call(session.loginsend, { channel: 'qr', purpose: 'bind' }))).toBe(
      110001,
    )
    await bound()
    expect(
      codeOf(
        await api.call(
          session.loginsend,
          { channel: 'qr', purpose: 'bind' },
          { token: await api.login(name) },
        ),
      ),
    ).toBe(422007)
  })
  test('unbinding by oneself wants the password; by an administrator ends it too; the phone then opens nothing', async () => {
    const identity = await bound()
    const token = await api.login(name)
    expect((await api.call(session.binding, {}, { token })).body.bound.nickname).toBe('微信用户')
    expect(codeOf(await api.call(session.unbind, { password: 'wrong 1' }, { token }))).toBe(400008)
    expect(codeOf(await api.call(session.unbind, { password }, { token }))).toBe(200)
    expect(codeOf(await scan((await begin()).ticket, identity))).toBe(422006)
    await bound()
    const [user] = await api.sql<{ id: number }>('select id from users where username = $1', [name])
    expect(await bySystem(api.app, (ctx) => unbindWechat(ctx, Number(user?.id)))).toBe(true)
    expect(await bySystem(api.app, (ctx) => unbindWechat(ctx, Number(user?.id)))).toBe(false)
  })
  const userId = async () =>
    Number(
      (await api.sql<{ id: number }>('select id from users where username = $1', [name]))[0]?.id,
    )
  test.each(['another password', 'signed out', 'kicked', 'proof void', 'organisation closed'])(
    'a code to bind is over with its session: %s',
    async (how) => {
      const mine = await api.login(name)
      const [identity, late] = [await newPhone(), await begin('bind', mine)]
      const early = await begin('bind', mine)
      expect(codeOf(await scan(early.ticket, identity))).toBe(200)
      if (how === 'another password')
        await api.call(
          session.changePassword,
          { oldPassword: password, password: 'Another 1 horse', repeat: 'Another 1 horse' },
          { token: await api.login(name) },
        )
      if (how === 'signed out') await api.call(session.logout, {}, { token: mine })
      if (how === 'kicked') await api.call(session.endOthers, {}, { token: await api.login(name) })
      if (how === 'proof void')
        await api.sql('update sessions set proven_at = null where user_id = $1', [await userId()])
      if (how === 'organisation closed')
        await api.sql(`update organisations set status = 'DISABLED' where id = 3`)
      try {
        expect(codeOf(await confirm(early.ticket, identity)), 'scanned before').toBe(409007)
        if (how !== 'organisation closed')
          expect(codeOf(await scan(late.ticket, identity)), 'scanned after').toBe(409007)
        expect(
          await api.sql('select 1 from wechat_bindings where user_id = $1', [await userId()]),
        ).toEqual([])
      } finally {
        await api.sql(`update organisations set status = 'ENABLED' where id = 3`)
      }
    },
  )
  test.each(['unbound', 'bound to another phone', 'another password'])(
    'a sign-in that was confirmed is not collected any more: %s',
    async (how) => {
      const identity = await bound()
      const it = await begin()
      await scan(it.ticket, identity)
      expect(codeOf(await confirm(it.ticket, identity))).toBe(200)
      if (how === 'another password') {
        const change = {
          oldPassword: password,
          password: 'Another 1 horse',
          repeat: 'Another 1 horse',
        }
        expect(
          codeOf(await api.call(session.changePassword, change, { token: await api.login(name) })),
        ).toBe(200)
      } else
        expect(
          codeOf(await api.call(session.unbind, { password }, { token: await api.login(name) })),
        ).toBe(200)
      if (how === 'bound to another phone') await bound()
      const { state, token } = (await poll(it)).body
      expect([state, token]).toEqual(['EXPIRED', undefined])
    },
  )
  test('a disabled account is not opened by its phone', async () => {
    const identity = await bound()
    const it = await begin()
    await scan(it.ticket, identity)
    await confirm(it.ticket, identity)
    await api.sql(`update users set status = 'DISABLED' where username = $1`, [name])
    expect((await poll(it)).body).toEqual({ state: 'EXPIRED' })
  })
})

describe('providers', () => {
  /** A stand-in on a port of its own; remembers what it was asked. */
  async function standIn(answer: (url: URL, body: string) => { status?: number; json: unknown }) {
    const seen: { url: URL; body: string; key?: string; once?: string }[] = []
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', (part) => {
        body += part
      })
      request.on('end', () => {
        const url = new URL(request.url ?? '/', 'http://x')
        const { authorization: key, 'idempotency-key': once } = request.headers
        seen.push({ url, body, ...(key ? { key } : {}), ...(once ? { once: `${once}` } : {}) })
        const { status = 200, json } = answer(url, body)
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
    return {
      base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      seen,
      close: () => new Promise((resolve) => server.close(resolve)),
    }
  }

  test('WeChat: code to openid over HTTP, refused codes, a service that is away; production without anything says so; SMS by HTTP', async () => {
    const wechat = await standIn((url) =>
      url.pathname === '/sns/oauth2/access_token'
        ? {
            json:
              url.searchParams.get('code') === 'good'
                ? { access_token: 'at', openid: 'o-1', unionid: 'u-1' }
                : { errcode: 40029, errmsg: 'invalid code' },
          }
        : { json: { openid: 'o-1', nickname: '小明' } },
    )
    let status = 503
    const gateway = await standIn(() => ({ status, json: {} }))
    const real = await startTestApi({
      now: ways.now,
      config: {
        DEMO: '0',
        WECHAT_APP_ID: 'wx1',
        WECHAT_APP_SECRET: 's3cret',
        WECHAT_API_BASE: wechat.base,
        SMS_API_URL: `${gateway.base}/send`,
        SMS_API_KEY: 'k',
        PUBLIC_URL: 'https://hd.example',
      },
    })
    try {
      await real.app.database.transact(systemScope, (db) => seedAccess(db, ways.now()))
      await real.sql(
        `insert into users (org_id, username, password_hash, real_name, phone)
          values (1, 'boss', 'x', 'x', '13800138000')`,
      )
      await real.sql(
        `insert into user_roles (user_id, role_id, org_id) select u.id, r.id, 1
          from users u, roles r where u.username = 'boss' and r.code = 'ROLE_SUPER_ADMIN'`,
      )
      const token = await real.login('boss')
      const { ticket, qrContent } = (
        await real.call(session.loginsend, { channel: 'qr', purpose: 'bind' }, { token })
      ).body
      expect(qrContent).toBe(`https://hd.example/scan?t=${ticket}`)
      const first = (await real.call(session.scanIdentity, { ticket, nickname: 'x' })).body
      expect([
        first.provider,
        first.identity,
        new URL(first.authorizeUrl).searchParams.get('redirect_uri'),
      ]).toEqual(['wechat', null, qrContent])
      expect(codeOf(await real.call(session.scanIdentity, { ticket, oauthCode: 'bad' }))).toBe(
        403003,
      )
      const { identity } = (await real.call(session.scanIdentity, { ticket, oauthCode: 'good' }))
        .body
      expect(wechat.seen.at(-2)?.url.searchParams.get('secret')).toBe('s3cret')
      expect(codeOf(await real.call(session.scan, { id: ticket, identity }))).toBe(200)
      expect(codeOf(await real.call(session.confirmScan, { id: ticket, identity }))).toBe(200)
      expect(await real.sql('select openid, unionid, nickname from wechat_bindings')).toEqual([
        { openid: 'o-1', unionid: 'u-1', nickname: '小明' },
      ])
      const page = await real.http.inject({ method: 'GET', url: `/scan?t=${ticket}&code=abc` })
      expect([page.statusCode, page.headers.location]).toEqual([
        302,
        `/login?mode=phone&t=${ticket}&code=abc`,
      ])
      expect((await real.http.inject({ method: 'GET', url: '/dev/inbox' })).statusCode).toBe(404)
      ways.later(601)
      const late = (await real.call(session.loginsend, { channel: 'qr', purpose: 'login' })).body
      expect(
        codeOf(await real.call(session.scan, { id: late.ticket, identity })),
        'an identity counts ten minutes',
      ).toBe(403003)
      await wechat.close()
      expect(
        codeOf(await real.call(session.scanIdentity, { ticket: late.ticket, oauthCode: 'good' })),
      ).toBe(503002)

      await real.call(session.loginsend, { channel: 'sms', purpose: 'login', phone: '13800138000' })
      await sendCodes(real.app)
      expect(await real.sql('select send_state, attempts from sms_codes')).toEqual([
        { send_state: 'PENDING', attempts: 1 },
      ])
      status = 200
      ways.later(6)
      await sendCodes(real.app)
      expect(await real.sql('select send_state, sealed from sms_codes')).toEqual([
        { send_state: 'SENT', sealed: null },
      ])
      const sent = JSON.parse(gateway.seen.at(-1)?.body ?? '{}')
      // the gateway may know the second try by the first
      expect(gateway.seen.map(({ once }) => once)).toEqual(['code-1', 'code-1'])
      expect([gateway.seen.at(-1)?.key, sent.phone, sent.purpose]).toEqual([
        'Bearer k',
        '13800138000',
        'LOGIN',
      ])
      expect(
        (
          await real.call(session.loginv, {
            channel: 'sms',
            phone: '13800138000',
            smsCode: sent.code,
          })
        ).body.token,
      ).toBeDefined()
    } finally {
      await real.close()
      await gateway.close()
    }
  })
  test('nothing set up: scan says so, a forgotten password becomes a request, once', async () => {
    const bare = await startTestApi({ now: ways.now, config: { DEMO: '0' } })
    try {
      await bare.app.database.transact(systemScope, (db) => seedAccess(db, ways.now()))
      await bare.sql(
        `insert into users (org_id, username, password_hash, real_name, phone)
          values (1, 'boss', 'x', 'x', '13800138000')`,
      )
      await bare.sql(
        `insert into user_roles (user_id, role_id, org_id) select u.id, r.id, 1
          from users u, roles r where u.username = 'boss' and r.code = 'ROLE_SUPER_ADMIN'`,
      )
      expect((await bare.call(session.methods)).body).toEqual({
        scan: false,
        sms: false,
        demo: false,
      })
      expect(codeOf(await bare.call(session.loginsend, { channel: 'qr', purpose: 'login' }))).toBe(
        422005,
      )
      expect(
        codeOf(
          await bare.call(session.loginsend, {
            channel: 'sms',
            purpose: 'login',
            phone: '13800138000',
          }),
        ),
      ).toBe(422004)
      const ask = (username: string) =>
        bare.call(session.loginsend, {
          channel: 'sms',
          purpose: 'reset',
          username,
          phone: '13800138000',
        })
      const answers = [await ask('boss'), await ask('boss'), await ask('nobody')].map((answer) => [
        answer.status,
        answer.body,
      ])
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
      expect(await bare.sql('select method, state from password_resets')).toEqual([
        { method: 'ADMIN', state: 'PENDING' },
      ])
    } finally {
      await bare.close()
    }
  })
})
