import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodes, plansOf } from '../../../../test/support/plans.ts'
import { openTrading, type Trading } from '../../../../test/support/trading.ts'
import { place, type World } from '../../../../test/support/world.ts'
import { foldAllBuyers } from '../../../server/buyerFolds.ts'
import { systemScope } from '../../../server/database.ts'
import { verifyRollups } from '../../../server/rollups.ts'
import { addUpStockDays } from '../../../server/stockDays.ts'
import { runDue } from '../../../server/work.ts'
import type { Endpoint } from '../../../shared/contract.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { askForBills, billKind } from '../../reconciliation/server/billRun.ts'
import type { BuyerRow, BuyerSums } from '../buyersContract.ts'
import { dataReports } from '../contract.ts'
import { type MoneyRow, type MoneySums, moneyGroups } from '../moneyContract.ts'
import { type StockRow, type StockSums, stockGroups } from '../stockContract.ts'

let trading: Trading
let world: World
const tokens = { platform: '', own: '' }
const range = { from: '2026-10-20', to: '2026-11-10' }
const signIn = async () => {
  tokens.platform = await world.login('PLATFORM_FULL')
  tokens.own = await world.login('ROLE_FULL')
}
const ask = async <T>(endpoint: Endpoint, input: object, token: string): Promise<T> => {
  const { status, body } = await world.call(endpoint, input as never, { token })
  expect([status, status === 200 ? '' : body]).toEqual([200, ''])
  return body as T
}
const mine = ({ org }: { org: number }) => org === place.OWN || org === place.CHILD

beforeAll(async () => {
  trading = await openTrading()
  world = trading.world
  // its samples show the work list
  await world.sql('delete from reconciliation_differences')
  await world.sql('delete from reconciliation_runs')
  await trading.trade(20, async (n) => void (n === 12 && (await trading.clean())))
  await trading.move()
  trading.wait(26 * 3_600_000)
  for (const where of ['OWN', 'CHILD', 'SIBLING'] as const) await world.sell(where, ['OK'])
  await trading.trade(4)
  await trading.giveBack()
  await signIn()
}, 120_000)
afterAll(() => world?.close())

type Fact = { org: number; pay: string; merchant: number; at: Date; out: number } & {
  [K in 'payCount' | 'payAmount' | 'refundAmount' | 'service']?: number
}
/** Money of orders, cleaned ones too, from payments, refunds and the ledger. */
const moneyFacts = async (): Promise<Fact[]> =>
  (
    await world.sql<{
      what: string
      org: number
      merchant: number
      pay: string
      at: Date
      n: string
    }>(`
      select 'pay' as what, o.org_id::int as org, coalesce(p.config_id, 0)::int as merchant,
        o.pay_type as pay, p.paid_at as at, p.amount as n
      from payments p join orders o on o.id = p.order_id where p.applied
      union all select 'back', o.org_id, coalesce(p.config_id, 0), o.pay_type, r.succeeded_at, r.amount
      from refunds r join payments p on p.id = r.payment_id and p.applied
        join orders o on o.id = r.order_id where r.state = 'SUCCESS' and r.kind = 'UNIT'
      union all select 'fee', o.org_id, coalesce(p.config_id, 0), o.pay_type, e.created_at,
        case when e.voucher_type = 'V2' then -e.amount
          else -e.amount - (select r.amount from refunds r
            join ledger_voucher_keys k on k.key = 'rf:' || r.refund_no
            where k.voucher_id = e.voucher_id) end
      from ledger_entries e join ledger_accounts a on a.id = e.account_id and a.code = '1001'
        join orders o on o.id = e.order_id join payments p on p.order_id = o.id and p.applied
      where e.voucher_type in ('V2', 'V6')`)
  ).map(({ what, org, merchant, pay, at, n }) => ({
    ...{ org, merchant, pay, at, out: 0 },
    ...(what === 'pay'
      ? { payCount: 1, payAmount: Number(n) }
      : what === 'back'
        ? { refundAmount: Number(n) }
        : { service: Number(n) }),
  }))
const figures = ['payCount', 'payAmount', 'refundAmount', 'service'] as const
const sumsOf = (facts: readonly Fact[]) =>
  Object.fromEntries(
    figures.map((name) => [name, facts.reduce((sum, fact) => sum + (fact[name] ?? 0), 0)]),
  ) as Record<(typeof figures)[number], number>
const moneyKey: Record<(typeof moneyGroups)[number], (fact: Fact) => string> = {
  DAY: ({ at }) => shanghaiDay(at),
  MONTH: ({ at }) => `${shanghaiDay(at).slice(0, 7)}-01`,
  MERCHANT: ({ merchant }) => String(merchant),
  ORG: ({ org }) => String(org),
}
type Answer = { list: MoneyRow[]; sums: MoneySums; total: number }

test('money equals payments, refunds and the ledger, cleaned orders too', async () => {
  const all = (await moneyFacts()).filter(({ at }) => {
    const day = shanghaiDay(at)
    return day >= range.from && day <= range.to
  })
  const cleaned = await world.sql(
    `select from orders where excluded and paid_at >= '2026-10-31T00:00:00Z'`,
  )
  expect(cleaned.length).toBeGreaterThan(0)
  const cases: readonly (readonly [string, object, (fact: Fact) => boolean])[] = [
    [tokens.platform, {}, () => true],
    [tokens.own, {}, mine],
    [tokens.platform, { orgId: place.CHILD }, ({ org }) => org === place.CHILD],
    [tokens.platform, { payType: 'ALIPAY' }, ({ pay }) => pay === 'ALIPAY'],
    [tokens.platform, { provider: 'SIMULATOR' }, ({ merchant }) => merchant === 0],
  ]
  for (const [token, what, of] of cases)
    for (const groupBy of moneyGroups) {
      const { list, sums, total } = await ask<Answer>(
        dataReports.financial,
        { ...range, ...what, groupBy, pageSize: 200 },
        token,
      )
      const facts = all.filter(of)
      expect({ groupBy, what, ...sums }).toMatchObject({ groupBy, what, ...sumsOf(facts) })
      const wanted = Object.entries(Object.groupBy(facts, moneyKey[groupBy]))
        .map(([key, some]) => [key, sumsOf(some ?? [])] as const)
        .sort()
      expect(
        list
          .filter((row) => row.payCount || row.refundAmount || row.service)
          .map((row) => [row.id, Object.fromEntries(figures.map((name) => [name, row[name]]))])
          .sort(),
      ).toEqual(wanted)
      expect(total).toBe(list.length)
      for (const row of [...list, sums])
        expect(row.netIncome).toBe(
          row.payAmount - row.refundAmount - row.service - row.splitAmount + row.ownShare,
        )
    }
})

test('a day that was compared says what the bill says, and which trades differ', async () => {
  const days = async () =>
    (await ask<Answer>(dataReports.financial, range, tokens.platform)).list.map(
      ({ id, billState, gap }) => [id, billState, gap],
    )
  expect((await days()).every(([, state]) => state === 'UNCOMPARED')).toBe(true)
  trading.wait(30 * 3_600_000)
  await askForBills(world.app)
  while (await runDue(world.app, billKind(world.app)));
  await signIn()
  const sold = '2026-11-02'
  const compared = (await days()).find(([id]) => id === sold)
  expect(compared).toEqual([sold, 'BALANCED', 0])
  await world.sql(`insert into reconciliation_differences (org_id, device_id, day, part, provider,
      kind, subject, order_num, local_amount, other_amount, created_at)
    select org_id, device_id, '${sold}', 'BILL', 'SIMULATOR', 'AMOUNT', 'T-' || org_id, order_num,
      400, 300, now() from orders where order_num in (select max(order_num) from orders
        where org_id in (4, 7) group by org_id)`)
  await world.sql(`update reconciliation_runs set other_amount = other_amount - 100
    where day = '${sold}' and part = 'BILL' and org_id in (4, 7)`)
  const own = await ask<Answer>(dataReports.financial, range, tokens.own)
  expect(own.list.find(({ id }) => id === sold)).toMatchObject({
    ...{ billState: 'DIFFERENT', openDifferences: 1, gap: 100 },
  })
  const differences = (token: string, what = {}) =>
    ask<{ list: { subject: string; gap: number }[]; total: number }>(
      dataReports.financialDifferences,
      { from: sold, to: sold, ...what },
      token,
    )
  expect((await differences(tokens.own)).list).toMatchObject([{ subject: 'T-7', gap: 100 }])
  expect((await differences(tokens.platform)).total).toBe(2)
  expect((await differences(tokens.own, { handled: 'CLOSED' })).total).toBe(0)
  await world.sql(`update reconciliation_differences set state = 'IGNORED', reason = '舍入'`)
  await world.sql(`update reconciliation_runs set differences = 1 where org_id in (4, 7)`)
  const after = await ask<Answer>(dataReports.financial, range, tokens.own)
  expect(after.list.find(({ id }) => id === sold)?.billState).toBe('HANDLED')
  const summary = await ask<{ days: object; sums: MoneySums; beforePoints: unknown[] }>(
    dataReports.financialSummary,
    { from: sold, to: sold },
    tokens.own,
  )
  expect(summary).toMatchObject({
    days: { money: 1, compared: 1, different: 0 },
    sums: { gap: 100, payCount: after.list.find(({ id }) => id === sold)?.payCount },
  })
  expect(summary.beforePoints).toHaveLength(1)
})

test('by day the report covers at most 92 days, and a bill says nothing of ways to pay', async () => {
  const { status, body } = await world.call(
    dataReports.financial,
    { groupBy: 'DAY', from: '2026-01-01', to: '2026-06-01' } as never,
    { token: tokens.own },
  )
  expect([status, (body as { code: number }).code]).toEqual([422, 422871])
  const { sums } = await ask<Answer>(
    dataReports.financial,
    { ...range, payType: 'WECHAT' },
    tokens.platform,
  )
  expect(sums).toMatchObject({ billAmount: null, systemAmount: null, gap: null })
})

type Flow = { org: number; device: number; product: number; at: Date; kind: string; n: number }
type Stock = { list: StockRow[]; sums: StockSums; total: number }
/** Lanes as they are, and the flows of machines since they are their owner's. */
async function stockFacts() {
  const lanes = await world.sql<{
    org: number
    device: number
    product: number
    category: number
    qty: number
    price: number
  }>(
    `select l.org_id::int as org, l.device_id::int as device, l.product_id::int as product,
      p.category_id::int as category, l.quantity as qty, l.price::int as price
    from lanes l join products p on p.id = l.product_id where l.archived_at is null`,
  )
  const flows = await world.sql<Flow & { category: number }>(
    `select f.org_id::int as org, f.device_id::int as device, f.product_id::int as product,
      p.category_id::int as category, f.created_at as at, f.type as kind, f.change_total as n
    from stock_flows f join products p on p.id = f.product_id
    join devices d on d.id = f.device_id and d.org_id = f.org_id`,
  )
  return { lanes, flows }
}

test('stock of any day is what the flows made of it, and one end follows from the other', async () => {
  const token = await world.login('ROLE_SUPER_ADMIN')
  const [device] = await world.sql<{ id: number }>(
    `select id::int from devices where org_id = ${place.CHILD} order by id limit 1`,
  )
  for (const when of ['not added up', 'added up'] as const) {
    if (when === 'added up') await addUpStockDays(world.app)
    const [changes] = await world.sql<{ n: number }>(
      'select count(*)::int as n from stock_day_changes',
    )
    expect((changes?.n ?? 0) > 0).toBe(when === 'not added up')
    const { lanes, flows } = await stockFacts()
    const today = shanghaiDay(trading.today())
    const cases: readonly (readonly [
      string,
      object,
      (of: { org: number; device: number }) => boolean,
    ])[] = [
      [token, {}, () => true],
      [await world.login('ROLE_FULL'), {}, mine],
      [token, { orgId: place.SIBLING }, ({ org }) => org === place.SIBLING],
      [token, { deviceId: device?.id }, (of) => of.device === device?.id],
    ]
    for (const [who, what, of] of cases)
      for (const to of ['2026-10-31', '2026-11-01', today])
        for (const groupBy of stockGroups) {
          if (groupBy === 'BATCH' && to !== today) continue
          const { list, sums } = await ask<Stock>(
            dataReports.inventory,
            { from: '2026-10-25', to, groupBy, pageSize: 200, ...what },
            who,
          )
          const key = (row: { device: number; product: number; category: number }) =>
            String(
              { DEVICE: row.device, PRODUCT: row.product, CATEGORY: row.category, BATCH: 0 }[
                groupBy
              ],
            )
          const stockAt = (id: string | null) => {
            const here = (row: {
              org: number
              device: number
              product: number
              category: number
            }) => of(row) && (id === null || key(row) === id)
            const later = flows.filter((flow) => here(flow) && shanghaiDay(flow.at) > to)
            return (
              lanes.filter(here).reduce((sum, { qty }) => sum + qty, 0) -
              later.reduce((sum, { n }) => sum + n, 0)
            )
          }
          const case_ = { when, what, to, groupBy }
          expect({ ...case_, stock: sums.stock }).toEqual({ ...case_, stock: stockAt(null) })
          expect(list.reduce((sum, row) => sum + row.stock, 0)).toBe(sums.stock)
          if (groupBy === 'BATCH') continue
          const kinds = (kind: string, id: string | null) =>
            Math.abs(
              flows
                .filter(
                  (flow) => of(flow) && flow.kind === kind && (id === null || key(flow) === id),
                )
                .filter(({ at }) => shanghaiDay(at) >= '2026-10-25' && shanghaiDay(at) <= to)
                .reduce((sum, { n }) => sum + n, 0),
            )
          for (const row of [...list, { ...sums, id: null }]) {
            expect({ ...case_, id: row.id, stock: row.stock }).toEqual({
              ...case_,
              id: row.id,
              stock: stockAt(row.id),
            })
            expect([row.replenished, row.taken, row.withdrawn]).toEqual(
              ['MERCHANT_REPLENISH', 'CUSTOMER_TAKE', 'MERCHANT_WITHDRAW'].map((kind) =>
                kinds(kind, row.id),
              ),
            )
            expect(row.opening).toBe(
              row.stock - Number(row.replenished) + Number(row.taken) + Number(row.withdrawn),
            )
          }
          if (to === today)
            expect(sums.retailAmount).toBe(
              lanes.filter(of).reduce((sum, { qty, price }) => sum + qty * price, 0),
            )
        }
    const client = { query: async (text: string) => ({ rows: await world.sql(text) }) }
    const wrong = await verifyRollups(client as never)
    expect(wrong.filter(({ rows }) => rows.length)).toEqual([])
  }
})

test('stock by day ends where the report ends, and reads no flow', async () => {
  type Summary = {
    sums: StockSums
    before: StockSums
    points: { stock: number; replenished: number; left: number }[]
  }
  const summary = await ask<Summary>(
    dataReports.inventorySummary,
    { from: '2026-10-31', to: '2026-11-03' },
    await world.login('ROLE_FULL'),
  )
  expect(summary.points).toHaveLength(4)
  expect(summary.points.at(-1)?.stock).toBe(summary.sums.stock)
  const [first] = summary.points
  expect((first?.stock ?? 0) - (first?.replenished ?? 0) + (first?.left ?? 0)).toBe(
    summary.sums.opening,
  )
  expect(summary.before.stock).toBe(summary.sums.opening)
  const plans = await plansOf(
    world.app,
    systemScope,
    async () => {
      const token = await world.login('ROLE_SUPER_ADMIN')
      await ask(dataReports.inventory, { from: '2026-10-31' }, token)
      await ask(dataReports.financial, { from: '2026-10-31' }, token)
    },
    /stock_days|bill_days/,
    true,
  )
  const read = new Set(
    plans.flatMap(({ plan }) => nodes(plan)).map((node) => node['Relation Name']),
  )
  expect([...read].filter((name) => /^(stock_days|bill_days)$/.test(name ?? '')).sort()).toEqual([
    'bill_days',
    'stock_days',
  ])
  expect(
    [...read].filter((name) =>
      /^(stock_flows|orders|order_units|payments|refunds|ledger_)/.test(name ?? ''),
    ),
  ).toEqual([])
})

test('buyers of any days are counted once, and again when an order of theirs was cleaned', async () => {
  // whom a channel named: few, so that they come again
  await world.sql(
    `update orders set consumer = case id % 7 when 0 then '' else 'openid-' || id % 5 end`,
  )
  const wrong = async () => {
    const client = { query: async (text: string) => ({ rows: await world.sql(text) }) }
    return (await verifyRollups(client as never)).filter(({ rows }) => rows.length)
  }
  await world.sql(`update orders set consumer = '' where paid_at < '2026-10-31T00:00:00Z'`)
  await foldAllBuyers(world.app)
  type Bought = { org: number; consumer: string; at: Date; paid: number; back: number }
  const check = async () => {
    const all = (
      await world.sql<Bought>(`select org_id::int as org, consumer, paid_at as at, paid_amount::int as paid,
          refunded_amount::int as back
        from orders where paid_at is not null and consumer <> '' and not excluded
          and order_type <> 'TEST'`)
    ).filter(({ at }) => shanghaiDay(at) < shanghaiDay(trading.today()))
    expect(all.length).toBeGreaterThan(10)
    for (const [token, of] of [
      [await world.login('ROLE_SUPER_ADMIN'), () => true],
      [await world.login('ROLE_FULL'), mine],
    ] as const)
      for (const [from, to] of [
        ['2026-10-31', '2026-11-02'],
        ['2026-11-01', '2026-11-02'],
        ['2026-11-02', '2026-11-02'],
        ['2026-10-31', '2026-10-31'],
      ] as const) {
        const own = all.filter(of)
        const who = ({ org, consumer }: Bought) => `${org} ${consumer}`
        const inside = own.filter(({ at }) => shanghaiDay(at) >= from && shanghaiDay(at) <= to)
        const before = new Set(own.filter(({ at }) => shanghaiDay(at) < from).map(who))
        const found = new Set(inside.map(who))
        const fresh = [...found].filter((one) => !before.has(one)).length
        const { sums, points } = await ask<{
          sums: BuyerSums
          points: { newBuyers: number; returning: number }[]
        }>(dataReports.buyersTrend, { from, to }, token)
        expect([from, to, sums.buyers, sums.newBuyers]).toEqual([from, to, found.size, fresh])
        expect(points.reduce((sum, { newBuyers }) => sum + newBuyers, 0)).toBe(fresh)
        const { list } = await ask<{ list: BuyerRow[] }>(
          dataReports.buyers,
          { from, to, pageSize: 200 },
          token,
        )
        const last = Object.values(Object.groupBy(own, who)).filter((some = []) => {
          const day = shanghaiDay(
            some
              .map(({ at }) => at)
              .toSorted((a, b) => a.getTime() - b.getTime())
              .at(-1) as Date,
          )
          return day >= from && day <= to
        })
        const said = (some: readonly { orderTotal: number; payAmount: number }[]) =>
          some.map(({ orderTotal, payAmount }) => `${orderTotal} ${payAmount}`).toSorted()
        expect(said(list)).toEqual(
          said(
            last.map((some = []) => ({
              orderTotal: some.length,
              payAmount: some.reduce((sum, { paid }) => sum + paid, 0),
            })),
          ),
        )
        expect(
          list.every(({ userName }) => /^\*{3}id-[0-4]$|^\*{3}d-[0-4]$|^\*{3}.{4}$/.test(userName)),
        ).toBe(true)
      }
  }
  await check()
  expect(await wrong()).toEqual([])
  // what is written into days that are over waits to be made anew
  const [cleaned] = await world.sql<{ num: string }>(
    `update orders set excluded = true where id = (select min(id) from orders where consumer <> ''
      and not excluded and paid_at is not null and refunded_amount = paid_amount) returning order_num as num`,
  )
  expect(cleaned).toBeDefined()
  expect(await world.sql('select from buyers_stale')).toHaveLength(1)
  await foldAllBuyers(world.app)
  await check()
  const buyersOnly = (await wrong()).filter(({ name }) => name.startsWith('buyers'))
  expect(buyersOnly).toEqual([])
})

test('stock has no past beyond two years, batches none, and cost only for who may see it', async () => {
  const own = await world.login('ROLE_FULL')
  const code = async (input: object) =>
    (
      (await world.call(dataReports.inventory, input as never, { token: own })).body as {
        code: number
      }
    ).code
  expect(await code({ from: '2023-01-01', to: '2023-02-01' })).toBe(422872)
  expect(await code({ groupBy: 'BATCH', from: '2026-10-25', to: '2026-10-31' })).toBe(422873)
  const { list } = await ask<Stock>(dataReports.inventory, {}, own)
  expect(list.some(({ costAmount }) => (costAmount ?? 0) > 0)).toBe(true)
  await world.sql(`delete from role_permissions where permission_code = 'product:cost'`)
  const { sums } = await ask<Stock>(dataReports.inventory, {}, await world.login('ROLE_FULL'))
  expect(sums.costAmount).toBeNull()
})
