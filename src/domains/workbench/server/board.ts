import { type RawBuilder, sql } from 'kysely'
import { type Ctx, iso, visible } from '../../../server/context.ts'
import { countedDays } from '../../../server/counted.ts'
import { onlyRow, rowOf, rowsOf } from '../../../server/rows.ts'
import { isoText } from '../../../server/shapes.ts'
import { addDays, dayMs, shanghaiDay, shanghaiHour, startOfDay } from '../../../shared/instants.ts'
import { provinceOf } from '../../../shared/provinces.ts'
import { regionName } from '../../../shared/regions.ts'
import { locales } from '../../product.ts'
import type { Board, BoardPlace, BoardSale } from '../boardContract.ts'

/**
 * Figures of the wall. Sums come from rollups and counts that are kept; single sales and alarms are
 * the newest few, found by their indexes.
 */

/** The platform sees all; naming them keeps its reads on the indexes that begin with the owner. */
const scoped = (ctx: Ctx, org: string, device: string): RawBuilder<unknown> =>
  ctx.actor.scope.all
    ? sql`${sql.ref(org)} = any(array(select id from organisations))`
    : visible(ctx, org, device)
const inUse = sql`d.lifecycle in ('OPERATING', 'PAUSED')`
const shown = { sales: 20, hot: 8, orgs: 8, alarms: 8, places: 400 } as const

type Sum = { at: Date; orders: number; turnover: number }
const sums = (ctx: Ctx, grain: 'HOUR' | 'DAY' | 'TOTAL', from: Date, until: Date) =>
  rowsOf<Sum>(ctx.db)`select r.at, sum(r.orders) as orders, sum(r.turnover) as turnover
    from sales_rollups r where ${scoped(ctx, 'r.org_id', 'r.device_id')} and r.grain = ${grain}
      and r.at >= ${from} and r.at < ${until} group by r.at order by r.at`

const machines = (ctx: Ctx) =>
  onlyRow<Board['devices']>(ctx.db)`select count(*) as total,
      count(*) filter (where s.online and s.fault_count = 0) as online,
      count(*) filter (where s.online and s.fault_count > 0) as fault,
      count(*) filter (where not coalesce(s.online, false)) as offline
    from devices d left join device_states s on s.device_id = d.id
    where ${scoped(ctx, 'd.org_id', 'd.id')} and ${inUse}`

type Place = Omit<BoardPlace, 'name' | 'nameEn'>
const places = (ctx: Ctx) =>
  rowsOf<Place>(ctx.db)`select d.city as code, round(avg(d.lng), 4) as lng,
      round(avg(d.lat), 4) as lat, count(*) filter (where s.online and s.fault_count = 0) as online,
      count(*) filter (where s.online and s.fault_count > 0) as fault,
      count(*) filter (where not coalesce(s.online, false)) as offline
    from devices d left join device_states s on s.device_id = d.id
    where ${scoped(ctx, 'd.org_id', 'd.id')} and ${inUse} and d.lng is not null
    group by d.city order by count(*) desc, d.city limit ${shown.places}`

const hot = (ctx: Ctx, day: string) =>
  rowsOf<Board['hot'][number]>(ctx.db)`select coalesce(p.name, '') as name, x.pieces
    from (select r.product_id, sum(r.pieces) as pieces from product_rollups r
      where ${scoped(ctx, 'r.org_id', 'r.device_id')} and r.day = ${day}::date
      group by r.product_id having sum(r.pieces) > 0
      order by 2 desc, 1 limit ${shown.hot}) x
    left join products p on p.id = x.product_id order by x.pieces desc, x.product_id`

const ranking = (ctx: Ctx, from: Date) =>
  rowsOf<{ name: string; orders: number; turnover: number }>(ctx.db)`
    select o.name, x.orders, x.turnover
    from (select r.org_id, sum(r.orders) as orders, sum(r.turnover) as turnover
      from sales_rollups r where ${scoped(ctx, 'r.org_id', 'r.device_id')} and r.grain = 'DAY'
        and r.at = ${from} group by r.org_id having sum(r.orders) > 0
      order by 3 desc, 1 limit ${shown.orgs}) x
    join organisations o on o.id = x.org_id order by x.turnover desc, x.org_id`

const pays = (ctx: Ctx, day: string) =>
  rowsOf<{ type: Board['pays'][number]['type']; orders: number; turnover: number }>(ctx.db)`
    select r.pay_type as type, sum(r.orders) as orders, sum(r.turnover) as turnover
    from pay_rollups r where ${scoped(ctx, 'r.org_id', 'r.device_id')} and r.day = ${day}::date
    group by r.pay_type having sum(r.orders) > 0 order by 2 desc, 1`

type Sale = Omit<BoardSale, 'cityName' | 'at'> & { at: string; amount: number }
/** The newest of all, or of each organisation that is seen: neither walks past sales of others. */
function sales(ctx: Ctx, from: Date) {
  const { scope } = ctx.actor
  const wanted = sql`o.created_at >= ${from} and not o.excluded and o.order_type <> 'TEST'
    and o.order_status in ('PAID','SHIPPED','ABNORMAL','REFUNDED','SUCCESS')`
  const picked = (of: RawBuilder<unknown>) => sql`select o.org_id, o.id, o.created_at, o.device_id,
      o.detail, o.pieces, o.device_name, o.paid_amount, o.order_status
    from orders o where ${of} and ${wanted} order by o.created_at desc, o.id desc
    limit ${shown.sales}`
  const newest =
    scope.all || scope.devices !== null || scope.watched
      ? picked(visible(ctx, 'o.org_id', 'o.device_id'))
      : sql`select n.* from unnest(${[...scope.orgs]}::bigint[]) as g(id)
          cross join lateral (${picked(sql`o.org_id = g.id`)}) n`
  return rowsOf<Sale>(ctx.db)`select ${isoText('x.created_at')} as at, x.detail as goods, x.pieces,
      coalesce(d.city, '') as city, x.device_name as machine, x.paid_amount as amount,
      x.order_status as status
    from (${newest}) x left join devices d on d.id = x.device_id
    order by x.created_at desc, x.id desc limit ${shown.sales}`
}

type Alarm = { at: string; kind: string; machine: string; level: 'WARN' | 'ERROR' }
const alarms = (ctx: Ctx) =>
  rowsOf<Alarm>(ctx.db)`select ${isoText('a.opened_at')} as at, a.kind, a.level,
      coalesce(d.nickname, '') as machine
    from alerts a left join devices d on d.id = a.device_id
    where ${visible(ctx, 'a.org_id', 'a.device_id')} and a.state <> 'CLOSED'
    order by a.opened_at desc, a.id desc limit ${shown.alarms}`

/** Provinces and cities by their short names; cities have a Chinese name only. */
const cityName = (code: string) => regionName(code) ?? provinceOf(code)?.name ?? ''
const kindNames = (lang: 'zh' | 'en') =>
  (locales.alerts as unknown as Record<string, { enums: { kind: Record<string, string> } }>)[lang]
    ?.enums.kind

export async function boardOf(ctx: Ctx, orgId: number, money: boolean): Promise<Board> {
  const day = shanghaiDay(ctx.now)
  const today = startOfDay(day)
  const yesterday = new Date(today.getTime() - dayMs)
  const hour = shanghaiHour(ctx.now)
  const [first] = [startOfDay(addDays(day, -29))]
  const epoch = new Date('2000-01-01T00:00:00Z')
  const [total, days, hours, devices, seats, goods, orgs, ways, sold, open, org, counts] =
    await Promise.all([
      sums(ctx, 'TOTAL', epoch, new Date(epoch.getTime() + 1)),
      sums(ctx, 'DAY', first, new Date(today.getTime() + dayMs)),
      sums(ctx, 'HOUR', yesterday, new Date(today.getTime() + dayMs)),
      machines(ctx),
      places(ctx),
      hot(ctx, day),
      ranking(ctx, today),
      pays(ctx, day),
      sales(ctx, new Date(today.getTime() - dayMs)),
      alarms(ctx),
      rowOf<{ name: string }>(ctx.db)`select name from organisations where id = ${orgId}`,
      countedDays(ctx.db, { list: 'orders', ctx, from: day, to: day }, sql`c.kind`),
    ])
  const one = (fen: number) => (money ? fen : null)
  const add = (rows: readonly Sum[]) => ({
    orders: rows.reduce((n, row) => n + row.orders, 0),
    turnover: one(rows.reduce((n, row) => n + row.turnover, 0)),
  })
  const at = (rows: readonly Sum[], when: number) => rows.filter((row) => row.at.getTime() === when)
  const perHour = (from: Date, n: number) =>
    Array.from({ length: n }, (_, i) => add(at(hours, from.getTime() + i * 3_600_000)).orders)
  const counted = (kind: string) => counts?.find((row) => row.day === kind)?.rows ?? 0
  return {
    asOf: iso(ctx.now),
    orgName: org?.name ?? '',
    today: add(at(days, today.getTime())),
    before: add(
      hours.filter(
        ({ at: when }) => when < today && when.getTime() < yesterday.getTime() + hour * 3_600_000,
      ),
    ),
    total: add(total),
    days: Array.from({ length: 30 }, (_, i) => {
      const one = addDays(day, i - 29)
      return { day: one, ...add(at(days, startOfDay(one).getTime())) }
    }),
    hours: { today: perHour(today, hour + 1), yesterday: perHour(yesterday, 24) },
    devices,
    vends: counts && { done: counted('SUCCESS'), failed: counted('ABNORMAL') },
    hot: goods,
    orgs: orgs.map((row) => ({ ...row, turnover: one(row.turnover) })),
    pays: ways.map((row) => ({ ...row, turnover: one(row.turnover) })),
    places: seats.map((row) => {
      const name = cityName(row.code)
      return { ...row, name, nameEn: name }
    }),
    sales: sold.map((row) => ({
      ...row,
      cityName: cityName(row.city),
      amount: one(row.amount),
    })),
    alarms: open.map(({ kind, ...row }) => ({
      ...row,
      name: kindNames('zh')?.[kind] ?? kind,
      nameEn: kindNames('en')?.[kind] ?? kind,
    })),
  }
}
