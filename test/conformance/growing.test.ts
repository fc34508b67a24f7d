import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { markBalances } from '../../src/domains/billing/server/marks.ts'
import { type Scope, systemScope } from '../../src/server/database.ts'
import { listLimits } from '../../src/server/lists.ts'
import { nodes, plansOf } from '../support/plans.ts'
import { endpoints, isList } from '../support/registry.ts'
import { openWorld, place, type World } from '../support/world.ts'
import { readsOf } from './foreign.ts'

/**
 * No list reads more when there are more sales, messages and acts: their tables are filled with
 * copies of what the world has, within the days that are shown, and every statement of every list
 * is explained.
 */
let world: World
const copies = 300
const counted = 300
const usual = listLimits.counted
const most = 4 * counted

const growing = [
  ...['orders', 'order_keys', 'order_units', 'order_events', 'payments', 'payment_events'],
  ...['refunds', 'vend_commands', 'stock_flows', 'ledger_voucher_keys', 'ledger_entries'],
  ...['split_orders', 'split_debts', 'operation_logs', 'login_attempts', 'device_messages'],
  ...['device_events', 'device_commands', 'messages', 'trace_codes', 'trace_events'],
]
/**
 * What has no index: sought, or sorted by, within the days that were asked for, which the filters
 * bound.
 */
const sought: Record<string, readonly string[]> = {
  'audit.list': ['result', 'keyword', 'durationMs'],
  'audit.logins': ['reason', 'ok'],
  'batches.traceCodes': ['SOLD'],
  'billing.entries': ['account'],
  'orders.list': [
    ...['actuallyAmount', 'keyword', 'payType', 'orderType', 'failReason', 'channel'],
    'includeCleaned',
  ],
  'splits.debts': ['rest'],
  'stock.flows': ['keyword'],
}
const tokens = new Map<string, string>()
const readers: Record<string, Scope> = {
  ROLE_FULL: {
    ...{ all: false, orgs: [place.OWN, place.CHILD], ancestors: [place.PARENT, place.PLATFORM] },
    ...{ devices: null, watched: null },
  },
  ROLE_SUPER_ADMIN: systemScope,
}

type Column = { name: string; type: string; unique: boolean; generated: boolean }
/** `copies` of each row, some seconds apart; what is unique, and names a row that has copies, moves. */
async function grow(table: string): Promise<void> {
  const columns = await world.sql<Column>(
    `select a.attname as name, format_type(a.atttypid, null) as type,
      a.attgenerated <> '' as generated, exists (select from pg_index i
        where i.indrelid = a.attrelid and i.indisunique and a.attnum = any(i.indkey)) as unique
    from pg_attribute a where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped`,
    [table],
  )
  const moved = /^(id|(order|unit|payment|voucher|split|flow|refund|visit|visit_item|log)_id)$/
  const value = ({ name, type, unique }: Column) => {
    if (moved.test(name) && type === 'bigint') return `t.${name} + n * 1000000`
    if (type === 'timestamp with time zone') return `t.${name} - n * interval '20 seconds'`
    if (name === 'order_num' || name === 'waste_num')
      return `left(t.${name}, 8) || lpad((n * 1000 + right(t.${name}, 12)::bigint % 1000)::text, 12, '0')`
    if (!unique || /^(kind|act|rule|state|type|provider|part)$/.test(name)) return `t.${name}`
    if (type === 'uuid') return 'gen_random_uuid()'
    if (type === 'text') return `t.${name} || '-' || n`
    return type === 'bigint' && /seq|pos/.test(name) ? `t.${name} + n * 1000` : `t.${name}`
  }
  const own = columns.filter(({ generated }) => !generated)
  await world.sql(`insert into ${table} (${own.map(({ name }) => name).join(', ')})
    overriding system value
    select ${own.map(value).join(', ')} from ${table} t, generate_series(1, ${copies}) n
    on conflict do nothing`)
}

beforeAll(async () => {
  world = await openWorld()
  for (const who of Object.keys(readers)) tokens.set(who, await world.login(who))
  // no counting of single rows, no foreign keys: the copies fit each other
  await world.sql('set session_replication_role = replica')
  for (const table of growing) await grow(table)
  await world.sql(`delete from row_count_changes`)
  await world.sql(`delete from row_counts`)
  await world.sql(`insert into row_counts select o.org_id, list, day, kind, sum(rows), sum(amount),
    sum(refunded), sum(cost) from row_count_facts f
    cross join lateral (values (f.org_id), (0)) o(org_id) group by 1, 2, 3, 4`)
  await markBalances(world.app)
  await world.sql('vacuum analyze')
  listLimits.counted = counted
}, 120_000)
afterAll(async () => {
  listLimits.counted = usual
  await world?.close()
})

/** What an index or a table gave, and what was looked at and thrown away. */
const readOf = (node: ReturnType<typeof nodes>[number]) =>
  ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
const grown = new RegExp(`^(${growing.join('|')})(_\\d{6}|_default)?$`)

/** No lists, and read much at once. */
const boards = ['workbench.situation', 'workbench.bigData']
const lists = endpoints.filter(({ name, endpoint }) => isList(endpoint) || boards.includes(name))
describe.each(lists)('$name', (entry) => {
  it.each(Object.keys(readers))('reads no more for %s', async (who) => {
    const wrong: unknown[] = []
    const seeks = (input: object) =>
      Object.entries(input).some(([name, value]) =>
        sought[entry.name]?.some((one) => one === name || one === String(value).replace('-', '')),
      )
    const [base = {}, ...choices] = readsOf(entry, world).filter((input) => !seeks(input))
    const second = isList(entry.endpoint) ? [{ ...base, page: 2 }] : []
    for (const input of [base, ...second, ...choices]) {
      let answer = { status: 0 }
      const plans = await plansOf(
        world.app,
        readers[who] as Scope,
        async () => {
          answer = await world.call(entry.endpoint, input, { token: tokens.get(who) as string })
        },
        /^\s*(select|with) /,
        true,
      )
      const read = plans
        .flatMap(({ plan }) => nodes(plan))
        .filter((node) => grown.test(node['Relation Name'] ?? ''))
      if (answer.status !== 200 || (!read.length && input === base)) break
      for (const node of read)
        if (readOf(node) > most)
          wrong.push(
            `${JSON.stringify(input)} ${node['Relation Name']} ${node['Index Name']} ${readOf(node)}`,
          )
    }
    expect(wrong).toEqual([])
  })
})
