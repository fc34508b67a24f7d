import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'

/** One operator with all machines, four full lanes each, and a session of its user. */
export async function fill(owner: pg.Client, machines: number): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await owner.query(
    `insert into organisations (id, parent_id, path, kind, name)
      values (2, 1, '1.2', 'OPERATOR', 'bench')`,
  )
  await owner.query(
    `insert into settings (org_id, key, value) values (2, 'order.requireSplit', 'false')`,
  )
  await owner.query(
    `insert into roles (id, org_id, code, name, name_en, rank, data_scope)
      values (90000, 2, 'ROLE_BENCH', 'b', 'b', 5, 'ORG_TREE')`,
  )
  await owner.query(
    `insert into role_permissions values (90000, 'device:read'), (90000, 'dashboard:money')`,
  )
  await owner.query(
    `insert into users (id, org_id, username, password_hash, real_name)
      values (90000, 2, 'bench', 'x', 'b')`,
  )
  await owner.query(`insert into user_roles (user_id, role_id, org_id) values (90000, 90000, 2)`)
  await owner.query(
    `insert into sessions (token_hash, user_id, org_id, ip, user_agent, created_at, last_seen_at,
      expires_at) values ($1, 90000, 2, '', '', now(), now(), now() + interval '1 day')`,
    [createHash('sha256').update(token).digest()],
  )
  await owner.query(
    `insert into device_types (id, org_id, name, screen, refrigeration, pattern, kind, drop_sensor,
      max_levels, max_roads) values (90000, 2, 't', true, true, 'spring', 'GENERAL', true, 6, 10)`,
  )
  await owner.query(`insert into product_categories (id, org_id, name) values (90000, 2, 'c')`)
  await owner.query(
    `insert into products (id, org_id, category_id, name, model, drug_class, cost_price,
      retail_price, images) values (90000, 2, 90000, 'water', 'x', 'NONE', 100, 300, '{a}')`,
  )
  const numbers = Array.from({ length: machines }, (_, n) => rtuOf(n))
  await owner.query(
    `insert into devices (id, org_id, rtu_number, nickname, type_id, province, city, county,
      address, kind, lifecycle, drop_sensor, secret_hash, broker_hash)
    select 90000 + n, 2, rtu, rtu, 90000, '110000', '110100', '110101', 'a', 'GENERAL', 'OPERATING',
      true, hash, '$7$1$' || repeat('A', 16) || '$' || repeat('A', 86) || '=='
      from unnest($1::text[], $2::bytea[]) with ordinality as x(rtu, hash, n)`,
    [numbers, numbers.map((rtu) => createHash('sha256').update(`secret-${rtu}`).digest())],
  )
  await owner.query(`insert into device_states (device_id, org_id) select id, 2 from devices`)
  await owner.query(
    `insert into lane_floors (org_id, device_id, level, name) select 2, id, 1, '1' from devices`,
  )
  await owner.query(
    `insert into lanes (org_id, device_id, floor_id, road_index, col, motor_no, product_id,
      capacity, quantity, retail_price, price)
      select 2, f.device_id, f.id, n, n, n, 90000, 199, 199, 300, 300
      from lane_floors f, generate_series(1, 4) n`,
  )
  await owner.query('analyze')
  return token
}
export function rtuOf(n: number): string {
  return `B${String(n + 1).padStart(6, '0')}`
}
