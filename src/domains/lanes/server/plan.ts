import { type Ctx, found, may, visible } from '../../../server/context.ts'
import { rowOf } from '../../../server/rows.ts'
import { isClosed } from '../../machines/rules.ts'
import { knowsCost } from '../../products/server/cost.ts'
import type { Planogram, Road } from '../contract.ts'
import { laneView } from '../rules.ts'
import * as q from './queries.ts'
import { keptDoc } from './versions.ts'

export async function plan(ctx: Ctx, deviceId: number): Promise<Planogram> {
  const device = found(await q.device(ctx, deviceId))
  const [floors, rows] = [await q.floors(ctx, deviceId), await q.shownLanes(ctx, deviceId)]
  const { sync, confirmed } = await syncOf(ctx, device, rows)
  const roads = rows.map(({ productOrg, ...lane }): q.ShownLane & Road => ({
    ...lane,
    productOrg,
    costPrice: productOrg !== null && knowsCost(ctx, productOrg) ? lane.costPrice : null,
    view: laneView({ ...lane, quantity: lane.productStock }),
    confirmedPrice: confirmed.get(lane.roadIndex) ?? null,
    merged: rows.filter((other) => other.mergedInto === lane.id).map((other) => other.roadIndex),
  }))
  const live = roads.filter((lane) => lane.status !== 'MERGED')
  const views = Map.groupBy(live, ({ view }) => view)
  const count = (view: Road['view']) => views.get(view)?.length ?? 0
  const sum = (of: (lane: Road) => number) => live.reduce((total, lane) => total + of(lane), 0)
  const changes = (right: Parameters<typeof may>[1]) => !isClosed(device) && may(ctx, right)
  const { planogramVersion, ...shown } = device
  return {
    device: shown,
    version: planogramVersion,
    totals: {
      lanes: live.length,
      enabled: live.filter((lane) => lane.status === 'ENABLED').length,
      soldOut: count('soldOut'),
      low: count('low'),
      fault: count('fault'),
      free: count('empty'),
      stock: sum((lane) => lane.productStock),
      capacity: sum((lane) => (lane.productId === null ? 0 : lane.roadCapacity)),
    },
    floors: floors.map((floor) => ({
      ...floor,
      roads: roads.flatMap(({ floorId, productOrg, ...road }) =>
        floorId === floor.id ? [road] : [],
      ),
    })),
    sync,
    scheduled: (await q.waitingSchedules(ctx, device.id)).n,
    can: {
      update: changes('lane:update'),
      price: changes('lane:price'),
      merge: changes('lane:merge'),
      rebuild: changes('lane:rebuild'),
      copy: rows.length > 0 && may(ctx, 'lane:copy'),
      lock: changes('lane:lock'),
      clearFault: may(ctx, 'fault:update'),
    },
  }
}

export async function one(ctx: Ctx, laneId: number) {
  const { id: deviceId } = found(await q.deviceOfLane(ctx, laneId))
  const { version, floors } = await plan(ctx, deviceId)
  const roads = floors.flatMap((floor) => floor.roads)
  return { deviceId, version, road: found(roads.find((road) => road.id === laneId)) }
}

type Sync = NonNullable<Planogram['sync']> & { applied: number }

/**
 * How far the machine is with its lanes, and by road the price it still charges where that is
 * another one.
 */
async function syncOf(
  ctx: Ctx,
  device: q.Device,
  lanes: readonly q.ShownLane[],
): Promise<{ sync: Planogram['sync']; confirmed: Map<number, number> }> {
  const confirmed = new Map<number, number>()
  const shadow = await rowOf<Sync>(ctx.db)`select s.wanted, s.applied, s.state, s.reason
    from device_shadows s
    where s.device_id = ${device.id} and s.kind = 'PLANOGRAM' and s.wanted > 0
      and ${visible(ctx, 's.org_id', 's.device_id')}`
  if (!shadow) return { sync: null, confirmed }
  const { applied, state } = shadow
  if (state !== 'APPLIED' && applied > 0) {
    const doc = await keptDoc(ctx, device.id, applied)
    const old = new Map(doc?.lanes.map((lane) => [lane.road, lane]))
    for (const { roadIndex, price, productId } of lanes) {
      const was = old.get(roadIndex)
      if (was?.price && price !== null && was.productId === productId && was.price !== price)
        confirmed.set(roadIndex, was.price)
    }
  }
  const reason = state === 'REFUSED' ? shadow.reason : ''
  return { sync: { ...shadow, applied: applied || null, reason }, confirmed }
}
