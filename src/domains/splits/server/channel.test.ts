import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { channelSales, receivers } from '../../../../test/support/channelSales.ts'
import { splitSales } from '../../../../test/support/splitSales.ts'
import {
  openWorld,
  place,
  restock,
  rowId,
  type World,
  worldNow,
} from '../../../../test/support/world.ts'
import { checkInvariants } from '../../../server/invariants.ts'
import { runDue } from '../../../server/work.ts'
import { notYetOf } from '../../ledger/server/owed.ts'
import { orders } from '../../orders/contract.ts'
import { refundKind } from '../../orders/server/refunds.ts'
import { splitFaults } from '../../payment-channels/server/splitSimulator.ts'
import { providers } from '../../payments/server/providers.ts'
import { verifyDay } from '../../reconciliation/server/run.ts'
import { splits } from '../contract.ts'
import { accrue, settleDue } from './accrue.ts'
import { guardFreeze, registerSplitJobs } from './jobs.ts'
import { returnKind } from './returns.ts'
import { beginDue, releaseDue, splitKind } from './send.ts'

/** Shares that the simulated channel pays: 250 fen are 213, 12 and 25. */
let world: World
let now = worldNow.getTime()
let finance: string
beforeAll(async () => {
  world = await openWorld({ now: () => new Date(now) })
  await world.sql('delete from split_debts')
  await splitSales(world, 'OWN')
  await channelSales(world)
})
afterAll(() => world?.close())
/** Hours go by in these tests. */
async function signIn(): Promise<void> {
  finance = await world.login('ROLE_FULL')
}
beforeEach(async () => {
  splitFaults.clear()
  await signIn()
  await restock(world, rowId('OWN', 1), 10)
})

const send = () => runDue(world.app, splitKind(world.app))
const goBack = () => runDue(world.app, returnKind(world.app))
const pass = (seconds: number) => {
  now += seconds * 1000
}
/** Sold and shared out; due in an hour. */
async function sold(pieces = 1): Promise<string> {
  const orderNum = await world.sell('OWN', Array<'OK'>(pieces).fill('OK'))
  await accrue(world.app)
  return orderNum
}
async function begun(pieces = 1): Promise<string> {
  const orderNum = await sold(pieces)
  pass(3601)
  expect(await settleDue(world.app)).toBe(0)
  expect(await beginDue(world.app)).toBeGreaterThan(0)
  return orderNum
}
async function done(pieces = 1): Promise<string> {
  const orderNum = await begun(pieces)
  await send()
  return orderNum
}
const read = async (orderNum: string) => {
  const { body } = await world.call(splits.list, { orderNum }, { token: finance })
  return (await world.call(splits.get, { id: body.list[0].id }, { token: finance })).body
}
const states = async (orderNum: string) => {
  const { state, shares } = await read(orderNum)
  return [state, ...shares.map((share: { state: string }) => share.state)]
}
async function refund(orderNum: string, most = 9): Promise<void> {
  const units = await world.sql<{ id: number }>(
    `select id::int from order_units where order_num = $1 and refund_state is null
      order by unit_no limit $2`,
    [orderNum, most],
  )
  const answer = await world.call(
    orders.refund,
    { orderNum, unitIds: units.map(({ id }) => id), reason: 'OTHER', remark: '测试' },
    { token: finance },
  )
  expect(answer.status).toBe(200)
  while (await runDue(world.app, refundKind(world.app, providers(world.app))));
  await accrue(world.app)
}
const act = async (
  endpoint: typeof splits.run | typeof splits.retry | typeof splits.toLedger,
  { id, version }: { id: number; version: number },
  token = finance,
) => {
  const { status, body } = await world.call(endpoint, { id, version }, { token })
  return status === 200 ? body.state : body.error
}
const entries = async (orderNum: string, ...types: string[]) =>
  (
    await world.sql<{ line: string }>(
      `select e.voucher_type || ' ' || a.org_id || ' ' || a.code || ' ' || e.amount as line
      from ledger_entries e join ledger_accounts a on a.id = e.account_id
      where e.order_num = $1 and e.voucher_type = any($2) order by e.voucher_id, e.amount desc`,
      [orderNum, types],
    )
  ).map(({ line }) => line)
/** What of the money that the agent is owed it may have now. */
const mayHave = async () => {
  const [owed] = await world.sql<{ fen: number }>(
    `select coalesce(sum(balance), 0)::int as fen from ledger_balances
      where org_id = 2 and code = '2002'`,
  )
  return (owed?.fen ?? 0) - (await world.system((ctx) => notYetOf(ctx, 2)))
}
/** What was noted as due since then. */
const noted = async (since: number) =>
  (
    await world.sql<{ line: string }>(
      `select concat_ws(' ', org_id, mode, done, case when org_id = 2 then sum(amount) end) as line
      from split_dues where id > $1 group by org_id, mode, done having sum(amount) <> 0
      order by org_id, mode, done`,
      [since],
    )
  ).map(({ line }) => line)
const lastDue = async () =>
  (await world.sql<{ id: number }>('select coalesce(max(id), 0)::int as id from split_dues'))[0]
    ?.id ?? 0
const agree = async () => {
  expect(await checkInvariants(world.ownerUrl)).toEqual([])
  expect(await verifyDay(world.app, '2026-11-21')).toEqual([])
}
const is = (account: string, what: object) =>
  world.sql(`update simulated_splits set body = $2 where no = $1`, [
    `RCV ${account}`,
    JSON.stringify(what),
  ])

test('what is due goes to the channel, is booked for each party, and the rest is let go of', async () => {
  const orderNum = await begun()
  expect(await states(orderNum)).toEqual(['SPLITTING', 'LEDGER', 'SENDING', 'SENDING'])
  expect(await releaseDue(world.app)).toBe(0)
  await send()
  expect(await states(orderNum)).toEqual(['DONE', 'LEDGER', 'PAID', 'PAID'])
  expect(await entries(orderNum, 'V4')).toEqual([
    ...['V4 1 2002 12', 'V4 3 1001 -12', 'V4 2 2002 25', 'V4 3 1001 -25'],
  ])
  expect(await releaseDue(world.app)).toBe(1)
  await send()
  expect(await releaseDue(world.app)).toBe(0)
  expect((await read(orderNum)).requests).toMatchObject([
    { requestNo: `${orderNum}-S1`, kind: 'SPLIT', state: 'DONE', channelNo: `SIM${orderNum}-S1` },
    { requestNo: `${orderNum}-F`, kind: 'RELEASE', state: 'DONE' },
  ])
  await agree()
})

test.each(['DROPPED', 'LOST', 'LATE', 'SHORT', 'UNCLEAR'] as const)(
  'a channel that is %s pays once, under one number',
  async (fault) => {
    const orderNum = await begun()
    splitFaults.set(`${orderNum}-S1`, [fault])
    await send()
    expect((await states(orderNum))[0]).toBe('SPLITTING')
    expect(await entries(orderNum, 'V4')).toEqual([])
    pass(40)
    await send()
    expect((await states(orderNum))[0]).toBe('DONE')
    expect(await entries(orderNum, 'V4')).toHaveLength(4)
    await agree()
  },
)

test('a receiver that is refused leaves it partly done; the next number is for him alone', async () => {
  await is(receivers[2], { refuses: true })
  const orderNum = await done()
  expect(await states(orderNum)).toEqual(['PARTIAL', 'LEDGER', 'PAID', 'FAILED'])
  expect(await entries(orderNum, 'V4')).toEqual(['V4 1 2002 12', 'V4 3 1001 -12'])
  // nobody lets go of money that somebody still waits for
  await releaseDue(world.app)
  expect((await read(orderNum)).requests).toHaveLength(1)
  await agree()
  await is(receivers[2], {})
  const partial = await read(orderNum)
  expect(partial.shares[2]).toMatchObject({ failReason: 'ACCOUNT_ABNORMAL', sent: 25 })
  expect(await act(splits.retry, partial)).toBe('SPLITTING')
  await send()
  expect(await states(orderNum)).toEqual(['DONE', 'LEDGER', 'PAID', 'PAID'])
  expect(
    (await read(orderNum)).requests.map((one: { requestNo: string }) => one.requestNo),
  ).toEqual([...[`${orderNum}-S1`, `${orderNum}-S1-2`]])
  expect(await entries(orderNum, 'V4')).toHaveLength(4)
  await agree()
})

test('what the channel refuses as a whole stays with the ledger when two people say so', async () => {
  const orderNum = await begun()
  splitFaults.set(`${orderNum}-S1`, ['REFUSED'])
  await send()
  expect(await states(orderNum)).toEqual(['PARTIAL', 'LEDGER', 'FAILED', 'FAILED'])
  const partial = await read(orderNum)
  const all = await Promise.all([
    ...[1, 2, 3, 4, 5].map(() => act(splits.toLedger, partial)),
    ...[1, 2, 3, 4, 5].map(() => act(splits.retry, partial)),
  ])
  expect(all.filter((one) => one === 'PARTIAL' || one === 'SPLITTING')).toHaveLength(1)
  if (all.includes('SPLITTING')) {
    splitFaults.set(`${orderNum}-S1-2`, ['REFUSED'])
    await send()
    expect(await act(splits.toLedger, await read(orderNum))).toBe('PARTIAL')
  }
  const other = await world.login('ROLE_SUPER_ADMIN')
  expect(await act(splits.toLedger, await read(orderNum), other)).toBe('DONE')
  expect(await entries(orderNum, 'V4')).toEqual([])
  await releaseDue(world.app)
  expect((await read(orderNum)).requests).toContainEqual(
    expect.objectContaining({ requestNo: `${orderNum}-F` }),
  )
  await agree()
})

test('ten at once who split now do it once', async () => {
  const orderNum = await sold()
  pass(61)
  const one = await read(orderNum)
  const all = await Promise.all(Array.from({ length: 10 }, () => act(splits.run, one)))
  expect(all.filter((state) => state === 'READY')).toHaveLength(1)
  await Promise.all([beginDue(world.app), beginDue(world.app), beginDue(world.app)])
  await Promise.all([send(), send(), send()])
  expect((await states(orderNum))[0]).toBe('DONE')
  expect(await entries(orderNum, 'V4')).toHaveLength(4)
})

test('a party without a receiver keeps the order waiting, and says so', async () => {
  const of = 'party_org_id = 2 and org_id = $1'
  const set = (state: string) =>
    world.sql(`update split_receivers set state = $2 where ${of}`, [place.OWN, state])
  await set('FAILED')
  const orderNum = await sold()
  pass(3601)
  expect(await beginDue(world.app)).toBe(1)
  expect(await beginDue(world.app)).toBe(0)
  const waiting = await read(orderNum)
  expect(waiting).toMatchObject({ state: 'READY', failReason: 'NO_RECEIVER', can: { retry: true } })
  await set('REGISTERED')
  expect(await act(splits.retry, waiting)).toBe('READY')
  await beginDue(world.app)
  await send()
  expect((await states(orderNum))[0]).toBe('DONE')
})

test('a refund takes shares back through the channel: part of an order, then all of it', async () => {
  const orderNum = await done(2)
  await refund(orderNum, 1)
  expect((await states(orderNum))[0]).toBe('RETURNING')
  expect(await entries(orderNum, 'V7')).toContain('V7 2 1101 25')
  await agree()
  await goBack()
  expect((await states(orderNum))[0]).toBe('DONE')
  // whichever came first
  expect((await entries(orderNum, 'V7b')).sort()).toEqual([
    ...['V7b 1 1101 -12', 'V7b 2 1101 -25', 'V7b 3 1001 12', 'V7b 3 1001 25'],
  ])
  await refund(orderNum)
  await goBack()
  const all = await read(orderNum)
  expect(all).toMatchObject({ state: 'RETURNED' })
  expect(all.returns).toHaveLength(4)
  expect(all.returns[0]).toMatchObject({ state: 'DONE', returnNo: `${orderNum}-01R1` })
  await agree()
})

test.each(['DROPPED', 'LOST', 'LATE', 'UNCLEAR'] as const)(
  'a return whose answer is %s is booked once',
  async (fault) => {
    const orderNum = await done()
    await refund(orderNum)
    splitFaults.set(`${orderNum}-01R2`, [fault])
    await goBack()
    expect((await states(orderNum))[0]).toBe('RETURNING')
    pass(100)
    await goBack()
    expect((await states(orderNum))[0]).toBe('RETURNED')
    expect(await entries(orderNum, 'V7b')).toHaveLength(4)
    await agree()
  },
)

test('a channel that says more came back than was asked for is believed so far', async () => {
  const orderNum = await done()
  await refund(orderNum)
  splitFaults.set(`${orderNum}-01R1`, ['LOST'])
  splitFaults.set(`${orderNum}-01R2`, ['LOST'])
  await goBack()
  await world.sql(`update simulated_splits set body = body || '{"amount": 2500}' where no = $1`, [
    `${orderNum}-01R1`,
  ])
  pass(100)
  await goBack()
  const { returns } = await read(orderNum)
  expect(returns[0]).toMatchObject({ state: 'DONE', came: returns[0].amount })
  await agree()
})

test('who lets nothing be taken back, or has nothing for a day, owes it; his next share pays', async () => {
  await is(receivers[2], { short: true })
  await is(receivers[1], { consents: false })
  const orderNum = await done()
  await refund(orderNum)
  await goBack()
  expect((await states(orderNum))[0]).toBe('RETURNING')
  for (let hour = 0; hour < 30; hour += 1) {
    pass(3601)
    await goBack()
  }
  await signIn()
  const { state, returns } = await read(orderNum)
  expect([state, ...returns.map((one: { failReason: string }) => one.failReason)]).toEqual([
    ...['RETURNED', 'NO_AUTH', 'NOT_ENOUGH'],
  ])
  const debts = await world.sql<{ party: number; rest: number }>(
    `select party_org_id::int as party, rest::int from split_debts where order_num = $1 order by 1`,
    [orderNum],
  )
  expect(debts).toEqual([
    { party: 1, rest: 12 },
    { party: 2, rest: 25 },
  ])
  await agree()
  await is(receivers[2], {})
  // half of each share pays; the channel sends the other half
  const next = await done()
  await signIn()
  expect(await entries(next, 'V4')).toContain('V4 2 2002 13')
  // and who once refused is not asked again
  await refund(next)
  expect((await read(next)).returns[0]).toMatchObject({ state: 'DEBT', failReason: 'NO_CONSENT' })
  await goBack()
  expect((await states(next))[0]).toBe('RETURNED')
  await agree()
})

test('what a person may not be sent this month stays in the ledger, and nobody has to do anything', async () => {
  const personal = (kind: string) =>
    world.sql(
      `update split_receivers set kind = $1, return_consent = case $1 when 'MERCHANT_ID' then null
        else false end where party_org_id = 2 and config_id is null`,
      [kind],
    )
  await is(receivers[2], { limited: true })
  // of a company the same word is a failure
  expect((await states(await done()))[0]).toBe('PARTIAL')
  await personal('PERSONAL_OPENID')
  const before = await mayHave()
  const orderNum = await done()
  expect(await states(orderNum)).toEqual(['DONE', 'LEDGER', 'PAID', 'LEDGER'])
  const share = (await read(orderNum)).shares[2]
  expect(share).toMatchObject({ given: 25, sent: 0, failReason: 'RECEIVER_RECEIPT_LIMIT' })
  // what an earlier refund left it owing is taken first
  expect(await mayHave()).toBe(before + 25 - share.netted)
  expect(await entries(orderNum, 'V4')).toHaveLength(2)
  // nothing of it is taken back through the channel
  await refund(orderNum)
  await goBack()
  expect((await states(orderNum))[0]).toBe('RETURNED')
  await personal('MERCHANT_ID')
  await is(receivers[2], {})
  await agree()
})

test('a refund while the channel pays waits for what it says', async () => {
  const orderNum = await begun()
  await signIn()
  await refund(orderNum)
  expect(await states(orderNum)).toEqual(['SPLITTING', 'LEDGER', 'SENDING', 'SENDING'])
  await send()
  await accrue(world.app)
  expect((await states(orderNum))[0]).toBe('RETURNING')
  await goBack()
  expect((await states(orderNum))[0]).toBe('RETURNED')
  await agree()
})

test('what was not split in time is settled by the ledger; what is on its way is not', async () => {
  await is(receivers[2], { refuses: true })
  const partial = await done()
  const ready = await sold()
  const going = await begun()
  splitFaults.set(`${going}-S1`, ['UNCLEAR'])
  await send()
  await world.sql(`update split_orders set due_at = null where order_num = $1`, [ready])
  await is(receivers[2], {})
  const was = now
  pass(178 * 86_400)
  await guardFreeze(world.app)
  await signIn()
  expect((await states(partial))[0]).toBe('PARTIAL')
  const told = await world.sql<{ why: string }>(
    `select detail ->> 'why' as why from security_events where kind = 'PAYMENT_CHANNEL'`,
  )
  expect(told.map(({ why }) => why)).toContain('FREEZE')
  const heard = await world.sql<{ username: string }>(
    `select distinct u.username from messages m join users u on u.id = m.user_id
      where m.title_zh like '%冻结期' order by 1`,
  )
  expect(heard.map(({ username }) => username)).toContain('ROLE_FULL')
  pass(3 * 86_400)
  await guardFreeze(world.app)
  now = was
  await signIn()
  expect([(await states(partial))[0], (await states(ready))[0], (await states(going))[0]]).toEqual([
    ...['DONE', 'DONE', 'SPLITTING'],
  ])
  pass(60)
  await send()
  await agree()
})

test('a rest that no channel lets go of is in nobody’s way, and asked for again by a person', async () => {
  const orderNum = await done()
  splitFaults.set(`${orderNum}-F`, Array(60).fill('UNCLEAR'))
  expect(await releaseDue(world.app)).toBeGreaterThan(0)
  while (await send());
  const [open] = await world.sql(
    `select count(*)::int as n from split_orders where mode = 'CHANNEL' and unfrozen_at is null
      and state in ('DONE','CLOSED','RETURNING','RETURNED')`,
  )
  expect(open, 'nothing is looked at every five seconds').toEqual({ n: 0 })
  await world.sql(
    `update split_requests set next_at = null where request_no = $1 and state = 'SENDING'`,
    [`${orderNum}-F`],
  )
  splitFaults.clear()
  const given = await read(orderNum)
  expect(given).toMatchObject({ state: 'DONE', can: { retry: true } })
  expect(await act(splits.retry, given)).toBe('DONE')
  await send()
  const after = await read(orderNum)
  expect(after.requests).toMatchObject([{ kind: 'SPLIT' }, { kind: 'RELEASE', state: 'DONE' }])
  expect(after.can.retry).toBe(false)
})

test('its loops run from the start, and no schedule adds one', async () => {
  const loops: string[] = []
  const jobs = {
    ...world.app.jobs,
    work: () => {},
    schedule: async () => {},
    every: (name: string) => void loops.push(name),
  }
  const app = { ...world.app, jobs }
  await registerSplitJobs(app)
  expect(loops).toEqual(['split-accrual', 'split-dues'])
  await guardFreeze(app)
  expect(loops).toHaveLength(2)
})

test('what a channel paid takes nothing of what the ledger pays; what it did not pay, once settled, does', async () => {
  const before = await mayHave()
  let since = await lastDue()
  await is(receivers[1], { refuses: true })
  const orderNum = await done()
  // the agent has its 25 at the channel: nothing is held back for them
  expect((await states(orderNum))[0]).toBe('PARTIAL')
  expect(await mayHave()).toBe(before)
  expect(await noted(since)).toEqual([
    ...['1 CHANNEL f', '2 CHANNEL t 25', `${place.OWN} CHANNEL f`],
  ])
  await is(receivers[1], {})
  await is(receivers[2], { refuses: true })
  since = await lastDue()
  const other = await done()
  expect(await act(splits.toLedger, await read(other))).toBe('PARTIAL')
  const second = await world.login('ROLE_SUPER_ADMIN')
  expect(await act(splits.toLedger, await read(other), second)).toBe('DONE')
  // and this share is the ledger's now: due, and no bank's
  expect(await mayHave()).toBe(before + 25)
  expect(await noted(since)).toEqual([
    ...['1 CHANNEL t', '2 LEDGER t 25', `${place.OWN} CHANNEL t`],
  ])
  await is(receivers[2], {})
  // what is on its way back is nobody's: it is not due any more, and not to be had
  const gone = await done()
  await refund(gone)
  expect(await mayHave()).toBe(before + 25)
  await goBack()
  expect(await mayHave()).toBe(before + 25)
  await agree()
})
