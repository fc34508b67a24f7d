import { sql } from 'kysely'
import { type Ctx, iso } from '../../../server/context.ts'
import { startOfHour } from '../../../shared/instants.ts'
import type { Fact } from './facts.ts'

type Sum = { min: number | null; max: number | null; sum: number; count: number }
type Hour = {
  device_id: number
  org_id: number
  hour: string
  temperature: Sum
  humidity: Sum
  rsrp: Sum
}

const nothing = (): Sum => ({ min: null, max: null, sum: 0, count: 0 })
function add(sum: Sum, value: unknown): void {
  if (typeof value !== 'number') return
  const tenth = Math.round(value * 10) / 10
  sum.min = Math.min(sum.min ?? tenth, tenth)
  sum.max = Math.max(sum.max ?? tenth, tenth)
  sum.sum = Math.round((sum.sum + tenth) * 10) / 10
  sum.count += 1
}

/**
 * Adds measurements to the hours of their receipt: sums and extremes, so the order of arrival does
 * not matter. Last in the lock order.
 */
export async function addTelemetry(ctx: Ctx, facts: readonly Fact[]): Promise<void> {
  const hours = new Map<string, Hour>()
  for (const { machine, up, at } of facts) {
    const { temperature, humidity, rsrp } = up.body
    if (temperature === undefined && humidity === undefined && rsrp === undefined) continue
    const hour = iso(startOfHour(at))
    // the hour in which a machine changes hands has a row of each owner
    const key = `${machine.id}/${hour}/${machine.orgId}`
    const row = hours.get(key) ?? {
      device_id: machine.id,
      org_id: machine.orgId,
      hour,
      temperature: nothing(),
      humidity: nothing(),
      rsrp: nothing(),
    }
    hours.set(key, row)
    add(row.temperature, temperature)
    add(row.humidity, humidity)
    add(row.rsrp, rsrp)
  }
  if (hours.size === 0) return
  const rows = [...hours.values()].map(({ temperature: t, humidity: h, rsrp, ...place }) => ({
    ...place,
    ...{
      tn: t.min,
      tx: t.max,
      ts: t.sum,
      tc: t.count,
      hn: h.min,
      hx: h.max,
      hs: h.sum,
      hc: h.count,
      rs: rsrp.sum,
      rc: rsrp.count,
    },
  }))
  await sql`insert into telemetry_hours as t (device_id, hour, org_id, temp_min, temp_max, temp_sum,
    temp_count, hum_min, hum_max, hum_sum, hum_count, rsrp_sum, rsrp_count)
    select device_id, hour, org_id, tn, tx, ts, tc, hn, hx, hs, hc, rs, rc
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(device_id bigint, hour timestamptz,
      org_id bigint, tn numeric, tx numeric, ts numeric, tc int, hn numeric, hx numeric, hs numeric,
      hc int, rs int, rc int)
    order by device_id, hour, org_id
    on conflict (device_id, hour, org_id) do update
    set temp_min = least(t.temp_min, excluded.temp_min),
      temp_max = greatest(t.temp_max, excluded.temp_max), temp_sum = t.temp_sum + excluded.temp_sum,
      temp_count = t.temp_count + excluded.temp_count,
      hum_min = least(t.hum_min, excluded.hum_min), hum_max = greatest(t.hum_max, excluded.hum_max),
      hum_sum = t.hum_sum + excluded.hum_sum, hum_count = t.hum_count + excluded.hum_count,
      rsrp_sum = t.rsrp_sum + excluded.rsrp_sum,
      rsrp_count = t.rsrp_count + excluded.rsrp_count`.execute(ctx.db)
}
