import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import type { Ctx } from '../../../server/context.ts'
import { onlyRow, rowsOf } from '../../../server/rows.ts'
import type { Input } from '../../../shared/contract.ts'
import { latOf, lngOf, mercatorX, mercatorY } from '../../../shared/place.ts'
import type { devices, FleetGroup, FleetMachine, FleetState } from '../contract.ts'
import { conditions } from './queries.ts'

type Ask = Input<typeof devices.map>
/**
 * Pixels of a cell: what falls into one is one group. Cells hang on the world, not on the window,
 * so groups stay when it moves.
 */
const cell = 64
const eachFrom = 20
const most = 500

/** A machine not in use is neither offline nor fine; otherwise the worst first, as in the list. */
const state = sql<FleetState>`case when d.lifecycle not in ('OPERATING', 'PAUSED') then 'idle'
  when s.fault_count > 0 then 'fault' when not s.online then 'offline'
  when s.lanes_sold_out > 0 then 'soldOut' else 'fine' end`
const from = sql`devices d join device_states s on s.device_id = d.id`
const states = sql`jsonb_build_object('fault', count(*) filter (where state = 'fault'), 'offline',
  count(*) filter (where state = 'offline'),
  'soldOut', count(*) filter (where state = 'soldOut'), 'fine',
  count(*) filter (where state = 'fine'), 'idle', count(*) filter (where state = 'idle')) as states`

const totals = (ctx: Ctx, input: Ask) =>
  onlyRow<{ total: number; unlocated: number; states: Record<FleetState, number> }>(ctx.db)`
    select count(*) as total, count(*) filter (where lng is null) as unlocated, ${states}
    from (select d.lng, ${state} as state from ${from} where ${conditions(ctx, input)}) m`

/** The box grown to whole cells, so that a group at the edge is counted whole. */
function grown(
  [west = 0, south = 0, east = 0, north = 0]: readonly number[],
  zoom: number,
): number[] {
  const floor = (n: number) => Math.floor(n / cell) * cell
  const ceil = (n: number) => (Math.floor(n / cell) + 1) * cell
  return [
    lngOf(floor(mercatorX(west, zoom)), zoom),
    latOf(ceil(mercatorY(south, zoom)), zoom),
    lngOf(ceil(mercatorX(east, zoom)), zoom),
    latOf(floor(mercatorY(north, zoom)), zoom),
  ]
}

export const map: Handlers<typeof devices>['map'] = async (ctx, input) => {
  const { zoom } = input
  const each = zoom >= eachFrom
  const [west, south, east, north] = each ? input.box : grown(input.box, zoom)
  const cells = (256 * 2 ** zoom) / cell
  const sine = sql`sin(radians(d.lat::float8))`
  const x = each ? sql`d.id` : sql`floor((d.lng::float8 + 180) / 360 * ${cells}::float8)`
  const y = each
    ? sql`0`
    : sql`floor((0.5 - ln((1 + ${sine}) / (1 - ${sine})) / (4 * pi())) * ${cells}::float8)`
  const rows = await rowsOf<FleetGroup & FleetMachine>(ctx.db)`
    select min(id) as id, min(rtu_number) as "rtuNumber", min(nickname) as nickname,
      min(state) as state, count(*) as total,
      round(avg(lng), 6) as lng, round(avg(lat), 6) as lat,
      jsonb_build_array(min(lng), min(lat), max(lng), max(lat)) as box, ${states}
    from (
      select d.id, d.rtu_number, d.nickname, d.lng, d.lat, ${x} as x, ${y} as y, ${state} as state
      from ${from}
      where ${conditions(ctx, input)} and d.lng between ${west}::numeric and ${east}::numeric
        and d.lat between ${south}::numeric and ${north}::numeric
    ) m group by x, y order by total desc, id limit ${most}`
  return {
    ...(await totals(ctx, input)),
    groups: rows.flatMap(({ lng, lat, total, states, box }) =>
      total > 1 ? [{ lng, lat, total, states, box }] : [],
    ),
    machines: rows.flatMap(({ id, rtuNumber, nickname, lng, lat, state, total }) =>
      total === 1 ? [{ id, rtuNumber, nickname, lng, lat, state }] : [],
    ),
  }
}
