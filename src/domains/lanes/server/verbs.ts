import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found } from '../../../server/context.ts'
import { common, fieldRefusal, Refusal, reject } from '../../../shared/errors.ts'
import { isClosed } from '../../machines/rules.ts'
import { refreshDeviceCounters } from '../../machines/server/counters.ts'
import { unlockLanes } from '../../stock/server/goods.ts'
import { moveStock } from '../../stock/server/move.ts'
import type { LanePatch, Level, lanes } from '../contract.ts'
import { laneErrors } from '../errors.ts'
import { freed, joinedTo, motorsTwice } from '../planogram.ts'
import * as rules from '../rules.ts'
import { finish, logLanes, type Opened, open, pickLane, pickLanes, type Source } from './change.ts'
import * as copying from './copies.ts'
import { noteGuard } from './guard.ts'
import { one, plan } from './plan.ts'
import * as pricing from './prices.ts'
import * as q from './queries.ts'
import * as history from './versions.ts'

type Contract = typeof lanes
type Asked = { deviceId: number; version: number }

/** A verb that makes a version; `work` answers what was and what is, for the log. */
async function saving(
  ctx: Ctx,
  input: Asked,
  source: Source,
  work: (opened: Opened) => Promise<{ before?: unknown; after: unknown }>,
) {
  const opened = await open(ctx, input)
  const { before, after } = await work(opened)
  await finish(ctx, opened, source, before, after)
  return plan(ctx, opened.device.id)
}

function checkLevels(device: q.Device, levels: readonly Level[]): void {
  const wrong = rules.levelsRule(levels, device)
  if (wrong) throw fieldRefusal(wrong.def, 'levels', { n: wrong.n })
}

const create: Handlers<Contract>['create'] = (ctx, input) =>
  saving(ctx, input, 'CREATE', async ({ device, all }) => {
    if (all.length > 0) throw new Refusal(laneErrors.hasLanes)
    checkLevels(device, input.levels)
    await q.draw(ctx, device, input.levels)
    return { after: { levels: input.levels } }
  })

const update: Handlers<Contract>['update'] = async (ctx, input) => {
  const ids = new Set(input.lanes.map((patch) => patch.id))
  if (ids.size < input.lanes.length) throw new Refusal(laneErrors.oneProduct)
  return saving(ctx, input, 'EDIT', async ({ device, all }) => {
    const before = input.lanes.map((patch) => pickLane(all, patch.id))
    const after = await changedLanes(ctx, device, before, input.lanes)
    const others = all.filter((lane) => !ids.has(lane.id))
    if (
      input.lanes.some((patch) => patch.motorNo !== undefined) &&
      motorsTwice([...others, ...after])
    )
      throw fieldRefusal(laneErrors.motorTaken, 'motorNo')
    await q.saveLanes(ctx, after)
    const levels = new Map((await q.floors(ctx, device.id)).map((floor) => [floor.id, floor.level]))
    const floors = input.floors.map(({ id, name }) => ({
      id,
      name: name || rules.floorName(found(levels.get(id))),
    }))
    await q.nameFloors(ctx, floors)
    const named = input.floors.length ? { floors: input.floors } : {}
    return { before: { lanes: before }, after: { lanes: after, ...named } }
  })
}

/** The first rule that fails names lane and field, and nothing is written. */
async function changedLanes(
  ctx: Ctx,
  device: q.Device,
  lanes: readonly q.LockedLane[],
  patches: readonly LanePatch[],
): Promise<rules.Lane[]> {
  const ids = patches.map(({ productId }, i) =>
    productId === undefined ? (lanes[i]?.productId ?? null) : productId,
  )
  const products = await q.usableProducts(ctx, ids, device.orgId)
  const judged = patches.map((patch, i) => {
    const lane = lanes[i] as q.LockedLane
    const productId = ids[i] ?? null
    const product = productId === null ? null : found(products.get(productId))
    const after = rules.merged(lane, patch, product)
    return { lane, product, after, wrong: rules.laneRule(lane, after, product, device) }
  })
  noteGuard(
    ctx,
    device,
    judged.flatMap(({ lane, product, wrong }) => (wrong && product ? { lane, product } : [])),
    'PLACE',
  )
  return judged.map(({ after, wrong }, i) => {
    if (wrong) throw fieldRefusal(wrong.def, `lanes.${i}.${wrong.field}`)
    return after
  })
}

const roadsOf = (lanes: readonly q.LockedLane[]) => lanes.map((lane) => lane.roadIndex)

const merge: Handlers<Contract>['merge'] = (ctx, input) =>
  saving(ctx, input, 'MERGE', async ({ all }) => {
    const main = pickLane(all, input.mainId)
    const others = pickLanes(all, input.secondaryIds)
    reject(rules.mergeRule(main, others, all))
    await q.saveLanes(
      ctx,
      others.map((lane) => joinedTo(main.id, lane)),
    )
    return { before: others, after: { main: main.roadIndex, merged: roadsOf(others) } }
  })

const split: Handlers<Contract>['split'] = (ctx, input) =>
  saving(ctx, input, 'SPLIT', async ({ all }) => {
    const main = pickLane(all, input.mainId)
    const capacity = input.roadCapacity ?? main.capacity
    reject(rules.splitRule(main, capacity, all))
    const others = all.filter((lane) => lane.mergedInto === main.id)
    const narrow = { ...main, capacity, warnQty: Math.min(main.warnQty, capacity) }
    await q.saveLanes(ctx, [narrow, ...others.map(freed)])
    return {
      before: { main: main.roadIndex, capacity: main.capacity },
      after: { split: roadsOf(others), capacity },
    }
  })

const rebuild: Handlers<Contract>['rebuild'] = async (ctx, input) => {
  const known = found(await q.device(ctx, input.deviceId))
  if (input.confirmNumber !== known.rtuNumber)
    throw fieldRefusal(laneErrors.wrongNumber, 'confirmNumber')
  checkLevels(known, input.levels)
  return saving(ctx, input, 'REBUILD', async ({ device, all }) => {
    if (all.length === 0) throw new Refusal(laneErrors.noLanes)
    if (await q.copyRunning(ctx, device.id)) throw new Refusal(laneErrors.copyRunning)
    const busy = rules.busyLanes(all)
    if (busy.length) throw new Refusal(laneErrors.busyLanes, { lanes: roadsOf(busy).join(' ') })
    const flow = {
      type: 'MERCHANT_WITHDRAW',
      reason: 'LANE_RESET',
      occurredAt: ctx.now,
      actorKind: 'USER',
      actorId: ctx.actor.userId,
    } as const
    const filled = all.filter((lane) => lane.quantity > 0)
    await moveStock(
      ctx,
      filled.map((lane) => ({ laneId: lane.id, flow: { ...flow, change: -lane.quantity } })),
    )
    await q.archive(ctx, device.id)
    await q.draw(ctx, device, input.levels)
    return { before: { lanes: all }, after: { levels: input.levels } }
  })
}

/** What a lane can do changed, not its settings: no version. */
async function conditionChanged(ctx: Ctx, device: q.Device, before: unknown, after: unknown) {
  refreshDeviceCounters(ctx, [device.id])
  logLanes(ctx, device, after, before)
  ctx.touch('lanes')
  ctx.touch('devices')
  return plan(ctx, device.id)
}
const condition = ({ roadIndex, status }: q.LockedLane) => ({ road: roadIndex, status })

const clearFault: Handlers<Contract>['clearFault'] = async (ctx, input) => {
  const device = found(await q.device(ctx, input.deviceId))
  const [lane] = await q.lockLanes(ctx, [input.laneId])
  if (lane?.deviceId !== device.id) throw new Refusal(common.notFound)
  await q.closeLaneFaults(ctx, lane.id)
  if ((await q.enableRepaired(ctx, [lane.id])) === 0) throw new Refusal(laneErrors.noFault)
  const before = condition(lane)
  return conditionChanged(ctx, device, before, { ...before, status: 'ENABLED' })
}

async function chosenLanes(ctx: Ctx, input: Asked & { laneIds: readonly number[] }) {
  const device = found(await q.device(ctx, input.deviceId))
  if (isClosed(device)) throw new Refusal(laneErrors.closed)
  if (device.planogramVersion !== input.version) throw new Refusal(common.stale)
  return { device, chosen: pickLanes(await q.lockAll(ctx, device.id), input.laneIds) }
}

const lock: Handlers<Contract>['lock'] = async (ctx, input) => {
  const { device, chosen } = await chosenLanes(ctx, input)
  const wrong = chosen.filter((lane) => lane.status === 'MERGED' || lane.status === 'LOCKED')
  if (wrong.length) throw new Refusal(laneErrors.notLockable, { lanes: roadsOf(wrong).join(' ') })
  const { laneIds, reason } = input
  await q.lockByHand(ctx, laneIds, `${rules.handLock}${reason}`)
  const after = { roads: roadsOf(chosen), status: 'LOCKED', reason }
  return conditionChanged(ctx, device, chosen.map(condition), after)
}

const unlock: Handlers<Contract>['unlock'] = async (ctx, input) => {
  const { device, chosen } = await chosenLanes(ctx, input)
  if (!chosen.every(rules.isHandLock)) throw new Refusal(laneErrors.notLocked)
  await unlockLanes(ctx, input.laneIds)
  const before = chosen.map((lane) => ({ ...condition(lane), reason: lane.lockReason }))
  return conditionChanged(ctx, device, before, { roads: roadsOf(chosen), status: 'ENABLED' })
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
