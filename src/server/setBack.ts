import { type RawBuilder, sql } from 'kysely'
import type { App } from './context.ts'
import { systemScope } from './database.ts'
import { bySystem } from './run.ts'
import type { DB } from './schema.ts'

/**
 * A clock that was set back leaves rows in the future, and what waits for them would wait until the
 * clock comes there again (decision 43). Here stands every stored time that something waits for;
 * what lies further ahead than it can have been written is brought to now.
 */
export type Ahead = {
  readonly table: string
  /** Which rows lie too far ahead. */
  readonly lies: RawBuilder<boolean>
  /** What becomes of them: a `set …`; nothing, where they are worth no more than their time. */
  readonly set: RawBuilder<unknown> | null
}

/** Clocks of hosts differ by less. */
const toleranceSeconds = 60
export const furtherThan = (
  column: RawBuilder<unknown>,
  now: RawBuilder<Date>,
  seconds: number | RawBuilder<number> = 0,
): RawBuilder<boolean> =>
  sql`${column} > ${now} + make_interval(secs => ${toleranceSeconds} + ${seconds}::float8)`

type Waits<T extends keyof DB> = {
  /** Which of its rows something waits for, in the words of an index. */
  readonly of?: string
  /** Only rows that were made ahead; when they were made stays as it is. */
  readonly made?: keyof DB[T] & string
  /** How many seconds ahead of now each may be written; one of them tells that the row lies ahead. */
  readonly most: { readonly [C in keyof DB[T]]?: number }
  /** Ends with them. */
  readonly with?: readonly (keyof DB[T] & string)[]
  readonly over?: true
}
type Line = { readonly table: string } & Waits<keyof DB> & { readonly most: Record<string, number> }
const waits = <T extends keyof DB>(table: T, line: Waits<T>) => ({ table, ...line }) as Line

/** Durable work says by its kind how far ahead it may lie (`work.ts`). */
const lines: readonly Line[] = [
  // who paid waits for his goods or his money; what has left is asked about, not sent again
  waits('vend_commands', {
    of: `state in ('WAIT','SENT','ACKED','UNKNOWN')`,
    most: { created_at: 0, issued_at: 0, last_sent_at: 0, unknown_at: 0, expire_at: 60 },
  }),
  waits('device_commands', {
    of: `state in ('WAITING','SENT','ACKED')`,
    most: { issued_at: 0, sent_at: 0, acked_at: 0, expire_at: 60 },
  }),
  // unpaid orders hold goods; when an order was made names its partition
  waits('orders', { of: `pay_state = 'UNPAID'`, made: 'created_at', most: { expire_at: 0 } }),
  waits('unpaid_losses', { most: { until: 600 } }),
  // a gateway that is gone says nothing any more
  waits('vend_queues', { most: { told_at: 0 } }),
  waits('device_shadows', {
    of: `state in ('PENDING','DELIVERED')`,
    most: { delivered_at: 0 },
  }),
  waits('sign_in_guards', { most: { since: 0 }, with: ['until'] }),
  // at most a day
  waits('users', { most: { locked_until: 86_400 } }),
  // no two codes of a number may lie in one minute, so none can be brought to this one
  waits('sms_codes', { most: { created_at: 0 }, over: true }),
  // the end of quiet hours is a time that was chosen, unless it was chosen ahead
  waits('alert_outbox', { of: 'attempts = 0', made: 'created_at', most: { next_at: 0 } }),
  // one test of a channel in a minute
  waits('alert_outbox', { of: `event = 'TEST'`, most: { created_at: 0 } }),
  // how long it is too warm
  waits('temperature_excursions', { of: 'to_at is null', most: { from_at: 0, sampled_at: 0 } }),
  // the next message about a machine that runs short
  waits('stock_warning_calls', { most: { told_at: 0 } }),
  waits('expiry_items', { of: 'told_at is not null', most: { told_at: 0 } }),
  // nobody decided about it
  waits('visit_conflicts', { of: `state = 'OPEN'`, most: { default_at: 86_400 } }),
  // when the shares of an order may be had: at two the next morning at the latest
  waits('split_orders', { of: `state = 'READY'`, most: { due_at: 93_600 } }),
  // a new account may be used a day later, a transfer is confirmed within one
  waits('payout_accounts', { of: 'removed_at is null', most: { changed_at: 0 } }),
  waits('withdrawals', { of: `state = 'CONFIRMING'`, most: { confirm_until: 86_400 } }),
  // what is due after it was set up or resumed
  waits('subscriptions', { of: `state = 'ACTIVE'`, most: { since: 0 } }),
  // a run that was made before what it tells of was over is made again when it is
  waits('subscription_runs', { of: 'not by_hand', most: { whole_at: 0 }, over: true }),
  // so many in an hour
  waits('subscription_runs', { of: 'by_hand', most: { created_at: 0 } }),
  // the same file again
  waits('jobs', { of: `kind = 'IMPORT'`, most: { created_at: 0 } }),
]

function lineOf({ table, of = 'true', made, most, with: ends = [], over }: Line, app: App): Ahead {
  const now = sql<Date>`${app.now()}::timestamptz`
  const limits = Object.entries(most)
  const far = limits.map(([column, seconds]) => furtherThan(sql.ref(column), now, seconds))
  // an end lies after its begin, also when both are now
  const brought = [...limits, ...ends.map((column) => [column, 1] as const)].map(
    ([column, seconds]) => {
      const to = seconds ? sql`${now} + interval '1 second'` : now
      return sql`${sql.ref(column)} = case when ${sql.ref(column)} > ${to} then ${to}
        else ${sql.ref(column)} end`
    },
  )
  const ahead = made ? sql`${furtherThan(sql.ref(made), now)} and ` : sql``
  return {
    table,
    lies: sql`${sql.raw(of)} and ${ahead}(${sql.join(far, sql` or `)})`,
    set: over ? null : sql`set ${sql.join(brought)}`,
  }
}

/**
 * Brings to now what lies ahead, of these and of the table above: one statement where nothing does.
 */
export async function bringToNow(app: App, kinds: readonly Ahead[]): Promise<void> {
  const all = [...kinds, ...lines.map((line) => lineOf(line, app))]
  const { rows } = await app.database.readSame(systemScope, (db) =>
    sql<{ ahead: boolean[] }>`select array[${sql.join(
      all.map(({ table, lies }) => sql`exists (select from ${sql.table(table)} t where ${lies})`),
    )}] as ahead`.execute(db),
  )
  for (const [i, { table, lies, set }] of all.entries()) {
    if (!rows[0]?.ahead[i]) continue
    const name = sql.table(table)
    const done = await bySystem(app, ({ db }) =>
      (set
        ? sql`update ${name} t ${set} where ${lies}`
        : sql`delete from ${name} t where ${lies}`
      ).execute(db),
    )
    app.log.warn(
      { table, rows: Number(done.numAffectedRows) },
      'the clock was set back: rows that lay ahead were brought to now',
    )
  }
}

/** Tells of a clock whether it went back since it was asked first, beside one that cannot. */
export function watchClock(): (ms: number) => boolean {
  let most = Number.NEGATIVE_INFINITY
  return (ms) => {
    const ahead = ms - performance.now()
    const back = ahead < most - 1000 * toleranceSeconds
    most = back ? ahead : Math.max(most, ahead)
    return back
  }
}
