import type { TFunction } from 'i18next'
import type { ProductOption } from '../../products/contract.ts'
import type { Planogram, Road } from '../contract.ts'
import { handLock, type Lane } from '../rules.ts'

/** `draft`: shown as it will be once it is saved. */
export type ShownRoad = Road & { floorId: number; level: number; draft?: true }
/** A product as cards and rules need it, from a lane or from the list beside the grid. */
export type Goods = Omit<ProductOption, 'purchaseLimit' | 'drugClass' | 'img'> & {
  drugClass: string
  img: string | null
}
export const goodsOf = (road: Road): Goods => ({
  id: road.productId ?? 0,
  name: road.productName ?? '',
  model: road.model ?? '',
  img: road.productImg,
  drugClass: road.drugClass ?? 'NONE',
  drug: road.drug,
  costPrice: road.costPrice,
  retailPrice: road.retailPrice ?? 0,
  warnQty: road.warnQty,
  status: 'ON',
})

/**
 * The product under the hand: what a drag carries can be read only where it is dropped, and a lane
 * wants to know before.
 */
export const dragged: { goods: Goods | null } = { goods: null }

/**
 * A lane that a refresh brought unchanged is the same object again, so that its card is not drawn
 * anew.
 */
const placed = new WeakMap<Road, ShownRoad>()
function placedRoad(road: Road, floorId: number, level: number): ShownRoad {
  const known = placed.get(road)
  if (known?.floorId === floorId) return known
  const made = { ...road, floorId, level }
  placed.set(road, made)
  return made
}
/** Lanes in reading order; merged ones stay hidden behind their main lane. */
export const roadsOf = (plan: Planogram): ShownRoad[] =>
  plan.floors.flatMap((floor) => floor.roads.map((road) => placedRoad(road, floor.id, floor.level)))

/** A lane as rules.ts takes it. */
export const toLane = (road: ShownRoad): ShownRoad & Lane => ({
  ...road,
  col: road.column,
  capacity: road.roadCapacity,
  quantity: road.productStock,
})

export const widest = ({ floors }: Pick<Planogram, 'floors'>): number =>
  Math.max(...floors.flatMap((floor) => floor.roads.map((road) => road.column)))

export const twoDigits = (road: number): string => String(road).padStart(2, '0')

export const roadText = (road: Road): string =>
  [road.roadIndex, ...road.merged].map(twoDigits).join('+')

/** Why a lane is locked: a person's own words, or the name of what locked it. */
export const lockText = (t: TFunction<'lanes'>, reason: string | null): string =>
  reason?.startsWith(handLock)
    ? reason.slice(handLock.length)
    : t(`enums.lockReason.${reason ?? 'OTHER'}`, { defaultValue: reason ?? '' })
