import { setTimeout as sleep } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { common, Refusal } from '../shared/errors.ts'
import { filled } from '../shared/text.ts'
import { type App, type Ctx, serverNow } from './context.ts'
import { beside, isHeld, lockTimeout, systemScope } from './database.ts'
import type { Loop, Pulse } from './loops.ts'
import { act, bySystem, type Caller } from './run.ts'
import { type Ahead, bringToNow, furtherThan, watchClock } from './setBack.ts'
import { tenantName } from './shares.ts'

/**
 * Durable work: whatever an act wants done outside its own transaction (decision 39).
 *
 * A piece is a row of a domain's own table, written in the transaction of the act. Two columns make
 * it one: `next_at`, from when on it is due (null: nothing is left to do), and `attempts`, how
 * often it was begun.
 * - Found by an index on (org_id, next_at, key) where next_at is not null: what a claim costs does
 *   not grow with what waits.
 * - Taken in a transaction of its own by whoever is free: `attempts` counts up and `next_at`
 *   becomes the end of the lease. Tenants take turns, whoever was served longest ago first; no more
 *   of a kind run in one process than `atOnce`.
 * - Done between transactions, with a number that is the same at every try: whoever dies before the
 *   mark leaves a lease that runs out, the piece is done again, and the other side answers what it
 *   did before.
 * - Marked in a transaction, by one statement `where ${piece.ours}`: true until the lease ran out
 *   and somebody else began.
 * - Tried again after `waits`, each up to a fifth sooner, when it answers RETRY or throws; after
 *   the last one it is FAILED, and its `mark` leaves what a person sees. A `Refusal` is FAILED at
 *   once. What kills the process that does it ends after `most` tries.
 * - Put back for a moment, and no try of its own, when a row it wants is held by somebody's act: its
 *   place is for others meanwhile. Work that is all in the database is one act (`inOneAct`), which
 *   does not wait for such a row.
 * - Found at once by `app.jobs.poke(name)` after the commit, else by the look of all kinds at what
 *   is due, every few seconds.
 * - Given back when the process stops and it does not end within seconds.
 * The clock of due, lease and wait is the database's; when it is set back, what was written before
 * is brought to now (`setBack.ts`).
 */
export type Kind<P extends Piece, A extends { readonly state: string }> = {
  /** Speaks; the console shows it and `poke` wakes it. */
  readonly name: string
  readonly table: string
  readonly key?: readonly string[]
  /** Which rows of the table, where kinds share it. */
  readonly of?: RawBuilder<boolean>
  /** What else a row is told when it is claimed, and what else is read of it; the row is `t`. */
  readonly begins?: RawBuilder<unknown>
  readonly reads?: RawBuilder<unknown>
  /** Its first `next_at` is a time that somebody chose; of others it is the moment of the act. */
  readonly planned?: true
  readonly atOnce: number
  readonly leaseSeconds: number
  /** Seconds before the second try, the third, …; none is shorter than the one before. */
  readonly waits: readonly number[]
  /** As often it is begun at most; as often as `waits` say, unless it takes as long as it takes. */
  readonly most?: number
  /**
   * Where rows are locked in another order, or are done together: takes at most `free` pieces, with
   * `claiming`. Those of tenants take turns here, too: `turns`, `longestAgo`, and `turnOf` of each.
   */
  claim?(ctx: Ctx, free: number, served: readonly string[]): Promise<P[]>
  do(piece: P): Promise<A | Retry | Failed>
  /**
   * Writes how a try ended and, as `next_at`, what the mechanism says: when it goes on, or null.
   */
  mark(ctx: Ctx, piece: P, to: Ending<A>): Promise<unknown>
}
/** `countedTries`: how many of its attempts count, where not all do. */
export type Piece = {
  /** The tenant whose turn it was. */
  readonly turnOf?: string
  readonly attempts: number
  readonly countedTries?: number
  readonly ours: RawBuilder<boolean>
}
export type Retry = { readonly state: 'RETRY'; readonly reason: string }
export type Failed = { readonly state: 'FAILED'; readonly reason: string }
export type Ending<A> = (A | Retry | Failed) & { readonly nextAt: RawBuilder<Date | null> }
// methods take what they are given: kinds of all pieces stand in one list
type AnyKind = Kind<Piece, { readonly state: string }>

/** How long a piece waits for a row that somebody's act holds, and then others go first. */
const heldMs = 200
const heldSeconds = 3

/**
 * Thrown by work that finds out that it is no longer its own, or not wanted any more: nothing is
 * marked.
 */
export class Lost extends Error {}

/** The database's clock; in a test the test's. */
export const clock = (app: App): RawBuilder<Date> =>
  app.now === serverNow ? sql`now()` : sql`${app.now()}::timestamptz`
const after = (app: App, seconds: number): RawBuilder<Date> =>
  sql`${clock(app)} + make_interval(secs => ${seconds})`
/** Sets the lease, or renews it. */
export const leased = (app: App, kind: { readonly leaseSeconds: number }): RawBuilder<unknown> =>
  sql`next_at = ${after(app, kind.leaseSeconds)}`
/** What a claim sets on row `t`. */
export const claiming = (app: App, kind: { readonly leaseSeconds: number }): RawBuilder<unknown> =>
  sql`attempts = t.attempts + 1, ${leased(app, kind)}`

/**
 * Rows of a kind that lie further ahead than the mechanism sets them: lease, or last wait. What was
 * begun may be under way, and has a lease from now on.
 */
function aheadOf(
  app: App,
  { table, of = sql`true`, planned, leaseSeconds, waits }: AnyKind,
): Ahead {
  const now = clock(app)
  const longest = sql<number>`greatest(${leaseSeconds}::float8,
    (${[...waits]}::float8[])[least(t.attempts, ${waits.length}::int)])`
  const far = furtherThan(sql`t.next_at`, now, longest)
  const first = planned ? sql`false` : sql`t.attempts = 0`
  return {
    table,
    // the first condition is for the index
    lies: sql`${furtherThan(sql`t.next_at`, now)} and (${first} or t.attempts > 0 and ${far})
      and ${of}`,
    set: sql`set next_at = case when t.attempts = 0 then ${now}
      else ${after(app, leaseSeconds)} end`,
  }
}

/**
 * Work on a piece that is all in the database, in somebody's name: one act with the mark in it,
 * which nobody else does and which waits for nobody.
 */
export const inOneAct = <T>(
  app: App,
  { table }: Pick<AnyKind, 'table'>,
  { ours }: Pick<Piece, 'ours'>,
  caller: Caller,
  audit: string,
  work: (ctx: Ctx) => Promise<T>,
): Promise<T> =>
  act(app, caller, { audit, scope: 'actor' }, async (ctx) => {
    ctx.later(lockTimeout(heldMs))
    const mine = sql`select 1 from ${sql.table(table)} where ${ours} for update skip locked`
    if (!(await mine.execute(ctx.db)).rows.length) throw new Lost()
    return work(ctx)
  })

/** `served`: the tenants whose pieces were claimed last, the latest at the end. */
export const claim = <P extends Piece, A extends { readonly state: string }>(
  app: App,
  kind: Kind<P, A>,
  free: number,
  served: readonly string[] = [],
): Promise<P[]> =>
  bySystem(app, (ctx) =>
    kind.claim ? kind.claim(ctx, free, served) : claimRows(ctx, kind, free, served),
  )

/** Of tenants whose turn it is as much, first those that were served longest ago. */
export const longestAgo = (served: readonly string[], tenant: RawBuilder<unknown>) =>
  sql`array_position(${served}::text[], ${tenant}) nulls first`

/**
 * `turns`, after `with recursive`: of each tenant that waits for something its first due rows,
 * counted, however many organisations he has. The index leads from organisation to organisation, so
 * of all that is due only as much is read as may be claimed. Twice as much, because somebody may hold
 * it.
 */
export function turns(
  app: App,
  { table, key = ['id'], of = sql`true` }: Pick<AnyKind, 'table' | 'key' | 'of'>,
  free: number,
): RawBuilder<unknown> {
  const name = sql.table(table)
  const keys = sql.join(key.map((one) => sql.ref(`t.${one}`)))
  const waiting = sql`select t.org_id from ${name} t where t.next_at is not null and ${of}`
  return sql`orgs as (
      (${waiting} order by t.org_id limit 1)
      union all select (${waiting} and t.org_id > o.org_id order by t.org_id limit 1) from orgs o
      where o.org_id is not null
    ), firsts as (
      select first.* from orgs o cross join lateral (
        select ${keys}, t.org_id, t.next_at,
          row_number() over (order by t.next_at, ${keys}) as turn from ${name} t
        where t.org_id = o.org_id and t.next_at <= ${clock(app)} and ${of}
        order by t.next_at, ${keys} limit (select 2 + ${2 * free}::int / count(*) from orgs)) first
    ), turns as (
      select ${keys}, tenant, row_number() over (partition by tenant
        order by t.turn, t.next_at, ${keys}) as turn
      from (select firsts.*, ${tenantName(sql`firsts.org_id`)} as tenant from firsts) t
    )`
}

async function claimRows<P extends Piece, A extends { readonly state: string }>(
  ctx: Ctx,
  kind: Kind<P, A>,
  free: number,
  served: readonly string[],
): Promise<P[]> {
  const { key = ['id'], begins, reads } = kind
  const table = sql.table(kind.table)
  const keys = sql.join(key.map((one) => sql.ref(one)))
  const own = (alias: string) => sql.join(key.map((one) => sql.ref(`${alias}.${one}`)))
  const due = sql`t.next_at <= ${clock(ctx.app)}`
  const { rows } = await sql<Omit<P, 'ours'> & Record<string, unknown>>`
    with recursive ${turns(ctx.app, kind, free)}, due as (
      select ${own('t')}, turns.tenant from ${table} t join turns using (${keys}) where ${due}
      order by turns.turn, ${longestAgo(served, sql`turns.tenant`)}, t.next_at, ${own('t')} limit ${free} for update of t skip locked
    )
    update ${table} t set ${claiming(ctx.app, kind)}${begins ? sql`, ${begins}` : sql``} from due
    where (${own('t')}) = (${own('due')})
    returning t.*, due.tenant as "turnOf"${reads ? sql`, ${reads}` : sql``}`.execute(ctx.db)
  return rows.map((row) => {
    const same = sql.join(
      key.map((one) => sql`${sql.ref(one)} = ${row[one]}`),
      sql` and `,
    )
    return {
      ...row,
      ours: sql<boolean>`${same} and attempts = ${row.attempts} and next_at is not null`,
    } as unknown as P
  })
}

/** One piece from its claiming to its mark; what went wrong is thrown after that. */
async function perform<P extends Piece, A extends { readonly state: string }>(
  app: App,
  kind: Kind<P, A>,
  piece: P,
): Promise<void> {
  let fault: unknown
  const answer = await begin(kind, piece).catch(async (error: unknown) => {
    if (error instanceof Lost) return null
    if (isHeld(error)) return putBack(app, kind, piece)
    if (error instanceof Refusal) return { state: 'FAILED', reason: said(error) } as const
    fault = error
    return { state: 'RETRY', reason: common.unexpected.text } as const
  })
  if (answer) {
    const to = ending(app, kind, piece, answer)
    if (to.state === 'FAILED')
      app.log.warn({ work: kind.name, reason: 'reason' in to ? to.reason : '' }, 'given up')
    await bySystem(app, (ctx) => kind.mark(ctx, piece, to))
  }
  if (fault !== undefined) throw fault
}

/** As if it had not been claimed, and due a moment later. */
async function putBack(app: App, { table }: Pick<AnyKind, 'table'>, piece: Piece): Promise<null> {
  await bySystem(app, (ctx) =>
    sql`update ${sql.table(table)} set attempts = attempts - 1, next_at = ${after(app, heldSeconds)}
      where ${piece.ours}`.execute(ctx.db),
  )
  return null
}

async function begin<P extends Piece, A extends { readonly state: string }>(
  kind: Kind<P, A>,
  piece: P,
): Promise<A | Retry | Failed> {
  if (piece.attempts > (kind.most ?? kind.waits.length + 1))
    return { state: 'FAILED', reason: common.unexpected.text }
  return kind.do(piece)
}

function ending<A extends { readonly state: string }>(
  app: App,
  { waits }: Pick<AnyKind, 'waits'>,
  piece: Piece,
  answer: A | Retry | Failed,
): Ending<A> {
  const wait =
    answer.state === 'RETRY' ? waits[(piece.countedTries ?? piece.attempts) - 1] : undefined
  if (wait === undefined)
    return {
      ...answer,
      ...(answer.state === 'RETRY' ? { state: 'FAILED' as const } : {}),
      nextAt: sql<null>`null`,
    } as Ending<A>
  // those that failed together do not come again together
  return { ...answer, nextAt: after(app, wait * (1 - Math.random() / 5)) }
}

const said = ({ def, values }: Refusal): string => filled(def.text, values)

/**
 * Does what is due now, as many as run at once, and answers how many; for tests and benches. The
 * first fault is thrown when all have ended.
 */
export async function runDue<P extends Piece, A extends { readonly state: string }>(
  app: App,
  kind: Kind<P, A>,
): Promise<number> {
  const pieces = await claim(app, kind, kind.atOnce)
  const ends = await Promise.allSettled(pieces.map((piece) => perform(app, kind, piece)))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return pieces.length
}

/** Between two looks at what is due; who pokes does not wait for one. */
const slowMs = 5000
const stopMs = 3000
/** Of so many tenants a process knows whose turn was last. */
const mostServed = 200
type Running = Loop & {
  readonly kind: AnyKind
  readonly pieces: Map<Piece, Promise<void>>
  claiming: Promise<void> | undefined
  again: boolean
  served: string[]
}

export type Worker = {
  work(kind: AnyKind): Loop
  setRight(): Promise<void>
  close(): Promise<void>
}

/**
 * The pieces that this process does. `app` is asked when there is work: it is not whole before.
 * `onSetBack` is told when a clock went back and what lay ahead was brought to now.
 */
export function openWorker(app: () => App, onSetBack: () => Promise<void>): Worker {
  const kinds: Running[] = []
  let timer: NodeJS.Timeout | undefined
  let nextLook = 0
  let looking: Promise<void> | undefined
  let closed = false
  const clocks = [watchClock(), watchClock()]
  let wentBack = false

  const setRight = () =>
    bringToNow(
      app(),
      kinds.map(({ kind }) => aheadOf(app(), kind)),
    )
  /** One statement for all kinds: when the next piece of each is due. */
  async function look(): Promise<void> {
    if (wentBack) {
      await setRight()
      await onSetBack()
      wentBack = false
    }
    const first = kinds.map(
      ({ kind }) => sql`(select extract(epoch from min(t.next_at) - ${clock(app())})::float8
        from ${sql.table(kind.table)} t
        where t.next_at is not null and ${kind.of ?? sql`true`})`,
    )
    const { rows } = await app().database.readSame(systemScope, (db) =>
      sql<{ due: (number | null)[]; at: number }>`select array[${sql.join(first)}] as due,
        1000 * extract(epoch from ${clock(app())})::float8 as at`.execute(db),
    )
    // the database may have a clock of its own
    const times = [app().now().getTime(), rows[0]?.at ?? 0]
    if (clocks.map((went, i) => went(times[i] as number)).includes(true)) {
      wentBack = true
      return lookIn(0)
    }
    const seconds = (rows[0]?.due ?? []).map((one) => one ?? Number.POSITIVE_INFINITY)
    for (const [i, one] of kinds.entries()) if ((seconds[i] ?? 1) <= 0) one.run()
    // what is due and was not claimed is held by somebody who may be done in a moment
    lookIn(
      Math.min(
        slowMs,
        Math.max(200, Math.min(...seconds.map((one) => (one > 0 ? one : 1))) * 1000),
      ),
    )
  }
  /** At the latest; whoever wants it later does not put it off. */
  function lookIn(ms: number): void {
    const at = performance.now() + ms
    if (closed || (timer && at >= nextLook)) return
    clearTimeout(timer)
    nextLook = at
    timer = setTimeout(() => {
      timer = undefined
      looking ??= beside(look)
        .catch((error: unknown) => {
          app().log.warn({ err: error }, 'look at what is due')
          lookIn(slowMs)
        })
        .finally(() => {
          looking = undefined
        })
    }, ms)
  }
  /** Takes as many as there is room for. */
  async function fill(one: Running): Promise<void> {
    do {
      one.again = false
      const free = one.kind.atOnce - one.pieces.size
      if (closed || free <= 0) return
      for (const piece of await claim(app(), one.kind, free, one.served)) {
        const { turnOf: of } = piece
        if (of !== undefined)
          one.served = [...one.served.filter((tenant) => tenant !== of), of].slice(-mostServed)
        one.pieces.set(piece, run(one, piece))
      }
    } while (one.again)
  }
  async function run(one: Running, piece: Piece): Promise<void> {
    const began = performance.now()
    await perform(app(), one.kind, piece).catch((error: unknown) => failed(one, error))
    one.pieces.delete(piece)
    Object.assign(one.pulse, {
      runs: one.pulse.runs + 1,
      lastAt: new Date(),
      lastMs: Math.round(performance.now() - began),
    })
    one.run()
    // it may come again sooner than the next look
    lookIn(200)
  }
  function failed({ kind, pulse }: Running, error: unknown): void {
    app().log.error({ err: error, work: kind.name }, 'work')
    const lastError = String(error instanceof Error ? error.message : error).slice(0, 500)
    Object.assign(pulse, { failures: pulse.failures + 1, lastError, lastErrorAt: new Date() })
  }
  return {
    setRight,
    work(kind) {
      const pulse: Pulse = {
        everyMs: slowMs,
        runs: 0,
        failures: 0,
        lastAt: null,
        lastMs: null,
        lastError: '',
        lastErrorAt: null,
      }
      const one: Running = {
        kind,
        pulse,
        pieces: new Map(),
        claiming: undefined,
        again: false,
        served: [],
        run() {
          one.again = true
          one.claiming ??= beside(() => fill(one))
            .catch((error: unknown) => failed(one, error))
            .finally(() => {
              one.claiming = undefined
              if (one.again) one.run()
            })
        },
        async stop() {},
      }
      kinds.push(one)
      lookIn(200)
      return one
    },
    async close() {
      closed = true
      clearTimeout(timer)
      await Promise.all([looking, ...kinds.map((one) => one.claiming)])
      await Promise.race([
        Promise.all(kinds.flatMap(({ pieces }) => [...pieces.values()])),
        sleep(stopMs, undefined, { ref: false }),
      ])
      for (const { kind, pieces } of kinds)
        for (const piece of pieces.keys())
          await bySystem(app(), (ctx) =>
            sql`update ${sql.table(kind.table)} set next_at = ${clock(app())}
              where ${piece.ours}`.execute(ctx.db),
          ).catch(() => {})
    },
  }
}
