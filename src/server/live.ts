import type { FastifyReply } from 'fastify'
import type pg from 'pg'
import type { Actor } from './context.ts'
import type { Database } from './database.ts'

/**
 * Open screens learn that something changed and read again. NOTIFY inside business transactions would serialise their
 * commits, so changes are gathered and leave at most every 100 ms, after commit, on a connection of their own.
 */
export type Live = {
  /** Rows of these topics changed in `orgId`; called after commit. */
  publish(topics: readonly string[], orgId: number): void
  /** Calls back for changes of any process. */
  subscribe(listener: (topics: readonly string[], orgIds: readonly number[]) => void): () => void
  /** One browser's stream; ends when `check` finds the session gone. */
  stream(reply: FastifyReply, actor: Actor, check: () => Promise<boolean>): void
  /** Ends all streams; first step of a graceful stop. */
  endStreams(): void
  close(): Promise<void>
}

const channel = 'huodao_live'

/** Touched when sessions of a person end: his open streams look at once, not at the next ping. */
export const sessionsOf = (userId: number): string => `sessions:${userId}`
/** Touched when whole organisations are shut out: every stream looks. */
export const everySession = 'sessions'
type Change = { t: string[]; o: number[] }

export async function openLive(database: Database, onError: (error: unknown) => void): Promise<Live> {
  const listeners = new Set<(topics: readonly string[], orgIds: readonly number[]) => void>()
  const streams = new Set<{ end: () => void }>()
  const pending = { topics: new Set<string>(), orgs: new Set<number>() }
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let client: pg.Client | undefined

  async function connect(): Promise<void> {
    if (closed) return
    try {
      const fresh = await database.listen()
      fresh.on('notification', (message) => {
        const change = JSON.parse(message.payload ?? '{"t":[],"o":[]}') as Change
        for (const listener of listeners) listener(change.t, change.o)
      })
      fresh.on('error', () => {})
      fresh.on('end', () => {
        client = undefined
        if (!closed) setTimeout(connect, 500).unref()
      })
      await fresh.query(`listen ${channel}`)
      client = fresh
    } catch (error) {
      onError(error)
      if (!closed) setTimeout(connect, 1000).unref()
    }
  }

  function flush(): void {
    timer = undefined
    const change: Change = { t: [...pending.topics], o: [...pending.orgs].slice(0, 500) }
    pending.topics.clear()
    pending.orgs.clear()
    client?.query('select pg_notify($1, $2)', [channel, JSON.stringify(change)]).catch(onError)
  }

  await connect()
  const live: Live = {
    publish(topics, orgId) {
      for (const topic of topics) pending.topics.add(topic)
      pending.orgs.add(orgId)
      timer ??= setTimeout(flush, 100)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    stream(reply, actor, check) {
      reply.hijack()
      const out = reply.raw
      out.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
      out.write('retry: 3000\n\n')
      const visible = (orgs: readonly number[]) => actor.scope.all || orgs.some((id) => actor.scope.orgs.includes(id) || actor.scope.ancestors.includes(id))
      const look = () =>
        check().then(
          (alive) => (alive ? out.writableEnded || out.write(': ping\n\n') : end()),
          () => {},
        )
      const unsubscribe = live.subscribe((topics, orgs) => {
        if (topics.includes(everySession) || topics.includes(sessionsOf(actor.userId ?? 0))) void look()
        // a reader that does not drain is dropped rather than buffered for ever
        if (out.writableLength > 65_536) return end()
        if (visible(orgs)) out.write(`data: ${JSON.stringify({ topics })}\n\n`)
      })
      const ping = setInterval(look, 25_000)
      const entry = { end }
      streams.add(entry)
      out.on('close', end)
      out.on('error', end)
      function end(): void {
        clearInterval(ping)
        unsubscribe()
        streams.delete(entry)
        out.end()
      }
    },
    endStreams() {
      for (const stream of [...streams]) stream.end()
    },
    async close() {
      closed = true
      clearTimeout(timer)
      await client?.end().catch(() => {})
    },
  }
  return live
}
