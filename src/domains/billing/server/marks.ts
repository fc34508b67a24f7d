import { type RawBuilder, sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { type Db, systemScope } from '../../../server/database.ts'
import { onlyRow, rowsOf } from '../../../server/rows.ts'

/**
 * The balance behind an entry: what its account came to at the last mark, and what came since. A
 * mark stands behind every 31st entry (decision 65).
 */
export type Place = { entryId: number; accountId: number; at: string }

/**
 * What moved on an account behind one place, up to another. The places are plain columns: behind row
 * policies an index is not asked for a `coalesce`.
 */
const moved = (at: string, id: string, sinceAt: string, sinceId: string): RawBuilder<number> =>
  sql`coalesce((select sum(n.amount) from ledger_entries n where n.account_id = p.account_id
    and (n.created_at, n.id) <= (${sql.ref(at)}, ${sql.ref(id)})
    and (n.created_at, n.id) > (${sql.ref(sinceAt)}, ${sql.ref(sinceId)})), 0)`

/**
 * By entry. Those behind the same mark go on from each other, so that what came since is read once
 * for all of them.
 */
export async function balancesAt(db: Db, places: readonly Place[]): Promise<Map<number, number>> {
  if (!places.length) return new Map()
  const rows = await rowsOf<{ id: number; balance: number }>(db)`
    with marked as (
      select p.*, m.balance, m.created_at as mark_at, m.entry_id as mark_id
      from jsonb_to_recordset(${JSON.stringify(
        places.map(({ entryId: id, accountId: account_id, at }) => ({ id, account_id, at })),
      )}::jsonb) as p(id bigint, account_id bigint, at timestamptz)
      left join lateral (select m.balance, m.created_at, m.entry_id from ledger_marks m
        where m.account_id = p.account_id and (m.created_at, m.entry_id) <= (p.at, p.id)
        order by m.created_at desc, m.entry_id desc limit 1) m on true),
    since as (
      select *, coalesce(lag(at) over w, mark_at, '-infinity') as since_at,
        coalesce(lag(id) over w, mark_id, 0) as since_id
      from marked window w as (partition by account_id, mark_at, mark_id order by at, id))
    select p.id, (coalesce(p.balance, 0) + sum(${moved('p.at', 'p.id', 'p.since_at', 'p.since_id')})
      over (partition by p.account_id, p.mark_at, p.mark_id order by p.at, p.id))::bigint as balance
    from since p`
  return new Map(rows.map(({ id, balance }) => [id, balance]))
}

/** An act began at the time that its entries have, and ends within half a minute. */
const behindSeconds = 120
const atOnce = 2000

/** Marks of what was booked since the last one; one worker at a time. */
export async function markBalances(app: App): Promise<void> {
  while ((await markSome(app)) >= atOnce);
}
const markSome = (app: App): Promise<number> =>
  app.database.transact(systemScope, async (db) => {
    const { free } = await onlyRow<{ free: boolean }>(db)`
      select pg_try_advisory_xact_lock(hashtext('ledger_marks')) as free`
    if (!free) return 0
    const until = new Date(app.now().getTime() - behindSeconds * 1000)
    const { marks } = await onlyRow<{ marks: number }>(db)`
      with due as (
        select e.org_id, e.account_id, e.created_at, e.id from ledger_entries e
        where e.id % 31 = 0 and e.created_at < ${until}
          and e.created_at > (select coalesce(max(created_at), '-infinity') from ledger_marks)
        order by e.created_at fetch first ${sql.lit(atOnce)} rows with ties),
      since as (
        select d.*, coalesce(lag(d.created_at) over w, m.created_at, '-infinity') as since_at,
          coalesce(lag(d.id) over w, m.entry_id, 0) as since_id, coalesce(m.balance, 0) as base
        from due d left join lateral (select m.balance, m.created_at, m.entry_id
          from ledger_marks m where m.account_id = d.account_id
          order by m.created_at desc, m.entry_id desc limit 1) m on true
        window w as (partition by d.account_id order by d.created_at, d.id)),
      made as (
        insert into ledger_marks (org_id, account_id, created_at, entry_id, balance)
        select p.org_id, p.account_id, p.created_at, p.id, p.base
          + sum(${moved('p.created_at', 'p.id', 'p.since_at', 'p.since_id')})
            over (partition by p.account_id order by p.created_at, p.id)
        from since p returning entry_id)
      select count(*) as marks from made`
    return marks
  })
