import { sql } from 'kysely'
import { demoPassword } from '../../domains/accounts/seed.ts'
import type { Db } from '../../server/database.ts'
import { hashPassword } from '../../server/passwords.ts'

export type Size = {
  readonly orders: number
  readonly machines: number
  readonly operators: number
  readonly days: number
  /** So many of the last orders are over and wait for their shares. */
  readonly unsplit: number
}

export const lanesOfMachine = 12
const lanesOfLevel = 6
const capacity = 12

/** The same number in [0, 1) for the same row and purpose. */
export const dice = (of: string, purpose: number): string =>
  `((hashint8extended(${of}, ${purpose}) & 2147483647) / 2147483648::float8)`

/**
 * Organisations, people, machines, lanes and strategies of a large installation, beside the demo's.
 * The largest of 300 operators has some 290 machines, the smallest eight; every tenth machine has no
 * strategy. What sales need of them stays in the temporary tables `scale_machines` and `scale_lanes`.
 */
export async function fillWorld(db: Db, size: Size, since: Date): Promise<void> {
  await fillOrganisations(db, size, since)
  await fillPeople(db, since)
  await fillMachines(db, size, since)
  await fillStrategies(db, since)
  await sql`create temporary table scale_machines as
    select m.no, d.id, d.org_id, d.rtu_number, d.nickname, d.drop_sensor, s.version_id, s.strategy_id,
      s.parties, s.bounds
    from scale_places m join devices d on d.id = m.id
    left join (select v.org_id, v.id as version_id, v.strategy_id,
        array_agg(p.party_org_id order by p.party_no) as parties,
        array_agg(p.until - p.ratio_bp order by p.party_no) || 10000 as bounds
      from split_strategy_versions v
      join (select *, sum(ratio_bp) over (partition by version_id order by party_no)::bigint as until
        from split_parties) p on p.version_id = v.id
      join scale_orgs g on g.id = v.org_id group by 1, 2, 3) s
      on s.org_id = d.org_id and m.no % 10 <> 9`.execute(db)
  await sql`create unique index on scale_machines (no)`.execute(db)
  await sql`create temporary table scale_lanes as
    select m.no, row_number() over (partition by m.no order by l.road_index)::int - 1 as place, l.id,
      l.road_index as road, l.product_id, p.name, p.model, p.images[1] as img, p.drug_class,
      l.price, p.cost_price as cost, l.capacity, 0::bigint as sold
    from scale_machines m join lanes l on l.device_id = m.id join products p on p.id = l.product_id`.execute(
    db,
  )
  await sql`create unique index on scale_lanes (no, place)`.execute(db)
  await sql`create unique index on scale_lanes (id)`.execute(db)
  await sql`analyze scale_machines, scale_lanes`.execute(db)
}

async function fillOrganisations(db: Db, { operators }: Size, since: Date): Promise<void> {
  const agents = Math.max(1, Math.round(operators / 15))
  await sql`create temporary table scale_orgs as
    select n as no, base + n as id, case when n > ${agents} then 'OPERATOR' else 'AGENT' end as kind,
      case when n > ${agents} and n % 3 > 0 then base + 1 + n % ${agents} end as agent
    from (select max(id) as base from organisations) b,
      generate_series(1, ${agents + operators}::int) n`.execute(db)
  await sql`insert into organisations (id, parent_id, path, kind, name, created_at)
    select id, coalesce(agent, 1), text2ltree(concat_ws('.', 1, agent, id)), kind,
      case kind when 'AGENT' then '华东华南代理' else
        (array['深圳','广州','东莞','佛山','厦门','杭州','苏州','上海','成都','武汉'])[1 + no % 10]
        || (array['鲜享','便利达','乐柜','速取','智邻','好邻居','随手购'])[1 + no % 7] || '零售' end
        || lpad(no::text, 3, '0'), ${since}
    from scale_orgs order by id`.execute(db)
}

/** Somebody of each organisation, `scale001` and so on, with the password of the demo. */
async function fillPeople(db: Db, since: Date): Promise<void> {
  const hash = await hashPassword(demoPassword)
  await sql`with u as (insert into users (org_id, username, is_principal, password_hash, real_name,
        created_at)
      select id, 'scale' || lpad(no::text, 3, '0'), true, ${hash}, '负责人' || no, ${since}
      from scale_orgs order by id returning id, org_id)
    insert into user_roles (user_id, role_id, org_id, created_at)
    select u.id, r.id, u.org_id, ${since} from u join scale_orgs g on g.id = u.org_id
    join roles r on r.org_id = 1
      and r.code = case g.kind when 'AGENT' then 'ROLE_RTU_AGENT' else 'ROLE_RTU_SP' end`.execute(
    db,
  )
}

async function fillMachines(db: Db, { machines, operators }: Size, since: Date): Promise<void> {
  await sql`create temporary table scale_places as
    with o as (select id, row_number() over (order by id) - 1 as at from scale_orgs
        where kind = 'OPERATOR'),
      place as (select province, city, county, lng, lat, address, nickname,
          row_number() over (order by id) - 1 as at, count(*) over () as count from devices
        where lng is not null),
      t as (select id, drop_sensor, row_number() over (order by id) - 1 as at, count(*) over () as count
        from device_types where kind = 'GENERAL' and max_roads <= 10)
    select n as no, base + n as id, o.id as org_id, t.id as type_id, t.drop_sensor, p.province, p.city,
      p.county, p.address, p.nickname, p.lng + (${sql.raw(dice('n', 11))} - 0.5) * 0.05 as lng,
      p.lat + (${sql.raw(dice('n', 12))} - 0.5) * 0.05 as lat
    from (select coalesce(max(id), 0) + 1 as base from devices) b
    cross join generate_series(0, ${machines - 1}::int) n
    join o on o.at = floor(${operators} * power(${sql.raw(dice('n', 10))}, 2))
    join place p on p.at = n % p.count join t on t.at = n % t.count`.execute(db)
  await sql`insert into devices (id, org_id, rtu_number, nickname, type_id, province, city, county,
      address, lng, lat, kind, lifecycle, drop_sensor, secret_hash, planogram_version, created_at)
    select id, org_id, 'HS' || lpad(no::text, 6, '0'), nickname || ' ' || no, type_id, province, city,
      county, address, lng, lat, 'GENERAL', 'OPERATING', drop_sensor,
      sha256(convert_to(gen_random_uuid()::text, 'UTF8')), 1, ${since}
    from scale_places order by id`.execute(db)
  await sql`insert into device_states (device_id, org_id, online, last_seen_at, offline_since,
      offline_cause, signal, rsrp, temperature)
    select id, org_id, online, case when online then now() else ${since}::timestamptz end,
      case when not online then ${since}::timestamptz end, case when not online then 'TIMEOUT' end,
      'strong', -80, 5
    from (select *, ${sql.raw(dice('no', 13))} > 0.06 as online from scale_places) m`.execute(db)
  await sql`insert into lane_floors (org_id, device_id, level, name)
    select org_id, id, level, '第' || level || '层'
    from scale_places, generate_series(1, ${lanesOfMachine / lanesOfLevel}::int) level
    order by id, level`.execute(db)
  await sql`with p as (select *, row_number() over (order by id) - 1 as at, count(*) over () as count
      from products where org_id = 1 and drug_class = 'NONE' and retail_price < 2000)
    insert into lanes (org_id, device_id, floor_id, road_index, col, motor_no, product_id, capacity,
      quantity, warn_qty, retail_price, price)
    select m.org_id, m.id, f.id, (f.level - 1) * 10 + col, col, (f.level - 1) * 10 + col, p.id,
      ${capacity}::int, ${capacity}::int, 3, p.retail_price, p.retail_price
    from scale_places m join lane_floors f on f.device_id = m.id
    cross join generate_series(1, ${lanesOfLevel}::int) col
    join p on p.at = (m.no * 7 + f.level * ${lanesOfLevel}::int + col) % p.count
    order by m.id, f.level, col`.execute(db)
}

/** Each operator's one strategy: his agent's part, if he has one, and the platform's. */
async function fillStrategies(db: Db, since: Date): Promise<void> {
  await sql`with s as (insert into split_strategies (org_id, name, state, created_at, updated_at)
      select id, '标准分账', 'PUBLISHED', ${since}, ${since} from scale_orgs
      where kind = 'OPERATOR' order by id returning id, org_id),
    v as (insert into split_strategy_versions (org_id, strategy_id, version_no, fee_mode, created_at)
      select org_id, id, 1, 'BEFORE', ${since} from s returning id, org_id)
    insert into split_parties (org_id, version_id, party_no, party_org_id, kind, name, ratio_bp,
      is_collector)
    select v.org_id, v.id, x.no, x.party, o.kind, o.name, x.bp, x.no = 1
    from v join scale_orgs g on g.id = v.org_id cross join lateral (values
      (1, g.id, 8500 - 25 * (g.no % 9)::int + case when g.agent is null then 1000 else 0 end),
      (2, 1::bigint, 500 + 25 * (g.no % 9)::int), (3, g.agent, 1000)) x(no, party, bp)
    join organisations o on o.id = x.party`.execute(db)
  await sql`update split_strategy_versions v set state = 'PUBLISHED', published_at = ${since},
      valid_from = ${since} from scale_orgs g where g.id = v.org_id`.execute(db)
  await sql`insert into split_bindings (org_id, device_id, strategy_id, bound_at)
    select m.org_id, m.id, s.id, ${since} from scale_places m
    join split_strategies s on s.org_id = m.org_id where m.no % 10 <> 9 order by m.id`.execute(db)
}
