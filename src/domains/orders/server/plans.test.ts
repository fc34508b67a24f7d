import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodes, plansOf } from '../../../../test/support/plans.ts'
import { openWorld, place, type World, worldNow } from '../../../../test/support/world.ts'
import type { Actor } from '../../../server/context.ts'
import { systemActor } from '../../../server/context.ts'
import { listOrders } from './queries.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
  await world.sql(
    `insert into orders (org_id, created_at, id, order_num, device_id, rtu_number, device_name,
      channel, order_type, pay_type, pay_state, order_status, detail, img, pieces, total_amount,
      payable_amount, paid_amount, refunded_amount, expire_at, paid_at)
     select $1, at, 900000 + n,
       to_char(at at time zone 'Asia/Shanghai', 'YYYYMMDD') || lpad(n::text, 12, '0'), d.id,
       d.rtu_number, 'machine', 'MACHINE', 'SCAN', 'WECHAT', 'PAID', 'SUCCESS', 'water',
       'files/x.png', 1, 300, 300, 300, 0, at, at
     from (select n, $2::timestamptz - n * interval '1 minute' as at
       from generate_series(1, 20000) n) x cross
       join (select * from devices where org_id = $1 limit 1) d`,
    [place.CHILD, worldNow],
  )
  await world.sql('vacuum analyze orders')
}, 60_000)
afterAll(() => world?.close())

const scope = {
  all: false,
  orgs: [place.CHILD],
  ancestors: [place.OWN, place.PARENT, place.PLATFORM],
  devices: null,
  watched: null,
}
const actor: Actor = { ...systemActor, orgId: place.CHILD, scope }
type Filter = { orderStatus?: 'SUCCESS'; from?: string }
/** The plans of the count and of the page. */
async function planned(
  page: number,
  as: Actor = actor,
  filter: Filter = { orderStatus: 'SUCCESS', from: '2026-11-01' },
) {
  const input = { ...filter, page, pageSize: 20, sort: '-createTime' } as const
  const found = await plansOf(
    world.app,
    as.scope,
    () =>
      world.app.database.read(as.scope, (db) =>
        listOrders({ db, actor: as, now: worldNow } as never, input),
      ),
    /^select .*from (orders|\(\s*select) ?/s,
  )
  expect(found).toHaveLength(2)
  return found.map(({ plan }) => nodes(plan))
}
const everything = { all: true, orgs: [], ancestors: [], devices: null, watched: null }
const readers: [string, Actor][] = [
  ['who sees all', { ...systemActor, orgId: place.PLATFORM, scope: everything }],
  [
    'an agent',
    {
      ...actor,
      orgId: place.PARENT,
      scope: {
        ...{ all: false, orgs: [place.PARENT, place.OWN, place.CHILD, place.SIBLING] },
        ...{ ancestors: [place.PLATFORM], devices: null, watched: null },
      },
    },
  ],
]
test.each(readers)('the newest page of %s reads as much as it shows', async (_who, as) => {
  for (const filter of [{}, { orderStatus: 'SUCCESS', from: '2026-11-01' }] as const) {
    const [, page = []] = await planned(1, as, filter)
    const read = page.map((node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0))
    expect(Math.max(...read)).toBeLessThan(60)
  }
})

test('the newest page of an operator reads its own rows alone, and no reader takes a second core', async () => {
  const [count = [], page = []] = await planned(1)
  const gathers = [...count, ...page].filter((node) => node['Node Type'].startsWith('Gather'))
  expect(gathers).toEqual([])
  expect(Math.max(...page.map((node) => node['Actual Rows']))).toBeLessThan(40)
})

test('a late page skips what is before it, and looks up lanes for its own rows alone', async () => {
  const [, page = []] = await planned(500)
  const lookups = page.filter((node) => /units/.test(node['Relation Name'] ?? ''))
  expect(lookups.length).toBeGreaterThan(0)
  expect(Math.max(...lookups.map((node) => node['Actual Loops']))).toBeLessThanOrEqual(20)
})

test('a late page reads the days it lies in, and no list counts orders', async () => {
  const perDay = 1440
  const [count = [], page = []] = await planned(500)
  expect(count.filter((node) => node['Relation Name']?.startsWith('orders'))).toEqual([])
  const read = page.filter((node) => node['Relation Name']?.startsWith('orders'))
  expect(read.length).toBeGreaterThan(0)
  expect(Math.max(...read.map((node) => node['Actual Rows']))).toBeLessThanOrEqual(perDay)
})
