import { add, addDevice as makeDevice, numberFrom } from '../../../../test/factories/things.ts'
import { type OrgTree, openOrgTree } from '../../../../test/support/orgTree.ts'
import type { DB } from '../../../server/schema.ts'

export type World = OrgTree
type Kind = DB['devices']['kind']
type Mode = DB['devices']['dispensing_mode']
type Lifecycle = DB['devices']['lifecycle']

const all = [
  'dashboard:read',
  'product:read',
  'device:read',
  'device:create',
  'device:update',
  'device:delete',
  'device-type:read',
  'device-type:create',
  'device-type:update',
  'device-type:delete',
  'lane:read',
  'lane:update',
  'lane:merge',
  'lane:rebuild',
  'lane:copy',
  'lane:price',
  'lane:lock',
  'fault:read',
  'fault:update',
  'dashboard:money',
  'product:cost',
  'order:read',
]
/**
 * Besides the organisations: a reader without money and cost (6), a repairer of no machine yet (7),
 * a replenisher of machine 1 (8).
 */
export const people = {
  platform: 1,
  agent: 2,
  operator: 3,
  sibling: 4,
  stranger: 5,
  reader: 6,
  repairer: 7,
  replenisher: 8,
}
export const now = new Date('2026-11-21T06:00:00Z')

export async function openWorld(): Promise<World> {
  const world = await openOrgTree({
    now,
    permissions: all,
    people: [
      { user: 6, org: 3, scope: 'ORG_TREE', permissions: ['device:read', 'lane:read'] },
      {
        user: 7,
        org: 3,
        scope: 'ASSIGNED_DEVICES',
        permissions: [
          'device:read',
          'device:create',
          'device:update',
          'lane:read',
          'fault:read',
          'fault:update',
        ],
        role: 'ROLE_RTU_REPAIRER',
      },
      { user: 8, org: 3, scope: 'ASSIGNED_DEVICES', permissions: ['device:read', 'lane:read'] },
    ],
  })
  const { sql } = world
  // types of the platform: spring 1, drug 2, small 3; a type of another operator: 4
  await add(sql, 'device_types', { id: 1, org_id: 1 })
  await add(sql, 'device_types', {
    id: 2,
    org_id: 1,
    name: '售药机',
    kind: 'DRUG',
    pattern: 'lift',
  })
  await add(sql, 'device_types', { id: 3, org_id: 1, name: '小机', max_levels: 2, max_roads: 5 })
  await add(sql, 'device_types', { id: 4, org_id: 5, name: '外机' })
  await add(sql, 'product_categories', { id: 1, org_id: 1 })
  for (const [id, org_id, drug_class, status] of [
    [1, 3, 'NONE', 'ON'],
    [2, 1, 'NONE', 'ON'],
    [3, 3, 'OTC_B', 'ON'],
    [4, 3, 'OTC_A', 'ON'],
    [5, 3, 'RX', 'ON'],
    [6, 5, 'NONE', 'ON'],
    [7, 3, 'NONE', 'OFF'],
    [8, 4, 'NONE', 'ON'],
  ] as const)
    await add(sql, 'products', { id, org_id, drug_class, status })
  await numberFrom(sql, 1000, 'devices', 'device_types')
  return world
}

/** A machine straight into the tables; type 1 unless it is a drug machine. */
export async function addDevice(
  { sql }: World,
  id: number,
  orgId: number,
  {
    kind = 'GENERAL',
    mode,
    lifecycle = 'OPERATING',
    online = true,
  }: { kind?: Kind; mode?: Mode; lifecycle?: Lifecycle; online?: boolean } = {},
): Promise<void> {
  const row = {
    id,
    org_id: orgId,
    kind,
    type_id: kind === 'DRUG' ? 2 : 1,
    lifecycle,
    board_no: lifecycle === 'SCRAPPED' ? null : `BOARD-${id}`,
    created_at: now,
  }
  await makeDevice(sql, { ...row, ...(mode ? { dispensing_mode: mode } : {}) }, { online })
}
