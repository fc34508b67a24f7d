import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodes, plansOf, sentBy } from '../../../../test/support/plans.ts'
import { splitSales } from '../../../../test/support/splitSales.ts'
import { openWorld, place, restock, rowId, type World } from '../../../../test/support/world.ts'
import { createRandom } from '../../../seed/random.ts'
import { systemScope } from '../../../server/database.ts'
import { checkInvariants } from '../../../server/invariants.ts'
import { bySystem } from '../../../server/run.ts'
import { runDue } from '../../../server/work.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { deviceSplits } from '../../device-splits/contract.ts'
import type { Voucher } from '../../ledger/rules.ts'
import { post } from '../../ledger/server/post.ts'
import { orders } from '../../orders/contract.ts'
import { refundKind } from '../../orders/server/refunds.ts'
import { providers } from '../../payments/server/providers.ts'
import { splitStrategies } from '../../split-strategies/contract.ts'
import { splits } from '../../splits/contract.ts'
import { accrue, foldDues, settleDue } from '../../splits/server/accrue.ts'
import type { Calendar } from '../../splits/settlementContract.ts'
import { type BillSums, billing } from '../contract.ts'
import { dimensions, statementCodes } from '../rules.ts'
import { sumShares } from '../seed.ts'
import type { Content } from '../statementContract.ts'
import { keepShares, sharesOf } from './keep.ts'
import { issueStatements, statementKind } from './statements.ts'

/** Sales begin shortly before a midnight of Shanghai that ends a month, and go on behind it. */
let clock = new Date('2026-11-30T15:36:00Z').getTime()
const now = () => {
  clock += 400
  return new Date(clock)
}
const seed = Number(process.env.BILL_SEED ?? Math.floor(Math.random() * 1e9))
const { next: random, pick } = createRandom(String(seed))

let world: World
let platform: string
let own: string
beforeAll(async () => {
  // each look at the clock takes seconds, so that acts of one order lie on both sides of midnight
  world = await openWorld({ now })
  for (const where of ['OWN', 'CHILD', 'SIBLING'] as const)
    await restock(world, rowId(where, 1), 150)
  for (let sold = 0; sold < 40; sold += 1) {
    const results = Array.from({ length: 1 + Math.floor(random() * 2) }, () =>
      pick(['OK', 'OK', 'NO_DROP'] as const),
    )
    await world.sell(pick(['OWN', 'CHILD', 'SIBLING'] as const), results)
    clock += random() * 120_000
    if (random() < 0.4) await giveBack()
  }
  clock += 30 * 3_600_000
  await giveBack()
  await split()
  ;[platform, own] = await Promise.all([world.login('PLATFORM_FULL'), world.login('ROLE_FULL')])
})
afterAll(() => world?.close())
const giveBack = () => runDue(world.app, refundKind(world.app, providers(world.app)))

/** Half of what waits at some orders goes to the operator, his agent and the platform. */
async function split() {
  const chosen = await world.sql<{
    id: string
    orgId: string
    at: Date
    num: string
    left: string
  }>(
    `select o.id, o.org_id as "orgId", o.created_at as at, o.order_num as num,
      o.paid_amount - o.refunded_amount as left from orders o
      where o.paid_amount - o.refunded_amount > 100 order by o.id`,
  )
  for (const order of chosen.filter(() => random() < 0.5)) {
    const [orgId, orderId, left] = [Number(order.orgId), Number(order.id), Number(order.left)]
    const shares: [number, number][] = [
      [place.PLATFORM, 7],
      [place.PARENT, 13],
      [orgId, Math.floor(left / 2) - 20],
    ]
    await bySystem(world.app, async (ctx) => {
      const given = shares.map(([party, share]) => ({
        ...{ account: '2002' as const, amount: -share, orgId: party },
      }))
      const entries = [{ account: '2001' as const, amount: Math.floor(left / 2) }, ...given]
      const of = { orgId, orderId, orderNum: order.num, configId: null }
      const voucher: Voucher = { ...of, key: `al:${order.num}`, type: 'V3', entries }
      keepShares(ctx, sharesOf([voucher], order.at))
      post(ctx, [voucher])
    })
  }
}

type Facts = { orgId: number; day: string; orderDay: string; voucher: string; fen: number }
/** What the ledger alone says of channel money and of what was given away; orders by their numbers. */
const entries = () =>
  world.sql<Facts>(`select k.org_id::int as "orgId", e.voucher_type as voucher,
      to_char(e.created_at at time zone 'Asia/Shanghai', 'YYYY-MM-DD') as day,
      to_char(to_date(left(e.order_num, 8), 'YYYYMMDD'), 'YYYY-MM-DD') as "orderDay",
      sum(e.amount)::int as fen
    from ledger_entries e join ledger_voucher_keys k using (voucher_id)
    join ledger_accounts a on a.id = e.account_id
    where a.code = case e.voucher_type when 'V3' then '2001' else '1001' end
      and e.voucher_type in ('V1','V2','V3','V6')
    group by 1, 2, 3, 4`)

test(`every figure is the ledger's, on both sides of midnight (BILL_SEED=${seed})`, async () => {
  const facts = await entries()
  const days = [...new Set(facts.map(({ day }) => day))].sort()
  expect(days.length, 'sales and refunds on several days').toBeGreaterThan(2)
  expect(facts.some(({ day, orderDay }) => day !== orderDay)).toBe(true)
  expect(await checkInvariants(world.ownerUrl)).toEqual([])
  const ranges = [
    [days[0], days.at(-1)],
    [days[0], days[0]],
    [days.at(-2), days.at(-1)],
    ['2026-11-01', '2026-11-30'],
    ['2026-06-15', addDays(days.at(-1) as string, 3)],
  ] as [string, string][]
  const seen = { platform: [1, 2, 3, 4, 7], own: [3, 7] }
  for (const [from, to] of ranges)
    for (const byOrder of [false, true])
      for (const reader of ['platform', 'own'] as const) {
        const mine = facts.filter(
          (fact) =>
            seen[reader].includes(fact.orgId) &&
            (byOrder ? fact.orderDay : fact.day) >= from &&
            (byOrder ? fact.orderDay : fact.day) <= to,
        )
        const sum = (vouchers: string[], of = mine) =>
          of.filter(({ voucher }) => vouchers.includes(voucher)).reduce((n, { fen }) => n + fen, 0)
        const token = reader === 'platform' ? platform : own
        for (const dimension of dimensions) {
          const ask = { dimension, from, to, byOrder }
          const { status, body } = await world.call(
            billing.bills,
            { ...ask, pageSize: 200 },
            { token },
          )
          const said = [status, dimension, from, to, byOrder, reader]
          expect(said).toEqual([200, ...said.slice(1)])
          const { sums } = body as { sums: BillSums }
          expect([
            sums.price,
            sums.gathering,
            sums.splitAmount,
            sums.pendingSplit,
            sums.price - sums.refundment - sums.servicePrice,
            ...said,
          ]).toEqual([
            sum(['V1']),
            sum(['V1', 'V2', 'V6']),
            sum(['V3']),
            sum(['V1', 'V2', 'V6']) - sum(['V3']),
            sum(['V1', 'V2', 'V6']),
            ...said,
          ])
          for (const key of Object.keys(sums) as (keyof BillSums)[])
            expect(body.list.reduce((n: number, row: BillSums) => n + row[key], 0)).toBe(sums[key])
          if (dimension === 'ORG' || dimension === 'DAY')
            for (const row of body.list) {
              const rowFacts = mine.filter((fact) =>
                dimension === 'ORG'
                  ? fact.orgId === row.orgId
                  : (byOrder ? fact.orderDay : fact.day) === row.day,
              )
              expect([row.name, row.gathering]).toEqual([
                row.name,
                sum(['V1', 'V2', 'V6'], rowFacts),
              ])
            }
          const summed = await world.call(billing.summary, ask, { token })
          expect(summed.body).toEqual({ ...sums, from, to })
        }
      }
})

test('refunds are those that succeeded, and an order is refunded once', async () => {
  const [truth] = await world.sql<{ fen: number; orders: number; paid: number }>(`
    select (select sum(amount)::int from refunds where state = 'SUCCESS' and kind = 'UNIT') as fen,
      (select count(distinct order_id)::int from refunds where state = 'SUCCESS'
        and kind = 'UNIT' and amount > 0) as orders,
      (select count(*)::int from orders where paid_at is not null) as paid`)
  const { body } = await world.call(
    billing.summary,
    { from: '2026-01-01', to: '2026-12-31' },
    { token: platform },
  )
  expect([body.refundment, body.refundOrderCount, body.orderCount]).toEqual([
    truth?.fen,
    truth?.orders,
    truth?.paid,
  ])
})

test('the own share is what the reader’s organisation was given of what he sees', async () => {
  for (const [token, org, seen] of [
    [platform, 1, [1, 2, 3, 4, 7]],
    [own, 3, [3, 7]],
  ] as const) {
    const [truth] = await world.sql<{ fen: number }>(
      `select coalesce(-sum(e.amount), 0)::int as fen from ledger_entries e
        join ledger_accounts a on a.id = e.account_id join ledger_voucher_keys k using (voucher_id)
        where a.code = '2002' and a.org_id = $1 and k.org_id = any($2)`,
      [org, seen],
    )
    expect(truth?.fen).toBeGreaterThan(0)
    const ask = { from: '2026-01-01', to: '2026-12-31' }
    for (const dimension of dimensions) {
      const { body } = await world.call(billing.summary, { ...ask, dimension }, { token })
      expect([dimension, body.ownShare]).toEqual([dimension, truth?.fen])
    }
  }
})

test('shares are summed up from the ledger as they were kept', async () => {
  const read = () => world.sql(`select * from bill_shares order by 1, 2, 3, 4, 5, 6, 7, 8`)
  const kept = await read()
  expect(kept.length).toBeGreaterThan(0)
  await world.sql(`delete from bill_shares`)
  await world.sql(`update bill_days set split = 0, ordered_split = 0`)
  await world.system(({ db }) => sumShares(db))
  expect(await read()).toEqual(kept)
  expect(await checkInvariants(world.ownerUrl)).toEqual([])
})

test('filters narrow the same figures; the keyword is a name or an identifier', async () => {
  const all = async (more: Record<string, unknown>) =>
    (
      await world.call(
        billing.bills,
        { from: '2026-01-01', to: '2026-12-31', pageSize: 200, ...more },
        { token: platform },
      )
    ).body
  const devices = await all({ dimension: 'DEVICE' })
  const device = devices.list.find((row: { deviceId: number }) => row.deviceId === 3001)
  expect(device.identifier).toBe('OWN0001')
  expect((await all({ dimension: 'DEVICE', keyword: 'own0001' })).list).toEqual([device])
  expect((await all({ deviceId: 3001 })).sums.price).toBe(device.price)
  expect((await all({ orgId: place.OWN, dimension: 'ORG' })).list).toHaveLength(2)
  expect((await all({ payType: 'ALIPAY' })).total).toBe(0)
  expect((await all({ provider: 'SIMULATOR' })).sums).toEqual(devices.sums)
  expect((await all({ dimension: 'MERCHANT' })).list).toMatchObject([
    { name: '模拟支付', identifier: '', price: devices.sums.price },
  ])
  const days = (await all({ dimension: 'DAY' })).list.map((row: { day: string }) => row.day)
  expect(days).toEqual([...days].sort().reverse())
  const byPrice = (await all({ dimension: 'DEVICE', sort: 'price' })).list
  expect(byPrice.map((row: { price: number }) => row.price)).toEqual(
    devices.list.map((row: { price: number }) => row.price).sort((a: number, b: number) => a - b),
  )
  const page = await all({ dimension: 'DAY', pageSize: 3, page: 99 })
  expect([page.list, page.total]).toEqual([[], days.length])
})

test('the day that is not over is marked', async () => {
  const today = shanghaiDay(new Date(clock))
  await world.sell('OWN', ['OK'])
  const { body } = await world.call(
    billing.bills,
    { dimension: 'DAY', pageSize: 200 },
    { token: own },
  )
  expect(
    body.list.map((row: { day: string; unsettled: boolean }) => [row.day === today, row.unsettled]),
  ).toEqual(body.list.map((_: unknown, at: number) => [at === 0, at === 0]))
})

test('a year of the whole platform reads figures, months of them, never orders', async () => {
  const to = shanghaiDay(new Date(clock))
  for (const dimension of dimensions) {
    const ask = () =>
      world.call(billing.bills, { dimension, from: addDays(to, -365), to }, { token: platform })
    const plans = await plansOf(world.app, systemScope, ask, /bill_days/)
    // nor does another of its statements
    const sent = (await sentBy(ask, true)).map(({ text }) => text)
    expect(sent.length).toBeGreaterThan(plans.length)
    expect(
      sent.filter((text) =>
        /\b(from|join)\s+(orders|order_|payments|refunds|ledger_|split_)/.test(text),
      ),
    ).toEqual([])
    expect(plans).toHaveLength(1)
    const read = plans.flatMap(({ plan }) => nodes(plan)).map((node) => node['Relation Name'])
    const tables = new Set(read.filter((name) => name !== undefined))
    expect(tables.has('bill_days')).toBe(true)
    for (const name of tables)
      expect(name).toMatch(/^(bill_days|bill_shares|organisations|devices|payment_configs)$/)
  }
})

const wrong: [Record<string, unknown>, string][] = [
  [{ from: '2026-11-02', to: '2026-11-01' }, 'to'],
  [{ from: '2025-11-01', to: '2026-11-02' }, 'to'],
  [{ from: '2026-02-30' }, 'from'],
  [{ dimension: 'PRODUCT' }, 'dimension'],
  [{ sort: 'key;drop' }, 'sort'],
  [{ balance: 1 }, 'balance'],
]
test.each(wrong)('%j is 400', async (query, field) => {
  const text = new URLSearchParams(Object.entries(query).map(([k, v]) => [k, String(v)]))
  const { status, body } = await world.ask(own, 'GET', `/finance/bills?${text}`)
  expect([status, body.errors[0].field]).toEqual([400, field])
})

test('what is split, due, held and stated is the ledger’s, over a month and its midnights', async () => {
  await splitSales(world, 'OWN')
  await restock(world, rowId('OWN', 1), 60)
  for (let sold = 0; sold < 10; sold += 1) {
    const num = await world.sell('OWN', [pick(['OK', 'NO_DROP'] as const), 'OK'])
    clock += random() * 10_000_000
    await giveBack()
    if (random() < 0.6) await accrue(world.app)
    if (random() < 0.3) await settleDue(world.app)
    if (random() < 0.5) await refundOne(num)
    if (random() < 0.3) await foldDues(world.app)
  }
  await accrue(world.app)
  const books = (type: 'V8' | 'V12', key: string, entries: Voucher['entries']) =>
    bySystem(world.app, async (ctx) => {
      const of = { orgId: place.OWN, orderId: null, orderNum: null, configId: null }
      post(ctx, [{ ...of, key, type, entries }])
    })
  await books('V8', 'wd:TXTEST:apply', [
    { account: '2002', amount: 150 },
    { account: '2003', amount: -150 },
  ])
  await books('V12', 'adj:TEST', [
    { account: '1003', amount: 40 },
    { account: '2002', amount: -40 },
  ])
  const admin = await world.login('ROLE_SUPER_ADMIN')
  // strategies and machines: what 2001 gave
  const given = `select coalesce(sum(e.amount), 0)::int as fen from ledger_entries e
    join ledger_accounts a on a.id = e.account_id and a.code = '2001'
    join orders o on o.id = e.order_id where e.voucher_type in ('V3','V7')`
  const [byOrders] = await world.sql<{ fen: number }>(
    `${given} and exists (
    select from split_orders s where s.order_id = o.id and s.strategy_id = $1)`,
    [rowId('OWN', 1)],
  )
  const strategies = await world.call(splitStrategies.list, { pageSize: 200 }, { token: admin })
  const own = strategies.body.list.find(({ id }: { id: number }) => id === rowId('OWN', 1))
  expect(byOrders?.fen).toBeGreaterThan(0)
  expect(own.recentSplit).toBe(byOrders?.fen)
  const machines = await world.call(deviceSplits.list, { pageSize: 200 }, { token: admin })
  for (const { id, recentSplit } of machines.body.list) {
    const [truth] = await world.sql<{ fen: number }>(`${given} and o.device_id = $1`, [id])
    expect([id, recentSplit]).toEqual([id, truth?.fen])
  }
  // the calendar: what parties were credited of orders that are open, or due from today on
  const today = shanghaiDay(new Date(clock))
  const [due] = await world.sql<{ fen: number }>(
    `select coalesce(-sum(e.amount), 0)::int as fen from ledger_entries e
      join ledger_accounts a on a.id = e.account_id and a.code in ('2002','1101')
      join split_orders s on s.order_id = e.order_id
      where e.voucher_type in ('V3','V7') and s.strategy_id = $1 and (s.state = 'READY'
        or s.state = 'DONE' and (s.due_at at time zone 'Asia/Shanghai')::date >= $2::date)`,
    [rowId('OWN', 1), today],
  )
  const calendar = (await world.call(splits.calendar, {}, { token: admin })).body as Calendar
  const shown = calendar.days.reduce((sum, { ledger, channel }) => sum + ledger + channel, 0)
  // what fees differ by rounding when a piece goes back is its collector's (decision 64): a fen each
  const [back] = await world.sql<{ pieces: number }>(
    'select count(*)::int as pieces from split_units where back_at is not null',
  )
  expect(Math.abs(shown + calendar.overdue - (due?.fen ?? 0))).toBeLessThanOrEqual(
    back?.pieces ?? 0,
  )
  // balance cards: days that are over were summed, as the nightly comparison does
  await world.sql('delete from ledger_days')
  await world.sql(
    `insert into ledger_days (org_id, day, code, config_id, debit, credit)
    select e.org_id, (e.created_at at time zone 'Asia/Shanghai')::date as day, a.code, a.config_id,
      sum(greatest(e.amount, 0)), sum(greatest(-e.amount, 0))
    from ledger_entries e join ledger_accounts a on a.id = e.account_id
    where (e.created_at at time zone 'Asia/Shanghai')::date < $1::date group by 1, 2, 3, 4`,
    [today],
  )
  for (const orgId of [place.PLATFORM, place.PARENT, place.OWN]) {
    const { body } = await world.call(billing.accounts, { orgId }, { token: admin })
    const truth = await world.sql<{ account: string; balance: number }>(
      `select a.code as account, sum(case when a.code like '1%' then e.amount else -e.amount end)::int
          as balance from ledger_entries e join ledger_accounts a on a.id = e.account_id
        where a.org_id = $1 group by 1 order by 1`,
      [orgId],
    )
    const cards = body.accounts.toSorted((a: { account: string }, b: { account: string }) =>
      a.account.localeCompare(b.account),
    )
    expect(cards).toEqual(truth)
  }
  expect(await checkInvariants(world.ownerUrl)).toEqual([])

  // a month later each party holds its statement, once
  const month = today.slice(0, 7)
  const said = { orgId: place.OWN, month }
  const early = await world.call(billing.issueStatement, said, { token: admin })
  expect([early.status, early.body.error]).toEqual([422, 'statements.notOver'])
  clock = Date.parse(`${addDays(`${month}-01`, 32).slice(0, 7)}-02T01:00:00Z`)
  await issueStatements(world.app)
  await issueStatements(world.app)
  while (await runDue(world.app, statementKind(world.app)));
  for (const orgId of [place.PLATFORM, place.PARENT, place.OWN]) {
    const issued = await world.sql<{ content: Content; no: number }>(
      `select content, version_no as no from statements where org_id = $1 and month = $2::date`,
      [orgId, `${month}-01`],
    )
    expect(issued.map(({ no }) => no)).toEqual([1])
    const content = issued[0]?.content as Content
    for (const code of statementCodes) {
      const side = code === '1101' ? 1 : -1
      const truth = await world.sql<{
        before: boolean
        type: string
        debit: number
        credit: number
      }>(
        `select to_char(e.created_at at time zone 'Asia/Shanghai', 'YYYY-MM') < $3 as before,
          e.voucher_type as type, sum(greatest(e.amount, 0))::int as debit,
          sum(greatest(-e.amount, 0))::int as credit
        from ledger_entries e join ledger_accounts a on a.id = e.account_id
        where a.org_id = $1 and a.code = $2 group by 1, 2 order by 2`,
        [orgId, code, month],
      )
      const sum = (rows: typeof truth) =>
        rows.reduce((fen, { debit, credit }) => fen + side * (debit - credit), 0) || 0
      const account = content.accounts.find((one) => one.code === code)
      expect([code, account?.opening ?? 0, account?.closing ?? 0]).toEqual([
        ...[code, sum(truth.filter(({ before }) => before)), sum(truth)],
      ])
      expect(
        (account?.moves ?? [])
          .map(({ type, debit, credit }) => `${type} ${debit} ${credit}`)
          .sort(),
      ).toEqual(
        truth
          .filter(({ before }) => !before)
          .map(({ type, debit, credit }) => `${type} ${debit} ${credit}`)
          .sort(),
      )
    }
  }
  // issued again it is a version more; two at once are one
  const later = await world.login('ROLE_SUPER_ADMIN')
  const again = await Promise.all(
    [1, 2, 3].map(() => world.call(billing.issueStatement, said, { token: later })),
  )
  expect(again.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  while (await runDue(world.app, statementKind(world.app)));
  const { body } = await world.call(billing.statements, said, { token: later })
  expect(
    body.list.map(({ versionNo, state }: { versionNo: number; state: string }) => [
      versionNo,
      state,
    ]),
  ).toEqual([
    [2, 'DONE'],
    [1, 'DONE'],
  ])
})

test('the file of a statement is whoever’s who may have it', { timeout: 120_000 }, async () => {
  const month = shanghaiDay(new Date(clock - 5 * 86_400_000)).slice(0, 7)
  const [admin, operator] = [await world.login('ROLE_SUPER_ADMIN'), await world.login('ROLE_FULL')]
  const get = (who: string, orgId: number | string, of = month) =>
    world.ask(who, 'GET', `/finance/statements/${orgId}/${of}`)
  const file = await get(operator, place.OWN)
  expect([file.status, String(file.body.subarray(0, 5))]).toEqual([200, '%PDF-'])
  for (const [who, orgId, of] of [
    [operator, place.SIBLING, month],
    [operator, place.PLATFORM, month],
    [operator, place.OWN, '2026-13'],
    [operator, place.OWN, `${month}?version=7`],
    [operator, place.OWN, `${month}?version=x`],
    [admin, '1e3', month],
    [admin, place.OWN, '2026-01'],
  ] as const)
    expect([orgId, of, (await get(who, orgId, of)).status]).toEqual([orgId, of, 404])
})

async function refundOne(orderNum: string): Promise<void> {
  const [unit] = await world.sql<{ id: number }>(
    `select id::int from order_units where order_num = $1 and refund_state is null limit 1`,
    [orderNum],
  )
  if (!unit) return
  const token = await world.login('ROLE_FULL')
  const input = { orderNum, unitIds: [unit.id], reason: 'OTHER', remark: '测试' }
  expect((await world.call(orders.refund, input, { token })).status).toBe(200)
  await giveBack()
}
