import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  openWorld,
  restock,
  rowId,
  type World,
  widenLimits,
  worldNow,
} from '../../../../test/support/world.ts'
import { checkInvariants } from '../../../server/invariants.ts'
import { runDue } from '../../../server/work.ts'
import { billing } from '../../billing/contract.ts'
import type { VendFact } from '../../machines/server/vending.ts'
import { orders } from '../../orders/contract.ts'
import { refundKind } from '../../orders/server/refunds.ts'
import { closeUnpaid } from '../../orders/server/timers.ts'
import { recordVend, takeCommands } from '../../orders/server/vend.ts'
import type { RefundAnswer } from '../../payment-channels/server/channels.ts'
import { payments } from '../../payments/contract.ts'
import { simulatorSign } from '../../payments/server/verbs.ts'
import { orderSupplements } from '../contract.ts'

/** The one list of what went wrong, and each of its rows made good. */
let world: World
let tokens: Record<'operator' | 'finance' | 'platform' | 'sibling', string>
const device = rowId('OWN', 1)
beforeAll(async () => {
  world = await openWorld()
  tokens = {
    operator: await world.login('ROLE_RTU_SP'),
    finance: await world.login('ROLE_FINANCE'),
    platform: await world.login('ROLE_ADMIN'),
    sibling: await world.login('ROLE_FULL'),
  }
  await widenLimits(world)
})
beforeEach(async () => {
  await world.sql('update devices set auto_refund = false where id = $1', [device])
  await world.sql(
    `update lanes set status = 'ENABLED', lock_reason = null, restriction = 0
      where device_id = $1`,
    [device],
  )
  await restock(world, device, 100)
})
afterAll(() => world.close())

const crowd = <T>(n: number, work: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: n }, (_, i) => work(i)))
const take = async () => (await takeCommands(world.app, [device]))[0]?.cmdId as string
const say = (cmdId: string, result: Extract<VendFact, { kind: 'result' }>['result'] = 'OK') =>
  world.system((ctx) =>
    recordVend(ctx, [
      {
        ...{ kind: 'result', deviceId: device, cmdId, result },
        ...{ dropDetected: result === 'OK', durationMs: 900, at: worldNow },
      },
    ]),
  )
const refunds = (...answers: RefundAnswer[]) => {
  const give = {
    refund: async () => answers.shift() ?? ({ state: 'SUCCESS', providerRefundNo: 'x' } as const),
  }
  return runDue(world.app, refundKind(world.app, { SIMULATOR: give, WECHAT: give, ALIPAY: give }))
}
const tell = async (outTradeNo: string, amount: number) => {
  const notice = {
    ...{ eventId: randomUUID(), outTradeNo, tradeNo: randomUUID(), amount },
    paidAt: worldNow.toISOString(),
  }
  const sign = simulatorSign(world.app.config.simPayKey, notice)
  const { body } = await world.call(payments.simulatorNotify, { ...notice, sign })
  const [payment] = await world.sql<{ id: number }>(
    'select id from payments where provider_trade_no = $1',
    [notice.tradeNo],
  )
  return { ...notice, result: body.result, paymentId: Number(payment?.id) }
}
const paymentOf = async (orderNum: string) =>
  Number(
    (
      await world.sql<{ id: number }>('select id from payments where order_num = $1 and applied', [
        orderNum,
      ])
    )[0]?.id,
  )
const put = (
  input: Record<string, unknown>,
  { token = tokens.operator, key = randomUUID() as string } = {},
) => world.call(orderSupplements.supplement, input, { token, headers: { 'idempotency-key': key } })
const listed = async (query: object = {}, token = tokens.operator) =>
  (await world.call(orderSupplements.list, { pageSize: 200, ...query }, { token })).body
type Row = { paymentId: number; kind: string; state: string; advice: string; id: number }
const rowOf = async (paymentId: number, token?: string) =>
  (
    (await listed({ rtuNumber: 'OWN0001', dateFrom: '2026-11-21', dateTo: '2026-11-21' }, token))
      .list as Row[]
  )
    .filter((row) => row.paymentId === paymentId)
    .map(({ kind, state, advice }) => `${kind} ${state} ${advice}`)
const stateOf = async (orderNum: string) =>
  (
    await world.sql<Record<string, unknown>>(
      `select o.order_type as type, o.order_status as status, o.total_amount::int as total,
        o.discount_amount::int as off, o.paid_amount::int as paid,
        (select array_agg(u.vend_state || coalesce('/' || u.refund_state, '') order by u.unit_no)
          from order_units u where u.order_id = o.id) as units
      from orders o where order_num = $1`,
      [orderNum],
    )
  )[0]
const sumsOf = async (paymentId: number) =>
  Object.fromEntries(
    (
      await world.sql<{ code: string; sum: string }>(
        `select a.code, sum(e.amount) as sum from ledger_voucher_keys k
          join ledger_entries e on e.voucher_id = k.voucher_id
          join ledger_accounts a on a.id = e.account_id
        where k.key in ('in:' || $1, 'sus:' || $1, 'susa:' || $1, 'fee:' || $1) group by 1
        having sum(e.amount) <> 0 order by 1`,
        [paymentId],
      )
    ).map((row) => [row.code, Number(row.sum)]),
  )
/** Of the operator's machine; each piece costs 250. */
const lane = rowId('OWN', 4)

describe('the list', () => {
  test('asks for machine and days together, at most seven; without them all that is open', async () => {
    const errors = async (query: object) =>
      (await listed(query)).errors?.map((e: { message: string }) => e.message)
    expect(await errors({ rtuNumber: 'OWN0001' })).toEqual(['请选择日期'])
    expect(await errors({ dateFrom: '2026-11-21', dateTo: '2026-11-21' })).toEqual([
      '请输入机器编号',
    ])
    expect(
      await errors({ rtuNumber: 'OWN0001', dateFrom: '2026-11-14', dateTo: '2026-11-21' }),
    ).toEqual(['日期范围最多 7 天'])
    const orderNum = await world.sell('OWN', ['NO_DROP', 'OK'])
    const id = await paymentOf(orderNum)
    const open = (await listed()).list as (Row & Record<string, unknown>)[]
    expect(open.find((row) => row.paymentId === id)).toMatchObject({
      ...{ kind: 'PAID_NOT_SENT', orderNum, deviceNum: 'OWN0001', amount: 250, payType: 'WECHAT' },
      ...{ advice: 'SUPPLEMENT', state: 'OPEN', can: { supplement: true, close: false } },
    })
  })
})

describe('paid, not dispensed', () => {
  test('dispensed: once, done when the piece has left; a second time is for the order itself', async () => {
    const orderNum = await world.sell('OWN', ['NO_DROP'])
    const id = await paymentOf(orderNum)
    expect((await put({ paymentIds: [id], action: 'VEND' })).body).toEqual({
      done: [{ paymentId: id, orderNum }],
      skipped: [],
    })
    expect(await rowOf(id)).toEqual(['PAID_NOT_SENT HANDLING WAIT'])
    await say(await take(), 'NO_DROP')
    expect(await rowOf(id)).toEqual(['PAID_NOT_SENT OPEN ORDER'])
    expect((await put({ paymentIds: [id], action: 'VEND' })).body.code).toBe(409001)
    const next = await world.sell('OWN', ['NO_DROP'])
    const nextId = await paymentOf(next)
    await put({ paymentIds: [nextId], action: 'VEND' })
    await say(await take())
    expect(await rowOf(nextId)).toEqual(['PAID_NOT_SENT DONE NONE'])
    expect((await put({ paymentIds: [nextId], action: 'REFUND' })).body.code).toBe(409001)
  })
  test('twenty at once by one act; what cannot be done is said, the rest is done', async () => {
    const nums = [await world.sell('OWN', ['NO_DROP']), await world.sell('OWN', ['MOTOR_NOT_MOVE'])]
    const ids = await Promise.all(nums.map(paymentOf))
    // the only lane of the second product is broken
    await world.sql(
      `update lanes set status = 'FAULT' where device_id = $1 and product_id in
        (select product_id from order_units where order_num = $2) and road_index <> 2`,
      [device, nums[1]],
    )
    await world.sql(`update lanes set status = 'FAULT' where road_index = 8 and device_id = $1`, [
      device,
    ])
    const { body } = await put({ paymentIds: ids, action: 'VEND' })
    expect(body.done.length + body.skipped.length).toBe(2)
    expect(
      (await put({ paymentIds: Array.from({ length: 21 }, (_, i) => i + 1), action: 'VEND' })).body
        .code,
    ).toBe(400001)
    for (let cmd = await take(); cmd; cmd = await take()) await say(cmd)
  })
  test('given back by who may refund; dispensed by who may dispense', async () => {
    const orderNum = await world.sell('OWN', ['NO_DROP'])
    const id = await paymentOf(orderNum)
    const token = tokens.finance
    expect((await put({ paymentIds: [id], action: 'VEND' }, { token })).status).toBe(403)
    expect((await put({ paymentIds: [id], action: 'REFUND' }, { token })).status).toBe(200)
    while (await refunds());
    expect(await stateOf(orderNum)).toMatchObject({ status: 'REFUNDED' })
    expect(await rowOf(id)).toEqual(['PAID_NOT_SENT DONE NONE'])
  })
  test('of another organisation: as if it were not there', async () => {
    await world.sql('update devices set auto_refund = false where id = $1', [rowId('SIBLING', 1)])
    const foreign = await paymentOf(await world.sell('SIBLING', ['NO_DROP']))
    const own = await paymentOf(await world.sell('OWN', ['NO_DROP']))
    expect((await put({ paymentIds: [own, foreign], action: 'REFUND' })).status).toBe(404)
    expect(await rowOf(own)).toEqual(['PAID_NOT_SENT OPEN SUPPLEMENT'])
    expect(((await listed()).list as Row[]).map((row) => row.paymentId)).not.toContain(foreign)
  })
})

describe('paid without an order', () => {
  test('nobody knows the order: the platform sees it, chooses what it was, and it is sold', async () => {
    const { result, paymentId } = await tell('HDlost', 480)
    expect(result).toBe('UNKNOWN')
    expect(await rowOf(paymentId)).toEqual([])
    const token = tokens.platform
    expect(await rowOf(paymentId, token)).toEqual(['UNMATCHED_PAYMENT OPEN SUPPLEMENT'])
    const ask = (lines?: object[], more: object = {}) =>
      put(
        { paymentIds: [paymentId], action: 'VEND', ...(lines ? { lines } : {}), ...more },
        { token },
      )
    expect((await ask()).body.error).toBe('orderSupplements.linesNeeded')
    expect((await ask([{ laneId: lane, count: 1 }])).body).toMatchObject({
      error: 'orderSupplements.lessThanPaid',
      message: '商品金额与支付金额不一致',
    })
    expect(
      (
        await ask([
          { laneId: lane, count: 1 },
          { laneId: rowId('SIBLING', 4), count: 1 },
        ])
      ).body.error,
    ).toBe('orders.noLane')
    const { body } = await ask([{ laneId: lane, count: 2 }])
    const { orderNum } = body.done[0]
    expect(await stateOf(orderNum)).toEqual({
      ...{ type: 'SUPPLEMENT', status: 'PAID', total: 500, off: 20, paid: 480 },
      units: ['WAIT', 'WAIT'],
    })
    // less the fee of the channel
    expect(await sumsOf(paymentId)).toEqual({ '1001': 477, '2001': -477 })
    for (let cmd = await take(); cmd; cmd = await take()) await say(cmd)
    expect(await stateOf(orderNum)).toMatchObject({ status: 'SUCCESS' })
    expect(await rowOf(paymentId)).toEqual(['UNMATCHED_PAYMENT DONE NONE'])
  })
  test('another amount than its order: an order of its own, given back piece by piece', async () => {
    const made = (
      await world.call(orders.mobileOrder, {
        ...{ rtuNumber: 'OWN0001', items: [{ roadIndex: 1, count: 1, price: 250 }] },
        ...{ payType: 'WECHAT', clientId: randomUUID(), consumer: '' },
      })
    ).body
    const { result, paymentId } = await tell(made.outTradeNo, 249)
    expect(result).toBe('MISMATCH')
    const { body } = await put({
      ...{ paymentIds: [paymentId], action: 'REFUND', lines: [{ laneId: lane, count: 1 }] },
    })
    expect(await stateOf(body.done[0].orderNum)).toMatchObject({
      units: ['VOID/PENDING'],
      paid: 249,
    })
    while (await refunds());
    expect(await stateOf(body.done[0].orderNum)).toMatchObject({ status: 'REFUNDED' })
    expect(await rowOf(paymentId)).toEqual(['UNMATCHED_PAYMENT DONE NONE'])
  })
  test('out of suspense once: what was dealt with is not reversed, what was reversed not dealt with', async () => {
    const proven = { proven_at: worldNow }
    const anna = await world.login('PLATFORM_FULL', proven)
    const bert = await world.login('ROLE_SUPER_ADMIN', proven)
    const stray = async (name: string) => {
      const { paymentId } = await tell(name, 240)
      const [row] = await world.sql<{ voucherId: number }>(
        `select voucher_id as "voucherId" from ledger_voucher_keys where key = $1`,
        [`sus:${paymentId}`],
      )
      return { paymentId, voucherId: Number(row?.voucherId) }
    }
    const refund = (paymentId: number) =>
      put(
        { paymentIds: [paymentId], action: 'REFUND', lines: [{ laneId: lane, count: 1 }] },
        { token: tokens.platform },
      )
    const reverse = (voucherId: number) =>
      world.call(billing.reverse, { voucherId, reason: '渠道确认未到账' }, { token: anna })
    const approve = (id: number) =>
      world.call(billing.approve, { adjustmentId: id, version: 1 }, { token: bert })
    const gone = await stray('HDgone')
    expect((await refund(gone.paymentId)).status).toBe(200)
    expect((await reverse(gone.voucherId)).body.error).toBe('billing.notWaiting')
    // somebody deals with it while the reversal waits
    const late = await stray('HDlate')
    const asked = await reverse(late.voucherId)
    expect((await refund(late.paymentId)).status).toBe(200)
    expect((await approve(asked.body.id)).body.error).toBe('billing.notWaiting')
    const never = await stray('HDnever')
    expect((await approve((await reverse(never.voucherId)).body.id)).body.state).toBe('APPROVED')
    expect((await refund(never.paymentId)).body.error).toBe('common.stale')
    while (await refunds());
    const [left] = await world.sql<{ fen: string }>(
      `select sum(e.amount) as fen from ledger_entries e
        join ledger_accounts a on a.id = e.account_id and a.code = '2901'
        join ledger_voucher_keys k on k.voucher_id = e.voucher_id
        where k.key = any($1) or k.key = any($2)`,
      [
        [gone, late, never].flatMap(({ paymentId: id }) => [`sus:${id}`, `susa:${id}`]),
        [gone, late, never].map(({ voucherId }) => `rev:${voucherId}`),
      ],
    )
    expect(Number(left?.fen)).toBe(0)
  })
  test('told ten times at once: one payment, one case', async () => {
    const notice = {
      ...{ outTradeNo: 'HDten', tradeNo: randomUUID(), amount: 100 },
      paidAt: worldNow.toISOString(),
    }
    await crowd(10, () => {
      const one = { ...notice, eventId: randomUUID() }
      const sign = simulatorSign(world.app.config.simPayKey, one)
      return world.call(payments.simulatorNotify, { ...one, sign })
    })
    expect(
      await world.sql(
        `select c.id from order_cases c join payments p on p.id = c.payment_id
          where p.provider_trade_no = $1`,
        [notice.tradeNo],
      ),
    ).toHaveLength(1)
  })
})

describe('money that goes back by itself', () => {
  test('paid after closing: under way, done when it is back; where it failed, once more with the same number', async () => {
    const made = (
      await world.call(orders.mobileOrder, {
        ...{ rtuNumber: 'OWN0001', items: [{ roadIndex: 1, count: 1, price: 250 }] },
        ...{ payType: 'WECHAT', clientId: randomUUID(), consumer: '' },
      })
    ).body
    await world.sql('update orders set expire_at = $1 where order_num = $2', [
      worldNow,
      made.orderNum,
    ])
    while (await closeUnpaid(world.app));
    const { result, paymentId } = await tell(made.outTradeNo, 250)
    expect(result).toBe('LATE')
    expect(await rowOf(paymentId)).toEqual(['LATE_PAYMENT HANDLING WAIT'])
    await refunds({ state: 'FAILED', reason: 'no' })
    expect((await rowOf(paymentId)).toSorted()).toEqual([
      'LATE_PAYMENT HANDLING SUPPLEMENT',
      'REFUND_FAILED OPEN SUPPLEMENT',
    ])
    expect((await put({ paymentIds: [paymentId], action: 'VEND' })).body.error).toBe(
      'orderSupplements.refundOnly',
    )
    const answers = await crowd(10, () => put({ paymentIds: [paymentId], action: 'REFUND' }))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await refunds()).toBe(1)
    expect((await rowOf(paymentId)).toSorted()).toEqual([
      'LATE_PAYMENT DONE NONE',
      'REFUND_FAILED DONE NONE',
    ])
  })
})

describe('the bill of a day', () => {
  test('what the channel took and nobody told us is taken in, once; each sees his own', async () => {
    const made = (
      await world.call(orders.mobileOrder, {
        ...{ rtuNumber: 'OWN0001', items: [{ roadIndex: 1, count: 1, price: 250 }] },
        ...{ payType: 'WECHAT', clientId: randomUUID(), consumer: '' },
      })
    ).body
    const lost = [
      { outTradeNo: made.outTradeNo, tradeNo: randomUUID(), amount: 250 },
      { outTradeNo: 'HDgone', tradeNo: randomUUID(), amount: 90 },
    ]
    // its notices broke on the way
    for (const raw of lost)
      await world.sql(
        `insert into payment_events (provider, event_id, kind, raw, outcome, created_at)
          values ('SIMULATOR', $1, 'PAID', $2, 'MISMATCH', $3)`,
        [randomUUID(), raw, worldNow],
      )
    const sync = (date: string, token: string) =>
      world.call(orderSupplements.syncBill, { date }, { token })
    expect((await sync('2026-11-22', tokens.operator)).body.error).toBe('orderSupplements.noBill')
    const answers = await crowd(5, () => sync('2026-11-21', tokens.operator))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(Math.max(...answers.map(({ body }) => body.found))).toBe(1)
    expect(await stateOf(made.orderNum)).toMatchObject({ status: 'PAID', paid: 250 })
    const rows = await world.sql<{ id: number }>(
      `select p.id from payments p join order_cases c on c.payment_id = p.id
        where p.provider_trade_no = $1`,
      [lost[1]?.tradeNo],
    )
    expect(rows).toHaveLength(1)
    expect(await rowOf(Number(rows[0]?.id), tokens.platform)).toEqual([
      'UNMATCHED_PAYMENT OPEN SUPPLEMENT',
    ])
    expect((await sync('2026-11-21', tokens.platform)).body.found).toBe(0)
    await say(await take())
  })
})

describe('looked into', () => {
  test('a loss is closed with what was found, once; nothing else is', async () => {
    const orderNum = await world.sell('OWN', ['NO_DROP'])
    const id = await paymentOf(orderNum)
    await put({ paymentIds: [id], action: 'REFUND' })
    while (await refunds());
    const [command] = await world.sql<{ cmd_id: string }>(
      'select cmd_id from vend_commands where order_num = $1',
      [orderNum],
    )
    await say(command?.cmd_id as string)
    const row = ((await listed()).list as (Row & { orderNum: string })[]).find(
      (one) => one.kind === 'SHIPPED_AFTER_REFUND' && one.orderNum === orderNum,
    )
    expect(row).toMatchObject({ advice: 'LOSS', can: { supplement: false, close: true } })
    const close = (remark: string, caseId = row?.id) =>
      world.call(orderSupplements.close, { id: caseId, remark }, { token: tokens.operator })
    expect((await close('')).body.code).toBe(400001)
    expect((await crowd(5, () => close('已入损失'))).filter((a) => a.status === 200)).toHaveLength(
      1,
    )
    const open = ((await listed()).list as Row[]).find((one) => one.kind === 'PAID_NOT_SENT')
    if (open) expect((await close('x', open.id)).body.code).toBe(409001)
  })
})

describe.each(['the same key', 'different keys'])('many at once with %s', (kind) => {
  test.each(['VEND', 'REFUND'])('%s: one effect', async (action) => {
    for (const n of [2, 10, 50]) {
      const orderNum = await world.sell('OWN', ['NO_DROP'])
      const id = await paymentOf(orderNum)
      const key = randomUUID()
      const answers = await crowd(n, () =>
        put({ paymentIds: [id], action }, { key: kind === 'the same key' ? key : randomUUID() }),
      )
      const fine = answers.filter(({ status }) => status === 200)
      if (kind === 'different keys') expect(fine).toHaveLength(1)
      else expect(fine.length).toBeGreaterThan(0)
      const lost = new Set(answers.filter((a) => a.status !== 200).map(({ body }) => body.code))
      expect([...lost].filter((code) => code !== 409001 && code !== 409005)).toEqual([])
      const [row] = await world.sql(
        `select (select count(*)::int from order_supplements where payment_id = $1) as made,
          (select count(*)::int from vend_commands where order_num = $2) as commands,
          (select count(*)::int from refunds where order_num = $2) as refunds`,
        [id, orderNum],
      )
      expect(row).toEqual({
        ...{ made: 1, commands: action === 'VEND' ? 2 : 1 },
        refunds: action === 'VEND' ? 0 : 1,
      })
      for (let cmd = await take(); cmd; cmd = await take()) await say(cmd)
    }
  })
  test('money without an order: one order', async () => {
    for (const n of [2, 10, 50]) {
      const { paymentId } = await tell(`HD${randomUUID()}`, 250)
      const [key, token] = [randomUUID(), tokens.platform]
      const lines = [{ laneId: lane, count: 1 }]
      const answers = await crowd(n, () =>
        put(
          { paymentIds: [paymentId], action: 'VEND', lines },
          { token, key: kind === 'the same key' ? key : randomUUID() },
        ),
      )
      expect(answers.filter(({ status }) => status >= 500)).toEqual([])
      expect(
        await world.sql('select 1 from order_supplements where payment_id = $1', [paymentId]),
      ).toHaveLength(1)
      expect(await sumsOf(paymentId)).toEqual({ '1001': 248, '2001': -248 })
      for (let cmd = await take(); cmd; cmd = await take()) await say(cmd)
    }
  })
})

test('the books agree', async () => {
  while (await refunds());
  expect(await checkInvariants(world.ownerUrl)).toEqual([])
})
