import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { channelSales } from '../../../../test/support/channelSales.ts'
import { openAlipay } from '../../../../test/support/payChannels/alipay.ts'
import type { Fault, StandIn } from '../../../../test/support/payChannels/kit.ts'
import { openWechatPay } from '../../../../test/support/payChannels/wechatPay.ts'
import { splitSales } from '../../../../test/support/splitSales.ts'
import { openWorld, restock, rowId, type World, worldNow } from '../../../../test/support/world.ts'
import { checkInvariants } from '../../../server/invariants.ts'
import { bySystem } from '../../../server/run.ts'
import { runDue } from '../../../server/work.ts'
import { notYetOf } from '../../ledger/server/owed.ts'
import { orders } from '../../orders/contract.ts'
import { refundKind } from '../../orders/server/refunds.ts'
import { recordVend, takeCommands } from '../../orders/server/vend.ts'
import { configsChanged } from '../../payment-channels/server/configs.ts'
import { enterMerchant } from '../../payment-channels/server/merchants.ts'
import { payments } from '../../payments/contract.ts'
import { providers } from '../../payments/server/providers.ts'
import { receiverKind } from '../../split-receivers/server/jobs.ts'
import { accrue } from './accrue.ts'
import { returnKind } from './returns.ts'
import { beginDue, releaseDue, splitKind } from './send.ts'

/** Shares through channels that misbehave: each party is paid once, and gives back once. */
type Name = 'WECHAT' | 'ALIPAY'
const names: Name[] = ['WECHAT', 'ALIPAY']
const accounts = {
  WECHAT: { 1: '1900000101', 2: '1900000102' },
  ALIPAY: { 1: '2088101126765701', 2: '2088101126765702' },
} as const
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
  await world.sql('delete from split_debts')
  await splitSales(world, 'OWN')
  for (const name of names) {
    // the operator's own: what it collects is no money of the platform
    ids[name] = await enterMerchant(world.app, { orgId: 3, ...channels[name].merchant })
    configsChanged(world.app)
    await channelSales(world, { configId: ids[name], accounts: accounts[name], orgId: 3 })
  }
  await world.sql(
    `update split_receivers set state = 'NEW', next_at = $1
    where config_id is not null`,
    [clock.now],
  )
  // the first question brings the keys that names are sealed with
  for (let i = 0; i < 3; i += 1) {
    await runDue(world.app, receiverKind(world.app))
    pass(60)
  }
})
afterAll(async () => {
  await world?.close()
  for (const name of names) channels?.[name].close()
})
beforeEach(async () => {
  await restock(world, rowId('OWN', 1), 5)
  for (const name of names) {
    channels[name].calls.length = 0
    const { shares } = channels[name]
    for (const some of [shares.refusing, shares.broke, shares.unwilling]) some.clear()
    shares.late = false
  }
})

/** The strategy is for this merchant. */
async function at(name: Name): Promise<void> {
  await world.sql('alter table split_strategy_versions disable trigger keep')
  await world.sql(`update split_strategy_versions set config_id = $2 where id = $1`, [
    ...[rowId('OWN', 1), ids[name]],
  ])
  await world.sql('alter table split_strategy_versions enable trigger keep')
}
/** Paid, given out, shared out, due and on its way. */
async function begun(name: Name): Promise<string> {
  await at(name)
  const clientId = randomUUID()
  const made = await world.call(orders.mobileOrder, {
    rtuNumber: 'OWN0001',
    items: [{ roadIndex: 1, count: 1, price: 250 }],
    payType: name,
    clientId,
  })
  expect(made.status, JSON.stringify(made.body)).toBe(200)
  const { orderNum, outTradeNo } = made.body
  expect((await world.call(payments.prepay, { orderNum, clientId })).status).toBe(200)
  expect(channels[name].shares.frozen.has(outTradeNo)).toBe(true)
  const told = channels[name].notice(ids[name], channels[name].pay(outTradeNo))
  const { url, headers, body } = told
  await world.http.inject({ method: 'POST', url, headers, payload: body })
  for (const { deviceId, cmdId } of await takeCommands(world.app, [rowId('OWN', 1)]))
    await world.system((ctx) =>
      recordVend(ctx, [
        {
          ...{ kind: 'result', deviceId, cmdId, result: 'OK', dropDetected: true },
          ...{ durationMs: 900, at: clock.now },
        },
      ]),
    )
  await accrue(world.app)
  pass(3601)
  expect(await beginDue(world.app)).toBe(1)
  return orderNum
}
const send = () => runDue(world.app, splitKind(world.app))
const goBack = () => runDue(world.app, returnKind(world.app))
const state = async (orderNum: string) =>
  (
    await world.sql<{ state: string }>(`select state from split_orders where order_num = $1`, [
      orderNum,
    ])
  )[0]?.state
async function settle(orderNum: string, work = send, from = 'SPLITTING') {
  for (let i = 0; i < 6 && (await state(orderNum)) === from; i += 1) {
    await work()
    pass(3601)
  }
  return state(orderNum)
}
async function refund(orderNum: string): Promise<void> {
  const [unit] = await world.sql<{ id: number }>(
    `select id::int from order_units where order_num = $1`,
    [orderNum],
  )
  const answer = await world.call(
    orders.refund,
    { orderNum, unitIds: [unit?.id], reason: 'OTHER', remark: '测试' },
    { token: await world.login('ROLE_FULL') },
  )
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  while (await runDue(world.app, refundKind(world.app, providers(world.app))));
  await accrue(world.app)
}
const booked = async (orderNum: string, type: string) =>
  (
    await world.sql<{ line: string }>(
      `select a.org_id || ' ' || a.code || ' ' || e.amount as line from ledger_entries e
      join ledger_accounts a on a.id = e.account_id
      where e.order_num = $1 and e.voucher_type = $2 order by e.voucher_id, e.amount desc`,
      [orderNum, type],
    )
  ).map(({ line }) => line)
/** What of the agent's money the platform keeps from it. */
const heldBack = () => world.system((ctx) => notYetOf(ctx, 2))
/** What was sent to the platform and the agent: what rounding leaves goes from sale to sale. */
const given = async (orderNum: string) =>
  (
    await world.sql<{ given: number }>(
      `select h.sent::int as given from split_shares h join split_orders s on s.id = h.split_id
      where s.order_num = $1 and not h.is_collector order by h.party_no`,
      [orderNum],
    )
  ).map((row) => row.given) as [number, number]

test.each(names)('%s: receivers are registered with their sealed names', (name) => {
  expect([...channels[name].shares.receivers].sort()).toEqual(
    Object.values(accounts[name])
      .sort()
      .map((account) => [account, { name: '公司', relation: name === 'WECHAT' ? 'PARTNER' : '' }]),
  )
})

test('what a channel paid is no longer withheld for a merchant that collected it', async () => {
  const [own] = await world.sql<{ sum: number }>(
    `select coalesce(sum(share), 0)::int as sum from bill_shares b
      join payment_configs c on c.id = b.config_id and c.org_id = 3
      where b.org_id = 2 and b.grain = 'MONTH'`,
  )
  const notYet = () => bySystem(world.app, (ctx) => notYetOf(ctx, 2))
  const before = await notYet()
  const orderNum = await begun('WECHAT')
  expect(await notYet()).toBe(before + 25)
  await settle(orderNum)
  expect(await given(orderNum)).toMatchObject([expect.any(Number), 25])
  expect([own?.sum, await notYet()]).toEqual([0, before])
})

/** A process that asks the channel and is killed when the channel has done it. */
function killedAt(call: 'split' | 'return'): Promise<unknown[]> {
  const { WECHAT } = channels
  const { ownerUrl, app } = world
  const of = [ownerUrl, app.config.dataDir, WECHAT.base, call, clock.now.toISOString()]
  const child = spawn(process.execPath, ['test/support/splitProcess.ts', ...of], {
    stdio: 'inherit',
  })
  WECHAT.misbehave(call, { how: 'DONE_THEN', act: () => void child.kill('SIGKILL') })
  return new Promise((resolve) => child.on('exit', (...end) => resolve(end)))
}

test.each(['split', 'return'] as const)(
  'killed when the channel did a %s: it is done once, and booked once',
  async (call) => {
    const [work, before] =
      call === 'split' ? ([send, 'SPLITTING'] as const) : ([goBack, 'RETURNING'] as const)
    const orderNum = await begun('WECHAT')
    if (call === 'return') {
      await settle(orderNum)
      await refund(orderNum)
    }
    expect(await killedAt(call)).toEqual([null, 'SIGKILL'])
    // nobody has written it, and its lease still runs
    expect([await work(), await state(orderNum)]).toEqual([0, before])
    pass(121)
    const after = call === 'split' ? 'DONE' : 'RETURNED'
    expect(await settle(orderNum, work, before)).toBe(after)
    const [platform, agent] = await given(orderNum)
    expect(await booked(orderNum, 'V4')).toHaveLength(4)
    const { splits, returns } = channels.WECHAT.shares
    const sum = (some: { amount: number }[]) => some.reduce((all, { amount }) => all + amount, 0)
    const ours = [...splits].filter(([no]) => no.startsWith(orderNum))
    expect(ours.map(([, { parts }]) => sum(parts))).toEqual([platform + agent])
    const back = [...returns].filter(([no]) => no.startsWith(orderNum)).map(([, one]) => one)
    expect(sum(back)).toBe(call === 'split' ? 0 : platform + agent)
  },
  30_000,
)

const common: Fault[] = [
  ...[{ how: 'DIES' as const }, { how: 'DONE_AND_DIES' as const }, { how: 'HALF' as const }],
  ...[{ how: 'UNSIGNED' as const }, { how: 'WRONG_KEY' as const }, { how: 'OTHER' as const }],
]
const faults: [Name, string, Fault][] = names.flatMap((name) => [
  ...common.map((fault): [Name, string, Fault] => [name, 'split', fault]),
  ...common.slice(2).map((fault): [Name, string, Fault] => [name, 'splitQuery', fault]),
  [name, 'split', { how: 'CODE', code: 'NOBODY_KNOWS_THIS' }],
])
test.each(faults)('%s, %s, %j: each party is paid once', async (name, call, fault) => {
  const held = await heldBack()
  const orderNum = await begun(name)
  channels[name].misbehave(call, fault)
  expect(await settle(orderNum)).toBe('DONE')
  // what the agent's merchant paid him takes nothing of what the platform owes him
  expect(await heldBack()).toBe(held)
  const [one, two] = await given(orderNum)
  expect(channels[name].shares.splits.get(`${orderNum}-S1`)?.parts).toEqual([
    { account: accounts[name][1], amount: one, state: 'PAID' },
    { account: accounts[name][2], amount: two, state: 'PAID' },
  ])
  expect(await booked(orderNum, 'V4')).toEqual([
    ...[`1 2002 ${one}`, `3 1001 -${one}`, `2 2002 ${two}`, `3 1001 -${two}`],
  ])
})

test.each(names)(
  '%s: late is asked after, a refused receiver is named, the rest is let go',
  async (name) => {
    channels[name].shares.late = true
    channels[name].shares.refusing.add(accounts[name][2])
    const orderNum = await begun(name)
    await send()
    expect(await state(orderNum)).toBe('SPLITTING')
    expect(await settle(orderNum)).toBe('PARTIAL')
    const [share] = await world.sql<{ why: string }>(
      `select h.fail_reason as why from split_shares h join split_orders s on s.id = h.split_id
      where s.order_num = $1 and h.state = 'FAILED'`,
      [orderNum],
    )
    expect(share?.why).toContain('ACCOUNT_ABNORMAL')
    await world.sql(
      `update split_orders set state = 'DONE', done_at = now() where order_num = $1`,
      [orderNum],
    )
    await releaseDue(world.app)
    while (await send());
    const kept = channels[name].shares
    expect([...kept.released.values()]).toContain(`${orderNum}-F`)
  },
)

test.each(names)('%s refuses for good: nothing was paid under the number', async (name) => {
  const orderNum = await begun(name)
  channels[name].misbehave('split', {
    how: 'CODE',
    code: name === 'WECHAT' ? 'RULE_LIMIT' : 'ACQ.ALLOC_AMOUNT_VALIDATE_ERROR',
  })
  expect(await settle(orderNum)).toBe('PARTIAL')
  expect(await booked(orderNum, 'V4')).toEqual([])
})

const backs: [Name, string, Fault | null][] = [
  ...common.map((fault): [Name, string, Fault] => ['WECHAT', 'return', fault]),
  ...common.slice(2).map((fault): [Name, string, Fault] => ['WECHAT', 'returnQuery', fault]),
  ['WECHAT', 'return', { how: 'CODE', code: 'NOT_ENOUGH' }],
  ['ALIPAY', 'refundQuery', null],
]
test.each(backs)('%s, %s, %j: shares come back once', async (name, call, fault) => {
  const orderNum = await begun(name)
  expect(await settle(orderNum)).toBe('DONE')
  await refund(orderNum)
  expect(await state(orderNum)).toBe('RETURNING')
  if (fault) channels[name].misbehave(call, fault)
  expect(await settle(orderNum, goBack, 'RETURNING')).toBe('RETURNED')
  const [one, two] = await given(orderNum)
  expect((await booked(orderNum, 'V7b')).sort()).toEqual(
    [`3 1001 ${one}`, `1 1101 -${one}`, `3 1001 ${two}`, `2 1101 -${two}`].sort(),
  )
  const came = [...channels[name].shares.returns].filter(([key]) => key.startsWith(orderNum))
  expect(came).toHaveLength(2)
})

test.each(names)(
  '%s: who lets nothing be taken back owes it; the buyer has his money',
  async (name) => {
    const orderNum = await begun(name)
    expect(await settle(orderNum)).toBe('DONE')
    channels[name].shares.unwilling.add(accounts[name][2])
    await refund(orderNum)
    const [money] = await world.sql<{ state: string }>(
      `select state from refunds where order_num = $1`,
      [orderNum],
    )
    expect(money?.state).toBe('SUCCESS')
    expect(await settle(orderNum, goBack, 'RETURNING')).toBe('RETURNED')
    const returns = await world.sql<{ party: number; amount: number; state: string }>(
      `select party_org_id::int as party, amount::int, r.state from split_returns r
      join split_orders s on s.id = r.split_id where s.order_num = $1`,
      [orderNum],
    )
    const [, two] = await given(orderNum)
    expect(returns).toContainEqual({ party: 2, amount: two, state: 'DEBT' })
    // beside what it paid of an older debt
    const [debt] = await world.sql<{ amount: number }>(
      `select amount::int from split_debts where order_num = $1 and party_org_id = 2`,
      [orderNum],
    )
    expect(debt?.amount).toBeGreaterThanOrEqual(two)
  },
)

test('all of it adds up', async () => {
  expect(await checkInvariants(world.ownerUrl)).toEqual([])
})
