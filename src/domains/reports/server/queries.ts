import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { type Ctx, visible } from '../../../server/context.ts'
import { countedDays } from '../../../server/counted.ts'
import { onlyRow, rowsOf } from '../../../server/rows.ts'
import { isoText, shape } from '../../../server/shapes.ts'
import { shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import {
  AttentionRow,
  type HotProduct,
  type MapPoint,
  type MapRegion,
  type Summary,
} from '../contract.ts'
import { totalAt } from '../rules.ts'

/**
 * The platform sees every organisation; naming them keeps its reads on the (org_id, …) indexes like
 * everybody's.
 */
const scoped = (ctx: Ctx, org: string, device: string): RawBuilder<boolean> =>
  ctx.actor.scope.all
    ? sql<boolean>`${sql.ref(org)} = any(array(select id from organisations))`
    : visible(ctx, org, device)

/** Machines that should be selling; the others are neither online nor offline. */
const inUse = sql`d.lifecycle in ('OPERATING', 'PAUSED')`
const stateOf = sql`case when not coalesce(s.online, false) then 'offline'
  when s.fault_count > 0 then 'fault' when s.lanes_sold_out > 0 then 'soldOut' else 'online' end`

export type SalesRow = {
  at: Date
  orders: number
  turnover: number
  paid: number
  refunded: number
  refundOrders: number
}

/** Who sees whole organisations reads days that are over as they were added up (decision 84). */
const isWhole = ({ actor: { scope } }: Ctx) => scope.devices === null && scope.watched === null
const figures = sql.raw('orders, turnover, paid, refunded, refund_orders')

/** Rollups of one grain summed over the actor's machines, from <= at < until, both midnights. */
export const salesByInstant = (
  ctx: Ctx,
  grain: 'HOUR' | 'DAY' | 'TOTAL',
  from: Date,
  until: Date,
) => {
  const folded = sql`(select f.until from sales_folded f)`
  const folds = grain !== 'TOTAL' && isWhole(ctx)
  const all = ctx.actor.scope.all
  const own = all ? sql`f.org_id = 0` : scoped(ctx, 'f.org_id', 'f.device_id')
  const over = sql`select (f.day + make_interval(hours => greatest(f.hour, 0)))
      at time zone 'Asia/Shanghai' as at, ${figures} from sales_folds f
    where ${own} and f.grain = ${grain} and f.device_id = 0
      and f.day >= ${shanghaiDay(from)}::date and f.day < ${shanghaiDay(until)}::date
      and f.day < ${folded} union all`
  const open = folds
    ? sql`greatest(${from}::timestamptz, ${folded}::timestamp at time zone 'Asia/Shanghai')`
    : sql`${from}::timestamptz`
  return rowsOf<SalesRow>(ctx.db)`
    select r.at, sum(r.orders) as orders, sum(r.turnover) as turnover, sum(r.paid) as paid,
      sum(r.refunded) as refunded, sum(r.refund_orders) as "refundOrders"
    from (${folds ? over : sql``} select at, ${figures} from sales_rollups r
      where ${scoped(ctx, 'r.org_id', 'r.device_id')} and r.grain = ${grain}
        and r.at >= ${open} and r.at < ${until}) r
    group by r.at order by r.at`
}

/**
 * Of the platform: days from this one on, and all that was before it as one (`totalAt`). Of days
 * that are over a row each, of the others one of each machine.
 */
export const daysOfAll = (ctx: Ctx, from: Date) =>
  rowsOf<SalesRow>(ctx.db)`
    with u as materialized (select until, until::timestamp at time zone 'Asia/Shanghai' as at
      from sales_folded)
    select r.at, sum(r.orders) as orders, sum(r.turnover) as turnover, sum(r.paid) as paid,
      sum(r.refunded) as refunded, sum(r.refund_orders) as "refundOrders"
    from (select case when f.day < ${shanghaiDay(from)}::date then ${totalAt}::timestamptz
          else f.day::timestamp at time zone 'Asia/Shanghai' end as at, ${figures}
        from sales_folds f
        where f.org_id = 0 and f.grain = 'DAY' and f.day < (select until from u)
      union all select case when r.at < ${from} then ${totalAt}::timestamptz else r.at end, ${figures}
        from sales_rollups r where ${scoped(ctx, 'r.org_id', 'r.device_id')} and r.grain = 'DAY'
          and r.at >= (select at from u)) r
    group by r.at order by r.at`

/**
 * Orders paid in less than an hour, counted as the rollups count them. An order can be paid for 15
 * minutes after its creation.
 */
export const paidBetween = (ctx: Ctx, from: Date, until: Date) =>
  onlyRow<{ orders: number; turnover: number }>(ctx.db)`
    select count(*) as orders, coalesce(sum(o.total_amount), 0) as turnover from orders o
    where ${visible(ctx, 'o.org_id', 'o.device_id')}
      and o.created_at >= ${new Date(from.getTime() - 3_600_000)} and o.created_at < ${until}
      and o.paid_at >= ${from} and o.paid_at < ${until} and o.order_type <> 'TEST'
      and not o.excluded`

type Todos = Summary['todos']
export const deviceTodos = (ctx: Ctx) =>
  onlyRow<{ [K in 'devices' | 'soldOut']: NonNullable<Todos[K]> }>(ctx.db)`
    select jsonb_build_object('total', total, 'online', online, 'offline', offline, 'idle',
      total - online - offline,
        'longestOfflineSince', ${isoText('longest')}) as devices,
        jsonb_build_object('lanes', lanes, 'devices', devices) as "soldOut"
    from (select count(*) as total, count(*) filter (where ${inUse} and s.online) as online,
        count(*) filter (where ${inUse} and not coalesce(s.online, false)) as offline,
        min(coalesce(s.offline_since, s.last_seen_at)) filter (where ${inUse}
          and not s.online) as longest,
        coalesce(sum(s.lanes_sold_out) filter (where ${inUse}), 0) as lanes,
        count(*) filter (where ${inUse} and s.lanes_sold_out > 0) as devices
      from devices d left join device_states s on s.device_id = d.id
      where ${visible(ctx, 'd.org_id', 'd.id')}) x`

/**
 * Abnormal orders of these days, by the counts that are kept by day (a reader of single machines has
 * few orders, which are read), and orders whose money is on its way back: a piece of work that waits.
 */
export async function abnormalTodos(ctx: Ctx, from: string, to: string) {
  const kinds = sql`c.kind = 'ABNORMAL'`
  const kept = await countedDays(ctx.db, { list: 'orders', ctx, from, to, kinds })
  const { orders, refunding } = await onlyRow<{ orders: number; refunding: number }>(ctx.db)`
    select ${
      kept
        ? sql`${kept.reduce((sum, { rows }) => sum + rows, 0)}::bigint`
        : sql`(select count(*) from orders o
            where ${scoped(ctx, 'o.org_id', 'o.device_id')} and o.order_status = 'ABNORMAL'
              and not o.excluded and o.created_at >= ${startOfDay(from)})`
    } as orders,
      (select count(distinct f.order_id) from refunds f
        where ${scoped(ctx, 'f.org_id', 'f.device_id')} and f.next_at is not null
          and f.state in ('PENDING', 'PROCESSING')) as refunding`
  return { orders, refunding }
}

export const faultTodos = (ctx: Ctx) =>
  onlyRow<NonNullable<Todos['faults']>>(ctx.db)`
    select count(*) as open, ${isoText(sql`min(f.opened_at)`)} as "oldestAt" from device_faults f
    where ${scoped(ctx, 'f.org_id', 'f.device_id')} and f.closed_at is null`

export const reconTodos = (ctx: Ctx) =>
  onlyRow<NonNullable<Todos['recon']>>(ctx.db)`
    select count(*) as open, count(*) filter (where state = 'REVIEW') as review
    from (select state from reconciliation_differences r
      where ${scoped(ctx, 'r.org_id', 'r.device_id')} and r.state in ('OPEN','HANDLING','REVIEW')
      limit 1000) x`

/** The platform reads days that are over as they were added up. */
const goodsOfAll = (days: { fromBefore: string; to: string }) => sql`
  goods as (select product_id, day, pieces, turnover from product_folds f
    where f.org_id = 0 and f.grain = 'DAY' and f.day >= ${days.fromBefore}::date
      and f.day < (select until from sales_folded)
    union all select product_id, day, pieces, turnover from product_rollups r
    where r.org_id = any(array(select id from organisations)) and r.day <= ${days.to}::date
      and r.day >= greatest(${days.fromBefore}::date, (select until from sales_folded))),`
type HotRow = Omit<HotProduct, 'turnover'> & { turnover: number }
/**
 * Ranks of both periods in one statement: `from` to `to` now, `fromBefore` to the day before `from`
 * then.
 */
export const hotProducts = (
  ctx: Ctx,
  days: { fromBefore: string; from: string; to: string },
  limit: number,
) =>
  rowsOf<HotRow>(ctx.db)`
    with ${ctx.actor.scope.all ? goodsOfAll(days) : sql``} sold as (
      select r.product_id, sum(r.pieces) filter (where r.day >= ${days.from}::date) as pieces,
        sum(r.turnover) filter (where r.day >= ${days.from}::date) as turnover,
        sum(r.pieces) filter (where r.day < ${days.from}::date) as pieces_before,
        sum(r.turnover) filter (where r.day < ${days.from}::date) as turnover_before
      from ${ctx.actor.scope.all ? sql`goods` : sql`product_rollups`} r
      where ${ctx.actor.scope.all ? sql`true` : scoped(ctx, 'r.org_id', 'r.device_id')}
        and r.day >= ${days.fromBefore}::date and r.day <= ${days.to}::date group by r.product_id
    ), ranked as (
      select product_id, pieces, turnover,
        row_number() over (order by coalesce(pieces, 0) desc, turnover desc nulls last,
          product_id) as rank,
        case when pieces_before > 0 then row_number() over (order by coalesce(pieces_before,
          0) desc, turnover_before desc nulls last, product_id) end as before
      from sold
    )
    select k.rank, k.product_id as "productId", coalesce(p.name, '') as name,
      coalesce(p.model, '') as model, coalesce(p.images[1], '') as img,
      k.pieces as "salesNum", k.turnover, k.before - k.rank as change
    from ranked k left join products p on p.id = k.product_id where k.pieces > 0 order by k.rank
    limit ${limit}`

/** Of those with a place; how many have none. */
const counts = sql`count(m.lng) as total, count(m.lng) filter (where state = 'online') as online,
  count(m.lng) filter (where state = 'soldOut') as "soldOut",
  count(m.lng) filter (where state = 'fault') as fault,
  count(m.lng) filter (where state = 'offline') as offline,
  count(*) filter (where m.lng is null) as unlocated`
const inRegion = (region: string | undefined) =>
  region === undefined
    ? sql`true`
    : region.endsWith('0000')
      ? sql`d.province = ${region}`
      : sql`d.city = ${region}`

/** Machines in use and where they stand: the platform reads all of them, whosever they are. */
const placed = (ctx: Ctx, region: string | undefined) => sql`
  select d.id, d.rtu_number, d.nickname, d.province, d.city, d.lng, d.lat, ${stateOf} as state
  from devices d left join device_states s on s.device_id = d.id
  where ${visible(ctx, 'd.org_id', 'd.id')} and ${inUse} and ${inRegion(region)}`

export const mapRegions = (ctx: Ctx, by: 'province' | 'city', region: string | undefined) =>
  rowsOf<Omit<MapRegion, 'name' | 'nameEn'> & { unlocated: number }>(ctx.db)`
    select ${sql.ref(by)} as code, ${counts}, coalesce(round(avg(lng), 4), 0) as lng,
      coalesce(round(avg(lat) filter (where m.lng is not null), 4), 0) as lat
    from (${placed(ctx, region)}) m
    group by ${sql.ref(by)} order by total desc, code`

/** What needs somebody first, so that a full map still shows it. */
export const mapPoints = (ctx: Ctx, region: string | undefined, limit: number) =>
  rowsOf<MapPoint>(ctx.db)`
    select id, rtu_number as "rtuNumber", nickname, lng, lat, state from (${placed(ctx, region)}) m
    where lng is not null order by array_position(array['fault', 'soldOut', 'offline', 'online'], state), rtu_number
    limit ${limit}`

const machine = shape(AttentionRow.extend({ total: z.number() }), ['devices', 'd'], {
  state: stateOf,
  offlineSince: sql`case when s.online then null
    else coalesce(s.offline_since, s.last_seen_at) end`,
  faults: sql`coalesce(s.fault_count, 0)`,
  soldOutLanes: sql`coalesce(s.lanes_sold_out, 0)`,
  lanes: sql`coalesce(s.lanes_total, 0)`,
  total: sql`count(*) over ()`,
})
export const attention = (ctx: Ctx, limit: number) =>
  machine.all(
    ctx.db,
    sql`from devices d left join device_states s on s.device_id = d.id
    where ${scoped(ctx, 'd.org_id', 'd.id')} and ${inUse}
      and (not coalesce(s.online, false) or s.fault_count > 0 or s.lanes_sold_out > 0)
    order by coalesce(s.fault_count, 0) > 0 desc, coalesce(s.online, false),
      s.lanes_sold_out desc nulls last, d.rtu_number limit ${limit}`,
  )
