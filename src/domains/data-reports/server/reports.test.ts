import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodes, plansOf } from '../../../../test/support/plans.ts'
import { openTrading, type Trading, tradingSeed } from '../../../../test/support/trading.ts'
import { place, rowId, type World } from '../../../../test/support/world.ts'
import { systemScope } from '../../../server/database.ts'
import { foldAllSales } from '../../../server/folds.ts'
import { verifyRollups } from '../../../server/rollups.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { orders } from '../../orders/contract.ts'
import { dataReports, type SalesRow, salesFigures } from '../contract.ts'
import type { ChannelRow, OfflineRow } from '../drillContract.ts'
import { goodsGroups, salesGroups } from '../rules.ts'

let trading: Trading
let world: World
const tokens = { platform: '', own: '' }
beforeAll(async () => {
  trading = await openTrading()
  world = trading.world
  await trading.trade(24, async (n) => void (n === 12 && (await trading.clean())))
  await trading.move()
  trading.wait(26 * 3_600_000)
  await trading.trade(8)
  await trading.giveBack()
  await signIn()
}, 120_000)
async function signIn(): Promise<void> {
  tokens.platform = await world.login('PLATFORM_FULL')
  tokens.own = await world.login('ROLE_FULL')
}
afterAll(() => world?.close())

type Fact = {
  org: number
  device: number
  pay: string
  at: Date
} & {
  [K in 'orderTotal' | 'orderRefund' | 'turnover' | 'cost' | 'paid' | 'refunded' | 'fee']?: number
}
/** What happened, read from orders, pieces, refunds and the ledger, and from no figure. */
async function facts(): Promise<Fact[]> {
  const rows = await world.sql<Fact & { what: string; n: string; second: string }>(`
    select 'paid' as what, org_id as org, device_id as device, pay_type as pay, paid_at as at,
      total_amount as n, paid_amount as second from orders where paid_at is not null
      and not excluded
    union all select 'cost', u.org_id, u.device_id, o.pay_type, u.finished_at, u.cost, 0
      from order_units u join orders o on o.id = u.order_id
      where u.vend_state = 'SUCCESS' and not o.excluded
    union all select 'back', o.org_id, o.device_id, o.pay_type, r.succeeded_at, r.amount, o.id
      from refunds r join orders o on o.id = r.order_id
      where r.state = 'SUCCESS' and r.kind = 'UNIT' and r.amount > 0 and not o.excluded
    union all select 'fee', o.org_id, o.device_id, o.pay_type, e.created_at,
      case when e.voucher_type = 'V2' then -e.amount
        else -e.amount - (select r.amount from refunds r
          join ledger_voucher_keys k on k.key = 'rf:' || r.refund_no
          where k.voucher_id = e.voucher_id) end, 0
      from ledger_entries e join ledger_accounts a on a.id = e.account_id and a.code = '1001'
      join orders o on o.id = e.order_id
      where e.voucher_type in ('V2', 'V6') and not o.excluded`)
  const seen = new Set<string>()
  return rows
    .toSorted((a, b) => a.at.getTime() - b.at.getTime())
    .map(({ what, org, device, pay, at, n, second }) => {
      const of = { org: Number(org), device: Number(device), pay, at }
      const amount = Number(n)
      if (what === 'paid') return { ...of, orderTotal: 1, turnover: amount, paid: Number(second) }
      if (what === 'cost') return { ...of, cost: amount }
      if (what === 'fee') return { ...of, fee: amount }
      const first = !seen.has(second)
      seen.add(second)
      return { ...of, refunded: amount, orderRefund: first ? 1 : 0 }
    })
}
const sum = (list: readonly Fact[], key: keyof Fact) =>
  list.reduce((total, fact) => total + Number(fact[key] ?? 0), 0)
const figuresOf = (list: readonly Fact[]) => {
  const [paid, refunded, cost, fee] = [
    sum(list, 'paid'),
    sum(list, 'refunded'),
    sum(list, 'cost'),
    sum(list, 'fee'),
  ]
  return {
    orderTotal: sum(list, 'orderTotal'),
    orderRefund: sum(list, 'orderRefund'),
    turnover: sum(list, 'turnover'),
    productCost: cost,
    payAmount: paid,
    refundAmount: refunded,
    profit: paid - refunded - cost - fee,
    service: fee,
    grossProfit: paid - refunded - cost,
  }
}
const keyOf: Record<(typeof salesGroups)[number], (fact: Fact) => string> = {
  DAY: ({ at }) => shanghaiDay(at),
  WEEK: ({ at }) => {
    const day = new Date(`${shanghaiDay(at)}T00:00:00Z`)
    day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7))
    return day.toISOString().slice(0, 10)
  },
  MONTH: ({ at }) => `${shanghaiDay(at).slice(0, 7)}-01`,
  DEVICE: ({ device }) => String(device),
  ORG: ({ org }) => String(org),
  STORE: () => '0',
  PAY: ({ pay }) => pay,
  HOUR: ({ at }) => new Date(at.getTime() + 8 * 3_600_000).toISOString().slice(11, 13),
}
const pickFigures = (row: SalesRow) =>
  Object.fromEntries(salesFigures.map((name) => [name, row[name]]))

const range = { from: '2026-10-20', to: '2026-11-10' }
async function compare(what: object, of: (fact: Fact) => boolean, token: string): Promise<void> {
  const all = (await facts()).filter(of)
  expect(all.length).toBeGreaterThan(0)
  for (const groupBy of salesGroups) {
    // the world has its own older orders
    const answer = await world.call(
      dataReports.sales,
      { ...range, ...what, groupBy, pageSize: 200 } as never,
      { token },
    )
    expect(answer.status).toBe(200)
    const { list, sums, total } = answer.body as {
      list: SalesRow[]
      sums: object
      total: number
    }
    const inRange = all.filter(({ at }) => {
      const day = shanghaiDay(at)
      return day >= range.from && day <= range.to
    })
    expect({ groupBy, ...sums }).toEqual({ groupBy, ...figuresOf(inRange) })
    if (groupBy === 'STORE') continue
    const wanted = Object.entries(Object.groupBy(inRange, keyOf[groupBy]))
      .map(([key, list]) => [key, figuresOf(list ?? [])] as const)
      .filter(([, figures]) => Object.values(figures).some((n) => n !== 0))
      .sort()
    expect({
      groupBy,
      list: list.map((row) => [row.id, pickFigures(row)] as const).sort(),
    }).toEqual({ groupBy, list: wanted })
    expect(total).toBe(list.length)
  }
}
const mine = ({ org }: Fact) => org === place.OWN || org === place.CHILD

test.each(['before days are added up', 'behind it', 'after a clean-up of days that are over'])(
  `reports equal the facts and the ledger, %s (MODEL_SEED=${tradingSeed})`,
  async (when) => {
    if (when === 'behind it') {
      trading.wait(40 * 3_600_000)
      await signIn()
      await foldAllSales(world.app)
      const [folded] = await world.sql<{ n: number }>(
        `select count(*)::int as n from sales_folds where grain = 'MONTH'`,
      )
      expect(folded?.n).toBeGreaterThan(0)
    }
    if (when.startsWith('after'))
      expect([await trading.clean(), await trading.clean()]).toEqual([200, 200])
    await compare({}, () => true, tokens.platform)
    await compare({}, mine, tokens.own)
    await compare({ orgId: place.CHILD }, ({ org }) => org === place.CHILD, tokens.platform)
    const device = rowId('OWN', 1)
    await compare({ deviceId: device }, (fact) => fact.device === device, tokens.platform)
    const client = { query: async (text: string) => ({ rows: await world.sql(text) }) }
    const wrong = await verifyRollups(client as never)
    expect(wrong.filter(({ rows }) => rows.length)).toEqual([])
  },
  60_000,
)

test('products add up to the sales report', async () => {
  type Sums = Record<string, number>
  const read = async (
    endpoint: typeof dataReports.sales | typeof dataReports.products,
    what: object,
    token: string,
  ) =>
    (await world.call(endpoint, { ...range, pageSize: 200, ...what } as never, { token })).body as {
      list: Sums[]
      sums: Sums
    }
  const same = [
    'turnover',
    'productCost',
    'payAmount',
    'refundAmount',
    'service',
    'profit',
  ] as const
  for (const token of Object.values(tokens))
    for (const groupBy of goodsGroups) {
      const { sums } = await read(dataReports.sales, {}, token)
      const goods = await read(dataReports.products, { groupBy }, token)
      for (const key of same) {
        expect([groupBy, key, goods.sums[key]]).toEqual([groupBy, key, sums[key]])
        expect(goods.list.reduce((sum, row) => sum + Number(row[key]), 0)).toBe(sums[key])
      }
      const left = await world.sql<{ n: number }>(
        `select count(*)::int as n from order_units u join orders o on o.id = u.order_id
          where u.vend_state = 'SUCCESS' and not o.excluded
            and (u.org_id = any($1) or $1 = '{}'::bigint[])`,
        [token === tokens.own ? [place.OWN, place.CHILD] : []],
      )
      expect(goods.sums.salesNum).toBeLessThanOrEqual(Number(left[0]?.n))
      expect(goods.sums.salesNum).toBeGreaterThan(0)
    }
})

test('counts the machines that sold, of a day and of a month', async () => {
  const all = (await facts()).filter(
    (fact) => fact.orderTotal && shanghaiDay(fact.at) >= range.from,
  )
  for (const groupBy of ['DAY', 'MONTH'] as const) {
    const { body } = await world.call(dataReports.sales, { ...range, groupBy } as never, {
      token: tokens.platform,
    })
    for (const row of (body as { list: SalesRow[] }).list) {
      const own = all.filter((fact) => keyOf[groupBy](fact) === row.id)
      const of =
        groupBy === 'DAY' ? (f: Fact) => `${f.org}/${f.device}` : (f: Fact) => String(f.device)
      expect([row.id, row.deviceNum]).toEqual([row.id, new Set(own.map(of)).size])
    }
  }
})

test('the orders behind a number are just those that it counts, and a product has its part', async () => {
  const token = tokens.platform
  const count = async (what: object) =>
    (
      (await world.call(orders.list, { pageSize: 3, byPayment: true, ...what } as never, { token }))
        .body as { total: number }
    ).total
  const read = async (what: object) =>
    (await world.call(dataReports.sales, { ...range, pageSize: 200, ...what } as never, { token }))
      .body as { list: SalesRow[]; sums: Record<string, number> }
  const by = {
    DAY: ({ id }: SalesRow) => ({ from: id, to: id }),
    DEVICE: ({ id }: SalesRow) => ({ ...range, deviceId: Number(id) }),
    ORG: ({ id }: SalesRow) => ({ ...range, ownerId: Number(id) }),
    PAY: ({ id }: SalesRow) => ({ ...range, payType: id }),
  }
  for (const [groupBy, filter] of Object.entries(by))
    for (const row of (await read({ groupBy })).list)
      expect([groupBy, row.id, await count(filter(row))]).toEqual([groupBy, row.id, row.orderTotal])
  const products = await world.call(dataReports.products, { ...range, pageSize: 200 } as never, {
    token,
  })
  for (const row of (products.body as { list: Record<string, number>[] }).list)
    for (const groupBy of ['DAY', 'DEVICE', 'MONTH']) {
      const { sums } = await read({ productId: row.productId, groupBy })
      for (const key of ['orderTotal', 'turnover', 'payAmount', 'refundAmount', 'profit'])
        expect([key, sums[key]]).toEqual([key, row[key]])
    }
})

test('compares with the period before and the year before', async () => {
  const read = async (compare: string) =>
    (
      await world.call(
        dataReports.salesSummary,
        { from: '2026-11-01', to: '2026-11-03', compare } as never,
        { token: tokens.platform },
      )
    ).body as { sums: object; before: Record<string, unknown> | null; points: unknown[] }
  const answer = await read('BEFORE')
  expect(answer.points).toHaveLength(3)
  const before = (await facts()).filter(
    ({ at }) => shanghaiDay(at) >= '2026-10-29' && shanghaiDay(at) <= '2026-10-31',
  )
  expect(answer.before).toEqual({ ...figuresOf(before), from: '2026-10-29', to: '2026-10-31' })
  expect((await read('YEAR')).before).toMatchObject({ turnover: 0, from: '2025-11-01' })
  expect((await read('NONE')).before).toBeNull()
})

test('by hour a report covers at most 92 days', async () => {
  const answer = await world.call(
    dataReports.sales,
    { from: '2026-01-01', to: '2026-06-01', groupBy: 'HOUR' } as never,
    { token: tokens.platform },
  )
  expect(answer).toMatchObject({ status: 422, body: { code: 422861 } })
})

test('days that are over are not read machine by machine', async () => {
  const read = async (groupBy: string) => {
    const plans = await plansOf(
      world.app,
      systemScope,
      () =>
        world.call(dataReports.sales, { ...range, groupBy } as never, { token: tokens.platform }),
      /sales_folds/,
      true,
    )
    const found = plans.flatMap(({ plan }) => nodes(plan))
    const rows = (table: string) =>
      found
        .filter((node) => node['Relation Name'] === table)
        .reduce((sum, node) => sum + (node['Actual Rows'] ?? 0) * node['Actual Loops'], 0)
    return { folded: rows('sales_folds') > 0, single: rows('sales_rollups') + rows('pay_rollups') }
  }
  for (const groupBy of ['DAY', 'WEEK', 'PAY', 'HOUR'])
    expect({ groupBy, ...(await read(groupBy)) }).toEqual({ groupBy, folded: true, single: 0 })
})

test('the drill-down of the home page: sales by machine, and which of them are silent', async () => {
  const device = rowId('OWN', 1)
  const read = async (token: string, what: object = {}) =>
    (
      await world.call(dataReports.offlineChannel, { ...range, pageSize: 200, ...what } as never, {
        token,
      })
    ).body as { list: ChannelRow[]; sums: object; total: number }
  const all = await facts()
  for (const [token, of] of [
    [tokens.platform, () => true],
    [tokens.own, mine],
  ] as const) {
    const { list, sums, total } = await read(token)
    const own = all.filter(of).filter(({ at }) => shanghaiDay(at) >= range.from)
    const wanted = (one: Fact[]) => {
      const { orderTotal, turnover, payAmount, refundAmount } = figuresOf(one)
      return { orderTotal, turnover, refundAmount, received: payAmount - refundAmount }
    }
    expect(sums).toEqual(wanted(own))
    const byMachine = Object.groupBy(own, (fact) => fact.device)
    expect(total).toBe(Object.keys(byMachine).length)
    for (const row of list) {
      const figures = wanted(byMachine[row.id] ?? [])
      expect(row).toMatchObject(figures)
      expect(row.average).toBe(
        figures.orderTotal ? Math.round(figures.turnover / figures.orderTotal) : null,
      )
    }
  }
  const [row] = (await read(tokens.platform, { deviceId: device })).list
  const paid = all.filter((fact) => fact.device === device && fact.orderTotal)
  expect(row?.lastOrderTime).toBe(paid.at(-1)?.at.toISOString())

  // silent for a week and two hours: every hour of the week once, and the first two again
  const since = new Date('2026-11-03T16:00:00Z')
  trading.wait(since.getTime() + 170 * 3_600_000 - trading.today().getTime())
  await signIn()
  await world.sql(
    `update device_states set online = false, offline_since = $2, last_seen_at = $2,
      offline_cause = 'POWER_FAIL' where device_id = $1`,
    [device, since],
  )
  const before = (hours: number) => new Date(since.getTime() - hours * 3_600_000)
  await world.sql(`delete from sales_rollups where device_id = $1 and grain = 'HOUR'`, [device])
  for (const [hours, turnover] of [
    [168, 400], // the same hour a week before: twice
    [160, 4000], // later in the week: once
    [28 * 24 + 1, 80_000], // more than four weeks ago
  ] as const)
    await world.sql(
      `insert into sales_rollups (org_id, device_id, grain, at, turnover)
        select org_id, id, 'HOUR', $2, $3 from devices where id = $1`,
      [device, before(hours), turnover],
    )
  const silent = async (role: Parameters<World['login']>[0], what: object = {}) =>
    (
      await world.call(dataReports.offlineMachines, { pageSize: 200, ...what } as never, {
        token: await world.login(role),
      })
    ).body as { list: OfflineRow[]; total: number }
  const found = await silent('PLATFORM_FULL', { deviceId: device })
  expect(found).toMatchObject({
    total: 1,
    list: [{ id: device, offlineHours: 170, cause: 'POWER', loss: (2 * 400 + 4000) / 4 }],
  })
  const [home] = await world.sql<{ n: number }>(
    `select count(*)::int as n from devices d left join device_states s on s.device_id = d.id
      where d.lifecycle in ('OPERATING', 'PAUSED') and not coalesce(s.online, false)`,
  )
  expect((await silent('PLATFORM_FULL')).total).toBe(home?.n)
  expect((await silent('ROLE_RTU_REPAIRER')).list.every(({ loss }) => loss === null)).toBe(true)
})
