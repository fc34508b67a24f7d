import { type RawBuilder, sql } from 'kysely'
import { type Ctx, iso, may } from '../../../server/context.ts'
import { all } from '../../../server/lists.ts'
import { rowsOf } from '../../../server/rows.ts'
import { isoText } from '../../../server/shapes.ts'
import type { Input, Output } from '../../../shared/contract.ts'
import { addDays, shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import { bi, say } from '../../../shared/text.ts'
import type { dataReports } from '../contract.ts'
import type { EquipmentRow, EquipmentSums } from '../equipmentContract.ts'
import { type Days, daysBefore, daysIn, daysOf, mostChartDays } from '../rules.ts'
import { keysOf } from './sales.ts'
import { machinesWithin, salesRows, scoped, withFolds } from './source.ts'

type Filter = Omit<Input<typeof dataReports.equipmentSummary>, 'compare' | 'from' | 'to'> & {
  days: Days
}
type Page = { page: number; pageSize: number; sort: string }
const moved = bi('已转出', 'Moved away')
const inUse = sql`d.lifecycle in ('OPERATING', 'PAUSED')`
const silent = sql`not coalesce(s.online, false)`

/** The days as two moments, and how much of them is over. */
function spanOf(ctx: Ctx, { from, to }: Days) {
  const end = Math.min(startOfDay(addDays(to, 1)).getTime(), ctx.now.getTime())
  return { start: startOfDay(from), end: new Date(end) }
}
type Span = ReturnType<typeof spanOf>

/** Seconds of what lasted from `began` to `ended` (null: it goes on) that lie in the span. */
const within = ({ start, end }: Span, began: RawBuilder<unknown>, ended: RawBuilder<unknown>) =>
  sql`greatest(0, extract(epoch from least(${ended}, ${end}::timestamptz)
    - greatest(${began}, ${start}::timestamptz)))`
const daySpan = (days: Days, column: RawBuilder<unknown>) =>
  sql`${column} >= ${days.from}::date and ${column} <= ${days.to}::date`

/** Machines of the filter that are shown; in use, offline now, or without an order for days. */
const shown = (ctx: Ctx, { state, idleDays }: Filter): RawBuilder<unknown> => {
  if (state === 'ALL') return inUse
  if (state === 'OFFLINE') return sql`${inUse} and ${silent}`
  const since = startOfDay(addDays(shanghaiDay(ctx.now), 1 - idleDays))
  return sql`${inUse} and not exists (select from sales_rollups r where r.device_id = d.id
    and r.org_id = d.org_id and r.grain = 'DAY' and r.at >= ${since} and r.orders > 0)`
}
const machines = (ctx: Ctx, input: Filter) => sql`devices d
  left join device_states s on s.device_id = d.id
  where ${machinesWithin(ctx, input)} and ${shown(ctx, input)}`

/** Since when its owner of today, or another whom the reader sees, has had it. */
const since = (ctx: Ctx) => sql`select h.device_id, min(lower(h.valid)) as since
  from device_owner_history h where ${scoped(ctx, 'h.org_id', 'h.device_id')} group by 1`

const rate = (part: RawBuilder<unknown>, whole: RawBuilder<unknown>) =>
  sql`least(1000, greatest(0, round(1000.0 * (${part}) / nullif(${whole}, 0))))::int`
const inHours = (seconds: RawBuilder<unknown>) => sql`round((${seconds}) / 3600.0, 1)::float8`

const equipmentOf = (ctx: Ctx, input: Filter, page: Page) =>
  withFolds(ctx, (until) => equipmentUntil(ctx, { ...input, until }, page))

async function equipmentUntil(ctx: Ctx, input: Filter & { until: string }, page: Page) {
  const { days, until } = input
  const span = spanOf(ctx, days)
  const money = (text: RawBuilder<unknown>) =>
    may(ctx, 'dashboard:money') ? text : sql`null::bigint`
  const [column, direction] =
    page.sort === 'usual' || page.sort === '-usual'
      ? [sql`"offlineHours" desc nulls last, "orderTotal"`, sql`desc`]
      : [
          sql.ref(page.sort.replace(/^-/, '')),
          page.sort.startsWith('-') ? sql`desc nulls last` : sql`asc nulls last`,
        ]
  // what was sold by a machine that left since is part of the sums, as in the sales report
  const left = input.state === 'ALL' ? sql`full` : sql`left`
  type Row = EquipmentRow & { total: number; sums: EquipmentSums }
  const rows = await rowsOf<Omit<Row, 'id'> & { id: number | null }>(ctx.db)`
    with m as (select d.id, d.created_at, s.last_seen_at, s.online, s.offline_since
        from ${machines(ctx, input)}),
      h as (${since(ctx)}),
      b as (select x.device_id as id, sum(x.orders)::bigint as orders,
        sum(x.turnover)::bigint as turnover, sum(x.pieces)::bigint as pieces,
        sum(x.vended)::bigint as vended
        from (${salesRows(ctx, input, { days, until, group: 'DEVICE' })}) x group by 1
        having (sum(x.orders), sum(x.turnover), sum(x.vended)) <> (0, 0, 0)),
      o as (select o.device_id as id, sum(o.times) as times, sum(o.seconds) as seconds
        from outage_days o where ${scoped(ctx, 'o.org_id', 'o.device_id')}
          and ${daySpan(days, sql`o.day`)} group by 1),
      f as (select f.device_id as id, count(*) as times, count(f.closed_at) as ended,
        coalesce(sum(extract(epoch from f.closed_at - f.opened_at)), 0) as seconds
        from device_faults f where ${scoped(ctx, 'f.org_id', 'f.device_id')}
          and f.opened_at >= ${span.start} and f.opened_at < ${span.end} group by 1),
      w as (select w.device_id as id,
        sum(${within(span, sql`w.opened_at`, sql`w.closed_at`)}) as seconds
        from (select w.device_id, w.opened_at, w.closed_at from stock_warnings w
            where ${scoped(ctx, 'w.org_id', 'w.device_id')} and w.kind = 'SOLD_OUT'
              and w.closed_at > ${span.start} and w.opened_at < ${span.end}
          union all select w.device_id, w.opened_at, null from stock_warnings w
            where ${scoped(ctx, 'w.org_id', 'w.device_id')} and w.kind = 'SOLD_OUT'
              and w.closed_at is null and w.opened_at < ${span.end}) w group by 1),
      e as (select e.device_id as id,
        sum(${within(span, sql`e.from_at`, sql`e.to_at`)}) as seconds
        from temperature_excursions e where ${scoped(ctx, 'e.org_id', 'e.device_id')}
          and e.kind = 'OUTSIDE' and e.from_at < ${span.end}
          and (e.to_at is null or e.to_at > ${span.start}) group by 1),
      r as (select coalesce(m.id, b.id) as id, coalesce(b.orders, 0) as orders,
          coalesce(b.turnover, 0) as turnover, coalesce(b.pieces, 0) as pieces,
          coalesce(b.vended, 0) as vended,
          case when m.last_seen_at is not null then greatest(0, extract(epoch from
            ${span.end}::timestamptz - greatest(${span.start}::timestamptz, m.created_at,
              h.since))) end as stood,
          coalesce(o.times, 0) + (not m.online and m.offline_since >= greatest(h.since,
            ${span.start}::timestamptz) and m.offline_since < ${span.end})::int as times,
          coalesce(o.seconds, 0) + case when m.online or m.offline_since is null then 0
            else ${within(span, sql`greatest(m.offline_since, h.since)`, sql`null::timestamptz`)}
            end as silent
        from m ${left} join b on b.id = m.id left join h on h.device_id = m.id
        left join o on o.id = m.id),
      n as materialized (select r.*, coalesce(d.rtu_number, '') as "rtuNumber",
          coalesce(d.nickname, ${say(moved, ctx.lang)}) as nickname,
          coalesce(g.name, '') as "ownedUserName", coalesce(d.address, '') as address,
          r.orders as "orderTotal", ${rate(sql`r.vended`, sql`r.pieces`)} as "successRate",
          ${rate(sql`r.stood - r.silent`, sql`r.stood`)} as "onlineRate",
          coalesce(r.times, 0) as outages,
          case when r.stood is not null then ${inHours(sql`r.silent`)} end as "offlineHours",
          ${inHours(sql`coalesce(w.seconds, 0)`)} as "soldOutHours",
          ${inHours(sql`coalesce(e.seconds, 0)`)} as "tempHours", coalesce(f.times, 0) as faults,
          f.ended, f.seconds as repaired, ${inHours(sql`f.seconds / nullif(f.ended, 0)`)} as "repairHours"
        from r left join devices d on d.id = r.id left join organisations g on g.id = d.org_id
          left join w on w.id = r.id left join e on e.id = r.id left join f on f.id = r.id),
      t as (select count(*) as total, jsonb_build_object('machines', count(*) filter
          (where "rtuNumber" <> ''), 'orderTotal', coalesce(sum(orders), 0), 'turnover',
          ${money(sql`coalesce(sum(turnover), 0)::bigint`)},
          'successRate', ${rate(sql`sum(vended)`, sql`sum(pieces)`)},
          'onlineRate', ${rate(sql`sum(stood) - sum(silent) filter (where stood is not null)`, sql`sum(stood)`)},
          'outages', coalesce(sum(outages), 0),
          'offlineHours', coalesce(round(sum("offlineHours")::numeric, 1), 0),
          'faults', coalesce(sum(faults), 0),
          'repairHours', ${inHours(sql`sum(repaired) / nullif(sum(ended), 0)`)}) as sums from n)
    select t.total, t.sums, p.id, p."rtuNumber", p.nickname, p."ownedUserName", p.address,
      p."orderTotal", ${money(sql`p.turnover`)} as turnover,
      ${money(sql`round(p.turnover / ${sql.lit(daysIn(days))}::numeric)::bigint`)} as "dailyTurnover",
      p."successRate", 1000 - p."successRate" as "problemRate", p."onlineRate", p.outages,
      p."offlineHours", p."soldOutHours", p."tempHours", p.faults, p."repairHours",
      (select ${isoText('v.posted_at')} from replenishment_visits v where v.device_id = p.id
        and v.posted_at is not null and ${scoped(ctx, 'v.org_id', 'v.device_id')}
        order by v.posted_at desc limit 1) as "lastRefillTime"
    from t left join lateral (select *, row_number() over (order by ${column} ${direction}, id) as at
      from n order by at limit ${page.pageSize} offset ${page.pageSize * (page.page - 1)}) p on true
    order by p.at`
  const [{ total, sums }] = rows as [Row]
  const list = rows.flatMap(({ total: _, sums: __, id, ...row }) =>
    id === null ? [] : [{ id, ...row }],
  )
  return { list, total, sums }
}

/** What sorts by money is money. */
export const equipment = (ctx: Ctx, input: Input<typeof dataReports.equipment>) =>
  equipmentOf(
    ctx,
    { ...input, days: daysOf(input, shanghaiDay(ctx.now)) },
    /^-?turnover$/.test(input.sort) && !may(ctx, 'dashboard:money')
      ? { ...input, sort: 'usual' }
      : input,
  )

/** Hours offline and faults by day, beyond three months by month; outages that go on count too. */
async function pointsOf(ctx: Ctx, input: Filter) {
  const { days } = input
  const unit = daysIn(days) > mostChartDays ? 'month' : 'day'
  const span = spanOf(ctx, days)
  const key = (day: RawBuilder<unknown>) =>
    sql`date_trunc(${sql.lit(unit)}, ${day}::timestamp)::date::text`
  const rows = await rowsOf<{ key: string; seconds: number; faults: number }>(ctx.db)`
    with m as (select d.id, s.online, s.offline_since from ${machines(ctx, input)}),
      h as (${since(ctx)})
    select x.key, sum(x.seconds)::float8 as seconds, sum(x.faults)::int as faults from (
      select ${key(sql`o.day`)} as key, o.seconds::bigint as seconds, 0 as faults
        from outage_days o join m on m.id = o.device_id
        where ${all([scoped(ctx, 'o.org_id', 'o.device_id'), daySpan(days, sql`o.day`)])}
      union all select ${key(sql`g.day`)}, g.seconds, 0 from m left join h on h.device_id = m.id
        cross join lateral app_days_of(greatest(m.offline_since, h.since,
          ${span.start}::timestamptz), ${span.end}::timestamptz) g
        where not m.online and m.offline_since is not null
      union all select ${key(sql`(f.opened_at at time zone 'Asia/Shanghai')::date`)}, 0, 1
        from device_faults f join m on m.id = f.device_id
        where ${scoped(ctx, 'f.org_id', 'f.device_id')} and f.opened_at >= ${span.start}
          and f.opened_at < ${span.end}) x group by 1`
  const known = new Map(rows.map((row) => [row.key, row]))
  return keysOf(days, unit.toUpperCase()).map((key) => ({
    key,
    offlineHours: Math.round((known.get(key)?.seconds ?? 0) / 360) / 10,
    faults: known.get(key)?.faults ?? 0,
  }))
}

type Summary = typeof dataReports.equipmentSummary
export async function equipmentSummary(ctx: Ctx, input: Input<Summary>): Promise<Output<Summary>> {
  const days = daysOf(input, shanghaiDay(ctx.now))
  const earlier = daysBefore(days, input.compare)
  const read = (of: Days) =>
    equipmentOf(ctx, { ...input, days: of }, { page: 1, pageSize: 1, sort: 'usual' })
  const { sums } = await read(days)
  const before = earlier && (await read(earlier))
  return {
    asOf: iso(ctx.now),
    ...days,
    sums,
    before: before && earlier && { ...before.sums, ...earlier },
    points: await pointsOf(ctx, { ...input, days }),
    beforePoints: earlier
      ? (await pointsOf(ctx, { ...input, days: earlier })).map((point) => point.offlineHours)
      : null,
  }
}
