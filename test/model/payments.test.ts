import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { refreshDeviceCounters } from '../../src/domains/machines/server/counters.ts'
import { orders } from '../../src/domains/orders/contract.ts'
import {
  type Provider,
  type Providers,
  refundKind,
} from '../../src/domains/orders/server/refunds.ts'
import { closeUnpaid } from '../../src/domains/orders/server/timers.ts'
import { recordVend, takeCommands } from '../../src/domains/orders/server/vend.ts'
import type {
  BillLine,
  FundLine,
  RefundAnswer,
} from '../../src/domains/payment-channels/server/channels.ts'
import { payments } from '../../src/domains/payments/contract.ts'
import { simulated as account, keepBill } from '../../src/domains/payments/server/bills.ts'
import { fundLines, keepFunds } from '../../src/domains/payments/server/funds.ts'
import { simulatorSign } from '../../src/domains/payments/server/verbs.ts'
import { reconcileDay, reconcilePart } from '../../src/domains/reconciliation/server/run.ts'
import { moveStock } from '../../src/domains/stock/server/move.ts'
import { createRandom, type Random } from '../../src/seed/random.ts'
import { withClient } from '../../src/server/catalogue.ts'
import { checkInvariants } from '../../src/server/invariants.ts'
import { runDue } from '../../src/server/work.ts'
import { addDays, shanghaiDay } from '../../src/shared/instants.ts'
import { openWorld, type World, widenLimits } from '../support/world.ts'

/**
 * T17: a channel that says things twice, late, in the wrong order, wrongly signed, of other sums
 * and accounts, and whose refunds answer late, not at all, or after they were done. It keeps its
 * own books; at the end both agree, and what is then broken on either side is found: all of it, and
 * nothing else.
 */
const runs = Number(process.env.T17_RUNS ?? 300)
const seed = process.env.MODEL_SEED ?? String(Date.now() % 1_000_000)
const workers = 8
const fee = (amount: number) => Math.floor((amount * 60 + 5000) / 10_000)

let world: World
// in the evening: the runs cross midnight
const begin = new Date('2026-11-22T13:00:00Z').getTime()
let now = begin
let machines: { id: number; rtuNumber: string }[] = []
beforeAll(async () => {
  world = await openWorld({ now: () => new Date(now) })
  machines = (
    await world.sql<{ id: string; rtu_number: string }>(
      `select d.id, d.rtu_number from devices d join device_states s on s.device_id = d.id
        where d.lifecycle = 'OPERATING' and s.online and exists (select 1 from lanes l
          where l.device_id = d.id and l.product_id is not null) order by d.id`,
    )
  ).map((row) => ({ id: Number(row.id), rtuNumber: row.rtu_number }))
  await widenLimits(world)
  now += 1000
  await world.sql('update lanes set capacity = 199, warn_qty = 0 where product_id is not null')
  await refill()
  for (const line of await settledBefore()) remember(line)
})
afterAll(async () => world?.close())

/** What the channel knows: its books, by its own numbers. */
const channel = new Map<string, BillLine>()
const remember = (line: BillLine) => channel.set(`${line.kind} ${line.tradeNo}`, line)
/** Refunds it was asked for: under one number one thing is done, once. */
const back = new Map<string, { amount: number; done: boolean }>()
const skew = (random: Random) => new Date(now + random.int(-60_000, 60_000))

/** What the world sold before the channel began to misbehave. */
async function settledBefore(): Promise<BillLine[]> {
  const at = new Date(begin)
  const paid = await world.sql<{ no: string; out: string; amount: string }>(
    `select provider_trade_no as no, out_trade_no as out, amount from payments where state = 'SUCCESS'`,
  )
  const given = await world.sql<{ no: string; out: string; amount: string; refund: string }>(
    `select r.provider_refund_no as no, p.out_trade_no as out, r.amount, r.refund_no as refund
      from refunds r join payments p on p.id = r.payment_id where r.state = 'SUCCESS'`,
  )
  const common = { at, state: 'SUCCESS' } as const
  return [
    ...paid.map(({ no, out, amount }) => ({
      ...{ kind: 'PAY' as const, tradeNo: no, outTradeNo: out, refundNo: null },
      ...{ amount: Number(amount), fee: fee(Number(amount)), ...common },
    })),
    ...given.map(({ no, out, amount, refund }) => ({
      ...{ kind: 'REFUND' as const, tradeNo: no, outTradeNo: out, refundNo: refund },
      ...{ amount: Number(amount), fee: 0, ...common },
    })),
  ]
}

async function refill(): Promise<void> {
  await world.system(async (ctx) => {
    const rows = await world.sql<{ id: string; room: number }>(
      `select id, capacity - quantity as room from lanes
        where product_id is not null and archived_at is null and capacity - quantity > 50`,
    )
    const flow = { type: 'MERCHANT_REPLENISH', reason: 'REFILL', actorKind: 'SYSTEM' } as const
    await moveStock(
      ctx,
      rows.map(({ id, room }) => ({
        laneId: Number(id),
        flow: { ...flow, change: room, occurredAt: ctx.now },
      })),
    )
    refreshDeviceCounters(
      ctx,
      machines.map((m) => m.id),
    )
  })
}

type Made = { orderNum: string; outTradeNo: string; payableAmount: number }
type Notice = {
  eventId: string
  outTradeNo: string
  tradeNo: string
  amount: number
  paidAt: string
  currency?: string
  merchant?: string
}
/** Notices that arrive when others have long been told. */
const late: Notice[] = []
const refused = new Set<string>()
const signed = (notice: Notice) => ({
  ...notice,
  sign: simulatorSign(world.app.config.simPayKey, notice),
})
async function tell(notice: Notice): Promise<void> {
  const { status, body } = await world.call(payments.simulatorNotify, signed(notice))
  if (status !== 200) refused.add(`${status} ${body.error}`)
}

/** Money that arrives at the channel, and one to three notices of it, in any order. */
async function arrives(random: Random, made: Made, amount = made.payableAmount): Promise<void> {
  const tradeNo = randomUUID()
  const line = { kind: 'PAY', tradeNo, outTradeNo: made.outTradeNo, refundNo: null } as const
  remember({ ...line, amount, fee: fee(amount), at: skew(random), state: 'SUCCESS' })
  const notice = {
    outTradeNo: made.outTradeNo,
    tradeNo,
    amount,
    paidAt: new Date(now).toISOString(),
  }
  const all = Array.from({ length: random.int(1, 3) }, () => ({ ...notice, eventId: randomUUID() }))
  if (random.chance(0.5)) all.push(...all)
  const [first, ...others] = all
  late.push(...others.filter(() => random.chance(0.4)))
  const soon = [first, ...others.filter((o) => !late.includes(o))] as Notice[]
  // what is not the channel's word, or not of our money
  if (random.chance(0.15)) soon.unshift({ ...notice, eventId: randomUUID(), merchant: 'somebody' })
  if (random.chance(0.15)) soon.unshift({ ...notice, eventId: randomUUID(), currency: 'USD' })
  if (random.chance(0.15)) {
    const forged = { ...signed({ ...notice, eventId: randomUUID() }), amount: amount + 1 }
    expect((await world.call(payments.simulatorNotify, forged)).status).toBe(403)
  }
  if (random.chance(0.5)) await Promise.all(soon.map(tell))
  else for (const one of soon) await tell(one)
}

/** Runs in which somebody bought something; the others were refused (sold out, too many unpaid). */
let sold = 0
async function run(random: Random, machine: (typeof machines)[number]): Promise<void> {
  now += random.int(0, 2000)
  const { body: shelf } = await world.call(orders.mobileLanes, { rtuNumber: machine.rtuNumber })
  const lane = shelf.list?.length
    ? random.pick<{ roadIndex: number; price: number }>(shelf.list)
    : null
  // a machine that is not sold from goes on giving out what was paid: it would be busy for ever
  if (!lane) return vend(random, machine)
  const answer = await world.call(orders.mobileOrder, {
    rtuNumber: machine.rtuNumber,
    items: [{ roadIndex: lane.roadIndex, count: random.int(1, 3), price: lane.price }],
    payType: 'WECHAT',
    clientId: randomUUID(),
    consumer: '',
  })
  if (answer.status !== 200) return vend(random, machine)
  sold += 1
  const made = answer.body as Made
  // money for an order that nobody knows
  if (random.chance(0.05)) await arrives(random, { ...made, outTradeNo: `HD${randomUUID()}` })
  const dice = random.next()
  if (dice < 0.08) {
    // closed before it is paid; the channel takes the money all the same
    await world.sql('update orders set expire_at = $1 where order_num = $2', [
      new Date(now),
      made.orderNum,
    ])
    while ((await closeUnpaid(world.app)) > 0);
    if (random.chance(0.7)) await arrives(random, made)
  } else {
    if (dice < 0.18) await arrives(random, made, made.payableAmount + random.int(1, 50))
    await arrives(random, made)
    if (dice > 0.92) await arrives(random, made)
  }
  if (late.length > 20 || random.chance(0.3))
    for (const notice of late.splice(0, random.int(1, 10))) await tell(notice)
  await vend(random, machine)
  if (random.chance(0.5)) await runDue(world.app, refundKind(world.app, moody(random)))
}

async function vend(random: Random, machine: (typeof machines)[number]): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) {
    const commands = await takeCommands(world.app, [machine.id])
    if (!commands.length) return
    await world.system((ctx) =>
      recordVend(
        ctx,
        commands.map(({ cmdId, deviceId }) => {
          const result = random.chance(0.4) ? 'BUSY' : 'OK'
          return {
            ...{ kind: 'result' as const, deviceId, cmdId, result, dropDetected: result === 'OK' },
            ...{ durationMs: 900, at: new Date(now) },
          }
        }),
      ),
    )
  }
}

/** The same number is the same refund: done once, whatever was answered and however often asked. */
function moody(random: Random | null): Providers {
  const refund: Provider['refund'] = async ({ refundNo, outTradeNo, amount }) => {
    const before = back.get(refundNo)
    if (before) expect(amount, `one sum for ${refundNo}`).toBe(before.amount)
    const known = before ?? { amount, done: false }
    back.set(refundNo, known)
    const answer = (): RefundAnswer => {
      if (!known.done) {
        known.done = true
        const line = { kind: 'REFUND', tradeNo: `R${refundNo}`, outTradeNo, refundNo } as const
        const at = random ? skew(random) : new Date(now)
        remember({ ...line, amount, fee: 0, at, state: 'SUCCESS' })
      }
      return { state: 'SUCCESS', providerRefundNo: `R${refundNo}` }
    }
    const dice = random?.next() ?? 1
    if (dice < 0.12) throw new Error('timed out before it was done')
    if (dice < 0.24) {
      answer()
      throw new Error('timed out after it was done')
    }
    if (dice < 0.3) return { state: 'RETRY', reason: 'SYSTEMERROR' }
    if (dice < 0.36) return { state: 'PROCESSING' }
    if (dice < 0.42) {
      answer()
      return { state: 'PROCESSING' }
    }
    if (dice < 0.43) return { state: 'FAILED', reason: 'NOT_ENOUGH' }
    return answer()
  }
  const one = { refund }
  return { SIMULATOR: one, WECHAT: one, ALIPAY: one }
}

/** What is left comes to its end: late notices, refunds that wait. */
async function drain(): Promise<void> {
  for (const notice of late.splice(0)) await tell(notice)
  const random = createRandom(`${seed} drain`)
  for (let turn = 0; turn < 60; turn += 1) {
    for (const machine of machines) await vend(random, machine)
    for (let n = 0; n < 200; n += 1)
      if (!(await runDue(world.app, refundKind(world.app, moody(turn < 8 ? random : null))))) break
    const [left] = await world.sql<{ count: string }>(
      `select count(*) from refunds where next_at is not null`,
    )
    if (!Number(left?.count)) return
    now += turn < 8 ? 120_000 : 21_700_000
  }
}

const days = () => {
  const all = []
  for (let day = shanghaiDay(new Date(begin - 86_400_000)); day <= shanghaiDay(new Date(now)); )
    day = addDays(all[all.push(day) - 1] as string, 1)
  return all
}
const billed = (lines: Iterable<BillLine>) => Map.groupBy(lines, (line) => shanghaiDay(line.at))

/**
 * What moved on the channel's account: each trade with its fee, each refund with what comes back of
 * it; `gone` left on that day and nobody says why.
 */
function flows(lines: Iterable<BillLine>, gone: string | null): Map<string, FundLine[]> {
  const paid = new Map<string, { amount: number; fee: number; given: number }>()
  const moved: Omit<FundLine, 'balance'>[] = []
  const inOrder = [...lines].filter(({ state }) => state === 'SUCCESS')
  inOrder.sort((a, b) => (a.kind === b.kind ? +a.at - +b.at : a.kind === 'PAY' ? -1 : 1))
  for (const line of inOrder) {
    const { kind, outTradeNo, amount, fee } = line
    if (kind === 'PAY') {
      // refunds name their trade by our number, which two may have: the one of their amount
      if (!paid.has(outTradeNo)) paid.set(outTradeNo, { amount, fee, given: 0 })
      moved.push(...fundLines(line))
      continue
    }
    const of = tradeOf.get(line.refundNo ?? '') ?? paid.get(outTradeNo)
    const share = (given: number) => (of ? Math.floor((of.fee * given) / of.amount) : 0)
    const back = of ? share(of.given + amount) - share(of.given) : 0
    if (of) of.given += amount
    moved.push(...fundLines(line, back))
  }
  if (gone)
    moved.push({
      ...{ kind: 'OTHER', flowNo: 'GONE', tradeNo: '', outNo: '', amount: -77 },
      at: new Date(`${gone}T12:00:00+08:00`),
    })
  moved.sort((a, b) => +a.at - +b.at)
  let balance = 0
  const all = moved.map((line): FundLine => {
    balance += line.amount
    return { ...line, balance }
  })
  return Map.groupBy(all, (line) => shanghaiDay(line.at))
}
/** Of which trade a refund is, by its number. */
const tradeOf = new Map<string, { amount: number; fee: number; given: number }>()
async function nameTrades(): Promise<void> {
  tradeOf.clear()
  const trades = new Map<string, { amount: number; fee: number; given: number }>()
  for (const { no, trade, amount } of await world.sql<{
    no: string
    trade: string
    amount: string
  }>(`select r.refund_no as no, p.provider_trade_no as trade, p.amount
    from refunds r join payments p on p.id = r.payment_id where p.provider_trade_no is not null`)) {
    const of = trades.get(trade) ?? { amount: +amount, fee: fee(+amount), given: 0 }
    trades.set(trade, of)
    tradeOf.set(no, of)
  }
}

/** Differences that are open, as `kind subject`; of balances, their day. */
async function found(lines: Iterable<BillLine>, gone: string | null = null): Promise<string[]> {
  const bills = billed(lines)
  await nameTrades()
  const moved = flows(channel.values(), gone)
  for (const day of days()) {
    await keepBill(world.app, account, day, bills.get(day) ?? [])
    await keepFunds(world.app, account, day, moved.get(day) ?? [])
    await reconcileDay(world.app, day, true)
  }
  // the other half of a difference may lie in the bill of the day after
  for (const day of days())
    for (const part of ['BILL', 'FUND'] as const)
      await reconcilePart(world.app, { part, day, account })
  const rows = await world.sql<{ said: string }>(
    `select distinct kind || ' ' || case kind when 'BALANCE' then day::text else subject end as said
      from reconciliation_differences
      where state = 'OPEN' and created_at >= $1`,
    [new Date(begin)],
  )
  return rows.map((row) => row.said).toSorted()
}

/** What differs by itself: the channel did what it then said had failed. */
async function honest(): Promise<string[]> {
  const rows = await world.sql<{ refund_no: string }>(
    `select refund_no from refunds where state <> 'SUCCESS'`,
  )
  return rows
    .filter(({ refund_no }) => back.get(refund_no)?.done)
    .map(({ refund_no }) => `STATUS ${refund_no}`)
    .toSorted()
}

/** What the ledger has of channel money, by day. */
const ledgerByDay = async () =>
  new Map(
    (
      await world.sql<{ day: string; fen: string }>(
        `select to_char(e.created_at at time zone 'Asia/Shanghai', 'YYYY-MM-DD') as day,
            sum(e.amount) as fen from ledger_entries e join ledger_accounts a on a.id = e.account_id
          where a.code = '1001' and a.config_id is null group by 1`,
      )
    ).map((row) => [row.day, Number(row.fen)]),
  )
/** By how much the channel has less than our books, day by day, as long as nobody breaks anything. */
async function honestGaps(): Promise<Map<string, number>> {
  const numbers = new Set((await honest()).map((said) => said.replace('STATUS ', '')))
  await nameTrades()
  const gaps = new Map<string, number>()
  for (const [day, lines] of flows(channel.values(), null))
    for (const { outNo, amount } of lines)
      if (numbers.has(outNo)) gaps.set(day, (gaps.get(day) ?? 0) - amount)
  return gaps
}
const unbalanced = (gaps: ReadonlyMap<string, number>) =>
  [...gaps].filter(([, fen]) => fen !== 0).map(([day]) => `BALANCE ${day}`)

test(`T17 ${runs} runs, seed ${seed}`, { timeout: Math.max(600_000, runs * 200) }, async () => {
  let left = runs
  await Promise.all(
    Array.from({ length: workers }, async (_, n) => {
      const random = createRandom(`${seed} ${n}`)
      while (left > 0) {
        left -= 1
        if (left % 100 === 0) await refill()
        await run(random, machines[n % machines.length] as (typeof machines)[number])
      }
    }),
  )
  await drain()
  // what was booked in the last minutes of a day is looked for in the bill of the day after
  now += 86_400_000
  expect(sold, 'most runs are purchases').toBeGreaterThan(runs / 2)
  expect([...refused], 'what is signed is answered').toEqual([])
  expect(await checkInvariants(world.ownerUrl)).toEqual([])

  // one refund per number, one number per piece, and never more than was taken
  const given = await world.sql<{ refund_no: string; amount: string; state: string }>(
    `select refund_no, amount, state from refunds where provider_refund_no like 'R%' or state <> 'SUCCESS'`,
  )
  expect(given.filter((r) => r.state === 'SUCCESS' && !back.get(r.refund_no)?.done)).toEqual([])
  const numbers = new Set(given.map((row) => row.refund_no))
  expect([...back].filter(([no, { done }]) => done && !numbers.has(no))).toEqual([])
  expect(
    await world.sql(`select payment_id from refunds where state = 'SUCCESS' group by 1
      having sum(amount) > (select amount from payments p where p.id = payment_id)`),
  ).toEqual([])

  const usual = await honest()
  const gaps = await honestGaps()
  expect(await found(channel.values()), 'nothing false').toEqual(
    [...usual, ...unbalanced(gaps)].toSorted(),
  )

  const before = await ledgerByDay()
  const seeded = await damage(createRandom(`${seed} damage`))
  expect(seeded.expected.length, 'every kind of damage').toBeGreaterThan(20)
  // money left the channel, and vouchers of channel money were broken
  const gone = shanghaiDay(new Date(begin))
  gaps.set(gone, (gaps.get(gone) ?? 0) + 77)
  for (const [day, fen] of await ledgerByDay())
    gaps.set(day, (gaps.get(day) ?? 0) + fen - (before.get(day) ?? 0))
  expect(unbalanced(gaps), 'balances are broken').not.toEqual([])
  expect(await found(seeded.lines, gone), 'all that was broken, and nothing else').toEqual(
    [...new Set([...usual, ...seeded.expected, ...unbalanced(gaps)])].toSorted(),
  )
})

/** Breaks both sides, each thing in its own order: what must be found, and the bill as it is then. */
async function damage(random: Random): Promise<{ expected: string[]; lines: BillLine[] }> {
  const expected: string[] = []
  const lines = new Map(channel)
  const known = await world.sql<{
    order_num: string
    id: string
    out: string
    trade: string
    payment: string
    amount: string
    refund: string | null
    part: boolean
  }>(
    `select o.order_num, o.id, p.out_trade_no as out, p.provider_trade_no as trade,
        p.id as payment, p.amount, (select min(refund_no) from refunds r where r.payment_id = p.id
          and r.state = 'SUCCESS' and not exists (select from refunds f
            where f.payment_id = p.id and f.state <> 'SUCCESS')) as refund,
        o.pay_state = 'PART_REFUNDED' as part
      from orders o join payments p on p.order_id = o.id and p.applied
      where o.final_at is not null and o.created_at > $1 order by o.id`,
    [new Date(begin)],
  )
  const free = new Set(known)
  const take = (refunded: boolean, part = false) => {
    const fit = [...free].filter((row) => (row.refund !== null) === refunded && (row.part || !part))
    const row = random.pick(fit)
    free.delete(row)
    return row
  }
  const line = (kind: 'PAY' | 'REFUND', no: string) => {
    const key = `${kind} ${no}`
    return [key, lines.get(key) as BillLine] as const
  }
  const broken: [string, unknown[]][] = []
  const times = Math.max(1, Math.floor(runs / 1000))
  for (let n = 0; n < times; n += 1) {
    // the bill
    let of = take(false)
    lines.delete(line('PAY', of.trade)[0])
    expected.push(`LOCAL_ONLY ${of.trade}`)
    const stranger = randomUUID()
    const strange = { ...line('PAY', take(false).trade)[1], tradeNo: stranger, outTradeNo: 'HDx' }
    lines.set(`PAY ${stranger}`, strange)
    expected.push(`CHANNEL_ONLY ${stranger}`)
    of = take(false)
    const [key, pay] = line('PAY', of.trade)
    lines.set(key, { ...pay, amount: pay.amount + 1 })
    expected.push(`AMOUNT ${of.trade}`)
    of = take(false)
    const [feeKey, feed] = line('PAY', of.trade)
    lines.set(feeKey, { ...feed, fee: feed.fee + 2 })
    expected.push(`FEE ${of.trade}`)
    of = take(false)
    const [stateKey, stated] = line('PAY', of.trade)
    lines.set(stateKey, { ...stated, state: 'FAILED' })
    expected.push(`STATUS ${of.trade}`)
    of = take(false)
    const twice = randomUUID()
    lines.set(`PAY ${twice}`, { ...line('PAY', of.trade)[1], tradeNo: twice })
    expected.push(`DUPLICATE ${twice}`)
    // money of which nobody told us, for an order that was closed
    const [unheard] = await world.sql<{ out: string }>(
      `select out_trade_no as out from payments p where state = 'CLOSED'
        and not exists (select from payments s where s.order_id = p.order_id and s.id <> p.id)
        and created_at > $1 order by id offset $2 limit 1`,
      [new Date(begin), n],
    )
    if (unheard) {
      const silent = randomUUID()
      lines.set(`PAY ${silent}`, { ...strange, tradeNo: silent, outTradeNo: unheard.out })
      expected.push(`STATUS ${silent}`)
    }
    of = take(true)
    lines.delete(line('REFUND', `R${of.refund}`)[0])
    expected.push(`LOCAL_ONLY ${of.refund}`)
    of = take(true)
    const [backKey, given] = line('REFUND', `R${of.refund}`)
    lines.set(backKey, { ...given, amount: given.amount + 1 })
    expected.push(`AMOUNT ${of.refund}`)
    of = take(true)
    const again = `Z${of.refund}`
    const second = { ...line('REFUND', `R${of.refund}`)[1], tradeNo: again }
    lines.set(`REFUND ${again}`, { ...second, at: new Date(second.at.getTime() + 1) })
    expected.push(`DUPLICATE ${again}`)
    // our books
    const orderBreaks = [
      ['ORDER_AMOUNT', 'cost_amount = cost_amount + 1'],
      ['ORDER_FINAL', 'final_at = null'],
    ] as const
    for (const [kind, set] of orderBreaks) {
      of = take(false)
      broken.push([`update orders set ${set} where order_num = $1`, [of.order_num]])
      expected.push(`${kind} ${of.order_num}`)
    }
    of = take(false)
    broken.push(['update payments set amount = amount + 1 where id = $1', [of.payment]])
    expected.push(`ORDER_PAYMENT ${of.order_num}`, `PAYMENT_LEDGER ${of.out}`, `AMOUNT ${of.trade}`)
    of = take(true, true)
    broken.push([
      'update orders set refunded_amount = refunded_amount - 1 where order_num = $1',
      [of.order_num],
    ])
    expected.push(`ORDER_REFUNDED ${of.order_num}`)
    of = take(true)
    broken.push([
      'update payments set refunded_amount = refunded_amount - 1 where id = $1',
      [of.payment],
    ])
    expected.push(`PAYMENT_REFUNDED ${of.out}`)
    const voucher = 'voucher_id = (select voucher_id from ledger_voucher_keys where key = $1)'
    of = take(false)
    broken.push([`delete from ledger_entries where ${voucher}`, [`in:${of.payment}`]])
    expected.push(`PAYMENT_LEDGER ${of.out}`)
    of = take(false)
    broken.push([`delete from ledger_entries where ${voucher}`, [`fee:${of.payment}`]])
    expected.push(`FEE_LEDGER ${of.out}`)
    of = take(false)
    broken.push([
      `update ledger_entries set amount = amount - 1 where amount < 0 and ${voucher}`,
      [`fee:${of.payment}`],
    ])
    expected.push(`VOUCHER_BALANCE fee:${of.payment}`)
    of = take(true)
    broken.push([`delete from ledger_entries where ${voucher}`, [`rf:${of.refund}`]])
    expected.push(`REFUND_UNBOOKED ${of.refund}`)
    of = take(true)
    broken.push([
      `update ledger_entries set amount = amount * 2 where ${voucher}`,
      [`rf:${of.refund}`],
    ])
    expected.push(`REFUND_LEDGER ${of.out}`)
    for (const [kind, made] of [
      ['LEDGER_PAYMENT', `in:${900_000_000 + n}`],
      ['LEDGER_REFUND', `rf:nobody-${n}`],
    ] as const) {
      of = take(false)
      broken.push([
        `with k as (insert into ledger_voucher_keys (key, voucher_id, org_id, created_at)
          select $1, nextval('ledger_vouchers_id_seq'), org_id, created_at
          from ledger_voucher_keys where key = $2 returning *)
        insert into ledger_entries (org_id, created_at, voucher_id, voucher_type, account_id, amount,
          order_num)
        select k.org_id, k.created_at, k.voucher_id, e.voucher_type, e.account_id, e.amount, null
        from k, ledger_entries e
        where e.voucher_id = (select voucher_id from ledger_voucher_keys where key = $2)`,
        [made, `in:${of.payment}`],
      ])
      expected.push(`${kind} ${made}`)
    }
    of = take(true)
    broken.push([
      `update order_units set refund_state = 'PENDING' where id = (select unit_id from refunds
        where refund_no = $1)`,
      [of.refund],
    ])
    expected.push(`REFUND_PIECE ${of.refund}`, `ORDER_FINAL ${of.order_num}`)
  }
  // goods
  const pieces = await world.sql<{ id: string; no: string; flow: string; waste: string }>(
    `select u.id, u.order_num || '-' || u.unit_no as no, f.id as flow, f.waste_num as waste
      from order_units u join stock_flows f on f.id = u.flow_id
      where u.created_at > $1 order by u.id limit 2`,
    [new Date(begin)],
  )
  broken.push(['delete from stock_flow_keys where unit_id = $1', [pieces[0]?.id]])
  broken.push([
    `update stock_flows f set unit_id = (select id from order_units u where u.org_id = f.org_id
      and u.vend_state = 'FAILED' order by id limit 1) where id = $1`,
    [pieces[1]?.flow],
  ])
  for (const { no } of pieces) expected.push(`PIECE_FLOW ${no}`)
  expected.push(`FLOW_PIECE ${pieces[1]?.waste}`)
  const [refilled] = await world.sql<{ id: string; no: string }>(
    `select id, waste_num as no from stock_flows
      where reason = 'REFILL' and created_at > $1 order by id limit 1`,
    [new Date(begin)],
  )
  broken.push([
    `update stock_flows set before_total = before_total + 1, change_total = change_total - 1
      where id = $1`,
    [refilled?.id],
  ])
  expected.push(`FLOW_CHAIN ${refilled?.no}`)
  const lanes = await world.sql<{ id: string; said: string }>(
    `select l.id, d.rtu_number || '/' || l.road_index as said from lanes l
      join devices d on d.id = l.device_id where l.product_id is not null and l.quantity > 5
        and l.archived_at is null order by l.id limit 2`,
  )
  broken.push(['update lanes set quantity = quantity - 1 where id = $1', [lanes[0]?.id]])
  expected.push(`LANE_QUANTITY ${lanes[0]?.said}`)
  broken.push(['update lanes set failed_hold = failed_hold + 1 where id = $1', [lanes[1]?.id]])
  expected.push(`LANE_HOLDS ${lanes[1]?.said}`)

  await withClient(world.ownerUrl, async (owner) => {
    await owner.query(`select set_config('app.all', 'on', false)`)
    await owner.query('set session_replication_role = replica')
    for (const [text, values] of broken) {
      const { rowCount } = await owner.query(text, values)
      expect(rowCount, `${text} ${values.join()}`).toBeGreaterThan(0)
    }
  })
  return { expected, lines: [...lines.values()] }
}
