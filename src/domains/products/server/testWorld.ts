import { type OrgTree, openOrgTree } from '../../../../test/support/orgTree.ts'

export type World = OrgTree & {
  /** The address of a picture of this organisation. */
  upload(orgId: number): Promise<string>
}

const all = [
  'product:read',
  'product:create',
  'product:update',
  'product:delete',
  'product:publish',
  'product:cost',
  'product-category:read',
  'product-category:create',
  'product-category:update',
  'product-category:delete',
  'stock-flow:read',
  'upload:create',
]
/** Users besides those of the organisations: no cost (6), a clerk who may only read (7), a replenisher of machine 1 (8), a supplier with every right (9). */
export const people = { platform: 1, agent: 2, operator: 3, sibling: 4, stranger: 5, noCost: 6, reader: 7, replenisher: 8, supplier: 9 }

export async function openWorld(now = new Date('2026-11-21T06:00:00Z')): Promise<World> {
  const tree = await openOrgTree({
    now,
    permissions: all,
    people: [
      { user: 6, org: 3, scope: 'ORG_TREE', permissions: all.filter((code) => code !== 'product:cost') },
      { user: 7, org: 3, scope: 'ORG_TREE', permissions: ['product:read'] },
      { user: 8, org: 3, scope: 'ASSIGNED_DEVICES', permissions: ['product:read', 'stock-flow:read'] },
      { user: 9, org: 6, scope: 'ORG_TREE', permissions: all },
    ],
  })
  return {
    ...tree,
    async upload(orgId) {
      const url = `files/${crypto.randomUUID()}.png`
      await tree.rows(`insert into uploads (org_id, kind, mime, bytes, sha256, url) values ($1, 'IMAGE', 'image/png', 10, 'x', $2)`, [orgId, url])
      return url
    },
  }
}

/** A machine of operator 3 with one floor; lanes are added by `addLane`. */
export async function addDevice(world: World, id: number, orgId: number, kind = 'GENERAL', mode: string | null = null): Promise<void> {
  await world.rows(
    `insert into device_types (id, org_id, name, screen, refrigeration, pattern, kind, drop_sensor, max_levels, max_roads) values (1, 1, 'T', true, true, 'spring', 'GENERAL', true, 6, 10) on conflict do nothing`,
  )
  await world.rows(
    `insert into devices (id, org_id, rtu_number, nickname, type_id, province, city, county, address, kind, lifecycle, dispensing_mode, licence_no, licence_address, drop_sensor, secret_hash)
    values ($1, $2, $3, $4, 1, '440000', '440300', '440305', 'A', $5, 'OPERATING', $6, 'L', 'A', true, '\\x00')`,
    [id, orgId, `HD${String(id).padStart(6, '0')}`, `机器${id}`, kind, mode],
  )
  await world.rows(`insert into lane_floors (id, org_id, device_id, level, name) values ($1, $2, $1, 1, '1')`, [id, orgId])
}

export async function addLane(world: World, deviceId: number, orgId: number, road: number, productId: number, price: number): Promise<number> {
  const [row] = await world.rows<{ id: string }>(
    `insert into lanes (org_id, device_id, floor_id, road_index, col, motor_no, product_id, capacity, quantity, retail_price, price) values ($1, $2, $2, $3, $3, $3, $4, 10, 6, $5, $5) returning id`,
    [orgId, deviceId, road, productId, price],
  )
  return Number(row?.id)
}
