import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Told } from '../../../../test/support/payChannels/kit.ts'
import { openWechatPay } from '../../../../test/support/payChannels/wechatPay.ts'
import { openWorld, rowId, type World, worldNow } from '../../../../test/support/world.ts'
import { checkInvariants } from '../../../server/invariants.ts'
import { runDue } from '../../../server/work.ts'
import { suspenseIn, suspenseOut } from '../../ledger/rules.ts'
import { post } from '../../ledger/server/post.ts'
import { orders } from '../../orders/contract.ts'
import { configsChanged } from '../../payment-channels/server/configs.ts'
import { payments } from '../../payments/contract.ts'
import { checkKind } from '../../payments/server/checks.ts'
import { stores } from '../../stores/contract.ts'
import { paymentConfigs } from '../contract.ts'

/** Whoever may write keys must not be believed: a channel has to answer to them first. */
let world: World
let channel: Awaited<ReturnType<typeof openWechatPay>>
let own: string
let sibling: string
const clock = { now: worldNow }
beforeAll(async () => {
  channel = await openWechatPay(() => clock.now)
  world = await openWorld({ now: () => clock.now, config: { WECHAT_PAY_BASE: channel.base } })
  own = await world.login('ROLE_FULL')
  // enters merchants of organisation 4
  sibling = await world.login('PLATFORM_FULL')
})
afterAll(async () => {
  await world?.close()
  channel?.close()
})

const pemOf = (key: KeyObject) =>
  key.export({ type: key.type === 'private' ? 'pkcs8' : 'spki', format: 'pem' }) as string
const pair = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
function certificateOf(privateKey: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'huodao-cert-'))
  writeFileSync(join(folder, 'key'), privateKey)
  const serial = ['-set_serial', '0x5157F09EFDC096DE', '-subj', '/CN=1900000109', '-days', '365']
  const files = ['-key', join(folder, 'key'), '-out', join(folder, 'cert')]
  execFileSync('openssl', ['req', '-x509', '-new', ...files, ...serial])
  const pem = readFileSync(join(folder, 'cert'), 'utf8')
  rmSync(folder, { recursive: true })
  return pem
}
const merchant = () => channel.merchant as Record<string, string>
let numbers = 0
const given = (change: object = {}) => {
  const { mchId, appId, apiV3Key, privateKey } = merchant()
  numbers += 1
  return {
    ...{ orgId: 3, merchantName: '小园零售', systemId: `W-${numbers}`, userName: 'xy' },
    ...{ provider: 'WECHAT', mchId, appId, apiV3Key, privateKey },
    ...{ certificate: certificateOf(privateKey as string), ...change },
  }
}
const create = (change: object = {}, token = own) =>
  world.call(paymentConfigs.create, given(change), { token })
const row = async (id: number, token = own) =>
  (await world.call(paymentConfigs.list, { id }, { token })).body.list[0]
const act = async (
  verb: 'test' | 'stop' | 'start' | 'secrets' | 'remove',
  id: number,
  more: object = {},
  token = own,
) => {
  const { version } = await row(id, token)
  const answer = await world.call(paymentConfigs[verb], { id, version, ...more } as never, {
    token,
  })
  configsChanged(world.app)
  return answer
}
const order = async () => {
  const clientId = randomUUID()
  const made = await world.call(orders.mobileOrder, {
    ...{ rtuNumber: 'OWN0001', items: [{ roadIndex: 1, count: 1, price: 250 }] },
    ...{ payType: 'WECHAT', clientId },
  })
  return { ...made, clientId }
}
const tell = async (told: Told) => {
  const { url, headers, body } = told
  const answer = await world.http.inject({ method: 'POST', url, headers, payload: body })
  return answer.statusCode
}
const paid = async (outTradeNo: string) =>
  (
    await world.sql<{ state: string }>('select state from payments where out_trade_no = $1', [
      outTradeNo,
    ])
  )[0]?.state

/** A split and a return that nobody asks any more; answers whether they are asked again. */
async function givenUp(id: number) {
  const given = [id, worldNow]
  await world.sql(
    `insert into split_requests (org_id, device_id, order_id, kind, request_no, config_id, created_at)
      values (3, ${rowId('OWN', 1)}, 987650, 'RELEASE', 'WAKE-F', $1, $2)`,
    given,
  )
  await world.sql(
    `insert into split_returns (org_id, device_id, split_id, party_no, party_org_id, refund_no,
        return_no, config_id, amount, state, created_at)
      select 3, ${rowId('OWN', 1)}, split_id, party_no, 3, 'WAKE', 'WAKER1', $1, 1, 'SENDING', $2
      from split_shares where org_id = 3 limit 1`,
    given,
  )
  return async () =>
    (
      await world.sql<{ due: boolean }>(
        `select next_at is not null as due from split_requests where request_no = 'WAKE-F'
          union all select next_at is not null from split_returns where return_no = 'WAKER1'`,
      )
    ).map(({ due }) => due)
}

test('keys of which the channel knows nothing sell nothing and credit nothing; what is under way waits', async () => {
  const { body } = await create()
  const { id } = body
  expect((await act('test', id)).body.state).toBe('ACTIVE')
  const bought = await order()
  expect(bought.status, JSON.stringify(bought.body)).toBe(200)
  const { orderNum, outTradeNo } = bought.body
  const code = { orderNum, clientId: bought.clientId }
  expect((await world.call(payments.prepay, code)).status).toBe(200)
  // he writes a key of his own, and signs with it that it was paid
  const his = pair()
  const forged = { id: 'PUB_KEY_ID_0119999999992026', key: pemOf(his.publicKey) }
  const renewed = await act('secrets', id, { channelKeyId: forged.id, channelKey: forged.key })
  expect([renewed.status, renewed.body.state]).toEqual([200, 'ERROR'])
  expect((await order()).body.message).toBe('商户已停止收款，暂时无法购买')
  const trade = channel.trades.get(outTradeNo)
  if (!trade) throw new Error('not at the channel')
  const lie = () =>
    channel.notice(
      id,
      { ...trade, state: 'PAID' },
      { by: his.privateKey, serial: forged.id, eventId: randomUUID() },
    )
  expect([await tell(lie()), await paid(outTradeNo)]).toEqual([503, 'PENDING'])
  // nor is one of it verified with an answer that another key signed
  const tried = await act('test', id)
  expect([tried.body.state, tried.body.testSteps.at(-1)]).toMatchObject([
    'ERROR',
    { step: 'CHANNEL_KEY', ok: false },
  ])
  expect([await tell(lie()), await paid(outTradeNo)]).toEqual([503, 'PENDING'])
  // somebody pays meanwhile: neither the notice nor the question counts, and neither is lost
  channel.pay(outTradeNo)
  expect(await tell(channel.notice(id, trade))).toBe(503)
  clock.now = new Date(clock.now.getTime() + 30_000)
  await runDue(world.app, checkKind(world.app))
  expect(await paid(outTradeNo)).toBe('PENDING')
  // nor do shares, which were given up meanwhile
  const waits = await givenUp(id)
  expect(await waits()).toEqual([false, false])
  const right = { channelKeyId: channel.publicKey.id, channelKey: channel.publicKey.pem }
  expect((await act('secrets', id, right)).body.state).toBe('ERROR')
  expect((await act('test', id)).body.state).toBe('ACTIVE')
  await expect.poll(waits).toEqual([true, true])
  await world.sql(`delete from split_requests where request_no = 'WAKE-F'`)
  await world.sql(`delete from split_returns where return_no = 'WAKER1'`)
  await runDue(world.app, checkKind(world.app))
  expect(await paid(outTradeNo)).toBe('SUCCESS')
  expect(await tell(lie())).toBe(403)
  const [{ keys } = { keys: {} }] = await world.sql<{ keys: object }>(
    'select channel_keys as keys from payment_configs where id = $1',
    [id],
  )
  expect(Object.keys(keys)).toEqual([channel.publicKey.id])
})

test('stopped and started it sells nothing until it was verified; one that never was is not stopped', async () => {
  const {
    body: {
      list: [{ id }],
    },
  } = await world.call(paymentConfigs.list, { provider: 'WECHAT', state: 'ACTIVE' }, { token: own })
  await act('stop', id)
  expect((await act('start', id)).body.state).toBe('ERROR')
  // not to the merchant above it
  expect((await order()).body.message).toBe('商户已停止收款，暂时无法购买')
  expect((await act('test', id)).body.state).toBe('ACTIVE')
  const never = await create({ provider: 'SIMULATOR', mchId: '', appId: '', ...noKeys })
  expect((await act('stop', never.body.id)).body.message).toBe('当前状态不能执行该操作')
})
const noKeys = { apiV3Key: undefined, privateKey: undefined, certificate: undefined }

test('a stranger keeps nobody from his merchant, and verifies none that is of somebody else', async () => {
  const squat = pemOf(pair().privateKey)
  const other = { orgId: 4, mchId: '1900000777', appId: 'wx00000000000777' }
  const stranger = await create(
    { ...other, privateKey: squat, certificate: certificateOf(squat) },
    sibling,
  )
  expect(stranger.status, JSON.stringify(stranger.body)).toBe(200)
  expect((await create({ ...other, orgId: 3 })).status).toBe(200)
  expect((await create({ ...other, orgId: 3 })).body.errors[0]).toEqual({
    field: 'mchId',
    message: '该商户号已存在',
  })
  // with the right keys of a merchant that is verified elsewhere
  const second = await create({ orgId: 4 }, sibling)
  expect(second.status).toBe(200)
  const refused = await act('test', second.body.id, {}, sibling)
  expect(refused.body.error).toBe('paymentConfigs.verifiedElsewhere')
  expect((await row(second.body.id, sibling)).state).toBe('UNTESTED')
  // nor is a number of somebody else taken by editing one that was verified
  const mine = await world.call(
    paymentConfigs.list,
    { provider: 'WECHAT', state: 'ACTIVE' },
    { token: own },
  )
  expect(mine.body.total).toBe(1)
})

test('where a store is paid moves whoever may move money, proven, and to one that is verified', async () => {
  const simulator = await create({ provider: 'SIMULATOR', mchId: '', appId: '', ...noKeys })
  const { id } = simulator.body
  const hang = (
    paymentConfigId: number | null,
    token = own,
    storeName = randomUUID().slice(0, 8),
  ) => world.call(stores.create, { storeName, orgId: 3, paymentConfigId }, { token })
  expect((await hang(id)).body.message).toBe('收款配置未通过验证或已停用')
  await act('test', id)
  const unproven = await world.login('ROLE_FULL', { proven_at: null })
  expect((await hang(id, unproven)).body.error).toBe('common.proofNeeded')
  const store = await hang(id)
  expect([store.status, store.body.paymentConfigId]).toEqual([200, id])
  await world.sql(`insert into role_permissions (role_id, permission_code)
    select r.id, c.code from roles r, unnest('{store:create,store:update}'::text[]) c(code)
    where r.code = 'ROLE_RTU_SP'`)
  const seller = await world.login('ROLE_RTU_SP')
  expect((await hang(null, seller)).status).toBe(200)
  expect((await hang(id, seller)).status).toBe(403)
  const edit = (change: object, token: string) =>
    world.call(
      stores.update,
      {
        ...{ id: store.body.id, version: store.body.version, storeName: '改名' },
        ...{ paymentConfigId: id, ...change },
      },
      { token },
    )
  // neither elsewhere, nor to the merchant above
  expect((await edit({ paymentConfigId: null }, seller)).status).toBe(403)
  expect((await edit({}, seller)).body.storeName).toBe('改名')
  // nor does it go while money in suspense lies with it
  const of = { orgId: 3, orderId: null, orderNum: null, configId: id }
  await world.system(async (ctx) => post(ctx, [suspenseIn('walls', 100, of)]))
  expect((await act('remove', id)).status).toBe(409)
  await world.system(async (ctx) => post(ctx, [suspenseOut('walls', 100, of)]))
  expect((await act('remove', id)).status).toBe(200)
})

test('after all of it the books agree', async () => {
  expect(rowId('OWN', 1)).toBeGreaterThan(0)
  expect(await checkInvariants(world.ownerUrl)).toEqual([])
})

test('of a version that is not there yet nothing is tried: a change meanwhile would be verified with it', async () => {
  const { body } = await create({ appId: 'wx0000000000000009' })
  const at = await row(body.id)
  const asked = channel.calls.length
  const ahead = { id: body.id, version: at.version + 1 }
  const answer = await world.call(paymentConfigs.test, ahead, { token: own })
  expect([answer.body.error, channel.calls.length]).toEqual(['common.stale', asked])
})
