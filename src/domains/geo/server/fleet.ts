import { sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import type { Input } from '../../../shared/contract.ts'
import { latOf, lngOf, mercatorX, mercatorY } from '../../../shared/place.ts'
import { deviceConditions } from '../../devices/server/verbs.ts'
import type { FleetGroup, FleetMachine, FleetState, geo } from '../contract.ts'

type Ask = Input<typeof geo.fleet>
/** Pixels of a cell: what falls into one is one group. Cells hang on the world, not on the window, so groups stay when it moves. */
const cell = 64
const eachFrom = 20
const most = 500

/** A machine not in use is neither offline nor fine; otherwise the worst first, as in the list. */
const state = sql<FleetState>`case when d.lifecycle not in ('OPERATING', 'PAUSED') then 'idle' when s.fault_count > 0 then 'fault' when not s.online then 'offline'
  when s.lanes_sold_out > 0 then 'soldOut' else 'fine' end`
const from = sql`devices d join device_states s on s.device_id = d.id`
const counts = sql`count(*) filter (where state = 'fault') as fault, count(*) filter (where state = 'offline') as offline,
  count(*) filter (where state = 'soldOut') as "soldOut", count(*) filter (where state = 'fine') as fine, count(*) filter (where state = 'idle') as idle`
type Counts = Record<FleetState, number>

export async function fleetTotals(ctx: Ctx, input: Ask): Promise<{ total: number; unlocated: number; states: Counts }> {
  const { rows } = await sql<Counts & { total: number; unlocated: number }>`
    select count(*) as total, count(*) filter (where lng is null) as unlocated, ${counts}
    from (select d.lng, ${state} as state from ${from} where ${deviceConditions(ctx, input)}) m`.execute(ctx.db)
  const { total, unlocated, ...states } = rows[0] as (typeof rows)[number]
  return { total, unlocated, states }
}

type GroupRow = Counts & {
  id: number
  rtu_number: string
  nickname: string
  state: FleetState
  n: number
  lng: number
  lat: number
  west: number
  south: number
  east: number
  north: number
}

/** The box grown to whole cells, so that a group at the edge is counted whole. */
function grown([west = 0, south = 0, east = 0, north = 0]: readonly number[], zoom: number): number[] {
  const floor = (n: number) => Math.floor(n / cell) * cell
  const ceil = (n: number) => (Math.floor(n / cell) + 1) * cell
  return [
    lngOf(floor(mercatorX(west, zoom)), zoom),
    latOf(ceil(mercatorY(south, zoom)), zoom),
    lngOf(ceil(mercatorX(east, zoom)), zoom),
    latOf(floor(mercatorY(north, zoom)), zoom),
  ]
}

export async function fleetGroups(ctx: Ctx, input: Ask): Promise<{ groups: FleetGroup[]; machines: FleetMachine[] }> {
  const { zoom } = input
  const each = zoom >= eachFrom
  const [west, south, east, north] = each ? input.box : grown(input.box, zoom)
  const cells = (256 * 2 ** zoom) / cell
  const sine = sql`sin(radians(d.lat::float8))`
  const x = each ? sql`d.id` : sql`floor((d.lng::float8 + 180) / 360 * ${cells}::float8)`
  const y = each ? sql`0` : sql`floor((0.5 - ln((1 + ${sine}) / (1 - ${sine})) / (4 * pi())) * ${cells}::float8)`
  const { rows } = await sql<GroupRow>`
    select min(id) as id, min(rtu_number) as rtu_number, min(nickname) as nickname, min(state) as state, count(*) as n, round(avg(lng), 6) as lng, round(avg(lat), 6) as lat,
      min(lng) as west, min(lat) as south, max(lng) as east, max(lat) as north, ${counts}
    from (
      select d.id, d.rtu_number, d.nickname, d.lng, d.lat, ${x} as x, ${y} as y, ${state} as state from ${from}
      where ${deviceConditions(ctx, input)} and d.lng between ${west}::numeric and ${east}::numeric and d.lat between ${south}::numeric and ${north}::numeric
    ) m group by x, y order by n desc, id limit ${most}`.execute(ctx.db)
  return {
    groups: rows
      .filter((row) => row.n > 1)
      .map(({ n, lng, lat, west: w, south: s, east: e, north: u, fault, offline, soldOut, fine, idle }) => ({
        lng,
        lat,
        total: n,
        states: { fault, offline, soldOut, fine, idle },
        box: [w, s, e, u],
      })),
    machines: rows
      .filter((row) => row.n === 1)
      .map((row) => ({ id: row.id, rtuNumber: row.rtu_number, nickname: row.nickname, lng: row.lng, lat: row.lat, state: row.state })),
  }
}
