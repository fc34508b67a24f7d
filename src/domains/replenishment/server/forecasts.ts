import { type RawBuilder, sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'

/** Days of sales that say how fast a product goes, and how many there must be. */
const days = 14
const fewest = 2

/**
 * When the first product of each machine will be gone, if it goes on selling as it did. A product
 * counts from its first day of sales here; a lane that is empty already is gone now.
 */
export const forecastStatement = (now: Date, deviceIds: RawBuilder<unknown>) => {
  const today = shanghaiDay(now)
  return sql`
    insert into sell_out_forecasts as s (device_id, org_id, sells_out_at, days, computed_at)
    select d.id, d.org_id,
      ${now}::timestamptz + min(least(p.left / p.rate, 8760)) filter (where p.rate is not null)
        * interval '1 hour',
      coalesce(max(p.days), 0), ${now}::timestamptz
    from devices d left join lateral (
      select l.left, r.days, r.pieces / (r.days * 24.0) as rate
      from (select product_id, greatest(sum(quantity - reserved - failed_hold), 0) as left
        from lanes where device_id = d.id and archived_at is null and status = 'ENABLED'
          and product_id is not null group by product_id) l
      cross join lateral (select sum(pieces) as pieces,
          least(${days}, ${today}::date - min(day)) as days
        from product_rollups r where r.device_id = d.id and r.product_id = l.product_id
          and r.org_id = d.org_id and r.day >= ${addDays(today, -days)}::date
          and r.day < ${today}::date and r.pieces > 0) r
      where r.pieces > 0 and r.days >= ${fewest}) p on true
    where d.id in (${deviceIds}) group by d.id, d.org_id
    on conflict (device_id) do update set org_id = excluded.org_id, days = excluded.days,
      sells_out_at = excluded.sells_out_at, computed_at = excluded.computed_at`
}

export function forecast(ctx: Ctx, deviceIds: readonly number[]): void {
  if (deviceIds.length)
    ctx.later(forecastStatement(ctx.now, sql`select unnest(${[...deviceIds]}::bigint[])`))
}

/** All machines in use, some at a time: nobody waits for the rest. */
export async function forecastAll(app: App): Promise<number> {
  let last = 0
  let all = 0
  for (;;) {
    const ids = await bySystem(app, async (ctx) => {
      const rows = await rowsOf<{ id: number }>(ctx.db)`select id from devices
        where id > ${last} and lifecycle in ('OPERATING','PAUSED') order by id limit 200`
      const some = rows.map((row) => row.id)
      forecast(ctx, some)
      return some
    })
    if (!ids.length) return all
    all += ids.length
    last = ids.at(-1) as number
  }
}
