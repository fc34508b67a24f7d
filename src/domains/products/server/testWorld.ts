import { add } from '../../../../test/factories/things.ts'
import { type OrgTree, openOrgTree } from '../../../../test/support/orgTree.ts'
import type { DB } from '../../../server/schema.ts'

type Kind = DB['devices']['kind']
type Mode = DB['devices']['dispensing_mode']
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
  'product:import',
  'lane:read',
  'lane:price',
  'product-category:read',
  'product-category:create',
  'product-category:update',
  'product-category:delete',
  'stock-flow:read',
  'trace-code:read',
  'upload:create',
]
/**
 * Users besides those of the organisations: no cost (6), a clerk who may only read (7), a
 * replenisher of machine 1 (8), a supplier with every right (9) and one as they are made (10).
 */
export const people = {
  platform: 1,
  agent: 2,
  operator: 3,
  sibling: 4,
  stranger: 5,
  noCost: 6,
  reader: 7,
  replenisher: 8,
  supplier: 9,
  delivers: 10,
}

export async function openWorld(now = new Date('2026-11-21T06:00:00Z')): Promise<World> {
  const tree = await openOrgTree({
    now,
    permissions: all,
    people: [
      {
        user: 6,
        org: 3,
        scope: 'ORG_TREE',
        permissions: all.filter((code) => code !== 'product:cost'),
      },
      { user: 7, org: 3, scope: 'ORG_TREE', permissions: ['product:read'] },
      {
        user: 8,
        org: 3,
        scope: 'ASSIGNED_DEVICES',
        permissions: ['product:read', 'stock-flow:read'],
      },
      { user: 9, org: 6, scope: 'ORG_TREE', permissions: all },
      {
        user: 10,
        org: 6,
        scope: 'ORG_TREE',
        permissions: ['product:read', 'product:create', 'product:update'],
      },
    ],
  })
  return {
    ...tree,
    async upload(orgId) {
      const url = `files/${crypto.randomUUID()}.png`
      await add(tree.sql, 'uploads', { org_id: orgId, url })
      return url
    },
  }
}

/** A machine with one floor; lanes are added by `addLane`. */
export async function addDevice(
  { sql }: World,
  id: number,
  org_id: number,
  kind: Kind = 'GENERAL',
  mode?: Mode,
): Promise<void> {
  await add(sql, 'device_types', { id: 1, org_id: 1 }, { once: true })
  await add(sql, 'devices', { id, org_id, kind, ...(mode ? { dispensing_mode: mode } : {}) })
  await add(sql, 'lane_floors', { id, org_id, device_id: id })
}

export const addLane = (
  { sql }: World,
  device_id: number,
  org_id: number,
  road_index: number,
  product_id: number,
  price: number,
): Promise<number> =>
  add(sql, 'lanes', {
    org_id,
    device_id,
    floor_id: device_id,
    road_index,
    product_id,
    quantity: 6,
    retail_price: price,
    price,
  })
