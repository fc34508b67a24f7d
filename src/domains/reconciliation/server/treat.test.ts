import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { splitSales } from '../../../../test/support/splitSales.ts'
import { openWorld, restock, rowId, type World, worldNow } from '../../../../test/support/world.ts'
import { checkInvariants } from '../../../server/invariants.ts'
import { runDue } from '../../../server/work.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { orders } from '../../orders/contract.ts'
import { refundKind } from '../../orders/server/refunds.ts'
import { recordVend, takeCommands } from '../../orders/server/vend.ts'
import type { BillLine } from '../../payment-channels/server/channels.ts'
import { payments } from '../../payments/contract.ts'
import { simulated as account, keepBill } from '../../payments/server/bills.ts'
import { providers, simulatorFaults } from '../../payments/server/providers.ts'
import { takeIn } from '../../payments/server/takeIn.ts'
import { simulatorSign } from '../../payments/server/verbs.ts'
import { accrue } from '../../splits/server/accrue.ts'
import { reconciliation } from '../contract.ts'
import type { DifferenceKind, Treatment } from '../rules.ts'
import { crossDays } from './crossDays.ts'
import { reconcileDay, reconcilePart } from './run.ts'

/** What is done about a difference is done to the books, once, and the bill agrees afterwards. */
let world: World
let now = worldNow.getTime()
const day = shanghaiDay(worldNow)
/** A sale of that day that nothing is wrong with. */
let paidFor: Sold
let tokens: Record<'one' | 'two' | 'operator', string>
beforeAll(async () => {
  world = await openWorld({ now: () => new Date(now) })
  await splitSales(world, 'OWN')
  await world.sql('delete from reconciliation_differences')
  await world.sql('delete from reconciliation_runs')
  await signIn()
  for (const row of await world.sql<{ no: string; out: string; amount: string; fee: string }>(
    `select provider_trade_no as no, out_trade_no as out, amount, fee_amount as fee from payments
      where state = 'SUCCESS' and provider = 'SIMULATOR'`,
  ))
    says({ tradeNo: row.no, outTradeNo: row.out, amount: +row.amount, fee: +row.fee })
})
afterAll(() => world?.close())

/** The bill as its channel has it. */
const bill = new Map<string, BillLine>()
const says = (line: Pick<BillLine, 'tradeNo' | 'outTradeNo' | 'amount' | 'fee'>) =>
  bill.set(line.tradeNo, {
    ...{ kind: 'PAY', refundNo: null, at: new Date(worldNow), state: 'SUCCESS', ...line },
  })
async function compared(): Promise<void> {
  await keepBill(world.app, account, day, bill.values())
  await takeIn(world.app, account, day, 100)
  await reconcilePart(world.app, { part: 'BILL', day, account })
}

type Sold = { orderNum: string; tradeNo: string; outTradeNo: string; paymentId: number }
/** A can for ¥2.50, paid and vended; its fee is 2 fen (0.6 %). */
async function sell(result: 'OK' | 'BUSY' = 'OK'): Promise<Sold> {
  const { body: made, status } = await world.call(orders.mobileOrder, {
    rtuNumber: 'OWN0001',
    items: [{ roadIndex: 1, count: 1, price: 250 }],
    payType: 'WECHAT',
    clientId: randomUUID(),
  })
  expect(status, JSON.stringify(made)).toBe(200)
  const { outTradeNo, orderNum } = made as { outTradeNo: string; orderNum: string }
  const tradeNo = randomUUID()
  const notice = { eventId: randomUUID(), outTradeNo, tradeNo, amount: 250 }
  const paid = { ...notice, paidAt: new Date(now).toISOString() }
  await world.call(payments.simulatorNotify, {
    ...{ ...paid, sign: simulatorSign(world.app.config.simPayKey, paid) },
  })
  says({ tradeNo, outTradeNo, amount: 250, fee: 2 })
  await vended(result)
  const [row] = await world.sql<{ id: string }>(
    'select id from payments where provider_trade_no = $1',
    [tradeNo],
  )
  return { orderNum, tradeNo, outTradeNo, paymentId: Number(row?.id) }
}
async function vended(result: 'OK' | 'BUSY'): Promise<void> {
  const [device] = await world.sql<{ id: string }>(
    `select id from devices where rtu_number = 'OWN0001'`,
  )
  for (let turn = 0; turn < 5; turn += 1) {
    const commands = await takeCommands(world.app, [Number(device?.id)])
    if (!commands.length) return
    await world.system((ctx) =>
      recordVend(
        ctx,
        commands.map(({ cmdId, deviceId }) => ({
          ...{ kind: 'result' as const, deviceId, cmdId, result, dropDetected: result === 'OK' },
          ...{ durationMs: 900, at: new Date(now) },
        })),
      ),
    )
  }
}
const shared = async () => {
  while (await accrue(world.app));
}
const refunds = async () => {
  while (await runDue(world.app, refundKind(world.app, providers(world.app))));
}

/** Of an order: money by account, less what is nothing. */
const booked = async (orderNum: string | null) =>
  Object.fromEntries(
    (
      await world.sql<{ code: string; sum: string }>(
        `select a.code || case when a.code = '2002' then ' ' || e.org_id else '' end as code,
            sum(e.amount) as sum from ledger_entries e join ledger_accounts a on a.id = e.account_id
          where e.order_num is not distinct from $1 group by 1 having sum(e.amount) <> 0 order by 1`,
        [orderNum],
      )
    ).map((row) => [row.code, Number(row.sum)]),
  )
type Row = { id: number; version: number; state: string; treatment: string | null; kind: string }
const differences = async (subject: string): Promise<Row[]> =>
  (
    await world.sql<Row>(
      `select id, version, state, treatment, kind from reconciliation_differences
        where subject = $1 order by id`,
      [subject],
    )
  ).map((row) => ({ ...row, id: Number(row.id) }))
async function only(subject: string, kind: DifferenceKind): Promise<Row> {
  const rows = await differences(subject)
  expect(rows.map((row) => row.kind)).toEqual([kind])
  return rows[0] as Row
}
const resolve = ({ id, version }: Row, treatment: Treatment, token = tokens.one) =>
  world.call(reconciliation.resolve, { id, version, treatment, reason: '已与渠道核实' }, { token })
const approve = ({ id, version }: Row, token = tokens.two) =>
  world.call(reconciliation.approve, { id, version: version + 1 }, { token })
const clean = async () => expect(await checkInvariants(world.ownerUrl)).toEqual([])
/** Days later; everybody signs in again. */
async function pass(days: number): Promise<void> {
  now += days * 86_400_000
  await signIn()
}
async function signIn(): Promise<void> {
  tokens = {
    one: await world.login('PLATFORM_FULL'),
    two: await world.login('ROLE_SUPER_ADMIN'),
    operator: await world.login('ROLE_FINANCE'),
  }
}

test('a fee that differs by a fen is corrected by itself, before the shares and after them', async () => {
  const [before, after] = [await sell(), await sell()]
  paidFor = await sell()
  await world.sql('update split_orders set touched_at = null where order_num = $1', [
    before.orderNum,
  ])
  await shared()
  await world.sql('update split_orders set touched_at = created_at where order_num = $1', [
    before.orderNum,
  ])
  says({ ...before, amount: 250, fee: 3 })
  says({ ...after, amount: 250, fee: 1 })
  await compared()
  for (const { tradeNo } of [before, after])
    expect(await only(tradeNo, 'FEE')).toMatchObject({ state: 'RESOLVED', treatment: 'CORRECTED' })
  await compared()
  expect(await differences(before.tradeNo)).toHaveLength(1)
  expect(await booked(before.orderNum)).toMatchObject({ 1001: 247 })
  // whoever uploads bills again and again moves no fee fen by fen
  says({ ...before, amount: 250, fee: 4 })
  await compared()
  expect(await only(before.tradeNo, 'FEE')).toMatchObject({ state: 'OPEN' })
  expect(await booked(before.orderNum)).toMatchObject({ 1001: 247 })
  says({ ...before, amount: 250, fee: 3 })
  await compared()
  expect(await booked(after.orderNum)).toMatchObject({ 1001: 249 })
  await shared()
  await clean()
})

test('beyond a yuan of a bill no fee is corrected by itself', async () => {
  const [first, second] = [await sell(), await sell()]
  says({ ...first, amount: 250, fee: 3 })
  says({ ...second, amount: 250, fee: 120 })
  await compared()
  expect(await only(first.tradeNo, 'FEE')).toMatchObject({ state: 'RESOLVED' })
  const large = await only(second.tradeNo, 'FEE')
  expect(large).toMatchObject({ state: 'OPEN' })
  // an operator corrects nobody's books, and who asked does not agree
  expect((await resolve(large, 'CORRECTED', tokens.operator)).body).toMatchObject({
    error: 'reconciliation.needsPlatform',
  })
  await shared()
  expect((await resolve(large, 'CORRECTED')).body).toMatchObject({ state: 'REVIEW' })
  expect(await booked(second.orderNum)).toMatchObject({ 1001: 248 })
  expect((await approve(large, tokens.one)).body).toMatchObject({
    error: 'reconciliation.samePerson',
  })
  // ten at once have one effect
  const ten = await Promise.all(Array.from({ length: 10 }, () => approve(large)))
  expect(ten.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(409)])
  expect(await booked(second.orderNum)).toMatchObject({ 1001: 130 })
  await clean()
})

test('a fee that was corrected goes back with its piece', async () => {
  const sold = await sell('BUSY')
  await shared()
  says({ ...sold, amount: 250, fee: 3 })
  await compared()
  await refunds()
  await shared()
  expect(await booked(sold.orderNum)).toEqual({})
  await clean()
})

test('an amount that the channel says otherwise becomes its own, against money in suspense', async () => {
  const sold = await sell()
  says({ ...sold, amount: 300, fee: 2 })
  await compared()
  const row = await only(sold.tradeNo, 'AMOUNT')
  expect((await resolve(row, 'REFUNDED')).body).toMatchObject({ error: 'reconciliation.notSuch' })
  await resolve(row, 'CORRECTED')
  expect((await approve(row)).body).toMatchObject({ state: 'RESOLVED' })
  expect(await booked(null)).toEqual({ 1001: 50, 2901: -50 })
  const [voucher] = await world.sql<{ fact: string; same: boolean }>(
    `select to_char(fact_day, 'YYYY-MM-DD') as fact, key = 'adj:RD' || $1 as same
      from ledger_voucher_keys where key like 'adj:RD%'`,
    [row.id],
  )
  expect(voucher).toEqual({ fact: day, same: true })
  // taken up again it is not booked again
  const { body } = await world.call(
    reconciliation.reopen,
    { id: row.id, version: row.version + 2 },
    { token: tokens.one },
  )
  await resolve(body as Row, 'CORRECTED')
  expect((await approve(body as Row)).body).toMatchObject({
    error: 'reconciliation.correctedAlready',
  })
  await clean()
})

test('a channel that is asked: what it confirms is booked, a refund is asked for again', async () => {
  const sold = await sell('BUSY')
  await world.sql(`update refunds set state = 'FAILED', next_at = null where order_num = $1`, [
    sold.orderNum,
  ])
  const [refund] = await world.sql<{ no: string }>(
    'select refund_no as no from refunds where order_num = $1',
    [sold.orderNum],
  )
  const refundNo = refund?.no ?? ''
  bill.set(refundNo, {
    ...{ kind: 'REFUND', tradeNo: `SIM${refundNo}`, outTradeNo: sold.outTradeNo, refundNo },
    ...{ amount: 250, fee: 0, at: new Date(worldNow), state: 'SUCCESS' },
  })
  await compared()
  const row = await only(refundNo, 'STATUS')
  const asked = await world.call(
    reconciliation.ask,
    { id: row.id, version: row.version },
    { token: tokens.one },
  )
  expect(asked.body).toMatchObject({ answer: 'REFUNDING' })
  await refunds()
  await compared()
  expect(await only(refundNo, 'STATUS')).toMatchObject({ state: 'RESOLVED', treatment: null })
  expect(await booked(sold.orderNum)).toEqual({})
  await shared()
  await clean()
})

test('a refund that rests because its piece left is not asked for again', async () => {
  await restock(world, rowId('OWN', 1), 20)
  const sold = await sell()
  await world.sql(
    `insert into refunds (org_id, device_id, refund_no, payment_id, order_id, order_at, order_num,
        unit_id, unit_no, kind, amount, reason, automatic, state, created_at)
      select org_id, device_id, order_num || '-01', $2, order_id, created_at, order_num, id, 1,
        'UNIT', paid, 'NOT_DISPENSED', true, 'FAILED', now() from order_units where order_num = $1`,
    [sold.orderNum, sold.paymentId],
  )
  const refundNo = `${sold.orderNum}-01`
  bill.set(refundNo, {
    ...{ kind: 'REFUND', tradeNo: `SIM${refundNo}`, outTradeNo: sold.outTradeNo, refundNo },
    ...{ amount: 250, fee: 0, at: new Date(worldNow), state: 'SUCCESS' },
  })
  await compared()
  const row = await only(refundNo, 'STATUS')
  const asked = await world.call(
    reconciliation.ask,
    { id: row.id, version: row.version },
    { token: tokens.one },
  )
  expect(asked.body).toMatchObject({ answer: 'REFUND_FAILED' })
  await refunds()
  expect(
    await world.sql('select state, next_at from refunds where refund_no = $1', [refundNo]),
  ).toEqual([{ state: 'FAILED', next_at: null }])
  bill.delete(refundNo)
  await world.sql('delete from refunds where refund_no = $1', [refundNo])
  await compared()
  await clean()
})

test('paid twice: the second goes back, once for ten who say so, and the first never', async () => {
  const sold = await sell()
  const second = randomUUID()
  says({ ...sold, tradeNo: second, amount: 250, fee: 0 })
  // the first stands there twice as well
  await keepBill(world.app, account, day, [...bill.values(), bill.get(sold.tradeNo) as BillLine])
  await reconcilePart(world.app, { part: 'BILL', day, account })
  const first = await only(sold.tradeNo, 'DUPLICATE')
  expect((await resolve(first, 'REFUNDED')).body).toMatchObject({
    error: 'reconciliation.notInSuspense',
  })
  const row = await only(second, 'DUPLICATE')
  expect((await resolve(row, 'REFUNDED')).body).toMatchObject({
    error: 'reconciliation.notInBooks',
  })
  // taken in, its refund is refused by the channel: it waits for somebody
  await takeIn(world.app, account, day, 100)
  const given = () =>
    world.sql<{ no: string; state: string; amount: number }>(
      `select r.refund_no as no, r.state, r.amount::int from refunds r
        join payments p on p.id = r.payment_id where p.order_num = $1`,
      [sold.orderNum],
    )
  const [refund] = await given()
  simulatorFaults.set(refund?.no ?? '', [{ state: 'FAILED', reason: 'NOT_ENOUGH' }])
  await refunds()
  expect(await given()).toMatchObject([{ state: 'FAILED', amount: 250 }])
  const ten = await Promise.all(Array.from({ length: 10 }, () => resolve(row, 'REFUNDED')))
  expect(ten.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(409)])
  await refunds()
  expect(await given()).toMatchObject([{ state: 'SUCCESS', amount: 250 }])
  expect(await booked(sold.orderNum)).toMatchObject({ 1001: 248 })
  await compared()
  expect(await only(second, 'DUPLICATE')).toMatchObject({
    state: 'RESOLVED',
    treatment: 'REFUNDED',
  })
  await shared()
  await clean()
})

test('money that only the bill knew: it waits, goes back once, and nothing is left of it', async () => {
  const tradeNo = randomUUID()
  says({ tradeNo, outTradeNo: 'HDnobody', amount: 900, fee: 5 })
  await pass(1)
  // where money is real nobody is believed who writes a bill of the simulator
  const real = { ...world.app, config: { ...world.app.config, production: true } }
  await keepBill(world.app, account, day, bill.values())
  expect(await takeIn(real, account, day, 100)).toEqual({ taken: [], fault: null })
  await compared()
  const open = await only(tradeNo, 'CHANNEL_ONLY')
  expect(open).toMatchObject({ state: 'OPEN' })
  // beside what the case before this one left there
  expect(await booked(null)).toEqual({ 1001: 950, 2901: -950 })
  expect((await resolve(open, 'SUPPLEMENTED')).body).toMatchObject({
    error: 'reconciliation.noOrderYet',
  })
  expect((await resolve(open, 'CORRECTED')).body).toMatchObject({ state: 'REVIEW' })
  expect((await approve(open)).body).toMatchObject({ error: 'reconciliation.inSuspense' })
  const { body: again } = await world.call(
    reconciliation.claim,
    { id: open.id, version: open.version + 1 },
    { token: tokens.one },
  )
  const claimed = again as Row
  const ten = await Promise.all(Array.from({ length: 10 }, () => resolve(claimed, 'REFUNDED')))
  expect(ten.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(409)])
  const [refundNo] = await world.sql<{ no: string }>(
    `select refund_no as no from refunds r join payments p on p.id = r.payment_id
      where p.provider_trade_no = $1`,
    [tradeNo],
  )
  simulatorFaults.set(refundNo?.no ?? '', [{ state: 'RETRY', reason: 'ECONNRESET' }])
  await refunds()
  await world.sql(`update refunds set next_at = $2 where refund_no = $1`, [
    ...[refundNo?.no, new Date(now)],
  ])
  await refunds()
  expect(
    await world.sql(`select body_zh as text from messages where link like '/order/%null%'
      or title_zh like '%null%'`),
    'money of no order has no number',
  ).toEqual([])
  expect(
    await world.sql(`select body_zh as text from messages where title_zh = '未匹配款项退款成功'`),
  ).toEqual([{ text: '已退款 ¥9.00' }])
  expect(await booked(null)).toEqual({ 1001: 50, 2901: -50 })
  expect(
    await world.sql(
      `select r.state, r.amount::int from refunds r join payments p on p.id = r.payment_id
      where p.provider_trade_no = $1`,
      [tradeNo],
    ),
  ).toEqual([{ state: 'SUCCESS', amount: 900 }])
  expect(
    await world.sql(
      `select c.state from order_cases c join payments p on p.id = c.payment_id
      where p.provider_trade_no = $1`,
      [tradeNo],
    ),
  ).toEqual([{ state: 'DONE' }])
  await clean()
})

test('what nobody has for three days is asked of its channel, and somebody is told', async () => {
  const sold = paidFor
  bill.delete(sold.tradeNo)
  await pass(5)
  await compared()
  expect(await only(sold.tradeNo, 'LOCAL_ONLY')).toMatchObject({ state: 'OPEN' })
  // the keys of a merchant that comes first cannot be opened
  const [broken] = await world.sql<{ id: string }>(
    `update payment_configs set secrets = '\\x00', verified_at = now(), mch_id = '1900009009'
      where id = (select min(id) from payment_configs where org_id = 3) returning id`,
  )
  await world.sql(
    `with line as (insert into payment_bills (org_id, provider, config_id, day, kind, trade_no,
        out_trade_no, amount, fee, at, state, times, fetch_no, created_at)
      select 3, provider, id, $2::date - 1, 'PAY', 'T1', 'O1', 5, 0, now(), 'SUCCESS', 1, 1, now()
      from payment_configs where id = $1 returning *)
    insert into reconciliation_differences (org_id, day, part, provider, config_id, kind, subject,
      local_amount, other_amount, created_at)
    select org_id, day, 'BILL', provider, config_id, 'CHANNEL_ONLY', trade_no, 0, 5, now() from line`,
    [broken?.id, day],
  )
  await crossDays(world.app)
  expect(
    await world.sql(`select answer from reconciliation_differences where subject = 'T1'`),
  ).toEqual([{ answer: 'SILENT' }])
  const [row] = await world.sql(
    'select answer, state from reconciliation_differences where subject = $1',
    [sold.tradeNo],
  )
  expect(row).toEqual({ answer: 'ABSENT', state: 'OPEN' })
  expect(
    await world.sql(`select 1 from messages where title_zh like '%三天未匹配%' limit 1`),
  ).toHaveLength(1)
  // our own books of the day agree with themselves, whatever was corrected
  await reconcileDay(world.app, day)
  expect(
    await world.sql(
      `select kind, subject from reconciliation_differences where part <> 'BILL'
        and state = 'OPEN'`,
    ),
  ).toEqual([])
})

test('many are taken at once, each once', async () => {
  const [first] = await world.sql<{ id: string }>(
    `update reconciliation_differences set state = 'OPEN', handled_by = null
      where kind = 'LOCAL_ONLY' returning id`,
  )
  const take = (ids: number[]) =>
    world.call(reconciliation.claimMany, { ids }, { token: tokens.one })
  expect((await take([Number(first?.id)])).body).toEqual({ done: 1 })
  expect((await take([Number(first?.id)])).body).toEqual({ done: 0 })
  expect((await take([Number(first?.id), 987_654_321])).status).toBe(404)
})
