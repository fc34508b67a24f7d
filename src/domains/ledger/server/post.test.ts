import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, place, type World, worldNow } from '../../../../test/support/world.ts'
import { bySystem } from '../../../server/run.ts'
import { verifyDay } from '../../reconciliation/server/run.ts'
import { type Entry, orderIn, type Voucher } from '../rules.ts'
import { post } from './post.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

const voucher = (key: string, entries: Entry[], change: Partial<Voucher> = {}): Voucher => ({
  ...{ key, type: 'V3', orgId: place.OWN, orderId: null, orderNum: null, configId: null },
  entries,
  ...change,
})
const book = (...vouchers: Voucher[]) => bySystem(world.app, async (ctx) => post(ctx, vouchers))
const balances = async () =>
  (
    await world.sql<{ org: number; code: string; balance: number }>(
      `select org_id::int as org, code, balance::int from ledger_balances order by 1, 2`,
    )
  ).map(({ org, code, balance }) => `${org} ${code} ${balance}`)
const owed = (orgId: number, fen: number): Entry => ({ account: '2002', amount: -fen, orgId })

test('a voucher books for several organisations, once, and says what each is owed', async () => {
  const shares = voucher('al:x:1', [
    { account: '2001', amount: 348 },
    owed(place.PLATFORM, 17),
    owed(place.PARENT, 35),
    owed(place.OWN, 296),
  ])
  await book(shares)
  const after = ['1 2002 17', '2 2002 35', '3 2002 296']
  expect(await balances()).toEqual(after)
  await book(shares)
  expect(await balances()).toEqual(after)
  // each sees its own of it and no other's
  const seen = await world.sql<{ org: number }>(
    `select e.org_id::int as org from ledger_entries e join ledger_voucher_keys k
      on k.voucher_id = e.voucher_id where k.key = 'al:x:1' order by 1`,
  )
  expect(seen.map(({ org }) => org)).toEqual([1, 2, 3, 3])
  expect(await verifyDay(world.app, '2026-11-21')).toEqual([])
})

test('nobody is owed less than nothing, whoever asks at once; nothing of the rest is booked', async () => {
  const draw = (n: number) =>
    book(
      voucher(`wd:${n}:apply`, [
        { account: '2002', amount: 200 },
        { account: '2003', amount: -200 },
      ]),
    )
  const tries = await Promise.allSettled([1, 2, 3, 4].map(draw))
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const end of tries)
    if (end.status === 'rejected')
      expect(end.reason).toMatchObject({ code: '23514', table: 'ledger_balances' })
  expect(await balances()).toEqual(['1 2002 17', '2 2002 35', '3 2002 96', '3 2003 200'])
  // a debt is what a party owes, and nobody owes less than nothing either
  const debt = (key: string, fen: number) =>
    book(
      voucher(key, [
        { account: '1101', amount: fen, orgId: place.PARENT },
        { account: '2001', amount: -fen },
      ]),
    )
  await debt('sr:1', 30)
  await expect(debt('sr:2', -31)).rejects.toMatchObject({ code: '23514' })
  expect(await balances()).toContain('2 1101 30')
})

test('nobody but the ledger writes a balance, and one that lies is found', async () => {
  await expect(
    bySystem(world.app, (ctx) =>
      ctx.db.updateTable('ledger_balances').set({ balance: 1 }).execute(),
    ),
  ).rejects.toMatchObject({ code: '42501' })
  await world.sql(
    `update ledger_balances set balance = balance + 1 where org_id = 2 and code = '2002'`,
  )
  expect(await verifyDay(world.app, '2026-11-21')).toMatchObject([
    { kind: 'PARTY_BALANCE', orgId: 2, subject: '2 2002', localAmount: 36, otherAmount: 35 },
  ])
  await world.sql(
    `update ledger_balances set balance = balance - 1 where org_id = 2 and code = '2002'`,
  )
  // days that were summed are not read again
  await world.sql(
    `insert into reconciliation_runs (org_id, day, part, finished_at)
    values (1, '2026-11-21', 'LEDGER', $1)`,
    [worldNow],
  )
  expect(await verifyDay(world.app, '2026-11-21')).toHaveLength(5)
  await world.sql(`insert into ledger_days (org_id, day, code, debit, credit)
    select e.org_id, '2026-11-21', a.code, sum(greatest(e.amount, 0)), sum(greatest(-e.amount, 0))
    from ledger_entries e join ledger_accounts a on a.id = e.account_id
    where a.code in ('1101','2002','2003') group by 1, 3`)
  expect(await verifyDay(world.app, '2026-11-21')).toEqual([])
})

test("channel money lies at its merchant's configuration, what is pending at the organisation", async () => {
  const [config] = await world.sql<{ id: number }>(
    `select id::int from payment_configs where org_id = ${place.OWN} order by id limit 1`,
  )
  const configId = config?.id as number
  const of = { orgId: place.OWN, orderId: null, orderNum: null }
  await book(
    orderIn(900_001, 500, { ...of, configId }),
    orderIn(900_002, 300, { ...of, configId: null }),
    orderIn(900_003, 200, { ...of, configId }),
  )
  expect(
    await world.sql(
      `select a.code, a.config_id::int as config, sum(e.amount)::int as sum from ledger_entries e
      join ledger_accounts a on a.id = e.account_id join ledger_voucher_keys k
      on k.voucher_id = e.voucher_id where k.key like 'in:90000%' group by 1, 2 order by 1, 2`,
    ),
  ).toEqual([
    { code: '1001', config: configId, sum: 700 },
    { code: '1001', config: null, sum: 300 },
    { code: '2001', config: null, sum: -1000 },
  ])
})
