import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { sumDays } from '../../domains/billing/seed.ts'
import { counterStatements } from '../../domains/machines/server/counters.ts'
import { beginBuyers } from '../../server/buyerFolds.ts'
import { withClient } from '../../server/catalogue.ts'
import type { Db } from '../../server/database.ts'
import { ensurePartitions } from '../../server/partitions.ts'
import { fillRollups, rollups } from '../../server/rollups.ts'
import { rowsOf } from '../../server/rows.ts'
import type { DB } from '../../server/schema.ts'
import { dayMs, shanghaiDay } from '../../shared/instants.ts'
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
const part = 100_000

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
    await sql.raw(settings).execute(db)
    await fillWorld(db, size, since)
    log(`${size.operators} operators, ${size.machines} machines`)
    await startSales(db)
    const quick = await setReplica(db, true)
    const ofSold = await indexesOf(db, sold)
    const ofSums = await indexesOf(db, summed)
    for (const { drop } of [...ofSold, ...ofSums]) await sql.raw(drop).execute(db)
    for (let from = 1; from <= size.orders; from += part) {
      const to = Math.min(size.orders, from + part - 1)
      await db.transaction().execute((tx) => fillSales(tx, span, from, to))
      if (to % (10 * part) === 0 || to === size.orders) log(`${to} orders`)
    }
    if (quick) await setReplica(db, false)
    log('sales')
    // nothing is known of these rows yet; a rough idea is enough, whoever measures looks closer
    await sql`set default_statistics_target = 10`.execute(db)
    await sql`analyze`.execute(db)
    await endSales(db, size)
    // all days that are over are added up at once
    const until = shanghaiDay(new Date(now.getTime() - 3_600_000))
    await sql`update sales_folded set until = ${until}`.execute(db)
    await beginBuyers(db, now)
    // as many at once as there are cores; of everything: parties of the demo have shares, too
    await Promise.all([
      sumTables(ownerUrl, (table) => ofBills.has(table)),
      makeIndexes(ownerUrl, ofSold),
      sumTables(ownerUrl, (table) => !ofBills.has(table)),
      sql`delete from ledger_days`.execute(db).then(() => sumDays(db, now)),
    ])
    log('figures')
    const half = ofSums.length >> 1
    await Promise.all([
      makeIndexes(ownerUrl, ofSums.slice(0, half)),
      makeIndexes(ownerUrl, ofSums.slice(half)),
    ])
    await setCounters(db)
    log('indexes')
  } finally {
    await db.destroy()
  }
}

/** What is written in bulk: indexes of all of it are quicker than of each row. */
const sold = [
  ...[
    'orders',
    'order_keys',
    'order_units',
    'stock_flows',
    'stock_flow_keys',
    'payments',
    'refunds',
  ],
  ...['split_orders', 'split_units', 'split_shares', 'ledger_entries', 'ledger_voucher_keys'],
]
const summed = [...new Set(rollups.map(({ table }) => table))]
const ofBills = new Set(['bill_days', 'bill_shares', 'row_counts', 'row_count_changes'])
const settings = Object.entries({
  'app.all': 'on',
  synchronous_commit: 'off',
  work_mem: '256MB',
  temp_buffers: '256MB',
  wal_compression: 'off',
})
  .map(([name, value]) => `select set_config('${name}', '${value}', false)`)
  .join('; ')
/** A statement that drops an index, and one that makes it. Keys stay: others refer to them. */
type Index = { readonly drop: string; readonly make: string }
async function indexesOf(db: Db, tables: readonly string[]): Promise<Index[]> {
  const found = await rowsOf<{ name: string; text: string }>(db)`
    select x.indexrelid::regclass::text as name, pg_get_indexdef(x.indexrelid) as text
    from pg_index x where x.indrelid::regclass::text = any(${tables})
      and not exists (select from pg_constraint c where c.conindid = x.indexrelid)`
  return found.map(({ name, text }) => ({
    drop: `drop index ${name}`,
    make: text.replace(' ON ONLY ', ' ON '),
  }))
}

async function makeIndexes(url: string, indexes: readonly Index[]): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(`set maintenance_work_mem = '512MB'`)
    for (const { make } of indexes) await client.query(make)
  })
}

/** A superuser writes the sales without their triggers: foreign keys alone would take half the time. */
async function setReplica(db: Db, on: boolean): Promise<boolean> {
  const { rows } = await sql`select set_config('session_replication_role',
      ${on ? 'replica' : 'origin'}, false) from pg_roles
    where rolname = current_user and rolsuper`.execute(db)
  return rows.length > 0
}

/** Some figures anew, on a connection of their own. */
async function sumTables(url: string, chosen: (table: string) => boolean): Promise<void> {
  const tables = new Set(
    rollups.flatMap(({ table, changes }) => [table, changes ?? table]).filter(chosen),
  )
  await withClient(url, async (client) => {
    await client.query(settings)
    await client.query('begin')
    for (const table of tables) await client.query(`delete from ${table}`)
    await fillRollups(client, tables)
    await client.query('commit')
  })
}

/** What machines say of their lanes. */
async function setCounters(db: Db): Promise<void> {
  const machines = await rowsOf<{ id: number }>(db)`select id from scale_machines`
  for (const statement of counterStatements(machines.map(({ id }) => id)))
    await statement.execute(db)
}
