import { afterAll, beforeAll, expect, test } from 'vitest'
import { splitSales } from '../../../../test/support/splitSales.ts'
import { openWorld, place, type World, worldNow } from '../../../../test/support/world.ts'
import { checkInvariants } from '../../../server/invariants.ts'
import { bySystem } from '../../../server/run.ts'
import { runDue } from '../../../server/work.ts'
import { post } from '../../ledger/server/post.ts'
import { orders } from '../../orders/contract.ts'
import { refundKind } from '../../orders/server/refunds.ts'
import { providers } from '../../payments/server/providers.ts'
import { verifyDay } from '../../reconciliation/server/run.ts'
import { referrers } from '../../referrers/contract.ts'
import { fundsOf } from '../../withdrawals/server/queries.ts'
import { accrue } from './accrue.ts'

/** 80 % are the operator's, and 2.5 % each of two referrers': his own and the agent's. */
let world: World
let now = worldNow.getTime()
let [his, agents] = [0, 0]
const made = async (orgId: number, n: number) => {
  const [row] = await world.sql<{ id: number }>(
    `insert into referrers (org_id, referrer_name, mobile, mobile_hash, mobile_shown, receive_kind)
      values ($1, $2, '\\x00', decode(md5($2), 'hex'), '139****0000', 'LEDGER') returning id::int`,
    [orgId, `荐${n}`],
  )
  return row?.id as number
}
beforeAll(async () => {
  world = await openWorld({ now: () => new Date(now) })
  await world.sql('delete from split_debts')
  his = await made(place.OWN, 1)
  agents = await made(place.PARENT, 2)
  await splitSales(world, 'OWN', 'HOUR', [his, agents])
})
afterAll(() => world?.close())

const standing = async () =>
  Object.fromEntries(
    (
      await world.sql<{ key: string; said: number[] }>(
        `select org_id || ' ' || code || coalesce(' ' || referrer_id, '') as key,
          array[balance, earned]::int[] as said from ledger_balances`,
      )
    ).map(({ key, said }) => [key, said]),
  )
async function refund(orderNum: string): Promise<void> {
  const units = await world.sql<{ id: number }>(
    `select id::int from order_units where order_num = $1 order by unit_no`,
    [orderNum],
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

let sold: string[] = []
test('referrers get their ratio, and their organisations no fen of it', async () => {
  const token = await world.login('ROLE_FULL')
  const funds = () =>
    bySystem(world.app, (ctx) => fundsOf(ctx, { orgId: place.OWN, referrerId: null }))
  const before = await funds()
  for (let n = 0; n < 4; n += 1) sold.push(await world.sell('OWN', ['OK']))
  await accrue(world.app)
  const shares = await world.sql<{ no: number; off: string }>(
    `select g.no::int as no, (sum(g.fen * 10000 - u.base * p.ratio_bp) + max(c.carry))::text as off
    from split_units u join split_orders s on s.id = u.split_id
    cross join unnest(u.gives) with ordinality as g(fen, no)
    join split_parties p on p.version_id = s.version_id and p.party_no = g.no
    join split_carries c on c.strategy_id = s.strategy_id
      and coalesce(c.party_org_id, -c.referrer_id) = coalesce(p.party_org_id, -p.referrer_id)
    where s.order_num = any($1) group by p.party_no, g.no order by 1`,
    [sold],
  )
  expect(shares).toEqual([1, 2, 3, 4, 5].map((no) => ({ no, off: '0' })))
  const is = await standing()
  const [of] = await world.sql<{ his: number; agents: number; own: number }>(
    `select sum(given) filter (where referrer_id = $2)::int as his,
      sum(given) filter (where referrer_id = $3)::int as agents,
      sum(given - s.fee) filter (where party_org_id = 3)::int as own
    from split_shares h join split_orders s on s.id = h.split_id where s.order_num = any($1)`,
    [sold, his, agents],
  )
  expect(of?.his).toBeGreaterThan(0)
  expect(is[`3 2004 ${his}`]).toEqual([of?.his, of?.his])
  expect(is[`2 2004 ${agents}`]).toEqual([of?.agents, of?.agents])
  expect((await funds()).balance - before.balance).toBe(of?.own)
  const { body } = await world.call(referrers.list, { id: his }, { token })
  expect(body.list[0]).toMatchObject({ earned: of?.his, unpaid: of?.his })
  await agree()
})

test('what is taken back of a referrer is his debt when he was paid, and his next shares pay it', async () => {
  const before = await standing()
  const owed = before[`3 2004 ${his}`]?.[0] as number
  // he was paid
  const of = { orgId: place.OWN, orderId: null, orderNum: null, configId: null }
  const paid = { account: '2002' as const, amount: owed, orgId: -his }
  await bySystem(world.app, async (ctx) =>
    post(ctx, [
      {
        ...{ ...of, key: 'wd:referrer:paid', type: 'V8' as const },
        entries: [paid, { account: '1003' as const, amount: -owed, orgId: place.PLATFORM }],
      },
    ]),
  )
  expect((await standing())[`3 2004 ${his}`]).toEqual([0, owed])
  for (const orderNum of sold) await refund(orderNum)
  await accrue(world.app)
  const [debts] = await world.sql<{ rest: number; n: number }>(
    `select sum(rest)::int as rest, count(*)::int as n from split_debts where referrer_id = $1`,
    [his],
  )
  expect(debts).toEqual({ rest: owed, n: 4 })
  const is = await standing()
  expect(is[`3 1102 ${his}`]).toEqual([owed, -owed])
  expect(is[`2 2004 ${agents}`]).toEqual([0, 0])
  await agree()
  sold = []
  now += 60_000
  sold.push(await world.sell('OWN', ['OK']))
  await accrue(world.app)
  expect((await standing())[`3 1102 ${his}`]?.[0]).toBeLessThan(owed)
  await agree()
  const token = await world.login('ROLE_FULL')
  const gone = await world.call(referrers.remove, { id: his, version: 1 }, { token })
  expect(gone.body.error).toBe('referrers.inUse')
})
