import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { openAlipay } from '../../../../test/support/payChannels/alipay.ts'
import { alipayBill } from '../../../../test/support/payChannels/alipayFiles.ts'
import type {
  Change,
  Fault,
  StandIn,
  Told,
  Trade,
} from '../../../../test/support/payChannels/kit.ts'
import { openWechatPay } from '../../../../test/support/payChannels/wechatPay.ts'
import { openWorld, rowId, type World, worldNow } from '../../../../test/support/world.ts'
import { checkInvariants } from '../../../server/invariants.ts'
import { runDue } from '../../../server/work.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { refreshDeviceCounters } from '../../machines/server/counters.ts'
import { orderSupplements } from '../../order-supplements/contract.ts'
import { patience } from '../../order-supplements/server/bills.ts'
import { orders } from '../../orders/contract.ts'
import { refundKind } from '../../orders/server/refunds.ts'
import { closeUnpaid } from '../../orders/server/timers.ts'
import { recordVend, takeCommands } from '../../orders/server/vend.ts'
import { alipayRows, readBill, wechatRows } from '../../payment-channels/server/bills.ts'
import { configsChanged, payeeOf } from '../../payment-channels/server/configs.ts'
import { enterMerchant } from '../../payment-channels/server/merchants.ts'
import { reconciliation } from '../../reconciliation/contract.ts'
import { askForBills, billKind } from '../../reconciliation/server/billRun.ts'
import { reconcileDay, reconcilePart } from '../../reconciliation/server/run.ts'
import { moveStock } from '../../stock/server/move.ts'
import { payments } from '../contract.ts'
import { type Account, keepBill } from './bills.ts'
import { checkKind } from './checks.ts'
import { providers } from './providers.ts'

/**
 * The drivers against channels that misbehave: money counts once, nothing counts on any doubt, and
 * a person sees what does not fit.
 */
type Name = 'WECHAT' | 'ALIPAY'
const names: Name[] = ['WECHAT', 'ALIPAY']
let world: World
let wechat: Awaited<ReturnType<typeof openWechatPay>>
let channels: Record<Name, StandIn>
const ids = {} as Record<Name, number>
const clock = { now: worldNow }
const pass = (seconds: number) => {
  clock.now = new Date(clock.now.getTime() + seconds * 1000)
}

beforeAll(async () => {
  wechat = await openWechatPay(() => clock.now)
  channels = { WECHAT: wechat, ALIPAY: await openAlipay(() => clock.now) }
  world = await openWorld({
    now: () => clock.now,
    config: {
      WECHAT_PAY_BASE: channels.WECHAT.base,
      ALIPAY_GATEWAY: `${channels.ALIPAY.base}/gateway.do`,
    },
  })
  for (const name of names)
    ids[name] = await enterMerchant(world.app, { orgId: 3, ...channels[name].merchant })
  configsChanged(world.app)
})
afterAll(async () => {
  await world?.close()
  for (const name of names) channels?.[name].close()
})
/** The machine gives out what was paid, so that it may sell on. */
async function giveOut(): Promise<void> {
  for (const { deviceId, cmdId } of await takeCommands(world.app, [rowId('OWN', 1)]))
    await world.system((ctx) =>
      recordVend(ctx, [
        {
          kind: 'result',
          deviceId,
          cmdId,
          result: 'OK',
          dropDetected: true,
          durationMs: 900,
          at: clock.now,
        },
      ]),
    )
  await refill()
}
async function refill(): Promise<void> {
  const laneId = rowId('OWN', 1)
  const [lane] = await world.sql<{ quantity: number }>('select quantity from lanes where id = $1', [
    laneId,
  ])
  const change = 8 - Number(lane?.quantity)
  if (change > 0)
    await world.system(async (ctx) => {
      const flow = { change, type: 'MERCHANT_REPLENISH', reason: 'REFILL' } as const
      const by = { occurredAt: clock.now, actorKind: 'USER', actorId: null } as const
      const { deviceIds } = await moveStock(ctx, [{ laneId, flow: { ...flow, ...by } }])
      refreshDeviceCounters(ctx, deviceIds)
    })
}
beforeEach(async () => {
  // what an earlier case left is over
  await giveOut()
  pass(600)
  await world.sql(`update payments set next_at = null where state <> 'SUCCESS'`)
  while ((await closeUnpaid(world.app)) > 0);
  await world.sql('update payments set next_at = null')
  await world.sql('delete from security_events')
  for (const name of names) {
    channels[name].calls.length = 0
    channels[name].refundsAre('SUCCESS')
    Object.assign(channels[name].bill, {
      ...{ rows: [], day: '', ofMerchant: '', broken: false, absent: false, elsewhere: '' },
    })
  }
})

type Made = { orderNum: string; outTradeNo: string; payableAmount: number; clientId: string }
async function order(name: Name, rtuNumber = 'OWN0001'): Promise<Made> {
  const clientId = randomUUID()
  const { status, body } = await world.call(orders.mobileOrder, {
    rtuNumber,
    items: [{ roadIndex: 1, count: 1, price: 250 }],
    payType: name,
    clientId,
  })
  expect(status, JSON.stringify(body)).toBe(200)
  return { ...body, clientId }
}
const prepay = (made: Pick<Made, 'orderNum' | 'clientId'>, more: object = {}) =>
  world.call(payments.prepay, { orderNum: made.orderNum, clientId: made.clientId, ...more })
/** An order whose code was shown. */
async function shown(name: Name): Promise<Made> {
  const made = await order(name)
  expect(await prepay(made)).toMatchObject({ status: 200 })
  return made
}
async function paid(name: Name): Promise<{ made: Made; trade: Trade }> {
  const made = await shown(name)
  const trade = channels[name].pay(made.outTradeNo)
  expect(await tell(channels[name].notice(ids[name], trade))).toBe(200)
  await giveOut()
  return { made, trade }
}
const tell = async ({ url, headers, body }: Told): Promise<number> =>
  (await world.http.inject({ method: 'POST', url, headers, payload: body })).statusCode
const check = () => runDue(world.app, checkKind(world.app)).catch(() => 0)
const refund = () => runDue(world.app, refundKind(world.app, providers(world.app)))

async function state(made: Pick<Made, 'orderNum'>) {
  const [row] = await world.sql<{ pay: string; sums: string | null }>(
    `select pay_state as pay, (select string_agg(code || ' ' || sum, ', ' order by code) from
      (select a.code, sum(e.amount) from ledger_entries e join ledger_accounts a
        on a.id = e.account_id where e.order_num = o.order_num group by 1
        having sum(e.amount) <> 0) x) as sums
    from orders o where order_num = $1`,
    [made.orderNum],
  )
  return `${row?.pay} ${row?.sums ?? ''}`.trim()
}
const counted = 'PAID 1001 248, 2001 -248'
const seen = async () =>
  (
    await world.sql<{ line: string }>(
      `select kind || ' ' || coalesce(detail->>'why', '') as line from security_events order by id`,
    )
  ).map((row) => row.line.trim())
const refunds = (made: Made) =>
  world.sql<{ line: string }>(
    `select state || ' ' || amount as line from refunds where order_num = $1 order by id`,
    [made.orderNum],
  )
const giveBack = async (made: Made) => {
  const { status } = await world.call(
    orders.refund,
    { orderNum: made.orderNum, all: true, reason: 'OTHER', remark: '试' },
    { token: await world.login('ROLE_SUPER_ADMIN', { proven_at: clock.now }) },
  )
  return status
}

test.each(names)('%s: an order is shown, paid by a notice, counted once', async (name) => {
  const made = await order(name)
  expect(
    await world.sql('select provider from payments where order_num = $1', [made.orderNum]),
  ).toEqual([{ provider: name }])
  const answers = await Promise.all([prepay(made), prepay(made), prepay(made)])
  expect(new Set(answers.map((answer) => answer.body.codeUrl)).size).toBe(1)
  expect(answers[0]?.body).toMatchObject({ provider: name, params: null })
  await prepay(made)
  expect(
    channels[name].calls.filter((call) => call === 'prepay'),
    'asked once',
  ).toHaveLength(1)
  const notice = channels[name].notice(ids[name], channels[name].pay(made.outTradeNo))
  const told = await Promise.all(Array.from({ length: 10 }, () => tell(notice)))
  expect(new Set(told)).toEqual(new Set([200]))
  expect([await state(made), await seen()]).toEqual([counted, []])
  expect((await prepay(made)).status).toBe(409)
  expect(channels[name].calls.filter((call) => call.startsWith('BAD'))).toEqual([])
})

test('inside WeChat the page of WeChat pays: its parameters are signed over four lines', async () => {
  const made = await order('WECHAT')
  const { body } = await prepay(made, { openid: 'oUpF8uMuAJO_M2pxb1Q9zNjWeS6o' })
  expect(body.codeUrl).toBeNull()
  expect(body.params).toMatchObject({ appId: 'wxd678efh567hg6787', signType: 'RSA' })
  expect(body.params.package).toMatch(/^prepay_id=wx42000/)
})

test('nobody else gets the code of an order, and a foreign number finds nothing', async () => {
  const made = await order('WECHAT')
  expect((await prepay({ orderNum: made.orderNum, clientId: randomUUID() })).status).toBe(404)
  expect((await prepay({ orderNum: '20260101000000000001', clientId: made.clientId })).status).toBe(
    404,
  )
})

const doubts: [string, Change, Name[], number, string, string[]][] = [
  ['signed with another key', { wrongKey: true }, names, 403, 'UNPAID', ['PAYMENT_FORGED']],
  ['changed on its way', { otherBody: true }, names, 403, 'UNPAID', ['PAYMENT_FORGED']],
  ['an hour old', { secondsAgo: 3600 }, ['WECHAT'], 403, 'UNPAID', ['PAYMENT_FORGED']],
  ['an unknown serial', { serial: 'ABCDEF0123' }, ['WECHAT'], 403, 'UNPAID', ['PAYMENT_FORGED']],
  [
    'a serial every object has',
    { serial: 'constructor' },
    ['WECHAT'],
    403,
    'UNPAID',
    ['PAYMENT_FORGED'],
  ],
  [
    'another merchant',
    { merchant: '1900000999' },
    names,
    200,
    'UNPAID',
    ['PAYMENT_MISMATCH MERCHANT'],
  ],
  ['another app', { app: 'wx0000' }, names, 200, 'UNPAID', ['PAYMENT_MISMATCH MERCHANT']],
  [
    'another amount',
    { amount: 1 },
    names,
    200,
    'UNPAID 1001 1, 2901 -1',
    ['PAYMENT_MISMATCH AMOUNT'],
  ],
  ['not paid yet', { state: 'WAIT_BUYER_PAY' }, ['ALIPAY'], 200, 'UNPAID', []],
  ['not paid yet', { state: 'NOTPAY' }, ['WECHAT'], 200, 'UNPAID', []],
]
test.each(
  doubts.flatMap(([what, change, of, ...rest]) =>
    of.map((name) => [what, name, change, ...rest] as const),
  ),
)(
  'a notice that is %s (%s): nothing is applied, somebody sees it',
  async (_what, name, change, status, after, alarms) => {
    const made = await shown(name)
    const trade = channels[name].pay(made.outTradeNo)
    expect(await tell(channels[name].notice(ids[name], trade, change))).toBe(status)
    expect([await state(made), await seen()]).toEqual([after, alarms])
  },
)

test.each(names)('%s: what is no notice is refused, whatever it is', async (name) => {
  const url = `/pay/${name.toLowerCase()}/notify/${ids[name]}`
  const send = (type: string, body: string) =>
    tell({ url, headers: { 'content-type': type }, body })
  const [json, form] = ['application/json', 'application/x-www-form-urlencoded']
  for (const body of ['', '{}', '[]', 'null', '{"resource":{}}', 'sign=x&sign=y', '%ff=%'])
    expect([body, await send(json, body), await send(form, body)]).toEqual([body, 403, 403])
  expect([
    await send(json, `"${'x'.repeat(20_000)}"`),
    await send(form, 'x'.repeat(400_000)),
  ]).toEqual([413, 413])
  expect(await send('text/plain', 'x')).toBe(403)
  expect(await seen()).toEqual(['PAYMENT_FORGED'])
})
test('ALIPAY: the content type it once wrote is read, too', async () => {
  const made = await shown('ALIPAY')
  const told = channels.ALIPAY.notice(ids.ALIPAY, channels.ALIPAY.pay(made.outTradeNo))
  told.headers['content-type'] = 'application/x-www-form-urlencoded; text/html; charset=UTF-8'
  expect([await tell(told), await state(made)]).toEqual([200, counted])
})

test.each(names)(
  '%s: a notice to another merchant, another channel or nobody is not taken',
  async (name) => {
    const made = await shown(name)
    const trade = channels[name].pay(made.outTradeNo)
    const other = await enterMerchant(world.app, {
      ...channels[name].merchant,
      orgId: 4,
      mchId: name === 'WECHAT' ? '1900000777' : '2088777777777777',
    })
    // its channel signs with the same key
    await world.sql(
      `update payment_configs set channel_keys = (select channel_keys
    from payment_configs where id = $1) where id = $2`,
      [ids[name], other],
    )
    const notice = channels[name].notice(ids[name], trade)
    const merchant = name === 'WECHAT' ? '1900000777' : '2088777777777777'
    const own = channels[name].notice(other, trade, { merchant, eventId: 'own' })
    const { headers, body } = notice
    const path = `/pay/${name.toLowerCase()}/notify`
    const foreign = `/pay/${name === 'WECHAT' ? 'alipay' : 'wechat'}/notify/${ids[name]}`
    expect(await tell({ url: foreign, headers, body })).toBe(404)
    expect(await tell({ url: `${path}/987654321`, headers, body })).toBe(404)
    expect(await tell({ url: `${path}/${other}`, headers, body })).toBe(200)
    expect([await state(made), await seen()]).toEqual(['UNPAID', ['PAYMENT_MISMATCH MERCHANT']])
    // what it signs about itself pays no order of another either, and takes no number away
    expect(await tell(own)).toBe(200)
    expect(await state(made)).toBe('UNPAID')
    expect(await tell(notice)).toBe(200)
    expect(await state(made)).toBe(counted)
    await world.sql('delete from payment_configs where id = $1', [other])
  },
)

test.each(names)(
  '%s: word that never comes is asked for; late word changes nothing more',
  async (name) => {
    const made = await shown(name)
    const trade = channels[name].pay(made.outTradeNo)
    pass(16)
    expect(await check()).toBe(1)
    expect(await state(made)).toBe(counted)
    expect(await tell(channels[name].notice(ids[name], trade))).toBe(200)
    expect([await state(made), await seen(), await check()]).toEqual([counted, [], 0])
  },
)

const answers: Fault[] = [
  { how: 'DIES' },
  { how: 'HTTP', status: 500 },
  { how: 'HTTP', status: 302 },
  { how: 'HALF' },
  { how: 'HUGE' },
  { how: 'UNSIGNED' },
  { how: 'WRONG_KEY' },
  { how: 'OTHER' },
]
test.each(names)('%s: an answer in doubt says nothing; the next one counts', async (name) => {
  const made = await shown(name)
  channels[name].pay(made.outTradeNo)
  // only WeChat Pay says when it signed
  const faults: Fault[] = name === 'WECHAT' ? [...answers, { how: 'OLD' }] : answers
  channels[name].misbehave('query', ...faults)
  for (const fault of faults) {
    await world.sql(`update payments set next_at = $1, attempts = 0 where order_num = $2`, [
      clock.now,
      made.orderNum,
    ])
    await check()
    expect(await state(made), fault.how).toBe('UNPAID')
  }
  pass(10)
  await check()
  expect([await state(made), await seen()]).toEqual([counted, []])
})

test.each(names)('%s: at its end an order is closed there first, then here', async (name) => {
  const made = await shown(name)
  pass(185)
  await closeUnpaid(world.app)
  expect(await state(made), 'waits for its channel').toBe('UNPAID')
  await check()
  expect([channels[name].trades.get(made.outTradeNo)?.state, await state(made)]).toEqual([
    'CLOSED',
    'CLOSED',
  ])
  expect(await check()).toBe(0)
})

test.each(names)(
  '%s: paid at the last moment counts; after the end it goes back once',
  async (name) => {
    const last = await shown(name)
    pass(185)
    channels[name].pay(last.outTradeNo)
    await check()
    expect(await state(last)).toBe(counted)
    const late = await shown(name)
    channels[name].misbehave('query', { how: 'HTTP', status: 503 })
    pass(250)
    await check()
    await closeUnpaid(world.app)
    expect(await state(late), 'a silent channel holds no goods').toBe('CLOSED')
    const trade = channels[name].pay(late.outTradeNo)
    await Promise.all([1, 2, 3].map(() => tell(channels[name].notice(ids[name], trade))))
    pass(120)
    await check()
    await refund()
    expect([await state(late), await refunds(late), await seen()]).toEqual([
      'CLOSED',
      [{ line: 'SUCCESS 250' }],
      ['PAYMENT_LATE CLOSED'],
    ])
    expect(
      [...channels[name].refunds.values()].filter((r) => r.tradeNo === trade.tradeNo),
    ).toHaveLength(1)
  },
)

const otherOf = (name: Name): Name => (name === 'WECHAT' ? 'ALIPAY' : 'WECHAT')
const ways = (made: Made) =>
  world.sql(
    `select provider, state, applied, next_at is null as done from payments
      where order_num = $1 order by id`,
    [made.orderNum],
  )

test.each(names)(
  '%s: who pays with the other channel pays once, and the first way ends at its channel',
  async (name) => {
    const made = await shown(name)
    const other = otherOf(name)
    const asked = await Promise.all([1, 2, 3].map(() => prepay(made, { payType: other })))
    expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200]))
    const outTradeNo = asked[0]?.body.outTradeNo
    expect(asked[0]?.body).toMatchObject({ provider: other })
    expect((await prepay(made, { payType: name })).body.outTradeNo, 'both stay').toBe(
      made.outTradeNo,
    )
    expect(await tell(channels[other].notice(ids[other], channels[other].pay(outTradeNo)))).toBe(
      200,
    )
    expect([await state(made), await seen()]).toEqual([counted, []])
    expect(await world.sql('select pay_type from orders where order_num = $1', [made.orderNum])) //
      .toEqual([{ pay_type: other }])
    await check()
    expect(channels[name].trades.get(made.outTradeNo)?.state).toBe('CLOSED')
    expect(await ways(made)).toEqual([
      { provider: name, state: 'CLOSED', applied: false, done: true },
      { provider: other, state: 'SUCCESS', applied: true, done: true },
    ])
    expect((await prepay(made, { payType: name })).status).toBe(409)
    expect(await checkInvariants(world.ownerUrl)).toEqual([])
  },
)

test.each(names)('%s: paid there and at the other channel: the second goes back', async (name) => {
  const made = await shown(name)
  const other = otherOf(name)
  const { body } = await prepay(made, { payType: other })
  const first = channels[name].pay(made.outTradeNo)
  const second = channels[other].pay(body.outTradeNo)
  const told = [channels[name].notice(ids[name], first), channels[other].notice(ids[other], second)]
  await Promise.all([...told, ...told].map(tell))
  pass(20)
  await check()
  await refund()
  expect([await state(made), await refunds(made), await seen()]).toEqual([
    counted,
    [{ line: 'SUCCESS 250' }],
    ['PAYMENT_DOUBLE TWICE'],
  ])
  expect(channels[name].refunds.size + channels[other].refunds.size).toBeGreaterThan(0)
  expect(
    await world.sql('select kind, state from order_cases where order_num = $1', [made.orderNum]),
  ) //
    .toEqual([{ kind: 'DUPLICATE_PAYMENT', state: 'DONE' }])
  expect(await checkInvariants(world.ownerUrl)).toEqual([])
})

test.each(names)('%s: an order ends when neither channel can be paid any more', async (name) => {
  const made = await shown(name)
  const other = otherOf(name)
  const { body } = await prepay(made, { payType: other })
  pass(185)
  // one channel is silent while the other ends
  channels[name].misbehave('query', { how: 'HTTP', status: 503 })
  await check()
  expect(await state(made)).toBe('UNPAID')
  channels[name].pay(made.outTradeNo)
  pass(30)
  await check()
  expect(await state(made), 'paid at the last moment').toBe(counted)
  expect(channels[other].trades.get(body.outTradeNo)?.state).toBe('CLOSED')
})

test.each(names)(
  '%s: a channel that never says is told to people, and the order ends',
  async (name) => {
    const made = await shown(name)
    channels[name].misbehave('query', ...Array.from({ length: 7 }, (): Fault => ({ how: 'DIES' })))
    for (let n = 0; n < 7; n += 1) {
      pass(3601)
      await check()
    }
    expect([await check(), await seen()]).toEqual([0, ['PAYMENT_CHANNEL CHECK']])
    await closeUnpaid(world.app)
    expect(await state(made)).toBe('CLOSED')
    // what was closed here is closed there as soon as it answers
    expect(channels[name].trades.get(made.outTradeNo)?.state).toBe('OPEN')
    await check()
    expect(channels[name].trades.get(made.outTradeNo)?.state).toBe('CLOSED')
  },
)

const notDone: [string, Fault][] = [
  ['answers 500', { how: 'HTTP', status: 500 }],
  ['says nothing', { how: 'DIES' }],
  ['has done it and says nothing', { how: 'DONE_AND_DIES' }],
  ['has done it and breaks off', { how: 'HALF' }],
  ['has done it, unsigned', { how: 'UNSIGNED' }],
  ['has done it, signed by another', { how: 'WRONG_KEY' }],
]
const busy: Record<Name, string[]> = {
  WECHAT: ['SYSTEM_ERROR', 'FREQUENCY_LIMITED', 'NOT_ENOUGH'],
  ALIPAY: ['ACQ.SYSTEM_ERROR', 'ACQ.SELLER_BALANCE_NOT_ENOUGH', 'isp.unknow-error'],
}
test.each(names)(
  '%s: a refund whose answer is lost is made once, under one number',
  async (name) => {
    const cases: [string, Fault][] = [
      ...notDone,
      ...busy[name].map((code): [string, Fault] => [code, { how: 'CODE', code }]),
    ]
    for (const [what, fault] of cases) {
      const { made, trade } = await paid(name)
      channels[name].misbehave('refund', fault)
      expect(await giveBack(made)).toBe(200)
      await refund()
      expect(await refunds(made), what).toEqual([{ line: 'PROCESSING 250' }])
      pass(11)
      await refund()
      expect([what, await refunds(made), await state(made)]).toEqual([
        what,
        [{ line: 'SUCCESS 250' }],
        'REFUNDED',
      ])
      expect(
        [...channels[name].refunds.values()].filter((r) => r.tradeNo === trade.tradeNo).length,
        what,
      ).toBe(1)
    }
  },
)

test.each(names)('%s: what it refuses for good is a case that a person sees', async (name) => {
  const { made } = await paid(name)
  const code = name === 'WECHAT' ? 'USER_ACCOUNT_ABNORMAL' : 'ACQ.TRADE_HAS_FINISHED'
  channels[name].misbehave('refund', { how: 'CODE', code })
  await giveBack(made)
  await refund()
  expect([
    await refunds(made),
    await state(made),
    await world.sql('select kind from order_cases where order_num = $1', [made.orderNum]),
  ]).toEqual([[{ line: 'FAILED 250' }], counted, [{ kind: 'REFUND_FAILED' }]])
})

test.each([
  ['SUCCESS', 'SUCCESS 250', 'REFUNDED'],
  ['ABNORMAL', 'FAILED 250', counted],
])('WECHAT: a refund that takes time and then is %s', async (end, line, after) => {
  const { made } = await paid('WECHAT')
  channels.WECHAT.refundsAre('PROCESSING')
  await giveBack(made)
  await refund()
  expect([await refunds(made), await state(made)]).toEqual([[{ line: 'PROCESSING 250' }], counted])
  for (const one of channels.WECHAT.refunds.values()) one.state = end
  pass(61)
  await refund()
  expect([await refunds(made), await state(made)]).toEqual([[{ line }], after])
})

test('WECHAT: a new certificate of the platform is fetched when it is first met, once a minute', async () => {
  const made = await shown('WECHAT')
  wechat.newCertificate()
  const told = wechat.notice(ids.WECHAT, wechat.pay(made.outTradeNo))
  expect(await tell(told), 'looked a moment ago').toBe(403)
  const later = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 70_000)
  expect(await tell(told)).toBe(200)
  later.mockRestore()
  expect(await state(made)).toBe(counted)
})

/** Yesterday's bill of a channel. */
const billOf = async (name: Name) =>
  (
    await world.sql<Record<string, unknown>>(
      `select state, lines, bad_lines as bad from payment_bill_days
        where bill_type = 'TRADE' and config_id = $1 and day = $2`,
      [ids[name], yesterday()],
    )
  )[0]
/** What is open in the work list of a channel. */
const differences = async (name: Name) =>
  (
    await world.sql<{ line: string }>(
      `select kind || ' ' || subject || ' ' || local_amount || '/' || other_amount as line
        from reconciliation_differences where config_id = $1 and state = 'OPEN' and created_at > $2`,
      [ids[name], new Date(begun)],
    )
  )
    .map((row) => row.line)
    .toSorted()
let begun = worldNow
const yesterday = () => addDays(shanghaiDay(clock.now), -1)
/** The worker does all that is due. */
async function compareBills(): Promise<void> {
  await askForBills(world.app)
  for (let n = 0; n < 20 && (await runDue(world.app, billKind(world.app))); n += 1);
}
/** A day later, in which nothing else happened; what was before is nobody's matter. */
async function readBills(): Promise<void> {
  pass(86_400)
  for (const name of names) channels[name].bill.day = yesterday()
  await compareBills()
}
/** What earlier cases paid and gave back is in no bill that is asked for. */
async function outOfSight(): Promise<void> {
  if (begun === worldNow) pass(4 * 86_400)
  begun = clock.now
  await world.sql(`update payments set paid_at = '2020-01-01'`)
}

test.each(names)(
  '%s: the bill of a day: what we never heard of is asked and counts, what differs is listed and told',
  async (name) => {
    await outOfSight()
    const known = await paid(name)
    await giveBack(known.made)
    await refund()
    const unheard = await shown(name)
    const silent = channels[name].pay(unheard.outTradeNo)
    const absent = await paid(name)
    const refundNo = `${known.made.orderNum}-01`
    const strange = `${known.made.orderNum}-77`
    channels[name].bill.rows = [
      { trade: known.trade },
      { trade: silent },
      { trade: known.trade, refundNo },
      { trade: known.trade, refundNo: strange, amount: 100 },
      { trade: { outTradeNo: 'HDnever', tradeNo: `42009${name}`, amount: 500, state: 'PAID' } },
    ]
    await readBills()
    expect(await billOf(name)).toEqual({ state: 'DONE', lines: 5, bad: 0 })
    expect([await state(known.made), await state(unheard), await state(absent.made)]).toEqual([
      'REFUNDED',
      counted,
      counted,
    ])
    expect(await differences(name)).toEqual(
      [
        `CHANNEL_ONLY 42009${name} 0/500`,
        `CHANNEL_ONLY ${strange} 0/100`,
        `LOCAL_ONLY ${absent.trade.tradeNo} 250/0`,
      ].toSorted(),
    )
    // who may forge what a channel says, or its bill, is seen beside it
    expect((await seen()).toSorted()).toEqual([
      'PAYMENT_MISMATCH BILL',
      'PAYMENT_MISMATCH BILL_ROW',
    ])
    // the bill was wrong, and says so a day later
    channels[name].bill.rows = [
      { trade: known.trade },
      { trade: silent },
      { trade: known.trade, refundNo },
      { trade: absent.trade },
    ]
    pass(86_400)
    await compareBills()
    expect(await differences(name)).toEqual([])
  },
)

test.each(
  names.flatMap((name) => [
    [name, 'is changed on its way', { broken: true }, 'WAITING'] as const,
    [name, 'is not there yet', { absent: true }, 'WAITING'] as const,
    [name, 'lies on another host', { elsewhere: 'http://127.0.0.2:1' }, 'FAILED'] as const,
    [name, 'is of another merchant', { ofMerchant: '2088999' }, 'FAILED'] as const,
  ]),
)('%s: a bill that %s counts for nothing until it is right', async (name, _what, change, ends) => {
  await outOfSight()
  const made = await shown(name)
  channels[name].bill.rows = [{ trade: channels[name].pay(made.outTradeNo) }]
  await world.sql('update payments set next_at = null')
  Object.assign(channels[name].bill, change)
  await readBills()
  expect(await billOf(name)).toEqual({ state: ends, lines: 0, bad: 0 })
  expect([await state(made), await differences(name)]).toEqual(['UNPAID', []])
  const why = 'ofMerchant' in change ? 'MISMATCH BILL_MERCHANT' : 'CHANNEL BILL_ABSENT'
  expect(await seen()).toEqual(ends === 'FAILED' ? [`PAYMENT_${why}`] : [])
  // a day later it is there
  Object.assign(channels[name].bill, {
    broken: false,
    absent: false,
    elsewhere: '',
    ofMerchant: '',
  })
  const day = yesterday()
  pass(86_400)
  await compareBills()
  expect(
    await world.sql(
      `select state, lines from payment_bill_days where bill_type = 'TRADE' and config_id = $1 and day = $2`,
      [ids[name], day],
    ),
  ).toEqual([{ state: 'DONE', lines: 1 }])
})

test.each(names)(
  '%s: a refund that our books have and the channel has not is done under its number, once',
  async (name) => {
    await outOfSight()
    const { made, trade } = await paid(name)
    await giveBack(made)
    await refund()
    // the channel knows nothing of it
    channels[name].refunds.clear()
    channels[name].bill.rows = [{ trade }]
    await readBills()
    const refundNo = `${made.orderNum}-01`
    expect(await differences(name)).toEqual([`LOCAL_ONLY ${refundNo} 250/0`])
    const token = await world.login('ROLE_SUPER_ADMIN', { proven_at: clock.now })
    const ask = async (): Promise<string> => {
      const [row] = await world.sql<{ id: number; version: number }>(
        'select id::int, version from reconciliation_differences where subject = $1',
        [refundNo],
      )
      const { body } = await world.call(reconciliation.ask, { ...row }, { token })
      return body.answer ?? body.error
    }
    // what it does not say is not said for it
    channels[name].misbehave('refundQuery', { how: 'DIES' })
    expect([await ask(), channels[name].refunds.size]).toEqual(['SILENT', 0])
    const code = name === 'WECHAT' ? 'USER_ACCOUNT_ABNORMAL' : 'ACQ.TRADE_HAS_FINISHED'
    channels[name].misbehave('refund', { how: 'CODE', code })
    expect([await ask(), channels[name].refunds.size]).toEqual(['REFUND_FAILED', 0])
    const ten = await Promise.all(Array.from({ length: 10 }, ask))
    expect(new Set(ten)).toEqual(new Set(['REFUNDED', 'common.stale']))
    expect([...channels[name].refunds.values()]).toMatchObject([{ refundNo, amount: 250 }])
    expect([await refunds(made), await state(made)]).toEqual([
      [{ line: 'SUCCESS 250' }],
      'REFUNDED',
    ])
  },
)

test.each(names)('%s: a line that says nothing is named, the others count', async (name) => {
  await outOfSight()
  const [one, two] = [await paid(name), await paid(name)]
  const { bill } = channels[name]
  bill.rows = [{ trade: one.trade }, { trade: two.trade }]
  for (const raw of [
    name === 'WECHAT' ? '`2026-11-20 14:00:00,`wx' : '2026,HD,交易',
    name === 'WECHAT' ? 'without a beginning' : 'without commas',
    `${'x'.repeat(50_000)}`,
  ])
    bill.rows.splice(1, 0, { trade: one.trade, raw })
  await readBills()
  expect(await billOf(name)).toEqual({ state: 'DONE', lines: 2, bad: 3 })
  const first = name === 'WECHAT' ? 3 : 6
  expect((await differences(name)).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual(
    [0, 1, 2].map((n) => `BILL_LINE ${first + n}`),
  )
})

test.each(names)('%s: a line that stands there twice, and one of an earlier bill', async (name) => {
  await outOfSight()
  const { trade } = await paid(name)
  channels[name].bill.rows = [{ trade }, { trade }]
  await readBills()
  expect(await billOf(name)).toEqual({ state: 'DONE', lines: 2, bad: 0 })
  expect(await differences(name)).toEqual([`DUPLICATE ${trade.tradeNo} 250/500`])
  channels[name].bill.rows = [{ trade }]
  pass(86_400)
  await compareBills()
  expect(await differences(name)).toEqual([])
  // the channel says the day before once more
  await readBills()
  expect(await differences(name)).toEqual([`DUPLICATE ${trade.tradeNo} 250/500`])
})

test.each(names)(
  '%s: who asks for the bill of a day hears what his merchant took; a payment that is made good has its fee',
  async (name) => {
    await outOfSight()
    const day = shanghaiDay(clock.now)
    const unheard = await shown(name)
    const gone: Trade = {
      outTradeNo: `HD${name}`,
      tradeNo: `43${name}`,
      amount: 250,
      state: 'PAID',
    }
    channels[name].trades.set(gone.outTradeNo, gone)
    const denied: Trade = { ...gone, outTradeNo: `HX${name}`, tradeNo: `44${name}` }
    channels[name].bill.rows = [
      { trade: channels[name].pay(unheard.outTradeNo) },
      { trade: gone },
      { trade: denied },
    ]
    for (const one of names) channels[one].bill.day = day
    await world.sql('update payments set next_at = null')
    const own = await world.login('ROLE_RTU_SP')
    const belongsTo = (org: number) =>
      world.sql('update payment_configs set org_id = $1 where id = $2', [org, ids[name]])
    const sync = async (token: string) =>
      (await world.call(orderSupplements.syncBill, { date: day }, { token })).body
    // the channel of another organisation's merchant is not asked
    await belongsTo(4)
    expect(await sync(own)).toEqual({ lines: 0, found: 0, absent: 0, pending: 0 })
    await belongsTo(3)
    expect(channels[name].calls.filter((call) => call === 'bill')).toEqual([])
    channels[name].misbehave('bill', { how: 'DIES' })
    expect(await sync(own)).toEqual({ lines: 0, found: 0, absent: 1, pending: 0 })
    const answers = await Promise.all([sync(own), sync(own), sync(own)])
    // the third is in the bill, and its channel knows nothing of it
    expect(answers.map(({ lines }) => lines)).toEqual([3, 3, 3])
    expect(Math.max(...answers.map(({ found }) => found))).toBe(2)
    expect(channels[name].calls.filter((call) => call === 'bill')).toHaveLength(1)
    expect(await state(unheard)).toBe(counted)
    expect((await seen()).filter((line) => line !== 'PAYMENT_CLOCK CLOCK').toSorted()).toEqual([
      ...['PAYMENT_MISMATCH BILL_ROW', 'PAYMENT_UNKNOWN ORDER'],
    ])
    const [lost] = await world.sql<{ id: string }>(
      'select id from payments where provider_trade_no = $1 and config_id = $2 and org_id = 3',
      [gone.tradeNo, ids[name]],
    )
    await giveOut()
    pass(86_400)
    await world.sql('update device_states set online = true')
    const made = await world.call(
      orderSupplements.supplement,
      {
        ...{ paymentIds: [Number(lost?.id)], action: 'VEND' },
        lines: [{ laneId: rowId('OWN', 1), count: 1 }],
      },
      {
        token: await world.login('ROLE_RTU_SP'),
        headers: { 'idempotency-key': randomUUID() },
      },
    )
    expect(made.status, JSON.stringify(made.body)).toBe(200)
    await giveOut()
    expect(await state(made.body.done[0])).toBe(counted)
    for (const one of [day, shanghaiDay(clock.now)])
      expect((await reconcileDay(world.app, one, true)).map((row) => row.kind)).toEqual([])
    await compareBills()
    expect(await differences(name)).toEqual([`CHANNEL_ONLY ${denied.tradeNo} 0/250`])
    channels[name].bill.rows.pop()
    await compareBills()
    expect(await differences(name)).toEqual([])
  },
)

test('who asks for a day does not wait for a slow channel: the worker goes on', async () => {
  await outOfSight()
  const day = shanghaiDay(clock.now)
  for (const name of names) {
    const { outTradeNo } = await shown(name)
    channels[name].bill.rows = [{ trade: channels[name].pay(outTradeNo) }]
    channels[name].bill.day = day
    await giveOut()
  }
  await world.sql('update payments set next_at = null')
  const own = await world.login('ROLE_RTU_SP')
  const before = { ...patience }
  // one after the other, and the first does not answer in time: the second is never asked here
  Object.assign(patience, { ms: 700, sideBySide: 1 })
  channels.WECHAT.misbehave('bill', { how: 'SLOW', ms: 3000 })
  const begun = performance.now()
  const { body } = await world.call(orderSupplements.syncBill, { date: day }, { token: own })
  expect(performance.now() - begun, 'ms').toBeLessThan(2500)
  Object.assign(patience, before)
  expect(body).toEqual({ lines: 0, found: 0, absent: 0, pending: 2 })
  const waiting = await world.sql<{ s: string }>(
    `select provider || ' ' || state || ' ' || round(extract(epoch from next_at - $2)) as s
      from payment_bill_days where bill_type = 'TRADE' and day = $1 and config_id is not null order by config_id`,
    [day, clock.now],
  )
  expect(waiting.map(({ s }) => s)).toEqual(['WECHAT WAITING 120', 'ALIPAY WAITING 0'])
  // the server that began died: its time is up, and somebody else has both
  pass(121)
  while (await runDue(world.app, billKind(world.app)));
  const kept = () =>
    world.sql<{ s: string }>(
      `select provider || ' ' || state || ' ' || lines as s from payment_bill_days
        where bill_type = 'TRADE' and day = $1 and config_id is not null order by config_id`,
      [day],
    )
  expect((await kept()).map(({ s }) => s)).toEqual(['WECHAT DONE 1', 'ALIPAY DONE 1'])
  // what the first server hears late changes nothing
  await vi.waitFor(
    () => expect(channels.WECHAT.calls.filter((call) => call === 'bill')).toHaveLength(2),
    10_000,
  )
  while (await runDue(world.app, billKind(world.app)));
  expect((await kept()).map(({ s }) => s)).toEqual(['WECHAT DONE 1', 'ALIPAY DONE 1'])
  for (const _ of names) await giveOut()
})

test('the bill of a merchant says nothing about the money of another at the same channel', async () => {
  await outOfSight()
  const { trade } = await paid('WECHAT')
  channels.WECHAT.bill.rows = [{ trade }]
  const configId = await enterMerchant(world.app, {
    ...{ ...channels.WECHAT.merchant, orgId: 4, mchId: '1900000999' },
  })
  const other: Account = { provider: 'WECHAT', configId, orgId: 4 }
  const day = shanghaiDay(clock.now)
  await readBills()
  await keepBill(world.app, other, day, [
    {
      ...{ kind: 'PAY', tradeNo: trade.tradeNo, outTradeNo: trade.outTradeNo, refundNo: null },
      ...{ amount: 1, fee: 0, at: clock.now, state: 'SUCCESS' },
    },
  ])
  const found = await reconcilePart(world.app, { part: 'BILL', day, account: other })
  // no word of whose order it was
  expect(found).toEqual([
    {
      ...{ orgId: 4, deviceId: null, orderNum: null, kind: 'CHANNEL_ONLY', subject: trade.tradeNo },
      ...{ localAmount: 0, otherAmount: 1 },
    },
  ])
  expect(await differences('WECHAT')).toEqual([])
  await world.sql(
    `update payment_configs set state = 'DISABLED', removed_at = now() where id = $1`,
    [configId],
  )
})

test.each(names)(
  '%s: a large bill is read in pieces: memory does not grow with it',
  {
    timeout: 600_000,
  },
  async (name) => {
    const most = Number(process.env.BILL_ROWS ?? 5000)
    const account: Account = { provider: name, configId: ids[name], orgId: 3 }
    const day = addDays(shanghaiDay(clock.now), -40)
    const folder = mkdtempSync(join(tmpdir(), 'huodao-bill-'))
    const file = join(folder, 'bill')
    const of = channels[name].merchant as { mchId: string; appId: string }
    // as the channel gives it out: text, or a zip of two files in its own encoding
    await writeFile(file, name === 'WECHAT' ? largeBill(of, most) : largeZip(of.mchId, most))
    const rows = () => (name === 'WECHAT' ? wechatRows(file, of) : alipayRows(file, of.mchId))
    let [peak, wait] = [0, 0]
    const before = process.memoryUsage().heapUsed
    const begun = performance.now()
    let last = begun
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().heapUsed - before)
      wait = Math.max(wait, performance.now() - last)
      last = performance.now()
    }, 5)
    const bill = await readBill(rows)
    if (bill.state !== 'READY') throw new Error(bill.reason)
    expect(await keepBill(world.app, account, day, bill.rows)).toEqual({
      state: 'KEPT',
      lines: most,
    })
    clearInterval(watch)
    const took = performance.now() - begun
    const said = (text: string) => `${most} lines in ${took.toFixed(0)} ms, ${text}`
    if (process.env.BILL_ROWS)
      process.stderr.write(
        said(`heap +${Math.round(peak / 1e6)} MB, longest turn ${wait.toFixed(0)} ms\n`),
      )
    expect(peak, said('bytes')).toBeLessThan(100_000_000)
    expect(took, said('that is slow')).toBeLessThan(20_000 + most)
    expect(
      await world.sql(
        `select lines, bad, bad_lines from payment_bill_days where bill_type = 'TRADE' and day = $1`,
        [day],
      ),
    ).toEqual([
      { lines: most, bad: [{ line: name === 'WECHAT' ? 2 : 5, why: 'amount' }], bad_lines: 1 },
    ])
    // what it says no more is gone
    await keepBill(world.app, account, day, [])
    expect(await world.sql('select from payment_bills where day = $1', [day])).toEqual([])
    await world.sql(`delete from payment_bill_days where bill_type = 'TRADE' and day = $1`, [day])
    rmSync(folder, { recursive: true })
  },
)
function largeZip(mchId: string, most: number): Buffer {
  const rows = Array.from({ length: most + 1 }, (_, n) => ({
    trade: { outTradeNo: `HD${n}`, tradeNo: `20${n}`, amount: 250, state: 'PAID' as const },
    ...(n === 0 ? { amount: Number.NaN } : {}),
  }))
  return alipayBill(rows, mchId)
}
/** As much as a busy merchant sells, and one line that says nothing. */
function* largeBill({ mchId, appId }: { mchId: string; appId: string }, most: number) {
  yield '交易时间,公众账号ID,商户号,微信订单号,商户订单号,交易状态,微信退款单号,商户退款单号,退款状态,手续费,订单金额,申请退款金额\r\n'
  for (let n = -1; n < most; n += 1) {
    const amount = n < 0 ? 'much' : '2.50'
    const head = `\`2026-11-20 14:00:00,\`${appId},\`${mchId},\`42${n},\`HD${n}`
    yield `${head},\`SUCCESS,\`0,\`0,\`,\`0.015,\`${amount},\`0.00\r\n`
  }
  yield `总交易单数,应结订单总金额\r\n\`${most + 1},\`1.00\r\n`
}

test('a merchant is entered with keys that can be used, and its keys are not readable', async () => {
  const { privateKey, apiV3Key } = channels.WECHAT.merchant as Record<string, string>
  for (const wrong of [
    { privateKey: 'no key' },
    { apiV3Key: 'short' },
    { channelKeys: { PUB_KEY_ID_0119000001: 'no key' } },
    { mchId: "1' or 1" },
  ])
    await expect(
      enterMerchant(world.app, { orgId: 3, ...channels.WECHAT.merchant, ...wrong }),
    ).rejects.toThrow()
  await expect(enterMerchant(world.app, { ...channels.WECHAT.merchant, orgId: 4 })).rejects.toThrow(
    'another organisation',
  )
  const rows = await world.sql<{ text: string }>(
    `select to_jsonb(c)::text || encode(secrets, 'escape') as text from payment_configs c`,
  )
  const all = rows.map((row) => row.text).join()
  // and a log row says who was entered, with what everybody may know
  const entered = await world.sql<{
    id: string
    text: string
    before: object | null
    after: object
  }>(
    `select resource_id as id, l::text as text, before, after from operation_logs l
      where action = 'paymentChannels.enter' and org_id = 3 order by id`,
  )
  expect(entered.map((row) => row.id)).toEqual(names.map((name) => String(ids[name])))
  expect(entered[0]?.after).toMatchObject({ mchId: '1900000109', state: 'ACTIVE', renewed: [] })
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const renewed = {
    privateKey: other.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  }
  await enterMerchant(world.app, { orgId: 3, ...channels.WECHAT.merchant, ...renewed, feeBp: 38 })
  const [last] = await world.sql<(typeof entered)[number]>(
    `select before, after, l::text as text from operation_logs l
      where action = 'paymentChannels.enter' order by id desc limit 1`,
  )
  expect(last).toMatchObject({
    before: { feeBp: 60, weSign: expect.any(String) },
    after: { feeBp: 38, weSign: expect.any(String), renewed: ['privateKey'] },
  })
  await enterMerchant(world.app, { orgId: 3, ...channels.WECHAT.merchant })
  const said = `${all} ${entered.map((row) => row.text).join()} ${last?.text}`
  for (const secret of [apiV3Key, privateKey?.slice(40, 80), renewed.privateKey.slice(40, 80)])
    expect(said.includes(secret as string)).toBe(false)
})

test('a branch is paid to the nearest merchant above, others to the simulator', async () => {
  const payee = async (org: number) =>
    (await payeeOf(world.app, { orgId: org }, 'WECHAT'))?.configId
  expect([await payee(3), await payee(7), await payee(4), await payee(2)]).toEqual([
    ids.WECHAT,
    ids.WECHAT,
    null,
    null,
  ])
})

test('a merchant that was stopped stops its machines; that of a store comes first', async () => {
  const payee = async (of: { orgId: number; storeId?: number }) => {
    configsChanged(world.app)
    return payeeOf(world.app, of, 'WECHAT')
  }
  const storeId = rowId('CHILD', 1)
  const below = await enterMerchant(world.app, {
    ...channels.WECHAT.merchant,
    orgId: 7,
    mchId: '1900000888',
  })
  expect(await payee({ orgId: 7 })).toEqual({ provider: 'WECHAT', configId: below })
  await world.sql('update stores set payment_config_id = $1 where id = $2', [ids.WECHAT, storeId])
  expect((await payee({ orgId: 7, storeId }))?.configId).toBe(ids.WECHAT)
  await world.sql(`update payment_configs set state = 'DISABLED' where id = $1`, [below])
  expect(await payee({ orgId: 7 })).toBe(null)
  await world.sql('update payment_configs set removed_at = now() where id = $1', [below])
  expect((await payee({ orgId: 7 }))?.configId).toBe(ids.WECHAT)
  await world.sql('update stores set payment_config_id = null where id = $1', [storeId])
  configsChanged(world.app)
})

test('after all of it the books agree', async () => {
  expect(await checkInvariants(world.ownerUrl)).toEqual([])
})
