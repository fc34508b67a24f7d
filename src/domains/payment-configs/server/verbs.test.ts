import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readXlsx } from 'hucre/xlsx'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openAlipay } from '../../../../test/support/payChannels/alipay.ts'
import type { StandIn } from '../../../../test/support/payChannels/kit.ts'
import { openWechatPay } from '../../../../test/support/payChannels/wechatPay.ts'
import { openWorld, rowId, type World, worldNow } from '../../../../test/support/world.ts'
import { checkInvariants } from '../../../server/invariants.ts'
import { runDue } from '../../../server/work.ts'
import { jobs } from '../../jobs/contract.ts'
import { exportKind } from '../../jobs/server/exports.ts'
import { orders } from '../../orders/contract.ts'
import { paymentChannels } from '../../payment-channels/contract.ts'
import { configsChanged, openKeys } from '../../payment-channels/server/configs.ts'
import { simulatorFaults } from '../../payments/server/providers.ts'
import { stores } from '../../stores/contract.ts'
import { paymentConfigs } from '../contract.ts'
import { checkConfigs } from './jobs.ts'

let world: World
let alipay: StandIn
let wechat: StandIn
const token: Record<string, string> = {}
const clock = { now: worldNow }
beforeAll(async () => {
  wechat = await openWechatPay(() => clock.now)
  alipay = await openAlipay(() => clock.now)
  world = await openWorld({
    now: () => clock.now,
    config: { WECHAT_PAY_BASE: wechat.base, ALIPAY_GATEWAY: `${alipay.base}/gateway.do` },
  })
  for (const name of ['ROLE_FULL', 'ROLE_ADMIN', 'ROLE_FINANCE', 'ROLE_RTU_SP', 'PLATFORM_FULL'])
    token[name] = await world.login(name)
})
afterAll(async () => {
  await world?.close()
  wechat?.close()
  alipay?.close()
})

let made = 0
const company = (change: Record<string, unknown> = {}) => {
  made += 1
  return { orgId: 3, merchantName: '小园零售', systemId: `SYS-${made}`, userName: 'xy', ...change }
}
const as = (who = 'ROLE_FULL') => ({ token: token[who] })
const create = (change = {}, who = 'ROLE_FULL') =>
  world.call(paymentConfigs.create, company(change), as(who))
const row = async (id: number) => (await world.call(paymentConfigs.list, { id }, as())).body.list[0]
const at = async (id: number) => ({ id, version: (await row(id)).version })
const verify = async (id: number) => world.call(paymentConfigs.test, await at(id), as())
const errors = (body: { errors?: { field: string; message: string }[] }) =>
  body.errors?.map(({ field, message }) => [field, message])

test('the sentences of the form', async () => {
  const { body } = await world.call(
    paymentConfigs.create,
    { orgId: 3, merchantName: ' ', systemId: '', provider: 'AGGREGATOR', feeBp: 201 },
    as(),
  )
  expect(errors(body)).toEqual([
    ['merchantName', '商户名称不能为空'],
    ['systemId', '系统号不能为空'],
    ['userName', '用户名不能为空'],
    ['feeBp', '手续费率超出范围'],
  ])
  expect(errors((await create({ provider: 'AGGREGATOR' })).body)).toEqual([
    ['desKey', 'DES密钥不能为空'],
    ['saltMd5Key', 'MD5盐不能为空'],
  ])
  expect(errors((await create({ desKey: 'short' })).body)?.[0]?.[0]).toBe('desKey')
  expect(errors((await create({ splitCapBp: 3001 })).body)?.[0]?.[0]).toBe('capApproval')
  const picture = 'files/99999999-0000-4000-8000-000000000000.png'
  expect((await create({ splitCapBp: 5000, capApproval: picture })).status).toBe(404)
  expect((await create({ orgId: undefined })).body.errors[0].message).toBe('请选择运营商')
  const first = await create()
  const again = await create({ systemId: first.body.systemId })
  expect([again.status, again.body.errors[0]]).toEqual([
    409,
    { field: 'systemId', message: '系统号已存在' },
  ])
  // of another channel it is another number
  expect(
    (
      await create({
        systemId: first.body.systemId,
        ...{ provider: 'AGGREGATOR', desKey: 'k'.repeat(8), saltMd5Key: 's'.repeat(8) },
      })
    ).status,
  ).toBe(200)
})

test('the simulator is paid a cent, and says when it would not be', async () => {
  const { body } = await create()
  expect([body.state, body.testSteps, body.can]).toEqual([
    'UNTESTED',
    [],
    { update: true, delete: true, renew: true, test: true },
  ])
  const passed = await verify(body.id)
  expect([passed.status, passed.body.state]).toEqual([200, 'ACTIVE'])
  expect(
    passed.body.testSteps.map((one: { step: string; ok: boolean }) => [one.step, one.ok]),
  ).toEqual(['ORDER', 'QUERY', 'REFUND'].map((step) => [step, true]))
  // what the channel refuses for good stops it
  const refuse = vi.spyOn(simulatorFaults, 'get')
  refuse.mockReturnValue([{ state: 'FAILED', reason: 'NO_AUTH' }])
  const failed = await verify(body.id)
  refuse.mockRestore()
  expect([failed.body.state, failed.body.testSteps[2]]).toEqual([
    'ERROR',
    { step: 'REFUND', ok: false, note: 'NO_AUTH' },
  ])
  expect((await verify(body.id)).body.state).toBe('ACTIVE')
  expect((await world.call(paymentConfigs.test, { id: body.id, version: 1 }, as())).body.code).toBe(
    409001,
  )
})

test('a cipher is tried with keys of each length', async () => {
  for (const length of [8, 16, 24]) {
    const keys = { desKey: 'Kk1!'.repeat(6).slice(0, length), saltMd5Key: 'salt-salt' }
    const { body } = await create({ provider: 'AGGREGATOR', ...keys })
    expect((await verify(body.id)).body.state).toBe('ACTIVE')
  }
})

const keyPem = () =>
  generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }) as string
/** A certificate of this key, as the platform gives one to a merchant. */
function certificateOf(privateKey: string, days = 365): string {
  const folder = mkdtempSync(join(tmpdir(), 'huodao-cert-'))
  writeFileSync(join(folder, 'key'), privateKey)
  const serial = ['-set_serial', '0x5157F09EFDC096DE', '-subj', '/CN=1900000109']
  const out = ['-out', join(folder, 'cert'), '-days', String(days)]
  execFileSync('openssl', ['req', '-x509', '-new', '-key', join(folder, 'key'), ...serial, ...out])
  const pem = readFileSync(join(folder, 'cert'), 'utf8')
  rmSync(folder, { recursive: true })
  return pem
}
const alipayOf = (change = {}) => {
  const { mchId, appId, privateKey, channelKeys } = alipay.merchant as Record<string, unknown>
  const channelKey = (channelKeys as { ALIPAY: string }).ALIPAY
  return { provider: 'ALIPAY', mchId, appId, privateKey, channelKey, ...change }
}
const stop = async (id: number) => world.call(paymentConfigs.stop, await at(id), as())

test('Alipay is asked: keys that fit, keys that do not, and one that says nothing', async () => {
  const { body } = await create(alipayOf())
  expect(body.callbackUrl).toMatch(new RegExp(`/pay/alipay/notify/${body.id}$`))
  const { id } = body
  alipay.misbehave('query', { how: 'DIES' })
  const silent = await verify(id)
  expect([silent.body.state, silent.body.testSteps.at(-1).ok]).toEqual(['UNTESTED', false])
  const passed = await verify(id)
  expect([passed.body.state, passed.body.testSteps.at(-1)]).toEqual([
    'ACTIVE',
    { step: 'CHANNEL', ok: true, note: '' },
  ])
  // a network that fails for a moment stops nobody
  alipay.misbehave('query', { how: 'HTTP', status: 502 })
  expect((await verify(id)).body.state).toBe('ACTIVE')
  // one active merchant of a channel in an organisation
  const second = await create(alipayOf({ mchId: '2088000000000001', appId: '2014000000000001' }))
  const two = await world.call(paymentConfigs.test, { id: second.body.id, version: 1 }, as())
  expect([two.status, two.body.state ?? two.body.error]).toEqual([200, 'UNTESTED'])
  expect(errors((await create(alipayOf({ privateKey: 'no key' }))).body)).toEqual([
    ['privateKey', '密钥不正确：须为2048位以上的RSA密钥（PEM）'],
  ])
  expect((await create(alipayOf())).body.errors[0]).toEqual({
    field: 'mchId',
    message: '该商户号已存在',
  })
})

test('WeChat Pay: the certificate is of the key, and its end is known', async () => {
  const { mchId, appId, apiV3Key, privateKey } = wechat.merchant as Record<string, string>
  const given = { provider: 'WECHAT', mchId, appId, apiV3Key, privateKey }
  expect(errors((await create({ ...given, certificate: certificateOf(keyPem()) })).body)).toEqual([
    ['certificate', '证书与私钥不匹配'],
  ])
  expect(errors((await create({ ...given, certificate: 'x' })).body)).toEqual([
    ['certificate', '证书不正确'],
  ])
  const ends = new Date(Date.now() + 400 * 86_400_000)
  const { body } = await create({
    ...given,
    certificate: certificateOf(privateKey as string, 400),
  })
  expect(body.certSerial).toBe('5157F09EFDC096DE')
  expect(Math.abs(Date.parse(body.certUntil) - ends.getTime())).toBeLessThan(86_400_000)
  const passed = await verify(body.id)
  expect([
    passed.body.state,
    passed.body.testSteps.map((one: { step: string }) => one.step),
  ]).toEqual(['ACTIVE', ['KEYS', 'CERTIFICATE', 'CHANNEL']])
  // and people are told before it ends
  await world.sql(`update payment_configs set cert_until = $2 where id = $1`, [
    body.id,
    new Date(clock.now.getTime() + 14 * 86_400_000 + 3_600_000),
  ])
  await checkConfigs(world.app)
  const told = async () =>
    (
      await world.sql<{ title: string }>(
        `select distinct title_zh as title from messages where link like '/finance/payment-list%'
          order by 1`,
      )
    ).map(({ title }) => title)
  expect(await told()).toEqual(['收款证书将到期：小园零售'])
  await world.sql(`update payment_configs set cert_until = $2 where id = $1`, [body.id, clock.now])
  await checkConfigs(world.app)
  expect((await row(body.id)).state).toBe('ERROR')
  expect(await told()).toContain('收款配置异常：小园零售')
  await stop(body.id)
})

test('a stopped merchant sells nothing, and only one nobody paid changes its channel', async () => {
  const list = await world.call(paymentConfigs.list, { state: 'ACTIVE', provider: 'ALIPAY' }, as())
  const { id } = list.body.list[0]
  const order = async () => {
    configsChanged(world.app)
    clock.now = new Date(clock.now.getTime() + 600_000)
    await world.sql('update sessions set proven_at = $1', [clock.now])
    return world.call(orders.mobileOrder, {
      rtuNumber: 'OWN0001',
      items: [{ roadIndex: 1, count: 1, price: 250 }],
      payType: 'ALIPAY',
      clientId: crypto.randomUUID(),
    })
  }
  expect((await world.call(paymentConfigs.uses, { id }, as())).body.n).toBeGreaterThan(0)
  await stop(id)
  const refused = await order()
  expect([refused.status, refused.body.message]).toEqual([422, '商户已停止收款，暂时无法购买'])
  expect((await stop(id)).body.message).toBe('当前状态不能执行该操作')
  await world.call(paymentConfigs.start, await at(id), as())
  expect((await verify(id)).body.state).toBe('ACTIVE')
  const bought = await order()
  expect(bought.status, JSON.stringify(bought.body)).toBe(200)
  const edit = async (change: object) => {
    const { merchantName, systemId, userName, provider, mchId, appId, ...rest } = await row(id)
    return world.call(
      paymentConfigs.update,
      {
        ...{ id, version: rest.version, merchantName, systemId, userName, provider, mchId, appId },
        ...change,
      },
      as(),
    )
  }
  expect((await edit({ provider: 'SIMULATOR' })).body.message).toBe(
    '存在未结算的订单，不能更换支付通道',
  )
  const used = await world.call(paymentConfigs.remove, await at(id), as())
  expect([used.status, used.body.message]).toEqual([409, '该配置仍在使用，无法移除'])
  await world.sql(`update payments set state = 'CLOSED', next_at = null where config_id = $1`, [id])
  expect((await edit({ appId: '2014999999999999' })).body.message).toBe(
    '该配置已有收款记录，请新增收款配置',
  )
  // neither does the database let it
  await expect(
    world.sql(`update payment_configs set provider = 'WECHAT', cert_serial = 'A1' where id = $1`, [
      id,
    ]),
  ).rejects.toThrow(/payments_config_id_provider_fkey/)
  expect((await edit({ merchantName: '小园二号', feeBp: 38 })).body).toMatchObject({
    merchantName: '小园二号',
    feeBp: 38,
    state: 'ACTIVE',
    keys: { privateKey: { set: true } },
  })
  await world.sql(
    `update orders set order_status = 'CLOSED', pay_state = 'CLOSED' where order_num = $1`,
    [bought.body.orderNum],
  )
  expect((await world.call(paymentConfigs.remove, await at(id), as())).status).toBe(200)
  expect((await world.call(paymentConfigs.list, { id }, as())).body.list).toEqual([])
  // its payments stay its own
  expect(
    await world.sql('select count(*)::int as n from payments where config_id = $1', [id]),
  ).toEqual([{ n: 1 }])
})

test('another channel takes no keys along', async () => {
  const first = await create({ desKey: 'k'.repeat(16), saltMd5Key: 's'.repeat(16) })
  const { id, systemId } = first.body
  const edited = await world.call(
    paymentConfigs.update,
    {
      ...(await at(id)),
      ...{ merchantName: '甲', systemId, userName: '乙', provider: 'AGGREGATOR' },
    },
    as(),
  )
  expect(edited.body).toMatchObject({
    state: 'UNTESTED',
    keys: { desKey: { set: false }, saltMd5Key: { set: false } },
  })
  expect((await verify(id)).body.state).toBe('UNTESTED')
})

test('a machine keeps a merchant, a store hangs below those of its organisation and above', async () => {
  const { body } = await create()
  await verify(body.id)
  const hang = (paymentConfigId: number | null, storeName: string, orgId = 3) =>
    world.call(stores.create, { storeName, orgId, paymentConfigId }, as())
  const store = await hang(body.id, '门店甲')
  expect(store.body).toMatchObject({ merchantName: '小园零售', paymentConfigId: body.id })
  expect((await hang(body.id, '门店乙', 7)).status).toBe(200)
  expect((await hang(rowId('CHILD', 1), '门店丙')).body.message).toBe(
    '收款配置须属于该机构或其上级',
  )
  expect((await hang(rowId('SIBLING', 1), '门店丁')).status).toBe(422)
  expect((await hang(rowId('PARENT', 1), '门店戊')).status).toBe(422)
  await world.sql('update devices set store_id = $1 where id = $2', [
    store.body.id,
    rowId('OWN', 1),
  ])
  expect(await row(body.id)).toMatchObject({ storeCount: 2, deviceCount: 1 })
  expect((await world.call(paymentConfigs.remove, await at(body.id), as())).status).toBe(409)
  await world.sql('update devices set store_id = null where id = $1', [rowId('OWN', 1)])
  expect((await world.call(paymentConfigs.remove, await at(body.id), as())).status).toBe(200)
  expect(
    await world.sql('select payment_config_id from stores where id = $1', [store.body.id]),
  ).toEqual([{ payment_config_id: null }])
})

test('who may replace keys, and that he is there', async () => {
  const { body } = await create({ orgId: 7 })
  const keys = { desKey: 'n'.repeat(24) }
  const ask = async (who: string, input = keys) =>
    world.call(paymentConfigs.secrets, { ...(await at(body.id)), ...input }, as(who))
  expect([(await ask('ROLE_FINANCE')).status, (await ask('ROLE_RTU_SP')).status]).toEqual([
    403, 403,
  ])
  const old = await world.login('ROLE_FULL', {
    proven_at: new Date(clock.now.getTime() - 3_600_000),
  })
  const late = await world.call(
    paymentConfigs.secrets,
    { ...(await at(body.id)), ...keys },
    { token: old },
  )
  expect([late.status, late.body.error]).toEqual([403, 'common.proofNeeded'])
  expect((await ask('ROLE_FULL', {} as never)).body.message).toBe('请填写要更新的密钥')
  expect((await ask('ROLE_FULL', { apiV3Key: 'x'.repeat(32) } as never)).body.message).toBe(
    '该通道没有此密钥',
  )
  const done = await ask('ROLE_FULL')
  expect(done.body.keys.desKey).toEqual({
    ...{ set: true, tail: 'nnnn', updatedAt: clock.now.toISOString() },
  })
  // an account to which money goes wants the same
  const moved = await world.call(
    paymentConfigs.update,
    {
      ...(await at(body.id)),
      ...{ merchantName: '甲', systemId: body.systemId, userName: '乙' },
      settleAccount: '6222021234567890123',
    },
    { token: old },
  )
  expect(moved.body.error).toBe('common.proofNeeded')
})

test('a planted secret is in no answer, log, export, diff or row', async () => {
  const planted = {
    desKey: 'PLANTEDdesKEYplanted0001',
    saltMd5Key: 'PLANTEDsaltPLANTEDsalt',
    settleAccount: '6222029876543210777',
  }
  const renewed = { desKey: 'RENEWEDdesKEYrenewed0002', saltMd5Key: 'RENEWEDsaltRENEWED' }
  const pem = keyPem()
  const answers: unknown[] = []
  const keep = async <T extends { body: unknown }>(asked: Promise<T>): Promise<T> => {
    const answer = await asked
    answers.push(answer.body)
    return answer
  }
  const { body } = await keep(create({ provider: 'AGGREGATOR', ...planted }))
  const { id, systemId } = body
  await keep(create({ provider: 'AGGREGATOR', ...planted, systemId }))
  await keep(create({ provider: 'AGGREGATOR', ...planted, userName: '' }))
  await keep(create(alipayOf({ privateKey: pem, mchId: '2088000000000009', channelKey: 'x' })))
  await keep(verify(id))
  const edit = {
    ...{ merchantName: '植入', systemId: `${systemId}-2`, userName: '乙', provider: 'AGGREGATOR' },
    settleBank: '招商银行',
  }
  await keep(world.call(paymentConfigs.update, { ...(await at(id)), ...edit }, as()))
  await keep(world.call(paymentConfigs.secrets, { ...(await at(id)), ...renewed }, as()))
  await keep(world.call(paymentConfigs.list, { pageSize: 200 }, as()))
  await keep(world.call(paymentChannels.options, {}, as()))
  for (const path of ['/finance-payment-list', `/finance-edit-payment?id=${id}&userName=丙`])
    answers.push(
      (
        await world.http.inject({
          url: path,
          headers: { authorization: token.ROLE_FULL as string },
        })
      ).json(),
    )
  const columns = ['merchantName', 'systemId', 'provider', 'settleTail', 'state']
  const asked = { endpoint: '/api/finance/payment-configs', query: {} }
  for (const name of ['desKey', 'keys', 'saltMd5Key'])
    expect(
      (await keep(world.call(jobs.export, { ...asked, columns: [...columns, name] }, as()))).status,
    ).toBe(400)
  const exported = await keep(world.call(jobs.export, { ...asked, columns }, as()))
  expect(exported.status).toBe(200)
  for (const kind of ['quick', 'large'] as const)
    await runDue(world.app, exportKind(world.app, kind))
  const file = await world.http.inject({
    url: `/api/jobs/${exported.body.id}/file`,
    headers: { authorization: token.ROLE_FULL as string },
  })
  expect(file.statusCode).toBe(200)
  const { sheets } = await readXlsx(file.rawPayload)
  expect(JSON.stringify(sheets)).toContain('植入')
  answers.push(sheets)
  const tables = await world.sql<{ name: string }>(
    `select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE'`,
  )
  const rows = await Promise.all(
    tables.map(({ name }) =>
      world.sql<{ text: string }>(
        `select coalesce(string_agg(t::text, ' '), '') as text from ${name} t`,
      ),
    ),
  )
  const all = JSON.stringify(answers) + rows.map(([one]) => one?.text).join(' ')
  expect(all.includes('植入')).toBe(true)
  const secrets = [...Object.values(planted), ...Object.values(renewed), pem.slice(40, 80)]
  for (const secret of secrets) {
    expect(all.includes(secret), secret).toBe(false)
    expect(all.includes(Buffer.from(secret).toString('hex')), secret).toBe(false)
  }
  // and yet they are there, for what signs with them
  const [kept] = await world.sql<{ secrets: Buffer; systemId: string }>(
    `select secrets, system_id as "systemId" from payment_configs where id = $1`,
    [id],
  )
  const place = { provider: 'AGGREGATOR', mchId: '', appId: '' }
  expect(
    openKeys(world.app, { ...place, systemId: kept?.systemId ?? '' }, kept?.secrets as Buffer),
  ).toMatchObject(renewed)
  const diffs = await world.sql<{ after: Record<string, unknown> }>(
    `select after from operation_logs where action = 'paymentConfigs.secrets'
      and resource_id = $1`,
    [String(id)],
  )
  expect(diffs[0]?.after.renewed).toEqual(['desKey', 'saltMd5Key'])
})

test('others see nothing, and after all of it the books agree', async () => {
  const { body } = await create()
  const sibling = rowId('SIBLING', 1)
  for (const endpoint of [paymentConfigs.test, paymentConfigs.stop, paymentConfigs.remove])
    expect((await world.call(endpoint, { id: sibling, version: 1 }, as())).status).toBe(404)
  expect((await world.call(paymentConfigs.uses, { id: sibling }, as())).status).toBe(404)
  expect((await create({ orgId: 4 })).status).toBe(404)
  expect(
    (await world.call(paymentConfigs.list, { id: body.id }, as('PLATFORM_FULL'))).body.total,
  ).toBe(1)
  expect(await checkInvariants(world.ownerUrl)).toEqual([])
})
