import { sql } from 'kysely'
import type { Db } from '../../server/database.ts'

/**
 * Warnings began when the last piece above their level left; people have heard of those of more
 * than an hour.
 */
export async function seedStockWarnings(db: Db, now: Date): Promise<void> {
  await sql`update stock_warnings w set opened_at = coalesce(f.at,
      ${now}::timestamptz - interval '3 hours')
    from lanes l left join lateral (select max(f.created_at) as at from stock_flows f
      where f.lane_id = l.id and f.before_total > l.warn_qty and f.after_total <= l.warn_qty) f
      on true
    where w.lane_id = l.id and w.kind = 'LOW'`.execute(db)
  await sql`update stock_warnings w set opened_at = coalesce(f.at,
      ${now}::timestamptz - interval '5 hours')
    from lanes l left join lateral (select max(f.created_at) as at from stock_flows f
      where f.lane_id = l.id and f.after_total = 0) f on true
    where w.lane_id = l.id and w.kind = 'SOLD_OUT'`.execute(db)
  await sql`update stock_warnings set opened_at = ${now}::timestamptz - interval '40 minutes'
    where kind = 'COUNT'`.execute(db)
  await sql`insert into stock_warning_calls (org_id, device_id, told_at)
    select org_id, device_id, max(opened_at) + interval '10 minutes' from stock_warnings
    where opened_at < ${now}::timestamptz - interval '1 hour' group by org_id, device_id`.execute(
    db,
  )
}
