import { shanghaiDay } from '../shared/instants.ts'
import type { App } from './context.ts'
import { type Db, systemScope } from './database.ts'
import { onlyRow } from './rows.ts'

/**
 * Figures of days that are over are added up by organisation, and those of months by machine
 * (`sales_folds`, decision 84). An act ends within half a minute: an hour behind midnight nothing is
 * under way that was begun before it, and what is written into such a day later adds it up again.
 */
export async function foldSales(db: Db, now: Date): Promise<boolean> {
  const day = shanghaiDay(new Date(now.getTime() - 3_600_000))
  const { more } = await onlyRow<{ more: boolean }>(db)`
    select app_fold_sales_until(${day}::date) as more`
  return more
}

/** A month at a time: whoever writes into a day that is over waits meanwhile. */
export async function foldAllSales(app: App): Promise<void> {
  while (await app.database.transact(systemScope, (db) => foldSales(db, app.now())));
}
