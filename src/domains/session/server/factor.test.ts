import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TestApi } from '../../../../test/support/api.ts'
import { products } from '../../products/contract.ts'
import { users } from '../../users/contract.ts'
import { session } from '../contract.ts'
import { codeOf, openWays, password, sendWayMessages, shows, type Ways } from './testWorld.ts'

/**
 * Who somebody is, shown again when it matters: the proof, the second factor, and the message that
 * takes a change back.
 */
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

const login = (given = password) => api.call(session.login, { username: name, password: given })
const enter = async () => (await login()).body.token as string
const prove = (token: string, input: object) => api.call(session.prove, { ...input }, { token })
const me = (token: string) => api.call(session.user, {}, { token })
const codeAt = (secret: string, seconds = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: ways.now().getTime() + seconds * 1000,
  })
/** Switched on; answers its secret and recovery codes. The code of this half minute is used up. */
async function switchOn(token: string): Promise<{ secret: string; recoveryCodes: string[] }> {
  const { secret } = (await api.call(session.enrolFactor, {}, { token })).body
  const { recoveryCodes } = (
    await api.call(session.confirmFactor, { code: codeAt(secret) }, { token })
  ).body
  return { secret, recoveryCodes }
}
const pass = (ticket: string, code: string) => api.call(session.passFactor, { ticket, code })
async function newPhone(token: string, to: string) {
  await api.call(
    session.loginsend,
    { channel: 'sms', purpose: 'changePhone', phone: to },
    { token },
  )
  return api.call(session.changePhone, { phone: to, smsCode: await ways.delivered(to) }, { token })
}
/** A WeChat bound to the account; answers who its phone is. */
async function bound(token: string): Promise<string> {
  const { ticket } = (
    await api.call(session.loginsend, { channel: 'qr', purpose: 'bind' }, { token })
  ).body
  const { identity } = (await api.call(session.scanIdentity, { ticket, nickname: '微信用户' })).body
  await api.call(session.scan, { id: ticket, identity })
  await api.call(session.confirmScan, { id: ticket, identity })
  return identity
}
const another = () => `1360000${String(ways.n).padStart(4, '0')}`
async function message(to = phone): Promise<string> {
  await sendWayMessages(api.app)
  return (
    (
      await api.sql<{ content: string }>(
        'select content from dev_messages where phone = $1 order by id desc limit 1',
        [to],
      )
    )[0]?.content ?? ''
  )
}
const linkOf = (text: string) => /login\?mode=undo#([\w-]{43})/.exec(text)?.[1] ?? ''
const undo = (token: string) => api.call(session.undo, { token })

describe('a session left open', () => {
  test('moves no way to sign in before its holder showed who he is', async () => {
    const token = await enter()
    ways.later(601)
    const tries = [
      () =>
        api.call(
          session.loginsend,
          { channel: 'sms', purpose: 'changePhone', phone: another() },
          { token },
        ),
      () => api.call(session.changePhone, { phone: another(), smsCode: '123456' }, { token }),
      () => api.call(session.loginsend, { channel: 'qr', purpose: 'bind' }, { token }),
      () => api.call(session.enrolFactor, {}, { token }),
      () => api.call(session.dropFactor, {}, { token }),
    ]
    for (const attempt of tries) expect(codeOf(await attempt())).toBe(403010)
    expect((await me(token)).status).toBe(200)
    expect(codeOf(await prove(token, { password: 'wrong 1 password' }))).toBe(400011)
    expect(codeOf(await prove(token, {}))).toBe(400001)
    expect(codeOf(await api.call(session.enrolFactor, {}, { token }))).toBe(403010)
    expect((await prove(token, { password })).status).toBe(200)
    expect((await newPhone(token, another())).status).toBe(200)
    const rows = await api.sql(
      `select result from operation_logs where action = 'session.prove' and username = $1
        order by id`,
      [name],
    )
    expect(rows).toEqual([{ result: 'REFUSED' }, { result: 'SUCCESS' }])
  })
  test('guessing the proof ends every session', async () => {
    const [token, other] = [await enter(), await enter()]
    await Promise.all(
      Array.from({ length: 5 }, () => prove(token, { password: 'wrong 1 password' })),
    )
    expect([codeOf(await me(token)), codeOf(await me(other))]).toEqual([110004, 110004])
    // and shuts the sign-in from this address, as wrong passwords there do
    expect(codeOf(await login())).toBe(401001)
  })
})

describe('a changed way to sign in', () => {
  test('is told to the number from before, and its link ends sessions and password, and opens nothing', async () => {
    const token = await enter()
    expect((await newPhone(token, another())).status).toBe(200)
    const text = await message()
    expect(text).toContain(name)
    expect(
      await api.sql(
        `select title_zh from messages m join users u on u.id = m.user_id where u.username = $1`,
        [name],
      ),
    ).toEqual([{ title_zh: '联系电话已更换' }])
    // who took the account goes on: a second factor, and another number
    await switchOn(token)
    const [stored] = await api.sql<{ text: string }>(
      `select string_agg(w::text, '') as text from way_changes w`,
    )
    expect(shows(stored?.text, linkOf(text))).toBe(false)
    const later = await message(another())
    expect(
      [later.includes(name), linkOf(later)],
      'the new phone may be a thief’s: told, and without a link',
    ).toEqual([true, ''])
    const undone = await undo(linkOf(text))
    expect(undone.body).toEqual({ username: name, sms: false })
    // neither number: the old one may be somebody else's by now
    expect(await api.sql('select phone from users where username = $1', [name])).toEqual([
      { phone: '' },
    ])
    expect(
      await api.sql(
        'select 1 from second_factors f join users u on u.id = f.user_id where u.username = $1',
        [name],
      ),
    ).toEqual([])
    expect([codeOf(await me(token)), codeOf(await login())]).toEqual([110004, 401001])
    expect(codeOf(await undo(linkOf(text))), 'once').toBe(422008)
    // whoever holds it gets no code; the administrator was asked
    await api.sql('delete from dev_messages')
    for (const purpose of ['reset', 'login'] as const) {
      await api.call(session.loginsend, {
        channel: 'sms',
        purpose,
        phone,
        ...(purpose === 'reset' ? { username: name } : {}),
      })
      expect(await ways.delivered(phone), purpose).toBe('')
      ways.later(61)
    }
    expect(
      await api.sql(
        `select method, state from password_resets p join users u on u.id = p.user_id
          where u.username = $1`,
        [name],
      ),
    ).toMatchObject([{ method: 'ADMIN' }])
  })
  test('the link about a second factor takes it away, and the way by SMS that it guarded', async () => {
    await switchOn(await enter())
    expect((await undo(linkOf(await message()))).body.sms).toBe(false)
    expect(await api.sql('select phone from users where username = $1', [name])).toEqual([
      { phone: '' },
    ])
  })
  test('a number that did not change is the way back in', async () => {
    const token = await enter()
    await api.call(
      session.changePassword,
      { oldPassword: password, password: 'Another 1 horse', repeat: 'Another 1 horse' },
      { token },
    )
    expect((await undo(linkOf(await message()))).body.sms).toBe(true)
    expect(codeOf(await login('Another 1 horse'))).toBe(401001)
    await api.call(session.loginsend, { channel: 'sms', purpose: 'reset', username: name, phone })
    const reset = {
      username: name,
      phone,
      smsCode: await ways.delivered(phone),
      password: 'Another 2 horse',
      repeat: 'Another 2 horse',
    }
    expect((await api.call(session.passwordReset, reset)).status).toBe(200)
    expect((await login('Another 2 horse')).status).toBe(200)
  })
  test('links end after three days', async () => {
    await newPhone(await enter(), another())
    const link = linkOf(await message())
    ways.later(72 * 3600)
    expect(codeOf(await undo(link))).toBe(422008)
  })
  test.each(['password', 'forgotten', 'wechat'])('%s is told, too', async (what) => {
    const token = await enter()
    if (what === 'password')
      await api.call(
        session.changePassword,
        { oldPassword: password, password: 'Another 1 horse', repeat: 'Another 1 horse' },
        { token },
      )
    if (what === 'forgotten') {
      await api.call(session.loginsend, { channel: 'sms', purpose: 'reset', username: name, phone })
      const smsCode = await ways.delivered(phone)
      await api.call(session.passwordReset, {
        username: name,
        phone,
        smsCode,
        password: 'Another 1 horse',
        repeat: 'Another 1 horse',
      })
    }
    if (what === 'wechat') {
      await bound(token)
      expect(linkOf(await message())).not.toBe('')
    } else expect(linkOf(await message())).not.toBe('')
  })
  test('what an administrator changed is told without a link', async () => {
    await ways.addAdmin('boss')
    const token = await api.login('boss')
    const [person] = await api.sql<{ id: string }>('select id from users where username = $1', [
      name,
    ])
    expect(
      (await api.call(users.resetPassword, { id: Number(person?.id) }, { token })).status,
    ).toBe(200)
    const text = await message()
    expect([text.includes(name), linkOf(text)]).toEqual([true, ''])
    // and his own open session is asked first
    ways.later(601)
    expect(codeOf(await api.call(users.resetPassword, { id: Number(person?.id) }, { token }))).toBe(
      403010,
    )
  })
})

describe('the second factor', () => {
  test('on: kept encrypted, asked at the sign-in, each code once', async () => {
    const { secret, recoveryCodes } = await switchOn(await enter())
    expect([secret.length, new Set(recoveryCodes).size]).toEqual([32, 10])
    const [kept] = await api.sql<{ text: string }>(
      `select (select string_agg(f::text, '')
        from second_factors f) || (select string_agg(c::text, '') from recovery_codes c) as text`,
    )
    expect(
      [secret, ...recoveryCodes.flatMap((code) => [code, code.replaceAll('-', '')])].some((one) =>
        shows(kept?.text, one),
      ),
    ).toBe(false)
    const first = (await login()).body
    expect([Object.keys(first).sort(), first.expiresIn]).toEqual([
      ['expiresIn', 'factorTicket'],
      300,
    ])
    expect(codeOf(await me(first.factorTicket)), 'a ticket is no session').toBe(110003)
    expect(codeOf(await pass(first.factorTicket, codeAt(secret))), 'used at the set-up').toBe(
      400010,
    )
    ways.later(30)
    const code = codeAt(secret)
    const both = await Promise.all([pass(first.factorTicket, code), pass(first.factorTicket, code)])
    expect(both.map((answer) => answer.status).sort()).toEqual([200, 400])
    const inside = both.find((answer) => answer.status === 200)?.body.token
    expect((await me(inside)).body.username).toBe(name)
    expect(codeOf(await pass((await login()).body.factorTicket, code))).toBe(400010)
  })
  test('a code counts in its half minute and in the one beside it', async () => {
    const { secret } = await switchOn(await enter())
    ways.later(300)
    const tried = []
    for (const seconds of [-60, 60, -30, 30])
      tried.push((await pass((await login()).body.factorTicket, codeAt(secret, seconds))).status)
    expect(tried).toEqual([400, 400, 200, 200])
  })
  test('a recovery code signs in once, however it is written', async () => {
    const { recoveryCodes } = await switchOn(await enter())
    const [code = ''] = recoveryCodes
    expect(
      (await pass((await login()).body.factorTicket, ` ${code.toLowerCase().replaceAll('-', ' ')}`))
        .status,
    ).toBe(200)
    expect(codeOf(await pass((await login()).body.factorTicket, code))).toBe(400010)
  })
  /** Five wrong ones, with as many tickets. */
  const guess = async () => {
    for (let i = 0; i < 5; i += 1) await pass((await login()).body.factorTicket, '000000')
  }
  test('five wrong codes shut it, whatever ticket they come with, and somebody is told; a recovery code opens it', async () => {
    const { secret, recoveryCodes } = await switchOn(await enter())
    ways.later(30)
    const tickets = await Promise.all(
      Array.from({ length: 5 }, async () => (await login()).body.factorTicket as string),
    )
    await Promise.all(tickets.map((ticket) => pass(ticket, '000000')))
    const again = (await login()).body.factorTicket
    expect([
      codeOf(await pass(again, codeAt(secret))),
      codeOf(await pass(again, 'A'.repeat(24))),
    ]).toEqual([400010, 400010])
    expect(
      await api.sql(
        `select times from security_events where kind = 'FACTOR_GUESSED' and subject = $1`,
        [name],
      ),
    ).toEqual([{ times: 1 }])
    ways.later(15 * 60 + 1)
    expect((await pass((await login()).body.factorTicket, codeAt(secret))).status).toBe(200)
    await guess()
    expect((await pass((await login()).body.factorTicket, recoveryCodes[1] as string)).status).toBe(
      200,
    )
    ways.later(30)
    expect((await pass((await login()).body.factorTicket, codeAt(secret))).status).toBe(200)
  })
  test('it stays shut twice as long each time, a new password or not', async () => {
    const token = await enter()
    const { secret } = await switchOn(token)
    await guess()
    ways.later(15 * 60 + 1)
    await guess()
    await api.call(session.loginsend, { channel: 'sms', purpose: 'reset', username: name, phone })
    const reset = {
      username: name,
      phone,
      smsCode: await ways.delivered(phone),
      password: 'Another 1 horse',
      repeat: 'Another 1 horse',
    }
    expect((await api.call(session.passwordReset, reset)).status).toBe(200)
    const again = async () =>
      pass((await login('Another 1 horse')).body.factorTicket, codeAt(secret))
    ways.later(15 * 60 + 1)
    expect(codeOf(await again())).toBe(400010)
    ways.later(15 * 60)
    expect((await again()).status).toBe(200)
  })
  test('guesses of others at the second step do not end the sessions of its holder', async () => {
    const token = await enter()
    const { secret } = await switchOn(token)
    ways.later(30)
    await guess()
    for (let i = 0; i < 6; i += 1)
      expect(codeOf(await prove(token, { code: codeAt(secret) })), 'shut, and told so').toBe(429005)
    expect((await me(token)).status).toBe(200)
  })
  test('from then on the password is no proof: other sessions show themselves anew', async () => {
    const [thief, mine] = [await enter(), await enter()]
    await switchOn(mine)
    for (const act of [session.newRecoveryCodes, session.dropFactor])
      expect(codeOf(await api.call(act, {}, { token: thief }))).toBe(403010)
    expect((await api.call(session.newRecoveryCodes, {}, { token: mine })).status).toBe(200)
  })
  test('an undo gives no code back that was used since, nor those somebody else replaced', async () => {
    const token = await enter()
    const { secret, recoveryCodes } = await switchOn(token)
    await api.call(
      session.changePassword,
      { oldPassword: password, password: 'Another 1 horse', repeat: 'Another 1 horse' },
      { token },
    )
    const link = linkOf(await message())
    const first = async () => (await login('Another 1 horse')).body.factorTicket
    ways.later(30)
    const used = codeAt(secret, 30)
    expect([
      (await pass(await first(), recoveryCodes[0] as string)).status,
      (await pass(await first(), used)).status,
    ]).toEqual([200, 200])
    expect((await undo(link)).body).toEqual({ username: name, sms: true })
    await api.call(session.loginsend, { channel: 'sms', purpose: 'reset', username: name, phone })
    const reset = {
      username: name,
      phone,
      smsCode: await ways.delivered(phone),
      password: 'Another 2 horse',
      repeat: 'Another 2 horse',
    }
    expect((await api.call(session.passwordReset, reset)).status).toBe(200)
    const again = async (code: string) =>
      codeOf(await pass((await login('Another 2 horse')).body.factorTicket, code))
    expect([
      await again(recoveryCodes[0] as string),
      await again(used),
      await again(recoveryCodes[1] as string),
    ]).toEqual([400010, 400010, 200])
    // replaced meanwhile
    const inside = (
      await pass((await login('Another 2 horse')).body.factorTicket, recoveryCodes[2] as string)
    ).body.token
    await api.call(session.newRecoveryCodes, {}, { token: inside })
    expect((await undo(linkOf(await message()))).status).toBe(200)
    expect(
      await api.sql(
        'select 1 from recovery_codes c join users u on u.id = c.user_id where u.username = $1',
        [name],
      ),
    ).toEqual([])
  })
  test('a ticket has five tries and five minutes', async () => {
    const { secret } = await switchOn(await enter())
    const { factorTicket } = (await login()).body
    ways.later(301)
    expect(codeOf(await pass(factorTicket, codeAt(secret)))).toBe(400012)
    expect(codeOf(await pass('x'.repeat(43), codeAt(secret)))).toBe(400012)
    // its own tries, whatever the account has left
    await api.sql(`insert into settings (org_id, key, value) values (1, 'login.maxFailures', '10')`)
    const tired = (await login()).body.factorTicket
    const codes = []
    for (const code of [...Array(5).fill('000000'), codeAt(secret)])
      codes.push(codeOf(await pass(tired, code)))
    expect(codes).toEqual([...Array(5).fill(400010), 400012])
    expect((await pass((await login()).body.factorTicket, codeAt(secret))).status).toBe(200)
    await api.sql(`delete from settings where key = 'login.maxFailures'`)
  })
  test('the browser is known after the second step, not before', async () => {
    const { secret } = await switchOn(await enter())
    ways.later(30)
    const first = await login()
    expect(first.headers['set-cookie']).toBeUndefined()
    expect(
      String((await pass(first.body.factorTicket, codeAt(secret))).headers['set-cookie']),
    ).toContain('huodao_browser=')
  })
  test('a new password ends what the old one began', async () => {
    const { secret } = await switchOn(await enter())
    ways.later(30)
    const { factorTicket } = (await login()).body
    await ways.addAdmin('boss3')
    const [person] = await api.sql<{ id: string }>('select id from users where username = $1', [
      name,
    ])
    expect(
      (
        await api.call(
          users.resetPassword,
          { id: Number(person?.id) },
          { token: await api.login('boss3') },
        )
      ).status,
    ).toBe(200)
    expect(codeOf(await pass(factorTicket, codeAt(secret)))).toBe(400012)
  })
  test('a code by SMS and a scan pass it, too', async () => {
    const token = await enter()
    const identity = await bound(token)
    await switchOn(token)
    await api.call(session.loginsend, { channel: 'sms', purpose: 'login', phone })
    const bySms = await api.call(session.loginv, {
      channel: 'sms',
      phone,
      smsCode: await ways.delivered(phone),
    })
    expect([bySms.body.token, typeof bySms.body.factorTicket]).toEqual([undefined, 'string'])
    const { ticket, secret: own } = (
      await api.call(session.loginsend, { channel: 'qr', purpose: 'login' })
    ).body
    await api.call(session.scan, { id: ticket, identity })
    await api.call(session.confirmScan, { id: ticket, identity })
    const byScan = (await api.call(session.loginv, { channel: 'qr', ticket, secret: own })).body
    expect([byScan.token, typeof byScan.factorTicket]).toEqual([undefined, 'string'])
  })
  test('where it is on, a code is the proof and the password is none', async () => {
    const token = await enter()
    const { secret } = await switchOn(token)
    ways.later(601)
    const change = { oldPassword: password, password: 'Another 1 horse', repeat: 'Another 1 horse' }
    expect(codeOf(await api.call(session.changePassword, change, { token }))).toBe(403010)
    expect(codeOf(await prove(token, { password }))).toBe(400010)
    expect((await prove(token, { code: codeAt(secret) })).status).toBe(200)
    expect((await api.call(session.changePassword, change, { token })).status).toBe(200)
  })
  test('off again, by its holder and by an administrator', async () => {
    const token = await enter()
    await switchOn(token)
    expect((await api.call(session.dropFactor, {}, { token })).status).toBe(200)
    expect(typeof (await login()).body.token).toBe('string')
    await switchOn(token)
    await ways.addAdmin('boss2')
    const [person] = await api.sql<{ id: string }>('select id from users where username = $1', [
      name,
    ])
    expect(
      (
        await api.call(
          users.resetFactor,
          { id: Number(person?.id) },
          { token: await api.login('boss2') },
        )
      ).status,
    ).toBe(200)
    expect(codeOf(await me(token))).toBe(110004)
    expect(typeof (await login()).body.token).toBe('string')
    expect(linkOf(await message())).toBe('')
  })
  test('who must have one gets nothing but its set-up, and keeps it', async () => {
    const must = (value: string) =>
      api.sql(
        `insert into settings (org_id, key, value)
          values (1, 'session.secondFactor', to_jsonb($1::text)) on conflict (org_id, key) do update
          set value = excluded.value`,
        [value],
      )
    const token = await enter()
    await must('money-and-secrets')
    try {
      expect((await me(token)).body.mustSetUpFactor).toBe(true)
      expect(codeOf(await api.call(products.list, {}, { token }))).toBe(403011)
      await switchOn(token)
      expect((await me(token)).body.mustSetUpFactor).toBe(false)
      expect(codeOf(await api.call(products.list, {}, { token }))).toBe(200)
      expect(codeOf(await api.call(session.dropFactor, {}, { token }))).toBe(422011)
    } finally {
      await must('off')
    }
  })
})
