import { afterAll, beforeAll, expect, test } from 'vitest'
import { splitSales } from '../../../../test/support/splitSales.ts'
import { openWorld, type World, worldNow } from '../../../../test/support/world.ts'
import { checkInvariants } from '../../../server/invariants.ts'
import { runDue } from '../../../server/work.ts'
import { orders } from '../../orders/contract.ts'
import { refundKind } from '../../orders/server/refunds.ts'
import { providers } from '../../payments/server/providers.ts'
import { verifyDay } from '../../reconciliation/server/run.ts'
import { accrue, settleDue } from './accrue.ts'

let world: World
let now = worldNow.getTime()
beforeAll(async () => {
  world = await openWorld({ now: () => new Date(now) })
  await world.sql('delete from split_debts')
  await splitSales(world, 'OWN')
})
afterAll(() => world?.close())

const splitOf = async (orderNum: string) =>
  (
    await world.sql<{ state: string; shares: string[]; touched: boolean }>(
      `select s.state, s.touched_at is not null as touched, (select array_agg(h.party_org_id || ' '
        || h.given || '-' || h.returned || '-' || h.netted order by h.party_no)
        from split_shares h where h.split_id = s.id) as shares
      from split_orders s where order_num = $1`,
      [orderNum],
    )
  )[0]
const owed = async () =>
  Object.fromEntries(
    (
      await world.sql<{ key: string; balance: number }>(
        `select org_id || ' ' || code as key, balance::int from ledger_balances order by 1`,
      )
    ).map(({ key, balance }) => [key, balance]),
  )
async function refund(orderNum: string, most = 9): Promise<void> {
  const units = await world.sql<{ id: number }>(
    `select id::int from order_units where order_num = $1 and refund_state is null
      order by unit_no limit $2`,
    [orderNum, most],
  )
  const answer = await world.call(
    orders.refund,
    { orderNum, unitIds: units.map(({ id }) => id), reason: 'OTHER', remark: '测试' },
    { token: await world.login('ROLE_FULL') },
  )
  expect(answer.status).toBe(200)
  while (await runDue(world.app, refundKind(world.app, providers(world.app))));
}
const agree = async () => {
  expect(await checkInvariants(world.ownerUrl)).toEqual([])
  expect(await verifyDay(world.app, '2026-11-21')).toEqual([])
}

let first = ''
test('a sale waits until its pieces are final, is accrued once, and done when it is due', async () => {
  first = await world.sell('OWN', ['OK', 'OK'])
  expect(await splitOf(first)).toEqual({ state: 'WAIT', shares: null, touched: true })
  await refund(first, 1)
  await accrue(world.app)
  const [one] = await world.sql<{ state: string; sold: number }>(
    `select s.state, (select count(*)::int from split_units u where u.split_id = s.id) as sold
    from split_orders s where order_num = $1`,
    [first],
  )
  expect(one).toEqual({ state: 'READY', sold: 1 })
  const balances = await owed()
  expect(await accrue(world.app)).toBe(0)
  expect(await owed()).toEqual(balances)
  await agree()
  expect(await settleDue(world.app)).toBe(0)
  now += 3_600_000
  expect(await settleDue(world.app)).toBe(1)
  expect((await splitOf(first))?.state).toBe('DONE')
  // a machine without a counting strategy notes nothing
  const other = await world.sell('SIBLING', ['OK'])
  expect(await splitOf(other)).toBeUndefined()
})

test('whoever was paid out owes what a refund takes back, and his next shares pay it', async () => {
  const before = await owed()
  // the agent has taken his money
  await world.sql(
    `with k as (insert into ledger_voucher_keys (key, voucher_id, org_id, created_at)
        select 'wd:test:paid', nextval('ledger_vouchers_id_seq'), 2, $1::timestamptz returning *),
      a as (insert into ledger_accounts (org_id, code) values (2, '1003') returning id)
    insert into ledger_entries (org_id, created_at, voucher_id, voucher_type, account_id, amount)
    select 2, k.created_at, k.voucher_id, 'V8', x.id, x.amount from k, (
      select id, $2::bigint as amount from ledger_accounts where org_id = 2 and code = '2002'
      union all select id, -$2::bigint from a) x`,
    [worldNow, before['2 2002']],
  )
  await refund(first)
  await accrue(world.app)
  expect(await splitOf(first)).toMatchObject({ state: 'RETURNED' })
  const debt = await world.sql<{ party: number; amount: number; rest: number }>(
    `select party_org_id::int as party, amount::int, rest::int from split_debts`,
  )
  expect(debt).toEqual([{ party: 2, amount: before['2 2002'], rest: before['2 2002'] }])
  expect(await owed()).toMatchObject({ '2 1101': before['2 2002'], '2 2002': 0, '1 2002': 0 })
  await agree()
  const next = await world.sell('OWN', ['OK'])
  await accrue(world.app)
  const [left] = await world.sql<{ rest: number }>('select rest::int from split_debts')
  expect(left?.rest).toBe((before['2 2002'] as number) - 12)
  expect((await splitOf(next))?.shares[2]).toBe('2 25-0-12')
  await agree()
})

test('two who accrue at once do it once; a refund in between is seen afterwards', async () => {
  const nums = []
  for (let n = 0; n < 3; n += 1) nums.push(await world.sell('OWN', ['OK']))
  const looks = await Promise.all([1, 2, 3, 4].map(() => accrue(world.app)))
  expect(looks.reduce((a, b) => a + b)).toBe(3)
  await Promise.all([refund(nums[0] as string), accrue(world.app), accrue(world.app)])
  await accrue(world.app)
  expect((await splitOf(nums[0] as string))?.state).toBe('CLOSED')
  await agree()
})
