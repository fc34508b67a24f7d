import { type RawBuilder, sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'

/** The platform sees every organisation; naming them keeps its reads on the (org_id, …) indexes like everybody's. */
const scoped = (ctx: Ctx, org: string, device: string): RawBuilder<boolean> =>
  ctx.actor.scope.all ? sql<boolean>`${sql.ref(org)} = any(array(select id from organisations))` : visible(ctx, org, device)

/** Machines that should be selling; the others are neither online nor offline. */
const inUse = sql`d.lifecycle in ('OPERATING', 'PAUSED')`
const stateOf = sql`case when not coalesce(s.online, false) then 'offline' when s.fault_count > 0 then 'fault' when s.lanes_sold_out > 0 then 'soldOut' else 'online' end`

export type SalesRow = { at: Date; orders: number; turnover: number; paid: number; refunded: number; refundOrders: number }

/** Rollups of one grain summed over the actor's machines, from <= at < until. */
export async function salesByInstant(ctx: Ctx, grain: 'HOUR' | 'DAY' | 'TOTAL', from: Date, until: Date): Promise<SalesRow[]> {
  const { rows } = await sql<SalesRow>`
    select r.at, sum(r.orders) as orders, sum(r.turnover) as turnover, sum(r.paid) as paid, sum(r.refunded) as refunded, sum(r.refund_orders) as "refundOrders"
    from sales_rollups r where ${scoped(ctx, 'r.org_id', 'r.device_id')} and r.grain = ${grain} and r.at >= ${from} and r.at < ${until}
    group by r.at order by r.at`.execute(ctx.db)
  return rows
}

/** Orders paid in less than an hour, counted as the rollups count them. An order can be paid for 15 minutes after its creation. */
export async function paidBetween(ctx: Ctx, from: Date, until: Date): Promise<{ orders: number; turnover: number }> {
  const { rows } = await sql<{ orders: number; turnover: number }>`
    select count(*) as orders, coalesce(sum(o.total_amount), 0) as turnover from orders o
    where ${scoped(ctx, 'o.org_id', 'o.device_id')} and o.created_at >= ${new Date(from.getTime() - 3_600_000)} and o.created_at < ${until}
      and o.paid_at >= ${from} and o.paid_at < ${until} and o.order_type <> 'TEST' and not o.excluded`.execute(ctx.db)
  return rows[0] ?? { orders: 0, turnover: 0 }
}

export async function deviceTodos(ctx: Ctx) {
  const { rows } = await sql<{ total: number; online: number; offline: number; longest: Date | null; lanes: number; soldOutDevices: number }>`
    select count(*) as total, count(*) filter (where ${inUse} and s.online) as online, count(*) filter (where ${inUse} and not coalesce(s.online, false)) as offline,
      min(coalesce(s.offline_since, s.last_seen_at)) filter (where ${inUse} and not s.online) as longest,
      coalesce(sum(s.lanes_sold_out) filter (where ${inUse}), 0) as lanes, count(*) filter (where ${inUse} and s.lanes_sold_out > 0) as "soldOutDevices"
    from devices d left join device_states s on s.device_id = d.id where ${scoped(ctx, 'd.org_id', 'd.id')}`.execute(ctx.db)
  return rows[0] ?? { total: 0, online: 0, offline: 0, longest: null, lanes: 0, soldOutDevices: 0 }
}

/** Abnormal orders of the last 30 days (an index range) and orders whose money is on its way back. */
export async function abnormalTodos(ctx: Ctx, since: Date): Promise<{ orders: number; refunding: number }> {
  const { rows } = await sql<{ orders: number; refunding: number }>`
    select (select count(*) from orders o where ${scoped(ctx, 'o.org_id', 'o.device_id')} and o.order_status = 'ABNORMAL' and o.created_at >= ${since}) as orders,
      (select count(distinct f.order_id) from refunds f where ${scoped(ctx, 'f.org_id', 'f.device_id')} and f.state in ('PENDING', 'PROCESSING')) as refunding`.execute(
    ctx.db,
  )
  return rows[0] ?? { orders: 0, refunding: 0 }
}

export async function faultTodos(ctx: Ctx): Promise<{ open: number; oldest: Date | null }> {
  const { rows } = await sql<{ open: number; oldest: Date | null }>`
    select count(*) as open, min(f.opened_at) as oldest from device_faults f where ${scoped(ctx, 'f.org_id', 'f.device_id')} and f.closed_at is null`.execute(
    ctx.db,
  )
  return rows[0] ?? { open: 0, oldest: null }
}

export type HotRow = {
  rank: number
  productId: number
  name: string | null
  model: string | null
  img: string | null
  salesNum: number
  turnover: number
  before: number | null
}

/** Ranks of both periods in one statement: `from` to `to` now, `fromBefore` to the day before `from` then. */
export async function hotProducts(ctx: Ctx, days: { fromBefore: string; from: string; to: string }, limit: number): Promise<HotRow[]> {
  const { rows } = await sql<HotRow>`
    with sold as (
      select r.product_id, sum(r.pieces) filter (where r.day >= ${days.from}::date) as pieces, sum(r.turnover) filter (where r.day >= ${days.from}::date) as turnover,
        sum(r.pieces) filter (where r.day < ${days.from}::date) as pieces_before, sum(r.turnover) filter (where r.day < ${days.from}::date) as turnover_before
      from product_rollups r where ${scoped(ctx, 'r.org_id', 'r.device_id')} and r.day >= ${days.fromBefore}::date and r.day <= ${days.to}::date group by r.product_id
    ), ranked as (
      select product_id, pieces, turnover,
        row_number() over (order by coalesce(pieces, 0) desc, turnover desc nulls last, product_id) as rank,
        case when pieces_before > 0 then row_number() over (order by coalesce(pieces_before, 0) desc, turnover_before desc nulls last, product_id) end as before
      from sold
    )
    select k.rank, k.product_id as "productId", p.name, p.model, p.images[1] as img, k.pieces as "salesNum", k.turnover, k.before
    from ranked k left join products p on p.id = k.product_id where k.pieces > 0 order by k.rank limit ${limit}`.execute(ctx.db)
  return rows
}

type Counts = { total: number; online: number; soldOut: number; fault: number; offline: number }
export type RegionRow = Counts & { code: string; lng: number; lat: number }

const counts = sql`count(*) as total, count(*) filter (where state = 'online') as online, count(*) filter (where state = 'soldOut') as "soldOut",
  count(*) filter (where state = 'fault') as fault, count(*) filter (where state = 'offline') as offline`
const inRegion = (region: string | undefined) =>
  region === undefined ? sql`true` : region.endsWith('0000') ? sql`d.province = ${region}` : sql`d.city = ${region}`

const located = (ctx: Ctx, region: string | undefined) => sql`
  select d.id, d.rtu_number, d.nickname, d.province, d.city, d.lng, d.lat, ${stateOf} as state
  from devices d left join device_states s on s.device_id = d.id
  where ${scoped(ctx, 'd.org_id', 'd.id')} and ${inUse} and d.lng is not null and ${inRegion(region)}`

export async function mapRegions(ctx: Ctx, by: 'province' | 'city', region: string | undefined): Promise<RegionRow[]> {
  const { rows } = await sql<RegionRow>`
    select ${sql.ref(by)} as code, ${counts}, round(avg(lng), 4) as lng, round(avg(lat), 4) as lat from (${located(ctx, region)}) m
    group by ${sql.ref(by)} order by total desc, code`.execute(ctx.db)
  return rows
}

export type PointRow = { id: number; rtuNumber: string; nickname: string; lng: number; lat: number; state: 'online' | 'soldOut' | 'fault' | 'offline' }

/** What needs somebody first, so that a full map still shows it. */
export async function mapPoints(ctx: Ctx, region: string | undefined, limit: number): Promise<PointRow[]> {
  const { rows } = await sql<PointRow>`
    select id, rtu_number as "rtuNumber", nickname, lng, lat, state from (${located(ctx, region)}) m
    order by array_position(array['fault', 'soldOut', 'offline', 'online'], state), rtu_number limit ${limit}`.execute(ctx.db)
  return rows
}

export async function unlocated(ctx: Ctx, region: string | undefined): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from devices d where ${scoped(ctx, 'd.org_id', 'd.id')} and ${inUse} and d.lng is null and ${inRegion(region)}`.execute(ctx.db)
  return rows[0]?.n ?? 0
}

export type AttentionSql = {
  id: number
  rtuNumber: string
  nickname: string
  address: string
  state: PointRow['state']
  offline_since: Date | null
  faults: number
  soldOutLanes: number
  lanes: number
  total: number
}

export async function attention(ctx: Ctx, limit: number): Promise<AttentionSql[]> {
  const { rows } = await sql<AttentionSql>`
    select d.id, d.rtu_number as "rtuNumber", d.nickname, d.address, ${stateOf} as state, case when s.online then null else coalesce(s.offline_since, s.last_seen_at) end as offline_since,
      coalesce(s.fault_count, 0) as faults, coalesce(s.lanes_sold_out, 0) as "soldOutLanes", coalesce(s.lanes_total, 0) as lanes, count(*) over () as total
    from devices d left join device_states s on s.device_id = d.id
    where ${scoped(ctx, 'd.org_id', 'd.id')} and ${inUse} and (not coalesce(s.online, false) or s.fault_count > 0 or s.lanes_sold_out > 0)
    order by coalesce(s.fault_count, 0) > 0 desc, coalesce(s.online, false), s.lanes_sold_out desc nulls last, d.rtu_number limit ${limit}`.execute(ctx.db)
  return rows
}
