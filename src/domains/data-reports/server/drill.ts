import { type RawBuilder, sql } from 'kysely'
import { type Ctx, iso, may } from '../../../server/context.ts'
import { answerOf } from '../../../server/lists.ts'
import { rowsOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import type { Input, Output } from '../../../shared/contract.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { bi, say } from '../../../shared/text.ts'
import type { dataReports } from '../contract.ts'
import { type ChannelRow, OfflineRow } from '../drillContract.ts'
import { daysOf } from '../rules.ts'
import { machinesWithin, salesRows, scoped, withFolds } from './source.ts'

type Sums = Output<typeof dataReports.offlineChannel>['sums']
const moved = bi('已转出', 'Moved away')

type Machines = Input<typeof dataReports.offlineChannel>
export const offlineChannel = (ctx: Ctx, input: Machines) =>
  withFolds(ctx, (until) => machinesUntil(ctx, input, until))

/** What each machine sold; when it last did is looked up for the rows of the page alone. */
async function machinesUntil(ctx: Ctx, input: Machines, until: string) {
  const days = daysOf(input, shanghaiDay(ctx.now))
  const column = input.sort.replace(/^-/, '')
  const direction = input.sort.startsWith('-') ? sql`desc` : sql`asc`
  // the newest day of sales, then the newest order of that day: neither grows
  const last = sql`(select o.paid_at from (select max(r.at) as at from sales_rollups r
      where r.device_id = p.id and r.grain = 'DAY' and r.orders > 0
        and ${scoped(ctx, 'r.org_id', 'r.device_id')}) d
    join orders o on o.device_id = p.id and o.created_at >= d.at - interval '1 hour'
      and o.created_at < d.at + interval '1 day'
    where o.paid_at >= d.at and not o.excluded and o.order_type <> 'TEST'
      and ${scoped(ctx, 'o.org_id', 'o.device_id')} order by o.created_at desc limit 1)`
  const rows = await rowsOf<
    Omit<ChannelRow, 'id' | 'lastOrderTime'> & {
      id: number | null
      lastOrderTime: Date | null
      total: number
      sums: Sums
    }
  >(ctx.db)`
    with b as (select x.device_id as id, sum(x.orders)::bigint as "orderTotal",
        sum(x.turnover)::bigint as turnover, sum(x.refunded)::bigint as "refundAmount",
        sum(x.paid - x.refunded)::bigint as received
      from (${salesRows(ctx, input, { days, until, group: 'DEVICE' })}) x group by 1),
      n as materialized (select b.*, coalesce(d.rtu_number, '') as "rtuNumber",
          coalesce(d.nickname, ${say(moved, ctx.lang)}) as nickname,
          coalesce(o.name, '') as "ownedUserName",
          round(b.turnover / nullif(b."orderTotal", 0)::numeric)::bigint as average
        from b left join devices d on d.id = b.id left join organisations o on o.id = d.org_id
        where (b."orderTotal", b.turnover, b."refundAmount", b.received) <> (0, 0, 0, 0)),
      t as (select count(*) as total, jsonb_build_object(${sql.join(
        (['orderTotal', 'turnover', 'refundAmount', 'received'] as const).map(
          (name) => sql`${sql.lit(name)}, coalesce(sum(${sql.ref(name)}), 0)`,
        ),
      )}) as sums from n)
    select t.total, t.sums, p.id, p."rtuNumber", p.nickname, p."ownedUserName", p."orderTotal",
      p.turnover, p."refundAmount", p.received, p.average, ${last} as "lastOrderTime"
    from t left join lateral (select *, row_number() over (order by ${sql.ref(column)} ${direction}
        nulls last, id) as at from n
      order by at limit ${input.pageSize} offset ${input.pageSize * (input.page - 1)}) p on true
    order by p.at`
  const [{ total, sums }] = rows as [(typeof rows)[number]]
  const list = rows.flatMap(({ total: _, sums: __, id, lastOrderTime, ...row }) =>
    id === null ? [] : [{ id, ...row, lastOrderTime: lastOrderTime && iso(lastOrderTime) }],
  )
  return { list, total, sums }
}

const since = sql`coalesce(s.offline_since, s.last_seen_at)`
/**
 * What the machine would have sold, by the same hours of the week in the four weeks before it fell
 * silent: whole weeks count each hour once, the rest of a week the hours that lie in it.
 */
const lossOf = (ctx: Ctx): RawBuilder<unknown> => sql`(select
    coalesce(round(sum(r.turnover * (g.hours / 168 + case
      when (extract(epoch from r.at - g.at)::bigint / 3600 + 672) % 168 < g.hours % 168
      then 1 else 0 end)) / 4.0), 0)::bigint
  from (select date_trunc('hour', ${since}) as at, greatest(0, floor(extract(epoch from
      ${iso(ctx.now)}::timestamptz - date_trunc('hour', ${since})) / 3600))::bigint as hours) g
  join sales_rollups r on r.device_id = d.id and r.org_id = d.org_id and r.grain = 'HOUR'
    and r.at >= g.at - interval '28 days' and r.at < g.at)`

const offline = (ctx: Ctx) =>
  shape(OfflineRow, ['devices', 'd'], {
    lastSeenAt: sql`s.last_seen_at`,
    offlineHours: hours(ctx),
    signal: sql`s.signal`,
    // it says so before its power is gone; a broken connection is reported by the broker
    cause: sql`case s.offline_cause when 'POWER_FAIL' then 'POWER' when 'LAST_WILL' then 'NETWORK'
      else 'UNKNOWN' end`,
    loss: may(ctx, 'dashboard:money') ? lossOf(ctx) : sql`null::bigint`,
  })
const hours = (ctx: Ctx) =>
  sql`round(greatest(0, extract(epoch from ${iso(ctx.now)}::timestamptz - ${since})) / 3600, 1)::float8`

/** The machines that the home page counts as offline. */
export async function offlineMachines(ctx: Ctx, input: Input<typeof dataReports.offlineMachines>) {
  const from = sql`devices d left join device_states s on s.device_id = d.id`
  const found = await offline(ctx).page(ctx.db, {
    from,
    countFrom: from,
    wideSorts: [],
    where: [
      machinesWithin(ctx, input),
      sql`d.lifecycle in ('OPERATING', 'PAUSED') and not coalesce(s.online, false)`,
    ],
    sort: {
      offlineHours: hours(ctx),
      rtuNumber: sql`d.rtu_number`,
      lastSeenAt: sql`s.last_seen_at`,
    },
    last: sql`d.id`,
    input,
  })
  return answerOf(found, found.rows)
}
