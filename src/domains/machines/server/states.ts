import { sql } from 'kysely'
import { type Ctx, iso } from '../../../server/context.ts'
import { refreshDeviceCounters } from '../../lanes/server/counters.ts'
import { type Signal, signalOf } from '../rules.ts'
import { bootOf, isAfter, placeOf } from './boots.ts'
import type { Fact } from './facts.ts'

/** What a fact says about one thing of the machine; the newest by (boot, seq) counts. Of a hello, that a connection began. */
type Claim = { fact: Fact; slot: 'temperature' | 'humidity' | 'signal' | 'door' | 'hello' | 'fault'; code: string | null; lane: number | null }
type Change = {
  temperature: number | null
  humidity: number | null
  rsrp: number | null
  signal: Signal | null
  door: boolean | null
  places: Partial<Record<Claim['slot'], string>>
}

/** Projects facts onto device_states, device_faults and the lanes they name. */
export async function applyState(ctx: Ctx, facts: readonly Fact[]): Promise<void> {
  const claims = newestOf(facts.flatMap(claimsOf))
  if (claims.length === 0) return
  const faults = await standing(
    ctx,
    claims.filter((claim) => claim.slot === 'fault'),
  )
  if (faults.length) {
    await applyFaults(ctx, faults)
    ctx.touch(
      'devices',
      faults.map((claim) => claim.fact.machine.orgId),
    )
  }
  await writeStates(ctx, claims)
  refreshDeviceCounters(
    ctx,
    faults.map((claim) => claim.fact.machine.id),
  )
}

function claimsOf(fact: Fact): Claim[] {
  const { kind, body } = fact.up
  const claim = (slot: Claim['slot']): Claim => ({ fact, slot, code: null, lane: null })
  if (kind === 'fault' || kind === 'clear') return [{ fact, slot: 'fault', code: body.code as string, lane: (body.lane as number | undefined) ?? null }]
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

/** How many newer facts are looked at, newest first: a machine with millions of them costs no more than one with few. */
const mostNewer = 500
/** Faults that no newer stored fact contradicts. In the usual order of arrival this is one empty index range each. */
async function standing(ctx: Ctx, claims: readonly Claim[]): Promise<Claim[]> {
  if (claims.length === 0) return []
  const { rows } = await sql<{ n: number }>`
    select x.n from unnest(${claims.map((c) => c.fact.machine.id)}::bigint[], ${claims.map((c) => bootOf(c.fact))}::text[], ${claims.map((c) => c.fact.up.seq)}::bigint[],
      ${claims.map((c) => c.code)}::text[], ${claims.map((c) => c.lane)}::int[]) with ordinality as x (device_id, boot, seq, code, lane, n)
    left join lateral (
      select true as found from (
        select k.org_id, k.received_at, k.boot, k.seq from device_message_keys k
        where k.device_id = x.device_id and (k.boot, k.seq) > (x.boot, x.seq) order by k.boot desc, k.seq desc limit ${mostNewer}) k
      cross join lateral (
        select m.kind, m.payload from device_messages m
        where m.org_id = k.org_id and m.created_at = k.received_at and m.device_id = x.device_id and m.boot = k.boot and m.seq = k.seq offset 0) m
      where m.kind in ('fault', 'clear') and m.payload->>'code' = x.code and (m.payload->>'lane')::int is not distinct from x.lane
      limit 1) newer on true
    where newer.found is null`.execute(ctx.db)
  return rows.flatMap((row) => claims[row.n - 1] ?? [])
}

async function applyFaults(ctx: Ctx, claims: readonly Claim[]): Promise<void> {
  // lanes first and in ascending order, the state of the machine last
  await sql`select id from lanes where (device_id, road_index) in (select * from unnest(${claims.map((c) => c.fact.machine.id)}::bigint[], ${claims.map((c) => c.lane)}::int[]))
    and archived_at is null order by id for update`.execute(ctx.db)
  const opened = claims.filter((claim) => claim.fact.up.kind === 'fault')
  const cleared = claims.filter((claim) => claim.fact.up.kind === 'clear')
  if (opened.length) {
    const column = (key: string, missing: string) => opened.map(({ fact }) => (fact.up.body[key] as string | undefined) ?? missing)
    await sql`
      with x as (
        select x.*, l.id as lane_id from unnest(${opened.map((c) => c.fact.machine.orgId)}::bigint[], ${opened.map((c) => c.fact.machine.id)}::bigint[], ${opened.map((c) => c.lane)}::int[],
          ${opened.map((c) => c.code)}::text[], ${column('level', 'ERROR')}::text[], ${column('detail', '')}::text[], ${opened.map((c) => iso(c.fact.at))}::timestamptz[]) as x (org_id, device_id, lane, code, level, detail, at)
        left join lanes l on l.device_id = x.device_id and l.road_index = x.lane and l.archived_at is null),
      stopped as (update lanes set status = 'FAULT' where id in (select lane_id from x where level = 'ERROR') and status = 'ENABLED')
      insert into device_faults (org_id, device_id, lane_id, road, code, level, detail, opened_at)
      select org_id, device_id, lane_id, case when lane_id is null then lane end, code, level, detail, at from x order by device_id on conflict do nothing`.execute(
      ctx.db,
    )
  }
  if (cleared.length) {
    await sql`
      with x as (
        select x.*, l.id as lane_id from unnest(${cleared.map((c) => c.fact.machine.id)}::bigint[], ${cleared.map((c) => c.lane)}::int[], ${cleared.map((c) => c.code)}::text[],
          ${cleared.map((c) => iso(c.fact.at))}::timestamptz[]) as x (device_id, lane, code, at)
        left join lanes l on l.device_id = x.device_id and l.road_index = x.lane and l.archived_at is null),
      closed as (update device_faults f set closed_at = greatest(x.at, f.opened_at) from x
        where f.device_id = x.device_id and f.code = x.code and f.closed_at is null
          -- also what was said of the lane before it was drawn
          and (f.lane_id = x.lane_id or (f.lane_id is null and f.road is not distinct from x.lane)) returning f.id)
      update lanes set status = 'ENABLED' where id in (select lane_id from x) and status = 'FAULT'
        and not exists (select from device_faults f where f.lane_id = lanes.id and f.closed_at is null and f.level = 'ERROR' and f.id not in (select id from closed))`.execute(
      ctx.db,
    )
  }
}

/** Each row knows which word it says, so that one that comes late is compared with the row, not with all that was said since. */
async function writeStates(ctx: Ctx, claims: readonly Claim[]): Promise<void> {
  const owners = new Map(claims.map(({ fact }) => [fact.machine.id, fact.machine.orgId]))
  const ids = [...owners.keys()].sort((a, b) => a - b)
  await sql`insert into device_states (device_id, org_id) select * from unnest(${ids}::bigint[], ${ids.map((id) => owners.get(id))}::bigint[]) on conflict do nothing`.execute(
    ctx.db,
  )
  const { rows: known } = await sql<{ device_id: number; places: Change['places'] }>`
    select device_id, places from device_states where device_id = any(${ids}::bigint[]) order by device_id for update`.execute(ctx.db)
  const placesOf = new Map(known.map((row) => [row.device_id, row.places]))
  const changes = new Map<number, Change>()
  for (const { fact, slot } of claims) {
    const { machine, up } = fact
    if (slot === 'fault' || placeOf(fact) <= (placesOf.get(machine.id)?.[slot] ?? '')) continue
    const change = changes.get(machine.id) ?? { temperature: null, humidity: null, rsrp: null, signal: null, door: null, places: {} }
    const body = up.body as { temperature?: number; humidity?: number; rsrp?: number; signal?: Signal; open?: boolean; door?: boolean }
    change.places[slot] = placeOf(fact)
    if (slot === 'temperature') change.temperature = body.temperature as number
    if (slot === 'humidity') change.humidity = body.humidity as number
    if (slot === 'door') change.door = body.open ?? body.door ?? null
    if (slot === 'signal') Object.assign(change, { rsrp: body.rsrp ?? null, signal: body.rsrp === undefined ? body.signal : signalOf(body.rsrp) })
    changes.set(machine.id, change)
  }
  if (changes.size === 0) return
  const rows = [...changes.values()]
  await sql`
    update device_states s set temperature = coalesce(x.temperature, s.temperature), humidity = coalesce(x.humidity, s.humidity),
      rsrp = case when x.signal is null then s.rsrp else x.rsrp end, signal = coalesce(x.signal, s.signal), door_open = coalesce(x.door, s.door_open), places = s.places || x.places::jsonb
    from unnest(${[...changes.keys()]}::bigint[], ${rows.map((c) => c.temperature)}::numeric[], ${rows.map((c) => c.humidity)}::numeric[], ${rows.map((c) => c.rsrp)}::int[],
      ${rows.map((c) => c.signal)}::text[], ${rows.map((c) => c.door)}::boolean[], ${rows.map((c) => JSON.stringify(c.places))}::text[]) as x (device_id, temperature, humidity, rsrp, signal, door, places)
    where s.device_id = x.device_id`.execute(ctx.db)
}
