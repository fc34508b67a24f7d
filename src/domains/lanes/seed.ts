import { sql } from 'kysely'
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
  const floors: Record<string, unknown>[] = []
  const lanes: Record<string, unknown>[] = []
  const faults: Record<string, unknown>[] = []
  for (const [index, device] of devices.entries()) {
    const type = deviceTypes.find((t) => t.key === device.typeKey)
    if (!type || device.lifecycle === 'SOLD' || device.lifecycle === 'SCRAPPED') continue
    const random = createRandom(`faults/${device.rtuNumber}`)
    const owner = { org_id: ids.org.get(device.orgKey), device_id: index + 1 }
    for (const floor of planogram(device, type, products)) {
      floors.push({ id: floors.length + 1, ...owner, level: floor.level, name: floor.name })
      for (const road of floor.roads) {
        const roadIndex = roadIndexOf(floor.level, road.column, type.maxRoads)
        const faulty =
          road.productKey !== null && device.lifecycle === 'OPERATING' && random.chance(1 / 400)
        const id = lanes.length + 1
        lanes.push({
          id,
          ...owner,
          floor_id: floors.length,
          road_index: roadIndex,
          col: road.column,
          product_id: road.productKey === null ? null : ids.product.get(road.productKey),
          capacity: road.capacity,
          quantity: road.quantity,
          warn_qty: road.warnQty,
          retail_price: road.productKey === null ? null : road.retailPrice,
          price: road.productKey === null ? null : road.price,
          restriction: road.restriction,
          status: faulty ? 'FAULT' : 'ENABLED',
        })
        if (faulty)
          faults.push({
            ...owner,
            lane_id: id,
            code: random.pick(faultCodes),
            opened_at: new Date(now.getTime() - random.int(20, 600) * 60_000),
          })
      }
    }
  }
  await sql`insert into lane_floors (id, org_id, device_id, level, name)
    select id, org_id, device_id, level, name
    from jsonb_to_recordset(${JSON.stringify(floors)}::jsonb) as x(id bigint, org_id bigint,
      device_id bigint, level int, name text)`.execute(db)
  await sql`insert into lanes (id, org_id, device_id, floor_id, road_index, col, motor_no,
    product_id, capacity, quantity, warn_qty, retail_price, price, restriction, status)
    select id, org_id, device_id, floor_id, road_index, col, road_index, product_id, capacity,
      quantity, warn_qty, retail_price, price, restriction, status
    from jsonb_to_recordset(${JSON.stringify(lanes)}::jsonb) as x(id bigint, org_id bigint,
      device_id bigint, floor_id bigint, road_index int, col int, product_id bigint, capacity int,
      quantity int, warn_qty int,
      retail_price bigint, price bigint, restriction int, status text)`.execute(db)
  await sql`insert into device_faults (org_id, device_id, lane_id, code, level, opened_at)
    select org_id, device_id, lane_id, code, 'ERROR', opened_at
    from jsonb_to_recordset(${JSON.stringify(faults)}::jsonb) as x(org_id bigint, device_id bigint,
      lane_id bigint, code text, opened_at timestamptz)`.execute(db)
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
