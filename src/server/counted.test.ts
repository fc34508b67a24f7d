import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openWorld, place, type World, worldNow } from '../../test/support/world.ts'
import { billing } from '../domains/billing/contract.ts'
import { orders } from '../domains/orders/contract.ts'
import { stock } from '../domains/stock/contract.ts'
import { addUpCounts } from './counted.ts'
import { listLimits, selectPage, type Walk } from './lists.ts'

/** Totals and pages of lists that grow: by their counts, and up to a bound where nobody counted. */
let world: World
const tokens = new Map<string, string>()
const usual = listLimits.counted
beforeAll(async () => {
  world = await openWorld()
  for (const who of ['ROLE_FULL', 'ROLE_SUPER_ADMIN']) tokens.set(who, await world.login(who))
  await world.sell('OWN', ['OK'])
  // unlike hours of several days, two of the same instant, one cleaned
  await world.sql(
    `insert into orders (org_id, created_at, id, order_num, device_id, rtu_number, device_name,
      channel, order_type, pay_type, pay_state, order_status, detail, img, pieces, total_amount,
      payable_amount, paid_amount, refunded_amount, expire_at, paid_at, excluded)
     select case when n % 3 = 0 then $1 else $2 end::bigint, at, 900000 + n,
       to_char(at at time zone 'Asia/Shanghai', 'YYYYMMDD') || lpad(n::text, 12, '0'), d.id,
       d.rtu_number, 'machine', 'MACHINE', 'SCAN', 'WECHAT',
       case when n % 7 = 0 then 'REFUNDED' else 'PAID' end,
       case when n % 7 = 0 then 'REFUNDED' else 'SUCCESS' end, 'water',
       'files/x.png', 1, 300, 300, 300, case when n % 7 = 0 then 300 else 0 end, at, at, n = 21
     from (select n, $3::timestamptz - (n / 2) * interval '61 minutes' as at
       from generate_series(1, 200) n) x
     cross join (select * from devices where org_id = $1 order by id limit 1) d`,
    [place.OWN, place.CHILD, worldNow],
  )
}, 60_000)
afterEach(() => {
  listLimits.counted = usual
})
afterAll(() => world?.close())

type Answer = { list: Record<string, unknown>[]; total: number; more?: true }
const ask = async (
  input: Record<string, unknown>,
  { who = 'ROLE_FULL', endpoint = orders.list as never } = {},
): Promise<Answer> => {
  const { status, body } = await world.call(endpoint, input, { token: tokens.get(who) as string })
  expect([status, status === 200 ? null : body]).toEqual([200, null])
  return body
}
/** Every page, one after the other. */
async function pages(input: Record<string, unknown>, options = {}): Promise<Answer> {
  const first = await ask({ ...input, pageSize: 20 }, options)
  const list = [...first.list]
  for (let page = 2; list.length < first.total; page += 1) {
    const { list: more } = await ask({ ...input, pageSize: 20, page }, options)
    expect(more.length).toBeGreaterThan(0)
    list.push(...more)
  }
  return { ...first, list }
}
const numbers = ({ list }: Answer) => list.map((row) => row.orderNum)
const range = { from: '2026-11-01', to: '2026-11-21' }

describe.each(['as they were written', 'added up'])('counts %s', (when) => {
  beforeAll(async () => {
    if (when === 'added up') await addUpCounts(world.app)
  })
  it.each([
    ['all', {}, 'ROLE_FULL'],
    ['all, of the platform', {}, 'ROLE_SUPER_ADMIN'],
    ['of a state', { orderStatus: 'REFUNDED' }, 'ROLE_FULL'],
    ['of some days', { from: '2026-11-19', to: '2026-11-20' }, 'ROLE_FULL'],
    ['with cleaned ones', { includeCleaned: true }, 'ROLE_FULL'],
    ['of one below', { orgId: place.CHILD }, 'ROLE_SUPER_ADMIN'],
  ])('say how many, and where a page begins: %s', async (_, filter, who) => {
    for (const sort of ['-createTime', 'createTime', 'actuallyAmount']) {
      const input = { ...range, ...filter, sort }
      const counted = await pages(input, { who })
      // a filter that the counts do not know: the rows themselves are counted and skipped
      const plain = await pages({ ...input, amountMin: 0 }, { who })
      expect(counted.total).toBe(plain.total)
      expect(counted.more).toBeUndefined()
      expect(numbers(counted)).toEqual(numbers(plain))
      expect(new Set(numbers(counted)).size).toBe(counted.total)
    }
  })
  it('come to what the orders come to', async () => {
    const sums = (filter: object) =>
      ask({ ...range, ...filter }, { endpoint: orders.statistics as never })
    for (const filter of [{}, { orderStatus: 'ABNORMAL' }, { includeCleaned: true }])
      expect(await sums(filter)).toEqual(await sums({ ...filter, amountMin: 0 }))
  })
  it('of flows and entries are theirs', async () => {
    for (const endpoint of [stock.flows, billing.entries] as never[]) {
      const [kept, own] = [await pages(range, { endpoint }), world.sql]
      const table = (endpoint as unknown) === stock.flows ? 'stock_flows' : 'ledger_entries'
      const [{ n } = { n: 0 }] = await own<{ n: number }>(
        `select count(*)::int as n from ${table} where org_id = any($1)
          and created_at >= '2026-11-01'::timestamptz - interval '8 hours'`,
        [[place.OWN, place.CHILD]],
      )
      expect(kept.list.length).toBe(n)
      expect(kept.total).toBe(n)
    }
    const flows = await ask(range, { endpoint: stock.flows as never })
    const named = await ask({ ...range, deviceId: 3010 }, { endpoint: stock.flows as never })
    expect(Object.keys(flows)).toContain('sums')
    expect(Object.keys(named)).toContain('sums')
  })
})

it('nothing is left to add up, and organisation 0 is all of them', async () => {
  await addUpCounts(world.app)
  expect(await world.sql('select from row_count_changes')).toEqual([])
  expect(
    await world.sql(`select list, kind, sum(case when org_id = 0 then rows else -rows end) as odd
      from row_counts group by 1, 2 having sum(case when org_id = 0 then rows else -rows end) <> 0`),
  ).toEqual([])
})

describe('where nobody counted', () => {
  it('the total is that or more, and no deeper page is read', async () => {
    listLimits.counted = 40
    const filter = { ...range, amountMin: 1 }
    const first = await ask(filter)
    expect([first.total, first.more, first.list.length]).toEqual([40, true, 20])
    expect((await ask({ ...filter, page: 2 })).list.length).toBe(20)
    const { status, body } = await world.call(
      orders.list,
      { ...filter, page: 3 },
      { token: tokens.get('ROLE_FULL') as string },
    )
    expect([status, body.code, body.message]).toEqual([
      422,
      422003,
      '仅可翻阅前 40 条，请缩小筛选范围或换一种排序',
    ])
  })
  it('a total that is no more than that is exact', async () => {
    const { total } = await ask({ ...range, amountMin: 1 })
    listLimits.counted = total
    const again = await ask({ ...range, amountMin: 1 })
    expect([again.total, again.more]).toEqual([total, undefined])
    expect((await ask({ ...range, amountMin: 1, page: 999 })).list).toEqual([])
  })
})

describe('a walk', () => {
  type Row = { id: number }
  const walked = async (sort: 'at' | '-at' | 'paid' | '-paid', filled: boolean, most = 1000) => {
    const walk: Walk = { most }
    const ids: number[] = []
    let total = 0
    for (let page = 1; ; page += 1) {
      const found = await world.app.database.snapshot(
        { all: true, orgs: [], ancestors: [], devices: null, watched: null },
        (db) =>
          selectPage<Row, 'at' | 'paid'>(db, {
            columns: sql`o.id`,
            from: sql`orders o`,
            where: [sql`o.id > 900000`],
            grows: true,
            sort: {
              at: sql`o.created_at`,
              paid: sql`case when o.id % 5 > 0 then o.refunded_amount end`,
            },
            ...(filled && { filled: ['at'] }),
            last: sql`o.id`,
            input: { page, pageSize: 17, sort, walk },
          }),
      )
      total = found.total
      if (!found.rows.length) return { ids, total }
      expect(Object.keys(found.rows[0] as object)).toEqual(['id'])
      ids.push(...found.rows.map(({ id }) => id))
    }
  }
  it.each(['at', '-at', 'paid', '-paid'] as const)('meets every row once: %s', async (sort) => {
    const { ids, total } = await walked(sort, sort.endsWith('at'))
    const way = sort.startsWith('-') ? 'desc' : 'asc'
    const column = sort.endsWith('at')
      ? 'created_at'
      : 'case when id % 5 > 0 then refunded_amount end'
    const rows = await world.sql<{ id: string }>(
      `select id from orders where id > 900000 order by ${column} ${way} nulls last, id ${way}`,
    )
    expect(ids).toEqual(rows.map(({ id }) => Number(id)))
    expect(total).toBe(200)
  })
  it('counts one more than it may', async () =>
    expect((await walked('at', true, 100)).total).toBe(101))
})
