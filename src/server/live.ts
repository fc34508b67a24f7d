import type { FastifyReply } from 'fastify'
import type pg from 'pg'
import type { Database } from './database.ts'
import type { Person } from './person.ts'
import type { Product } from './product.ts'
import { openWatch, type Watch } from './watch.ts'

/**
 * Open screens learn that something changed and read again. NOTIFY inside business transactions
 * would serialise their commits, so changes are gathered and leave at most every 100 ms, after
 * commit, on a connection of their own.
 */
export type Live = {
  /** Rows of these topics changed in these organisations; called after commit. */
  publish(topics: readonly string[], orgIds: number | Iterable<number>): void
  /** Calls back for changes of any process. */
  subscribe(listener: (topics: readonly string[], change: Change) => void): () => void
  /**
   * One browser's stream, of a session; `check` answers who it is now, null when the session is
   * gone.
   */
  stream(reply: FastifyReply, of: Listener, check: () => Promise<Listener | null>): void
  /** How many streams of this process are open. */
  streaming(): number
  /** Ends all streams; first step of a graceful stop. */
  endStreams(): void
  close(): Promise<void>
}
export type Listener = Pick<Person, 'userId' | 'permissions' | 'scopeOf'> & {
  readonly sessionId: string
}

const channel = 'huodao_live'

/** Touched when sessions of a person end: his open streams look at once, not at the next ping. */
export const sessionsOf = (userId: number): string => `sessions:${userId}`
/** When these change in a listener's branch, what he may hear of has changed, or may have. */
const accessTopics: readonly string[] = ['roles', 'users', 'organisations']
/** However often they change, a stream looks at most once in so many milliseconds. */
const lookEvery = 1000

/** Organisations by topic. */
type Change = Readonly<Record<string, readonly number[]>>

/**
 * One browser has one stream; more come from tabs that cannot share it, and the oldest of them
 * makes room.
 */
const mostOf = { session: 4, person: 16 } as const
/** PostgreSQL takes 8,000 bytes in one notification. */
const mostBytes = 7000

/** Whether the change may have touched what he may hear of: in his branch, or above it. */
export function concerns(listener: Listener, change: Change): boolean {
  const { all, orgs, ancestors } = listener.scopeOf('self')
  return accessTopics.some((topic) =>
    change[topic]?.some((id) => all || orgs.includes(id) || ancestors.includes(id)),
  )
}

/** Whether a listener may read what the topic stands for, in one of these organisations. */
export function hears(
  known: Product['topics'],
  listener: Pick<Listener, 'userId' | 'permissions' | 'scopeOf'>,
  topic: string,
  orgs: readonly number[],
): boolean {
  const owner = /:(\d+)$/.exec(topic)
  if (owner) return Number(owner[1]) === listener.userId
  const found = known[topic]
  if (!found) return false
  return found.rights.some((right) => {
    if (!listener.permissions.has(right)) return false
    const scope = listener.scopeOf(right)
    return (
      scope.all ||
      orgs.some(
        (id) => scope.orgs.includes(id) || (found.shared === true && scope.ancestors.includes(id)),
      )
    )
  })
}

export async function openLive(
  database: Database,
  known: Product['topics'],
  onError: (error: unknown) => void,
): Promise<Live> {
  const listeners = new Set<(topics: readonly string[], change: Change) => void>()
  const streams = new Set<Stream>()
  const pending = new Map<string, Set<number>>()
  let timer: NodeJS.Timeout | undefined
  let telling: Promise<void> | undefined
  let closed = false
  let client: pg.Client | undefined

  async function connect(): Promise<void> {
    if (closed) return
    try {
      const fresh = await database.listen()
      fresh.on('notification', (message) => {
        const change = JSON.parse(message.payload ?? '{}') as Change
        for (const listener of listeners) listener(Object.keys(change), change)
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

  /** One at a time: the driver will not queue them, and what comes meanwhile leaves together. */
  function flush(): void {
    timer = undefined
    if (telling) return
    const payloads = payloadsOf(pending)
    pending.clear()
    telling = client
      ?.query({
        name: 'notify',
        text: 'select pg_notify($1, p) from unnest($2::text[]) as p',
        values: [channel, payloads],
      })
      .then(() => {}, onError)
      .finally(() => {
        telling = undefined
        if (pending.size && !closed) timer ??= setTimeout(flush, 0)
      })
  }

  const watchOf: WatchOf = (listener, tell) => openWatch(database, known, listener, tell, onError)
  await connect()
  const live: Live = {
    publish(topics, orgIds) {
      const orgs = typeof orgIds === 'number' ? [orgIds] : [...orgIds]
      for (const topic of topics) {
        const held = pending.get(topic) ?? new Set<number>()
        pending.set(topic, held)
        for (const org of orgs) held.add(org)
      }
      timer ??= setTimeout(flush, 100)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    stream(reply, of, check) {
      const oldest = (mine: (stream: Stream) => boolean, most: number) => {
        const open = [...streams].filter(mine)
        for (const stream of open.slice(0, Math.max(0, open.length - most + 1))) stream.end()
      }
      oldest((stream) => stream.of().sessionId === of.sessionId, mostOf.session)
      oldest((stream) => stream.of().userId === of.userId, mostOf.person)
      const stream = openStream(known, reply, of, check, live.subscribe, watchOf, () =>
        streams.delete(stream),
      )
      streams.add(stream)
    },
    streaming: () => streams.size,
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

/** As few notifications as hold it all. */
function payloadsOf(pending: ReadonlyMap<string, ReadonlySet<number>>): string[] {
  const payloads: string[] = []
  let change: Record<string, number[]> = {}
  let bytes = 2
  const leave = () => {
    if (bytes > 2) payloads.push(JSON.stringify(change))
    change = {}
    bytes = 2
  }
  for (const [topic, orgs] of pending)
    for (const ids of chunks([...orgs])) {
      const more = Buffer.byteLength(JSON.stringify({ [topic]: ids })) + 1
      if (bytes + more > mostBytes || topic in change) leave()
      change[topic] = ids
      bytes += more
    }
  leave()
  return payloads
}
const chunks = (ids: readonly number[]): number[][] =>
  ids.length
    ? Array.from({ length: Math.ceil(ids.length / 500) }, (_, i) =>
        ids.slice(500 * i, 500 * (i + 1)),
      )
    : [[]]

type Stream = { of(): Listener; end(): void }
type WatchOf = (of: () => Listener, tell: (topics: readonly string[]) => void) => Watch

function openStream(
  known: Product['topics'],
  reply: FastifyReply,
  first: Listener,
  check: () => Promise<Listener | null>,
  subscribe: Live['subscribe'],
  watchOf: WatchOf,
  gone: () => void,
): Stream {
  reply.hijack()
  const out = reply.raw
  let listener = first
  out.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    connection: 'close',
  })
  out.write('retry: 3000\n\n')
  const look = (ping: string) =>
    check().then(
      (now) => {
        if (!now) return end()
        listener = now
        watch.look()
        if (ping && !out.writableEnded) out.write(ping)
      },
      () => {},
    )
  const tell = (topics: readonly string[]) =>
    out.writableEnded || out.write(`data: ${JSON.stringify({ topics })}\n\n`)
  const watch = watchOf(() => listener, tell)
  let lookedAt = 0
  let due: NodeJS.Timeout | undefined
  const lookSoon = (wait: number) => {
    due ??= setTimeout(() => {
      due = undefined
      lookedAt = performance.now()
      void look('')
    }, wait)
  }
  const unsubscribe = subscribe((named, change) => {
    if (named.includes(sessionsOf(listener.userId ?? 0))) void look('')
    else if (concerns(listener, change))
      lookSoon(Math.max(0, lookedAt + lookEvery - performance.now()))
    // a reader that does not drain is dropped rather than buffered for ever
    if (out.writableLength > 65_536) return void out.destroy()
    const heard = named.filter((topic) => hears(known, listener, topic, change[topic] ?? []))
    if (heard.length) tell(heard)
    watch.hear(change)
  })
  const ping = setInterval(() => look(': ping\n\n'), 25_000)
  out.on('close', end)
  out.on('error', end)
  function end(): void {
    clearInterval(ping)
    clearTimeout(due)
    watch.end()
    unsubscribe()
    gone()
    out.end()
  }
  return { of: () => listener, end }
}
