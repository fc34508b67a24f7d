import { sql } from 'kysely'
import { shanghaiDay } from '../shared/instants.ts'
import type { App } from './context.ts'
import { type Db, systemScope } from './database.ts'
import { onlyRow } from './rows.ts'

/**
 * Figures of buyers are made an hour behind midnight, and anew where something was written into a
 * day that is over: one organisation at a time, then all of them together (decision 94).
 */
export const beginBuyers = (db: Db, now: Date) =>
  sql`select app_fold_buyers_until(${shanghaiDay(new Date(now.getTime() - 3_600_000))}::date)`.execute(
    db,
  )
export const foldBuyers = async (db: Db): Promise<boolean> =>
  (await onlyRow<{ org: number | null }>(db)`select app_fold_buyers() as org`).org !== null

export async function foldAllBuyers(app: App): Promise<void> {
  await app.database.transact(systemScope, (db) => beginBuyers(db, app.now()))
  while (await app.database.transact(systemScope, foldBuyers));
}
