import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { orders } from '../../src/domains/orders/contract.ts'
import { refundKind } from '../../src/domains/orders/server/refunds.ts'
import { closeUnpaid } from '../../src/domains/orders/server/timers.ts'
import { recordVend, takeCommands } from '../../src/domains/orders/server/vend.ts'
import { payments } from '../../src/domains/payments/contract.ts'
import { providers } from '../../src/domains/payments/server/providers.ts'
import { simulatorSign } from '../../src/domains/payments/server/verbs.ts'
import { checkInvariants } from '../../src/server/invariants.ts'
import { runDue } from '../../src/server/work.ts'
import { openWorld, restock, rowId, type World, widenLimits, worldNow } from '../support/world.ts'

/**
 * T2 and T3: whatever spends something, many times at once: exactly one effect, clear refusals,
 * never a 500.
 */
let world: World
let token: string
let rtuNumber: string
beforeAll(async () => {
  world = await openWorld()
  token = await world.login('ROLE_RTU_SP')
  const [device] = await world.sql<{ rtu_number: string }>(
    'select rtu_number from devices where id = $1',
    [rowId('OWN', 1)],
  )
  rtuNumber = device?.rtu_number as string
  await widenLimits(world)
})
beforeEach(() => restock(world, rowId('OWN', 1), 120))
afterAll(async () => world.close())

const repeats = Number(process.env.RACE_REPEATS ?? 10)
const crowds = [2, 10, 50]
type Made = { orderNum: string; outTradeNo: string; payableAmount: number }
const shelf = async () =>
  (await world.call(orders.mobileLanes, { rtuNumber })).body.list as {
    roadIndex: number
    price: number
  }[]

async function order(
  count: number,
  clientId: string = randomUUID(),
  from?: { roadIndex: number; price: number },
) {
  const lane = from ?? (await shelf())[0]
  if (!lane) throw new Error('the world has sold out')
  return world.call(orders.mobileOrder, {
    rtuNumber,
    items: [{ roadIndex: lane.roadIndex, count, price: lane.price }],
    payType: 'WECHAT',
    clientId,
    consumer: '',
  })
}
const notice = (made: Made, eventId: string = randomUUID()) => {
  const body = {
    eventId,
    outTradeNo: made.outTradeNo,
    tradeNo: `T${made.outTradeNo}`,
    amount: made.payableAmount,
    paidAt: worldNow.toISOString(),
  }
  return { ...body, sign: simulatorSign(world.app.config.simPayKey, body) }
}
const crowd = <T>(n: number, work: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: n }, (_, i) => work(i)))
const no500 = (answers: { status: number }[]) =>
  expect(answers.filter((a) => a.status >= 500)).toEqual([])

describe.each(crowds)('%i at once', { timeout: Math.max(20_000, repeats * 3000) }, (n) => {
  test('one phone asks again and again: one order', async () => {
    for (let r = 0; r < repeats; r += 1) {
      const clientId = randomUUID()
      const answers = await crowd(n, () => order(1, clientId))
      no500(answers)
      expect(
        new Set(answers.filter((a) => a.status === 200).map((a) => a.body.orderNum)).size,
      ).toBe(1)
    }
  })
  test('many phones want the last pieces: as many orders as pieces', async () => {
    const lane = (await shelf())[0] as { roadIndex: number; price: number }
    const [stock] = await world.sql<{ free: number }>(
      'select quantity - reserved - failed_hold as free from lanes where device_id = $1 and road_index = $2 and archived_at is null',
      [rowId('OWN', 1), lane.roadIndex],
    )
    await world.sql('update lanes set restriction = 0 where device_id = $1', [rowId('OWN', 1)])
    const few = Math.ceil(n / 2)
    for (let held = stock?.free ?? 0; held > few; held -= Math.min(32, held - few))
      await order(Math.min(32, held - few), randomUUID(), lane)
    const answers = await crowd(n, () =>
      world.call(orders.mobileOrder, {
        rtuNumber,
        items: [{ roadIndex: lane.roadIndex, count: 1, price: lane.price }],
        payType: 'ALIPAY',
        clientId: randomUUID(),
        consumer: '',
      }),
    )
    no500(answers)
    expect(answers.filter((a) => a.status === 200)).toHaveLength(few)
    expect(new Set(answers.filter((a) => a.status !== 200).map((a) => a.body.error))).toEqual(
      new Set(['orders.outOfStock']),
    )
    await closeAll()
  })
  test.each(['same event', 'different events'])(
    'a payment is told by the %s: booked once',
    async (kind) => {
      for (let r = 0; r < repeats; r += 1) {
        const made = (await order(1)).body as Made
        const first = notice(made)
        const answers = await crowd(n, () =>
          world.call(payments.simulatorNotify, kind === 'same event' ? first : notice(made)),
        )
        no500(answers)
        expect(answers.filter((a) => a.body.result === 'APPLIED')).toHaveLength(1)
      }
      await closeAll()
    },
  )
  test.each(['same key', 'different keys'])(
    'a refund is asked for with the %s: paid back once',
    async (kind) => {
      for (let r = 0; r < repeats; r += 1) {
        const orderNum = await world.sell('OWN', ['OK'])
        const key = randomUUID()
        const answers = await crowd(n, () =>
          world.call(
            orders.refund,
            { orderNum, all: true, reason: 'QUALITY' },
            { token, headers: { 'idempotency-key': kind === 'same key' ? key : randomUUID() } },
          ),
        )
        no500(answers)
        const fine = answers.filter((a) => a.status === 200)
        if (kind === 'different keys') expect(fine).toHaveLength(1)
        else expect(fine.length).toBeGreaterThanOrEqual(1)
        // 409005: a twin with the same key is still running
        for (const loser of answers.filter((a) => a.status !== 200))
          expect(loser.body.code).toBe(kind === 'same key' ? 409005 : 409001)
        expect(
          await world.sql('select 1 from refunds where order_num = $1', [orderNum]),
        ).toHaveLength(1)
        expect(
          await world.sql(
            `select 1 from operation_logs where result = 'SUCCESS' and action = 'orders.refund'
              and resource_id = $1`,
            [orderNum],
          ),
        ).toHaveLength(1)
      }
    },
  )
})

/**
 * Unpaid orders run out and the machine works off the rest, so that the next crowd finds stock and
 * a free motor.
 */
async function closeAll(): Promise<void> {
  await world.sql(`update orders set expire_at = $1 where pay_state = 'UNPAID'`, [worldNow])
  let closed = 1
  while (closed > 0) closed = await closeUnpaid(world.app)
  for (
    let taken = await takeCommands(world.app, [rowId('OWN', 1)]);
    taken.length;
    taken = await takeCommands(world.app, [rowId('OWN', 1)])
  ) {
    const facts = taken.map((c) => ({
      kind: 'result' as const,
      deviceId: c.deviceId,
      cmdId: c.cmdId,
      result: 'OK' as const,
      dropDetected: true,
      durationMs: 1,
      at: worldNow,
    }))
    await world.system((ctx) => recordVend(ctx, facts))
  }
}

describe('keys', () => {
  test('same body gets the same answer, another body or user does not, 255 characters fit, 256 do not', async () => {
    const orderNum = await world.sell('OWN', ['OK', 'OK'])
    const key = 'k'.repeat(255)
    const ask = (input: object, k = key, t = token) =>
      world.call(
        orders.refund,
        { orderNum, all: true, reason: 'QUALITY', ...input },
        { token: t, headers: { 'idempotency-key': k } },
      )
    const first = await ask({})
    expect(first.status).toBe(200)
    const again = await ask({})
    expect([again.status, again.body]).toEqual([200, first.body])
    expect((await ask({ reason: 'USER_REQUEST' })).body.code).toBe(409002)
    expect((await ask({}, `${key}k`)).status).toBe(400)
    const other = await ask({}, key, await world.login('ROLE_FINANCE'))
    expect(other.status, 'the key of somebody else says nothing').not.toBe(200)
  })
})

describe('part by part', () => {
  const unitsOf = async (orderNum: string) =>
    (
      await world.sql<{ id: string }>(
        'select id from order_units where order_num = $1 order by unit_no',
        [orderNum],
      )
    ).map((row) => Number(row.id))
  const ask = (input: object, key: string | null = randomUUID()) =>
    world.call(
      orders.refund,
      { reason: 'QUALITY', ...input },
      { token, headers: key ? { 'idempotency-key': key } : {} },
    )
  test.each(['with keys', 'without keys'])(
    'a second part is a refund of its own, a moment later and at once, %s',
    async (kind) => {
      const key = () => (kind === 'with keys' ? randomUUID() : null)
      const orderNum = await world.sell('OWN', ['OK', 'OK', 'OK', 'OK'])
      const [first, second, third, fourth] = await unitsOf(orderNum)
      expect((await ask({ orderNum, unitIds: [first] }, key())).status).toBe(200)
      expect((await ask({ orderNum, unitIds: [second] }, key())).status).toBe(200)
      expect(
        (await crowd(2, (i) => ask({ orderNum, unitIds: [[third, fourth][i]] }, key()))).map(
          (a) => a.status,
        ),
      ).toEqual([200, 200])
      expect(
        (await ask({ orderNum, unitIds: [first] }, key())).body.code,
        'the same part again',
      ).toBe(409001)
      while (await runDue(world.app, refundKind(world.app, providers(world.app))));
      const [row] = await world.sql(
        'select paid_amount - refunded_amount as left, (select count(*)::int from refunds r where r.order_num = o.order_num) as n from orders o where order_num = $1',
        [orderNum],
      )
      expect(row).toEqual({ left: 0, n: 4 })
      expect((await ask({ orderNum, unitIds: [first] }, key())).body.error).toBe(
        'orders.alreadyRefunded',
      )
    },
  )
  test('another part under the same key is told apart; no part, or all and a part, is refused', async () => {
    const orderNum = await world.sell('OWN', ['OK', 'OK'])
    const [first, second] = await unitsOf(orderNum)
    const key = randomUUID()
    expect((await ask({ orderNum, unitIds: [first] }, key)).status).toBe(200)
    expect((await ask({ orderNum, unitIds: [second] }, key)).body.code).toBe(409002)
    for (const pieces of [{}, { unitIds: [] }, { unitIds: [second], all: true }, { all: false }])
      expect([pieces, (await ask({ orderNum, ...pieces })).body.code]).toEqual([pieces, 400001])
    expect(await world.sql('select 1 from refunds where order_num = $1', [orderNum])).toHaveLength(
      1,
    )
  })
})

test('the battery can fail: a handler that reads, checks and then writes lets twins through', async () => {
  const orderNum = await world.sell('OWN', ['OK'])
  const naive = async () => {
    const [row] = await world.sql<{ refunded_amount: string }>(
      'select refunded_amount from orders where order_num = $1',
      [orderNum],
    )
    await new Promise((resolve) => setTimeout(resolve, 5))
    return Number(row?.refunded_amount) === 0
  }
  expect((await crowd(10, naive)).filter(Boolean).length).toBeGreaterThan(1)
})

test('after the battery the books agree', async () => {
  await closeAll()
  expect(await checkInvariants(world.ownerUrl)).toEqual([])
})
