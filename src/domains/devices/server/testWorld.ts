import { type OrgTree, openOrgTree } from '../../../../test/support/orgTree.ts'

export type World = OrgTree

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
/** Besides the organisations: a reader without money and cost (6), a repairer of no machine yet (7), a replenisher of machine 1 (8). */
export const people = { platform: 1, agent: 2, operator: 3, sibling: 4, stranger: 5, reader: 6, repairer: 7, replenisher: 8 }
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
        permissions: ['device:read', 'device:create', 'device:update', 'lane:read', 'fault:read', 'fault:update'],
        role: 'ROLE_RTU_REPAIRER',
      },
      { user: 8, org: 3, scope: 'ASSIGNED_DEVICES', permissions: ['device:read', 'lane:read'] },
    ],
  })
  // types of the platform: spring 1, drug 2, small 3; a type of another operator: 4
  for (const [id, org, name, kind, pattern, levels, roads] of [
    [1, 1, '弹簧机', 'GENERAL', 'spring', 6, 10],
    [2, 1, '售药机', 'DRUG', 'lift', 6, 10],
    [3, 1, '小机', 'GENERAL', 'spring', 2, 5],
    [4, 5, '外机', 'GENERAL', 'spring', 6, 10],
  ] as const) {
    await world.rows(
      'insert into device_types (id, org_id, name, screen, refrigeration, pattern, kind, drop_sensor, max_levels, max_roads) values ($1, $2, $3, false, true, $4, $5, true, $6, $7)',
      [id, org, name, pattern, kind, levels, roads],
    )
  }
  await world.rows(`insert into product_categories (id, org_id, name) values (1, 1, '饮料')`)
  for (const [id, org, drug, status] of [
    [1, 3, 'NONE', 'ON'],
    [2, 1, 'NONE', 'ON'],
    [3, 3, 'OTC_B', 'ON'],
    [4, 3, 'OTC_A', 'ON'],
    [5, 3, 'RX', 'ON'],
    [6, 5, 'NONE', 'ON'],
    [7, 3, 'NONE', 'OFF'],
    [8, 4, 'NONE', 'ON'],
  ] as const) {
    await world.rows(
      `insert into products (id, org_id, category_id, name, model, drug_class, cost_price, retail_price, approval_no, dosage_form, manufacturer, images, status) values ($1, $2, 1, $3, '1件', $4, 100, 300, $5, $6, '厂', '{x}', $7)`,
      [id, org, `商品${id}`, drug, drug === 'NONE' ? null : '国药准字Z20147726', drug === 'NONE' ? null : '丸剂', status],
    )
  }
  // rows with ids of their own stand below, rows of the product from 1000 on
  for (const table of ['devices', 'device_types']) await world.rows(`alter table ${table} alter column id restart with 1000`)
  return world
}

/** A machine straight into the tables; type 1 unless it is a drug machine. */
export async function addDevice(
  world: World,
  id: number,
  orgId: number,
  more: { kind?: string; mode?: string; lifecycle?: string; online?: boolean } = {},
): Promise<void> {
  const drug = more.kind === 'DRUG'
  await world.rows(
    `insert into devices (id, org_id, rtu_number, nickname, type_id, province, city, county, address, kind, lifecycle, dispensing_mode, licence_no, licence_address, drop_sensor, secret_hash, board_no, created_at)
    values ($1, $2, $3, $4, $5, '440000', '440300', '440305', '科苑路15号', $6, $7, $8, $9, $10, true, 'x', $11, $12)`,
    [
      id,
      orgId,
      `HD${String(id).padStart(6, '0')}`,
      `机器${id}`,
      drug ? 2 : 1,
      more.kind ?? 'GENERAL',
      more.lifecycle ?? 'OPERATING',
      drug ? (more.mode ?? 'UNATTENDED') : null,
      drug ? '粤DB1' : '',
      drug ? '深圳市南山区科苑路15号' : '',
      more.lifecycle === 'SCRAPPED' ? null : `BOARD-${id}`,
      now,
    ],
  )
  await world.rows('insert into device_states (device_id, org_id, online) values ($1, $2, $3)', [id, orgId, more.online ?? true])
}
