import { sql } from 'kysely'
import type { Db } from '../../server/database.ts'
import { rowsOf } from '../../server/rows.ts'
import { counterStatements } from '../machines/server/counters.ts'

/** Lanes that wait for somebody, excursions, and what was refused lately. */
export async function seedDrugControl(db: Db, now: Date): Promise<void> {
  const at = (hours: number) => new Date(now.getTime() - hours * 3_600_000)
  const lanes = await rowsOf<{ id: number; device: number; n: number }>(db)`
    select l.id, l.device_id as device, row_number() over (order by l.id) as n from lanes l
    join products p on p.id = l.product_id join devices d on d.id = l.device_id
    where p.drug_class <> 'NONE' and l.status = 'ENABLED' and l.archived_at is null
      and d.lifecycle = 'OPERATING' and l.quantity > 0 and l.reserved = 0
      and l.road_index % 7 = 3 order by l.id limit 9`
  const reasons = ['TEMPERATURE', 'TRACE_CODE', 'COMPLIANCE'] as const
  for (const [i, lane] of lanes.entries())
    await sql`update lanes set status = 'LOCKED', lock_reason = ${reasons[i % reasons.length]},
      locked_at = ${at(2 + 5 * i)} where id = ${lane.id}`.execute(db)
  // the curve of an evening on which the cooling stood still
  const point = sql`jsonb_build_array(to_char(t at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
    round((x.high + 4 * sin(pi() * extract(epoch from t - x.from_at)
      / extract(epoch from x.to_at - x.from_at)))::numeric, 1))`
  await sql`
    with x as (
      select d.org_id, d.id, row_number() over (partition by d.org_id order by d.kind = 'DRUG' desc,
          d.id) as n, coalesce(c.temp_min, 2) as low, coalesce(c.temp_max, 8) as high
      from devices d join device_types t on t.id = d.type_id
      left join lateral (select temp_min, temp_max from device_configs c where c.device_id = d.id
        order by config_version desc limit 1) c on true
      where t.refrigeration and d.lifecycle = 'OPERATING'),
    y as (select x.*, b.from_at,
        b.from_at + interval '50 minutes' + n * interval '7 minutes' as to_at
      from x cross join lateral (select ${now}::timestamptz - n * interval '31 hours'
        - x.id % 9 * interval '53 minutes' as from_at) b where n <= 4)
    insert into temperature_excursions (org_id, device_id, kind, from_at, to_at, temp_min, temp_max,
      limit_low, limit_high, sampled_at, curve, locked_at, lanes, decision, reason, decided_by,
      decided_at)
    select x.org_id, x.id, case when n = 4 then 'UNKNOWN' else 'OUTSIDE' end, from_at, to_at,
      case when n <> 4 then high end, case when n <> 4 then high + 4 end, low, high, to_at,
      case when n = 4 then '[]' else (select jsonb_agg(${point} order by t)
        from generate_series(x.from_at, x.to_at, interval '5 minutes') t) end,
      case when k.locked then from_at + interval '30 minutes' end,
      case when k.locked then l.lanes else '[]' end,
      case when k.decided then case n % 2 when 0 then 'RELEASED' else 'SCRAPPED' end end,
      case when k.decided then '已核对温度记录与药品说明书' else '' end,
      case when k.decided then u.id end,
      case when k.decided then to_at + interval '2 hours' end
    from y x
    cross join lateral (select coalesce(jsonb_agg(jsonb_build_object('id', l.id, 'road',
        l.road_index, 'product', p.name, 'drugClass', p.drug_class, 'qty', l.quantity)
        order by l.id), '[]') as lanes
      from (select * from lanes l where l.device_id = x.id and l.archived_at is null
        and l.product_id is not null and (x.n > 2 or l.lock_reason = 'TEMPERATURE')
        order by l.id limit 6) l join products p on p.id = l.product_id) l
    left join lateral (select u.id from users u where u.org_id = x.org_id and u.status = 'ENABLED'
      order by u.id limit 1) u on true
    cross join lateral (select b.locked, n > 2 and b.locked and u.id is not null as decided
      from (select n % 3 > 0 and l.lanes <> '[]' as locked) b) k`.execute(db)
  await sql`
    insert into drug_guard_refusals (org_id, device_id, road, product_id, product_name, drug_class,
      rule, key, act, user_id, who, span, first_at, last_at, times)
    select d.org_id, d.id, 1 + d.n::int, p.id, p.name, p.drug_class, r.rule, r.key, r.act,
      case when r.act in ('PLACE', 'COPY') then u.id end,
      case when r.act in ('PLACE', 'COPY') then coalesce(u.username, '') else '' end,
      date_trunc('hour', w.at), w.at, w.at + interval '9 minutes', 1 + d.n::int % 3
    from (select d.*, row_number() over (order by d.id) as n from devices d
      where d.kind = 'DRUG' and d.lifecycle = 'OPERATING') d
    join (values (0, 2, 'otcARefused', 'PLACE', 'OTC_A'), (1, 2, 'rxRefused', 'COPY', 'RX'),
      (2, 1, 'noLicence', 'NIGHTLY', 'OTC_B')) r (n, rule, key, act, drug_class) on r.n = d.n % 3
    cross join lateral (select * from products p where p.drug_class = r.drug_class
      order by p.id limit 1) p
    cross join lateral (select ${now}::timestamptz - d.n * interval '17 hours' as at) w
    left join lateral (select * from users u where u.org_id = d.org_id and u.status = 'ENABLED'
      order by u.id limit 1) u on true
    where d.n <= 14`.execute(db)
  // the quality manager of the pharmacy was there on the last thirty days
  await sql`insert into pharmacists (user_id, org_id, licence_no, valid_until)
    select u.id, u.org_id, 'YS4403201806217', ${now}::date + 400 from users u
    where u.username = 'huangshuzhen'`.execute(db)
  await sql`
    insert into pharmacist_duties (org_id, store_id, user_id, place, store_name, name, licence_no,
      began_at, seen_at, ended_at)
    select h.org_id, s.id, h.user_id, case when n % 6 = 0 then 'REMOTE' else 'ONSITE' end,
      s.store_name, u.real_name, h.licence_no, t.began, t.ended - interval '20 seconds', t.ended
    from pharmacists h join users u on u.id = h.user_id
    join stores s on s.org_id = h.org_id and exists (select from devices d
      where d.store_id = s.id and d.dispensing_mode = 'PHARMACIST')
    cross join generate_series(1, 30) n
    cross join lateral (select date_trunc('day', ${now}::timestamptz, 'Asia/Shanghai')
      - n * interval '1 day' as midnight) m
    cross join lateral (select midnight + interval '8:52:00' + n * 37 % 11 * interval '1 minute' as
      began, midnight + interval '20:31:00' + n * 53 % 17 * interval '1 minute' as ended) t
    order by n desc`.execute(db)
  for (const statement of counterStatements([...new Set(lanes.map(({ device }) => device))]))
    await statement.execute(db)
}
