import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { refreshBilling } from '../../domains/billing/seed.ts'
import { counterStatements } from '../../domains/machines/server/counters.ts'
import { withClient } from '../../server/catalogue.ts'
import type { Db } from '../../server/database.ts'
import { ensurePartitions } from '../../server/partitions.ts'
import { rowsOf } from '../../server/rows.ts'
import type { DB } from '../../server/schema.ts'
import { dayMs } from '../../shared/instants.ts'
import { sumUp } from '../load.ts'
import { endSales, fillSales, startSales, timesOf } from './sales.ts'
import { fillWorld, type Size } from './world.ts'

export type { Size } from './world.ts'
export const usualSize: Size = {
  orders: 2_000_000,
  machines: 5000,
  operators: 300,
  days: 400,
  unsplit: 0,
}
/** Somebody's business, or a demo that somebody works with, is not filled up. */
export async function refuseFilled(url: string): Promise<void> {
  const filled = await withClient(url, async (client) => {
    const { rows } = await client.query(`select to_regclass('public.users') as users`)
    if (rows[0]?.users === null) return false
    return (await client.query('select from users limit 1')).rows.length > 0
  })
  if (filled)
    throw new Error(
      'This database is not empty. Give an empty one, or empty it: npm run db -- reset',
    )
}

/** So many sales are one transaction. */
const part = 25_000

/**
 * A large installation beside the demo business, for measurements: sales over a year and more with
 * their pieces, goods, payments, refunds, vouchers and shares, and the figures that are kept of them.
 * Set by set within the database, the same for the same day and size; every invariant holds. As the
 * owner, on one connection; whoever measures vacuums and analyzes then.
 */
export async function fillScale(
  ownerUrl: string,
  size: Size,
  { now = new Date(), log = () => {} }: { now?: Date; log?: (line: string) => void } = {},
): Promise<void> {
  const span = { size, now }
  const since = new Date(timesOf(span).first.getTime() - dayMs)
  await ensurePartitions(ownerUrl, now, Math.ceil(size.days / 28) + 1, 3)
  const pool = new pg.Pool({ connectionString: ownerUrl, max: 1, idleTimeoutMillis: 0 })
  pool.on('error', () => {}) // the statement that needs it says so
  const db: Db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) })
  try {
    for (const [name, value] of [
      ['app.all', 'on'],
      ['synchronous_commit', 'off'],
      ['work_mem', '256MB'],
      ['temp_buffers', '64MB'],
    ])
      await sql`select set_config(${name}, ${value}, false)`.execute(db)
    await fillWorld(db, size, since)
    log(`${size.operators} operators, ${size.machines} machines`)
    await startSales(db)
    const quick = await setReplica(db, true)
    for (let from = 1; from <= size.orders; from += part) {
      const to = Math.min(size.orders, from + part - 1)
      await db.transaction().execute((tx) => fillSales(tx, span, from, to))
      if (to % (10 * part) === 0 || to === size.orders) log(`${to} orders`)
    }
    if (quick) await setReplica(db, false)
    await endSales(db)
    await refreshFigures(db, now)
    log('figures')
  } finally {
    await db.destroy()
  }
}

/** A superuser writes the sales without their triggers: foreign keys alone would take half the time. */
async function setReplica(db: Db, on: boolean): Promise<boolean> {
  const { rows } = await sql`select set_config('session_replication_role',
      ${on ? 'replica' : 'origin'}, false) from pg_roles
    where rolname = current_user and rolsuper`.execute(db)
  return rows.length > 0
}

/** Of everything, anew: parties of the demo have shares of these sales, too. */
async function refreshFigures(db: Db, now: Date): Promise<void> {
  await db.transaction().execute(async (tx) => {
    for (const table of ['sales_rollups', 'product_rollups', 'bill_days', 'bill_shares'] as const)
      await sql`delete from ${sql.table(table)}`.execute(tx)
    await sumUp(tx)
    await refreshBilling(tx, now)
    await refreshSplits(tx)
    await refreshCounts(tx)
  })
  const machines = await rowsOf<{ id: number }>(db)`select id from scale_machines`
  for (const statement of counterStatements(machines.map(({ id }) => id)))
    await statement.execute(db)
}

/** What is due of shares, and what strategies gave. */
async function refreshSplits(db: Db): Promise<void> {
  await sql`delete from split_dues`.execute(db)
  await sql`insert into split_dues (org_id, config_id, mode, done, day, amount, kept)
    select org_id, config_id, mode, done, day, sum(amount), true
    from (select * from split_due_facts union all select * from split_due_moved) f
    group by 1, 2, 3, 4, 5 having sum(amount) <> 0`.execute(db)
  await sql`delete from split_days`.execute(db)
  await sql`insert into split_days (org_id, strategy_id, version_id, day, given)
    select org_id, strategy_id, version_id, day, sum(given) from split_day_facts
    group by 1, 2, 3, 4`.execute(db)
}

/** How many rows each day of a list has; those of organisation 0 are of all of them. */
async function refreshCounts(db: Db): Promise<void> {
  await sql`delete from row_count_changes`.execute(db)
  await sql`delete from row_counts`.execute(db)
  await sql`insert into row_counts select * from row_count_facts`.execute(db)
  await sql`insert into row_counts
    select 0, list, day, kind, sum(rows), sum(amount), sum(refunded), sum(cost)
    from row_counts group by 2, 3, 4`.execute(db)
}
