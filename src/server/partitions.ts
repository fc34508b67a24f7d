import pg from 'pg'

/** Month partitions of the fact tables. DDL needs the owner, so this runs beside the migrations and nightly, not in requests. */
const facts = ['operation_logs', 'device_messages', 'device_events', 'stock_flows', 'orders', 'order_units', 'order_events', 'ledger_entries']

/** Makes the partitions from `monthsBack` before to `monthsAhead` after the month of `now`; existing ones stay. */
export async function ensurePartitions(ownerUrl: string, now: Date, monthsBack: number, monthsAhead: number): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    await client.query(`select pg_advisory_lock(hashtextextended('huodao_partitions', 0))`)
    for (let i = -monthsBack; i <= monthsAhead; i += 1) {
      const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + i, 1))
      const to = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + i + 1, 1))
      const suffix = from.toISOString().slice(0, 7).replace('-', '')
      for (const table of facts) {
        const name = `${table}_${suffix}`
        const { rowCount } = await client.query(`select 1 from pg_class where relname = $1 and relnamespace = 'public'::regnamespace`, [name])
        if (rowCount) continue
        await client.query(`create table ${name} partition of ${table} for values from ('${from.toISOString()}') to ('${to.toISOString()}')`)
        // rows are reached through the parent, whose row policies apply; never directly
        await client.query(`revoke all on ${name} from huodao_app`)
      }
    }
  } finally {
    await client.end()
  }
}
