import { createHmac, randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { sql } from 'kysely'
import type { Endpoint } from '../shared/contract.ts'
import { common, Refusal } from '../shared/errors.ts'
import {
  type Actor,
  type App,
  type AuditEntry,
  type Ctx,
  isRefused,
  type Refused,
  systemActor,
} from './context.ts'
import {
  type Bounds,
  isConnectionError,
  isHeld,
  isOutdatedPlan,
  isOutOfRoom,
  lockTimeout,
  Overdue,
  systemScope,
} from './database.ts'
import { logStatement } from './logRow.ts'
import { keyFor } from './secretBox.ts'

/**
 * Who asks, how, and in which language; independent of HTTP, so that jobs and the gateway run the
 * same way.
 */
export type Caller = {
  actor: Actor
  lang: Ctx['lang']
  requestId: string
  ip: string
  userAgent: string
}

export const systemCaller = (actor: Actor): Caller => ({
  actor,
  lang: 'zh-CN',
  requestId: randomUUID(),
  ip: '',
  userAgent: '',
})

/** An act of a person holds what it locked no longer. */
export const longestAct = { ms: 30_000 }

/** One transaction around one act: verb, log row, then what waits for the commit. */
export async function act<T>(
  app: App,
  caller: Caller,
  endpoint: Pick<Endpoint, 'audit' | 'scope'>,
  work: (ctx: Ctx) => Promise<T>,
  bounds: Bounds = {},
): Promise<T> {
  const afterCommit: (() => void | Promise<void>)[] = []
  const afterEnd: (() => Promise<void>)[] = []
  const ended = async () => {
    for (const later of afterEnd) await later()
  }
  const topics = new Map<string, Set<number>>()
  const homes = new Set([caller.actor.orgId])
  const unplaced = new Set<string>()
  const startedAt = performance.now()
  const scope = endpoint.scope === 'system' ? systemScope : caller.actor.scope
  const done = app.database.transact(
    scope,
    async (db, later) => {
      let entries: readonly AuditEntry[] | undefined
      const ctx: Ctx = {
        app,
        db,
        ...caller,
        now: app.now(),
        audit(...given) {
          if (entries) throw new Error('audit was called twice')
          entries = given
          for (const { orgId } of given) if (orgId !== undefined) homes.add(orgId)
        },
        touch(topic, given) {
          const orgs = topics.get(topic) ?? new Set<number>()
          topics.set(topic, orgs)
          if (given === undefined) unplaced.add(topic)
          else
            for (const org of typeof given === 'number' ? [given] : given)
              orgs.add(typeof org === 'number' ? org : org.orgId)
        },
        later,
        afterCommit: (work) => afterCommit.push(work),
        afterEnd: (work) => afterEnd.push(work),
      }
      const answer = await work(ctx)
      if (endpoint.audit && !entries && !isRefused(answer) && !isReplay(answer))
        throw new Error(`${endpoint.audit} wrote no log entry`)
      if (entries) {
        if (!endpoint.audit) throw new Error('audit without an audit decision')
        // a batch of which every thing was left as it is says nothing
        if (entries.length)
          later(
            logStatement(
              ctx,
              endpoint.audit,
              entries,
              isRefused(answer)
                ? { result: 'REFUSED', errorName: answer.refused.name, startedAt }
                : { result: 'SUCCESS', startedAt },
            ),
          )
      }
      return answer
    },
    bounds,
  )
  const result = await done.catch(async (error: unknown) => {
    await ended()
    throw error
  })
  for (const [topic, orgs] of topics)
    app.live.publish([topic], unplaced.has(topic) ? orgs.union(homes) : orgs)
  for (const later of afterCommit) {
    try {
      await later()
    } catch (error) {
      app.log.error({ err: error, requestId: caller.requestId }, 'after commit')
    }
  }
  await ended()
  return result
}

/**
 * An act of the system itself (sweeps, machines, clocks): no actor, every organisation, no log row.
 * Nobody is there to try again when the database ended it for the sake of another one: it does so
 * itself, three times.
 */
export async function bySystem<T>(app: App, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await act(app, systemCaller(systemActor), { audit: null, scope: 'system' }, work)
    } catch (error) {
      if (tries > 3 || (error as { code?: string }).code !== '40P01') throw error
      app.log.warn({ err: error }, 'an act of the system met a deadlock, trying again')
    }
  }
}

/**
 * An act of the system on things of many (sweeps): where somebody's act holds a row of one,
 * organisations are done one after the other, then halves of one; what is held is left for the next
 * turn, and nobody else waits with it.
 */
export async function eachFree<T extends { orgId: number }>(
  app: App,
  things: readonly T[],
  work: (ctx: Ctx, things: readonly T[]) => Promise<unknown>,
  lockMs = 200,
): Promise<void> {
  if (!things.length) return
  try {
    await bySystem(app, (ctx) => {
      ctx.later(lockTimeout(lockMs))
      return work(ctx, things)
    })
  } catch (error) {
    if (!isHeld(error)) throw error
    if (things.length === 1) return
    const owners = [...Map.groupBy(things, (thing) => thing.orgId).values()]
    const half = Math.ceil(things.length / 2)
    for (const part of owners.length > 1 ? owners : [things.slice(0, half), things.slice(half)])
      await eachFree(app, part, work, 50)
  }
}

/** An act on many things waits so long for one of them, while it holds the others. */
export const forOneOfMany = lockTimeout(1000)

/**
 * One thing of many in an act, in a savepoint of its own: what is wrong with it, and then nothing
 * of it is left; null when nothing is, and then it is kept unless the act is a trial. Where somebody
 * else is in the way (a lock, a deadlock, the end of its time) the whole act ends: with the next
 * thing it would only hold the ones before for longer.
 */
export async function oneOfMany(
  ctx: Ctx,
  work: () => Promise<unknown>,
  trial = false,
): Promise<Refusal | null> {
  ctx.later(forOneOfMany)
  await sql`savepoint one_of_many`.execute(ctx.db)
  try {
    await work()
  } catch (error) {
    const refusal = error instanceof Refusal ? error : ruleRefusal(error)
    if (!refusal) throw error
    await sql`rollback to savepoint one_of_many`.execute(ctx.db)
    return refusal
  }
  if (trial) await sql`rollback to savepoint one_of_many`.execute(ctx.db)
  else await sql`release savepoint one_of_many`.execute(ctx.db)
  return null
}

type Stored = { status: number; body: unknown }
export type Replay = { replay: Stored }
/** A stored answer that is given again; nothing happened, so nothing is logged. */
export const isReplay = (value: unknown): value is Replay =>
  typeof value === 'object' && value !== null && 'replay' in value

/**
 * Effect and answer under one key: a repeat gets the stored answer, another body 409002, a twin
 * that is still running 409005 at once instead of waiting on a lock with a connection in hand.
 */
export async function once<T>(
  ctx: Ctx,
  route: string,
  key: string,
  input: unknown,
  work: () => Promise<T | Refused>,
): Promise<Replay | { fresh: T | Refused }> {
  const user = ctx.actor.userId ?? 0
  // keyed: an input may hold a first password, which a plain hash would let anybody guess who reads
  // the table
  const hash = createHmac('sha256', keyFor(ctx.app.config, 'idempotency'))
    .update(stable(input))
    .digest()
  const { rows: lock } = await sql<{
    ok: boolean
  }>`select pg_try_advisory_xact_lock(hashtextextended(${`${user} ${route} ${key}`},
    0)) as ok`.execute(ctx.db)
  if (!lock[0]?.ok) throw new Refusal(common.keyBusy)
  const before = await ctx.db
    .selectFrom('idempotency_keys')
    .select(['input_hash', 'status', 'answer'])
    .where('user_id', '=', user)
    .where('route', '=', route)
    .where('key', '=', key)
    .executeTakeFirst()
  if (before) {
    if (!before.input_hash.equals(hash)) throw new Refusal(common.keyReused)
    return { replay: { status: before.status, body: before.answer } }
  }
  const fresh = await work()
  if (!isRefused(fresh)) {
    await ctx.db
      .insertInto('idempotency_keys')
      .values({
        user_id: user,
        route,
        key,
        org_id: ctx.actor.orgId,
        input_hash: hash,
        status: 200,
        answer: JSON.stringify(fresh),
        created_at: ctx.now,
      })
      .execute()
  }
  return { fresh }
}

/** JSON with sorted keys, so that the order in which a client writes fields does not matter. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_, v: unknown) =>
    v && typeof v === 'object' && !Array.isArray(v)
      ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1)))
      : v,
  )
}

/** A database failure as the refusal a person can read; null when it is ours to investigate. */
export function databaseRefusal(error: unknown): Refusal | null {
  if (error instanceof Overdue) return Object.assign(new Refusal(common.tooLong), { cause: error })
  const busy = () => Object.assign(new Refusal(common.busy), { cause: error })
  if (isConnectionError(error) || isOutdatedPlan(error) || isOutOfRoom(error)) return busy()
  const code = (error as { code?: string }).code
  if (code === '57014' || code === '55P03' || code === '53300') return busy() // deadline, lock, too many connections
  if (code === '40001' || code === '40P01') return new Refusal(common.stale)
  return ruleRefusal(error)
}

/** What the database says about the thing itself, not about the act that wrote it. */
function ruleRefusal(error: unknown): Refusal | null {
  const { code, detail } = error as { code?: string; detail?: string }
  if (code === '22021' || code === '22P05') return new Refusal(common.invalid) // text the database cannot hold
  if (code === '23505') return new Refusal(common.duplicate)
  // a row that names what is not there, or what others name goes
  if (code === '23503')
    return new Refusal(/not present in table/.test(detail ?? '') ? common.notFound : common.inUse)
  if (code === '23514') return new Refusal(common.stale) // a rule of the database held where two acts crossed
  return null
}
