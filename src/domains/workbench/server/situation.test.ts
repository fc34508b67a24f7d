import { afterAll, beforeAll, expect, test } from 'vitest'
import { addRole, addUser } from '../../../../test/factories/things.ts'
import { openWorld, place, type World, worldNow } from '../../../../test/support/world.ts'
import { fromStrings } from '../../../shared/contract.ts'
import { contracts, standings } from '../../product.ts'
import { type StandingRow, workbench } from '../contract.ts'

/** Each thing that stands open is as many rows, and worth as much, as the list it leads to. */
let world: World
const tokens: Record<string, string> = {}
// what happens is drawn anew each time, and printed
const seed = Number(process.env.SITUATION_SEED ?? Date.now() % 1_000_000)
let state = seed
const random = (n: number) => {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
  return Math.floor((state / 2_147_483_648) * n)
}

beforeAll(async () => {
  world = await openWorld()
  for (const who of ['PLATFORM_FULL', 'ROLE_FULL']) tokens[who] = await world.login(who)
  for (const where of ['OWN', 'CHILD', 'SIBLING'] as const) {
    for (let n = random(3); n >= 0; n -= 1)
      await world.sell(where, ['OK', random(2) ? 'NO_DROP' : 'OK'])
    const org = place[where]
    await world.sql(
      `update device_states set online = false, offline_since = $2 where org_id = $1
        and device_id % 2 = ${random(2)}`,
      [org, new Date(worldNow.getTime() - 3_600_000 * (1 + random(200)))],
    )
    // takings of the weeks before
    await world.sql(
      `insert into sales_rollups (device_id, org_id, grain, at, orders, turnover, paid)
        select id, org_id, 'DAY', timestamptz '2026-11-01 00:00+08' + n * interval '1 day', 1,
          100 + ${random(900)}, 100 from devices, generate_series(0, ${5 + random(12)}) n
        where org_id = $1 on conflict do nothing`,
      [org],
    )
    for (const kind of ['REFUND_FAILED', 'UNMATCHED_PAYMENT', 'DOUBLE_SHIPPED'])
      for (let n = random(4); n > 0; n -= 1)
        await world.sql(
          `insert into order_cases (org_id, kind, state, amount, created_at, unit_id)
            values ($1, $2, $3, $4, $5, $6)`,
          [
            org,
            kind,
            ['OPEN', 'HANDLING', 'DONE'][random(3)],
            random(5000),
            new Date(worldNow.getTime() - random(10_000_000)),
            org * 1_000_000 + random(1_000_000),
          ],
        )
  }
}, 120_000)
afterAll(() => world?.close())

type Row = Record<string, never> & { [key: string]: number | string | null }
const money = (row: Row, key: string) => (row[key] === null ? null : Number(row[key]))
/** What a row of the list is worth; those that are not here show no worth of their own. */
const worth: Record<string, (row: Row) => number | null> = {
  abnormalOrders: (row) => Number(row.actuallyAmount) - Number(row.refundedAmount),
  soldOutLanes: (row) => money(row, 'lossPerDay'),
  lowLanes: (row) => money(row, 'lossPerDay'),
  expiredGoods: (row) => money(row, 'costAmount'),
  nearExpiry: (row) => money(row, 'costAmount'),
  differences: (row) => (row.part === 'STOCK' ? null : Math.abs(Number(row.gap))),
  pendingWithdrawals: (row) => money(row, 'amount'),
  invoicesPENDING: (row) => money(row, 'amount'),
  invoicesISSUING: (row) => money(row, 'amount'),
}
const caseWorth = (row: Row) => money(row, 'amount')
/** Worth that no list shows, said anew. */
const machines = (ids: number[]) => `select coalesce(sum(usual), 0)::bigint as value from (select
    (select sum(r.turnover) / 28 from sales_rollups r where r.device_id = d.id and r.grain = 'DAY'
      and r.org_id = d.org_id and r.at >= b.at - interval '28 days' and r.at < b.at) as usual
  from devices d join device_states s on s.device_id = d.id
  cross join lateral (select least(timestamptz '2026-11-21 00:00+08', AT) as at) b
  where d.id in (${ids.join(',')})) x`
const said: Record<string, (ids: number[]) => string> = {
  offlineMachines: (ids) =>
    machines(ids).replace('AT', 'coalesce(s.offline_since, s.last_seen_at, d.created_at)'),
  faultyMachines: (ids) =>
    machines(ids).replace(
      'AT',
      `coalesce((select min(f.opened_at) from device_faults f where f.device_id = d.id
        and f.closed_at is null), timestamptz '2026-11-20 06:00Z')`,
    ),
  stoppedLanes: (ids) =>
    `select coalesce(sum(quantity * coalesce(price, retail_price)), 0)::bigint as value
      from lanes where id in (${ids.join(',')})`,
  ...Object.fromEntries(
    ['complaintsOPEN', 'complaintsHANDLING'].map((key) => [
      key,
      (ids: number[]) => `select sum(o.paid_amount - o.refunded_amount)::bigint as value
        from complaints c join orders o on o.order_num = c.order_num
        where c.id in (${ids.join(',')})`,
    ]),
  ),
}

async function listed(source: { list: { path: string } }, to: string, token: string) {
  const endpoint = Object.values(contracts)
    .flatMap((contract) => Object.values(contract))
    .find(({ path, kind }) => kind === 'read' && path === source.list.path)
  if (!endpoint) throw new Error(source.list.path)
  const query = Object.fromEntries(new URLSearchParams(to.split('?')[1] ?? ''))
  const rows: Row[] = []
  for (let page = 1; ; page += 1) {
    const input = { ...fromStrings(endpoint.input, query), page, pageSize: 200 }
    const { body, status } = await world.call(endpoint, input as never, { token })
    expect([to, status]).toEqual([to, 200])
    rows.push(...body.list)
    if (rows.length >= body.total) return { rows, total: body.total as number }
  }
}

const met = new Set<string>()
test.each(['PLATFORM_FULL', 'ROLE_FULL'])(
  `for %s each is its list (SITUATION_SEED=${seed})`,
  async (who) => {
    const token = tokens[who] as string
    const { body, status } = await world.call(workbench.situation, {}, { token })
    expect(status).toBe(200)
    const shown = body.list as StandingRow[]
    for (const source of await standings()) {
      const row = shown.find(({ key }) => key === source.key)
      const query = new URLSearchParams(
        Object.entries(source.filter(worldNow)).map(([key, value]) => [key, String(value)]),
      )
      const to = row?.to ?? `${source.page}?${query}`
      const { rows, total } = await listed(source, to, token)
      expect([source.key, row?.count ?? 0]).toEqual([source.key, total])
      if (!row) continue
      met.add(source.key)
      const of = worth[source.key] ?? (source.key.startsWith('case') ? caseWorth : undefined)
      const again = said[source.key]
      let value: number | null = null
      if (of) {
        const known = rows.map(of).filter((one) => one !== null)
        value = known.length ? known.reduce((sum, one) => sum + one, 0) : null
      } else if (again) {
        const [found] = await world.sql<{ value: number | null }>(
          again(rows.map(({ id }) => Number(id))),
        )
        value = found?.value === null ? null : Number(found?.value)
      }
      expect([source.key, row.value ?? 0]).toEqual([source.key, value ?? 0])
    }
    // the dearest first
    const values = shown.map((row) => row.value ?? -1)
    expect(values).toEqual([...values].sort((a, b) => b - a))
  },
)

test('the world has something of most of them', () => expect(met.size).toBeGreaterThanOrEqual(10))

test('what one may not see, not do, or not know the worth of is not told', async () => {
  // the dice may have given none, and have cut off the machine
  await world.sql(
    'update device_states set online = true, offline_since = null where org_id = $1',
    [place.OWN],
  )
  await world.sell('OWN', ['OK', 'NO_DROP'])
  const own = async (codes: string[]) => {
    const name = `ROLE_SITUATION_${codes.length}_${random(1e6)}`
    const token = await loginWith(name, codes)
    return (await world.call(workbench.situation, {}, { token })).body.list as StandingRow[]
  }
  const keys = (list: StandingRow[]) => list.map(({ key }) => key)
  const base = ['workbench:read']
  expect(keys(await own(base))).toEqual([])
  expect(keys(await own([...base, 'order:read']))).toEqual([])
  expect(keys(await own([...base, 'order:refund']))).toEqual([])
  const blind = await own([...base, 'order:read', 'order:refund'])
  expect(keys(blind)).toContain('abnormalOrders')
  expect(blind.every(({ value }) => value === null)).toBe(true)
})

async function loginWith(code: string, codes: string[]): Promise<string> {
  await addRole(world.sql, { org_id: 1, code, data_scope: 'ORG_TREE', rank: 1 }, codes)
  await addUser(world.sql, { org_id: place.OWN, username: code }, code)
  return world.login(code)
}
