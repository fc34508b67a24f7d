import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type RawBuilder,
  sql,
} from 'kysely'
import pg from 'pg'
import type { DB } from './schema.ts'
import { openWire, type Statement, type Wire } from './wire.ts'

/**
 * The only way to a connection. Every connection runs as the application role (row policies apply
 * to it) and carries the scope of whoever asked; a connection without scope sees no rows.
 */

/** Which rows an actor may touch. `all`: the platform and the system itself. */
export type Scope = {
  readonly all: boolean
  readonly orgs: readonly number[]
  /** Organisations above: readable where a table is shared downwards (products, roles). */
  readonly ancestors: readonly number[]
  /** null: every machine of the organisations; otherwise only these. */
  readonly devices: readonly number[] | null
  /**
   * Machines of anybody that are looked at, with what they hold and sold, and nothing else of their
   * owners. null: no such task.
   */
  readonly watched: readonly number[] | null
}
export const systemScope: Scope = {
  all: true,
  orgs: [],
  ancestors: [],
  devices: null,
  watched: null,
}
export const noScope: Scope = { all: false, orgs: [], ancestors: [], devices: null, watched: null }

export type Db = Kysely<DB>
type Client = pg.PoolClient & {
  scope?: string | undefined
  wire?: Wire
  dbs?: Map<Naming, Db>
  backend?: number
  ended?: Overdue
}

/** `ms`: how long an act may take. `gone`: whoever waited for its answer has left. */
export type Bounds = { readonly ms?: number; readonly gone?: AbortSignal }
/** The act ended before it was done; nothing of it is left. */
export class Overdue extends Error {}

pg.types.setTypeParser(pg.types.builtins.INT8, (value) => Number(value))
pg.types.setTypeParser(pg.types.builtins.NUMERIC, (value) => Number(value))
pg.types.setTypeParser(pg.types.builtins.DATE, (value) => value)
pg.types.setTypeParser(1016 as never, (value: string) =>
  value === '{}' ? [] : value.slice(1, -1).split(',').map(Number),
)

export type Database = {
  /**
   * One transaction in `scope`; commits when `work` returns, rolls back when it throws. `later`:
   * what leaves with the next statement.
   */
  transact<T>(scope: Scope, work: (db: Db, later: Later) => Promise<T>, bounds?: Bounds): Promise<T>
  /**
   * The same statement at every request, planned once for each connection, on a pool of its own.
   */
  readSame<T>(scope: Scope, work: (db: Db) => Promise<T>): Promise<T>
  /**
   * Single statements in `scope`, without a transaction around them. For screens: its pool never
   * starves writes.
   */
  read<T>(scope: Scope, work: (db: Db) => Promise<T>): Promise<T>
  /**
   * What whoever holds a connection waits for (settings that are kept in memory): a small pool of
   * its own, or all who hold one would wait for one more. `work` is one statement and asks for
   * nothing else.
   */
  aside<T>(work: (db: Db) => Promise<T>): Promise<T>
  /**
   * One look at the data for as long as `work` takes: REPEATABLE READ, read only, on a small pool
   * beside those of screens and writes.
   */
  snapshot<T>(scope: Scope, work: (db: Db) => Promise<T>): Promise<T>
  /**
   * Whether the database answers, on a connection that screens and writes cannot take; who asks at
   * once shares one question.
   */
  ping(): Promise<void>
  /** A connection of its own for LISTEN; not pooled, reconnects are the caller's. */
  listen(): Promise<pg.Client>
  /**
   * When a transaction was last refused for want of room, or because the database is read-only, as
   * `performance.now()` says it.
   */
  lastOutOfRoom(): number
  stats(): { reads: PoolStats; writes: PoolStats }
  close(): Promise<void>
}
export type Later = (statement: RawBuilder<unknown> | Statement) => void
/**
 * Whoever holds a connection must not wait for a second one: as many acts as there are connections
 * would wait for each other for ever. What an act must know or say beside its transaction comes
 * before it, after its commit, or from `aside`.
 */
const holding = new AsyncLocalStorage<{ over: boolean }>()
function holdsNone(): void {
  if (holding.getStore()?.over === false)
    throw new Error('an act that holds a connection asks for a second one')
}
async function holdOne<T>(work: () => Promise<T>): Promise<T> {
  holdsNone()
  // timers that were started in it run as part of it for ever
  const held = { over: false }
  try {
    return await holding.run(held, work)
  } finally {
    held.over = true
  }
}
/**
 * What may begin in an act and goes on beside it (loops): whatever it asks for is not the act's.
 */
export const beside = <T>(work: () => T): T => holding.exit(work)

type PoolStats = { total: number; idle: number; waiting: number }

export type DatabaseOptions = {
  url: string
  reads: number
  looks?: number
  writes: number
  statementMs: number
}

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  // parallel workers would let one reader take every core from machines and money
  const single = '-c max_parallel_workers_per_gather=0'
  const make = (
    max: number,
    name: string,
    statementMs = options.statementMs,
    more: pg.PoolConfig = {},
  ) => {
    const pool = new pg.Pool({
      connectionString: options.url,
      max,
      application_name: `huodao-${name}`,
      connectionTimeoutMillis: 10_000,
      // one that is new learns every table and plans every statement anew
      idleTimeoutMillis: 300_000,
      maxLifetimeSeconds: 86_400,
      statement_timeout: statementMs,
      // whoever waits for a row holds a connection: after 10 s of a server's he is told to come
      // again
      lock_timeout: options.statementMs / 2,
      // a process that stands still (a frozen host, a lost network) lets go of what it locked: a
      // server's after 10 s
      idle_in_transaction_session_timeout: options.statementMs / 2,
      keepAlive: true,
      options: single,
      ...more,
    })
    pool.on('error', () => {}) // an idle connection died; the pool replaces it
    // nobody listens yet to one that dies in the moment it is handed out, which would end the process
    pool.on('connect', (client) => client.on('error', () => {}))
    return pool
  }
  // a kept statement is planned once, for any values and for tables that fill: the first order
  // finds an empty one, which is cheaper
  // to read than its index, and the plan is still used for the thousandth. Before 18 a scan that is
  // not wanted counts as so dear that
  // the statement would be compiled, too
  const once = {
    options: `${single} -c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c jit=off`,
  }
  const writes = make(options.writes, 'writes', options.statementMs, once)
  const looks = make(options.looks ?? 1, 'looks', options.statementMs, once)
  const reads = make(options.reads, 'reads')
  // files are written between its statements, and it locks nothing
  const snapshots = make(2, 'snapshots', 3 * options.statementMs, {
    idle_in_transaction_session_timeout: 60_000,
  })
  const asides = make(2, 'asides')
  const probe = make(1, 'probe', 2000)
  let pinged: Promise<void> | undefined
  await untilThere(() => refuseStrongRole(writes))
  const reading = <T>(naming: Naming, scope: Scope, work: (db: Db) => Promise<T>, pool = reads) =>
    withClient(pool, async (client) => {
      takeScope(client, await enter(client), scope)
      try {
        return await work(over(client, naming))
      } catch (error) {
        client.scope = undefined // what failed together with the scope took it back
        throw error
      }
    })
  /**
   * Ends the statement that runs and lets none begin. The connection is not used again: the word
   * may reach its backend late.
   */
  const bounded = (client: Client, { ms, gone }: Bounds): (() => void) => {
    const end = () => {
      client.ended = new Overdue('an act was ended before it was done')
      withClient(probe, (other) =>
        other.query('select pg_cancel_backend($1)', [client.backend]),
      ).catch(() => {})
    }
    const timer = ms === undefined ? undefined : setTimeout(end, ms)
    gone?.addEventListener('abort', end)
    if (gone?.aborted) end()
    return () => {
      clearTimeout(timer)
      gone?.removeEventListener('abort', end)
    }
  }
  const transact = <T>(
    pool: pg.Pool,
    begin: Statement,
    naming: Naming,
    scope: Scope,
    work: (db: Db, later: Later) => Promise<T>,
    bounds: Bounds = {},
  ) =>
    withClient(pool, async (client) => {
      const wire = await enter(client)
      const unbound = bounded(client, bounds)
      const later: Later = (statement) => {
        if ('text' in statement) return wire.later(statement)
        const { sql: text, parameters: values } = statement.compile(over(client, naming))
        wire.later({ name: naming(text), text, values })
      }
      wire.later(begin)
      takeScope(client, wire, scope)
      try {
        const result = await work(over(client, naming), later)
        await wire.ask(commit)
        return result
      } catch (error) {
        unbound()
        if (isOutOfRoom(error)) outOfRoomAt = performance.now()
        client.scope = undefined // a rollback also takes the scope back
        if (wire.drop(begin)) await wire.ask(rollback)
        throw client.ended ?? error
      } finally {
        unbound()
      }
    })
  let outOfRoomAt = Number.NEGATIVE_INFINITY
  return {
    lastOutOfRoom: () => outOfRoomAt,
    transact: async (scope, work, bounds) =>
      holdOne(() => transact(writes, begin, planOnce, scope, work, bounds)),
    read: async (scope, work) => holdOne(() => reading(planAlways, scope, work)),
    readSame: async (scope, work) => holdOne(() => reading(planOnce, scope, work, looks)),
    aside: (work) => reading(planOnce, systemScope, work, asides),
    snapshot: async (scope, work) => {
      holdsNone()
      return transact(snapshots, beginSnapshot, planAlways, scope, work)
    },
    ping() {
      pinged ??= withClient(probe, async (client) => void (await client.query('select 1'))).finally(
        () => {
          pinged = undefined
        },
      )
      return pinged
    },
    async listen() {
      const client = new pg.Client({
        connectionString: options.url,
        application_name: 'huodao-listen',
        keepAlive: true,
      })
      client.on('error', () => {}) // as above
      await client.connect()
      return client
    },
    stats: () => ({ reads: stats(reads), writes: stats(writes) }),
    async close() {
      await Promise.all([
        writes.end(),
        reads.end(),
        looks.end(),
        snapshots.end(),
        asides.end(),
        probe.end(),
      ])
    },
  }
}

const stats = (pool: pg.Pool): PoolStats => ({
  total: pool.totalCount,
  idle: pool.idleCount,
  waiting: pool.waitingCount + (patient.get(pool)?.size ?? 0),
})

/**
 * Those who wait for a connection that is busy rather than open one more, each with how to wake it.
 */
const patient = new WeakMap<pg.Pool, Set<() => void>>()
const patienceMs = 100

/**
 * A new connection costs the database as much as dozens of statements on one that knows its tables
 * and plans: whoever finds all of them busy waits a moment for one.
 */
async function takeClient(pool: pg.Pool): Promise<Client> {
  const waiting = patient.get(pool) ?? new Set()
  patient.set(pool, waiting)
  const deadline = performance.now() + patienceMs
  for (
    let left = patienceMs;
    left > 0 && pool.totalCount > 0 && pool.idleCount <= 0;
    left = deadline - performance.now()
  )
    await new Promise<void>((resolve) => {
      const go = () => {
        clearTimeout(timer)
        waiting.delete(go)
        resolve()
      }
      const timer = setTimeout(go, left)
      waiting.add(go)
    })
  return pool.connect()
}

async function withClient<T>(pool: pg.Pool, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await takeClient(pool)
  let broken = false
  // the server may end a checked-out connection; without a listener that would end the process
  const onError = () => {
    broken = true
  }
  client.on('error', onError)
  try {
    return await work(client)
  } catch (error) {
    if (isConnectionError(error) || isOutdatedPlan(error)) broken = true
    throw error
  } finally {
    client.off('error', onError)
    client.release(broken || client.ended !== undefined)
    const [next] = patient.get(pool) ?? []
    next?.()
  }
}

/**
 * In the transaction that says so first, nobody waits longer for a row that somebody else holds.
 */
export const lockTimeout = (ms: number): RawBuilder<unknown> =>
  sql`select set_config('lock_timeout', ${`${ms}ms`}, true)`
/** Whoever waited had no more lockTimeout; also what a person is told of it. */
export function isHeld(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  return code === '55P03' || isHeld(cause)
}

/** True when the database went away under a statement; the caller may try again. */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = (error as Error & { code?: string }).code ?? ''
  return (
    /^(08|57P0|25P03)/.test(code) ||
    ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT'].includes(code) ||
    /Connection terminated|timeout exceeded when trying to connect|not queryable/.test(
      error.message,
    )
  )
}

/** A full disk, a disk that fails, a standby: reading may go on, writing does not. */
export const isOutOfRoom = (error: unknown): boolean =>
  /^(53100|58030|25006)$/.test((error as { code?: string } | null)?.code ?? '')

/** A table changed under a statement that was planned before; a new connection plans it again. */
export const isOutdatedPlan = (error: unknown): boolean =>
  error instanceof Error && /cached plan must not change result type/.test(error.message)

const begin: Statement = { name: 'begin', text: 'begin', values: [] }
const beginSnapshot: Statement = {
  text: 'begin isolation level repeatable read read only',
  values: [],
}
const commit: Statement = { name: 'commit', text: 'commit', values: [] }
const rollback: Statement = { name: 'rollback', text: 'rollback', values: [] }
const setScope = `select set_config('app.all', $1, false), set_config('app.orgs', $2, false),
  set_config('app.ancestors', $3, false),
  set_config('app.devices', $4, false), set_config('app.watched', $5, false)`

/** The connection as the application role. */
async function enter(client: Client): Promise<Wire> {
  if (!client.wire) {
    const { rows } = await client.query('select pg_backend_pid() as id')
    client.backend = rows[0].id
    await client.query(`set role huodao_app; set timezone to 'UTC'`)
  }
  client.wire ??= openWire(client)
  return client.wire
}

const list = (ids: readonly number[]) => `{${ids.map((id) => Math.trunc(id)).join(',')}}`
/** As the row policies want them: in order, or they find none of them. */
export const orgsInOrder = (ids: readonly number[]): string => list(ids.toSorted((a, b) => a - b))

/** Where the scope is another than before, it leaves with the first statement. */
function takeScope(client: Client, wire: Wire, scope: Scope): void {
  const values = [
    scope.all ? 'on' : 'off',
    orgsInOrder(scope.orgs),
    list(scope.ancestors),
    scope.devices ? list(scope.devices) : '',
    list(scope.watched ?? []),
  ]
  const key = values.join('|')
  if (client.scope !== key) wire.later({ name: 'scope', text: setScope, values })
  client.scope = key
}

/**
 * A database that is just coming up (after a crash, or beside us) is waited for, half a minute at
 * most.
 */
async function untilThere(ask: () => Promise<void>): Promise<void> {
  for (const deadline = performance.now() + 30_000; ; ) {
    try {
      return await ask()
    } catch (error) {
      if (!isConnectionError(error) || performance.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
  }
}

async function refuseStrongRole(pool: pg.Pool): Promise<void> {
  await withClient(pool, async (client) => {
    takeScope(client, await enter(client), noScope)
    const { rows } = await sql<{ strong: boolean }>`
      select r.rolsuper or r.rolbypassrls or exists (select 1 from pg_class c
        join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'public' and c.relkind in ('r', 'p') and c.relowner = r.oid) as strong
      from pg_roles r where r.rolname = current_user`.execute(over(client, planAlways))
    if (rows[0]?.strong !== false)
      throw new Error(
        'The application role must not be a superuser, own tables or bypass row security.',
      )
  })
}

/**
 * Planning costs more than running for the short statements of writes, so those that come again are
 * kept by their name on the connection. Statements of screens are planned with their values:
 * organisations differ too much in size for one plan.
 */
type Naming = (text: string) => string | undefined
const planAlways: Naming = () => undefined
const mostKept = 400
/**
 * A text that grows with its rows hardly comes again, and each connection would keep a plan of it.
 */
const longestKept = 8192
/**
 * A month that is over takes its statements along; connections that know them are replaced once a
 * day.
 */
const keptMs = 3_600_000
const seenOnce = new Set<string>()
const kept = new Map<string, { readonly name: string; at: number }>()
let named = 0
const planOnce: Naming = (text) => {
  const now = performance.now()
  const known = kept.get(text)
  if (known) {
    known.at = now
    return known.name
  }
  if (kept.size >= mostKept)
    for (const [old, { at }] of kept) if (now - at > keptMs) kept.delete(old)
  if (kept.size >= mostKept || text.length > longestKept) return undefined
  if (seenOnce.has(text)) {
    named += 1
    kept.set(text, { name: `s${named}`, at: now })
    seenOnce.delete(text)
  } else if (seenOnce.size < 5000) seenOnce.add(text)
  return kept.get(text)?.name
}

/** A Kysely over one checked-out connection: queries are typed, the connection is ours. */
function over(client: Client, naming: Naming): Db {
  client.dbs ??= new Map()
  const known = client.dbs.get(naming)
  if (known) return known
  const fresh = new Kysely<DB>({ dialect: clientDialect(client, naming) })
  client.dbs.set(naming, fresh)
  return fresh
}
function clientDialect(client: Client, naming: Naming): Dialect {
  const wire = client.wire as Wire
  const connection: DatabaseConnection = {
    async executeQuery<R>({
      sql: text,
      parameters: values,
    }: {
      sql: string
      parameters: readonly unknown[]
    }): Promise<QueryResult<R>> {
      if (client.ended) throw client.ended
      const { rows, count } = await wire.ask({ name: naming(text), text, values })
      return { rows: rows as R[], numAffectedRows: BigInt(count) }
    },
    // biome-ignore lint/correctness/useYield: streaming is not offered
    async *streamQuery() {
      throw new Error('not offered')
    },
  }
  const driver: Driver = {
    async init() {},
    async acquireConnection() {
      return connection
    },
    async beginTransaction() {
      throw new Error('transactions belong to Database.transact')
    },
    async commitTransaction() {},
    async rollbackTransaction() {},
    async releaseConnection() {},
    async destroy() {},
  }
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}
