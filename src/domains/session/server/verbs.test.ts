import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../../test/support/api.ts'
import { systemScope } from '../../../server/database.ts'
import { hashPassword, passwordWork } from '../../../server/passwords.ts'
import { tokenHash } from '../../../server/rateKeys.ts'
import { seedAccess } from '../../accounts/seed.ts'
import { session } from '../contract.ts'
import { shows } from './testWorld.ts'

let api: TestApi
let clock = new Date('2026-11-21T06:00:00Z').getTime()
const password = 'Right horse 7'
const later = (minutes: number) => {
  clock += minutes * 60_000
}
beforeAll(async () => {
  api = await startTestApi({ now: () => new Date(clock), config: { TRUST_PROXY: '1' } })
  await api.app.database.transact(systemScope, (db) => seedAccess(db, new Date(clock)))
  await api.sql(
    `insert into organisations (id, parent_id, path, kind, name)
      values (2, 1, '1.2', 'AGENT', 'a'), (3, 2, '1.2.3', 'OPERATOR', 'o')`,
  )
})
afterAll(async () => api.close())

let n = 0
let name = ''
beforeEach(async () => {
  n += 1
  name = `user${n}`
  later(60)
  await addUser(name)
})
async function addUser(username: string, change = '') {
  await api.sql(
    `insert into users (org_id, username, password_hash, real_name) values (3, $1, $2, 'x')`,
    [username, await hashed],
  )
  await api.sql(
    `insert into user_roles (user_id, role_id, org_id) select u.id, r.id, 3 from users u, roles r
      where u.username = $1 and r.code = 'ROLE_RTU_SP'`,
    [username],
  )
  if (change) await api.sql(`update users set ${change} where username = $1`, [username])
}
const hashed = hashPassword(password)

const login = (username = name, given = password) =>
  api.call(session.login, { username, password: given })
const user = (token: string) => api.call(session.user, {}, { token })
const token = async () => (await login()).body.token as string

describe('signing in', () => {
  test('unknown, wrong, locked, disabled and a first password of eight days answer alike, after the same work', async () => {
    await addUser(`off${n}`, `status = 'DISABLED'`)
    await addUser(`locked${n}`, `locked_until = '2030-01-01'`)
    await addUser(
      `first${n}`,
      `must_change_password = true, password_changed_at = '${new Date(clock - 8 * 86_400_000).toISOString()}'`,
    )
    const answers = []
    for (const [username, given] of [
      ['nobody', password],
      [name, 'wrong 1 password'],
      [`off${n}`, password],
      [`locked${n}`, password],
      [`first${n}`, password],
    ]) {
      const before = passwordWork.compared
      answers.push(await login(username, given))
      expect(passwordWork.compared - before, 'one hash on each path').toBe(1)
    }
    for (const answer of answers) {
      expect(answer.status).toBe(401)
      expect({ ...answer.body, requestId: '' }).toEqual({
        code: 401001,
        error: 'session.wrongCredentials',
        message: '用户名或密码错误',
        requestId: '',
      })
    }
    expect(
      await api.sql(
        `select reason from login_attempts where username in ('nobody', $1, $2, $3, $4)
          order by id`,
        [name, `off${n}`, `locked${n}`, `first${n}`],
      ),
    ).toEqual(['UNKNOWN', 'WRONG', 'DISABLED', 'LOCKED', 'EXPIRED'].map((reason) => ({ reason })))
  })
  test('an organisation above that is disabled shuts the door, also for who is inside', async () => {
    const inside = await token()
    await api.sql(`update organisations set status = 'DISABLED' where id = 2`)
    expect((await login()).body.code).toBe(401001)
    expect((await user(inside)).body.code).toBe(110103)
    await api.sql(`update organisations set status = 'ENABLED' where id = 2`)
    expect((await user(inside)).status).toBe(200)
  })
  test('five failures lock silently for fifteen minutes, parallel ones too', async () => {
    await Promise.all([1, 2, 3, 4, 5].map(() => login(name, 'wrong 1 password')))
    expect((await login()).body.code).toBe(401001)
    later(14)
    expect((await login()).status).toBe(401)
    later(2)
    expect((await login()).status).toBe(200)
  })
  test('a clock that was set back by a day locks nobody for a day', async () => {
    const wrong = (ip: string) =>
      api.call(
        session.login,
        { username: name, password: 'wrong 1 password' },
        { headers: { 'x-forwarded-for': ip } },
      )
    // enough of them to shut the account as a whole
    for (let i = 0; i < 60; i += 1) await wrong(`10.7.${i}.1`)
    for (let i = 0; i < 5; i += 1) await wrong('127.0.0.1')
    const [locked] = await api.sql(
      'select 1 from users where username = $1 and locked_until > $2',
      [name, new Date(clock)],
    )
    expect(locked).toBeDefined()
    later(-1440)
    await api.app.jobs.setRight()
    later(1)
    expect((await login()).status).toBe(200)
    later(1440)
  })
  test('a success empties the counter', async () => {
    for (let i = 0; i < 4; i += 1) await login(name, 'wrong 1 password')
    expect((await login()).status).toBe(200)
    for (let i = 0; i < 4; i += 1) await login(name, 'wrong 1 password')
    expect((await login()).status).toBe(200)
  })
  test.each([
    ['no name', { username: '', password }, 'username', '请输入用户名'],
    ['no password', { username: 'x', password: '' }, 'password', '请输入密码'],
    ['spaces', { username: '  ', password: '   ' }, 'username', '请输入用户名'],
  ])('%s is named', async (_, input, field, message) => {
    const answer = await api.call(session.login, input)
    expect(answer.status).toBe(400)
    expect(answer.body.errors).toContainEqual({ field, message })
  })
  test('the token is kept as a hash only', async () => {
    const mine = await token()
    const [row] = await api.sql<{ text: string }>(
      `select string_agg(s::text, '') as text from sessions s`,
    )
    expect(shows(row?.text, mine)).toBe(false)
  })
})

describe('who keeps guessing', () => {
  const wrong = 'wrong 1 password'
  const from = (ip: string, username = name, given = password, cookie?: string) =>
    api.call(
      session.login,
      { username, password: given },
      { headers: { 'x-forwarded-for': ip, ...(cookie ? { cookie } : {}) } },
    )
  const times = async (n: number, work: () => Promise<unknown>) => {
    for (let i = 0; i < n; i += 1) await work()
  }
  const cookieOf = (answer: Awaited<ReturnType<typeof login>>) =>
    String(answer.headers['set-cookie']).split(';')[0] ?? ''
  const mostWrong = (value: number) =>
    api.sql(`insert into settings (org_id, key, value) values (1, 'login.maxFailures', $1)`, [
      value,
    ])
  const pressure = (orgId: number, subject: string) =>
    api.sql<{ times: number }>(
      `select times from security_events
        where org_id = $1 and kind = 'SIGN_IN_PRESSURE' and subject = $2`,
      [orgId, subject],
    )

  test('shuts himself out, nobody else; what he writes before his address does not help', async () => {
    await times(5, () => from('198.51.100.7', name, wrong))
    expect((await from('198.51.100.7')).body.code, 'his right guess too').toBe(401001)
    expect((await from('203.0.113.1, 198.51.100.7')).body.code).toBe(401001)
    expect((await from('198.51.100.8')).status).toBe(200)
    await expect
      .poll(() =>
        api.sql(
          `select result from operation_logs where action = 'session.lock' and username = $1`,
          [name],
        ),
      )
      .toHaveLength(1)
  })
  test('waits twice as long each time, and people are told', async () => {
    await times(5, () => from('198.51.100.7', name, wrong))
    later(16)
    await times(5, () => from('198.51.100.7', name, wrong))
    later(16)
    expect((await from('198.51.100.7')).body.code).toBe(401001)
    later(15)
    expect((await from('198.51.100.7')).status).toBe(200)
    await expect.poll(() => pressure(3, name)).toHaveLength(1)
  })
  test('from many addresses shuts strangers out: a browser that was here before still opens', async () => {
    await mostWrong(3)
    const cookie = cookieOf(await from('192.0.2.1'))
    expect(cookie).toMatch(/^huodao_browser=[\w-]{43}$/)
    for (let i = 0; i < 10; i += 1) await times(3, () => from(`2001:db8:0:${i}::1`, name, wrong))
    const stranger = await from('192.0.2.1')
    const known = await from('192.0.2.1', name, password, cookie)
    expect([stranger.body.code, known.status]).toEqual([401001, 200])
    expect(
      (await from('192.0.2.1', name, password, cookie)).body.code,
      'each sign-in changes the secret',
    ).toBe(401001)
    await addUser(`other${n}`)
    await api.sql(`update users set locked_until = '2030-01-01' where username = $1`, [`other${n}`])
    expect(
      (await from('192.0.2.1', `other${n}`, password, cookieOf(known))).body.code,
      'known to one account only',
    ).toBe(401001)
    await times(3, () => from('192.0.2.9', name, wrong, cookieOf(known)))
    expect(
      (await from('192.0.2.9', name, password, cookieOf(known))).body.code,
      'a known browser has its own tries',
    ).toBe(401001)
    await expect.poll(() => pressure(3, name)).toHaveLength(1)
    await api.sql('delete from settings')
  })
  test('a browser that signs in to another account in between has no more tries', async () => {
    await mostWrong(3)
    await addUser(`own${n}`)
    let cookie = cookieOf(await from('192.0.2.1'))
    for (let i = 0; i < 4; i += 1) {
      await from('192.0.2.1', name, wrong, cookie)
      cookie = cookieOf(await from('192.0.2.1', `own${n}`, password, cookie))
    }
    expect((await from('192.0.2.1', name, password, cookie)).body.code).toBe(401001)
    await api.sql('delete from settings')
  })
  test('is counted by the account, however its name is written', async () => {
    // which letters are one another is for the database to say, and it may fold more of them than
    // this language does
    const id = async () =>
      (await api.sql<{ id: number }>('select id from users where username = $1', [name]))[0]?.id
    await addUser(`ıç${n}`)
    name = `ıç${n}`
    for (const spelt of [`ıç${n}`, `ıÇ${n}`, `ıç${n}`, `ıÇ${n}`, `ıÇ${n}`])
      await from('198.51.100.7', spelt, wrong)
    const key = createHash('sha256')
      .update(`id|${await id()}|`)
      .digest()
    expect(
      await api.sql(`select kind, failures from sign_in_guards where account = $1 order by kind`, [
        key,
      ]),
    ).toEqual([
      { kind: 'ACCOUNT', failures: 5 },
      { kind: 'PAIR', failures: 5 },
    ])
  })
  test('one guess at many names: the address is shut, in all of its /64', async () => {
    await mostWrong(3)
    for (let i = 0; i < 10; i += 1)
      await times(3, () => from(`2001:db8:1:1::${i}`, `nobody-${i}`, wrong))
    expect((await from('2001:db8:1:1:ffff::9')).body.code).toBe(401001)
    expect((await from('2001:db8:1:2::9')).status).toBe(200)
    await expect.poll(() => pressure(1, '2001:db8:1:1::/64')).toHaveLength(1)
    await api.sql('delete from settings')
  })
  test('the secret of a browser is kept from scripts, as a hash, and ends with the password', async () => {
    const answer = await from('192.0.2.1')
    expect(String(answer.headers['set-cookie'])).toMatch(
      /^huodao_browser=[\w-]{43}; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Strict$/,
    )
    const tls = { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https' }
    const behindTls = await api.call(session.login, { username: name, password }, { headers: tls })
    expect(String(behindTls.headers['set-cookie'])).toMatch(
      /^__Host-huodao_browser=[\w-]{43}; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Strict; Secure$/,
    )
    const known = async (cookie: string) => {
      await api.call(session.login, { username: name, password }, { headers: { ...tls, cookie } })
      const secret = tokenHash(/=([\w-]{43})/.exec(cookie)?.[1] ?? '')
      return (
        (await api.sql('select 1 from known_browsers where token_hash = $1', [secret])).length === 0
      )
    }
    const cookie = cookieOf(behindTls)
    expect(await known(cookie.replace('__Host-', '')), 'over TLS only what TLS has set').toBe(false)
    expect(await known(cookie), 'changed at the sign-in').toBe(true)
    const mine = answer.body.token
    await api.call(
      session.changePassword,
      { oldPassword: password, password: 'Another 1 horse', repeat: 'Another 1 horse' },
      { token: mine },
    )
    expect(
      await api.sql(
        'select 1 from known_browsers k join users u on u.id = k.user_id where u.username = $1',
        [name],
      ),
    ).toEqual([])
  })
  test('a session does not begin with a password that is changed meanwhile', async () => {
    const [before] = await api.sql<{ id: number; hash: string }>(
      'select id, password_hash as hash from users where username = $1',
      [name],
    )
    const lock = `hashtextextended('sign in ' || encode(sha256('id|${before?.id}|'), 'hex'), 0)`
    await api.sql(`select pg_advisory_lock(${lock})`)
    const trying = login()
    await expect
      .poll(() => api.sql(`select 1 from pg_locks where locktype = 'advisory' and not granted`))
      .toHaveLength(1)
    await api.sql(`update users set password_hash = 'another' where username = $1`, [name])
    await api.sql(`select pg_advisory_unlock(${lock})`)
    expect((await trying).body.code, 'it was compared before').toBe(401001)
    await api.sql('update users set password_hash = $2 where username = $1', [name, before?.hash])
  })
})

describe('a session ends', () => {
  test('after two idle hours, and after seven days however busy', async () => {
    const idle = await token()
    later(121)
    expect((await user(idle)).body.code).toBe(110002)
    const busy = await token()
    for (let hour = 0; hour < 24 * 7 - 1; hour += 1) {
      later(60)
      expect((await user(busy)).status).toBe(200)
    }
    later(61)
    expect((await user(busy)).body.code).toBe(110002)
  })
  test('by what the platform set, from the next request on; 0 idle minutes are no limit', async () => {
    const set = (key: string, value: number) =>
      api.sql(
        'insert into settings (org_id, key, value) values (1, $1, $2) on conflict (org_id, key) do update set value = excluded.value',
        [key, value],
      )
    const mine = await token()
    later(11)
    await set('session.idleMinutes', 10)
    expect((await user(mine)).body.code).toBe(110002)
    await set('session.idleMinutes', 0)
    expect((await user(mine)).status).toBe(200)
    await set('session.absoluteDays', 1)
    const short = await token()
    later(24 * 60 + 1)
    expect((await user(short)).body.code).toBe(110002)
    await set('login.maxFailures', 3)
    await set('login.lockMinutes', 5)
    for (let i = 0; i < 3; i += 1) await login(name, 'wrong 1 password')
    expect((await login()).body.code).toBe(401001)
    later(6)
    expect((await login()).status).toBe(200)
    await api.sql('delete from settings')
  })
  test('by logout: this one only', async () => {
    const [one, two] = [await token(), await token()]
    expect((await api.call(session.logout, {}, { token: one })).status).toBe(200)
    expect((await user(one)).body.code).toBe(110003)
    expect((await user(two)).status).toBe(200)
  })
  test('when the account is disabled or loses its role: at the next request', async () => {
    const mine = await token()
    expect((await user(mine)).status).toBe(200)
    await api.sql(`update users set status = 'DISABLED' where username = $1`, [name])
    expect((await user(mine)).body.code).toBe(110103)
  })
  test.each([
    ['none', {}],
    ['empty', { authorization: '' }],
    ['Bearer alone', { authorization: 'Bearer' }],
    ['10 kB', { authorization: 'x'.repeat(10_000) }],
    ['not ours', { authorization: 'abc' }],
  ])('token %s: 110001', async (_, headers) => {
    const answer = await api.call(session.user, {}, { headers })
    expect([answer.status, answer.body.code, answer.body.message]).toEqual([
      401,
      110001,
      '登录已过期,请重新登录',
    ])
  })
  test('a token nobody gave: 110003', async () =>
    expect((await user('A'.repeat(43))).body.code).toBe(110003))
})

describe('changing the password', () => {
  const change = async (mine: string, oldPassword: string, next: string, repeat = next) =>
    api.call(session.changePassword, { oldPassword, password: next, repeat }, { token: mine })
  test.each([
    ['too short', 'a1b2c3d', 400001],
    ['no digit', 'only letters here', 400001],
    ['no letter', '1234567890', 400001],
    ['129 characters', `a1${'x'.repeat(127)}`, 400001],
    ['common', 'password1', 400005],
  ])('%s is refused', async (_, next, code) => {
    const answer = await change(await token(), password, next)
    expect([answer.status, answer.body.code]).toEqual([400, code])
    expect((await login()).status).toBe(200)
  })
  test('with the name inside, as it was, or typed differently', async () => {
    const mine = await token()
    expect((await change(mine, password, `${name.toUpperCase()} is 1`)).body.code).toBe(400004)
    expect((await change(mine, password, password)).body.code).toBe(400003)
    expect(
      (await change(mine, password, 'Another 1 horse', 'Another 2 horse')).body.errors,
    ).toContainEqual({
      field: 'repeat',
      message: '两次输入的密码不一致',
    })
  })
  test('128 characters with spaces and emoji work exactly; all sessions end', async () => {
    const next = `pass 😀 1 ${'字'.repeat(118)}`.slice(0, 128)
    const [mine, other] = [await token(), await token()]
    expect((await change(mine, password, next)).status).toBe(200)
    for (const old of [mine, other]) expect((await user(old)).body.code).toBe(110004)
    expect((await login()).body.code).toBe(401001)
    expect((await login(name, next)).status).toBe(200)
    const again = (await login(name, next)).body.token
    expect(
      (await change(again, next, password)).body.code,
      'the one before is still remembered',
    ).toBe(400003)
  })
  test('a wrong old one counts towards the lock', async () => {
    const mine = await token()
    for (let i = 0; i < 5; i += 1)
      expect((await change(mine, 'wrong 1 password', 'Another 1 horse')).body.code).toBe(400002)
    expect((await user(mine)).body.code, 'five wrong ones end every session').toBe(110004)
    expect((await login()).body.code).toBe(401001)
  })
})

describe('wrong proofs inside', () => {
  const headers = (ip: string) => ({ 'x-forwarded-for': ip })
  const wrong = 'wrong 1 password'
  test('of every kind, at every session and address count together, over a day', async () => {
    const sessions = [await token(), await token()]
    const tries = [
      (mine: string, ip: string) =>
        api.call(session.prove, { password: wrong }, { token: mine, headers: headers(ip) }),
      (mine: string, ip: string) =>
        api.call(session.unbind, { password: wrong }, { token: mine, headers: headers(ip) }),
      (mine: string, ip: string) =>
        api.call(
          session.changePassword,
          { oldPassword: wrong, password: 'Another 1 horse', repeat: 'Another 1 horse' },
          { token: mine, headers: headers(ip) },
        ),
    ]
    await api.sql(
      `insert into settings (org_id, key, value) values (1, 'session.idleMinutes', '0')`,
    )
    for (let i = 0; i < 4; i += 1) {
      expect((await tries[i % 3]?.(sessions[i % 2] ?? '', `198.51.100.${i}`))?.status).toBe(400)
      later(120)
    }
    expect((await user(sessions[0] ?? '')).status).toBe(200)
    await tries[1]?.(sessions[1] ?? '', '198.51.100.9')
    for (const mine of sessions) expect((await user(mine)).body.code).toBe(110004)
    await api.sql('delete from settings')
  })
  test('while it is shut whoever is in is told so, right or wrong, and nothing is counted', async () => {
    const thief = await token()
    for (let i = 0; i < 5; i += 1)
      await api.call(
        session.prove,
        { password: wrong },
        { token: thief, headers: headers('198.51.100.7') },
      )
    const mine = await token()
    const next = 'Another 1 horse'
    const change = (oldPassword: string) =>
      api.call(
        session.changePassword,
        { oldPassword, password: next, repeat: next },
        { token: mine },
      )
    const tries = async () =>
      (await api.sql('select 1 from login_attempts where username = $1 and not ok', [name])).length
    const before = await tries()
    for (const given of [password, wrong]) {
      expect((await api.call(session.prove, { password: given }, { token: mine })).body.error).toBe(
        'session.proofShut',
      )
      expect(
        (await api.call(session.unbind, { password: given }, { token: mine })).body.error,
      ).toBe('session.proofShut')
      expect((await change(given)).body).toMatchObject({ error: 'session.proofShut', code: 429005 })
    }
    expect([await tries(), (await user(mine)).status]).toEqual([before, 200])
    later(16)
    expect((await change(password)).status).toBe(200)
  })
  test('a right one begins anew, and strangers at the same address keep nobody from it', async () => {
    const mine = await token()
    for (let i = 0; i < 6; i += 1) await login(name, wrong)
    expect((await login()).body.code, 'shut to who guesses here').toBe(401001)
    for (let round = 0; round < 3; round += 1) {
      for (let i = 0; i < 4; i += 1)
        expect(
          (await api.call(session.prove, { password: wrong }, { token: mine })).body.code,
        ).toBe(400011)
      expect((await api.call(session.prove, { password }, { token: mine })).status).toBe(200)
    }
  })
})

describe('my own record', () => {
  const foreign = 'files/aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa.png'
  const mine1 = 'files/bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb.png'
  const upload = (url: string, owner: string | null) =>
    api.sql(
      `insert into uploads (org_id, user_id, kind, mime, bytes, sha256, url)
        values (3, (select id from users where username = $2), 'IMAGE', 'image/png', 10, 'x', $1)
        on conflict do nothing`,
      [url, owner],
    )
  test('a picture of somebody else is not there, mine is; stale is told', async () => {
    const mine = await token()
    const me = (await api.call(session.profile, {}, { token: mine })).body
    await upload(foreign, null)
    await upload(mine1, name)
    const edit = (change: object) =>
      api.call(
        session.editProfile,
        {
          realName: 'me',
          consumerPhone: '4008001234',
          img: mine1,
          address: '路1号',
          version: me.version,
          ...change,
        },
        { token: mine },
      )
    expect((await edit({ img: foreign })).status).toBe(404)
    expect((await edit({ img: '' })).body.errors).toContainEqual({
      field: 'img',
      message: '请上传头像',
    })
    const bare = await edit({ consumerPhone: '', address: '' })
    expect([bare.status, bare.body.errors]).toEqual([
      400,
      [
        { field: 'consumerPhone', message: '请输入客服电话' },
        { field: 'address', message: '请输入详细地址' },
      ],
    ])
    expect((await edit({})).status).toBe(200)
    expect((await edit({})).body.code).toBe(409001)
  })
})

test('a username typed full-width is the same username', async () => {
  const wide = [...name].map((c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0)).join('')
  expect((await login(`\u200b${wide}`)).status).toBe(200)
})

test('layouts of screens are bounded for each person', async () => {
  const mine = await token()
  const save = (key: string, value: unknown) =>
    api.call(session.savePreference, { key, value }, { token: mine })
  await api.sql(
    `insert into preferences (user_id, org_id, key, value) select id, org_id, 'k' || i, '1'
      from users, generate_series(1, 300) i where username = $1`,
    [name],
  )
  expect([(await save('new', 1)).status, (await save('k1', 2)).status]).toEqual([413, 200])
})
