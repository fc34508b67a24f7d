import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, place, rowId, type World, worldNow } from '../../../../test/support/world.ts'
import { withClient } from '../../../server/catalogue.ts'
import { runDue } from '../../../server/work.ts'
import { keepBill, simulated } from '../../payments/server/bills.ts'
import { fetchBill } from '../../payments/server/fetchBill.ts'
import { reconciliation } from '../contract.ts'
import { askForBills, billKind } from './billRun.ts'
import { reconcile, reconcileDay, reconcilePart, verifyDay } from './run.ts'

/** The day of the sales of this world is over. */
let world: World
let now = worldNow.getTime()
const day = '2026-11-21'
let finance: string
beforeAll(async () => {
  world = await openWorld({ now: () => new Date(now) })
  now += 86_400_000
  // its samples show the work list
  await world.sql('delete from reconciliation_differences')
  await world.sql('delete from reconciliation_runs')
  await world.sql('delete from ledger_days')
  finance = await world.login('ROLE_FULL')
})
afterAll(() => world?.close())

const open = () =>
  world.sql<{ kind: string; org_id: number; state: string }>(
    `select kind, org_id::int, state from reconciliation_differences order by id`,
  )
/** As nobody can: constraints that are triggers do not see it. */
const behind = (text: string) =>
  withClient(world.ownerUrl, async (owner) => {
    await owner.query(
      `select set_config('app.all', 'on', false); set session_replication_role = replica; ${text}`,
    )
  })
const own = `org_id = ${place.OWN}`

test('what agrees has no difference, and the day is done part by part', async () => {
  expect(await verifyDay(world.app, day)).toEqual([])
  await reconcile(world.app)
  await askForBills(world.app)
  while (await runDue(world.app, billKind(world.app)));
  expect(await open()).toEqual([])
  const parts = await world.sql<{ part: string }>(
    `select part from reconciliation_runs where org_id = 1 and day = $1 order by id`,
    [day],
  )
  expect(parts.map((row) => row.part)).toEqual([
    ...['ORDERS', 'PAYMENTS', 'REFUNDS', 'STOCK', 'LEDGER', 'BILL', 'FUND', 'SPLIT'],
  ])
})

test('a run that was broken off goes on with what is missing', async () => {
  await world.sql(`delete from reconciliation_runs where part in ('STOCK','LEDGER') and day = $1`, [
    day,
  ])
  const before = await world.sql<{ id: string }>(
    `select id from reconciliation_runs where part = 'ORDERS' and org_id = 1 and day = $1`,
    [day],
  )
  now += 60_000
  await reconcileDay(world.app, day)
  const rows = await world.sql<{ part: string; at: Date }>(
    `select part, finished_at as at from reconciliation_runs where org_id = 1 and day = $1
      and finished_at = $2 order by id`,
    [day, new Date(now)],
  )
  expect(rows.map((row) => row.part)).toEqual(['STOCK', 'LEDGER'])
  expect(before).toHaveLength(1)
})

test('a difference is kept once, told once, and settled when it was mended', async () => {
  await behind(`update orders set cost_amount = cost_amount + 1 where ${own}`)
  await reconcileDay(world.app, day, true)
  await reconcileDay(world.app, day, true)
  const [row, ...others] = await open()
  expect([row, others]).toEqual([{ kind: 'ORDER_AMOUNT', org_id: place.OWN, state: 'OPEN' }, []])
  const told = await world.sql(`select 1 from messages where title_zh like '%对账发现%'`)
  await reconcileDay(world.app, day, true)
  expect(told.length).toBeGreaterThan(0)
  expect(await world.sql(`select 1 from messages where title_zh like '%对账发现%'`)).toHaveLength(
    told.length,
  )
  await behind(`update orders set cost_amount = cost_amount - 1 where ${own}`)
  await reconcileDay(world.app, day, true)
  expect((await open()).map((found) => found.state)).toEqual(['RESOLVED'])
  await world.sql('delete from reconciliation_differences')
})

test('what rounding owes a party is a task from a yuan on, and again a yuan later', async () => {
  const carries = (fen: number) =>
    world.sql(
      `insert into split_carries (org_id, strategy_id, collector_org_id, party_org_id, carry)
        values (3, ${rowId('OWN', 1)}, 3, 3, $1), (3, ${rowId('OWN', 1)}, 3, 1, -$1)
        on conflict (strategy_id, collector_org_id, party_org_id, referrer_id) do update set carry = excluded.carry`,
      [fen * 10_000],
    )
  const found = async () => {
    await reconcileDay(world.app, day, true)
    return (
      await world.sql<{ said: string }>(
        `select state || ' ' || local_amount as said from reconciliation_differences
          where kind = 'CARRY' order by local_amount`,
      )
    ).map(({ said }) => said)
  }
  await carries(99)
  expect(await found()).toEqual([])
  await carries(105)
  expect(await found()).toEqual(['OPEN -100', 'OPEN 100'])
  await carries(150)
  expect(await found()).toEqual(['OPEN -100', 'OPEN 100'])
  await carries(0)
  expect(await found()).toEqual(['RESOLVED -100', 'RESOLVED 100'])
  await world.sql(`delete from reconciliation_differences where kind = 'CARRY'`)
})

test('the comparison waits for nobody, and nobody for it', async () => {
  await withClient(world.ownerUrl, async (owner) => {
    await owner.query(`select set_config('app.all', 'on', false)`)
    await owner.query('begin')
    await owner.query('select 1 from orders for update')
    await owner.query('select 1 from payments for update')
    await owner.query('select 1 from lanes for update')
    await reconcileDay(world.app, day, true)
    await owner.query('rollback')
  })
  expect(await open()).toEqual([])
})

test('a person takes, explains and closes; beyond ¥100 and to ignore it takes two; what is found again stays closed', async () => {
  await behind(`update orders set cost_amount = cost_amount + 1 where ${own}`)
  await reconcileDay(world.app, day, true)
  const list = async (token: string) =>
    (await world.call(reconciliation.differences, { open: true }, { token })).body.list
  const [row] = await list(finance)
  expect(row).toMatchObject({ kind: 'ORDER_AMOUNT', state: 'OPEN', version: 1 })
  const act = (action: 'claim' | 'resolve' | 'ignore' | 'approve' | 'reopen', input: object) =>
    world.call(reconciliation[action], { id: row.id, ...input }, { token: finance })
  expect((await act('claim', { version: 1 })).body).toMatchObject({ state: 'HANDLING' })
  expect((await act('claim', { version: 1 })).status).toBe(409)
  expect((await act('resolve', { version: 2, reason: '' })).body.errors).toMatchObject([
    { field: 'reason', message: '请填写处理说明' },
  ])
  expect((await act('ignore', { version: 2, reason: '渠道四舍五入' })).body).toMatchObject({
    state: 'REVIEW',
    wanted: 'IGNORED',
  })
  expect((await act('approve', { version: 3 })).body.message).toBe('复核人不能是处理人')
  expect((await act('claim', { version: 3 })).body).toMatchObject({ state: 'HANDLING' })
  expect((await act('resolve', { version: 4, reason: '渠道四舍五入' })).body).toMatchObject({
    state: 'RESOLVED',
  })
  expect(await list(finance)).toEqual([])
  await reconcileDay(world.app, day, true)
  expect(await list(finance)).toEqual([])
  expect((await act('reopen', { version: 5 })).body).toMatchObject({ state: 'OPEN' })
  // a sum that is more than one person decides upon
  await world.sql('update reconciliation_differences set other_amount = 999999')
  expect((await act('resolve', { version: 6, reason: '已查' })).body).toMatchObject({
    state: 'REVIEW',
  })
  await world.sql('update reconciliation_differences set handled_by = 1')
  expect((await act('approve', { version: 7 })).body).toMatchObject({ state: 'RESOLVED' })
  await behind(`update orders set cost_amount = cost_amount - 1 where ${own}`)
  await world.sql('delete from reconciliation_differences')
})

test('fifty who close one difference at once: one does', async () => {
  await behind(`update orders set cost_amount = cost_amount + 1 where ${own}`)
  await reconcileDay(world.app, day, true)
  const [{ id }] = (await world.call(reconciliation.differences, {}, { token: finance })).body.list
  const answers = await Promise.all(
    Array.from({ length: 50 }, () =>
      world.call(reconciliation.resolve, { id, version: 1, reason: '已查' }, { token: finance }),
    ),
  )
  expect(answers.map((a) => a.status).filter((status) => status !== 409)).toEqual([200])
  await behind(`update orders set cost_amount = cost_amount - 1 where ${own}`)
  await world.sql('delete from reconciliation_differences')
})

test('the trial balance adds up, from days that are over', async () => {
  const { body } = await world.call(
    reconciliation.trialBalance,
    { from: day, to: day },
    {
      token: await world.login('ROLE_SUPER_ADMIN'),
    },
  )
  expect(body).toMatchObject({ balanced: true, debit: body.credit })
  const [entries] = await world.sql<{ debit: string }>(
    `select sum(amount) filter (where amount > 0) as debit from ledger_entries
      where created_at >= '2026-11-20T16:00Z' and created_at < '2026-11-21T16:00Z'`,
  )
  expect(body.debit).toBe(Number(entries?.debit))
  expect(body.accounts.map((account: { code: string }) => account.code)).toEqual(['1001', '2001'])
})

test('the simulated channel bills what it told and gave back, each once; a line that goes is gone', async () => {
  const kept = await fetchBill(world.app, simulated, day)
  if (kept.state !== 'KEPT') throw new Error(kept.reason)
  expect(kept.lines).toBeGreaterThan(5)
  expect(await fetchBill(world.app, simulated, day)).toEqual(kept)
  expect(
    await world.sql(`select kind, count(*)::int as n, sum(amount)::int as amount from payment_bills
      where org_id = ${place.OWN} group by 1 order by 1`),
  ).toEqual([
    { kind: 'PAY', n: 1, amount: 500 },
    { kind: 'REFUND', n: 1, amount: 250 },
  ])
  await keepBill(world.app, simulated, day, [])
  expect(await world.sql('select 1 from payment_bills')).toEqual([])
  const found = await reconcilePart(world.app, { part: 'BILL', day, account: simulated })
  expect(new Set(found.map((row) => row.kind))).toEqual(new Set(['LOCAL_ONLY']))
})
