import { sql } from 'kysely'
import type { App } from './context.ts'
import { systemScope } from './database.ts'
import { rowsOf } from './rows.ts'

/** Adds up what came into machines and left them since the last time (decision 94). */
export const addUpStockDays = (app: App) =>
  app.database.transact(systemScope, async (db) => {
    const [free] = await rowsOf<{ free: boolean }>(db)`
      select pg_try_advisory_xact_lock(hashtext('stock_days')) as free`
    if (!free?.free) return
    await sql`with gone as (delete from stock_day_changes returning *)
      insert into stock_days as k select org_id, device_id, product_id, day, sum(replenished),
        sum(taken), sum(withdrawn)
      from gone group by 1, 2, 3, 4
      on conflict (device_id, product_id, day, org_id) do update
        set replenished = k.replenished + excluded.replenished, taken = k.taken + excluded.taken,
          withdrawn = k.withdrawn + excluded.withdrawn`.execute(db)
  })
