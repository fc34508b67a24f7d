import { sql } from 'kysely'
import { insertRows } from '../../seed/insertRows.ts'
import { createRandom } from '../../seed/random.ts'
import { devices, deviceTypes, planogram, products } from '../../seed/world.ts'
import type { Db } from '../../server/database.ts'
import { counterStatements } from '../machines/server/counters.ts'
import { roadIndexOf } from './rules.ts'

type Ids = { org: ReadonlyMap<string, number>; product: ReadonlyMap<string, number> }
const faultCodes = ['MOTOR_NOT_MOVE', 'MOTOR_NOT_RETURN', 'SENSOR_FAULT'] as const

/**
 * Levels and lanes of every machine that is not sold or scrapped, filled as the planogram says; one
 * lane in four hundred is faulty.
 */
export async function seedLanes(db: Db, ids: Ids, now: Date): Promise<void> {
  const floors: object[] = []
  const lanes: object[] = []
  const faults: object[] = []
  for (const [index, device] of devices.entries()) {
    const type = deviceTypes.find((t) => t.key === device.typeKey)
    if (!type || device.lifecycle === 'SOLD' || device.lifecycle === 'SCRAPPED') continue
    const random = createRandom(`faults/${device.rtuNumber}`)
    const owner = { org_id: ids.org.get(device.orgKey), device_id: index + 1 }
    for (const floor of planogram(device, type, products)) {
      floors.push({ id: floors.length + 1, ...owner, level: floor.level, name: floor.name })
      for (const road of floor.roads) {
        const roadIndex = roadIndexOf(floor.level, road.column, type.maxRoads)
        const empty = road.productKey === null
        const faulty = !empty && device.lifecycle === 'OPERATING' && random.chance(1 / 400)
        const id = lanes.length + 1
        lanes.push({
          id,
          ...owner,
          floor_id: floors.length,
          road_index: roadIndex,
          col: road.column,
          motor_no: roadIndex,
          product_id: road.productKey === null ? null : ids.product.get(road.productKey),
          capacity: road.capacity,
          quantity: road.quantity,
          warn_qty: road.warnQty,
          retail_price: empty ? null : road.retailPrice,
          price: empty ? null : road.price,
          restriction: road.restriction,
          status: faulty ? 'FAULT' : 'ENABLED',
        })
        if (faulty)
          faults.push({
            ...owner,
            lane_id: id,
            code: random.pick(faultCodes),
            level: 'ERROR',
            opened_at: new Date(now.getTime() - random.int(20, 600) * 60_000),
          })
      }
    }
  }
  await insertRows(db, 'lane_floors', floors)
  await insertRows(db, 'lanes', lanes)
  await insertRows(db, 'device_faults', faults)
  await db
    .updateTable('devices')
    .set({ planogram_version: 1 })
    .where('lifecycle', 'not in', ['SOLD', 'SCRAPPED'])
    .execute()
  for (const [table, last] of [
    ['lane_floors', floors.length],
    ['lanes', lanes.length],
  ] as const) {
    await sql`select count(nextval(pg_get_serial_sequence(${table}, 'id')))
      from generate_series(1, ${last}::int)`.execute(db)
  }
  for (const statement of counterStatements(devices.map((_, index) => index + 1)))
    await statement.execute(db)
}
