/**
 * Figures that are kept by the transaction that causes them, each with the facts it is made of: what
 * compares them (`checkInvariants`, `npm run rollups -- verify`) and what makes them anew.
 */
export type Rollup = {
  /** The sentence that must hold. */
  readonly name: string
  readonly table: string
  readonly keys: readonly string[]
  readonly figures: readonly string[]
  readonly facts: string
  /** Its rows of a table of several grains. */
  readonly grain?: string
  /** What is read, where that is more than the table; changes that are not added up yet lie in the other. */
  readonly kept?: string
  readonly changes?: string
  /** Keys that may be empty. */
  readonly empty?: readonly string[]
  /** Which of its rows are compared: others are dropped in time. */
  readonly compared?: string
  /** Makes it anew of other figures; null: others do. */
  readonly anew?: string | null
}
type Asked = { query: (text: string) => Promise<{ rows: Record<string, unknown>[] }> }
const listed = (names: readonly string[], of = (name: string) => name) => names.map(of).join(', ')
const truth = ({ keys, figures, facts }: Rollup) =>
  `select ${listed(keys)}, ${listed(figures, (f) => `sum(${f}) as ${f}`)}
    from (${facts}) f group by ${listed(keys)}`

/** A full join knows no "is not distinct from". */
const same = ({ empty = [] }: Rollup, key: string) =>
  empty.includes(key)
    ? `coalesce(k.${key}::text, '') = coalesce(t.${key}::text, '')`
    : `k.${key} = t.${key}`

/** Rows of a rollup that differ from the facts; a row of zeros says the same as no row. */
export const differs = (one: Rollup): string => `
  with truth as (${truth(one)}),
  kept as (select * from ${one.kept ?? one.table} k
    where ${one.grain ? `grain = '${one.grain}'` : 'true'})
  select ${listed(one.keys, (k) => `coalesce(k.${k}, t.${k}) as ${k}`)}, to_jsonb(k) as kept,
    to_jsonb(t) as truth
  from kept k full join truth t on ${one.keys.map((key) => same(one, key)).join(' and ')}
  where ${one.compared ?? 'true'} and (${listed(one.figures, (f) => `coalesce(k.${f}, 0)`)}) is distinct
  from (${listed(one.figures, (f) => `coalesce(t.${f}, 0)`)})`

const salesFigures = [
  ...['orders', 'pieces', 'vended', 'turnover', 'paid', 'refunded', 'refund_orders', 'cost', 'fee'],
]
const sales = (name: string, grain: string, at: string): Rollup => ({
  name,
  table: 'sales_rollups',
  keys: ['org_id', 'device_id', 'at'],
  figures: salesFigures,
  facts: `select f.org_id, f.device_id, g.at, ${listed(salesFigures)} from sales_facts f
    cross join lateral (select ${at} as at) g`,
  grain,
})
const shanghaiDate = (column: string) => `(${column} at time zone 'Asia/Shanghai')::date`

/** Of each organisation, and of all of them as organisation 0. */
const countKeys = ['org_id', 'list', 'day', 'kind']
const countFigures = ['rows', 'amount', 'refunded', 'cost']
const forAll = (from: string) => `select o.org_id, f.list, f.day, f.kind, f.rows, f.amount,
    f.refunded, f.cost from ${from} f cross join lateral (values (f.org_id), (0)) o(org_id)`
const counts = `(select ${countKeys.join(', ')},
    ${countFigures.map((name) => `sum(${name}) as ${name}`).join(', ')}
  from (select * from row_counts union all ${forAll('row_count_changes')}) c group by 1, 2, 3, 4)`

const billKeys = ['org_id', 'device_id', 'grain', 'day', 'config_id', 'provider', 'pay_type']
/** Each fact on its own day and on that of its order, by day and by month. */
const billed = (facts: string, names: readonly string[]) => `
  select f.org_id, device_id, config_id, provider, pay_type, owner_id, grain,
    ${names.map((name) => `${name} * (1 - o.x) as ${name}, ${name} * o.x as ordered_${name}`).join(', ')},
    date_trunc(grain, (case o.x when 1 then order_at else at end) at time zone 'Asia/Shanghai')::date
      as day
  from (${facts}) f cross join (values (0), (1)) o(x)
  cross join (values ('DAY'), ('MONTH')) g(grain)`
const both = (names: readonly string[]) => names.flatMap((name) => [name, `ordered_${name}`])
const billFigures = ['price', 'refundment', 'fee', 'split', 'orders', 'refund_orders']
const billFacts = `select org_id, null::bigint as owner_id, device_id, config_id, provider, pay_type,
    order_at, at, price, refundment, fee, 0::bigint as split, orders, refund_orders from bill_facts
  union all select owner_id, null, device_id, config_id, provider, pay_type, order_at, at, 0, 0, 0,
    share, 0, 0 from bill_share_facts`

const stockKeys = ['org_id', 'device_id', 'product_id', 'day']
const stockFigures = ['replenished', 'taken', 'withdrawn']

/** Those that wait to be made anew are not compared. */
const foldedBuyers = `coalesce(k.org_id, t.org_id) not in (select org_id from buyers_stale)
  and not (coalesce(k.org_id, t.org_id) = 0 and exists (select from buyers_stale))`

const dueKeys = ['org_id', 'config_id', 'mode', 'done', 'day']
const referrerKeys = ['org_id', 'referrer_id', 'config_id', 'done', 'day']

export const rollups: readonly Rollup[] = [
  {
    name: 'what is due of shares equals the pieces',
    table: 'split_dues',
    keys: dueKeys,
    figures: ['amount'],
    facts: 'select * from split_due_facts',
    kept: `(select ${dueKeys.join(', ')}, sum(amount) as amount from split_dues group by 1, 2, 3, 4, 5)`,
    empty: ['config_id', 'day'],
    compared: 'not coalesce(k.done, t.done)',
  },
  {
    name: 'what referrers may be paid equals their shares',
    table: 'referrer_dues',
    keys: referrerKeys,
    figures: ['amount'],
    facts: 'select * from referrer_due_facts',
    kept: `(select ${referrerKeys.join(', ')}, sum(amount) as amount from referrer_dues group by 1, 2, 3, 4, 5)`,
    empty: ['config_id'],
  },
  {
    name: 'what strategies gave equals the ledger',
    table: 'split_days',
    keys: ['org_id', 'strategy_id', 'version_id', 'day'],
    figures: ['given'],
    facts: 'select * from split_day_facts',
  },
  sales('sales by hour equal the facts', 'HOUR', `date_trunc('hour', f.at)`),
  sales(
    'sales by day equal the facts',
    'DAY',
    `date_trunc('day', f.at at time zone 'Asia/Shanghai') at time zone 'Asia/Shanghai'`,
  ),
  sales('sales in total equal the facts', 'TOTAL', `'2000-01-01T00:00:00Z'::timestamptz`),
  {
    name: 'sales by product equal the facts',
    table: 'product_rollups',
    keys: ['org_id', 'device_id', 'product_id', 'day'],
    figures: [...salesFigures, 'refunded_pieces'],
    facts: `select *, ${shanghaiDate('at')} as day from product_facts`,
  },
  {
    name: 'sales by way to pay equal the facts',
    table: 'pay_rollups',
    keys: ['org_id', 'device_id', 'pay_type', 'day'],
    figures: salesFigures,
    facts: `select *, ${shanghaiDate('at')} as day from sales_facts`,
  },
  {
    name: 'days and months that are over equal the facts',
    table: 'sales_folds',
    keys: ['org_id', 'grain', 'day', 'device_id', 'hour', 'pay_type'],
    figures: ['devices', ...salesFigures],
    facts: 'select * from sales_fold_facts',
    anew: `select app_fold_sales('2000-01-01', '9999-12-31', null)`,
  },
  {
    name: 'products of days and months that are over equal the facts',
    table: 'product_folds',
    keys: ['org_id', 'grain', 'day', 'product_id'],
    figures: [...salesFigures, 'refunded_pieces'],
    facts: 'select * from product_fold_facts',
    anew: null, // with those before
  },
  {
    name: 'rows of lists are counted as they are written',
    table: 'row_counts',
    keys: countKeys,
    figures: countFigures,
    facts: forAll('row_count_facts'),
    kept: counts,
    changes: 'row_count_changes',
  },
  {
    name: 'stock by day equals the flows',
    table: 'stock_days',
    keys: stockKeys,
    figures: stockFigures,
    facts: 'select * from stock_day_facts',
    kept: `(select ${listed(stockKeys)}, ${listed(stockFigures, (f) => `sum(${f}) as ${f}`)}
      from (select * from stock_days union all select * from stock_day_changes) c
      group by 1, 2, 3, 4)`,
    changes: 'stock_day_changes',
  },
  {
    name: 'buyers equal their orders and refunds',
    table: 'buyers',
    keys: ['org_id', 'digest'],
    figures: ['orders', 'paid', 'refunded', 'refund_orders'],
    // whose last order was cleaned away is nobody's buyer
    facts: `select f.* from buyer_facts f where exists (select from buyer_facts b
      where b.org_id = f.org_id and b.digest = f.digest and b.orders > 0)`,
    compared: foldedBuyers,
    anew: `do $$ begin insert into buyers_stale (org_id) select id from organisations;
      while app_fold_buyers() is not null loop end loop; end $$`,
  },
  {
    name: 'buyers by day equal their orders',
    table: 'buyer_days',
    keys: ['org_id', 'day', 'gap'],
    figures: ['buyers'],
    facts: `select o.org_id, day, gap, buyers from buyer_day_facts f
      cross join lateral (values (f.org_id), (0)) o(org_id)`,
    compared: foldedBuyers,
    anew: null, // with the buyers
  },
  {
    name: 'bills equal the facts',
    table: 'bill_days',
    keys: billKeys,
    figures: both(billFigures),
    facts: billed(billFacts, billFigures),
  },
  {
    name: 'shares of bills equal the ledger',
    table: 'bill_shares',
    keys: [...billKeys, 'owner_id'],
    figures: both(['share']),
    facts: billed('select * from bill_share_facts where referrer_id is null', ['share']),
  },
  {
    name: 'marks of accounts equal their entries',
    table: 'ledger_marks',
    keys: ['org_id', 'account_id', 'created_at', 'entry_id'],
    figures: ['balance'],
    // where there is none, none is missed: made anew they are none, until a worker writes them
    facts: `select m.org_id, account_id, m.created_at, m.entry_id, s.balance from ledger_marks m
      join (select account_id, id as entry_id, sum(amount) over (partition by account_id
        order by created_at, id) as balance from ledger_entries) s using (account_id, entry_id)`,
    anew: null,
  },
]

/**
 * Facts that several figures are made of, added up as far as all of them allow and kept under the
 * name of their view, which hides it until the transaction ends.
 */
const shared = [
  { view: 'sales_facts', keys: ['org_id', 'device_id', 'pay_type'], figures: salesFigures },
  {
    view: 'bill_share_facts',
    keys: [
      ...billKeys.filter((key) => key !== 'grain' && key !== 'day'),
      'owner_id',
      'order_at',
      'referrer_id',
    ],
    figures: ['share'],
  },
] as const
async function share(client: Asked, among: readonly Rollup[]): Promise<() => Promise<unknown>> {
  const wanted = shared.filter(({ view }) => among.some(({ facts }) => facts.includes(view)))
  // of millions of facts none is looked up by itself
  await client.query('set local enable_nestloop = off')
  for (const { view, keys, figures } of wanted) {
    await client.query(`create temporary table ${view} on commit drop as
      select ${listed(keys)}, g.at, ${listed(figures, (f) => `sum(${f})::bigint as ${f}`)}
      from public.${view} f cross join lateral (select date_trunc('hour', f.at) as at) g
      group by ${listed(keys)}, g.at`)
    await client.query(`analyze ${view}`)
  }
  const made = wanted.map(({ view }) => `pg_temp.${view}`)
  return async () => made.length && client.query(`drop table ${listed(made)}`)
}

/** What differs from the facts, of each figure, at one moment. */
export async function verifyRollups(
  client: Asked,
): Promise<{ name: string; rows: Record<string, unknown>[] }[]> {
  const found = []
  await client.query('begin isolation level repeatable read')
  const unshare = await share(client, rollups)
  for (const one of rollups)
    found.push({ name: one.name, rows: (await client.query(differs(one))).rows })
  await unshare()
  await client.query('commit')
  return found
}

/** Empty figures are added up in the caller's transaction: those of some tables, or all. */
export async function fillRollups(client: Asked, tables?: ReadonlySet<string>): Promise<void> {
  const some = rollups.filter(({ table }) => !tables || tables.has(table))
  const unshare = await share(client, some)
  for (const one of some) {
    const { table, keys, figures, grain, anew } = one
    const plain = keys.filter((key) => key !== 'grain' || !grain)
    if (anew !== null)
      await client.query(
        anew ??
          `insert into ${table} (${listed([...plain, ...figures])}${grain ? ', grain' : ''})
            select ${listed([...plain, ...figures])}${grain ? `, '${grain}'` : ''}
            from (${truth(one)}) t`,
      )
  }
  await unshare()
}

/**
 * All figures anew from the facts. Who writes one waits: what he sold is either here already or is
 * added by himself.
 */
export async function rebuildRollups(client: Asked): Promise<void> {
  const tables = new Set(rollups.flatMap(({ table, changes }) => [table, changes ?? table]))
  await client.query('begin')
  await client.query(`lock table ${[...tables].join(', ')} in share row exclusive mode`)
  for (const table of tables) await client.query(`delete from ${table}`)
  await fillRollups(client)
  await client.query('commit')
}
