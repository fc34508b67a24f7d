import { type Ctx, found, may } from '../../../server/context.ts'
import { knowsCost } from '../../products/server/cost.ts'
import type { Planogram, Road } from '../contract.ts'
import { laneView } from '../rules.ts'
import { isClosed } from './change.ts'
import * as q from './queries.ts'
import { syncOf } from './sync.ts'

export async function plan(ctx: Ctx, deviceId: number): Promise<Planogram> {
  const device = found(await q.device(ctx, deviceId))
  const [floors, rows] = [await q.floors(ctx, deviceId), await q.shownLanes(ctx, deviceId)]
  const { sync, confirmed } = await syncOf(ctx, device, rows)
  const road = (lane: q.ShownLane): Road => ({
    id: lane.id,
    roadIndex: lane.roadIndex,
    column: lane.col,
    motorNo: lane.motorNo,
    productId: lane.productId,
    productName: lane.productName,
    productImg: lane.img,
    model: lane.model,
    drugClass: lane.drugClass,
    costPrice: lane.productOrg !== null && knowsCost(ctx, lane.productOrg) ? lane.costPrice : null,
    roadCapacity: lane.capacity,
    productStock: lane.quantity,
    reserved: lane.reserved,
    failedHold: lane.failedHold,
    warnQty: lane.warnQty,
    retailPrice: lane.retailPrice,
    price: lane.price,
    restriction: lane.restriction,
    status: lane.status,
    view: laneView(lane),
    confirmedPrice: confirmed.get(lane.roadIndex) ?? null,
    lockReason: lane.lockReason,
    faultCode: lane.faultCode,
    mergedInto: lane.mergedInto,
    merged: rows.filter((other) => other.mergedInto === lane.id).map((other) => other.roadIndex),
  })
  const live = rows.filter((lane) => lane.status !== 'MERGED')
  const views = Map.groupBy(live, laneView)
  const count = (view: ReturnType<typeof laneView>) => views.get(view)?.length ?? 0
  const sum = (of: (lane: q.ShownLane) => number) => live.reduce((total, lane) => total + of(lane), 0)
  const open = !isClosed(device)
  return {
    device: {
      id: device.id,
      rtuNumber: device.rtu_number,
      nickname: device.nickname,
      orgId: device.org_id,
      typeId: device.type_id,
      typeName: device.type_name,
      kind: device.kind,
      dispensingMode: device.dispensing_mode,
      lifecycle: device.lifecycle,
      status: device.online ? 'online' : 'offline',
      maxLevels: device.max_levels,
      maxRoads: device.max_roads,
    },
    version: device.planogram_version,
    totals: {
      lanes: live.length,
      enabled: live.filter((lane) => lane.status === 'ENABLED').length,
      soldOut: count('soldOut'),
      low: count('low'),
      fault: count('fault'),
      free: count('empty'),
      stock: sum((lane) => lane.quantity),
      capacity: sum((lane) => (lane.productId === null ? 0 : lane.capacity)),
    },
    floors: floors.map((floor) => ({ ...floor, roads: rows.filter((lane) => lane.floorId === floor.id).map(road) })),
    sync,
    scheduled: await q.waitingSchedules(ctx, device.id),
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
  const deviceId = found(await q.deviceOfLane(ctx, laneId))
  const { version, floors } = await plan(ctx, deviceId)
  return { deviceId, version, road: found(floors.flatMap((floor) => floor.roads).find((road) => road.id === laneId)) }
}
