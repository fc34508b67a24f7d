import { sql } from 'kysely'
import { type App, type Ctx, iso } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { perApp } from '../../../server/perApp.ts'
import { rowsOf } from '../../../server/rows.ts'
import { bySystem, eachFree } from '../../../server/run.ts'
import { coldChainMax } from '../../drug-guard/rules.ts'
import { moveStock } from '../../stock/server/move.ts'
import { refreshDeviceCounters } from './counters.ts'
import { noteDevice } from './events.ts'
import type { Range } from './spans.ts'

/** What goods went through: outside the limits of their machine, or nobody knows (decision 56). */

export const temperatureLock = 'TEMPERATURE'

export type Outside = Range & {
  id: number
  orgId: number
  temperature: number | null
  since: Date | null
  until: Date
}
/** A lane that stopped, as it was then. */
export type Stopped = {
  id: number
  deviceId: number
  road: number
  product: string
  drugClass: string
  qty: number
}
const mostPoints = 1440

/** Those that are outside for long: one row until they are back, one point a minute. */
export async function keepExcursions(ctx: Ctx, rows: readonly Outside[]): Promise<void> {
  // while a machine is away nobody knows how warm it is
  const told = rows.filter(({ until }) => until.getTime() >= ctx.now.getTime())
  if (!told.length) return
  await sql`
    insert into temperature_excursions as e (org_id, device_id, kind, from_at, temp_min, temp_max,
      limit_low, limit_high, sampled_at, curve)
    select x.org, x.device, 'OUTSIDE', x.since, x.t, x.t, x.low, x.high, ${ctx.now}::timestamptz,
      jsonb_build_array(jsonb_build_array(${iso(ctx.now)}::text, x.t))
    from jsonb_to_recordset(${JSON.stringify(
      told.map(({ id, orgId, temperature, since, low, high }) => ({
        ...{ device: id, org: orgId, t: temperature, since: since ?? ctx.now, low, high },
      })),
    )}::jsonb) as x(org bigint, device bigint, t numeric, since timestamptz, low numeric,
      high numeric) order by x.device
    on conflict (device_id) where to_at is null do update set kind = 'OUTSIDE',
      temp_min = least(e.temp_min, excluded.temp_min),
      temp_max = greatest(e.temp_max, excluded.temp_max), limit_low = excluded.limit_low,
      limit_high = excluded.limit_high, sampled_at = excluded.sampled_at,
      curve = case when jsonb_array_length(e.curve) < ${mostPoints} then e.curve || excluded.curve
        else e.curve end
      where e.sampled_at <= excluded.sampled_at - interval '1 minute' or e.kind = 'UNKNOWN'
        or excluded.temp_max > e.temp_max or excluded.temp_min < e.temp_min`.execute(ctx.db)
  ctx.touch('excursions', told)
}

/** They are back within their limits, since the last word that said so. */
export async function endExcursions(ctx: Ctx, rows: readonly Outside[]): Promise<void> {
  if (!rows.length) return
  await sql`
    update temperature_excursions e set to_at = greatest(e.from_at, least(x.at, ${ctx.now})),
      curve = e.curve || jsonb_build_array(jsonb_build_array(x.at, x.t))
    from unnest(${rows.map(({ id }) => id)}::bigint[], ${rows.map(({ since }) =>
      iso(since ?? ctx.now),
    )}::timestamptz[], ${rows.map(({ temperature }) => temperature)}::numeric[]) as x(device, at, t)
    where e.device_id = x.device and e.to_at is null`.execute(ctx.db)
  ctx.touch('excursions', rows)
}

/** Lanes of these machines whose goods have a range, or must be kept as cold. */
const lanesToStop = (ctx: Ctx, deviceIds: readonly number[], cold: boolean) =>
  rowsOf<Stopped>(ctx.db)`
    select l.id, l.device_id as "deviceId", l.road_index as road, p.name as product,
      p.drug_class as "drugClass", l.quantity as qty
    from lanes l join products p on p.id = l.product_id
    where l.device_id = any(${[...deviceIds]}::bigint[]) and l.archived_at is null
      and l.status not in ('LOCKED', 'MERGED')
      and ${cold ? sql`p.store_temp_max <= ${coldChainMax}` : sql`num_nonnulls(p.store_temp_min, p.store_temp_max) > 0`}
    order by l.id`

/** Their goods are not sold any more, until a person has looked at them. */
export async function stopLanes(
  ctx: Ctx,
  rows: readonly { id: number; orgId: number }[],
  cold = false,
): Promise<Stopped[]> {
  if (!rows.length) return []
  const lanes = await lanesToStop(
    ctx,
    rows.map((row) => row.id),
    cold,
  )
  if (!lanes.length) return []
  const stop = { to: 'LOCKED' as const, reason: temperatureLock }
  const { deviceIds } = await moveStock(
    ctx,
    lanes.map((lane) => ({ laneId: lane.id, stop })),
  )
  refreshDeviceCounters(ctx, deviceIds)
  await noteDevice(
    ctx,
    [...Map.groupBy(lanes, (lane) => lane.deviceId)].map(([id, own]) => ({
      deviceId: id,
      orgId: rows.find((row) => row.id === id)?.orgId ?? 0,
      kind: 'TEMP_LOCK',
      data: { roads: own.map((lane) => lane.road) },
    })),
  )
  ctx.touch('devices', rows)
  return lanes
}

/** The row of the machine says which lanes stopped for it. */
export async function noteStopped(ctx: Ctx, lanes: readonly Stopped[]): Promise<void> {
  if (!lanes.length) return
  const of = [...Map.groupBy(lanes, (lane) => lane.deviceId)].map(([device, own]) => ({
    device,
    lanes: own.map(({ deviceId, ...lane }) => lane),
  }))
  await sql`update temperature_excursions e set lanes = e.lanes || x.lanes,
      locked_at = coalesce(e.locked_at, ${ctx.now})
    from jsonb_to_recordset(${JSON.stringify(of)}::jsonb) as x(device bigint, lanes jsonb)
    where e.device_id = x.device and e.to_at is null`.execute(ctx.db)
}

/** `ahead`: a clock that was set back says nothing of how long ago it was. */
type Silent = { id: number; orgId: number; told: Date; ahead: boolean }
/**
 * Machines with goods that must be kept cold which have told nothing of their temperature for an
 * hour, or for twice as long as their settings let them be silent. Those that are outside and there
 * are looked at by the other sweep.
 */
const silentOf = (ctx: Pick<Ctx, 'db' | 'now'>, ids: readonly number[] | null = null) =>
  rowsOf<Silent>(ctx.db)`
    select d.id, d.org_id as "orgId", t.told, t.told > ${ctx.now}::timestamptz as ahead
    from devices d
    join device_states s on s.device_id = d.id
    cross join lateral (select case when s.temperature is null then d.created_at
      when not s.temp_alarm then coalesce(s.temp_since, s.last_seen_at, d.created_at)
      when not s.online then s.last_seen_at end as told) t
    where (t.told <= ${ctx.now}::timestamptz - interval '1 hour'
        or t.told > ${ctx.now}::timestamptz + interval '1 minute')
      and (${ids}::bigint[] is null or d.id = any(${ids}::bigint[]))
      and d.lifecycle in ('OPERATING', 'PAUSED')
      and exists (select from lanes l join products p on p.id = l.product_id
        where l.device_id = d.id and l.archived_at is null and l.status not in ('LOCKED', 'MERGED')
          and p.store_temp_max <= ${coldChainMax})
      and t.told not between ${ctx.now}::timestamptz - make_interval(secs => 2 * coalesce((
        select (c.doc->>'reportSeconds')::int from device_configs c where c.device_id = d.id
        order by c.config_version desc limit 1), 300)) and ${ctx.now}::timestamptz
    order by d.id`

type Watched = { told: number; since: number }
const watched = perApp(() => new Map<number, Watched>())
/**
 * A clock that was set forward, and a platform that was away itself, make every machine look
 * silent: it must be so while somebody watches, by a clock that cannot be set.
 */
const watchMs = 600_000

export async function sweepSilence(
  app: App,
  watch = { behind: watchMs, ahead: 3_600_000 },
): Promise<void> {
  const found = await app.database.readSame(systemScope, (db) => silentOf({ db, now: app.now() }))
  const known = watched(app)
  const ids = new Set(found.map(({ id }) => id))
  for (const id of known.keys()) if (!ids.has(id)) known.delete(id)
  const at = performance.now()
  const due = found.filter(({ id, told, ahead }) => {
    const last = known.get(id)
    const since = last?.told === told.getTime() ? last.since : at
    known.set(id, { told: told.getTime(), since })
    return at - since >= (ahead ? watch.ahead : watch.behind)
  })
  await eachFree(app, due, async (ctx, some) => {
    const rows = await silentOf(
      ctx,
      some.map(({ id }) => id),
    )
    const lanes = await stopLanes(ctx, rows, true)
    if (!lanes.length) return
    await sql`
      insert into temperature_excursions (org_id, device_id, kind, from_at, sampled_at)
      select org, device, 'UNKNOWN', told, ${ctx.now}::timestamptz
      from jsonb_to_recordset(${JSON.stringify(
        rows.map(({ id, orgId, told, ahead }) => ({
          ...{ device: id, org: orgId, told: ahead ? ctx.now : told },
        })),
      )}::jsonb) as x(org bigint, device bigint, told timestamptz) order by device
      on conflict (device_id) where to_at is null do nothing`.execute(ctx.db)
    await noteStopped(ctx, lanes)
    ctx.touch('excursions', rows)
  })
  await endSilence(app)
}

/** They spoke again, or are no machines any more. */
async function endSilence(app: App): Promise<void> {
  const over = sql`temperature_excursions e join device_states s on s.device_id = e.device_id
    join devices d on d.id = e.device_id
    where e.to_at is null and (d.lifecycle in ('SOLD', 'SCRAPPED')
      or e.kind = 'UNKNOWN' and not s.temp_alarm and s.temp_since > e.from_at)`
  const { length } = await app.database.readSame(
    systemScope,
    (db) => rowsOf<{ id: number }>(db)`select e.id from ${over}`,
  )
  if (!length) return
  await bySystem(app, async (ctx) => {
    const ended = await rowsOf<{ orgId: number }>(ctx.db)`
      with o as (select e.id, greatest(e.from_at, least(s.temp_since, ${ctx.now})) as at from ${over}
        for no key update of e skip locked)
      update temperature_excursions e set to_at = coalesce(o.at, e.from_at) from o where e.id = o.id
      returning e.org_id as "orgId"`
    ctx.touch('excursions', ended)
  })
}
