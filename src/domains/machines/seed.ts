import { sql } from 'kysely'
import type { Db } from '../../server/database.ts'

/**
 * A month of measurements by the hour and a day of messages, drawn as a wave by the hour around
 * what each machine measures now.
 */
export async function seedTelemetry(db: Db, now: Date): Promise<void> {
  const hour = new Date(Math.floor(now.getTime() / 3_600_000) * 3_600_000)
  // a machine with an alarm was well until an hour ago
  const usual = sql`case when s.temp_alarm then s.temperature - 5 else s.temperature end`
  const wave = (at: ReturnType<typeof sql>) =>
    sql`sin(extract(hour from ${at} at time zone 'Asia/Shanghai') / 24.0 * 2 * pi() +
      s.device_id)::numeric`
  await sql`insert into telemetry_hours (device_id, hour, org_id, temp_min, temp_max, temp_sum,
    temp_count, hum_min, hum_max, hum_sum, hum_count, rsrp_sum, rsrp_count)
    select device_id, hour, org_id, t - 0.4, t + 0.5, t * 12, 12, h - 1.5, h + 2, h * 12, 12,
      rsrp * 12, 12 from (
      select s.device_id, s.org_id, g as hour, round(${usual} + ${wave(sql`g`)} * 0.6, 1) as t,
        round(least(95, s.humidity + ${wave(sql`g`)} * 5), 1) as h,
        s.rsrp - (s.device_id % 3)::int as rsrp
      from device_states s cross
      join generate_series(${hour}::timestamptz - interval '30 days',
        ${hour}::timestamptz - interval '1 hour', interval '1 hour') g
        where s.temperature is not null) x`.execute(db)
  await sql`insert into device_messages (org_id, created_at, device_id, boot, seq, kind, device_ts,
    payload)
    select s.org_id, g, s.device_id, lpad('1', 12, '0'), row_number() over (partition by s.device_id
      order by g), 'telemetry', g,
      jsonb_build_object('temperature', round(${usual} + ${wave(sql`g`)} * 0.6, 1), 'humidity',
        round(least(95, s.humidity + ${wave(sql`g`)} * 5), 1), 'rsrp', s.rsrp)
    from device_states s cross
    join generate_series(${now}::timestamptz - interval '24 hours',
      ${now}::timestamptz - interval '10 minutes', interval '30 minutes') g
    where s.temperature is not null and s.last_seen_at > g`.execute(db)
}
