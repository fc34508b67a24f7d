import { type RawBuilder, sql } from 'kysely'
import { type Ctx, iso } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { dayMs } from '../../../shared/instants.ts'
import { temperatureLimits } from '../../drug-guard/server/facts.ts'
import { isPlatformFault, platformFaults } from '../protocol.ts'
import { limits, type Signal, signalOf } from '../rules.ts'
import { bootOf, isAfter, placeOf } from './boots.ts'
import { refreshDeviceCounters } from './counters.ts'
import type { Doubt } from './doubts.ts'
import type { Fact } from './facts.ts'
import { isWithin, type Range, spanAfter } from './spans.ts'

/**
 * What a fact says about one thing of the machine; the newest by (boot, seq) counts. Of a hello,
 * that a connection began.
 */
type Claim = {
  fact: Fact
  slot: 'temperature' | 'humidity' | 'signal' | 'door' | 'hello' | 'fault'
  code: string | null
  lane: number | null
}
type Change = {
  temperature: number | null
  humidity: number | null
  rsrp: number | null
  signal: Signal | null
  door: boolean | null
  temperatureSince: Date | null
  doorSince: Date | null
  places: Places
}
/**
 * Of each slot the place of its newest word; `within` and `shut`: of the last one that was as it
 * should be.
 */
type Places = Partial<Record<Claim['slot'] | 'within' | 'shut', string>>
type Known = Range & {
  device_id: number
  places: Places
  temperature: number | null
  temp_since: Date | null
  door_open: boolean
  door_since: Date | null
}

/**
 * Projects facts onto device_states, device_faults and the lanes they name. Answers who tells of
 * more faults than a machine can have.
 */
export async function applyState(ctx: Ctx, facts: readonly Fact[]): Promise<Doubt[]> {
  const claims = newestOf(facts.flatMap(claimsOf))
  if (claims.length === 0) return []
  const faults = await standing(
    ctx,
    claims.filter((claim) => claim.slot === 'fault'),
  )
  const doubts: Doubt[] = []
  if (faults.length) {
    doubts.push(...(await applyFaults(ctx, faults)))
    ctx.touch(
      'devices',
      faults.map((claim) => claim.fact.machine.orgId),
    )
  }
  await writeStates(ctx, facts, claims)
  refreshDeviceCounters(
    ctx,
    faults.map((claim) => claim.fact.machine.id),
  )
  return doubts
}

function claimsOf(fact: Fact): Claim[] {
  const { kind, body } = fact.up
  const claim = (slot: Claim['slot']): Claim => ({ fact, slot, code: null, lane: null })
  if (kind === 'fault' || kind === 'clear')
    return isPlatformFault(body.code)
      ? []
      : [
          {
            fact,
            slot: 'fault',
            code: body.code as string,
            lane: (body.lane as number | undefined) ?? null,
          },
        ]
  return [
    ...(body.temperature === undefined ? [] : [claim('temperature')]),
    ...(body.humidity === undefined ? [] : [claim('humidity')]),
    ...(body.rsrp === undefined && body.signal === undefined ? [] : [claim('signal')]),
    ...(body.open === undefined && body.door === undefined ? [] : [claim('door')]),
    ...(kind === 'hello' ? [claim('hello')] : []),
  ]
}

function newestOf(claims: readonly Claim[]): Claim[] {
  const newest = new Map<string, Claim>()
  for (const claim of claims) {
    const key = `${claim.fact.machine.id}/${claim.slot}/${claim.code}/${claim.lane}`
    const other = newest.get(key)
    if (!other || isAfter(claim.fact, other.fact)) newest.set(key, claim)
  }
  return [...newest.values()]
}

/**
 * How many newer facts are looked at, newest first: a machine with millions of them costs no more
 * than one with few.
 */
const mostNewer = 500
/**
 * Faults that no newer stored fact contradicts: one range of the index for each machine, empty in
 * the usual order of arrival.
 */
async function standing(ctx: Ctx, claims: readonly Claim[]): Promise<Claim[]> {
  if (claims.length === 0) return []
  const earliest = new Map<number, Fact>()
  for (const { fact } of claims) {
    const other = earliest.get(fact.machine.id)
    if (!other || isAfter(other, fact)) earliest.set(fact.machine.id, fact)
  }
  const firsts = [...earliest.values()]
  const rows = await rowsOf<{ n: number }>(ctx.db)`
    with newer as materialized (
      select k.device_id, k.boot, k.seq, m.code, m.lane
      from unnest(${firsts.map((f) => f.machine.id)}::bigint[], ${firsts.map(bootOf)}::text[],
        ${firsts.map((f) => f.up.seq)}::bigint[]) as x (device_id, boot, seq)
      cross join lateral (
        select k.org_id, k.received_at, k.device_id, k.boot, k.seq from device_message_keys k
        where k.device_id = x.device_id and (k.boot, k.seq) > (x.boot, x.seq)
        order by k.boot desc, k.seq desc limit ${mostNewer}) k
      cross join lateral (
        select m.kind, m.payload->>'code' as code, (m.payload->>'lane')::int as lane
        from device_messages m
        where m.org_id = k.org_id and m.created_at = k.received_at and m.device_id = k.device_id
          and m.boot = k.boot and m.seq = k.seq offset 0) m
      where m.kind in ('fault', 'clear'))
    select x.n from unnest(${claims.map((c) => c.fact.machine.id)}::bigint[],
      ${claims.map((c) => bootOf(c.fact))}::text[], ${claims.map((c) => c.fact.up.seq)}::bigint[],
      ${claims.map((c) => c.code)}::text[],
      ${claims.map((c) => c.lane)}::int[]) with ordinality as x (device_id, boot, seq, code, lane,
      n)
    where not exists (select from newer
      where newer.device_id = x.device_id and newer.code = x.code and newer.lane is not distinct
      from x.lane and (newer.boot, newer.seq) > (x.boot, x.seq))`
  return rows.flatMap((row) => claims[row.n - 1] ?? [])
}

async function applyFaults(ctx: Ctx, claims: readonly Claim[]): Promise<Doubt[]> {
  const doubts: Doubt[] = []
  // lanes first and in ascending order, the state of the machine last
  await sql`select id from lanes
    where (device_id, road_index) in (select *
      from unnest(${claims.map((c) => c.fact.machine.id)}::bigint[],
        ${claims.map((c) => c.lane)}::int[]))
    and archived_at is null order by id for update`.execute(ctx.db)
  const opened = claims.filter((claim) => claim.fact.up.kind === 'fault')
  const cleared = claims.filter((claim) => claim.fact.up.kind === 'clear')
  if (opened.length) {
    const column = (key: string, missing: string) =>
      opened.map(({ fact }) => (fact.up.body[key] as string | undefined) ?? missing)
    // codes are the machine's own words: beyond the bound its lanes still stop, and one row stands
    // for the rest
    const beyond = await rowsOf<{ device_id: number }>(ctx.db)`
      with x as (
        select x.*, l.id as lane_id
        from unnest(${opened.map((c) => c.fact.machine.orgId)}::bigint[],
          ${opened.map((c) => c.fact.machine.id)}::bigint[], ${opened.map((c) => c.lane)}::int[],
          ${opened.map((c) => c.code)}::text[], ${column('level', 'ERROR')}::text[],
          ${column('detail', '')}::text[],
          ${opened.map((c) => iso(c.fact.at))}::timestamptz[]) as x (org_id, device_id, lane, code,
          level, detail, at)
        left join lanes l on l.device_id = x.device_id and l.road_index = x.lane
          and l.archived_at is null),
      stopped as (update lanes set status = 'FAULT'
        where id in (select lane_id from x where level = 'ERROR') and status = 'ENABLED'),
      fresh as (
        select x.*, l.last_id, l.by_hand from x
        left join lateral (select f.id as last_id, f.handled_by is not null as by_hand
          from device_faults f
          where f.device_id = x.device_id and f.org_id = x.org_id
            and f.opened_at > ${dayBefore(ctx)} and ${sameFault}
            order by f.opened_at desc, f.id desc limit 1) l on true
        where not exists (select from device_faults f
          where f.device_id = x.device_id and f.closed_at is null and ${sameFault})),
      placed as (select f.*, f.last_id is null
        and row_number() over (partition by f.device_id, f.last_id is null
          order by f.at) + ${heldFaults(sql`f.device_id`, ctx)} > ${limits.faults} as beyond
          from fresh f),
      -- one that comes and goes is one row, unless a person has closed it
      again as (update device_faults f
        set opened_at = greatest(p.at, f.closed_at), closed_at = null, level = p.level,
          detail = p.detail
        from placed p where f.id = p.last_id and not p.by_hand and f.closed_at is not null),
      kept as (insert into device_faults (org_id, device_id, lane_id, road, code, level, detail,
        opened_at)
        select org_id, device_id, lane_id, case when lane_id is null then lane end, code, level,
          detail, at from placed
        where not beyond and (last_id is null or by_hand) order by device_id
        on conflict do nothing),
      -- opened anew for each more: an alert that a person has closed comes again
      summed as (insert into device_faults as f (org_id, device_id, code, level, detail, opened_at)
        select distinct on (device_id) org_id, device_id, ${platformFaults.many},
          min(level) over (partition by device_id), code, at from placed where beyond
          order by device_id, at desc
        on conflict (device_id, (coalesce(lane_id, (-road)::bigint, 0::bigint)), code)
        where closed_at is null do update
          set detail = excluded.detail, level = least(f.level, excluded.level),
            opened_at = greatest(f.opened_at, excluded.opened_at))
      select distinct device_id from placed where beyond`
    const over = new Set(beyond.map((row) => row.device_id))
    for (const { fact } of new Map(opened.map((claim) => [claim.fact.machine.id, claim])).values())
      if (over.has(fact.machine.id))
        doubts.push({
          machine: fact.machine,
          kind: 'MACHINE_FAULTS',
          detail: { code: String(fact.up.body.code), most: limits.faults },
        })
  }
  if (cleared.length) {
    await sql`
      with x as (
        select x.*, l.id as lane_id
        from unnest(${cleared.map((c) => c.fact.machine.id)}::bigint[],
          ${cleared.map((c) => c.lane)}::int[], ${cleared.map((c) => c.code)}::text[],
          ${cleared.map((c) => iso(c.fact.at))}::timestamptz[]) as x (device_id, lane, code, at)
        left join lanes l on l.device_id = x.device_id and l.road_index = x.lane
          and l.archived_at is null),
      closed as (update device_faults f set closed_at = greatest(x.at, f.opened_at) from x
        where f.device_id = x.device_id and f.code = x.code and f.closed_at is null
          -- also what was said of the lane before it was drawn
          and (f.lane_id = x.lane_id or (f.lane_id is null and f.road is not distinct from x.lane))
          returning f.id)
      update lanes set status = 'ENABLED' where id in (select lane_id from x) and status = 'FAULT'
        and not exists (select from device_faults f
          where f.lane_id = lanes.id and f.closed_at is null and f.level = 'ERROR'
            and f.id not in (select id from closed))`.execute(ctx.db)
  }
  await sql`update device_faults f set closed_at = greatest(${ctx.now}::timestamptz, f.opened_at)
    where f.device_id = any(${claims.map((c) => c.fact.machine.id)}::bigint[])
      and f.code = ${platformFaults.many} and f.closed_at is null
      and ${heldFaults(sql`f.device_id`, ctx)} < ${limits.faults}`.execute(ctx.db)
  return doubts
}

const dayBefore = (ctx: Ctx) => sql`${new Date(ctx.now.getTime() - dayMs)}::timestamptz`
const sameFault = sql`f.code = x.code
  and coalesce(f.lane_id, -f.road, 0) = coalesce(x.lane_id, -x.lane, 0)`
/**
 * A machine's different faults that are open, or were opened within a day, as far as they have to
 * be counted.
 */
const heldFaults = (device: RawBuilder<unknown>, ctx: Ctx) => sql`(select count(*) from (
  (select h.code, coalesce(h.lane_id, -h.road, 0) from device_faults h
    where h.device_id = ${device} and h.closed_at is null and h.code <> ${platformFaults.many}
    limit ${limits.faults})
  union
  (select distinct h.code, coalesce(h.lane_id, -h.road, 0) from device_faults h
    where h.device_id = ${device} and h.opened_at > ${dayBefore(ctx)}
      and h.code <> ${platformFaults.many} limit ${limits.faults})) h)`

/**
 * Each row knows which word it says, so that one that comes late is compared with the row, not with
 * all that was said since.
 */
async function writeStates(
  ctx: Ctx,
  facts: readonly Fact[],
  claims: readonly Claim[],
): Promise<void> {
  const owners = new Map(claims.map(({ fact }) => [fact.machine.id, fact.machine.orgId]))
  const ids = [...owners.keys()].sort((a, b) => a - b)
  await sql`insert into device_states (device_id, org_id) select *
    from unnest(${ids}::bigint[], ${ids.map((id) => owners.get(id))}::bigint[])
    on conflict do nothing`.execute(ctx.db)
  const measuring = [
    ...new Set(
      claims.flatMap(({ fact, slot }) => (slot === 'temperature' ? [fact.machine.id] : [])),
    ),
  ]
  const rows = await rowsOf<Known>(ctx.db)`
    select s.device_id, s.places, s.temperature, s.temp_since, s.door_open, s.door_since, x.low,
      x.high from device_states s
    left join lateral ${temperatureLimits('s.device_id')} x
      on s.device_id = any(${measuring}::bigint[])
    where s.device_id = any(${ids}::bigint[]) order by s.device_id for update of s`
  const known = new Map(rows.map((row) => [row.device_id, row]))
  const changes = new Map<number, Change>()
  for (const { fact, slot } of claims) {
    const { machine, up } = fact
    if (slot === 'fault' || placeOf(fact) <= (known.get(machine.id)?.places[slot] ?? '')) continue
    const change = changes.get(machine.id) ?? noChange()
    const body = up.body as {
      temperature?: number
      humidity?: number
      rsrp?: number
      signal?: Signal
      open?: boolean
      door?: boolean
    }
    change.places[slot] = placeOf(fact)
    if (slot === 'temperature') change.temperature = body.temperature as number
    if (slot === 'humidity') change.humidity = body.humidity as number
    if (slot === 'door') change.door = body.open ?? body.door ?? null
    if (slot === 'signal')
      Object.assign(change, {
        rsrp: body.rsrp ?? null,
        signal: body.rsrp === undefined ? body.signal : signalOf(body.rsrp),
      })
    changes.set(machine.id, change)
  }
  for (const [id, own] of Map.groupBy(facts, (fact) => fact.machine.id)) {
    const row = known.get(id)
    const spans = row ? spansOf(row, own) : null
    if (!spans) continue
    const change = changes.get(id) ?? noChange()
    changes.set(id, { ...change, ...spans, places: { ...change.places, ...spans.places } })
  }
  if (changes.size === 0) return
  const written = [...changes.values()]
  await sql`
    update device_states s set temperature = coalesce(x.temperature, s.temperature),
      humidity = coalesce(x.humidity, s.humidity),
      rsrp = case when x.signal is null then s.rsrp
        else x.rsrp end, signal = coalesce(x.signal, s.signal),
          door_open = coalesce(x.door, s.door_open),
      temp_since = coalesce(x.temp_since, s.temp_since),
      door_since = coalesce(x.door_since, s.door_since), places = s.places || x.places::jsonb
    from unnest(${[...changes.keys()]}::bigint[], ${written.map((c) => c.temperature)}::numeric[],
      ${written.map((c) => c.humidity)}::numeric[], ${written.map((c) => c.rsrp)}::int[],
      ${written.map((c) => c.signal)}::text[], ${written.map((c) => c.door)}::boolean[],
      ${written.map((c) => c.temperatureSince && iso(c.temperatureSince))}::timestamptz[],
      ${written.map((c) => c.doorSince && iso(c.doorSince))}::timestamptz[],
      ${written.map((c) => JSON.stringify(c.places))}::text[]) as x (device_id, temperature,
      humidity, rsrp, signal, door, temp_since, door_since, places)
    where s.device_id = x.device_id`.execute(ctx.db)
}

const noChange = (): Change => ({
  temperature: null,
  humidity: null,
  rsrp: null,
  signal: null,
  door: null,
  temperatureSince: null,
  doorSince: null,
  places: {},
})

/**
 * Since when the machine is outside its limits and its door is open, after all it says here; null
 * when it says neither.
 */
function spansOf(
  row: Known,
  facts: readonly Fact[],
): Pick<Change, 'temperatureSince' | 'doorSince' | 'places'> | null {
  const readings = facts.flatMap((fact) =>
    fact.up.body.temperature === undefined
      ? []
      : [wordOf(fact, isWithin(row, fact.up.body.temperature as number))],
  )
  const doors = facts.flatMap((fact) => {
    const open = (fact.up.body.open ?? fact.up.body.door) as boolean | undefined
    return open === undefined ? [] : [wordOf(fact, !open)]
  })
  if (readings.length + doors.length === 0) return null
  const { places } = row
  const temperature = spanAfter(
    {
      place: places.temperature ?? '',
      finePlace: places.within ?? '',
      fine: isWithin(row, row.temperature),
      since: row.temp_since,
    },
    readings,
  )
  const door = spanAfter(
    {
      place: places.door ?? '',
      finePlace: places.shut ?? '',
      fine: !row.door_open,
      since: row.door_since,
    },
    doors,
  )
  return {
    temperatureSince: temperature.since,
    doorSince: door.since,
    places: {
      ...(temperature.finePlace ? { within: temperature.finePlace } : {}),
      ...(door.finePlace ? { shut: door.finePlace } : {}),
    },
  }
}
const wordOf = (fact: Fact, fine: boolean) => ({ place: placeOf(fact), at: fact.at, fine })
