import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { withClient } from './catalogue.ts'
import { isHeld } from './database.ts'

/**
 * Month partitions of the fact tables: nightly and at every start, each in a transaction of its
 * own, not in requests.
 */
const facts = [
  'operation_logs',
  'device_messages',
  'device_events',
  'stock_flows',
  'orders',
  'order_units',
  'order_events',
  'ledger_entries',
]

// whoever wants the table meanwhile waits behind the month that waits for it; it is made three
// months before it begins
const lockMs = 200
const tries = { most: 60, pauseMs: 60_000 }

/**
 * Makes the partitions from `monthsBack` before to `monthsAhead` after the month of `now`; existing
 * ones stay. A table that somebody reads or writes for long (a backup, an export, a file) is left
 * for later.
 */
export async function ensurePartitions(
  url: string,
  now: Date,
  monthsBack: number,
  monthsAhead: number,
  { most, pauseMs } = tries,
): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(`set lock_timeout = ${lockMs}`)
    for (let tried = 1; ; tried += 1) {
      try {
        return await makeMissing(client, now, monthsBack, monthsAhead)
      } catch (error) {
        if (!isHeld(error) || tried >= most) throw error
        await sleep(pauseMs, undefined, { ref: false })
      }
    }
  })
}

async function makeMissing(
  client: Client,
  now: Date,
  monthsBack: number,
  monthsAhead: number,
): Promise<void> {
  for (let i = -monthsBack; i <= monthsAhead; i += 1) {
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + i, 1))
      .toISOString()
      .slice(0, 10)
    for (const table of facts) {
      const name = `public.${table}_${month.slice(0, 7).replace('-', '')}`
      const { rowCount } = await client.query('select from pg_class where oid = to_regclass($1)', [
        name,
      ])
      if (!rowCount) await client.query('select app_make_month($1::regclass, $2)', [table, month])
    }
  }
}
