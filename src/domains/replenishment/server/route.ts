import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, inheritable, visible } from '../../../server/context.ts'
import { onlyRow, rowOf, rowsOf } from '../../../server/rows.ts'
import { Refusal } from '../../../shared/errors.ts'
import { type BusinessWindow, opensOn } from '../../../shared/hours.ts'
import { addDays, dayMs, shanghaiClock, shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import { replenishmentErrors } from '../errors.ts'
import { allot, kmBetween, minutesFor, ownOrder, type Place, plan, type Want } from '../route.ts'
import { type Route, type RouteStop, type routeEndpoints, routeLimits } from '../routeContract.ts'
import { keptDays, soonDays } from '../rules.ts'
import { pack } from './pack.ts'
import * as q from './queries.ts'

type Contract = typeof routeEndpoints

/** Days whose sales are looked at. */
const salesDays = 14
/** When the next day begins for whoever looks at it the evening before. */
const morning = 8 * 60

type Found = Omit<RouteStop, 'km' | 'closed' | 'worth' | 'state'> & {
  visitState: string | null
  ended: Date | null
}

/** Machines of his that want something, that he looked after that day, or that he left out. */
async function machinesOf(ctx: Ctx, userId: number, date: string) {
  const soon = addDays(date, soonDays)
  const from = startOfDay(date)
  const to = new Date(from.getTime() + dayMs)
  return rowsOf<Found & { more: number }>(ctx.db)`
    select d.id as "deviceId", d.rtu_number as "rtuNumber", d.nickname, d.address,
      d.lng::float8 as lng, d.lat::float8 as lat, s.lanes_sold_out as "soldOut",
      s.lanes_low as low, greatest(s.capacity - s.stock, 0) as suggested,
      f.sells_out_at as "sellsOutAt", n."toCount", n.recalled, n.expiring, n."takeBack",
      s.fault_count as faults, s.temp_alarm as "tooWarm", d.business_hours as hours,
      k.reason as "skipReason", coalesce(k.remark, '') as "skipRemark", v.id as "visitId",
      v.client_id as "clientId", v.state as "visitState", v.submitted_at as ended,
      (count(*) over ())::int - ${routeLimits.stops} as more
    from device_assignments a join devices d on d.id = a.device_id
    join device_states s on s.device_id = d.id
    left join sell_out_forecasts f on f.device_id = d.id and f.org_id = d.org_id
    left join route_skips k on k.user_id = a.user_id and k.day = ${date}::date
      and k.device_id = d.id
    left join lateral (select v.id, v.client_id, v.state, v.submitted_at
      from replenishment_visits v where v.device_id = d.id and v.user_id = a.user_id
        and v.started_at >= ${from} and v.started_at < ${to} and v.state <> 'CANCELLED'
        and v.source in ('PANEL','PHONE')
      order by v.started_at desc, v.id desc limit 1) v on true
    cross join lateral (select
        count(*) filter (where l.failed_hold > 0 or l.lock_reason = 'COUNT_NEEDED') as "toCount",
        count(*) filter (where l.lock_reason = 'RECALL') as recalled,
        count(*) filter (where l.lock_reason = 'EXPIRY' or l.goods_expire_on <= ${soon}::date)
          as expiring,
        count(*) filter (where l.lock_reason in ('WRONG_PRODUCT','COMPLIANCE','TRACE_CODE'))
          as "takeBack"
      from lanes l where l.device_id = d.id and l.archived_at is null) n
    where a.user_id = ${userId} and a.kind = 'REPLENISHER' and a.to_at is null
      and d.lifecycle in ('OPERATING','PAUSED') and ${visible(ctx, 'd.org_id', 'd.id')}
      and (s.lanes_sold_out + s.lanes_low + n."toCount" + n.recalled + n.expiring + n."takeBack" > 0
        or v.id is not null or k.reason is not null or f.sells_out_at < ${to}::timestamptz)
    order by v.id is not null desc, n.recalled > 0 desc, s.lanes_sold_out desc, s.lanes_low desc,
      d.id
    limit ${routeLimits.stops}`
}

export type LaneWorth = {
  laneId: number
  deviceId: number
  productId: number
  pieces: number
  worth: number
}
/**
 * What filling each lane of these machines is worth until tomorrow: sales that would be lost by the
 * rate of the last two weeks (of an empty lane that never sold, one piece), and goods that would
 * pass their date.
 */
async function worthOf(ctx: Ctx, deviceIds: readonly number[], date: string): Promise<LaneWorth[]> {
  if (!deviceIds.length) return []
  return rowsOf<LaneWorth>(ctx.db)`
    with lane as (select l.id, l.org_id, l.device_id, l.product_id, l.price, l.goods_expire_on,
        greatest(l.capacity - l.quantity, 0) as pieces, l.status,
        case when l.status = 'ENABLED' then l.quantity - l.reserved - l.failed_hold else 0 end
          as there,
        count(*) over (partition by l.device_id, l.product_id) as lanes
      from lanes l where l.device_id = any(${[...deviceIds]}::bigint[]) and l.archived_at is null
        and l.status <> 'MERGED' and l.product_id is not null
        and ${visible(ctx, 'l.org_id', 'l.device_id')})
    select l.id as "laneId", l.device_id as "deviceId", l.product_id as "productId", l.pieces,
      least(round(l.price * (
        greatest(0, coalesce(r.rate / l.lanes, case when l.there = 0 then 1 else 0 end) - l.there)
        + coalesce(y.qty, 0))), 100000000)::float8 as worth
    from lane l
    left join lateral (select sum(pieces)::numeric / ${salesDays} as rate from product_rollups r
      where r.device_id = l.device_id and r.product_id = l.product_id and r.org_id = l.org_id
        and r.day >= ${addDays(date, -salesDays)}::date and r.day < ${date}::date
      having sum(pieces) > 0) r on true
    left join lateral (select sum(y.qty) as qty from lane_layers y join batches b
        on b.id = y.batch_id
      where l.goods_expire_on <= ${addDays(date, soonDays)}::date and y.lane_id = l.id
        and b.expires_on between ${date}::date and ${addDays(date, soonDays)}::date) y on true
    order by l.id`
}

/** Minutes of that day until which nothing can be done any more. */
const minuteOf = (ctx: Ctx, date: string): number => {
  if (date !== shanghaiDay(ctx.now)) return morning
  const [hours, minutes] = shanghaiClock(ctx.now).slice(11, 16).split(':').map(Number)
  return (hours as number) * 60 + (minutes as number)
}
const weekday = (date: string): number => new Date(`${date}T00:00:00Z`).getUTCDay() || 7
const placeOf = ({ lng, lat }: { lng: number | null; lat: number | null }): Place | null =>
  lng === null || lat === null ? null : { lng, lat }
const opensAt = (hours: readonly BusinessWindow[], date: string): [number, number][] =>
  hours.length ? opensOn(hours, weekday(date)) : [[0, 1440]]

const stateOf = (one: Found): RouteStop['state'] =>
  one.visitState === null
    ? one.skipReason === null
      ? 'OPEN'
      : 'SKIPPED'
    : one.visitState === 'DRAFT'
      ? 'DRAFT'
      : 'DONE'

type Plan = { deviceIds: number[]; loaded: Record<string, number> }
const planRow = (ctx: Ctx, userId: number, date: string) =>
  rowOf<Plan>(ctx.db)`select device_ids as "deviceIds", loaded from route_plans p
    where p.user_id = ${userId} and p.day = ${date}::date and ${visible(ctx, 'p.org_id')}`

/** Days further away than routes are kept are nobody's. */
function known(ctx: Ctx, date: string): void {
  const today = shanghaiDay(ctx.now)
  if (date < addDays(today, -keptDays) || date > addDays(today, keptDays)) found(undefined)
}

/** The day of somebody, with what each lane of it is worth. */
export async function routeOf(ctx: Ctx, userId: number, date: string) {
  known(ctx, date)
  const person = found(
    await rowOf<{ name: string }>(ctx.db)`select u.real_name as name from users u
      where u.id = ${userId}
        and (u.id = ${ctx.actor.userId}::bigint or ${visible(ctx, 'u.org_id')})`,
  )
  const machines = await machinesOf(ctx, userId, date)
  const lanes = await worthOf(
    ctx,
    machines.map((one) => one.deviceId),
    date,
  )
  const own = await planRow(ctx, userId, date)
  const worth = new Map<number, number>()
  for (const lane of lanes) worth.set(lane.deviceId, (worth.get(lane.deviceId) ?? 0) + lane.worth)
  const by = new Map(machines.map((one) => [one.deviceId, one]))
  const of = (state: RouteStop['state']) => machines.filter((one) => stateOf(one) === state)
  const visited = of('DONE').sort((a, b) => Number(a.ended) - Number(b.ended))
  const left = [...of('DRAFT'), ...of('OPEN')]
  const last = visited.at(-1)
  const suggested = plan(
    left.map((one) => ({
      id: one.deviceId,
      at: placeOf(one),
      worth: worth.get(one.deviceId) ?? 0,
      recall: one.recalled > 0,
      opens: opensAt(one.hours, date),
      minutes: minutesFor(one.suggested),
    })),
    { at: last ? placeOf(last) : null, minute: minuteOf(ctx, date) },
  )
  const ids = [
    ...visited.map((one) => one.deviceId),
    ...ownOrder(own?.deviceIds ?? [], suggested.order),
    ...of('SKIPPED').map((one) => one.deviceId),
  ]
  let before: Found | undefined
  const stops = ids.map((id): RouteStop => {
    const machine = by.get(id) as (typeof machines)[number]
    const { visitState: _, ended: __, more: ___, ...one } = machine
    const state = stateOf(machine)
    const km = before ? kmBetween(placeOf(before), placeOf(one)) : null
    if (state !== 'SKIPPED') before = machine
    return {
      ...one,
      km: km === null ? null : Math.round(km * 10) / 10,
      closed: suggested.closed.has(id) && one.hours.length > 0,
      worth: Math.round(worth.get(id) ?? 0),
      state,
      sellsOutAt: one.sellsOutAt && new Date(one.sellsOutAt).toISOString(),
    }
  })
  const ahead = stops.filter(({ state }) => state === 'OPEN' || state === 'DRAFT')
  const route: Route = {
    date,
    userId,
    userName: person.name,
    ordered: Boolean(own?.deviceIds.length),
    done: visited.length,
    pieces: ahead.reduce((sum, one) => sum + one.suggested, 0),
    km: Math.round(ahead.reduce((sum, one) => sum + (one.km ?? 0), 0) * 10) / 10,
    stops,
    more: Math.max(0, machines[0]?.more ?? 0),
  }
  const going = new Set(ahead.map((one) => one.deviceId))
  const wants: Want[] = lanes.filter((lane) => going.has(lane.deviceId) && lane.pieces > 0)
  const loaded = new Map(Object.entries(own?.loaded ?? {}).map(([id, n]) => [Number(id), n]))
  return { route, planned: allot(wants, loaded) }
}

/** A day that can still be changed. */
function changeable(ctx: Ctx, date: string): void {
  known(ctx, date)
  const today = shanghaiDay(ctx.now)
  if (date !== today && date !== addDays(today, 1)) throw new Refusal(replenishmentErrors.otherDay)
}
const me = (ctx: Ctx): number => ctx.actor.userId as number
const mine = async (ctx: Ctx, date: string) => (await routeOf(ctx, me(ctx), date)).route

async function keepPlan(ctx: Ctx, date: string, change: Partial<Plan>): Promise<void> {
  await sql`insert into route_plans as p (user_id, day, org_id, device_ids, loaded, updated_at)
    values (${me(ctx)}, ${date}::date, ${ctx.actor.orgId}, ${change.deviceIds ?? []}::bigint[],
      ${JSON.stringify(change.loaded ?? {})}::jsonb, ${ctx.now})
    on conflict (user_id, day) do update set updated_at = excluded.updated_at,
      device_ids = ${change.deviceIds ? sql`excluded.device_ids` : sql`p.device_ids`},
      loaded = ${change.loaded ? sql`excluded.loaded` : sql`p.loaded`}`.execute(ctx.db)
}

export const routeHandlers: Handlers<Contract> = {
  async myRoute(ctx, { date = shanghaiDay(ctx.now), userId = me(ctx) }) {
    return (await routeOf(ctx, userId, date)).route
  },
  async orderRoute(ctx, { date, deviceIds }) {
    changeable(ctx, date)
    const { n } = await onlyRow<{ n: number }>(ctx.db)`select count(*) as n from devices d
      where d.id = any(${deviceIds}::bigint[]) and ${visible(ctx, 'd.org_id', 'd.id')}`
    if (n < deviceIds.length) found(undefined)
    await keepPlan(ctx, date, { deviceIds })
    return mine(ctx, date)
  },
  async loadRoute(ctx, { date, products }) {
    changeable(ctx, date)
    const ids = [...new Set(products.map((one) => one.productId))]
    const { n } = await onlyRow<{ n: number }>(ctx.db)`select count(*) as n from products p
      where p.id = any(${ids}::bigint[]) and ${inheritable(ctx, 'p.org_id')}`
    if (n < ids.length) found(undefined)
    const loaded = Object.fromEntries(products.map(({ productId, qty }) => [productId, qty]))
    await keepPlan(ctx, date, { loaded })
    return { products: products.length }
  },
  async skipStop(ctx, { date, deviceId, reason, remark }) {
    changeable(ctx, date)
    const device = found(await q.deviceRow(ctx, deviceId))
    await sql`insert into route_skips (user_id, day, device_id, org_id, reason, remark, at)
      values (${me(ctx)}, ${date}::date, ${deviceId}, ${device.orgId}, ${reason}, ${remark},
        ${ctx.now})
      on conflict (user_id, day, device_id) do update set reason = excluded.reason,
        remark = excluded.remark, at = excluded.at`.execute(ctx.db)
    ctx.audit({
      id: deviceId,
      name: device.rtuNumber,
      orgId: device.orgId,
      after: { date, reason },
    })
    return mine(ctx, date)
  },
  async unskipStop(ctx, { date, deviceId }) {
    changeable(ctx, date)
    const device = found(await q.deviceRow(ctx, deviceId))
    await sql`delete from route_skips k where k.user_id = ${me(ctx)} and k.day = ${date}::date
      and k.device_id = ${deviceId} and ${visible(ctx, 'k.org_id', 'k.device_id')}`.execute(ctx.db)
    ctx.audit({ id: deviceId, name: device.rtuNumber, orgId: device.orgId, after: { date } })
    return mine(ctx, date)
  },
  async offlinePack(ctx, { date, deviceId }) {
    if (deviceId !== undefined) found(await q.deviceRow(ctx, deviceId))
    const { route, planned } = await routeOf(ctx, me(ctx), date)
    return pack(ctx, route, planned, deviceId)
  },
}
