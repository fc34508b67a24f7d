import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../../test/support/api.ts'
import { systemScope } from '../../../server/database.ts'
import { hashPassword, passwordWork } from '../../../server/passwords.ts'
import { bySystem } from '../../../server/run.ts'
import { seedAccess } from '../../accounts/seed.ts'
import { session } from '../contract.ts'
import { codeWork, runSms } from './sms.ts'
import { unbindWechat } from './verbs.ts'

/** The other ways in: scan, code, forgotten password, and what each leaves behind. */
let api: TestApi
let clock = new Date('2026-11-21T06:00:00Z').getTime()
const password = 'Right horse 7'
const later = (seconds: number) => {
  clock += seconds * 1000
}
let n = 0
let name = ''
let phone = ''
let hash = ''
beforeAll(async () => {
  hash = await hashPassword(password)
  api = await startTestApi({ now: () => new Date(clock) })
  await api.app.database.transact(systemScope, (db) => seedAccess(db, new Date(clock)))
  await api.sql(`insert into organisations (id, parent_id, path, kind, name) values (2, 1, '1.2', 'AGENT', 'a'), (3, 2, '1.2.3', 'OPERATOR', 'o')`)
})
afterAll(() => api?.close())
beforeEach(async () => {
  n += 1
  later(3600)
  name = `walker${n}`
  phone = `1380000${String(n).padStart(4, '0')}`
  await addUser(name, phone)
})
async function addUser(username: string, to: string) {
  await api.sql(`insert into users (org_id, username, password_hash, real_name, phone) values (3, $1, $2, 'x', $3)`, [username, hash, to])
  await api.sql(
    `insert into user_roles (user_id, role_id, org_id) select u.id, r.id, 3 from users u, roles r where u.username = $1 and r.code = 'ROLE_RTU_SP'`,
    [username],
  )
}
const codeOf = (answer: { status: number; body: { code?: number } }) => answer.body.code ?? answer.status

describe('scan', () => {
  const begin = async (purpose = 'login', token?: string) =>
    (await api.call(session.loginsend, { channel: 'qr', purpose }, { token })).body as { ticket: string; secret: string; qrContent: string }
  const poll = ({ ticket, secret }: { ticket: string; secret: string }) => api.call(session.loginv, { channel: 'qr', ticket, secret })
  const newPhone = async () =>
    (await api.call(session.scanIdentity, { ticket: '00000000-0000-4000-8000-000000000001', nickname: '微信用户' })).body.identity as string
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
    expect((await scan(it.ticket, identity)).body).toMatchObject({ purpose: 'LOGIN', username: name })
    expect((await poll(it)).body.state).toBe('SCANNED')
    expect(codeOf(await confirm(it.ticket, identity))).toBe(200)
    const first = (await poll(it)).body
    expect(first.state).toBe('CONFIRMED')
    expect((await api.call(session.user, {}, { token: first.token })).body.username).toBe(name)
    expect((await poll(it)).body).toEqual({ state: 'EXPIRED' })
    const [row] = await api.sql(`select last_login_at, last_login_ip from users where username = $1`, [name])
    expect(row).toEqual({ last_login_at: new Date(clock), last_login_ip: '127.0.0.1' })
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
    const forged = Buffer.from(Buffer.from(body, 'base64url').toString().replace(/sim-/, 'sin-')).toString('base64url')
    expect(codeOf(await confirm(it.ticket, `${forged}.${identity.split('.')[1]}`))).toBe(403003)
    expect(codeOf(await confirm(it.ticket, 'nothing'))).toBe(403003)
    expect((await poll(it)).body.state).toBe('SCANNED')
  })
  test('the secret is kept as a hash only', async () => {
    const { secret } = await begin()
    expect(await api.sql(`select 1 from scan_tickets t where t::text like '%' || $1 || '%'`, [secret])).toEqual([])
  })
  test('120 seconds, confirmed or not', async () => {
    const identity = await bound()
    const [early, late] = [await begin(), await begin()]
    await scan(late.ticket, identity)
    await confirm(late.ticket, identity)
    later(121)
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
    expect([answer.status, answer.body.message]).toEqual([422, '该微信未绑定账号,请先用账号登录后在扫码绑定中绑定'])
    expect((await poll(it)).body).toEqual({ state: 'REFUSED', problem: 'NOT_BOUND' })
  })
  test('one WeChat, one account: 409004, also when both confirm at once', async () => {
    const identity = await bound()
    const other = `${name}b`
    await addUser(other, '')
    const it = await begin('bind', await api.login(other))
    const answer = await scan(it.ticket, identity)
    expect([codeOf(answer), answer.body.message]).toEqual([409004, '该微信已绑定其他账号'])
    expect((await poll(it)).body).toEqual({ state: 'REFUSED', problem: 'BOUND_ELSEWHERE' })
    const fresh = await newPhone()
    const third = `${name}c`
    await addUser(third, '')
    const tickets = [await begin('bind', await api.login(other)), await begin('bind', await api.login(third))]
    for (const { ticket } of tickets) await scan(ticket, fresh)
    const both = await Promise.all(tickets.map(({ ticket }) => confirm(ticket, fresh)))
    expect(both.map(codeOf).sort()).toEqual([200, 409004])
  })
  test('binding wants a session, and only one WeChat at a time', async () => {
    expect(codeOf(await api.call(session.loginsend, { channel: 'qr', purpose: 'bind' }))).toBe(110001)
    await bound()
    expect(codeOf(await api.call(session.loginsend, { channel: 'qr', purpose: 'bind' }, { token: await api.login(name) }))).toBe(422007)
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
  test('a disabled account is not opened by its phone', async () => {
    const identity = await bound()
    const it = await begin()
    await scan(it.ticket, identity)
    await confirm(it.ticket, identity)
    await api.sql(`update users set status = 'DISABLED' where username = $1`, [name])
    expect((await poll(it)).body).toEqual({ state: 'EXPIRED' })
  })
})

/** What the simulated provider put into the inbox for this number. */
async function delivered(to: string): Promise<string> {
  await runSms(api.app)
  const [row] = await api.sql<{ content: string }>('select content from dev_messages where phone = $1 order by id desc limit 1', [to])
  return /\d{6}/.exec(row?.content ?? '')?.[0] ?? ''
}

describe('codes', () => {
  const send = (to: string, ip = '10.0.0.1') => api.call(session.loginsend, { channel: 'sms', purpose: 'login', phone: to }, { headers: { 'x-ip': ip } })
  const enter = (to: string, smsCode: string, username?: string) =>
    api.call(session.loginv, { channel: 'sms', phone: to, smsCode, ...(username ? { username } : {}) })
  const other = (code: string) => (code === '000000' ? '000001' : '000000')

  test('sent after the commit, good once, kept as a hash', async () => {
    expect((await send(phone)).body).toEqual({ sent: true, retryAfter: 60 })
    const code = await delivered(phone)
    expect(code).toMatch(/^\d{6}$/)
    const [row] = await api.sql<{ text: string; sealed: unknown }>('select code_hash::text as text, sealed from sms_codes where phone = $1', [phone])
    expect([row?.text.includes(code), row?.sealed]).toEqual([false, null])
    expect((await enter(phone, code)).body.token).toMatch(/^[\w-]{43}$/)
    expect(codeOf(await enter(phone, code))).toBe(400007)
  })
  test('a number nobody has: the same answer, the same work, no message, no way in', async () => {
    const nobody = '13999990000'
    const before = codeWork.hashed
    const [a, b] = [await send(phone), await send(nobody)]
    expect([b.status, b.body]).toEqual([a.status, a.body])
    expect(codeWork.hashed - before).toBe(2)
    expect(await delivered(nobody)).toBe('')
    expect((await send(nobody)).body.message).toBe((await send(phone)).body.message)
    const wrong = codeWork.hashed
    const [x, y] = [await enter(phone, other(await delivered(phone))), await enter(nobody, '123456')]
    expect(codeWork.hashed - wrong).toBe(2)
    expect({ ...x.body, requestId: '' }).toEqual({ ...y.body, requestId: '' })
  })
  test('five tries, also when they come at once; five minutes', async () => {
    await send(phone)
    const code = await delivered(phone)
    const wrong = await Promise.all(Array.from({ length: 8 }, () => enter(phone, other(code))))
    expect(new Set(wrong.map(codeOf))).toEqual(new Set([400007]))
    expect(codeOf(await enter(phone, code))).toBe(400007)
    later(61)
    await send(phone)
    const next = await delivered(phone)
    later(300)
    expect(codeOf(await enter(phone, next))).toBe(400007)
  })
  test('one a minute, five an hour, ten a day', async () => {
    const both = await Promise.all([send(phone), send(phone)])
    expect(both.map(codeOf).sort()).toEqual([200, 429002])
    for (let i = 0; i < 4; i += 1) {
      later(61)
      expect(codeOf(await send(phone))).toBe(200)
    }
    later(61)
    expect(codeOf(await send(phone))).toBe(429003)
    later(3600)
    for (let i = 0; i < 5; i += 1) {
      expect(codeOf(await send(phone))).toBe(200)
      later(721)
    }
    expect(codeOf(await send(phone))).toBe(429003)
    later(86_400)
    expect(codeOf(await send(phone))).toBe(200)
  })
  test('twenty an hour from one address', async () => {
    later(86_400)
    const answers: number[] = []
    for (let i = 0; i < 21; i += 1) answers.push(codeOf(await send(`1371234${String(i).padStart(4, '0')}`)))
    expect(answers).toEqual([...Array.from({ length: 20 }, () => 200), 429003])
  })
  test('several accounts with one number: the username decides, after the code was right', async () => {
    const twin = `${name}b`
    await addUser(twin, phone)
    await send(phone)
    const code = await delivered(phone)
    expect(codeOf(await enter(phone, other(code)))).toBe(400007)
    const asked = await enter(phone, code)
    expect([codeOf(asked), asked.body.message]).toEqual([409006, '该手机号对应多个账号,请输入用户名'])
    expect(codeOf(await enter(phone, code, 'nobody'))).toBe(400007)
    const { token } = (await enter(phone, code, twin.toUpperCase())).body
    expect((await api.call(session.user, {}, { token })).body.username).toBe(twin)
  })
  test.each(['12345678901', '1380013800', '+8613800138000', 'abc'])('%s is no number', async (bad) => {
    const answer = await send(bad)
    expect([answer.status, answer.body.errors?.[0]?.message]).toEqual([400, '手机号码不合法'])
  })
  test('another contact phone, proven by a code to it', async () => {
    const token = await api.login(name)
    const to = `1360000${String(n).padStart(4, '0')}`
    const change = (smsCode: string, who = token) => api.call(session.changePhone, { phone: to, smsCode }, { token: who })
    expect(codeOf(await api.call(session.loginsend, { channel: 'sms', purpose: 'changePhone', phone: to }))).toBe(110001)
    await api.call(session.loginsend, { channel: 'sms', purpose: 'changePhone', phone: to }, { token })
    const code = await delivered(to)
    await addUser(`${name}x`, '')
    expect(codeOf(await change(code, await api.login(`${name}x`))), 'the code of somebody else').toBe(400007)
    expect((await change(code)).body.phone).toBe(to.replace(/^(\d{3})\d{4}/, '$1****'))
    expect(await api.sql('select phone from users where username = $1', [name])).toEqual([{ phone: to }])
  })
})

describe('forgotten password', () => {
  const ask = (username: string, to: string) => api.call(session.loginsend, { channel: 'sms', purpose: 'reset', username, phone: to })
  const reset = (username: string, to: string, smsCode: string, next: string) =>
    api.call(session.passwordReset, { username, phone: to, smsCode, password: next, repeat: next })

  test('a code, a new password, every session ended, log and request written', async () => {
    const inside = await api.login(name)
    expect((await ask(name, phone)).body).toEqual({ sent: true, retryAfter: 60 })
    const code = await delivered(phone)
    expect(codeOf(await reset(name, phone, code, password)), 'the present one').toBe(400003)
    expect(codeOf(await reset(name, phone, code, `${name} is 1`))).toBe(400004)
    expect(codeOf(await reset(name, phone, code, 'Another 1 horse'))).toBe(200)
    expect(codeOf(await reset(name, phone, code, 'Another 2 horse'))).toBe(400007)
    expect(codeOf(await api.call(session.user, {}, { token: inside }))).toBe(110004)
    expect((await api.call(session.login, { username: name, password: 'Another 1 horse' })).status).toBe(200)
    const [log] = await api.sql<{ content: string; level: string }>(
      `select content, level from operation_logs where action = 'session.passwordReset' order by id desc limit 1`,
    )
    expect([log?.content.includes('通过短信重置密码'), log?.level]).toEqual([true, 'INFO'])
    expect(await api.sql(`select method, state from password_resets p join users u on u.id = p.user_id where u.username = $1`, [name])).toEqual([
      { method: 'SMS', state: 'DONE' },
    ])
  })
  test('an unknown name, a number of somebody else, a wrong code: alike, after the same work', async () => {
    const elsewhere = `1350000${String(n).padStart(4, '0')}`
    const asked = [await ask(name, phone), await ask('nobody', elsewhere)]
    expect(asked[0]?.body).toEqual(asked[1]?.body)
    const code = await delivered(phone)
    expect(await delivered(elsewhere)).toBe('')
    const answers = []
    for (const [username, to, smsCode] of [
      [name, phone, code === '000000' ? '000001' : '000000'],
      ['nobody', elsewhere, '000000'],
      [name, elsewhere, '000000'],
      ['nobody', phone, code],
    ] as const) {
      const before = [passwordWork.compared, codeWork.hashed]
      const answer = await reset(username, to, smsCode, 'Another 1 horse')
      expect([passwordWork.compared - (before[0] ?? 0), codeWork.hashed - (before[1] ?? 0)]).toEqual([0, 1])
      answers.push({ ...answer.body, requestId: '' })
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0].code).toBe(400007)
  })
})

describe('sessions', () => {
  test('mine are listed, one ends, the others end; those of somebody else are not there', async () => {
    const mine = await api.login(name)
    const second = (await api.call(session.login, { username: name, password }, { headers: { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Firefox/128.0' } }))
      .body.token as string
    const third = await api.login(name)
    const { sessions, recent } = (await api.call(session.sessions, {}, { token: mine })).body
    expect(sessions.map((row: { current: boolean }) => row.current)).toEqual([true, false, false])
    expect(recent[0]).toMatchObject({ device: 'Firefox 128 · Windows', ip: '127.0.0.1' })
    const firefox = sessions.find((row: { device: string }) => row.device.startsWith('Firefox'))
    await addUser(`${name}y`, '')
    expect(codeOf(await api.call(session.endSession, { id: firefox.id }, { token: await api.login(`${name}y`) }))).toBe(404001)
    expect(codeOf(await api.call(session.endSession, { id: firefox.id }, { token: mine }))).toBe(200)
    expect(codeOf(await api.call(session.user, {}, { token: second }))).toBe(110004)
    expect(codeOf(await api.call(session.endOthers, {}, { token: mine }))).toBe(200)
    expect(codeOf(await api.call(session.user, {}, { token: third }))).toBe(110004)
    expect(codeOf(await api.call(session.user, {}, { token: mine }))).toBe(200)
  })
})

describe('providers', () => {
  /** A stand-in on a port of its own; remembers what it was asked. */
  async function standIn(answer: (url: URL, body: string) => { status?: number; json: unknown }) {
    const seen: { url: URL; body: string; key: string | undefined }[] = []
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', (part) => {
        body += part
      })
      request.on('end', () => {
        const url = new URL(request.url ?? '/', 'http://x')
        seen.push({ url, body, key: request.headers.authorization })
        const { status = 200, json } = answer(url, body)
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
    return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, close: () => new Promise((resolve) => server.close(resolve)) }
  }

  test('WeChat: code to openid over HTTP, refused codes, a service that is away; production without anything says so; SMS by HTTP', async () => {
    const wechat = await standIn((url) =>
      url.pathname === '/sns/oauth2/access_token'
        ? { json: url.searchParams.get('code') === 'good' ? { access_token: 'at', openid: 'o-1', unionid: 'u-1' } : { errcode: 40029, errmsg: 'invalid code' } }
        : { json: { openid: 'o-1', nickname: '小明' } },
    )
    let status = 503
    const gateway = await standIn(() => ({ status, json: {} }))
    const real = await startTestApi({
      now: () => new Date(clock),
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
      await real.app.database.transact(systemScope, (db) => seedAccess(db, new Date(clock)))
      await real.sql(`insert into users (org_id, username, password_hash, real_name, phone) values (1, 'boss', 'x', 'x', '13800138000')`)
      await real.sql(
        `insert into user_roles (user_id, role_id, org_id) select u.id, r.id, 1 from users u, roles r where u.username = 'boss' and r.code = 'ROLE_SUPER_ADMIN'`,
      )
      const token = await real.login('boss')
      const { ticket, qrContent } = (await real.call(session.loginsend, { channel: 'qr', purpose: 'bind' }, { token })).body
      expect(qrContent).toBe(`https://hd.example/scan?t=${ticket}`)
      const first = (await real.call(session.scanIdentity, { ticket, nickname: 'x' })).body
      expect([first.provider, first.identity, new URL(first.authorizeUrl).searchParams.get('redirect_uri')]).toEqual(['wechat', null, qrContent])
      expect(codeOf(await real.call(session.scanIdentity, { ticket, oauthCode: 'bad' }))).toBe(403003)
      const { identity } = (await real.call(session.scanIdentity, { ticket, oauthCode: 'good' })).body
      expect(wechat.seen.at(-2)?.url.searchParams.get('secret')).toBe('s3cret')
      expect(codeOf(await real.call(session.scan, { id: ticket, identity }))).toBe(200)
      expect(codeOf(await real.call(session.confirmScan, { id: ticket, identity }))).toBe(200)
      expect(await real.sql('select openid, unionid, nickname from wechat_bindings')).toEqual([{ openid: 'o-1', unionid: 'u-1', nickname: '小明' }])
      const page = await real.http.inject({ method: 'GET', url: `/scan?t=${ticket}&code=abc` })
      expect([page.statusCode, page.headers.location]).toEqual([302, `/login?mode=phone&t=${ticket}&code=abc`])
      expect((await real.http.inject({ method: 'GET', url: '/dev/inbox' })).statusCode).toBe(404)
      later(601)
      const late = (await real.call(session.loginsend, { channel: 'qr', purpose: 'login' })).body
      expect(codeOf(await real.call(session.scan, { id: late.ticket, identity })), 'an identity counts ten minutes').toBe(403003)
      await wechat.close()
      expect(codeOf(await real.call(session.scanIdentity, { ticket: late.ticket, oauthCode: 'good' }))).toBe(503002)

      await real.call(session.loginsend, { channel: 'sms', purpose: 'login', phone: '13800138000' })
      await runSms(real.app)
      expect(await real.sql('select send_state, attempts from sms_codes')).toEqual([{ send_state: 'PENDING', attempts: 1 }])
      status = 200
      later(6)
      await runSms(real.app)
      expect(await real.sql('select send_state, sealed from sms_codes')).toEqual([{ send_state: 'SENT', sealed: null }])
      const sent = JSON.parse(gateway.seen.at(-1)?.body ?? '{}')
      expect([gateway.seen.at(-1)?.key, sent.phone, sent.purpose]).toEqual(['Bearer k', '13800138000', 'LOGIN'])
      expect((await real.call(session.loginv, { channel: 'sms', phone: '13800138000', smsCode: sent.code })).body.token).toBeDefined()
    } finally {
      await real.close()
      await gateway.close()
    }
  })
  test('nothing set up: scan says so, a forgotten password becomes a request, once', async () => {
    const bare = await startTestApi({ now: () => new Date(clock), config: { DEMO: '0' } })
    try {
      await bare.app.database.transact(systemScope, (db) => seedAccess(db, new Date(clock)))
      await bare.sql(`insert into users (org_id, username, password_hash, real_name, phone) values (1, 'boss', 'x', 'x', '13800138000')`)
      await bare.sql(
        `insert into user_roles (user_id, role_id, org_id) select u.id, r.id, 1 from users u, roles r where u.username = 'boss' and r.code = 'ROLE_SUPER_ADMIN'`,
      )
      expect((await bare.call(session.methods)).body).toEqual({ scan: false, sms: false, demo: false })
      expect(codeOf(await bare.call(session.loginsend, { channel: 'qr', purpose: 'login' }))).toBe(422005)
      expect(codeOf(await bare.call(session.loginsend, { channel: 'sms', purpose: 'login', phone: '13800138000' }))).toBe(422004)
      const ask = (username: string) => bare.call(session.loginsend, { channel: 'sms', purpose: 'reset', username, phone: '13800138000' })
      const answers = [await ask('boss'), await ask('boss'), await ask('nobody')].map((answer) => [answer.status, answer.body])
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
      expect(await bare.sql('select method, state from password_resets')).toEqual([{ method: 'ADMIN', state: 'PENDING' }])
    } finally {
      await bare.close()
    }
  })
})
