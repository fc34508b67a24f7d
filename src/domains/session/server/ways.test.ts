import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { TestApi } from '../../../../test/support/api.ts'
import { passwordWork } from '../../../server/passwords.ts'
import { bySystem } from '../../../server/run.ts'
import { runDue } from '../../../server/work.ts'
import { users } from '../../users/contract.ts'
import { session } from '../contract.ts'
import { forgetOld } from './jobs.ts'
import { codeWork } from './sms.ts'
import { codeOf, openWays, password, sendWayMessages, shows, type Ways } from './testWorld.ts'
import { wayChanged, wayMessageKind, waysOf } from './ways.ts'

/** Codes by SMS, a forgotten password, and the list of sessions. */
let ways: Ways
let api: TestApi
let name = ''
let phone = ''
beforeAll(async () => {
  ways = await openWays()
  api = ways.api
})
afterAll(() => api?.close())
beforeEach(async () => {
  await ways.next()
  name = ways.name
  phone = ways.phone
})

/** What was asked while somebody held the account, and then did this to it. */
async function inTheMoment<T>(ask: () => Promise<T>, then: string): Promise<T> {
  const held = new pg.Client(api.ownerUrl)
  await held.connect()
  await held.query('begin')
  await held.query(`update users set title = 'held' where username = $1`, [name])
  const answer = ask()
  await vi.waitUntil(async () => {
    const waiting = await api.sql(`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`)
    return waiting.length > 0
  })
  await held.query(then, [name])
  await held.query('commit')
  await held.end()
  return answer
}

describe('shut in the moment of signing in: no session, by', () => {
  const byPassword = () => api.call(session.login, { username: name, password })
  const byCode = async () => {
    await api.call(session.loginsend, { channel: 'sms', purpose: 'login', phone })
    const smsCode = await ways.delivered(phone)
    return () => api.call(session.loginv, { channel: 'sms', phone, smsCode })
  }
  const person = `update users set status = 'DISABLED' where username = $1`
  const above = `update organisations set status = 'DISABLED' where id = 2 and $1 <> ''`
  const secret = `update users set password_hash = 'another' where username = $1`
  test.each([
    ['password, the person', async () => byPassword, person],
    ['password, an organisation above', async () => byPassword, above],
    ['code, the person', byCode, person],
    ['code, an organisation above', byCode, above],
    ['code, all sessions by a new password', byCode, secret],
  ])('%s', async (_, ready, shut) => {
    const answer = await inTheMoment(await ready(), shut)
    const { body } = answer
    await api.sql(`update organisations set status = 'ENABLED' where id = 2`)
    expect(body.token).toBeUndefined()
    expect(
      await api.sql(
        'select 1 from sessions s join users u on u.id = s.user_id where u.username = $1',
        [name],
      ),
    ).toEqual([])
  })
})

describe('ended in the moment of changing how one signs in: nothing changes, by', () => {
  const next = { password: 'Another 1 horse', repeat: 'Another 1 horse' }
  const kick = `update sessions s set revoked_at = now(), revoke_reason = 'PASSWORD_CHANGED'
    from users u where u.id = s.user_id and u.username = $1`
  const ofAccount = async () =>
    (await api.sql('select password_hash, phone from users where username = $1', [name]))[0]
  test.each([
    [
      'a password',
      async (token: string) => () =>
        api.call(session.changePassword, { oldPassword: password, ...next }, { token }),
      kick,
    ],
    [
      'a number',
      async (token: string) => {
        const to = '13700001234'
        await api.call(
          session.loginsend,
          { channel: 'sms', purpose: 'changePhone', phone: to },
          { token },
        )
        const smsCode = await ways.delivered(to)
        return () => api.call(session.changePhone, { phone: to, smsCode }, { token })
      },
      kick,
    ],
    [
      'a code to a number that is another now',
      async () => {
        const of = { username: name, phone }
        await api.call(session.loginsend, { channel: 'sms', purpose: 'reset', ...of })
        const smsCode = await ways.delivered(phone)
        return () => api.call(session.passwordReset, { ...of, smsCode, ...next })
      },
      `update users set phone = '13700005678' where username = $1`,
    ],
  ])('%s', async (_, ready, ended) => {
    const ask = await ready(await api.login(name))
    const before = await ofAccount()
    expect((await inTheMoment(ask, ended)).status).toBeGreaterThanOrEqual(400)
    const after = ended === kick ? before : { ...before, phone: '13700005678' }
    expect(await ofAccount()).toEqual(after)
  })
})

describe('codes', () => {
  const send = (to: string, ip = '10.0.0.1') =>
    api.call(
      session.loginsend,
      { channel: 'sms', purpose: 'login', phone: to },
      { headers: { 'x-forwarded-for': ip } },
    )
  const enter = (to: string, smsCode: string, username?: string, ip = '10.0.0.1') =>
    api.call(
      session.loginv,
      { channel: 'sms', phone: to, smsCode, ...(username ? { username } : {}) },
      { headers: { 'x-forwarded-for': ip } },
    )
  const other = (code: string) => (code === '000000' ? '000001' : '000000')

  test('a clock that was set back: a number gets its next code, and that one is the last', async () => {
    await send(phone)
    const before = await ways.delivered(phone)
    ways.later(-3600)
    expect((await send(phone)).status).toBe(429)
    await api.app.jobs.setRight()
    expect((await send(phone)).status).toBe(200)
    expect([(await enter(phone, before)).status, (await send(phone)).status]).toEqual([400, 429])
    expect((await enter(phone, await ways.delivered(phone))).status).toBe(200)
    ways.later(3600)
  })
  test('sent after the commit, good once, kept as a hash', async () => {
    expect((await send(phone)).body).toEqual({ sent: true, retryAfter: 60 })
    const code = await ways.delivered(phone)
    expect(code).toMatch(/^\d{6}$/)
    const [row] = await api.sql<{ text: string; sealed: unknown }>(
      'select code_hash::text as text, sealed from sms_codes where phone = $1',
      [phone],
    )
    expect([shows(row?.text, code), row?.sealed]).toEqual([false, null])
    expect((await enter(phone, code)).body.token).toMatch(/^[\w-]{43}$/)
    expect(codeOf(await enter(phone, code))).toBe(400007)
  })
  test('a number nobody has: the same answer, the same work, no message, no way in', async () => {
    const nobody = '13999990000'
    const before = codeWork.hashed
    const [a, b] = [await send(phone), await send(nobody)]
    expect([b.status, b.body]).toEqual([a.status, a.body])
    expect(codeWork.hashed - before).toBe(2)
    expect(await ways.delivered(nobody)).toBe('')
    expect((await send(nobody)).body.message).toBe((await send(phone)).body.message)
    const wrong = codeWork.hashed
    const [x, y] = [
      await enter(phone, other(await ways.delivered(phone))),
      await enter(nobody, '123456'),
    ]
    expect(codeWork.hashed - wrong).toBe(2)
    expect({ ...x.body, requestId: '' }).toEqual({ ...y.body, requestId: '' })
  })
  test('five tries, also when they come at once; five minutes', async () => {
    await send(phone)
    const code = await ways.delivered(phone)
    const wrong = await Promise.all(Array.from({ length: 8 }, () => enter(phone, other(code))))
    expect(new Set(wrong.map(codeOf))).toEqual(new Set([400007]))
    expect(codeOf(await enter(phone, code))).toBe(400007)
    ways.later(61)
    await send(phone)
    const next = await ways.delivered(phone)
    ways.later(300)
    expect(codeOf(await enter(phone, next))).toBe(400007)
  })
  test('one a minute, five an hour, ten a day', async () => {
    const both = await Promise.all([send(phone), send(phone)])
    expect(both.map(codeOf).sort()).toEqual([200, 429002])
    for (let i = 0; i < 4; i += 1) {
      ways.later(61)
      expect(codeOf(await send(phone))).toBe(200)
    }
    ways.later(61)
    expect(codeOf(await send(phone))).toBe(429003)
    ways.later(3600)
    for (let i = 0; i < 5; i += 1) {
      expect(codeOf(await send(phone))).toBe(200)
      ways.later(721)
    }
    expect(codeOf(await send(phone))).toBe(429003)
    ways.later(86_400)
    expect(codeOf(await send(phone))).toBe(200)
  })
  test('guesses from elsewhere leave the tries of whoever asked, and are as few', async () => {
    await send(phone)
    const code = await ways.delivered(phone)
    for (let i = 0; i < 6; i += 1) await enter(phone, other(code), undefined, '10.9.9.9')
    expect(
      codeOf(await enter(phone, code, undefined, '10.8.8.8')),
      'no tries are left elsewhere',
    ).toBe(400007)
    expect(codeOf(await enter(phone, code))).toBe(200)
  })
  test('codes that strangers ask for do not use up those of a known browser', async () => {
    const { headers } = await api.call(session.login, { username: name, password })
    const cookie = String(headers['set-cookie']).split(';')[0] ?? ''
    for (let i = 0; i < 6; i += 1) {
      await send(phone, `10.9.9.${i}`)
      ways.later(61)
    }
    expect(codeOf(await send(phone))).toBe(429003)
    const mine = await api.call(
      session.loginsend,
      { channel: 'sms', purpose: 'login', phone },
      { headers: { cookie } },
    )
    expect(codeOf(mine)).toBe(200)
  })
  test('fifty wrong codes an hour shut an address to codes, over all numbers, by reading; not to passwords, nor to a known browser', async () => {
    const signIn = (ip: string) =>
      api.call(session.login, { username: name, password }, { headers: { 'x-forwarded-for': ip } })
    const cookie = String((await signIn('10.7.7.8')).headers['set-cookie']).split(';')[0] ?? ''
    await send(phone)
    const code = await ways.delivered(phone)
    for (let i = 0; i < 50; i += 1) await enter(`1371239${String(i).padStart(4, '0')}`, '000000')
    const writes = vi.spyOn(api.app.database, 'transact')
    expect([
      codeOf(await enter(phone, code)),
      codeOf(await enter('13712390000', '000000')),
      writes.mock.calls.length,
    ]).toEqual([400007, 400007, 0])
    writes.mockRestore()
    expect(codeOf(await signIn('10.0.0.1'))).toBe(200)
    const input = { channel: 'sms', phone, smsCode: code }
    expect(
      codeOf(
        await api.call(session.loginv, input, {
          headers: { 'x-forwarded-for': '10.0.0.1', cookie },
        }),
      ),
    ).toBe(200)
    ways.later(61)
    await send(phone)
    expect(codeOf(await enter(phone, await ways.delivered(phone), undefined, '10.7.7.7'))).toBe(200)
  })
  test('ten wrong codes a day shut a number, from wherever they come, and twice as long the next time; not to a known browser', async () => {
    const cookie =
      String(
        (await api.call(session.login, { username: name, password })).headers['set-cookie'],
      ).split(';')[0] ?? ''
    const guess = async (to: string, from: number) => {
      for (let i = 0; i < 5; i += 1)
        await enter(to, '00000x'.replace('x', String(i)), undefined, `10.5.${from}.${i}`)
    }
    const nobody = `139${phone.slice(3)}`
    for (let round = 0; round < 2; round += 1) {
      for (const to of [phone, nobody]) await guess(to, round)
      ways.later(3600)
    }
    // over by now; the next five and five are a round of their own
    for (let round = 2; round < 4; round += 1)
      for (const to of [phone, nobody]) await guess(to, round)
    ways.later(29 * 60)
    await send(phone)
    const code = await ways.delivered(phone)
    const writes = vi.spyOn(api.app.database, 'transact')
    expect([
      codeOf(await enter(phone, code)),
      codeOf(await enter(nobody, code)),
      writes.mock.calls.length,
    ]).toEqual([400007, 400007, 0])
    writes.mockRestore()
    const known = await api.call(
      session.loginv,
      { channel: 'sms', phone, smsCode: code },
      { headers: { 'x-forwarded-for': '10.0.0.1', cookie } },
    )
    expect(codeOf(known)).toBe(200)
    ways.later(61)
    await send(phone)
    expect(codeOf(await enter(phone, await ways.delivered(phone)))).toBe(200)
    const told = async () =>
      (
        await api.sql(
          `select 1 from operation_logs where action = 'session.lock' and username = $1`,
          [name],
        )
      ).length
    await expect.poll(told).toBe(2)
  })
  test('five numbers an hour for somebody who is signed in', async () => {
    const token = await api.login(name)
    const answers: number[] = []
    for (let i = 0; i < 6; i += 1) {
      const input = {
        channel: 'sms',
        purpose: 'changePhone',
        phone: `1361238${String(ways.n * 10 + i).padStart(4, '0')}`,
      }
      answers.push(
        codeOf(
          await api.call(session.loginsend, input, {
            token,
            headers: { 'x-forwarded-for': `10.6.6.${i}` },
          }),
        ),
      )
    }
    expect(answers).toEqual([200, 200, 200, 200, 200, 429003])
  })
  test('a number gets three codes a day to become somebody’s phone, and they use up none of its owner’s', async () => {
    const to = `1361239${String(ways.n).padStart(4, '0')}`
    await ways.addUser(`${name}own`, to)
    const answers: number[] = []
    for (let i = 0; i < 4; i += 1) {
      await ways.addUser(`${name}ask${i}`, '')
      const token = await api.login(`${name}ask${i}`)
      answers.push(
        codeOf(
          await api.call(
            session.loginsend,
            { channel: 'sms', purpose: 'changePhone', phone: to },
            { token },
          ),
        ),
      )
      await ways.delivered(to)
      ways.later(61)
    }
    expect(answers).toEqual([200, 200, 200, 429003])
    const [text] = await api.sql<{ content: string }>(
      'select content from dev_messages where phone = $1 order by id desc limit 1',
      [to],
    )
    expect(text?.content).toContain(`${name}ask2`)
    await elsewhere(1, '')
    const token = await api.login(`${name}else1`)
    const asked = await api.call(
      session.loginsend,
      { channel: 'sms', purpose: 'changePhone', phone: to },
      { token },
    )
    expect(codeOf(asked), 'people of another tenant have their own three').toBe(200)
    ways.later(61)
    for (let i = 0; i < 5; i += 1) {
      expect(codeOf(await send(to))).toBe(200)
      ways.later(61)
    }
  })
  test('ten a day for somebody who is signed in', async () => {
    const answers: number[] = []
    for (let i = 0; i < 11; i += 1) {
      const token = await api.login(name)
      const phone = `1361240${String(ways.n * 20 + i).padStart(4, '0')}`
      answers.push(
        codeOf(
          await api.call(
            session.loginsend,
            { channel: 'sms', purpose: 'changePhone', phone },
            { token, headers: { 'x-forwarded-for': `10.6.7.${i}` } },
          ),
        ),
      )
      ways.later(1000)
    }
    expect(answers).toEqual([...Array.from({ length: 10 }, () => 200), 429003])
  })
  test('twenty an hour from one address', async () => {
    ways.later(86_400)
    const answers: number[] = []
    for (let i = 0; i < 21; i += 1)
      answers.push(codeOf(await send(`1371234${String(i).padStart(4, '0')}`)))
    expect(answers).toEqual([...Array.from({ length: 20 }, () => 200), 429003])
    const cookie =
      String(
        (await api.call(session.login, { username: name, password })).headers['set-cookie'],
      ).split(';')[0] ?? ''
    const known = await api.call(
      session.loginsend,
      { channel: 'sms', purpose: 'login', phone },
      { headers: { 'x-forwarded-for': '10.0.0.1', cookie } },
    )
    expect(codeOf(known), 'a browser that is known there').toBe(200)
    const inside = { channel: 'sms', purpose: 'changePhone', phone: '13712350000' }
    expect(
      codeOf(
        await api.call(session.loginsend, inside, {
          token: await api.login(name),
          headers: { 'x-forwarded-for': '10.0.0.1' },
        }),
      ),
    ).toBe(200)
  })
  test('what people of other tenants have sent to a number shuts it for nobody, and is bounded', async () => {
    const to = `1361241${String(ways.n).padStart(4, '0')}`
    const ask = async (tenant: number) => {
      const token = await api.login(`${name}else${tenant}`)
      const answer = codeOf(
        await api.call(
          session.loginsend,
          { channel: 'sms', purpose: 'changePhone', phone: to },
          { token },
        ),
      )
      ways.later(61)
      return answer
    }
    for (let tenant = 1; tenant <= 5; tenant += 1)
      await ofTenant(40 + tenant, `${name}else${tenant}`)
    const answers: number[] = []
    for (let i = 0; i < 3; i += 1)
      for (let tenant = 1; tenant <= 4; tenant += 1) answers.push(await ask(tenant))
    expect(answers.filter((one) => one === 200).length).toBe(10)
    expect([await ask(5), await ask(5)]).toEqual([200, 429003])
  })
  test('several accounts with one number: the username decides, after the code was right', async () => {
    const twin = `${name}b`
    await ways.addUser(twin, phone)
    await send(phone)
    const code = await ways.delivered(phone)
    expect(codeOf(await enter(phone, other(code)))).toBe(400007)
    const asked = await enter(phone, code)
    expect([codeOf(asked), asked.body.message]).toEqual([
      409006,
      '该手机号对应多个账号，请输入用户名',
    ])
    expect(codeOf(await enter(phone, code, 'nobody'))).toBe(400007)
    const { token } = (await enter(phone, code, twin.toUpperCase())).body
    expect((await api.call(session.user, {}, { token })).body.username).toBe(twin)
  })
  async function ofTenant(org: number, username: string) {
    await api.sql(
      `insert into organisations (id, parent_id, path, kind, name)
        values ($1::bigint, 1, ('1.' || $1::bigint)::ltree, 'AGENT', 'b' || $1::bigint)
        on conflict do nothing`,
      [org],
    )
    await api.sql(
      `with made as (insert into users (org_id, username, password_hash, real_name, phone)
        values ($1, $2, 'x', 'x', '') returning id)
        insert into user_roles (user_id, role_id, org_id) select m.id, r.id, $1 from made m, roles r
        where r.code = 'ROLE_RTU_SP'`,
      [org, username],
    )
  }
  /** Another tenant's people, with whatever number he writes. */
  async function elsewhere(n: number, to: string) {
    await api.sql(
      `insert into organisations (id, parent_id, path, kind, name)
        values (4, 1, '1.4', 'AGENT', 'b') on conflict do nothing`,
    )
    await api.sql(
      `with made as (insert into users (id, org_id, username, password_hash, real_name, phone)
          overriding system value select -row_number() over () - 1000 * $3, 4, $1 || i, 'x', 'x', $2
          from generate_series(1, $4::int) i returning id)
        insert into user_roles (user_id, role_id, org_id) select m.id, r.id, 4 from made m, roles r
        where r.code = 'ROLE_RTU_SP'`,
      [`${name}else`, to, ways.n, n],
    )
  }
  test('a number that its holder showed is his, whatever other tenants write; a name finds its account among any', async () => {
    const token = await api.login(name)
    const to = `1360001${String(ways.n).padStart(4, '0')}`
    await api.call(
      session.loginsend,
      { channel: 'sms', purpose: 'changePhone', phone: to },
      { token },
    )
    expect(
      (
        await api.call(
          session.changePhone,
          { phone: to, smsCode: await ways.delivered(to) },
          { token },
        )
      ).status,
    ).toBe(200)
    await elsewhere(60, to)
    const code = async () => {
      ways.later(61)
      await send(to)
      return ways.delivered(to)
    }
    const entered = async (username?: string) => {
      const answer = await enter(to, await code(), username)
      return answer.body.token
        ? (await api.call(session.user, {}, { token: answer.body.token })).body.username
        : codeOf(answer)
    }
    expect(await entered()).toBe(name)
    // at home it is a question as ever
    await ways.addUser(`${name}b`, to)
    expect(await entered()).toBe(409006)
    expect(await entered(`${name}b`)).toBe(`${name}b`)
    // what was shown long ago may be another's by now
    await api.sql('update users set deleted_at = now(), status = $2 where username = $1', [
      `${name}b`,
      'DISABLED',
    ])
    ways.later(91 * 86_400)
    expect([await entered(), await entered(name)]).toEqual([409006, name])
    expect(await entered(), 'shown again').toBe(name)
  })
  describe('messages about changes', () => {
    const idOf = async (username: string) =>
      Number(
        (await api.sql<{ id: string }>('select id from users where username = $1', [username]))[0]
          ?.id,
      )
    const change = (username: string) =>
      bySystem(api.app, async (ctx) =>
        wayChanged(ctx, await waysOf(ctx, await idOf(username)), 'PASSWORD'),
      )
    const told = async (to: string) => {
      while ((await sendWayMessages(api.app)) > 0);
      return (await api.sql(`select 1 from dev_messages where phone = $1`, [to])).length
    }
    /** Messages of today, as if organisation `by` (or the people themselves) had caused them. */
    const sent = async (n: number, username: string, by: number | null, to = '13500000000') =>
      api.sql(
        `insert into way_changes (org_id, user_id, by_org, kind, created_at, expires_at, phone,
          send_state, placed)
          select u.org_id, u.id, $3, 'PASSWORD', $2, $2::timestamptz + interval '3 days', $4,
            'SENT', true from users u, generate_series(1, $5::int) where u.username = $1`,
        [username, ways.now(), by, to, n],
      )
    test('ten a day to a number from one organisation; what others send to it holds none of them back', async () => {
      await ways.addUser(`${name}b`, phone)
      for (let i = 0; i < 6; i += 1) for (const one of [name, `${name}b`]) await change(one)
      expect(await told(phone)).toBe(10)
      await elsewhere(1, phone)
      await change(`${name}else1`)
      expect(await told(phone)).toBe(11)
      expect(
        await api.sql(
          `select send_state, last_error from way_changes where last_error <> '' order by id desc
            limit 1`,
        ),
      ).toEqual([{ send_state: 'FAILED', last_error: 'limit of the day' }])
      await api.sql(`update users set shown_phone = phone where username = $1`, [name])
      await change(name)
      expect(await told(phone), 'his who showed it').toBe(12)
    })
    test('processes that send side by side keep to the ten', async () => {
      await sent(9, name, null, phone)
      for (let i = 0; i < 3; i += 1) await change(name)
      const slow = {
        send: async () => {
          await new Promise((resolve) => setTimeout(resolve, 500))
          return { state: 'SENT' as const }
        },
      }
      await Promise.all([1, 2, 3].map(() => runDue(api.app, wayMessageKind(api.app, slow))))
      while ((await sendWayMessages(api.app)) > 0);
      expect(
        await api.sql(
          `select send_state, count(*)::int as n from way_changes where phone = $1 group by 1
            order by 1`,
          [phone],
        ),
      ).toEqual([
        { send_state: 'FAILED', n: 2 },
        { send_state: 'SENT', n: 10 },
      ])
    })
    test('two hundred a day that people of one organisation cause for others to numbers nobody showed', async () => {
      const boss = `boss${ways.n}`
      await ways.addAdmin(boss)
      const token = await api.login(boss)
      const reset = async () =>
        expect(
          (await api.call(users.resetPassword, { id: await idOf(name) }, { token })).status,
        ).toBe(200)
      await ways.addUser(`${name}b`, '')
      await sent(200, `${name}b`, 2)
      await reset()
      expect(await told(phone), 'another organisation caused those').toBe(1)
      await sent(200, `${name}b`, 1)
      await reset()
      expect(await told(phone)).toBe(1)
      await change(name)
      expect(await told(phone), 'what he changed himself').toBe(2)
      await api.sql(`update users set shown_phone = phone where username = $1`, [name])
      await reset()
      expect(await told(phone), 'his who showed it').toBe(3)
    })
    test('two hundred first passwords of a day keep back no other', async () => {
      await sent(300, name, null)
      await change(name)
      expect(await told(phone)).toBe(1)
    })
  })
  test.each(['12345678901', '1380013800', '+8613800138000', 'abc'])(
    '%s is no number',
    async (bad) => {
      const answer = await send(bad)
      expect([answer.status, answer.body.errors?.[0]?.message]).toEqual([400, '手机号码不合法'])
    },
  )
  test('another contact phone, proven by a code to it', async () => {
    const token = await api.login(name)
    const to = `1360000${String(ways.n).padStart(4, '0')}`
    const change = (smsCode: string, who = token) =>
      api.call(session.changePhone, { phone: to, smsCode }, { token: who })
    expect(
      codeOf(
        await api.call(session.loginsend, { channel: 'sms', purpose: 'changePhone', phone: to }),
      ),
    ).toBe(110001)
    await api.call(
      session.loginsend,
      { channel: 'sms', purpose: 'changePhone', phone: to },
      { token },
    )
    const code = await ways.delivered(to)
    await ways.addUser(`${name}x`, '')
    expect(
      codeOf(await change(code, await api.login(`${name}x`))),
      'the code of somebody else',
    ).toBe(400007)
    expect((await change(code)).body.phone).toBe(to.replace(/^(\d{3})\d{4}/, '$1****'))
    expect(await api.sql('select phone from users where username = $1', [name])).toEqual([
      { phone: to },
    ])
  })
})

describe('forgotten password', () => {
  const ask = (username: string, to: string) =>
    api.call(session.loginsend, { channel: 'sms', purpose: 'reset', username, phone: to })
  const reset = (username: string, to: string, smsCode: string, next: string) =>
    api.call(session.passwordReset, { username, phone: to, smsCode, password: next, repeat: next })

  test('a code, a new password, every session ended, log and request written', async () => {
    const inside = await api.login(name)
    expect((await ask(name, phone)).body).toEqual({ sent: true, retryAfter: 60 })
    const code = await ways.delivered(phone)
    expect(codeOf(await reset(name, phone, code, password)), 'the present one').toBe(400003)
    expect(codeOf(await reset(name, phone, code, `${name} is 1`))).toBe(400004)
    expect(codeOf(await reset(name, phone, code, 'Another 1 horse'))).toBe(200)
    expect(codeOf(await reset(name, phone, code, 'Another 2 horse'))).toBe(400007)
    expect(codeOf(await api.call(session.user, {}, { token: inside }))).toBe(110004)
    expect(
      (await api.call(session.login, { username: name, password: 'Another 1 horse' })).status,
    ).toBe(200)
    const [log] = await api.sql<{ content: string; level: string }>(
      `select content, level from operation_logs where action = 'session.passwordReset'
        order by id desc limit 1`,
    )
    expect([log?.content.includes('通过短信重置密码'), log?.level]).toEqual([true, 'INFO'])
    expect(
      await api.sql(
        `select method, state from password_resets p join users u on u.id = p.user_id
          where u.username = $1`,
        [name],
      ),
    ).toEqual([{ method: 'SMS', state: 'DONE' }])
  })
  test('a code to sign in is none to reset, and the other way round', async () => {
    await api.call(session.loginsend, { channel: 'sms', purpose: 'login', phone })
    const smsCode = await ways.delivered(phone)
    expect(codeOf(await reset(name, phone, smsCode, 'Another 1 horse'))).toBe(400007)
    ways.later(61)
    await ask(name, phone)
    expect(
      codeOf(
        await api.call(session.loginv, {
          channel: 'sms',
          phone,
          smsCode: await ways.delivered(phone),
        }),
      ),
    ).toBe(400007)
    expect((await api.call(session.loginv, { channel: 'sms', phone, smsCode })).status).toBe(200)
  })
  test('asking in a wrong name does not end the code of the right one', async () => {
    await ask(name, phone)
    const code = await ways.delivered(phone)
    ways.later(61)
    expect((await ask('nobody', phone)).status).toBe(200)
    expect(codeOf(await reset(name, phone, code, 'Another 1 horse'))).toBe(200)
  })
  test('an unknown name, a number of somebody else, a wrong code: alike, after the same work', async () => {
    const elsewhere = `1350000${String(ways.n).padStart(4, '0')}`
    const asked = [await ask(name, phone), await ask('nobody', elsewhere)]
    expect(asked[0]?.body).toEqual(asked[1]?.body)
    const code = await ways.delivered(phone)
    expect(await ways.delivered(elsewhere)).toBe('')
    const answers = []
    for (const [username, to, smsCode] of [
      [name, phone, code === '000000' ? '000001' : '000000'],
      ['nobody', elsewhere, '000000'],
      [name, elsewhere, '000000'],
      ['nobody', phone, code],
    ] as const) {
      const before = [passwordWork.compared, codeWork.hashed]
      const answer = await reset(username, to, smsCode, 'Another 1 horse')
      expect([
        passwordWork.compared - (before[0] ?? 0),
        codeWork.hashed - (before[1] ?? 0),
      ]).toEqual([0, 1])
      answers.push({ ...answer.body, requestId: '' })
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0].code).toBe(400007)
  })
})

test('sign-ins and ended sessions are kept as long as the operation log', async () => {
  const days = (n: number) => new Date(ways.now().getTime() - n * 86_400_000)
  await api.login(name, {
    created_at: days(1200),
    last_seen_at: days(1200),
    expires_at: days(1100),
  })
  await api.login(name, {
    created_at: days(1200),
    last_seen_at: days(1200),
    expires_at: days(1000),
  })
  for (const n of [1100, 1090])
    await api.sql(
      `insert into login_attempts (username, ok, reason, ip, user_agent, created_at)
        values ($1, false, 'UNKNOWN', '', '', $2)`,
      [name, days(n)],
    )
  await forgetOld(api.app)
  expect(
    await api.sql('select created_at as at from login_attempts where username = $1', [name]),
  ).toEqual([{ at: days(1090) }])
  expect(
    await api.sql(
      'select 1 from sessions s join users u on u.id = s.user_id where u.username = $1',
      [name],
    ),
  ).toHaveLength(1)
})

describe('sessions', () => {
  test('mine are listed, one ends, the others end; those of somebody else are not there', async () => {
    const mine = await api.login(name)
    const second = (
      await api.call(
        session.login,
        { username: name, password },
        { headers: { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Firefox/128.0' } },
      )
    ).body.token as string
    const third = await api.login(name)
    const { sessions, recent } = (await api.call(session.sessions, {}, { token: mine })).body
    expect(sessions.map((row: { current: boolean }) => row.current)).toEqual([true, false, false])
    expect(recent[0]).toMatchObject({ device: 'Firefox 128 · Windows', ip: '127.0.0.1' })
    const firefox = sessions.find((row: { device: string }) => row.device.startsWith('Firefox'))
    await ways.addUser(`${name}y`, '')
    expect(
      codeOf(
        await api.call(
          session.endSession,
          { id: firefox.id },
          { token: await api.login(`${name}y`) },
        ),
      ),
    ).toBe(404001)
    expect(codeOf(await api.call(session.endSession, { id: firefox.id }, { token: mine }))).toBe(
      200,
    )
    expect(codeOf(await api.call(session.user, {}, { token: second }))).toBe(110004)
    expect(codeOf(await api.call(session.endOthers, {}, { token: mine }))).toBe(200)
    expect(codeOf(await api.call(session.user, {}, { token: third }))).toBe(110004)
    expect(codeOf(await api.call(session.user, {}, { token: mine }))).toBe(200)
  })
})
