import type { Insertable } from 'kysely'
import type { DB } from '../../src/server/schema.ts'

/** As the owner: sees and writes all rows. */
export type Sql = <T>(text: string, values?: unknown[]) => Promise<T[]>
export type Row<T extends keyof DB> = Partial<Insertable<DB[T]>>
type Made = { [T in keyof DB]?: (row: Row<T>) => Row<T> }

const shenzhen = { province: '440000', city: '440300', county: '440305', address: '科苑路15号' }
/** What a table asks of everybody and a test is seldom about. */
const usual: Made = {
  organisations: ({ id }) => ({ kind: 'OPERATOR', name: `机构${id}` }),
  users: ({ username = '' }) => ({ password_hash: 'x', real_name: username }),
  roles: ({ code = '' }) => ({ name: code, name_en: code, rank: 1, data_scope: 'ORG_TREE' }),
  device_types: () => ({
    name: '弹簧机',
    screen: false,
    refrigeration: true,
    pattern: 'spring',
    kind: 'GENERAL',
    drop_sensor: true,
    max_levels: 6,
    max_roads: 10,
  }),
  product_categories: () => ({ name: '饮料' }),
  products: ({ id, drug_class = 'NONE' }) => ({
    category_id: 1,
    name: `商品${id}`,
    model: '1件',
    drug_class,
    cost_price: 100,
    retail_price: 300,
    images: ['x'],
    ...(drug_class === 'NONE'
      ? {}
      : { approval_no: '国药准字Z20147726', dosage_form: '丸剂', manufacturer: '厂' }),
  }),
  devices: ({ id, kind = 'GENERAL' }) => ({
    rtu_number: `HD${String(id).padStart(6, '0')}`,
    nickname: `机器${id}`,
    type_id: 1,
    ...shenzhen,
    kind,
    lifecycle: 'OPERATING',
    drop_sensor: true,
    secret_hash: Buffer.from('x'),
    ...(kind === 'DRUG'
      ? {
          dispensing_mode: 'UNATTENDED',
          licence_no: '粤DB1',
          licence_address: '深圳市南山区科苑路15号',
        }
      : {}),
  }),
  lane_floors: ({ level = 1 }) => ({ level, name: String(level) }),
  lanes: ({ road_index, product_id }) => ({
    col: road_index as number,
    motor_no: road_index as number,
    capacity: 10,
    ...(product_id ? { retail_price: 300, price: 300 } : {}),
  }),
  uploads: () => ({
    kind: 'IMAGE',
    mime: 'image/png',
    bytes: 10,
    sha256: 'x',
    url: `files/${crypto.randomUUID()}.png`,
  }),
  permissions: ({ code = '' }) => ({ menu_group: 'test', name_zh: code, name_en: code, sort: 1 }),
}

/**
 * A row as its table takes it at least, and what this test says of it. Answers its id. `once`: it
 * may stand there already.
 */
export async function add<T extends keyof DB & string>(
  sql: Sql,
  table: T,
  said: Row<T>,
  { once = false } = {},
): Promise<number> {
  const row: Record<string, unknown> = { ...usual[table]?.(said), ...said }
  const names = Object.keys(row)
  const [made] = await sql<{ id?: unknown }>(
    `insert into ${table} (${names.join(', ')})
      values (${names.map((_, i) => `$${i + 1}`).join(', ')})
        ${once ? 'on conflict do nothing' : ''} returning *`,
    Object.values(row),
  )
  return Number(made?.id)
}

/** `[3, 2, 'OPERATOR']`: organisation 3 below 2, which stands before it. */
export async function addOrganisations(
  sql: Sql,
  ...tree: readonly (readonly [
    id: number,
    parent: number | null,
    kind: DB['organisations']['kind'],
    name?: string,
  ])[]
) {
  for (const [id, parent_id, kind, name] of tree) {
    const [above] = await sql<{ path: string }>('select path from organisations where id = $1', [
      parent_id,
    ])
    await add(
      sql,
      'organisations',
      {
        id,
        parent_id,
        kind,
        path: above ? `${above.path}.${id}` : String(id),
        ...(name ? { name } : {}),
      },
      { once: true },
    )
    // these worlds sell without split strategies; tests of those turn it on
    if (kind === 'PLATFORM')
      await add(
        sql,
        'settings',
        { org_id: id, key: 'order.requireSplit', value: 'false' },
        { once: true },
      )
  }
}

export async function addPermissions(sql: Sql, codes: readonly string[]): Promise<void> {
  for (const code of codes) await add(sql, 'permissions', { code }, { once: true })
}

/** What a role may do, besides what it may already. */
export const grant = (sql: Sql, roles: readonly number[], codes: readonly string[]) =>
  sql(
    'insert into role_permissions select r, c from unnest($1::bigint[]) r, unnest($2::text[]) c on conflict do nothing',
    [roles, codes],
  )

export async function addRole(
  sql: Sql,
  row: Row<'roles'>,
  codes: readonly string[] = [],
): Promise<number> {
  const id = await add(sql, 'roles', row)
  await grant(sql, [id], codes)
  return id
}

/** Somebody who holds these roles, by their codes. */
export async function addUser(
  sql: Sql,
  row: Row<'users'>,
  ...roles: readonly string[]
): Promise<number> {
  const id = await add(sql, 'users', row)
  await sql(
    'insert into user_roles (user_id, role_id, org_id) select $1, id, $2 from roles where code = any($3)',
    [id, row.org_id, roles],
  )
  return id
}

/** A machine, on line unless it is said otherwise. */
export async function addDevice(
  sql: Sql,
  row: Row<'devices'>,
  state: Row<'device_states'> = {},
): Promise<number> {
  const id = await add(sql, 'devices', row)
  await add(sql, 'device_states', {
    device_id: id,
    org_id: row.org_id as number,
    online: true,
    ...state,
  })
  return id
}

/** Lanes 1 to `count` of the first level of a machine, all alike. */
export async function addLanes(sql: Sql, count: number, row: Row<'lanes'>): Promise<void> {
  const { org_id, device_id } = row as { org_id: number; device_id: number }
  const floor_id = await add(sql, 'lane_floors', { org_id, device_id })
  for (let road = 1; road <= count; road += 1)
    await add(sql, 'lanes', { floor_id, road_index: road, ...row })
}

/** Rows with ids of their own stand below, rows of the product from `from` on. */
export async function numberFrom(sql: Sql, from: number, ...tables: (keyof DB)[]): Promise<void> {
  for (const table of tables) await sql(`alter table ${table} alter column id restart with ${from}`)
}
