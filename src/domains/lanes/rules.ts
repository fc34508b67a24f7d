import type { ErrorDef } from '../../shared/errors.ts'
import { allowedFrom, defineStates } from '../../shared/moves.ts'
import { canPlace, type Goods, type Place, verdictError } from '../drug-guard/rules.ts'
import type { LanePatch, Level, laneStatuses, laneViews } from './contract.ts'
import type { CopyRow } from './copyContract.ts'
import { laneErrors } from './errors.ts'
import type { ScheduleRow } from './priceContract.ts'

type Status = (typeof laneStatuses)[number]
type View = (typeof laneViews)[number]

/**
 * People switch between enabled and disabled; vends and quality decisions do the rest (core.md,
 * lane transitions).
 */
export const laneStates = defineStates<Status>({
  name: 'lane',
  column: 'lanes.status',
  start: ['ENABLED'],
  moves: {
    ENABLED: ['DISABLED', 'FAULT', 'LOCKED', 'MERGED'],
    DISABLED: ['ENABLED', 'LOCKED', 'MERGED'],
    FAULT: ['ENABLED', 'LOCKED'],
    // back to the fault it had
    LOCKED: ['ENABLED', 'FAULT'],
    MERGED: ['DISABLED'],
  },
})

/**
 * A lane as the rules see it; `capacity` and `quantity` are roadCapacity and productStock of the
 * wire.
 */
export type Lane = {
  id: number
  floorId: number
  col: number
  motorNo: number
  productId: number | null
  capacity: number
  quantity: number
  reserved: number
  failedHold: number
  warnQty: number
  retailPrice: number | null
  price: number | null
  restriction: number
  status: Status
  mergedInto: number | null
}
export type Product = Goods & {
  id: number
  costPrice: number
  retailPrice: number
  warnQty: number | null
  warnPercent?: number
  status: 'ON' | 'OFF'
}
type Finding = { def: ErrorDef; field: string }
const at = (def: ErrorDef | null, field: string): Finding | null => (def ? { def, field } : null)

export const switchable = (status: Status): boolean => status === 'ENABLED' || status === 'DISABLED'

export const sellable = (lane: Pick<Lane, 'quantity' | 'reserved' | 'failedHold'>): number =>
  lane.quantity - lane.reserved - lane.failedHold

/** counters.ts counts the same views in SQL; verbs.test.ts compares the two. */
export function laneView(
  lane: Pick<Lane, 'quantity' | 'reserved' | 'failedHold' | 'warnQty' | 'status' | 'productId'>,
): View {
  if (lane.status !== 'ENABLED') return lane.status.toLowerCase() as Lowercase<typeof lane.status>
  if (lane.productId === null) return 'empty'
  const left = sellable(lane)
  return left <= 0 ? 'soldOut' : left <= lane.warnQty ? 'low' : 'normal'
}

/**
 * Warning level when nobody chose one: the product's, else the organisation's share of the capacity
 * (a fifth) rounded up.
 */
export const defaultWarn = (
  capacity: number,
  product: Pick<Product, 'warnQty' | 'warnPercent'>,
): number =>
  Math.min(capacity, product.warnQty ?? Math.ceil((capacity * (product.warnPercent ?? 20)) / 100))

/** The lane after a patch; a new product brings its prices and warning level unless given. */
export function merged<L extends Lane>(lane: L, patch: LanePatch, product: Product | null): L {
  const changes = patch.productId !== undefined && patch.productId !== lane.productId
  const capacity = patch.roadCapacity ?? lane.capacity
  const { motorNo = lane.motorNo, restriction = lane.restriction, status = lane.status } = patch
  const base = { ...lane, capacity, motorNo, restriction, status }
  if (!product) {
    const warnQty = patch.warnQty ?? (changes ? 0 : Math.min(lane.warnQty, capacity))
    return { ...base, productId: null, retailPrice: null, price: null, warnQty }
  }
  const retailPrice = patch.retailPrice ?? (changes ? product.retailPrice : lane.retailPrice)
  const price = patch.price ?? (changes ? retailPrice : lane.price)
  const warnQty = patch.warnQty ?? (changes ? defaultWarn(capacity, product) : lane.warnQty)
  return { ...base, productId: product.id, retailPrice, price, warnQty }
}

/**
 * Everything a saved lane must satisfy, on the merged record. `product` is the one after the
 * change.
 */
export function laneRule(
  before: Lane,
  after: Lane,
  product: Product | null,
  device: Place,
): Finding | null {
  if (before.status === 'MERGED') return at(laneErrors.secondary, 'id')
  if (after.status !== before.status && !switchable(before.status))
    return at(laneErrors.fixedStatus, 'status')
  if (after.productId !== before.productId) {
    if (before.status === 'LOCKED') return at(laneErrors.locked, 'productId')
    if (before.quantity !== 0 || before.reserved !== 0 || before.failedHold !== 0)
      return at(laneErrors.notEmpty, 'productId')
    if (product?.status === 'OFF') return at(laneErrors.productOff, 'productId')
  }
  if (after.capacity < after.quantity) return at(laneErrors.capacityBelowStock, 'roadCapacity')
  if (after.warnQty > after.capacity) return at(laneErrors.warnOverCapacity, 'warnQty')
  if (!product) return null
  return at(verdictError(canPlace(product, device)), 'productId') ?? priceRule(after, product)
}

export function priceRule(
  lane: Pick<Lane, 'retailPrice' | 'price'>,
  product: { costPrice: number },
): Finding | null {
  if (!lane.retailPrice) return at(laneErrors.priceMissing, 'retailPrice')
  if (!lane.price) return at(laneErrors.priceMissing, 'price')
  if (lane.retailPrice < product.costPrice) return at(laneErrors.retailBelowCost, 'retailPrice')
  if (lane.price < product.costPrice) return at(laneErrors.priceBelowCost, 'price')
  return at(lane.price > lane.retailPrice ? laneErrors.priceOverRetail : null, 'price')
}

/** Columns a lane covers: its own and those merged into it. */
const columnsOf = (lane: Lane, all: readonly Lane[]) =>
  [lane, ...all.filter((other) => other.mergedInto === lane.id)].map((other) => other.col)

/**
 * `all` are the live lanes of the machine. Messages in the order a person would mend them (core.md,
 * 合并货道).
 */
export function mergeRule(
  main: Lane,
  secondaries: readonly Lane[],
  all: readonly Lane[],
): ErrorDef | null {
  if (secondaries.length === 0) return laneErrors.noneToMerge
  const mains = new Set(all.map((other) => other.mergedInto))
  if (
    main.status === 'MERGED' ||
    secondaries.some((lane) => lane.status === 'MERGED' || mains.has(lane.id))
  )
    return laneErrors.alreadyMerged
  const last = Math.max(...columnsOf(main, all))
  const wanted = secondaries.map((lane) => lane.col).sort((a, b) => a - b)
  if (
    secondaries.some((lane) => lane.floorId !== main.floorId) ||
    wanted.some((col, i) => col !== last + 1 + i)
  )
    return laneErrors.notNeighbours
  if ([main, ...secondaries].some((lane) => !switchable(lane.status))) return laneErrors.notWorking
  if (secondaries.some((lane) => lane.reserved !== 0 || lane.failedHold !== 0))
    return laneErrors.secondaryHolds
  return secondaries.some((lane) => lane.quantity !== 0) ? laneErrors.secondaryStock : null
}

export function splitRule(main: Lane, capacity: number, all: readonly Lane[]): ErrorDef | null {
  if (!all.some((lane) => lane.mergedInto === main.id)) return laneErrors.notMerged
  return capacity < main.quantity ? laneErrors.capacityBelowStock : null
}

/** A drawing that fits the machine type; `n` fills the message. */
export function levelsRule(
  levels: readonly Pick<Level, 'columns'>[],
  type: { maxLevels: number; maxRoads: number },
): { def: ErrorDef; n: number } | null {
  if (levels.length > type.maxLevels) return { def: laneErrors.tooManyLevels, n: type.maxLevels }
  if (levels.every((level) => level.columns <= type.maxRoads)) return null
  return { def: laneErrors.tooManyRoads, n: type.maxRoads }
}

/**
 * (level − 1) × 10 + column; machines with wider levels count in twenties, so that numbers stay
 * unique.
 */
export const roadIndexOf = (level: number, column: number, maxRoads: number): number =>
  (level - 1) * (maxRoads > 10 ? 20 : 10) + column

/** Name of a level nobody named (core.md, lane fields); kept as data, so in one language. */
export const floorName = (level: number): string => `第${level}层`

export type CopyState = CopyRow['targets'][number]['state']
/** One machine of a copy. KEPT: somebody changed it meanwhile, so it was not taken back. */
export const copyStates = defineStates<CopyState>({
  name: 'lane copy target',
  column: 'lane_copy_targets.state',
  start: ['WAITING'],
  moves: {
    WAITING: ['DONE', 'FAILED'],
    DONE: ['UNDOING'],
    FAILED: [],
    UNDOING: ['UNDONE', 'KEPT'],
    UNDONE: [],
    KEPT: [],
  },
})
export const copyFrom = (next: CopyState) => allowedFrom(copyStates, next)
export const undoMs = 600_000

export const scheduleStates = defineStates<ScheduleRow['state']>({
  name: 'price schedule',
  column: 'price_schedules.state',
  start: ['WAITING'],
  moves: { WAITING: ['DONE', 'FAILED', 'CANCELLED'], DONE: [], FAILED: [], CANCELLED: [] },
})
export const scheduleFrom = (next: ScheduleRow['state']) => allowedFrom(scheduleStates, next)

/**
 * A lock by hand carries this before its reason; every other lock belongs to the process that set
 * it.
 */
export const handLock = 'QUALITY '
export const isHandLock = (lane: { status: string; lockReason: string | null }): boolean =>
  lane.status === 'LOCKED' && (lane.lockReason?.startsWith(handLock) ?? false)

/** Lanes that forbid a rebuild: pieces on their way to a customer or waiting for a count. */
export const busyLanes = <L extends Pick<Lane, 'reserved' | 'failedHold'>>(
  all: readonly L[],
): L[] => all.filter((lane) => lane.reserved > 0 || lane.failedHold > 0)
