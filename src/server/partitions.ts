import { withClient } from './catalogue.ts'

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

/**
 * Makes the partitions from `monthsBack` before to `monthsAhead` after the month of `now`; existing
 * ones stay.
 */
export async function ensurePartitions(
  url: string,
  now: Date,
  monthsBack: number,
  monthsAhead: number,
): Promise<void> {
  await withClient(url, async (client) => {
    for (let i = -monthsBack; i <= monthsAhead; i += 1) {
      const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + i, 1))
        .toISOString()
        .slice(0, 10)
      for (const table of facts) {
        const name = `public.${table}_${month.slice(0, 7).replace('-', '')}`
        const { rowCount } = await client.query(
          'select from pg_class where oid = to_regclass($1)',
          [name],
        )
        if (!rowCount) await client.query('select app_make_month($1::regclass, $2)', [table, month])
      }
    }
  })
}
