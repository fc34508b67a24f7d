import type { ErrorDef } from '../../shared/errors.ts'
import type { LanePatch } from './contract.ts'
import type { copyParts } from './copyContract.ts'
import { laneErrors, skips } from './errors.ts'
import { type Lane, laneRule, merged, mergeRule, type Product } from './rules.ts'
import type { Change } from './versionContract.ts'

/**
 * The settings of a machine's lanes as a version keeps them: no stock, no faults; lanes are named
 * by road, so that they fit another machine.
 */
export type DocLane = {
  road: number
  level: number
  col: number
  motorNo: number
  productId: number | null
  productName: string | null
  capacity: number
  warnQty: number
  retailPrice: number | null
  price: number | null
  restriction: number
  status: 'ENABLED' | 'DISABLED' | 'MERGED'
  /** Road of the main lane. */
  mergedInto: number | null
}
export type Doc = { floors: { level: number; name: string }[]; lanes: DocLane[] }

export const changeFields = [
  'added',
  'removed',
  'levelName',
  'productId',
  'price',
  'retailPrice',
  'capacity',
  'warnQty',
  'restriction',
  'status',
  'mergedInto',
  'motorNo',
] as const

const plain = [
  'price',
  'retailPrice',
  'capacity',
  'warnQty',
  'restriction',
  'status',
  'mergedInto',
  'motorNo',
] as const

export function diffDocs(before: Doc, after: Doc): Change[] {
  const changes: Change[] = []
  const names = new Map(before.floors.map((floor) => [floor.level, floor.name]))
  for (const { level, name } of after.floors) {
    if (names.has(level) && names.get(level) !== name)
      changes.push({
        road: null,
        level,
        field: 'levelName',
        from: names.get(level) ?? null,
        to: name,
      })
  }
  const old = new Map(before.lanes.map((lane) => [lane.road, lane]))
  const now = new Map(after.lanes.map((lane) => [lane.road, lane]))
  for (const lane of after.lanes) {
    const was = old.get(lane.road)
    const at = { road: lane.road, level: lane.level }
    if (!was) {
      changes.push({ ...at, field: 'added', from: null, to: lane.productName })
      continue
    }
    if (was.productId !== lane.productId)
      changes.push({ ...at, field: 'productId', from: was.productName, to: lane.productName })
    for (const field of plain)
      if (was[field] !== lane[field])
        changes.push({ ...at, field, from: was[field], to: lane[field] })
  }
  for (const lane of before.lanes)
    if (!now.has(lane.road))
      changes.push({
        road: lane.road,
        level: lane.level,
        field: 'removed',
        from: lane.productName,
        to: null,
      })
  return changes
}

/** A live lane of the machine that settings arrive at. */
export type Placed = Lane & { roadIndex: number; level: number }
export type Target = {
  lanes: readonly Placed[]
  products: ReadonlyMap<number, Product>
  kind: string
  dispensingMode: string | null
}
export type Skip = { road: number; reason: string }
/** What would happen: lanes that change, roads that are so already, and what stays and why. */
export type Plan = { changed: Lane[]; same: number[]; skipped: Skip[] }

const settings = [
  'motorNo',
  'productId',
  'capacity',
  'warnQty',
  'retailPrice',
  'price',
  'restriction',
  'status',
  'mergedInto',
] as const
const equal = (a: Lane, b: Lane) => settings.every((key) => a[key] === b[key])

/** Why a lane cannot take what arrives; a change of product says which stock is in the way. */
function reasonOf(def: ErrorDef, lane: Lane): string {
  if (def !== laneErrors.notEmpty) return def.text
  return lane.reserved || lane.failedHold ? skips.holds : skips.otherStock
}

type Attempt = { after: Lane } | { reason: string }
function attempt(lane: Lane, patch: Omit<LanePatch, 'id'>, target: Target): Attempt {
  const productId = patch.productId === undefined ? lane.productId : patch.productId
  const product = productId === null ? null : target.products.get(productId)
  if (product === undefined) return { reason: skips.notUsable }
  const after = merged(lane, { id: lane.id, ...patch }, product)
  const wrong = laneRule(lane, after, product, target)
  return wrong ? { reason: reasonOf(wrong.def, lane) } : { after }
}

export type Part = (typeof copyParts)[number]
const widths = (lanes: readonly { id: number; mergedInto: number | null }[]) =>
  Map.groupBy(lanes, (lane) => lane.mergedInto)

/**
 * Settings of `doc` for the lanes of another machine; `byPlace` matches level and column instead of
 * the number, for lanes drawn after it.
 */
export function copyPlan(doc: Doc, target: Target, parts: readonly Part[], byPlace = false): Plan {
  const plan: Plan = { changed: [], same: [], skipped: [] }
  const key = byPlace
    ? (lane: { level: number; col: number }) => `${lane.level}.${lane.col}`
    : undefined
  const places = new Map(
    target.lanes.map((lane) => [key ? key(lane) : String(lane.roadIndex), lane]),
  )
  const joined = widths(target.lanes)
  for (const source of doc.lanes) {
    if (source.status === 'MERGED') continue
    const lane = places.get(key ? key(source) : String(source.road))
    const skip = (reason: string) => plan.skipped.push({ road: source.road, reason })
    if (!lane) skip(skips.noLane)
    else if (lane.status === 'MERGED') skip(skips.secondary)
    else if (
      (joined.get(lane.id)?.length ?? 0) !==
      doc.lanes.filter((other) => other.mergedInto === source.road).length
    )
      skip(skips.otherWidth)
    else if (
      parts.includes('price') &&
      !parts.includes('product') &&
      lane.productId !== source.productId
    )
      skip(skips.otherProduct)
    else {
      const found = attempt(lane, copied(source, parts), target)
      if ('reason' in found) skip(found.reason)
      else if (equal(lane, found.after)) plan.same.push(lane.roadIndex)
      else plan.changed.push(found.after)
    }
  }
  return plan
}

const copiedFields = ['price', 'retailPrice', 'capacity', 'warnQty', 'restriction'] as const
/** What a copy changes in the lanes of a machine, in the words of a comparison. */
export function laneChanges(
  lanes: readonly Placed[],
  changed: readonly Lane[],
  names: ReadonlyMap<number, string>,
): Change[] {
  const name = (id: number | null) => (id === null ? null : (names.get(id) ?? null))
  const after = new Map(changed.map((lane) => [lane.id, lane]))
  return lanes.flatMap((was): Change[] => {
    const now = after.get(was.id)
    if (!now) return []
    const at = { road: was.roadIndex, level: was.level }
    const product =
      was.productId === now.productId
        ? []
        : [
            {
              ...at,
              field: 'productId' as const,
              from: name(was.productId),
              to: name(now.productId),
            },
          ]
    return [
      ...product,
      ...copiedFields
        .filter((key) => was[key] !== now[key])
        .map((field) => ({ ...at, field, from: was[field], to: now[field] })),
    ]
  })
}

function copied(source: DocLane, parts: readonly Part[]): Omit<LanePatch, 'id'> {
  const priced = parts.includes('price') && source.price !== null && source.retailPrice !== null
  return {
    ...(parts.includes('product') ? { productId: source.productId } : {}),
    ...(priced ? { price: source.price as number, retailPrice: source.retailPrice as number } : {}),
    ...(parts.includes('capacity') ? { roadCapacity: source.capacity } : {}),
    ...(parts.includes('warnQty') ? { warnQty: source.warnQty } : {}),
    ...(parts.includes('restriction') ? { restriction: source.restriction } : {}),
  }
}

/**
 * The machine as `doc` had it, as far as it may go there: joins first, then every lane by the rules
 * of an edit.
 */
export function restorePlan(doc: Doc, target: Target): Plan {
  const skipped: Skip[] = []
  const { lanes, failed } = rejoined(doc, target.lanes)
  for (const { road, reason } of failed) skipped.push({ road, reason })
  const named = new Map(doc.lanes.map((lane) => [lane.road, lane]))
  const live = new Set(target.lanes.map((lane) => lane.roadIndex))
  for (const { road } of doc.lanes)
    if (!live.has(road)) skipped.push({ road, reason: skips.noLane })
  const results = lanes.map((lane): Placed => {
    const wanted = named.get(lane.roadIndex)
    if (!wanted) skipped.push({ road: lane.roadIndex, reason: skips.notInVersion })
    if (!wanted || wanted.status === 'MERGED' || lane.status === 'MERGED') return lane
    const found = attempt(lane, restored(wanted, lane), target)
    if ('after' in found) return { ...lane, ...found.after }
    if (!failed.some((other) => other.road === lane.roadIndex))
      skipped.push({ road: lane.roadIndex, reason: found.reason })
    return lane
  })
  const after = ownMotors(results, target.lanes)
  const before = new Map(target.lanes.map((lane) => [lane.id, lane]))
  const same = (lane: Placed) => equal(lane, before.get(lane.id) as Placed)
  const refused = new Set(skipped.map(({ road }) => road))
  return {
    changed: after.filter((lane) => !same(lane)),
    same: after
      .filter((lane) => same(lane) && !refused.has(lane.roadIndex))
      .map((lane) => lane.roadIndex),
    skipped: skipped.sort((a, b) => a.road - b.road),
  }
}

const switchable = (status: string) => status === 'ENABLED' || status === 'DISABLED'
const restored = (wanted: DocLane, lane: Lane): Omit<LanePatch, 'id'> => ({
  productId: wanted.productId,
  ...(wanted.price === null || wanted.retailPrice === null
    ? {}
    : { price: wanted.price, retailPrice: wanted.retailPrice }),
  roadCapacity: wanted.capacity,
  warnQty: wanted.warnQty,
  restriction: wanted.restriction,
  motorNo: wanted.motorNo,
  // a fault or a lock is not a setting: it stays
  ...(wanted.status !== 'MERGED' && switchable(lane.status) ? { status: wanted.status } : {}),
})

/** Settings of a lane that sells nothing by itself. */
export const cleared = {
  productId: null,
  retailPrice: null,
  price: null,
  warnQty: 0,
  restriction: 0,
}

/**
 * Lanes taken apart and joined as `doc` says; a join that may not be leaves everything it touches
 * as it is.
 */
function rejoined(doc: Doc, present: readonly Placed[]): { lanes: Placed[]; failed: Skip[] } {
  const failed: Skip[] = []
  const road = new Map(present.map((lane) => [lane.roadIndex, lane]))
  const wanted = Map.groupBy(
    doc.lanes.filter(
      (lane) => lane.mergedInto !== null && road.has(lane.road) && road.has(lane.mergedInto),
    ),
    (lane) => (road.get(lane.mergedInto as number) as Placed).id,
  )
  const ids = (lanes: readonly DocLane[]) =>
    lanes.map((lane) => (road.get(lane.road) as Placed).id).sort((a, b) => a - b)
  const groups = new Map(
    [...widths(present)]
      .filter(([main]) => main !== null)
      .map(([main, others]) => [main as number, others.map((lane) => lane.id)]),
  )
  const asWanted = (main: number) =>
    groups
      .get(main)
      ?.toSorted((a, b) => a - b)
      .join() === ids(wanted.get(main) ?? []).join()
  const apart = (lanes: Placed[], mains: ReadonlySet<number>) =>
    lanes.map((lane) =>
      lane.mergedInto !== null && mains.has(lane.mergedInto)
        ? { ...lane, ...cleared, status: 'DISABLED' as const, mergedInto: null }
        : lane,
    )
  let lanes = [...present]
  const kept = new Set([...groups.keys()].filter(asWanted))
  for (const [main, docLanes] of wanted) {
    if (kept.has(main)) continue
    const members = new Set([main, ...ids(docLanes)])
    const touched = new Set(
      [...groups]
        .filter(
          ([other, rest]) => !kept.has(other) && [other, ...rest].some((id) => members.has(id)),
        )
        .map(([other]) => other),
    )
    const scratch = apart(lanes, touched)
    const of = (id: number) => scratch.find((lane) => lane.id === id) as Placed
    const wrong = mergeRule(of(main), ids(docLanes).map(of), scratch)
    if (wrong) {
      for (const { road: at } of docLanes) failed.push({ road: at, reason: wrong.text })
      for (const other of touched) kept.add(other)
    } else
      lanes = scratch.map((lane) =>
        lane.id !== main && members.has(lane.id)
          ? { ...lane, ...cleared, status: 'MERGED' as const, mergedInto: main }
          : lane,
      )
  }
  return {
    lanes: apart(
      lanes,
      new Set([...groups.keys()].filter((main) => !kept.has(main) && !wanted.has(main))),
    ),
    failed,
  }
}

/** Motors as they were when the wanted ones would be used twice. */
function ownMotors(lanes: Placed[], present: readonly Placed[]): Placed[] {
  const motors = lanes.filter((lane) => lane.status !== 'MERGED').map((lane) => lane.motorNo)
  if (new Set(motors).size === motors.length) return lanes
  const before = new Map(present.map((lane) => [lane.id, lane.motorNo]))
  return lanes.map((lane) => ({ ...lane, motorNo: before.get(lane.id) ?? lane.motorNo }))
}

export type PriceChange = { mode: 'SET' | 'YUAN' | 'PERCENT'; value: number; alsoRetail: boolean }

/** `value` is fen, for PERCENT tenths of a percent; shares are rounded to ten fen, half up. */
export function changedPrice(fen: number, { mode, value }: PriceChange): number {
  if (mode === 'SET') return value
  return mode === 'YUAN' ? fen + value : Math.round((fen * (1000 + value)) / 10_000) * 10
}
