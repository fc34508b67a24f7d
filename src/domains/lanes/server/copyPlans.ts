import { type Ctx, found } from '../../../server/context.ts'
import { fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { isClosed } from '../../machines/rules.ts'
import type { Level } from '../contract.ts'
import { laneErrors, skips } from '../errors.ts'
import { copyPlan, type Doc, type Part, type Placed, type Plan } from '../planogram.ts'
import { levelsRule, type Product } from '../rules.ts'
import { docOf } from './documents.ts'
import * as q from './queries.ts'

export type Wanted = { doc: Doc; parts: readonly Part[]; layout: 'SAME' | 'CREATE' }
/** What a copy does to one machine: `problem` leaves it alone, `creates` draws its lanes first. */
type MachinePlan = { problem: string; creates: boolean; plan: Plan; lanes: readonly Placed[] }
const newCapacity = 8

/** Levels to draw for a machine without lanes, like those of the source. */
export const levelsOf = (doc: Doc): Level[] =>
  doc.floors.map(({ level, name }) => ({
    name,
    columns: Math.max(...doc.lanes.filter((lane) => lane.level === level).map((lane) => lane.col)),
    roadCapacity: newCapacity,
  }))

/** Empty lanes as they will be drawn, before they have ids. */
function drawn(doc: Doc): Placed[] {
  const ids = new Map(doc.lanes.map((lane, i) => [lane.road, -1 - i]))
  const idOf = (road: number) => ids.get(road) as number
  return doc.lanes.map(({ road, level, col, motorNo, status, mergedInto }) => ({
    id: idOf(road),
    roadIndex: road,
    floorId: level,
    level,
    col,
    motorNo,
    productId: null,
    capacity: newCapacity,
    quantity: 0,
    reserved: 0,
    failedHold: 0,
    warnQty: 0,
    retailPrice: null,
    price: null,
    restriction: 0,
    status: status === 'MERGED' ? 'MERGED' : 'ENABLED',
    mergedInto: mergedInto === null ? null : idOf(mergedInto),
  }))
}

/** `byPlace`: the lanes were drawn after those of the source, so level and column match them. */
export function machinePlan(
  device: q.Device,
  lanes: readonly Placed[],
  products: ReadonlyMap<number, Product>,
  { doc, parts, layout }: Wanted,
  byPlace = false,
): MachinePlan {
  const creates = lanes.length === 0
  const present = creates ? drawn(doc) : lanes
  const problem = isClosed(device)
    ? skips.closed
    : creates && layout === 'SAME'
      ? skips.noLanes
      : creates && levelsRule(levelsOf(doc), device)
        ? skips.tooSmall
        : ''
  if (problem)
    return { problem, creates: false, plan: { changed: [], same: [], skipped: [] }, lanes: [] }
  const plan = copyPlan(doc, { ...device, lanes: present, products }, parts, creates || byPlace)
  return { problem, creates, plan, lanes: present }
}

/**
 * Products that lanes and document speak of, as the owner of each machine may use them: one
 * question per owner.
 */
export async function productsByOwner(
  ctx: Ctx,
  devices: readonly q.Device[],
  lanes: ReadonlyMap<number, readonly Placed[]>,
  doc: Doc,
): Promise<Map<number, ReadonlyMap<number, Product>>> {
  const found = new Map<number, ReadonlyMap<number, Product>>()
  for (const [owner, own] of Map.groupBy(devices, (device) => device.orgId)) {
    const present = own.flatMap((device) => lanes.get(device.id) ?? [])
    const ids = [...doc.lanes, ...present].map((lane) => lane.productId)
    found.set(owner, await q.usableProducts(ctx, ids, owner))
  }
  return found
}

/** Source and targets a person named; the source itself is no target. */
export async function copyParties(
  ctx: Ctx,
  { deviceId, targetIds }: { deviceId: number; targetIds: readonly number[] },
): Promise<{ device: q.Device; doc: Doc; targets: q.Device[] }> {
  const device = found(await q.device(ctx, deviceId))
  const devices = await q.devicesOf(ctx, targetIds)
  const targets = [...new Set(targetIds)]
    .map((id) => found(devices.get(id)))
    .filter((target) => target.id !== device.id)
  if (targets.length === 0) throw fieldRefusal(laneErrors.noTarget, 'targetIds')
  const doc = await docOf(ctx, device.id)
  if (doc.lanes.length === 0) throw new Refusal(laneErrors.noLanes)
  return { device, doc, targets }
}
