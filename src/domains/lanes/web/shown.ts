import type { Planogram, Road } from '../contract.ts'
import type { Lane, Product } from '../rules.ts'

export type ShownRoad = Road & { floorId: number; level: number }

/** Lanes in reading order; merged ones stay hidden behind their main lane. */
export const roadsOf = (plan: Planogram): ShownRoad[] =>
  plan.floors.flatMap((floor) => floor.roads.map((road) => ({ ...road, floorId: floor.id, level: floor.level })))

/** A lane as rules.ts takes it. */
export const toLane = (road: ShownRoad): Lane => ({
  id: road.id,
  floorId: road.floorId,
  col: road.column,
  motorNo: road.motorNo,
  productId: road.productId,
  capacity: road.roadCapacity,
  quantity: road.productStock,
  reserved: road.reserved,
  failedHold: road.failedHold,
  warnQty: road.warnQty,
  retailPrice: road.retailPrice,
  price: road.price,
  restriction: road.restriction,
  status: road.status,
  mergedInto: road.mergedInto,
})

/** The product that is in the lane now; without the right to see costs the server alone checks them. */
export const productOf = (road: Road): Product | null =>
  road.productId === null
    ? null
    : {
        id: road.productId,
        drugClass: road.drugClass ?? 'NONE',
        costPrice: road.costPrice ?? 0,
        retailPrice: road.retailPrice ?? 0,
        warnQty: road.warnQty,
        status: 'ON',
      }

export const roadText = (road: Road): string => [road.roadIndex, ...road.merged].map((index) => String(index).padStart(2, '0')).join('+')
