import { sql } from 'kysely'
import type { Db } from '../server/database.ts'
import type { SeedDevice, SeedLane } from './history.ts'
import { devices, products } from './world.ts'

type Row = {
  id: number
  org_id: number
  device_id: number
  rtu_number: string
  road_index: number
  product_id: number
  name: string
  model: string
  img: string
  drug_class: string
  price: number
  cost_price: number
  capacity: number
  quantity: number
  drop_sensor: boolean
  replenishers: number[]
}

/**
 * The machines with the lanes that hold a product, read back with their ids; the history sells from
 * these.
 */
export async function readSellers(db: Db): Promise<SeedDevice[]> {
  const { rows } =
    await sql<Row>`select l.id, l.org_id, l.device_id, d.rtu_number, l.road_index, l.product_id,
      p.name, p.model, p.images[1] as img, p.drug_class, l.price, p.cost_price, l.capacity,
      l.quantity, d.drop_sensor,
      array(select a.user_id::int from device_assignments a
        where a.kind = 'REPLENISHER' and a.org_id = d.org_id and a.to_at is null
        order by a.device_id <> d.id, a.id limit 2) as replenishers
    from lanes l join devices d on d.id = l.device_id join products p on p.id = l.product_id
    where l.archived_at is null and l.capacity > 0 order by l.device_id, l.road_index`.execute(db)
  const weights = new Map(
    products.map((product) => [`${product.name} ${product.model}`, product.weight]),
  )
  const byNumber = Map.groupBy(rows, (row) => row.rtu_number)
  return devices.flatMap((demo) => {
    const own = byNumber.get(demo.rtuNumber)
    const first = own?.[0]
    if (!own || !first) return []
    const lanes = own.map(
      (row): SeedLane => ({
        id: row.id,
        orgId: row.org_id,
        deviceId: row.device_id,
        rtuNumber: row.rtu_number,
        road: row.road_index,
        productId: row.product_id,
        productName: row.name,
        model: row.model,
        img: row.img,
        drugClass: row.drug_class,
        price: row.price,
        cost: row.cost_price,
        weight: weights.get(`${row.name} ${row.model}`) || 0.5,
        capacity: row.capacity,
        quantity: row.quantity,
      }),
    )
    return [
      {
        demo,
        id: first.device_id,
        orgId: first.org_id,
        dropSensor: first.drop_sensor,
        replenishers: first.replenishers,
        lanes,
      },
    ]
  })
}
