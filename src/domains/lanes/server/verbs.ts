import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found } from '../../../server/context.ts'
import type { Input } from '../../../shared/contract.ts'
import { common, fieldRefusal, Refusal, reject } from '../../../shared/errors.ts'
import { isClosed } from '../../machines/rules.ts'
import { refreshDeviceCounters } from '../../machines/server/counters.ts'
import { moveStock } from '../../stock/server/move.ts'
import type { LanePatch, lanes } from '../contract.ts'
import { laneErrors } from '../errors.ts'
import { cleared } from '../planogram.ts'
import {
  busyLanes,
  floorName,
  handLock,
  isHandLock,
  type Lane,
  laneRule,
  levelsRule,
  merged,
  mergeRule,
  splitRule,
} from '../rules.ts'
import { finish, open, pickLane } from './change.ts'
import * as copying from './copies.ts'
import { one, plan } from './plan.ts'
import * as pricing from './prices.ts'
import * as q from './queries.ts'
import * as history from './versions.ts'

type Contract = typeof lanes

const create: Handlers<Contract>['create'] = async (ctx, input) => {
  const opened = await open(ctx, input)
  const { device, all } = opened
  if (all.length > 0) throw new Refusal(laneErrors.hasLanes)
  checkLevels(device, input.levels)
  await q.draw(ctx, device, input.levels)
  await finish(ctx, opened, 'CREATE', undefined, { levels: input.levels })
  return plan(ctx, device.id)
}

function checkLevels(device: q.Device, levels: Input<Contract['create']>['levels']): void {
  const wrong = levelsRule(levels, device)
  if (wrong) throw fieldRefusal(wrong.def, 'levels', { n: wrong.n })
}

const update: Handlers<Contract>['update'] = async (ctx, input) => {
  if (new Set(input.lanes.map((patch) => patch.id)).size < input.lanes.length)
    throw new Refusal(laneErrors.oneProduct)
  const opened = await open(ctx, input)
  const { device, all } = opened
  const changes = [...(await changedLanes(ctx, device, all, input.lanes)).values()]
  const known = new Map(changes.map(({ after }) => [after.id, after]))
  if (input.lanes.some((patch) => patch.motorNo !== undefined)) {
    const motors = all
      .map((lane) => known.get(lane.id) ?? lane)
      .flatMap((lane) => (lane.status === 'MERGED' ? [] : [lane.motorNo]))
    if (new Set(motors).size < motors.length) throw fieldRefusal(laneErrors.motorTaken, 'motorNo')
  }
  await q.saveLanes(ctx, [...known.values()])
  const levels = new Map((await q.floors(ctx, device.id)).map((floor) => [floor.id, floor.level]))
  const floors = input.floors.map(({ id, name }) => ({
    id,
    name: name || floorName(found(levels.get(id))),
  }))
  await q.nameFloors(ctx, floors)
  const named = input.floors.length ? { floors: input.floors } : {}
  await finish(
    ctx,
    opened,
    'EDIT',
    { lanes: changes.map((change) => change.before) },
    { lanes: changes.map((change) => change.after), ...named },
  )
  return plan(ctx, device.id)
}

/**
 * Each patched lane before and after; the first rule that fails names lane and field, and nothing
 * is written.
 */
async function changedLanes(
  ctx: Ctx,
  device: q.Device,
  all: readonly q.LockedLane[],
  patches: readonly LanePatch[],
): Promise<Map<number, { before: Lane; after: Lane }>> {
  const wanted = patches.map((patch) => ({ patch, lane: pickLane(all, patch.id) }))
  const ids = wanted.map(({ patch, lane }) =>
    patch.productId === undefined ? lane.productId : patch.productId,
  )
  const products = await q.usableProducts(
    ctx,
    ids.filter((id) => id !== null),
    device.orgId,
  )
  return new Map(
    wanted.map(({ patch, lane }, i) => {
      const productId = ids[i] ?? null
      const product = productId === null ? null : found(products.get(productId))
      const after = merged(lane, patch, product)
      const wrong = laneRule(lane, after, product, device)
      if (wrong) throw fieldRefusal(wrong.def, `lanes.${i}.${wrong.field}`)
      return [lane.id, { before: lane, after }]
    }),
  )
}

const merge: Handlers<Contract>['merge'] = async (ctx, input) => {
  const opened = await open(ctx, input)
  const { device, all } = opened
  const main = pickLane(all, input.mainId)
  const secondaries = [...new Set(input.secondaryIds)].map((id) => pickLane(all, id))
  reject(mergeRule(main, secondaries, all))
  const joined = secondaries.map((lane) => ({
    ...lane,
    ...cleared,
    status: 'MERGED' as const,
    mergedInto: main.id,
  }))
  await q.saveLanes(ctx, joined)
  await finish(ctx, opened, 'MERGE', secondaries, {
    main: main.roadIndex,
    merged: secondaries.map((lane) => lane.roadIndex),
  })
  return plan(ctx, device.id)
}

const split: Handlers<Contract>['split'] = async (ctx, input) => {
  const opened = await open(ctx, input)
  const { device, all } = opened
  const main = pickLane(all, input.mainId)
  const capacity = input.roadCapacity ?? main.capacity
  reject(splitRule(main, capacity, all))
  const secondaries = all.filter((lane) => lane.mergedInto === main.id)
  await q.saveLanes(ctx, [
    { ...main, capacity, warnQty: Math.min(main.warnQty, capacity) },
    ...secondaries.map((lane) => ({ ...lane, status: 'DISABLED' as const, mergedInto: null })),
  ])
  const roads = secondaries.map((lane) => lane.roadIndex)
  await finish(
    ctx,
    opened,
    'SPLIT',
    { main: main.roadIndex, capacity: main.capacity },
    { split: roads, capacity },
  )
  return plan(ctx, device.id)
}

const rebuild: Handlers<Contract>['rebuild'] = async (ctx, input) => {
  const known = found(await q.device(ctx, input.deviceId))
  if (input.confirmNumber !== known.rtuNumber)
    throw fieldRefusal(laneErrors.wrongNumber, 'confirmNumber')
  checkLevels(known, input.levels)
  const opened = await open(ctx, input)
  const { device, all } = opened
  if (all.length === 0) throw new Refusal(laneErrors.noLanes)
  if (await q.copyRunning(ctx, device.id)) throw new Refusal(laneErrors.copyRunning)
  const busy = busyLanes(all)
  if (busy.length)
    throw new Refusal(laneErrors.busyLanes, { lanes: busy.map((lane) => lane.roadIndex).join(' ') })
  const flow = {
    type: 'MERCHANT_WITHDRAW',
    reason: 'LANE_RESET',
    occurredAt: ctx.now,
    actorKind: 'USER',
    actorId: ctx.actor.userId,
  } as const
  const filled = all.filter((lane) => lane.quantity > 0)
  const moves = filled.map((lane) => ({
    laneId: lane.id,
    flow: { ...flow, change: -lane.quantity },
  }))
  await moveStock(ctx, moves)
  await q.archive(ctx, device.id)
  await q.draw(ctx, device, input.levels)
  await finish(ctx, opened, 'REBUILD', { lanes: all }, { levels: input.levels })
  return plan(ctx, device.id)
}

/** What a lane can do changed, not its settings: no version. */
async function conditionChanged(ctx: Ctx, device: q.Device, before: unknown, after: unknown) {
  refreshDeviceCounters(ctx, [device.id])
  ctx.audit({ id: device.id, name: device.rtuNumber, before, after, orgId: device.orgId })
  ctx.touch('lanes')
  ctx.touch('devices')
  return plan(ctx, device.id)
}

const clearFault: Handlers<Contract>['clearFault'] = async (ctx, input) => {
  const device = found(await q.device(ctx, input.deviceId))
  const [lane] = await q.lockLanes(ctx, [input.laneId])
  if (lane?.deviceId !== device.id) throw new Refusal(common.notFound)
  await q.closeLaneFaults(ctx, lane.id)
  if ((await q.enableRepaired(ctx, [lane.id])) === 0) throw new Refusal(laneErrors.noFault)
  return conditionChanged(
    ctx,
    device,
    { road: lane.roadIndex, status: lane.status },
    { road: lane.roadIndex, status: 'ENABLED' },
  )
}

async function chosenLanes(
  ctx: Ctx,
  input: { deviceId: number; version: number; laneIds: readonly number[] },
) {
  const device = found(await q.device(ctx, input.deviceId))
  if (isClosed(device)) throw new Refusal(laneErrors.closed)
  if (device.planogramVersion !== input.version) throw new Refusal(common.stale)
  const all = await q.lockAll(ctx, device.id)
  return { device, lanes: [...new Set(input.laneIds)].map((id) => pickLane(all, id)) }
}
const roadsIn = (lanes: readonly q.LockedLane[]) => lanes.map((lane) => lane.roadIndex)

const lock: Handlers<Contract>['lock'] = async (ctx, input) => {
  const { device, lanes: chosen } = await chosenLanes(ctx, input)
  const wrong = chosen.filter((lane) => lane.status === 'MERGED' || lane.status === 'LOCKED')
  if (wrong.length) throw new Refusal(laneErrors.notLockable, { lanes: roadsIn(wrong).join(' ') })
  await q.lockByHand(ctx, input.laneIds, `${handLock}${input.reason}`)
  return conditionChanged(
    ctx,
    device,
    chosen.map((lane) => ({ road: lane.roadIndex, status: lane.status })),
    { roads: roadsIn(chosen), status: 'LOCKED', reason: input.reason },
  )
}

const unlock: Handlers<Contract>['unlock'] = async (ctx, input) => {
  const { device, lanes: chosen } = await chosenLanes(ctx, input)
  if (!chosen.every(isHandLock)) throw new Refusal(laneErrors.notLocked)
  await q.unlockByHand(ctx, input.laneIds)
  return conditionChanged(
    ctx,
    device,
    chosen.map((lane) => ({ road: lane.roadIndex, status: lane.status, reason: lane.lockReason })),
    { roads: roadsIn(chosen), status: 'ENABLED' },
  )
}

export const handlers: Handlers<Contract> = {
  plan: (ctx, input) => plan(ctx, input.deviceId),
  one: (ctx, input) => one(ctx, input.laneId),
  create,
  update,
  merge,
  split,
  rebuild,
  clearFault,
  lock,
  unlock,
  ...history.handlers,
  ...copying.handlers,
  ...pricing.handlers,
}
