import { feeOf, feeShareOf } from '../domains/ledger/rules.ts'
import { orderNumber } from '../shared/ids.ts'
import { addDays, dayMs, shanghaiDay, startOfDay } from '../shared/instants.ts'
import { flowsOf } from './flows.ts'
import { createRandom, type Random } from './random.ts'
import { DEMO_DAYS, dailyOrders, rhythm } from './rhythm.ts'
import type { DemoDevice } from './types.ts'

/**
 * Sixty days of sales, computed before anything is written: orders, pieces, payments, refunds and
 * the flows that explain every lane.
 */

export type SeedLane = {
  id: number
  orgId: number
  deviceId: number
  rtuNumber: string
  road: number
  productId: number
  productName: string
  model: string
  img: string
  drugClass: string
  price: number
  cost: number
  weight: number
  capacity: number
  quantity: number
}
/** `replenishers`: who fills it, most often the first. */
export type SeedDevice = {
  demo: DemoDevice
  id: number
  orgId: number
  dropSensor: boolean
  replenishers: readonly number[]
  lanes: SeedLane[]
}

type Outcome =
  | 'SUCCESS'
  | 'SHIPPED'
  | 'NO_DROP'
  | 'MOTOR'
  | 'VOID'
  | 'RETURNED'
  | 'REFUND_FAILED'
  | 'CLOSED'
export type UnitRow = {
  id: number
  unit_no: number
  lane: SeedLane
  outcome: Outcome
  finished: Date
  flow_id: number | null
}
export type OrderRow = {
  id: number
  device: SeedDevice
  created: Date
  num: string
  payType: 'WECHAT' | 'ALIPAY'
  consumer: string
  units: UnitRow[]
  closed: boolean
}
/** A piece that was sold, or pieces that somebody put in. */
export type FlowRow = {
  id: number
  lane: SeedLane
  seq: number
  at: Date
  change: number
  before: number
  unit: UnitRow | null
  order: OrderRow | null
  by: number | null
}
export type History = { orders: OrderRow[]; flows: FlowRow[] }

/**
 * He opened this week: with FLEET=0 his order list has as many rows as the specification's sample
 * server.
 */
const sampleOperator = { orgKey: 'op-xiaoyuan', orders: 212 }
/** The latest drafts, with as many that the list shows: an order nobody paid is not among them. */
const lastListed = (drafts: readonly Draft[], count: number): Draft[] => {
  const first = drafts.filter((draft) => !draft.closed).at(-count)
  return first ? drafts.slice(drafts.indexOf(first)) : [...drafts]
}
const byTime = (a: Draft, b: Draft) =>
  a.created.getTime() - b.created.getTime() || a.device.id - b.device.id

/** Orders until `now`; the last ones a few minutes ago. Deterministic for a given day. */
export function makeHistory(devices: readonly SeedDevice[], now: Date): History {
  const today = shanghaiDay(now)
  const selling = devices.filter((device) => device.lanes.length > 0)
  const drafts = [false, true].flatMap((sample) => {
    const own = selling
      .filter((device) => (device.demo.orgKey === sampleOperator.orgKey) === sample)
      .flatMap((device) => draftsOf(device, today, now))
    return sample ? lastListed(own.toSorted(byTime), sampleOperator.orders) : own
  })
  drafts.sort(byTime)
  let unitId = 0
  const nextUnit = () => {
    unitId += 1
    return unitId
  }
  const orders = drafts.map((draft, index): OrderRow => {
    const units = draft.units.map((unit) => ({ ...unit, id: nextUnit() }))
    return {
      ...draft,
      id: index + 1,
      num: orderNumber(shanghaiDay(draft.created), index + 1),
      units,
    }
  })
  const sold = orders.flatMap((order) =>
    order.units.filter((unit) => left(unit.outcome)).map((unit) => ({ unit, order })),
  )
  return { orders, flows: flowsOf(devices, sold, now) }
}

type Draft = Omit<OrderRow, 'id' | 'num'>

function draftsOf(device: SeedDevice, today: string, now: Date): Draft[] {
  const drafts: Draft[] = []
  for (let index = 0; index < DEMO_DAYS; index += 1) {
    const day = addDays(today, index - DEMO_DAYS + 1)
    const random = createRandom(`${device.demo.rtuNumber} ${index}`)
    const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
    const expected = dailyOrders(device.demo, index, weekday)
    const count = Math.floor(expected) + (random.chance(expected % 1) ? 1 : 0)
    for (let n = 0; n < count; n += 1) {
      const created = momentOf(device.demo, day, weekday, random)
      const draft = draftOf(device, created, random, now)
      if (created.getTime() < now.getTime() - 5 * 60_000) drafts.push(draft)
    }
  }
  return drafts
}

function momentOf(demo: DemoDevice, day: string, weekday: number, random: Random): Date {
  let rest = random.next()
  let hour = 0
  while (hour < 23 && rest > rhythm(demo.site, hour, weekday)) {
    rest -= rhythm(demo.site, hour, weekday)
    hour += 1
  }
  return new Date(startOfDay(day).getTime() + hour * 3_600_000 + random.int(0, 3_599_999))
}

function draftOf(device: SeedDevice, created: Date, random: Random, now: Date): Draft {
  const pieces = random.chance(0.82) ? 1 : random.chance(0.75) ? 2 : 3
  const closed = random.chance(0.03)
  const recent = now.getTime() - created.getTime() < 2 * dayMs
  const units = Array.from(
    { length: pieces },
    (_, i): Omit<UnitRow, 'id'> => ({
      unit_no: i + 1,
      lane: pickLane(device.lanes, random),
      outcome: closed ? 'CLOSED' : outcomeOf(device, random, recent),
      finished: new Date(created.getTime() + 12_000 + i * 6_000 + random.int(0, 3_000)),
      flow_id: null,
    }),
  )
  return {
    device,
    created,
    payType: random.chance(0.68) ? 'WECHAT' : 'ALIPAY',
    consumer: `wx-${String(regular(random.int(1, 6000))).padStart(6, '0')}`,
    units: units as UnitRow[],
    closed,
  }
}

function pickLane(lanes: readonly SeedLane[], random: Random): SeedLane {
  let rest = random.next() * lanes.reduce((sum, lane) => sum + lane.weight, 0)
  for (const lane of lanes) {
    rest -= lane.weight
    if (rest <= 0) return lane
  }
  return lanes[0] as SeedLane
}

function outcomeOf(device: SeedDevice, random: Random, recent: boolean): Outcome {
  const dice = random.next()
  if (dice < 0.009) return device.dropSensor ? 'NO_DROP' : 'MOTOR'
  if (dice < 0.013) return 'MOTOR'
  if (dice < 0.0145) return 'VOID'
  if (dice < 0.0165) return 'RETURNED'
  if (dice < 0.0195 && recent) return 'REFUND_FAILED'
  return device.dropSensor ? 'SUCCESS' : 'SHIPPED'
}

export const left = (outcome: Outcome): boolean =>
  outcome === 'SUCCESS' || outcome === 'SHIPPED' || outcome === 'RETURNED'
export const refunded = (outcome: Outcome): boolean =>
  outcome === 'NO_DROP' || outcome === 'MOTOR' || outcome === 'VOID' || outcome === 'RETURNED'

/** Refunded fen and returned fee of an order's pieces, in order. */
export function moneyOf(order: OrderRow): {
  total: number
  fee: number
  refunds: { unit: UnitRow; amount: number; share: number }[]
  refundedSum: number
} {
  const total = order.units.reduce((sum, unit) => sum + unit.lane.price, 0)
  const fee = feeOf(total, 60)
  let sum = 0
  const refunds = order.units
    .filter((unit) => refunded(unit.outcome))
    .map((unit) => {
      const share = feeShareOf({ amount: total, fee, refunded: sum }, unit.lane.price)
      sum += unit.lane.price
      return { unit, amount: unit.lane.price, share }
    })
  return { total, fee, refunds, refundedSum: sum }
}

/** A hundred and fifty people, of whom some buy often and most now and then. */
const regular = (n: number): number => Math.ceil((n / 6000) ** 3 * 150)
