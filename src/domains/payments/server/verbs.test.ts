import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World, worldNow } from '../../../../test/support/world.ts'
import { checkInvariants } from '../../../server/invariants.ts'
import { runDue } from '../../../server/work.ts'
import { orders } from '../../orders/contract.ts'
import { refundKind } from '../../orders/server/refunds.ts'
import { closeUnpaid } from '../../orders/server/timers.ts'
import { payments } from '../contract.ts'
import { providers, simulatorFaults } from './providers.ts'
import { simulatorSign } from './verbs.ts'

/** A notice that does not fit: what arrived is in the books, and a person sees it. */
let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

type Made = { orderNum: string; outTradeNo: string; payableAmount: number }
async function order(roadIndex = 1): Promise<Made> {
  const input = {
    rtuNumber: 'OWN0001',
    items: [{ roadIndex, count: 1, price: 250 }],
    payType: 'WECHAT',
    clientId: randomUUID(),
  }
  const { status, body } = await world.call(orders.mobileOrder, input)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}
const noticeOf = (made: Pick<Made, 'outTradeNo' | 'payableAmount'>, change: object = {}) => ({
  eventId: randomUUID(),
  outTradeNo: made.outTradeNo,
  tradeNo: randomUUID(),
  amount: made.payableAmount,
  paidAt: worldNow.toISOString(),
  ...change,
})
type Notice = ReturnType<typeof noticeOf> & { currency?: string; merchant?: string }
const tell = async (notice: Notice) =>
  (
    await world.call(payments.simulatorNotify, {
      ...notice,
      sign: simulatorSign(world.app.config.simPayKey, notice),
    })
  ).body.result
/** Of one order: money by account, cases and refunds, and what people see. */
async function state(orderNum: string | null) {
  const ledger = await world.sql<{ code: string; sum: string }>(
    `select a.code, sum(e.amount) as sum from ledger_entries e
      join ledger_accounts a on a.id = e.account_id
    where e.order_num is not distinct from $1 group by 1 having sum(e.amount) <> 0 order by 1`,
    [orderNum],
  )
  const cases = await world.sql<{ kind: string }>(
    'select kind from order_cases where order_num = $1 order by id',
    [orderNum],
  )
  const refunds = await world.sql<{ s: string }>(
    `select reason || ' ' || amount as s from refunds where order_num = $1`,
    [orderNum],
  )
  return {
    ledger: Object.fromEntries(ledger.map((row) => [row.code, Number(row.sum)])),
    cases: cases.map((row) => row.kind),
    refunds: refunds.map((row) => row.s),
  }
}
const seen = () =>
  world.sql<{ kind: string; subject: string; why: string | null; times: number }>(
    `select kind, subject, detail->>'why' as why, times::int from security_events order by id`,
  )
async function news(work: () => Promise<unknown>) {
  await world.sql('delete from security_events')
  await work()
  return (await seen()).map((row) => `${row.kind} ${row.subject} ${row.why} ${row.times}`)
}

test('another amount: in suspense, not applied, told once however often it is said; the right amount still pays', async () => {
  const made = await order()
  const wrong = noticeOf(made, { amount: 1 })
  expect(
    await news(async () => {
      expect([
        await tell(wrong),
        await tell(wrong),
        await tell({ ...wrong, eventId: randomUUID() }),
      ]).toEqual(['MISMATCH', 'DUPLICATE', 'DUPLICATE'])
    }),
  ).toEqual([`PAYMENT_MISMATCH ${made.orderNum} AMOUNT 1`])
  expect(await state(made.orderNum)).toEqual({
    ledger: { '1001': 1, '2901': -1 },
    cases: ['UNMATCHED_PAYMENT'],
    refunds: [],
  })
  expect(await tell(noticeOf(made))).toBe('APPLIED')
})

test.each([
  ['ten years ago', -3650],
  ['tomorrow', 1],
])('a payment dated %s counts from its arrival, and a person sees it', async (_, days) => {
  const made = await order()
  const paidAt = new Date(worldNow.getTime() + days * 86_400_000).toISOString()
  expect(
    await news(async () => expect(await tell(noticeOf(made, { paidAt }))).toBe('APPLIED')),
  ).toEqual([`PAYMENT_CLOCK ${made.orderNum} CLOCK 1`])
})

test('paid twice: the second goes back; fifty at once are one', async () => {
  const made = await order()
  expect(await tell(noticeOf(made))).toBe('APPLIED')
  const twice = noticeOf(made)
  expect(
    await news(async () => {
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => tell({ ...twice, eventId: randomUUID() })),
      )
      expect(new Set(answers)).toEqual(new Set(['DUPLICATE']))
    }),
  ).toEqual([`PAYMENT_DOUBLE ${made.orderNum} TWICE 1`])
  expect(await state(made.orderNum)).toEqual({
    ledger: { '1001': 498, '2001': -248, '2901': -250 },
    cases: ['DUPLICATE_PAYMENT'],
    refunds: ['DUPLICATE 250'],
  })
})

test('an unknown order: in suspense of the platform', async () => {
  const notice = noticeOf({ outTradeNo: 'HDnobody', payableAmount: 700 })
  expect(
    await news(async () =>
      expect([await tell(notice), await tell({ ...notice, eventId: randomUUID() })]).toEqual([
        'UNKNOWN',
        'UNKNOWN',
      ]),
    ),
  ).toEqual(['PAYMENT_UNKNOWN HDnobody ORDER 2'])
  expect((await state(null)).ledger).toEqual({ '1001': 700, '2901': -700 })
})

test('one trade is booked once: in suspense or for an order, whichever came first, and for one sum', async () => {
  const [one, two] = [await order(2), await order(2)]
  const platform = (await state(null)).ledger['1001'] as number
  const lost = noticeOf({ outTradeNo: 'HDlost', payableAmount: 250 })
  expect(await tell(lost)).toBe('UNKNOWN')
  expect(
    await news(async () =>
      expect(await tell(noticeOf(one, { tradeNo: lost.tradeNo }))).toBe('MISMATCH'),
    ),
  ).toEqual([`PAYMENT_MISMATCH ${one.orderNum} TRADE 1`])
  expect(
    await news(async () =>
      expect(await tell({ ...lost, eventId: randomUUID(), amount: 900 })).toBe('MISMATCH'),
    ),
  ).toEqual(['PAYMENT_MISMATCH HDlost TRADE 1'])
  const paid = noticeOf(two)
  expect(await tell(paid)).toBe('APPLIED')
  expect(
    await news(async () =>
      expect(
        await tell(noticeOf({ ...two, outTradeNo: 'HDelse' }, { tradeNo: paid.tradeNo })),
      ).toBe('MISMATCH'),
    ),
  ).toEqual(['PAYMENT_MISMATCH HDelse TRADE 1'])
  expect([(await state(one.orderNum)).ledger, (await state(null)).ledger['1001']]).toEqual([
    {},
    platform + 250,
  ])
  // the order itself is still paid by a trade of its own
  expect(await tell(noticeOf(one))).toBe('APPLIED')
})

test('another currency or account is not our money; one trade pays one order; an event is not used twice', async () => {
  const [one, two] = [await order(), await order()]
  expect(await news(() => tell(noticeOf(one, { currency: 'USD' })))).toEqual([
    `PAYMENT_MISMATCH ${one.orderNum} CURRENCY 1`,
  ])
  expect(await news(() => tell(noticeOf(one, { merchant: 'somebody' })))).toEqual([
    `PAYMENT_MISMATCH ${one.orderNum} MERCHANT 1`,
  ])
  expect(await state(one.orderNum)).toEqual({ ledger: {}, cases: [], refunds: [] })
  const paid = noticeOf(one, { currency: 'CNY', merchant: 'SIMULATOR' })
  expect(await tell(paid)).toBe('APPLIED')
  expect(await news(() => tell(noticeOf(two, { tradeNo: paid.tradeNo })))).toEqual([
    `PAYMENT_MISMATCH ${two.orderNum} TRADE 1`,
  ])
  expect(await news(() => tell(noticeOf(two, { eventId: paid.eventId })))).toEqual([
    `PAYMENT_MISMATCH ${two.orderNum} EVENT 1`,
  ])
  expect(await state(two.orderNum)).toEqual({ ledger: {}, cases: [], refunds: [] })
})

test('at once as one after the other: an event says one thing, and a trade pays one order', async () => {
  const one = await order(2)
  const event = noticeOf(one)
  const told = await Promise.all(
    Array.from({ length: 10 }, (_, n) => tell({ ...event, tradeNo: randomUUID(), amount: n + 1 })),
  )
  expect(told, 'each says another sum, all under one event').toEqual(told.map(() => 'MISMATCH'))
  const { ledger, cases } = await state(one.orderNum)
  expect([
    ledger['1001'],
    cases,
    await world.sql('select outcome from payment_events where event_id = $1', [event.eventId]),
  ]).toEqual([-(ledger['2901'] as number), ['UNMATCHED_PAYMENT'], [{ outcome: 'MISMATCH' }]])
  const orders = await Promise.all(Array.from({ length: 3 }, () => order(2)))
  const tradeNo = randomUUID()
  const notices = orders.map((made) => noticeOf(made, { tradeNo }))
  const results = await Promise.all(notices.map(tell))
  expect(results.toSorted()).toEqual(['APPLIED', 'MISMATCH', 'MISMATCH'])
  const kept = await world.sql<{ outcome: string }>(
    'select outcome from payment_events where event_id = any($1)',
    [notices.map((notice) => notice.eventId)],
  )
  expect(kept.map((row) => row.outcome).toSorted()).toEqual(results.toSorted())
})

test('money for a closed order goes back, and the machine it happened at is named', async () => {
  const made = await order()
  await world.sql(`update orders set expire_at = $1 where order_num = $2`, [
    worldNow,
    made.orderNum,
  ])
  while ((await closeUnpaid(world.app)) > 0);
  expect(await news(async () => expect(await tell(noticeOf(made))).toBe('LATE'))).toEqual([
    'PAYMENT_LATE OWN0001 CLOSED 1',
  ])
  expect((await state(made.orderNum)).refunds).toEqual(['LATE_PAYMENT 250'])
})

test('the simulated channel answers a refund as it is told, and takes it in the end', async () => {
  const made = await order(2)
  expect(await tell(noticeOf(made))).toBe('APPLIED')
  await tell(noticeOf(made))
  const [row] = await world.sql<{ no: string }>(
    'select refund_no as no from refunds where order_num = $1',
    [made.orderNum],
  )
  simulatorFaults.set(row?.no as string, [{ state: 'PROCESSING' }])
  const states: string[] = []
  for (let n = 0; n < 2; n += 1) {
    await runDue(world.app, refundKind(world.app, providers(world.app)))
    const rows = await world.sql<{ state: string }>(
      'update refunds set next_at = $2 where refund_no = $1 and next_at is not null returning state',
      [row?.no, worldNow],
    )
    states.push(rows[0]?.state ?? 'over')
  }
  expect(states).toEqual(['PROCESSING', 'over'])
})

test('forged notices: refused, one row however many', async () => {
  const made = await order()
  const forged = { ...noticeOf(made), sign: 'f'.repeat(64) }
  const lines = await news(async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => world.call(payments.simulatorNotify, forged)),
    )
    expect(new Set(answers.map((a) => a.body.code))).toEqual(new Set([403020]))
  })
  expect(lines).toEqual(['PAYMENT_FORGED SIMULATOR null 1'])
  expect(
    await world.sql('select 1 from payment_events where event_id = $1', [forged.eventId]),
  ).toEqual([])
})

test('whoever may read them is told, and the books agree', async () => {
  expect(
    await world.sql(`select 1 from messages where link = '/log/security-events' limit 1`),
  ).toHaveLength(1)
  expect(await checkInvariants(world.ownerUrl)).toEqual([])
})

test('one event of two notices, one of which pays: both write the payment before the event, so neither waits for the other', async () => {
  // those of before are not paid: the phone may order again
  await world.sql(`update orders set expire_at = $1 where order_status = 'UNPAID'`, [worldNow])
  while ((await closeUnpaid(world.app)) > 0);
  const made = await order()
  const notice = noticeOf(made)
  const client = new pg.Client({ connectionString: world.ownerUrl })
  await client.connect()
  try {
    // what the notice that pays does, step by step
    await client.query(`select set_config('app.all', 'on', false)`)
    await client.query('begin')
    await client.query('update payments set provider_trade_no = $1 where out_trade_no = $2', [
      notice.tradeNo,
      made.outTradeNo,
    ])
    const other = tell({ ...notice, currency: 'USD' })
    const waiting = `select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(async () => (await world.sql(waiting)).length, { timeout: 10_000 }).toBe(1)
    await client.query(
      `insert into payment_events (org_id, payment_id, provider, event_id, kind, raw, outcome,
        created_at)
      select org_id, id, provider, $1, 'PAID', '{}', 'APPLIED', created_at from payments
      where out_trade_no = $2 on conflict (provider, event_id) do nothing`,
      [notice.eventId, made.outTradeNo],
    )
    await client.query('rollback')
    expect(await other).toBe('MISMATCH')
  } finally {
    await client.end()
  }
})
