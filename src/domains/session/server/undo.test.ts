import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TestApi } from '../../../../test/support/api.ts'
import { passwordWork } from '../../../server/passwords.ts'
import { users } from '../../users/contract.ts'
import { session } from '../contract.ts'
import { codeOf, openWays, password, sendWayMessages, type Ways } from './testWorld.ts'

/**
 * Who can do what with an account whose ways to sign in were changed (decision 29): whoever finds
 * its phone, whoever holds its session, its owner, and administrators who may stand for him or only
 * outrank him.
 */
let ways: Ways
let api: TestApi
let name = ''
let phone = ''
beforeAll(async () => {
  ways = await openWays()
  api = ways.api
  // outranks people of an operator, and holds nothing of what they hold
  await api.sql(
    `insert into roles (id, org_id, code, name, name_en, rank, data_scope)
      values (9001, 2, 'ROLE_C_CHIEF', 'c', 'c', 99, 'ORG_TREE')`,
  )
  await api.sql(
    `insert into role_permissions
      select 9001, unnest(array['user:read', 'user:update', 'user:reset-password'])`,
  )
})
afterAll(() => api?.close())
beforeEach(async () => {
  await ways.next()
  name = ways.name
  phone = ways.phone
})

const login = (given = password) => api.call(session.login, { username: name, password: given })
const enter = async (given = password) => (await login(given)).body.token as string
const me = (token: string) => api.call(session.user, {}, { token })
const another = (n = 0) => `136${String(n).padStart(4, '0')}${String(ways.n).padStart(4, '0')}`
const next = 'Another 1 horse'
const change = (token: string) =>
  api.call(
    session.changePassword,
    { oldPassword: password, password: next, repeat: next },
    { token },
  )
async function newPhone(token: string, to = another()) {
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
}
/** A WeChat bound to the account; answers who its phone is. */
async function bound(token: string): Promise<string> {
  const { ticket } = (
    await api.call(session.loginsend, { channel: 'qr', purpose: 'bind' }, { token })
  ).body
  const { identity } = (await api.call(session.scanIdentity, { ticket, nickname: '微信用户' })).body
  await api.call(session.scan, { id: ticket, identity })
  expect((await api.call(session.confirmScan, { id: ticket, identity })).status).toBe(200)
  return identity
}
const unbind = (token: string, given = password) =>
  api.call(session.unbind, { password: given }, { token })
async function switchOn(token: string): Promise<{ secret: string; recoveryCodes: string[] }> {
  const { secret } = (await api.call(session.enrolFactor, {}, { token })).body
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: ways.now().getTime(),
  })
  return { secret, ...(await api.call(session.confirmFactor, { code }, { token })).body }
}
/** Links in the messages of a number, the oldest first. */
async function links(to = phone): Promise<string[]> {
  await sendWayMessages(api.app)
  const rows = await api.sql<{ content: string }>(
    'select content from dev_messages where phone = $1 order by id',
    [to],
  )
  return rows.flatMap(({ content }) => /login\?mode=undo#([\w-]{43})/.exec(content)?.[1] ?? [])
}

test('a link that nobody was sent is refused before anything is hashed', async () => {
  const before = passwordWork.hashed
  expect([(await undo('A'.repeat(43))).status, passwordWork.hashed]).toEqual([422, before])
})
const undo = (token: string | undefined) => api.call(session.undo, { token: token ?? '' })
const state = async () => {
  const [row] = await api.sql<{ phone: string; wechat: boolean; factor: boolean }>(
    `select phone, exists (select from wechat_bindings w where w.user_id = u.id) as wechat,
      exists (select from second_factors f where f.user_id = u.id) as factor from users u
      where username = $1`,
    [name],
  )
  return row
}
const shut = () => ({ phone: '', wechat: false, factor: false })
const closed = async (token: string, given = password) =>
  expect([(await me(token)).status, codeOf(await login(given))], 'sessions and password').toEqual([
    401, 401001,
  ])
async function scans(identity: string): Promise<boolean> {
  const { ticket, secret } = (
    await api.call(session.loginsend, { channel: 'qr', purpose: 'login' })
  ).body
  await api.call(session.scan, { id: ticket, identity })
  await api.call(session.confirmScan, { id: ticket, identity })
  const { body } = await api.call(session.loginv, { channel: 'qr', ticket, secret })
  return Boolean(body.token ?? body.factorTicket)
}
async function entersBySms(to: string): Promise<boolean> {
  await api.sql('delete from dev_messages')
  ways.later(61)
  for (const purpose of ['login', 'reset'] as const) {
    await api.call(session.loginsend, {
      channel: 'sms',
      purpose,
      phone: to,
      ...(purpose === 'reset' ? { username: name } : {}),
    })
    if (await ways.delivered(to)) return true
    ways.later(61)
  }
  return false
}

describe('who finds the phone', () => {
  test('gets nothing back with its links that its owner took away: no number, no WeChat', async () => {
    const before = await enter()
    const onPhone = await bound(before)
    ways.later(80 * 3600)
    const owner = await enter()
    await newPhone(owner)
    await unbind(owner)
    await change(owner)
    const fresh = await enter(next)
    for (const link of await links()) await undo(link)
    expect(await state()).toEqual(shut())
    await closed(fresh, next)
    expect([await scans(onPhone), await entersBySms(phone), await entersBySms(another())]).toEqual([
      false,
      false,
      false,
    ])
  })
  test('shuts the account once for each change, and opens nothing by it', async () => {
    await newPhone(await enter())
    const [link] = await links()
    expect((await undo(link)).body).toEqual({ username: name, sms: false })
    expect(codeOf(await undo(link))).toBe(422008)
    expect(
      await api.sql(
        `select method, state from password_resets p join users u on u.id = p.user_id
          where u.username = $1`,
        [name],
      ),
    ).toEqual([{ method: 'ADMIN', state: 'PENDING' }])
  })
})

describe('who holds a session', () => {
  test('leaves no WeChat by binding and unbinding it', async () => {
    const thief = await enter()
    const his = await bound(thief)
    await unbind(thief)
    expect((await undo((await links()).at(-1))).body.sms).toBe(true)
    expect([await scans(his), (await state())?.wechat]).toEqual([false, false])
  })
  test('leaves no second factor by switching it on and off, nor one in the place of another', async () => {
    const thief = await enter()
    await switchOn(thief)
    expect((await api.call(session.dropFactor, {}, { token: thief })).status).toBe(200)
    expect((await undo((await links()).at(-1))).body.sms).toBe(true)
    expect(await state()).toMatchObject({ phone, factor: false })
  })
  test('and who put his own second factor in the place of another loses it, with the number it guarded', async () => {
    const { recoveryCodes } = await switchOn(await enter())
    ways.later(80 * 3600)
    await links()
    await api.sql('delete from dev_messages')
    const { factorTicket } = (await login()).body
    const first = (
      await api.call(session.passFactor, { ticket: factorTicket, code: recoveryCodes[0] as string })
    ).body.token
    expect((await api.call(session.dropFactor, {}, { token: first })).status).toBe(200)
    await switchOn(first)
    const [off] = await links()
    expect((await undo(off)).body.sms).toBe(false)
    expect(await state()).toEqual(shut())
  })
  test('ends no link, whatever he changes after it', async () => {
    const thief = await enter()
    await bound(thief)
    const [link] = await links()
    await newPhone(thief)
    await unbind(thief)
    await bound(thief)
    await switchOn(thief)
    expect((await undo(link)).status).toBe(200)
    expect(await state()).toEqual(shut())
    await closed(thief)
  })
})

describe('the owner', () => {
  test('takes back with one link what came after it; what came before stays, and so does its link', async () => {
    const token = await enter()
    const wechat = await bound(token)
    await api.call(session.unbind, { password }, { token })
    await bound(token)
    const [first, second, third] = await links()
    expect((await undo(second)).status).toBe(200)
    expect(codeOf(await undo(third))).toBe(422008)
    expect([(await state())?.wechat, await scans(wechat)]).toEqual([false, false])
    expect((await undo(first)).status).toBe(200)
  })
  test('keeps what he had before the change', async () => {
    const token = await enter()
    const his = await bound(token)
    ways.later(80 * 3600)
    await change(await enter())
    expect((await undo((await links()).at(-1))).body.sms).toBe(true)
    expect(await state()).toEqual({ phone, wechat: true, factor: false })
    expect(await scans(his)).toBe(true)
  })
})

describe('an administrator', () => {
  const idOf = async () =>
    Number(
      (await api.sql<{ id: string }>('select id from users where username = $1', [name]))[0]?.id,
    )
  /** With standing: somebody of the platform. Without: rank alone. */
  async function administrator(standing: boolean): Promise<string> {
    const username = `boss${ways.n}`
    if (standing) await ways.addAdmin(username)
    else
      await api.sql(
        `with made as (insert into users (org_id, username, password_hash, real_name)
          values (2, $1, 'x', 'x') returning id)
          insert into user_roles (user_id, role_id, org_id) select id, 9001, 2 from made`,
        [username],
      )
    return api.login(username)
  }
  const acts: Record<string, (token: string, id: number) => Promise<unknown>> = {
    'sets a password': async (token, id) =>
      (await api.call(users.resetPassword, { id }, { token })).status,
    'disables and enables': async (token, id) => {
      for (const status of ['DISABLED', 'ENABLED'])
        expect((await api.call(users.setStatus, { id, status }, { token })).status).toBe(200)
      return 200
    },
    'disables and enables among others': async (token, id) => {
      for (const status of ['DISABLED', 'ENABLED'])
        expect((await api.call(users.batchStatus, { ids: [id], status }, { token })).status).toBe(
          200,
        )
      return 200
    },
    'takes a WeChat off': async (token, id) =>
      (await api.call(users.unbindWechat, { id }, { token })).status,
    'resets the second factor': async (token, id) =>
      (await api.call(users.resetFactor, { id }, { token })).status,
    'sets the phone': async (token, id) => {
      const { body } = await api.call(users.get, { id }, { token })
      const { version, realName, avatar, regionCode, departmentId } = body
      const service = { consumerPhone: '4008001234', address: '科苑路15号' }
      const edit = {
        id,
        version,
        realName,
        phone: another(7),
        ...service,
        avatar,
        regionCode,
        departmentId,
      }
      return (await api.call(users.update, edit, { token })).status
    },
  }
  /** Somebody with a session bound a WeChat, changed the phone and switched a second factor on. */
  async function taken() {
    const thief = await enter()
    const wechat = await bound(thief)
    await newPhone(thief)
    await switchOn(thief)
    return { thief, wechat, link: (await links())[0] }
  }
  test.each(Object.keys(acts))(
    'who may stand for somebody and %s takes back what an open link would',
    async (what) => {
      const { wechat, link } = await taken()
      expect(await acts[what]?.(await administrator(true), await idOf())).toBe(200)
      const given = what === 'sets the phone' ? another(7) : ''
      expect(await state()).toEqual({ ...shut(), phone: given })
      expect([await scans(wechat), await entersBySms(another())]).toEqual([false, false])
      expect(
        await api.sql(
          `select title_zh from messages m join users u on u.id = m.user_id
            where u.username = $1 and title_zh = '近期变更的登录方式已撤销'`,
          [name],
        ),
      ).toHaveLength(1)
      // a new password closes all that the link would; after anything else it ends what is left,
      // and leaves what he gave
      expect(codeOf(await undo(link))).toBe(what === 'sets a password' ? 422008 : 200)
      if (what === 'sets a password') return
      expect([codeOf(await login()), (await state())?.phone]).toEqual([401001, given])
    },
  )
  test.each(['disables and enables', 'disables and enables among others', 'takes a WeChat off'])(
    'who only outranks him and %s ends no link',
    async (what) => {
      const { thief, link } = await taken()
      expect(await acts[what]?.(await administrator(false), await idOf())).toBe(200)
      expect((await undo(link)).status).toBe(200)
      expect(await state()).toEqual(shut())
      await closed(thief)
    },
  )
  test.each(['sets a password', 'resets the second factor', 'sets the phone'])(
    'who only outranks him is refused where he %s',
    async (what) => {
      const { link } = await taken()
      const before = await state()
      expect(await acts[what]?.(await administrator(false), await idOf())).toBe(403)
      expect(await state()).toEqual(before)
      expect((await undo(link)).status).toBe(200)
    },
  )
  test('who ends an account ends its links', async () => {
    const { link } = await taken()
    const token = await administrator(true)
    const id = await idOf()
    const { version } = (await api.call(users.get, { id }, { token })).body
    expect((await api.call(users.remove, { id, version }, { token })).status).toBe(200)
    expect(codeOf(await undo(link))).toBe(422008)
    expect((await state())?.wechat).toBe(false)
  })
  test('takes nothing back, and says so to nobody, where no link is open', async () => {
    await bound(await enter())
    ways.later(80 * 3600)
    expect(await acts['sets a password']?.(await administrator(true), await idOf())).toBe(200)
    expect(await state()).toEqual({ phone, wechat: true, factor: false })
  })
})
