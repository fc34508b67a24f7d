import { expect, test } from 'vitest'
import { shanghaiHour } from '../shared/instants.ts'
import { makeHistory, type SeedDevice } from './history.ts'
import { devices, deviceTypes, planogram, products } from './world.ts'

const now = new Date('2026-11-22T06:30:00Z')

/** As the seed reads them back from the database, without one. */
const sellers: SeedDevice[] = devices.slice(0, 30).map((demo, index) => {
  const type = deviceTypes.find(({ key }) => key === demo.typeKey)
  if (!type) throw new Error(demo.typeKey)
  const roads = planogram(demo, type, products).flatMap((floor) =>
    floor.roads.map((road) => ({ ...road, level: floor.level })),
  )
  const lanes = roads.flatMap((road, n) => {
    const product = products.find(({ key }) => key === road.productKey)
    if (!product || road.capacity === 0) return []
    const { capacity, quantity, price } = road
    const place = {
      id: index * 1000 + n,
      orgId: 1,
      deviceId: index + 1,
      rtuNumber: demo.rtuNumber,
      road: (road.level - 1) * 10 + road.column,
    }
    const goods = {
      productId: n,
      productName: product.name,
      model: product.model,
      img: '',
      drugClass: product.drugClass,
      cost: product.costPrice,
    }
    return [{ ...place, ...goods, price, weight: product.weight || 0.5, capacity, quantity }]
  })
  return { demo, id: index + 1, orgId: 1, dropSensor: true, replenishers: [7, 8], lanes }
})
const { orders, flows } = makeHistory(sellers, now)

test('flows of a lane follow one another in time and lead to what it holds today', () => {
  for (const lane of sellers.flatMap((device) => device.lanes)) {
    let [held, at] = [0, 0]
    for (const [n, flow] of flows.filter((one) => one.lane === lane).entries()) {
      expect([flow.seq, flow.before], lane.rtuNumber).toEqual([n + 1, held])
      expect(flow.at.getTime()).toBeGreaterThanOrEqual(at)
      held += flow.change
      at = flow.at.getTime()
      expect(held >= 0 && held <= lane.capacity && at <= now.getTime()).toBe(true)
    }
    expect(held).toBe(lane.quantity)
  }
  expect(flows.filter((flow) => flow.unit !== null).length).toBe(
    orders.flatMap((order) => order.units).filter((unit) => unit.flow_id !== null).length,
  )
})

test('lanes are filled by people who come by day and fill several of them', () => {
  const filled = flows.filter((flow) => flow.unit === null)
  expect(new Set(filled.map((flow) => flow.by))).toEqual(new Set([7, 8]))
  const visits: { at: number; lanes: number }[] = []
  for (const device of sellers) {
    for (const flow of filled.filter((one) => one.lane.deviceId === device.id)) {
      const visit = visits.at(-1)
      const at = flow.at.getTime()
      if (visit && Math.abs(at - visit.at) < 15 * 60_000)
        Object.assign(visit, { at, lanes: visit.lanes + 1 })
      else visits.push({ at, lanes: 1 })
    }
  }
  expect(filled.length / visits.length).toBeGreaterThan(8)
  expect(visits.filter(({ lanes }) => lanes < 3).length / visits.length).toBeLessThan(0.05)
  const byDay = visits.filter(
    ({ at }) => shanghaiHour(new Date(at)) >= 7 && shanghaiHour(new Date(at)) < 18,
  )
  expect(byDay.length / visits.length).toBeGreaterThan(0.9)
})
