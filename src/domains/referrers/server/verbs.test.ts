import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, place, rowId, type World, worldNow } from '../../../../test/support/world.ts'
import { referrers } from '../contract.ts'
import { forgetCodes } from './jobs.ts'
import { open } from './queries.ts'

let world: World
let token = ''
const clock = { now: worldNow }
beforeAll(async () => {
  world = await openWorld({ now: () => clock.now, config: { DEMO: '1' } })
  token = await world.login('ROLE_FULL')
})
afterAll(() => world?.close())

const person = { referrerName: '张三丰', mobile: '13812348000', idName: '张三丰' }
const create = (change: Record<string, unknown> = {}) =>
  world.call(referrers.create, { ...person, ...change }, { token })
const errors = (body: { errors: { field: string; message: string }[] }) =>
  body.errors.map(({ field, message }) => [field, message])

test('the sentences of the form', async () => {
  expect(errors((await create({ referrerName: ' ', mobile: '12812348000' })).body)).toEqual([
    ['referrerName', '推荐人姓名不能为空'],
    ['mobile', '手机号不合法'],
  ])
  expect(errors((await create({ idName: '' })).body)[0]?.[0]).toBe('idName')
  // at once with what else is wrong
  const both = errors((await create({ idName: '', mobile: '1' })).body)
  expect(both.map(([field]) => field).toSorted()).toEqual(['idName', 'mobile'])
  expect(errors((await create({ defaultBp: 3001 })).body)).toEqual([
    ['defaultBp', '默认比例须在0–30%之间'],
  ])
  expect((await create({ linkedOrgId: 4 })).status).toBe(404)
  expect((await create({ orgId: 4 })).status).toBe(404)
})

test('a person is shown in part, found by his number, kept in no row in words', async () => {
  const { body } = await create({ linkedOrgId: 3 })
  expect(body).toMatchObject({
    ...{ mobile: '138****8000', idName: '张**', receiverState: 'UNBOUND', orgId: 3 },
  })
  expect(body.deviceCount).toBeGreaterThan(0)
  expect((await create()).body.errors).toEqual([{ field: 'mobile', message: '手机号已存在' }])
  // a number of another organisation is its own affair
  expect((await create({ orgId: 7 })).status).toBe(200)
  const list = async (input: Record<string, unknown>) =>
    (await world.call(referrers.list, input, { token })).body.list.map(
      (row: { id: number }) => row.id,
    )
  expect(await list({ mobile: '13812348000' })).toContain(body.id)
  expect(await list({ mobile: '13812348001' })).toEqual([])
  expect(await list({ mobile: '8000' })).toEqual([])
  const [row] = await world.sql<{ text: string }>(
    `select (to_jsonb(r)::text || coalesce((select string_agg(l::text, '') from operation_logs l
      where action like 'referrers.%'), '')) as text from referrers r where id = $1`,
    [body.id],
  )
  for (const secret of ['13812348000', Buffer.from('13812348000').toString('hex')])
    expect(row?.text.includes(secret)).toBe(false)
  const edited = await world.call(
    referrers.update,
    { id: body.id, version: 1, referrerName: '张三', receiveKind: 'PERSONAL' },
    { token },
  )
  expect(edited.body).toMatchObject({ referrerName: '张三', mobile: '138****8000', idName: '张**' })
})

const code = async (id: number, as = token) => {
  const { body } = await world.call(referrers.bindQrcode, { id }, { token: as })
  return { text: new URL(body.url).searchParams.get('k') as string, body }
}
const bind = (text: string) => world.call(referrers.bind, { code: text })

test('a code binds one phone, once, in its time', async () => {
  const { body } = await create({ mobile: '13900000001' })
  const { text, body: made } = await code(body.id)
  expect(Date.parse(made.expireTime) - clock.now.getTime()).toBe(30 * 60_000)
  const seen = await world.call(referrers.look, { code: text })
  expect(seen.body).toEqual({ name: '张**', orgName: '机构OWN', authorizeUrl: null })
  // ten phones at once: one of them is bound
  const all = await Promise.all(Array.from({ length: 10 }, () => bind(text)))
  expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(new Set(all.filter(({ status }) => status !== 200).map(({ body }) => body.error))).toEqual(
    new Set(['referrers.codeOver']),
  )
  const row = async () =>
    (await world.call(referrers.list, { id: body.id }, { token })).body.list[0]
  expect((await row()).receiverState).toBe('BOUND')
  const [kept] = await world.sql<{ openid: Buffer }>('select openid from referrers where id = $1', [
    body.id,
  ])
  expect(open(world.app, 'openid', 3, kept?.openid as Buffer)).toMatch(/^sim-/)
  expect((await world.call(referrers.look, { code: text })).body.error).toBe('referrers.codeOver')
  // another code ends the one before it
  const [first, second] = [await code(body.id), await code(body.id)]
  expect((await bind(first.text)).body.message).toBe('二维码已失效，请联系发送人重新获取')
  clock.now = new Date(clock.now.getTime() + 31 * 60_000)
  expect((await bind(second.text)).body.error).toBe('referrers.codeOver')
  clock.now = new Date(clock.now.getTime() + 2 * 86_400_000)
  await forgetCodes(world.app)
  expect(await world.sql('select from referrer_codes')).toEqual([])
  // who gets another name is another person
  token = await world.login('ROLE_FULL')
  const { version } = await row()
  const edit = { id: body.id, version, referrerName: '李四', idName: '李四' }
  await world.call(referrers.update, edit, { token })
  expect((await row()).receiverState).toBe('UNBOUND')
})

test('WeChat is asked only for a code that somebody made', async () => {
  let asked = 0
  const wechat = createServer((_request, answer) => {
    asked += 1
    answer.end('{"errcode":40029}')
  })
  await new Promise<void>((done) => wechat.listen(0, '127.0.0.1', done))
  const { port } = wechat.address() as AddressInfo
  const before = { ...world.app.config }
  Object.assign(world.app.config, {
    ...{ wechatAppId: 'wx1', wechatAppSecret: 's', wechatApiBase: `http://127.0.0.1:${port}` },
    publicUrl: 'https://huodao.example',
  })
  const { body } = await create({ mobile: '13900000009' })
  const { text } = await code(body.id)
  const bindAs = (k: string) => world.call(referrers.bind, { code: k, oauthCode: 'o' })
  expect((await bindAs('x'.repeat(43))).body.error).toBe('referrers.codeOver')
  expect(asked).toBe(0)
  expect((await bindAs(text)).body.error).toBe('session.badIdentity')
  expect(asked).toBe(1)
  Object.assign(world.app.config, before)
  wechat.close()
})

test('what a code needs: a person, who is enabled, and proof of who sends it', async () => {
  const ledger = await create({ mobile: '13900000002', receiveKind: 'LEDGER', idName: '' })
  const asked = await world.call(referrers.bindQrcode, { id: ledger.body.id }, { token })
  expect(asked.body.message).toBe('仅个人接收方需要绑定微信')
  const { body } = await create({ mobile: '13900000003' })
  const { text } = await code(body.id)
  await world.call(referrers.setStatus, { id: body.id, version: 1, status: 'DISABLED' }, { token })
  expect((await bind(text)).body.error).toBe('referrers.codeOver')
  expect((await bind('x'.repeat(43))).body.error).toBe('referrers.codeOver')
  const old = await world.login('ROLE_FULL', {
    proven_at: new Date(clock.now.getTime() - 3_600_000),
  })
  const late = await world.call(referrers.bindQrcode, { id: body.id }, { token: old })
  expect(late.body.error).toBe('common.proofNeeded')
  const foreign = await world.call(referrers.bindQrcode, { id: rowId('SIBLING', 1) }, { token })
  expect(foreign.status).toBe(404)
  expect((await world.call(referrers.remove, { id: body.id, version: 2 }, { token })).status).toBe(
    200,
  )
})

test('machines are of whom he introduced, and leave him when they go elsewhere', async () => {
  const token = await world.login('ROLE_FULL')
  const edit = async (id: number, deviceIds: number[], more: object = {}) => {
    const [row] = await world.sql<{ version: number }>(
      'select version from referrers where id = $1',
      [id],
    )
    return world.call(
      referrers.update,
      { ...{ id, version: row?.version ?? 0, deviceIds }, ...named, ...more },
      { token },
    )
  }
  const named = { referrerName: '机器', receiveKind: 'LEDGER' as const }
  const made = await world.call(
    referrers.create,
    { ...named, mobile: '13911112222', deviceIds: [3001, 7001] },
    { token },
  )
  expect(made.body).toMatchObject({ deviceIds: [3001, 7001], deviceCount: 2 })
  const { id } = made.body
  // of others nothing is known; of one that is seen, but not of whom he introduced, it is said so
  expect((await edit(id, [4001])).body.error).toBe('common.notFound')
  const other = await edit(id, [3001], { linkedOrgId: place.CHILD })
  expect(other.body).toMatchObject({
    error: 'referrers.otherDevice',
    errors: [{ field: 'deviceIds' }],
  })
  expect((await edit(id, [7001], { linkedOrgId: place.CHILD })).body.deviceIds).toEqual([7001])
  await world.sql(`update devices d set org_id = n.org_id, type_id = n.type_id
    from devices n where n.id = 3001 and d.id = 7001`)
  const { body } = await world.call(referrers.list, { id }, { token })
  expect(body.list[0]).toMatchObject({ deviceIds: [], linkedOrgId: place.CHILD })
})
