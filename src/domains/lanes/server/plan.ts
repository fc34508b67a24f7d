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
    floors: floors.map((floor) => ({
      ...floor,
      roads: roads.flatMap(({ floorId, productOrg, ...road }) =>
        floorId === floor.id ? [road] : [],
      ),
    })),
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

export async function one(
  ctx: Ctx,
  laneId: number,
): Promise<{ deviceId: number; version: number; road: Road }> {
  const { id: deviceId } = found(await q.deviceOfLane(ctx, laneId))
  const { version, floors } = await plan(ctx, deviceId)
  return {
    deviceId,
    version,
    road: found(floors.flatMap((floor) => floor.roads).find((road) => road.id === laneId)),
  }
}

type Shadow = {
  wanted: number
  applied: number
  state: NonNullable<Planogram['sync']>['state']
  reason: string
}

/**
 * How far the machine is with its lanes, and by road the price it still charges where that is
 * another one.
 */
async function syncOf(
  ctx: Ctx,
  device: q.Device,
  lanes: readonly q.ShownLane[],
): Promise<{ sync: Planogram['sync']; confirmed: Map<number, number> }> {
  const shadow = await rowOf<Shadow>(
    ctx.db,
  )`select s.wanted, s.applied, s.state, s.reason from device_shadows s
      where s.device_id = ${device.id} and s.kind = 'PLANOGRAM' and s.wanted > 0
        and ${visible(ctx, 's.org_id', 's.device_id')}`
  if (!shadow) return { sync: null, confirmed: new Map() }
  const { wanted, applied, state, reason } = shadow
  return {
    sync: { wanted, applied: applied || null, state, reason: state === 'REFUSED' ? reason : '' },
    confirmed:
      state === 'APPLIED' || applied === 0
        ? new Map()
        : await oldPrices(ctx, device.id, applied, lanes),
  }
}

async function oldPrices(
  ctx: Ctx,
  deviceId: number,
  version: number,
  lanes: readonly q.ShownLane[],
): Promise<Map<number, number>> {
  const old = new Map(
    (await keptDoc(ctx, deviceId, version))?.lanes.map((lane) => [lane.road, lane]),
  )
  return new Map(
    lanes.flatMap((lane): [number, number][] => {
      const was = old.get(lane.roadIndex)
      return was?.price &&
        lane.price !== null &&
        was.productId === lane.productId &&
        was.price !== lane.price
        ? [[lane.roadIndex, was.price]]
        : []
    }),
  )
}
