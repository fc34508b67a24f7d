import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { sumDays } from '../../domains/billing/seed.ts'
import { counterStatements } from '../../domains/machines/server/counters.ts'
import { withClient } from '../../server/catalogue.ts'
import type { Db } from '../../server/database.ts'
import { foldSales } from '../../server/folds.ts'
import { ensurePartitions } from '../../server/partitions.ts'
import { rebuildRollups } from '../../server/rollups.ts'
import { rowsOf } from '../../server/rows.ts'
import type { DB } from '../../server/schema.ts'
import { dayMs } from '../../shared/instants.ts'
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
    await refreshFigures(db, pool, now)
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
async function refreshFigures(db: Db, pool: pg.Pool, now: Date): Promise<void> {
  // days that are over are added up from the figures of machines, below
  await sql`update sales_folded set until = '2000-01-01'`.execute(db)
  const client = await pool.connect()
  try {
    // nothing is known of these rows yet
    await client.query('analyze')
    await rebuildRollups(client)
  } finally {
    client.release()
  }
  await sql`delete from ledger_days`.execute(db)
  await sumDays(db, now)
  while (await foldSales(db, now));
  const machines = await rowsOf<{ id: number }>(db)`select id from scale_machines`
  for (const statement of counterStatements(machines.map(({ id }) => id)))
    await statement.execute(db)
}
