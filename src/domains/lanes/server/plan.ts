import { type Ctx, found, may } from '../../../server/context.ts'
import { isClosed } from '../../devices/rules.ts'
import { knowsCost } from '../../products/server/cost.ts'
import type { Planogram, Road } from '../contract.ts'
import { laneView } from '../rules.ts'
import * as q from './queries.ts'
import { syncOf } from './sync.ts'

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
  const open = !isClosed(device)
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
    floors: floors.map((floor) => ({ ...floor, roads: roads.flatMap(({ floorId, productOrg, ...road }) => (floorId === floor.id ? [road] : [])) })),
    sync,
    scheduled: (await q.waitingSchedules(ctx, device.id)).n,
    can: {
      update: open && may(ctx, 'lane:update'),
      price: open && may(ctx, 'lane:price'),
      merge: open && may(ctx, 'lane:merge'),
      rebuild: open && may(ctx, 'lane:rebuild'),
      copy: rows.length > 0 && may(ctx, 'lane:copy'),
      lock: open && may(ctx, 'lane:lock'),
      clearFault: may(ctx, 'fault:update'),
    },
  }
}

export async function one(ctx: Ctx, laneId: number): Promise<{ deviceId: number; version: number; road: Road }> {
  const { id: deviceId } = found(await q.deviceOfLane(ctx, laneId))
  const { version, floors } = await plan(ctx, deviceId)
  return { deviceId, version, road: found(floors.flatMap((floor) => floor.roads).find((road) => road.id === laneId)) }
}
