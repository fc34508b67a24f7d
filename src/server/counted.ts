import { type RawBuilder, sql } from 'kysely'
import { addDays, startOfDay } from '../shared/instants.ts'
import type { App, Ctx } from './context.ts'
import { type Db, systemScope } from './database.ts'
import { rowsOf } from './rows.ts'

/**
 * Lists that grow with sales: their rows are counted by organisation, day and kind as they are
 * written (decision 76). Kinds are the triggers' of migration 0215.
 */
export type CountedList =
  | 'orders'
  | 'stock_flows'
  | 'ledger_entries'
  | 'operation_logs'
  | 'split_orders'

/** Which rows a filter means, when it says nothing but organisations, days and kinds. */
export type Counted = {
  readonly list: CountedList
  readonly ctx: Pick<Ctx, 'actor'>
  /** Whole days of Shanghai. */
  readonly from: string | null
  readonly to: string | null
  /** A condition on `c.org_id`, for one organisation and those below it. */
  readonly below?: RawBuilder<unknown> | false | '' | 0 | undefined
  /** A condition on `c.kind`. */
  readonly kinds?: RawBuilder<unknown> | false | '' | undefined
}
export type CountedDay = {
  day: string
  rows: number
  amount: number
  refunded: number
  cost: number
}
/** Whether a filter says nothing but these fields: then the counts know what it means. */
export const saysOnly = <I extends object>(input: I, known: readonly (keyof I & string)[]) =>
  Object.entries(input).every(
    ([name, value]) =>
      [...known, 'page', 'pageSize', 'sort', 'walk'].includes(name) ||
      value === undefined ||
      value === false,
  )

/** What stands behind a count; a reader of single machines is told none. */
const isWhole = ({ ctx }: Counted) =>
  ctx.actor.scope.devices === null && ctx.actor.scope.watched === null

/** The days that have rows, the newest first; null where the counts do not know. */
export async function countedDays(
  db: Db,
  counted: Counted,
  by: RawBuilder<unknown> = sql`c.day`,
): Promise<CountedDay[] | null> {
  if (!isWhole(counted)) return null
  const { list, ctx, from, to, below, kinds } = counted
  const { scope } = ctx.actor
  const everyone = scope.all && !below
  const orgs = scope.all
    ? below || sql`true`
    : sql`c.org_id = any(${[...scope.orgs]}::bigint[]) and ${below || sql`true`}`
  const part = (table: string, all: RawBuilder<unknown>) => sql`
    select ${by} as day, c.rows, c.amount, c.refunded, c.cost from ${sql.table(table)} c
    where c.list = ${list} and ${all} and ${kinds || sql`true`}
      and c.day >= ${from ?? '-infinity'}::date and c.day <= ${to ?? 'infinity'}::date`
  const { rows } = await sql<
    CountedDay | { day: null }
  >`select day::text, sum(rows)::bigint as rows,
      sum(amount)::bigint as amount, sum(refunded)::bigint as refunded, sum(cost)::bigint as cost
    from (${part('row_counts', everyone ? sql`c.org_id = 0` : sql`c.org_id > 0 and ${orgs}`)}
      union all ${part('row_count_changes', orgs)}) c
    group by day having sum(rows) <> 0
    -- the database asks once more whether somebody sees all machines
    union all select null, 0, 0, 0, 0 where (select app_devices()) is not null
    order by day desc nulls first`.execute(db)
  return rows.some(({ day }) => day === null) ? null : (rows as CountedDay[])
}

/**
 * The days in which a page lies, and how many of its first day come before it: nothing of the other
 * days is read.
 */
export function pageWithin(
  days: readonly CountedDay[],
  { offset, size, descending }: { offset: number; size: number; descending: boolean },
): { from: Date; until: Date; skip: number } | null {
  const inOrder = descending ? days : days.toReversed()
  let before = 0
  let first: { day: string; skip: number } | null = null
  for (const { day, rows } of inOrder) {
    if (!first && before + rows > offset) first = { day, skip: offset - before }
    before += rows
    if (first && before >= offset + size) return span(first, day)
  }
  return first && span(first, inOrder.at(-1)?.day ?? first.day)
}
function span({ day, skip }: { day: string; skip: number }, last: string) {
  const [from, to] = day < last ? [day, last] : [last, day]
  return { from: startOfDay(from), until: startOfDay(addDays(to, 1)), skip }
}

/** Adds up what was written since the last time. */
export const addUpCounts = (app: App) =>
  app.database.transact(systemScope, async (db) => {
    const [free] = await rowsOf<{ free: boolean }>(db)`
      select pg_try_advisory_xact_lock(hashtext('row_counts')) as free`
    if (!free?.free) return
    await sql`with gone as (delete from row_count_changes returning *)
      insert into row_counts as k select o.org_id, list, day, kind, sum(rows), sum(amount),
        sum(refunded), sum(cost)
      from gone cross join lateral (values (gone.org_id), (0)) o(org_id) group by 1, 2, 3, 4
      on conflict (org_id, list, day, kind) do update set rows = k.rows + excluded.rows,
        amount = k.amount + excluded.amount, refunded = k.refunded + excluded.refunded,
        cost = k.cost + excluded.cost`.execute(db)
  })
