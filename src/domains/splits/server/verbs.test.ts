import { afterAll, beforeAll, expect, test } from 'vitest'
import { splitSales } from '../../../../test/support/splitSales.ts'
import { openWorld, restock, rowId, type World, worldNow } from '../../../../test/support/world.ts'
import { checkInvariants } from '../../../server/invariants.ts'
import { bySystem } from '../../../server/run.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { notYetOf } from '../../ledger/server/owed.ts'
import { type SplitRow, splits } from '../contract.ts'
import type { Calendar } from '../settlementContract.ts'
import { accrue, foldDues, settleDue } from './accrue.ts'
import { guardFreeze, registerSplitJobs } from './jobs.ts'

let world: World
let now = worldNow.getTime()
let finance: string
let other: string
beforeAll(async () => {
  world = await openWorld({ now: () => new Date(now) })
  await splitSales(world, 'OWN')
  finance = await world.login('ROLE_FULL')
  other = await world.login('ROLE_SUPER_ADMIN')
})
afterAll(() => world?.close())

async function sold(): Promise<SplitRow> {
  const orderNum = await world.sell('OWN', ['OK'])
  await accrue(world.app)
  const { body } = await world.call(splits.list, { orderNum }, { token: finance })
  return body.list[0]
}
const ask = async (
  endpoint: typeof splits.run | typeof splits.retry | typeof splits.toLedger,
  { id, version }: { id: number; version: number },
  token = finance,
) => {
  const { status, body } = await world.call(endpoint, { id, version }, { token })
  return status === 200 ? body.state : body.error
}
const again = async ({ id }: { id: number }) =>
  (await world.call(splits.get, { id }, { token: finance })).body

test('a split order shows what each party has of it', async () => {
  const one = await sold()
  expect(one).toMatchObject({
    ...{ state: 'READY', paid: 250, fee: 2, failReason: null },
    shares: [
      { orgId: 3, isCollector: true, given: 213 },
      { orgId: 1, given: 12 },
      { orgId: 2, given: 25 },
    ],
    can: { run: true, retry: false, toLedger: false },
  })
  expect(await again(one)).toMatchObject({ units: [{ unitNo: 1, gives: [213, 12, 25] }] })
})

test('what is done by the clock is known from the start, and once', async () => {
  const names: string[] = []
  const known = (name: string) => void names.push(name)
  const app = {
    ...world.app,
    jobs: {
      ...world.app.jobs,
      every: known,
      work: () => {},
      schedule: async (name: string) => known(name),
    },
  }
  await registerSplitJobs(app)
  await guardFreeze(app)
  expect(names).toEqual(['split-accrual', 'split-dues', 'split-freeze-guard'])
})

test('at once: not within a minute of the payment, once, and done by the loop', async () => {
  const one = await sold()
  expect(await ask(splits.run, one)).toBe('splits.tooSoon')
  now += 61_000
  expect(await ask(splits.run, one)).toBe('READY')
  expect(await ask(splits.run, one)).toBe('splits.wrongState')
  expect(await settleDue(world.app)).toBe(1)
  expect(await again(one)).toMatchObject({ state: 'DONE', can: { run: false } })
})

test('what does not agree is looked at again when somebody says so', async () => {
  const one = await sold()
  expect(await ask(splits.retry, one)).toBe('splits.wrongState')
  await world.sql(`update split_orders set fail_reason = 'PENDING_MISMATCH' where id = $1`, [
    one.id,
  ])
  const odd = await world.call(splits.list, { odd: true }, { token: finance })
  expect(odd.body.list.map(({ id }: { id: number }) => id)).toEqual([one.id])
  expect(await ask(splits.retry, one)).toBe('READY')
  expect(await accrue(world.app)).toBe(1)
  expect(await again(one)).toMatchObject({ failReason: null, state: 'READY' })
})

test('the ledger settles what a channel did not, when two people say so', async () => {
  const one = await sold()
  expect(await ask(splits.toLedger, one)).toBe('splits.wrongState')
  await world.sql(`update split_orders set mode = 'CHANNEL' where id = $1`, [one.id])
  now += 3_700_000
  // it is due, and no channel has it
  await settleDue(world.app)
  expect(await ask(splits.toLedger, one)).toBe('READY')
  const asked = await again(one)
  expect(asked).toMatchObject({ ledgerBy: expect.any(String), can: { toLedger: false } })
  expect(await ask(splits.toLedger, asked)).toBe('splits.samePerson')
  // a second pair of hands of the collector would let it keep what the channel owes others
  const [colleague] = await world.sql<{ id: number }>(
    `select id::int from users where username = 'ROLE_CLERK'`,
  )
  const askedBy = (id: unknown) =>
    world.sql('update split_orders set ledger_by = $2 where id = $1 returning ledger_by', [
      one.id,
      id,
    ])
  await askedBy(colleague?.id)
  expect((await again(one)).can.toLedger).toBe(false)
  expect(await ask(splits.toLedger, asked)).toBe('splits.platformAgrees')
  expect(await ask(splits.toLedger, asked, other)).toBe('DONE')
})

test('the timeline of an order says where its money stands, and what may be had of it', async () => {
  const read = async (orderNum: string, token = finance) =>
    (await world.call(splits.settlement, { orderNum }, { token })).body
  const notYet = () => bySystem(world.app, (ctx) => notYetOf(ctx, 2))
  const before = await notYet()
  const { orderNum, dueAt } = await again(await sold())
  expect(await read(orderNum)).toMatchObject({
    orderNum,
    paid: 250,
    splits: [
      {
        state: 'READY',
        standing: 'DUE',
        steps: [
          { key: 'PAID', amount: 250, expected: null },
          { key: 'FINAL', at: expect.any(String) },
          { key: 'ACCRUED', amount: 250 },
          { key: 'DUE', at: null, expected: dueAt },
          { key: 'DONE', at: null, expected: dueAt },
        ],
        shares: [{ orgId: 3 }, { orgId: 1 }, { orgId: 2, given: 25, debt: 0 }],
      },
    ],
  })
  expect(await notYet()).toBe(before + 25)
  now += 3_700_000
  await settleDue(world.app)
  expect(await read(orderNum)).toMatchObject({
    splits: [
      { state: 'DONE', standing: null, steps: [{}, {}, {}, { at: dueAt }, { amount: 250 }] },
    ],
  })
  expect(await notYet()).toBeLessThan(before + 25)
  // an order of others, one that is none, and one whose machine has no strategy
  const foreign = await world.sell('SIBLING', ['OK'])
  expect((await read(foreign)).error).toBe('common.notFound')
  expect((await read('99999999000000000000')).error).toBe('common.notFound')
  expect(await read(foreign, other)).toMatchObject({ splits: [] })
})

test('a debt is given up by two; whoever bears it is owed as much', async () => {
  await world.sql('delete from split_debts')
  const one = await sold()
  const of = await again(one)
  // the agent owes thirty fen of a refund, as `accrue` books it
  await world.sql(
    `with k as (insert into ledger_voucher_keys (key, voucher_id, org_id, created_at)
        values ('sr:R:2', nextval('ledger_vouchers_id_seq'), 3, $1::timestamptz) returning *),
      a as (insert into ledger_accounts (org_id, code) values (2, '1101') returning id)
    insert into ledger_entries (org_id, created_at, voucher_id, voucher_type, account_id, amount)
    select x.org, k.created_at, k.voucher_id, 'V7', x.id, x.amount from k, (
      select 2 as org, id, 30 as amount from a union all
      select 3, id, -30 from ledger_accounts where org_id = 3 and code = '2001') x`,
    [worldNow],
  )
  await world.sql(
    `insert into split_debts (org_id, device_id, split_id, order_num, refund_no, collector_org_id,
      party_org_id, amount, created_at)
    select org_id, device_id, id, order_num, 'R', 3, 2, 30, $2 from split_orders where id = $1`,
    [one.id, worldNow],
  )
  const find = async () => (await world.call(splits.debts, {}, { token: other })).body.list[0]
  const debt = await find()
  expect(debt).toMatchObject({ orderNum: of.orderNum, rest: 30, offBy: null, age: 0 })
  const off = async (token: string, { id, version } = debt) => {
    const input = { id, version, reason: '无法收回' }
    const { status, body } = await world.call(splits.writeOff, input, { token })
    return status === 200 ? body.rest : (body.error ?? status)
  }
  // it is the platform's alone
  expect(await off(finance)).toBe('common.forbidden')
  expect(await off(other)).toBe(30)
  expect(await off(other, await find())).toBe('splits.samePerson')
  const second = await world.login('PLATFORM_FULL')
  const holds = await world.sql<{ balance: string }>(
    `select balance from ledger_balances where org_id = 3 and code = '2002'`,
  )
  expect(Number(holds[0]?.balance)).toBeGreaterThan(30)
  const twice = await Promise.all([1, 2, 3].map(async () => off(second, await find())))
  expect(twice.filter((answer) => answer === 0)).toHaveLength(1)
  const left = await world.sql<{ balance: string }>(
    `select balance from ledger_balances where org_id = 3 and code = '2002'`,
  )
  expect(Number(left[0]?.balance)).toBe(Number(holds[0]?.balance) - 30)
  expect(await checkInvariants(world.ownerUrl)).toEqual([])
})

test('the calendar shows what is due, and what banks bring behind a holiday', async () => {
  const ask = async (input: Record<string, unknown> = {}, token = other) =>
    (await world.call(splits.calendar, input, { token })).body as Calendar
  now += 3_700_000
  await settleDue(world.app)
  await foldDues(world.app)
  // of 250 the channel keeps 2; what was settled before is of other days of the bank
  const today = shanghaiDay(new Date(now))
  await world.sql(`delete from day_types where day between $1::date and $1::date + 4`, [today])
  await world.sql(
    `insert into day_types (org_id, day, type, name) select 1, $1::date + n,
      case when n = 3 then 'MAKEUP' else 'HOLIDAY' end, '节' from generate_series(1, 3) n`,
    [today],
  )
  await restock(world, rowId('OWN', 1), 20)
  await world.sql(`update split_orders set mode = 'LEDGER'`)
  const empty = await ask()
  expect([empty.days.length, empty.overdue, empty.days[0]?.day]).toEqual([14, 0, today])
  const one = await sold()
  const two = await sold()
  // one goes through the channel, and banks do not work until three days later
  await world.sql(`update split_orders set mode = 'CHANNEL' where id = $1`, [two.id])
  const full = await ask()
  const before = empty.days[0]?.ledger as number
  expect(full.days[0]).toMatchObject({ ledger: before + 248, channel: 248, arrives: 0 })
  expect(full.days[3]).toMatchObject({ type: 'MAKEUP', name: '节', ledger: 0, arrives: 248 })
  const bank = await ask({ day: full.days[3]?.day })
  const gets = (orgId: number, fee = 0) => ({
    ...{ orgId, name: expect.any(String), ledger: 0, channel: 0 },
    arrives: (two.shares.find((share) => share.orgId === orgId)?.given ?? 0) - fee,
  })
  expect(bank.parties).toEqual([gets(3, 2), gets(2), gets(1)])
  // the rows say the same when they were added up; each sees his own parties
  await foldDues(world.app)
  expect(await ask()).toEqual(full)
  const own = await ask({}, finance)
  expect(own.parties.map(({ orgId }) => orgId)).toEqual([3])
  expect(own.days[3]?.arrives).toBe(gets(3, 2).arrives)
  expect((await ask({ orgId: 2 })).parties.map(({ orgId }) => orgId)).toEqual([3, 2])
  // not settled when it was due: the bank has it later; and some wait for a person
  now += 86_400_000
  finance = await world.login('ROLE_FULL')
  other = await world.login('ROLE_SUPER_ADMIN')
  await world.sql('update split_orders set due_at = null where id = $1', [one.id])
  const later = await ask()
  expect([later.overdue, later.manual]).toEqual([248, empty.manual + 248])
  expect(later.days[2]?.arrives).toBe(248)
  expect(await checkInvariants(world.ownerUrl)).toEqual([])
  await world.sql(`update split_orders set due_at = $2, mode = 'LEDGER' where id = any($1)`, [
    [one.id, two.id],
    new Date(now),
  ])
  expect(await settleDue(world.app)).toBe(2)
})
