import type { PictureKind } from './pictures.ts'
import { createRandom, type Random } from './random.ts'
import type {
  DemoDevice,
  DemoDeviceType,
  DemoFloor,
  DemoProduct,
  DemoRoad,
  DeviceKind,
} from './types.ts'

interface FloorPlan {
  readonly name: string
  readonly categories: readonly string[]
}

const DRINKS: FloorPlan = { name: '饮料', categories: ['drink'] }
const COFFEE: FloorPlan = { name: '咖啡奶茶', categories: ['coffee'] }
const SNACKS: FloorPlan = { name: '零食', categories: ['snack'] }
const BAKERY: FloorPlan = { name: '面包零食', categories: ['bread', 'snack'] }
const DAILY: FloorPlan = { name: '零食日用', categories: ['snack', 'daily'] }
const DRUGS: FloorPlan = { name: '药品', categories: ['drug'] }
const FLOWERS: FloorPlan = { name: '鲜花', categories: ['flower'] }

// From top to bottom; a machine with fewer levels takes the first ones.
const FLOORS: Readonly<Record<DeviceKind, readonly FloorPlan[]>> = {
  GENERAL: [DRINKS, COFFEE, SNACKS, BAKERY, DAILY, DRINKS],
  LIFT: [BAKERY, SNACKS, COFFEE, DRINKS, DRINKS, DAILY],
  CABINET: [COFFEE, DRINKS, BAKERY, SNACKS, DAILY],
  DRUG: [DRUGS, DRUGS, DRUGS, DRUGS, DRUGS, DRUGS],
  FLOWER: [FLOWERS, FLOWERS, FLOWERS, FLOWERS],
}

const CAPACITY: Readonly<Record<PictureKind, number>> = {
  bottle: 8,
  can: 8,
  cup: 6,
  bag: 6,
  box: 6,
  pill: 8,
  flower: 1,
  umbrella: 3,
}

const EMPTY_CAPACITY = 8
// At airports and border crossings everything small costs one yuan more.
const AIRPORT_SURCHARGE = 100

// Class B drugs in drug machines, no drugs anywhere else.
function allowed(product: DemoProduct, kind: DeviceKind): boolean {
  return kind === 'DRUG' ? product.drugClass === 'OTC_B' : product.drugClass === 'NONE'
}

/** One machine in five waits for its replenisher; the others are in order. */
const neglected = (device: DemoDevice) => createRandom(`neglected ${device.rtuNumber}`).chance(0.2)

function stockLevel(random: Random, capacity: number, warnQty: number, waiting: boolean): number {
  const dice = random.next()
  if (dice < (waiting ? 0.06 : 0.0005)) return 0
  if (dice < (waiting ? 0.2 : 0.02) && warnQty > 0) return random.int(1, warnQty)
  return random.int(Math.max(1, Math.ceil(capacity * 0.45)), capacity)
}

function lanePrice(random: Random, product: DemoProduct, retailPrice: number): number {
  if (!random.chance(0.08)) return retailPrice
  const discount = retailPrice > 1000 ? 200 : 50
  return Math.max(product.costPrice, retailPrice - discount)
}

function emptyRoad(column: number): DemoRoad {
  return {
    column,
    productKey: null,
    capacity: EMPTY_CAPACITY,
    quantity: 0,
    retailPrice: 0,
    price: 0,
    warnQty: 0,
    restriction: 0,
  }
}

function filledRoad(
  random: Random,
  device: DemoDevice,
  product: DemoProduct,
  column: number,
): DemoRoad {
  const capacity = CAPACITY[product.picture.kind]
  const warnQty = capacity === 1 ? 0 : Math.ceil(capacity * 0.2)
  const surcharge =
    device.site === 'airport' && product.drugClass === 'NONE' ? AIRPORT_SURCHARGE : 0
  const retailPrice = product.retailPrice + surcharge
  return {
    column,
    productKey: product.key,
    capacity,
    quantity: stockLevel(random, capacity, warnQty, neglected(device)),
    retailPrice,
    price: lanePrice(random, product, retailPrice),
    warnQty,
    restriction: product.purchaseLimit > 0 ? product.purchaseLimit : random.chance(0.02) ? 2 : 0,
  }
}

// A weighted draw: popular products come early, so they are in nearly every machine.
function bestSellersFirst(random: Random, pool: readonly DemoProduct[]): DemoProduct[] {
  return pool
    .map((product) => ({ product, rank: random.next() ** (1 / product.weight) }))
    .sort((a, b) => b.rank - a.rank)
    .map(({ product }) => product)
}

// What sells well stands in two or three neighbouring lanes, as a replenisher would fill them.
function facings(random: Random, pool: readonly DemoProduct[], lanes: number): DemoProduct[] {
  const row: DemoProduct[] = []
  while (row.length < lanes) {
    for (const product of bestSellersFirst(random, pool)) {
      const wide =
        product.weight >= 8 ? random.int(2, 3) : product.weight >= 5 ? random.int(1, 2) : 1
      row.push(...Array.from({ length: wide }, () => product))
    }
  }
  return row.slice(0, lanes)
}

/** What stands in a machine, floor by floor; the same for every run. */
export function planogram(
  device: DemoDevice,
  type: DemoDeviceType,
  products: readonly DemoProduct[],
): DemoFloor[] {
  const random = createRandom(`planogram/${device.rtuNumber}`)
  const stocked = device.lifecycle === 'OPERATING' || device.lifecycle === 'PAUSED'
  const plans = FLOORS[type.kind]
  return Array.from({ length: type.maxLevels }, (_, i) => {
    const plan = plans[i % plans.length] ?? DRINKS
    const pool = products.filter(
      (p) => p.weight > 0 && plan.categories.includes(p.categoryKey) && allowed(p, type.kind),
    )
    const row = facings(random, pool, type.maxRoads)
    const roads = row.map((product, column) =>
      !stocked || random.chance(0.05)
        ? emptyRoad(column + 1)
        : filledRoad(random, device, product, column + 1),
    )
    return { level: i + 1, name: plan.name, roads }
  })
}
