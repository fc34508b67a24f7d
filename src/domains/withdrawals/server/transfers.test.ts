import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openAlipay } from '../../../../test/support/payChannels/alipay.ts'
import type { Fault, StandIn } from '../../../../test/support/payChannels/kit.ts'
import { openWechatPay } from '../../../../test/support/payChannels/wechatPay.ts'
import { openWorld, place, rowId, type World, worldNow } from '../../../../test/support/world.ts'
import { runDue } from '../../../server/work.ts'
import { post } from '../../ledger/server/post.ts'
import { configsChanged } from '../../payment-channels/server/configs.ts'
import { enterMerchant } from '../../payment-channels/server/merchants.ts'
import { sealAccount } from '../../payout-accounts/server/accounts.ts'
import { withdrawals } from '../contract.ts'
import { setAside } from '../rules.ts'
import { transferKind } from './pay.ts'

/** Transfers through channels that misbehave: paid once, or proved not to be. */
type Name = 'WECHAT' | 'ALIPAY'
const names: Name[] = ['WECHAT', 'ALIPAY']
const account = { WECHAT: 'oUpF8uMuAJO_M2pxb1Q9zNjWeS6o', ALIPAY: 'boss@example.com' }
const orgId = place.OWN
let world: World
let channels: Record<Name, StandIn>
const ids = {} as Record<Name, number>
const clock = { now: worldNow }
const pass = (seconds: number) => {
  clock.now = new Date(clock.now.getTime() + seconds * 1000)
}

beforeAll(async () => {
  channels = {
    WECHAT: await openWechatPay(() => clock.now),
    ALIPAY: await openAlipay(() => clock.now),
  }
  world = await openWorld({
    now: () => clock.now,
    config: {
      WECHAT_PAY_BASE: channels.WECHAT.base,
      ALIPAY_GATEWAY: `${channels.ALIPAY.base}/gateway.do`,
    },
  })
  for (const name of names)
    ids[name] = await enterMerchant(world.app, { orgId: 1, ...channels[name].merchant })
  configsChanged(world.app)
})
afterAll(async () => {
  await world?.close()
  for (const name of names) channels?.[name].close()
})
beforeEach(async () => {
  await world.sql('delete from withdrawals where org_id = $1', [orgId])
  for (const name of names) {
    channels[name].calls.length = 0
    channels[name].transfersAre('SUCCESS')
  }
})

let count = 0
/** Agreed to, with its money set aside. */
async function agreed(name: Name, amount = 3000): Promise<string> {
  count += 1
  const no = `TX20261121${String(count).padStart(8, '0')}`
  const sealed = sealAccount(world.app, { orgId, method: name }, account[name])
  await world.sql(
    `insert into withdrawals (org_id, withdrawal_no, amount, account_id, method, holder, bank_name,
      account, account_no, state, requested_by, requested_at, approved_by, provider, config_id,
      next_at)
    select $1, $2, $3, $4, $5, '机构OWN', '', $6, '****', 'APPROVED', $4,
      $7::timestamptz, u.id, $5, $8, $7::timestamptz from users u where u.username = 'ROLE_ADMIN'`,
    [orgId, no, amount, rowId('OWN', 1), name, sealed, clock.now, ids[name]],
  )
  await world.system(async (ctx) =>
    post(ctx, [
      {
        ...{ key: `al:${randomUUID()}`, type: 'V3', orgId, orderId: null, orderNum: null },
        configId: null,
        entries: [
          { account: '2001', amount },
          { account: '2002', amount: -amount },
        ],
      },
      setAside({ no, round: 1, orgId, amount }),
    ]),
  )
  return no
}
const work = () => runDue(world.app, transferKind(world.app))
const rowOf = async (no: string) =>
  (
    await world.sql<{ state: string; reason: string; transferNo: string }>(
      `select state, reason, transfer_no as "transferNo" from withdrawals
        where withdrawal_no = $1`,
      [no],
    )
  )[0]
const settle = async (no: string, tries = 8) => {
  for (let i = 0; i < tries; i += 1) {
    await work()
    const row = await rowOf(no)
    if (row?.state === 'PAID' || row?.state === 'FAILED') return row
    pass(3601)
  }
  return rowOf(no)
}
const entries = async (no: string) =>
  (
    await world.sql<{ key: string; org: string; code: string; config: string; amount: string }>(
      `select k.key, a.org_id as org, a.code, a.config_id as config, e.amount
        from ledger_voucher_keys k join ledger_entries e on e.voucher_id = k.voucher_id
        join ledger_accounts a on a.id = e.account_id
        where k.key like 'wd:' || $1 || ':%' and k.key not like '%:apply' order by e.amount desc`,
      [no],
    )
  ).map(({ key, org, code, config, amount }) =>
    [key.split(':').at(-1), org, code, config ?? '-', amount].join(' '),
  )

test.each(names)('%s pays once, to whom it shall, from the money of its merchant', async (name) => {
  const no = await agreed(name)
  expect(await settle(no)).toMatchObject({ state: 'PAID' })
  expect((await rowOf(no))?.transferNo).toMatch(/^(1330|2011)\d+$/)
  expect([...channels[name].transfers.values()].filter((one) => one.no === no)).toEqual([
    { no, amount: 3000, payee: account[name], holder: '机构OWN', state: 'SUCCESS' },
  ])
  expect(await entries(no)).toEqual(['paid 3 2003 - 3000', `paid 1 1001 ${ids[name]} -3000`])
  expect(channels[name].calls.filter((call) => call.startsWith('BAD'))).toEqual([])
})

const common: Fault[] = [
  { how: 'DIES' },
  { how: 'DONE_AND_DIES' },
  { how: 'HALF' },
  { how: 'HTTP', status: 502 },
  { how: 'UNSIGNED' },
  { how: 'WRONG_KEY' },
  { how: 'OTHER' },
  { how: 'HUGE' },
]
const faults: [Name, 'transfer' | 'transferQuery', Fault][] = names.flatMap((name) =>
  (['transfer', 'transferQuery'] as const).flatMap((call) =>
    [
      ...common,
      { how: 'CODE' as const, code: 'SYSTEM_ERROR' },
      { how: 'CODE' as const, code: name === 'WECHAT' ? 'NOT_ENOUGH' : 'PAYER_BALANCE_NOT_ENOUGH' },
      { how: 'CODE' as const, code: 'NOBODY_KNOWS_THIS' },
    ].map((fault): [Name, typeof call, Fault] => [name, call, fault]),
  ),
)
test.each(faults)('%s, %s, %j: paid once', async (name, call, fault) => {
  const no = await agreed(name)
  // none is left for the next case: a question is asked at every try
  channels[name].misbehave(call, ...(call === 'transfer' ? [fault] : [fault, fault]))
  await work()
  expect(['PAYING', 'PAID']).toContain((await rowOf(no))?.state)
  expect(await settle(no)).toMatchObject({ state: 'PAID' })
  expect(channels[name].transfers.get(no)).toMatchObject({ amount: 3000, state: 'SUCCESS' })
  expect(await entries(no)).toHaveLength(2)
})

test.each([
  ['WECHAT', 'ACCEPTED'],
  ['WECHAT', 'PROCESSING'],
  ['WECHAT', 'TRANSFERING'],
  ['ALIPAY', 'DEALING'],
] as const)('%s: what is %s is under way', async (name, state) => {
  const no = await agreed(name)
  channels[name].transfersAre(state)
  await work()
  expect(await rowOf(no)).toMatchObject({ state: 'PAYING' })
  const transfer = channels[name].transfers.get(no)
  if (transfer) transfer.state = 'SUCCESS'
  pass(3601)
  expect(await settle(no)).toMatchObject({ state: 'PAID' })
})

test.each([
  ['WECHAT', 'FAIL'],
  ['WECHAT', 'CANCELLED'],
  ['ALIPAY', 'FAIL'],
  ['ALIPAY', 'CLOSED'],
] as const)('%s: what is %s comes back', async (name, state) => {
  const no = await agreed(name)
  channels[name].transfersAre(state)
  expect(await settle(no)).toMatchObject({ state: 'FAILED' })
  expect(await entries(no)).toEqual(['back 3 2003 - 3000', 'back 3 2002 - -3000'])
})

test.each([
  ['WECHAT', 'PARAM_ERROR'],
  ['WECHAT', 'NO_AUTH'],
  ['ALIPAY', 'PAYEE_NOT_EXIST'],
] as const)('%s refuses by %s: nothing is there, so it comes back', async (name, code) => {
  const no = await agreed(name)
  channels[name].misbehave('transfer', { how: 'CODE', code })
  expect(await settle(no)).toMatchObject({ state: 'FAILED', reason: code })
  expect(await entries(no)).toEqual(['back 3 2003 - 3000', 'back 3 2002 - -3000'])
})

test('a refusal of what was done already is no failure', async () => {
  const no = await agreed('WECHAT')
  // it was done, and the question before it is answered as if it was not
  channels.WECHAT.misbehave('transfer', { how: 'DONE_AND_DIES' })
  await work()
  pass(40)
  channels.WECHAT.misbehave('transferQuery', { how: 'CODE', code: 'NOT_FOUND' })
  channels.WECHAT.misbehave('transfer', { how: 'CODE', code: 'PARAM_ERROR' })
  expect(await settle(no)).toMatchObject({ state: 'PAID' })
  expect(await entries(no)).toHaveLength(2)
})

test('the payee of WeChat has a day; what he did not confirm is taken back first', async () => {
  const no = await agreed('WECHAT')
  channels.WECHAT.transfersAre('WAIT_USER_CONFIRM')
  await work()
  expect(await rowOf(no)).toMatchObject({ state: 'CONFIRMING' })
  pass(86_000)
  await work()
  expect(await rowOf(no)).toMatchObject({ state: 'CONFIRMING' })
  expect(channels.WECHAT.calls).not.toContain('transferCancel')
  pass(500)
  expect(await settle(no)).toMatchObject({ state: 'FAILED' })
  expect(channels.WECHAT.calls).toContain('transferCancel')
  expect(await entries(no)).toEqual(['back 3 2003 - 3000', 'back 3 2002 - -3000'])
})

test('whoever has the code sees what waits for the payee; the last code counts', async () => {
  const finance = await world.login('ROLE_FULL')
  const no = await agreed('WECHAT')
  const [row] = await world.sql<{ id: number }>(
    'select id::int from withdrawals where withdrawal_no = $1',
    [no],
  )
  const id = row?.id ?? 0
  const make = (token = finance) => world.call(withdrawals.confirmCode, { id }, { token })
  expect((await make()).body.error).toBe('withdrawals.wrongState')
  channels.WECHAT.transfersAre('WAIT_USER_CONFIRM')
  // the answer gets lost: what the page asks is said under the same number, and paid once
  channels.WECHAT.misbehave('transfer', { how: 'DONE_AND_DIES' })
  await work()
  pass(40)
  await work()
  const codeOf = async () => new URL((await make()).body.url).searchParams.get('k') ?? ''
  const look = async (code: string) => (await world.call(withdrawals.lookConfirm, { code })).body
  const first = await codeOf()
  const code = await codeOf()
  expect((await look(first)).error).toBe('withdrawals.codeOver')
  expect(await look(code)).toMatchObject({
    ...{ state: 'WAITING', amount: 3000, holder: '机**' },
    pay: { mchId: '1900000109', package: `pkg-${no}` },
  })
  // of others nobody makes one
  expect((await make(await world.login('PLATFORM_FULL'))).body.error).toBe('withdrawals.wrongState')
  const transfer = channels.WECHAT.transfers.get(no)
  if (transfer) transfer.state = 'SUCCESS'
  pass(130)
  await work()
  expect(await look(code)).toMatchObject({ state: 'PAID', pay: null })
  const told = await world.sql<{ title: string }>(
    `select title_zh as title from messages where body_zh like $1 order by id`,
    [`${no}%`],
  )
  expect(told.map(({ title }) => title)).toEqual(['提现待收款人在微信中确认', '提现已到账'])
})

test('a notice wakes whoever asks; its word alone moves nothing', async () => {
  const no = await agreed('WECHAT')
  channels.WECHAT.transfersAre('PROCESSING')
  await work()
  expect(await work()).toBe(0)
  const told = channels.WECHAT.transferNotice?.(ids.WECHAT, no)
  const hear = async () =>
    (
      await world.http.inject({
        method: 'POST',
        url: told?.url ?? '',
        headers: told?.headers ?? {},
        payload: told?.body ?? '',
      })
    ).statusCode
  expect(await hear()).toBe(200)
  await work()
  expect(await rowOf(no)).toMatchObject({ state: 'PAYING' })
  const transfer = channels.WECHAT.transfers.get(no)
  if (transfer) transfer.state = 'SUCCESS'
  expect(await hear()).toBe(200)
  await work()
  expect(await rowOf(no)).toMatchObject({ state: 'PAID' })
})
