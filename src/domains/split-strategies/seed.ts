import { sql } from 'kysely'
import type { Db } from '../../server/database.ts'
import { onlyRow, rowsOf } from '../../server/rows.ts'
import { dayMs } from '../../shared/instants.ts'
import type { ShownParty, timings } from './contract.ts'

type Timing = (typeof timings)[number]
type Version = readonly [shares: Readonly<Record<string, number>>, note: string, timing: Timing]
type Strategy = readonly [
  ...[owner: string, name: string, state: string, versions: readonly Version[]],
  category?: string | undefined,
  mode?: 'CHANNEL',
]
/** The first party of a version collects. */
// biome-ignore format: a table
const strategies: readonly Strategy[] = [
  ['op-xianda', '标准分账', 'PUBLISHED', [
    [{ 'op-xianda': 8500, platform: 500, 'agent-south': 1000 }, '', 'NEXT_DAY'],
    [{ 'op-xianda': 8100, platform: 550, 'agent-south': 1200, 周建国: 150 }, '代理商比例按新协议上调至12%', 'NEXT_DAY'],
  ]],
  ['op-xianda', '地铁站点', 'PUBLISHED', [
    [{ 'op-xianda': 7800, platform: 700, 'agent-south': 1500 }, '', 'HOUR'],
  ], undefined, 'CHANNEL'],
  ['op-xianda', '写字楼（拟）', 'DRAFT', [
    [{ 'op-xianda': 8800, platform: 400, 'agent-south': 800 }, '', 'HALF_HOUR'],
  ]],
  ['op-huikang', '药品机分账', 'PUBLISHED', [
    [{ 'op-huikang': 9000, platform: 400, 'agent-south': 600 }, '', 'NEXT_DAY'],
  ]],
  ['op-huikang', '门店直营', 'RETIRED', [[{ 'op-huikang': 9500, platform: 500 }, '', 'MANUAL']]],
  ['op-xiaoyuan', '校园分账', 'PUBLISHED', [
    [{ 'op-xiaoyuan': 8800, platform: 1200 }, '', 'NEXT_DAY'],
    [{ 'op-xiaoyuan': 8600, platform: 1200, 刘洋: 200 }, '引荐学校的分成', 'NEXT_DAY'],
  ]],
  ['op-huaqiang', '商圈分账', 'PUBLISHED', [
    [{ 'op-huaqiang': 8500, platform: 500, 'agent-south': 1000 }, '', 'NEXT_DAY'],
    [{ 'op-huaqiang': 8600, platform: 500, 'agent-south': 900 }, '代理商让利1%', 'NEXT_DAY'],
  ]],
  ['op-nanshan', '标准分账', 'PUBLISHED', [
    [{ 'op-nanshan': 9000, platform: 1000 }, '', 'NEXT_DAY'],
  ]],
  ['op-kouan', '枢纽分账', 'PUBLISHED', [
    [{ 'op-kouan': 8850, platform: 1000, 吴磊: 150 }, '', 'MANUAL'],
  ]],
  // for goods, on whatever machine of the operator
  ['op-xianda', '咖啡奶茶联营', 'PUBLISHED', [
    [{ 'op-xianda': 7000, platform: 500, 'agent-south': 2500 }, '', 'NEXT_DAY'],
  ], '咖啡奶茶'],
]

const categoryOf = async (db: Db, name: string) =>
  (await onlyRow<{ id: number }>(db)`select id from product_categories where name = ${name}`).id

type Ids = { org: ReadonlyMap<string, number>; user: ReadonlyMap<string, number> }
/** Strategies of all operators in all their states; most of their machines are bound. */
export async function seedSplitStrategies(db: Db, { org, user }: Ids, now: Date): Promise<void> {
  const names = new Map(
    (
      await rowsOf<{ id: number; name: string; kind: ShownParty['kind'] }>(
        db,
      )`select id, name, kind from organisations`
    ).map((one) => [one.id, one]),
  )
  const people = new Map(
    (
      await rowsOf<{ id: number; name: string }>(
        db,
      )`select id, referrer_name as name from referrers`
    ).map(({ id, name }) => [name, id]),
  )
  for (const [at, [owner, name, state, versions, category, mode]] of strategies.entries()) {
    const org_id = org.get(owner) as number
    const made = new Date(now.getTime() - (80 - at * 4) * dayMs)
    const header = { org_id, name, created_at: made, updated_at: made }
    const { id } = await db
      .insertInto('split_strategies')
      .values(header)
      .returning('id')
      .executeTakeFirstOrThrow()
    for (const [i, [shares, note, timing]] of versions.entries()) {
      const when = new Date(made.getTime() + i * 40 * dayMs)
      const category_ids = category === undefined ? [] : [await categoryOf(db, category)]
      const own = { org_id, strategy_id: id, version_no: i + 1 }
      const version = await db
        .insertInto('split_strategy_versions')
        .values({ ...own, note, timing, category_ids, created_at: when, mode: mode ?? 'LEDGER' })
        .returning('id')
        .executeTakeFirstOrThrow()
      const parties = Object.entries(shares).map(([key, ratio_bp], place) => {
        const own = { org_id, version_id: version.id, party_no: place + 1, ratio_bp }
        const referrer_id = people.get(key)
        if (referrer_id)
          return { ...own, referrer_id, kind: 'REFERRER' as const, name: key, is_collector: false }
        const party = names.get(org.get(key) as number)
        if (!party) throw new Error(`nobody is ${key}`)
        const { id: party_org_id, kind, name } = party
        return { ...own, party_org_id, kind, name, is_collector: place === 0 }
      })
      await db.insertInto('split_parties').values(parties).execute()
      if (state !== 'DRAFT')
        await sql`update split_strategy_versions set state = 'PUBLISHED', published_at = ${when},
            valid_from = ${when}, published_by = ${user.get('finance')}
          where id = ${version.id}`.execute(db)
      await sql`update split_strategies set state = ${state}, updated_at = ${when},
          scoped = ${category !== undefined} where id = ${id}`.execute(db)
    }
  }
  // the second strategy of an operator for every fourth machine; some have none
  await sql`insert into split_bindings (org_id, device_id, strategy_id, bound_at, bound_by)
    select d.org_id, d.id, s.ids[1 + (d.n % 4 = 3)::int * (cardinality(s.ids) - 1)],
      greatest(d.created_at, ${new Date(now.getTime() - 60 * dayMs)}), ${user.get('finance')}
    from (select id, org_id, created_at, row_number() over (partition by org_id order by id) as n
      from devices where lifecycle in ('OPERATING', 'PAUSED')) d
    join (select org_id, array_agg(id order by id) as ids from split_strategies
      where state = 'PUBLISHED' and not scoped group by 1) s on s.org_id = d.org_id
    where d.n % 9 <> 8`.execute(db)
}
