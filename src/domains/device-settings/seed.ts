import { sql } from 'kysely'
import type { Db } from '../../server/database.ts'
import { usualTemperature } from '../drug-guard/rules.ts'
import { defaultConfig } from './rules.ts'

/**
 * Every machine at work has its settings; most have taken them. Drug machines keep what all their
 * products need. A machine that is away has not got the newest version, one could not do what was
 * asked.
 */
export async function seedDeviceSettings(db: Db, now: Date): Promise<void> {
  const ago = (hours: number) => new Date(now.getTime() - hours * 3_600_000)
  const {
    tempMin: _,
    tempMax: __,
    humMin,
    humMax,
    limitPerOrder,
    limitPerDay,
    dropSensor: ___,
    autoRefund: ____,
    ...doc
  } = defaultConfig({
    refrigeration: true,
    kind: 'GENERAL',
    dropSensor: true,
    autoRefund: true,
  })
  await sql`insert into device_configs (device_id, config_version, org_id, temp_min, temp_max,
    hum_min, hum_max, limit_per_order, limit_per_day, doc, created_at)
    select d.id, 1, d.org_id, case when t.refrigeration then r.low end, case
      when t.refrigeration then r.high end, ${humMin}, ${humMax}, ${limitPerOrder}, case
      when d.kind = 'DRUG' then 5 else ${limitPerDay}::int end,
      ${JSON.stringify(doc)}::jsonb || jsonb_build_object('dropSensor', d.drop_sensor, 'autoRefund',
        d.auto_refund), d.created_at + interval '1 day'
    from devices d join device_types t on t.id = d.type_id
    cross join lateral (
      select case when n.low <= n.high then n.low else ${usualTemperature.min}::numeric end as low,
        case when n.low <= n.high then n.high else ${usualTemperature.max}::numeric end as high
      from (select coalesce(max(p.store_temp_min) filter (where d.kind = 'DRUG'),
        ${usualTemperature.min}::numeric) as low,
        coalesce(min(p.store_temp_max) filter (where d.kind = 'DRUG'),
          ${usualTemperature.max}::numeric) as high
        from lanes l join products p on p.id = l.product_id
        where l.device_id = d.id and l.archived_at is null) n) r
    where d.lifecycle in ('OPERATING', 'PAUSED')`.execute(db)
  // a second version for one in six, two days ago: louder, at most ten pieces of one customer a day
  await sql`insert into device_configs (device_id, config_version, org_id, temp_min, temp_max,
    hum_min, hum_max, limit_per_order, limit_per_day, doc, by_user, created_at)
    select c.device_id, 2, c.org_id, c.temp_min, c.temp_max, c.hum_min, c.hum_max, 6, 10,
      c.doc || '{"volume": 75}', (select min(u.id) from users u where u.org_id = c.org_id),
      ${ago(50)}
    from device_configs c join device_states s on s.device_id = c.device_id
    where c.device_id % 6 = 1 or not s.online`.execute(db)
  await sql`insert into device_shadows (device_id, kind, org_id, wanted, delivered, applied,
    wanted_at, delivered_at, answered_at)
    select w.device_id, w.kind, w.org_id, w.version, w.version, w.version, w.at,
      w.at + interval '1 second', w.at + interval '3 seconds' from (
      select distinct on (device_id) device_id, 'CONFIG' as kind, org_id, config_version as version,
        created_at as at from device_configs order by device_id, config_version desc) w
    union all
    select id, 'PLANOGRAM', org_id, planogram_version, planogram_version, planogram_version,
      ${ago(70)}, ${ago(70)}, ${ago(70)} from devices
      where lifecycle in ('OPERATING', 'PAUSED') and planogram_version > 0
    on conflict do nothing`.execute(db)
  await sql`update device_shadows s set delivered = 1, applied = 1, delivered_at = null
    from device_states d
    where d.device_id = s.device_id and s.kind = 'CONFIG' and s.wanted = 2
      and not d.online`.execute(db)
  await sql`update device_shadows
    set delivered = wanted, applied = 1, refused = wanted, reason = 'cannot cool below -25'
    where kind = 'CONFIG' and device_id = (select max(device_id) from device_shadows s
      where s.kind = 'CONFIG' and s.wanted = 2 and s.applied = 2)`.execute(db)
  // what the machines measure fits what they are asked to keep, but for those with an alarm
  await sql`update device_states s
    set temperature = round(case when s.temp_alarm then c.temp_max + 3.5
      else (c.temp_min + c.temp_max) / 2 + ((s.device_id % 7) - 3) * 0.2 end, 1)
    from device_configs c where c.device_id = s.device_id and c.config_version = 1
      and c.temp_max is not null
      and (s.temp_alarm or s.temperature not between c.temp_min and c.temp_max)`.execute(db)
}
