import type { Place } from '../drug-guard/rules.ts'
import type { LanePatch } from './contract.ts'
import type { copyParts } from './copyContract.ts'
import { laneErrors, skips } from './errors.ts'
import { type Lane, laneRule, merged, mergeRule, type Product, switchable } from './rules.ts'
import type { Change } from './versionContract.ts'

/**
 * The settings of a machine's lanes as a version keeps them: no stock, no faults; lanes are named
 * by road, so that they fit another machine.
 */
export type DocLane = Pick<Lane, (typeof settings)[number] | 'col' | 'productId'> & {
  road: number
  level: number
  productName: string | null
  status: 'ENABLED' | 'DISABLED' | 'MERGED'
  /** Road of the main lane. */
  mergedInto: number | null
}
export type Doc = { floors: { level: number; name: string }[]; lanes: DocLane[] }

const settings = [
  'price',
  'retailPrice',
  'capacity',
  'warnQty',
  'restriction',
  'status',
  'mergedInto',
  'motorNo',
] as const
export const changeFields = ['added', 'removed', 'levelName', 'productId', ...settings] as const

type Named = Pick<Lane, (typeof settings)[number] | 'productId'> & { productName: string | null }
function laneDiff(at: Pick<Change, 'road' | 'level'>, was: Named, now: Named): Change[] {
  const changes: Change[] = settings
    .filter((field) => was[field] !== now[field])
    .map((field) => ({ ...at, field, from: was[field], to: now[field] }))
  if (was.productId !== now.productId)
    changes.unshift({ ...at, field: 'productId', from: was.productName, to: now.productName })
  return changes
}

export function diffDocs(before: Doc, after: Doc): Change[] {
  const names = new Map(before.floors.map((floor) => [floor.level, floor.name]))
  const old = new Map(before.lanes.map((lane) => [lane.road, lane]))
  const now = new Set(after.lanes.map((lane) => lane.road))
  const renamed = after.floors.flatMap(({ level, name }): Change[] => {
    const from = names.get(level)
    return from === undefined || from === name
      ? []
      : [{ road: null, level, field: 'levelName', from, to: name }]
  })
  const changed = after.lanes.flatMap((lane): Change[] => {
    const { road, level, productName } = lane
    const was = old.get(road)
    return was
      ? laneDiff({ road, level }, was, lane)
      : [{ road, level, field: 'added', from: null, to: productName }]
  })
  const removed = before.lanes.flatMap(({ road, level, productName }): Change[] =>
    now.has(road) ? [] : [{ road, level, field: 'removed', from: productName, to: null }],
  )
  return [...renamed, ...changed, ...removed]
}

/** What a copy changes in the lanes of a machine, in the words of a comparison. */
export function laneChanges(
  lanes: readonly Placed[],
  changed: readonly Placed[],
  names: ReadonlyMap<number, string>,
): Change[] {
  const before = new Map(lanes.map((lane) => [lane.id, lane]))
  const named = (lane: Placed) => ({
    ...lane,
    productName: lane.productId === null ? null : (names.get(lane.productId) ?? null),
  })
  return changed.flatMap((lane) =>
    laneDiff(
      { road: lane.roadIndex, level: lane.level },
      named(before.get(lane.id) as Placed),
      named(lane),
    ),
  )
}

/** A live lane of the machine that settings arrive at. */
export type Placed = Lane & { roadIndex: number; level: number }
export type Target = {
  lanes: readonly Placed[]
  products: ReadonlyMap<number, Product>
} & Place
export type Skip = { road: number; reason: string }
/** What would happen: lanes that change, roads that are so already, and what stays and why. */
export type Plan = { changed: Placed[]; same: number[]; skipped: Skip[] }

const equal = (a: Lane, b: Lane) =>
  a.productId === b.productId && settings.every((key) => a[key] === b[key])

/** The lane with other settings, or why it cannot take what arrives. */
function attempt(lane: Placed, patch: Omit<LanePatch, 'id'>, target: Target): Placed | string {
  const productId = patch.productId === undefined ? lane.productId : patch.productId
  const product = productId === null ? null : target.products.get(productId)
  if (product === undefined) return skips.notUsable
  const after = merged(lane, { id: lane.id, ...patch }, product)
  const wrong = laneRule(lane, after, product, target)
  if (!wrong) return after
  if (wrong.def !== laneErrors.notEmpty) return wrong.def.text
  // a change of product says which stock is in the way
  return lane.reserved || lane.failedHold ? skips.holds : skips.otherStock
}

export type Part = (typeof copyParts)[number]
const patchOf = (source: DocLane, parts: readonly Part[]): Omit<LanePatch, 'id'> => ({
  ...(parts.includes('product') ? { productId: source.productId } : {}),
  ...(parts.includes('price') && source.price !== null && source.retailPrice !== null
    ? { price: source.price, retailPrice: source.retailPrice }
    : {}),
  ...(parts.includes('capacity') ? { roadCapacity: source.capacity } : {}),
  ...(parts.includes('warnQty') ? { warnQty: source.warnQty } : {}),
  ...(parts.includes('restriction') ? { restriction: source.restriction } : {}),
})

/**
 * Settings of `doc` for the lanes of another machine; `byPlace` matches level and column instead of
 * the number, for lanes drawn after it.
 */
export function copyPlan(doc: Doc, target: Target, parts: readonly Part[], byPlace = false): Plan {
  const plan: Plan = { changed: [], same: [], skipped: [] }
  const place = (road: number, { level, col }: { level: number; col: number }) =>
    byPlace ? `${level}.${col}` : String(road)
  const places = new Map(target.lanes.map((lane) => [place(lane.roadIndex, lane), lane]))
  const joined = Map.groupBy(target.lanes, (lane) => lane.mergedInto)
  const found = (source: DocLane): Placed | string => {
    const lane = places.get(place(source.road, source))
    if (!lane) return skips.noLane
    if (lane.status === 'MERGED') return skips.secondary
    const width = doc.lanes.filter((other) => other.mergedInto === source.road).length
    if ((joined.get(lane.id)?.length ?? 0) !== width) return skips.otherWidth
    const prices = parts.includes('price') && !parts.includes('product')
    if (prices && lane.productId !== source.productId) return skips.otherProduct
    const after = attempt(lane, patchOf(source, parts), target)
    return typeof after !== 'string' && equal(lane, after) ? lane : after
  }
  const present = new Set(target.lanes)
  for (const source of doc.lanes) {
    if (source.status === 'MERGED') continue
    const after = found(source)
    if (typeof after === 'string') plan.skipped.push({ road: source.road, reason: after })
    else if (present.has(after)) plan.same.push(after.roadIndex)
    else plan.changed.push(after)
  }
  return plan
}

/**
 * The machine as `doc` had it, as far as it may go there: joins first, then every lane by the rules
 * of an edit.
 */
export function restorePlan(doc: Doc, target: Target): Plan {
  const { lanes, failed } = rejoined(doc, target.lanes)
  const skipped = [...failed]
  const wantedBy = new Map(doc.lanes.map((lane) => [lane.road, lane]))
  const live = new Set(target.lanes.map((lane) => lane.roadIndex))
  for (const { road } of doc.lanes)
    if (!live.has(road)) skipped.push({ road, reason: skips.noLane })
  const results = lanes.map((lane): Placed => {
    const road = lane.roadIndex
    const wanted = wantedBy.get(road)
    if (!wanted) skipped.push({ road, reason: skips.notInVersion })
    if (!wanted || wanted.status === 'MERGED' || lane.status === 'MERGED') return lane
    const { status, motorNo } = wanted
    const settings = patchOf(wanted, ['product', 'price', 'capacity', 'warnQty', 'restriction'])
    // a fault or a lock is not a setting: it stays
    const patch = { ...settings, motorNo, ...(switchable(lane.status) ? { status } : {}) }
    const after = attempt(lane, patch, target)
    if (typeof after !== 'string') return after
    if (!failed.some((other) => other.road === road)) skipped.push({ road, reason: after })
    return lane
  })
  const before = new Map(target.lanes.map((lane) => [lane.id, lane]))
  const after = ownMotors(results, before)
  const changed = after.filter((lane) => !equal(lane, before.get(lane.id) as Placed))
  const others = new Set(
    [...changed, ...skipped].map((one) => ('road' in one ? one.road : one.roadIndex)),
  )
  return {
    changed,
    same: after.map((lane) => lane.roadIndex).filter((road) => !others.has(road)),
    skipped: skipped.sort((a, b) => a.road - b.road),
  }
}

/** Settings of a lane that sells nothing by itself. */
const cleared = { productId: null, retailPrice: null, price: null, warnQty: 0, restriction: 0 }
export const joinedTo = <L extends Lane>(main: number, lane: L): L => ({
  ...lane,
  ...cleared,
  status: 'MERGED',
  mergedInto: main,
})
export const freed = <L extends Lane>(lane: L): L => ({
  ...lane,
  ...cleared,
  status: 'DISABLED',
  mergedInto: null,
})

/**
 * Lanes taken apart and joined as `doc` says; a join that may not be leaves everything it touches
 * as it is.
 */
function rejoined(doc: Doc, present: readonly Placed[]): { lanes: Placed[]; failed: Skip[] } {
  const failed: Skip[] = []
  const idOf = new Map(present.map((lane) => [lane.roadIndex, lane.id]))
  const wanted = Map.groupBy(
    doc.lanes.filter(({ road, mergedInto }) => idOf.has(road) && idOf.has(mergedInto ?? 0)),
    (lane) => idOf.get(lane.mergedInto as number) as number,
  )
  const ids = (lanes: readonly DocLane[] = []) =>
    lanes.map((lane) => idOf.get(lane.road) as number).sort((a, b) => a - b)
  const groups = Map.groupBy(
    present.filter((lane) => lane.mergedInto !== null),
    (lane) => lane.mergedInto as number,
  )
  const apart = (lanes: Placed[], mains: ReadonlySet<number>) =>
    lanes.map((lane) => (mains.has(lane.mergedInto ?? 0) ? freed(lane) : lane))
  const kept = new Set<number>()
  for (const [main, others] of groups) {
    const now = others.map((lane) => lane.id).sort((a, b) => a - b)
    if (now.join() === ids(wanted.get(main)).join()) kept.add(main)
  }
  let lanes = [...present]
  for (const [main, docLanes] of wanted) {
    if (kept.has(main)) continue
    const members = new Set([main, ...ids(docLanes)])
    const touched = new Set<number>()
    for (const [other, rest] of groups)
      if (!kept.has(other) && [other, ...rest.map((lane) => lane.id)].some((id) => members.has(id)))
        touched.add(other)
    const scratch = apart(lanes, touched)
    const of = (id: number) => scratch.find((lane) => lane.id === id) as Placed
    const wrong = mergeRule(of(main), ids(docLanes).map(of), scratch)
    if (wrong) {
      for (const { road } of docLanes) failed.push({ road, reason: wrong.text })
      for (const other of touched) kept.add(other)
    } else
      lanes = scratch.map((lane) =>
        lane.id !== main && members.has(lane.id) ? joinedTo(main, lane) : lane,
      )
  }
  const over = [...groups.keys()].filter((main) => !kept.has(main) && !wanted.has(main))
  return { lanes: apart(lanes, new Set(over)), failed }
}

/** Motors as they were when the wanted ones would be used twice. */
function ownMotors(lanes: Placed[], before: ReadonlyMap<number, Lane>): Placed[] {
  return motorsTwice(lanes)
    ? lanes.map((lane) => ({ ...lane, motorNo: before.get(lane.id)?.motorNo ?? lane.motorNo }))
    : lanes
}
export function motorsTwice(lanes: readonly Lane[]): boolean {
  const motors = lanes.filter((lane) => lane.status !== 'MERGED').map((lane) => lane.motorNo)
  return new Set(motors).size < motors.length
}

export type PriceChange = { mode: 'SET' | 'YUAN' | 'PERCENT'; value: number; alsoRetail: boolean }

/** `value` is fen, for PERCENT tenths of a percent; shares are rounded to ten fen, half up. */
export function changedPrice(fen: number, { mode, value }: PriceChange): number {
  if (mode === 'SET') return value
  return mode === 'YUAN' ? fen + value : Math.round((fen * (1000 + value)) / 10_000) * 10
}
