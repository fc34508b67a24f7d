import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may } from '../../../server/context.ts'
import type { Input } from '../../../shared/contract.ts'
import { common, Refusal, reject } from '../../../shared/errors.ts'
import { moveStock } from '../../stock/server/move.ts'
import { type LanePatch, laneErrors, type lanes, type Planogram, type Road } from '../contract.ts'
import { busyLanes, type Lane, laneRule, laneView, levelsRule, merged, mergeRule, splitRule } from '../rules.ts'
import { refreshDeviceCounters } from './counters.ts'
import * as q from './queries.ts'

type Contract = typeof lanes

export { refreshDeviceCounters } from './counters.ts'

async function plan(ctx: Ctx, deviceId: number): Promise<Planogram> {
  const device = found(await q.device(ctx, deviceId))
  const [floors, rows] = [await q.floors(ctx, deviceId), await q.shownLanes(ctx, deviceId)]
  const cost = may(ctx, 'product:cost')
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
    costPrice: cost ? lane.costPrice : null,
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
    can: {
      update: open && may(ctx, 'lane:update'),
      merge: open && may(ctx, 'lane:merge'),
      rebuild: open && may(ctx, 'lane:rebuild'),
      clearFault: may(ctx, 'fault:update'),
    },
  }
}

const isClosed = (device: { lifecycle: string }) => device.lifecycle === 'SOLD' || device.lifecycle === 'SCRAPPED'

/** The machine with its lanes locked, at the version the person saw. */
async function open(ctx: Ctx, input: { deviceId: number; version: number }): Promise<{ device: q.Device; all: q.LockedLane[] }> {
  const device = found(await q.device(ctx, input.deviceId))
  if (isClosed(device)) throw new Refusal(laneErrors.closed)
  if (!(await q.nextVersion(ctx, device.id, input.version))) throw new Refusal(common.stale)
  return { device, all: await q.lockAll(ctx, device.id) }
}

/** Counters, log and live screens; every change of lanes ends here. */
async function finish(ctx: Ctx, device: q.Device, before: unknown, after: unknown): Promise<Planogram> {
  await refreshDeviceCounters(ctx, [device.id])
  ctx.audit({ id: device.id, name: device.rtu_number, before, after, orgId: device.org_id })
  ctx.touch('lanes')
  ctx.touch('devices')
  return plan(ctx, device.id)
}

const pickLane = (all: readonly q.LockedLane[], id: number): q.LockedLane => found(all.find((lane) => lane.id === id))

const create: Handlers<Contract>['create'] = async (ctx, input) => {
  const { device, all } = await open(ctx, input)
  if (all.length > 0) throw new Refusal(laneErrors.hasLanes)
  checkLevels(device, input.levels)
  await q.draw(ctx, device, input.levels)
  return finish(ctx, device, undefined, { levels: input.levels })
}

function checkLevels(device: q.Device, levels: Input<Contract['create']>['levels']): void {
  const wrong = levelsRule(levels, { maxLevels: device.max_levels, maxRoads: device.max_roads })
  if (wrong) throw new Refusal(wrong.def, { n: wrong.n }, [{ field: 'levels', text: wrong.def.text }])
}

const update: Handlers<Contract>['update'] = async (ctx, input) => {
  if (new Set(input.lanes.map((patch) => patch.id)).size < input.lanes.length) throw new Refusal(laneErrors.oneProduct)
  const { device, all } = await open(ctx, input)
  const changes = await changedLanes(ctx, device, all, input.lanes)
  const result = all.map((lane) => changes.get(lane.id)?.after ?? lane)
  if (input.lanes.some((patch) => patch.motorNo !== undefined)) {
    const motors = result.filter((lane) => lane.status !== 'MERGED').map((lane) => lane.motorNo)
    if (new Set(motors).size < motors.length) throw new Refusal(laneErrors.motorTaken, {}, [{ field: 'motorNo', text: laneErrors.motorTaken.text }])
  }
  await q.saveLanes(
    ctx,
    [...changes.values()].map((change) => change.after),
  )
  return finish(
    ctx,
    device,
    [...changes.values()].map((change) => change.before),
    [...changes.values()].map((change) => change.after),
  )
}

/** Each patched lane before and after; the first rule that fails names lane and field, and nothing is written. */
async function changedLanes(
  ctx: Ctx,
  device: q.Device,
  all: readonly q.LockedLane[],
  patches: readonly LanePatch[],
): Promise<Map<number, { before: Lane; after: Lane }>> {
  const wanted = patches.map((patch) => ({ patch, lane: pickLane(all, patch.id) }))
  const ids = wanted.map(({ patch, lane }) => (patch.productId === undefined ? lane.productId : patch.productId))
  const products = await q.usableProducts(
    ctx,
    ids.filter((id) => id !== null),
    device.org_id,
  )
  const guard = { kind: device.kind, dispensingMode: device.dispensing_mode }
  return new Map(
    wanted.map(({ patch, lane }, i) => {
      const productId = ids[i] ?? null
      const product = productId === null ? null : found(products.get(productId))
      const after = merged(lane, patch, product)
      const wrong = laneRule(lane, after, product, guard)
      if (wrong) throw new Refusal(wrong.def, {}, [{ field: `lanes.${i}.${wrong.field}`, text: wrong.def.text }])
      return [lane.id, { before: lane, after }]
    }),
  )
}

const merge: Handlers<Contract>['merge'] = async (ctx, input) => {
  const { device, all } = await open(ctx, input)
  const main = pickLane(all, input.mainId)
  const secondaries = [...new Set(input.secondaryIds)].map((id) => pickLane(all, id))
  reject(mergeRule(main, secondaries, all))
  await q.saveLanes(
    ctx,
    secondaries.map((lane) => ({
      ...lane,
      productId: null,
      retailPrice: null,
      price: null,
      warnQty: 0,
      restriction: 0,
      status: 'MERGED' as const,
      mergedInto: main.id,
    })),
  )
  return finish(ctx, device, secondaries, { main: main.roadIndex, merged: secondaries.map((lane) => lane.roadIndex) })
}

const split: Handlers<Contract>['split'] = async (ctx, input) => {
  const { device, all } = await open(ctx, input)
  const main = pickLane(all, input.mainId)
  const capacity = input.roadCapacity ?? main.capacity
  reject(splitRule(main, capacity, all))
  const secondaries = all.filter((lane) => lane.mergedInto === main.id)
  await q.saveLanes(ctx, [
    { ...main, capacity, warnQty: Math.min(main.warnQty, capacity) },
    ...secondaries.map((lane) => ({ ...lane, status: 'DISABLED' as const, mergedInto: null })),
  ])
  return finish(ctx, device, { main: main.roadIndex, capacity: main.capacity }, { split: secondaries.map((lane) => lane.roadIndex), capacity })
}

const rebuild: Handlers<Contract>['rebuild'] = async (ctx, input) => {
  const known = found(await q.device(ctx, input.deviceId))
  if (input.confirmNumber !== known.rtu_number) throw new Refusal(laneErrors.wrongNumber, {}, [{ field: 'confirmNumber', text: laneErrors.wrongNumber.text }])
  checkLevels(known, input.levels)
  const { device, all } = await open(ctx, input)
  if (all.length === 0) throw new Refusal(laneErrors.noLanes)
  const busy = busyLanes(all)
  if (busy.length) throw new Refusal(laneErrors.busyLanes, { lanes: busy.map((lane) => lane.roadIndex).join(' ') })
  await moveStock(
    ctx,
    all
      .filter((lane) => lane.quantity > 0)
      .map((lane) => ({
        laneId: lane.id,
        flow: { change: -lane.quantity, type: 'MERCHANT_WITHDRAW', reason: 'LANE_RESET', occurredAt: ctx.now, actorKind: 'USER', actorId: ctx.actor.userId },
      })),
  )
  await q.archive(ctx, device.id)
  await q.draw(ctx, device, input.levels)
  return finish(ctx, device, { lanes: all }, { levels: input.levels })
}

const clearFault: Handlers<Contract>['clearFault'] = async (ctx, input) => {
  const device = found(await q.device(ctx, input.deviceId))
  const [lane] = await q.lockLanes(ctx, [input.laneId])
  if (lane?.deviceId !== device.id) throw new Refusal(common.notFound)
  await q.closeLaneFaults(ctx, lane.id)
  if ((await q.enableRepaired(ctx, [lane.id])) === 0) throw new Refusal(laneErrors.noFault)
  return finish(ctx, device, { road: lane.roadIndex, status: lane.status }, { road: lane.roadIndex, status: 'ENABLED' })
}

/** For the fault list: a lane whose last fault was handled sells again. */
export async function releaseRepairedLanes(ctx: Ctx, laneIds: readonly number[]): Promise<void> {
  await q.lockLanes(ctx, laneIds)
  await q.enableRepaired(ctx, laneIds)
}

export const handlers: Handlers<Contract> = { plan: (ctx, input) => plan(ctx, input.deviceId), create, update, merge, split, rebuild, clearFault }
