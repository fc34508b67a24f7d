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

/**
 * Machines fall silent for minutes or hours now and then, and some had faults that were repaired;
 * the days of it are kept as they go on.
 */
export async function seedOutages(db: Db, now: Date): Promise<void> {
  const before = sql`select device_id, last_seen_at from device_states where online`
  const seen = (await before.execute(db)).rows as { device_id: number; last_seen_at: Date }[]
  for (let n = 0; n < 8; n += 1) {
    // some days apart, and over before the next one begins
    const daysAgo = sql`${4 * (8 - n)} - (device_id % 4)::int`
    await sql`update device_states set online = false, offline_since = ${now}::timestamptz
        - make_interval(days => ${daysAgo}, mins => (device_id * 37 % 1440)::int)
      where online and (device_id * 31 + ${n} * 17) % 5 < 2`.execute(db)
    await sql`update device_states set online = true, offline_since = null,
        last_seen_at = offline_since + make_interval(mins => (5 + (device_id * 13 + ${n} * 29) % 400)::int)
      where not online and offline_since < ${now}::timestamptz - interval '20 hours'
        and offline_cause is null`.execute(db)
  }
  await sql`update device_states s set last_seen_at = x.at
    from unnest(${seen.map((row) => row.device_id)}::bigint[],
      ${seen.map((row) => row.last_seen_at)}::timestamptz[]) as x(id, at)
    where s.device_id = x.id`.execute(db)
  await sql`insert into device_faults (org_id, device_id, code, level, opened_at, closed_at, remark)
    select org_id, device_id, 'SENSOR_FAULT', 'ERROR', at,
      at + make_interval(mins => 30 + (device_id * 53 % 300)::int), '已更换传感器'
    from (select s.*, ${now}::timestamptz
        - make_interval(days => 1 + (device_id * 11 % 58)::int, mins => (device_id * 71 % 600)::int) as at
      from device_states s where device_id % 3 = 0 and last_seen_at is not null) x`.execute(db)
}
