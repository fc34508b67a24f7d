import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { pathParams } from '../shared/contract.ts'
import { madeStorable } from '../shared/text.ts'
import type { App } from './context.ts'
import { type Db, systemScope } from './database.ts'
import { attemptOf } from './refusals.ts'

/**
 * Reads of a user or a module, recorded while somebody switched that on. Outside the read and
 * outside the chain: rows wait in memory for a second and go in by one statement; when more come
 * than fit, they are dropped, for a screen never waits for its trace.
 */
type Recording = { user_id: number | null; module: string | null }
type DebugRow = {
  org_id: number
  created_at: string
  user_id: number
  username: string
  action: string
  content: string
  resource_id: string
  ip_address: string
  user_agent: string
  request_id: string
  duration_ms: number
}
export type DebugLog = {
  note(request: FastifyRequest, status: number, ms: number): void
  flush(): Promise<void>
  stop(): Promise<void>
}

const staleAfter = 5000
const atMost = 1000

export function openDebugLog(app: App): DebugLog {
  let recordings: readonly Recording[] = []
  let readAt = Number.NEGATIVE_INFINITY
  let waiting: DebugRow[] = []
  let timer: NodeJS.Timeout | undefined
  const reload = async () => {
    readAt = performance.now()
    recordings = await app.database.aside((db) => recordingsAt(db, app.now()))
  }
  const flush = async () => {
    clearTimeout(timer)
    timer = undefined
    const rows = waiting
    waiting = []
    if (rows.length) await app.database.transact(systemScope, (db) => insert(db, rows))
  }
  const quietly = (work: Promise<void>) =>
    work.catch((error: unknown) => app.log.warn({ err: error }, 'debug log'))
  return {
    note(request, status, ms) {
      const attempt = attemptOf(request)
      if (attempt?.endpoint.kind !== 'read' || attempt.actor.userId === null) return
      if (performance.now() - readAt > staleAfter) void quietly(reload())
      const { name, endpoint, actor } = attempt
      const module = name.split('.')[0] ?? ''
      if (
        waiting.length >= atMost ||
        !recordings.some((on) => on.user_id === actor.userId || on.module === module)
      )
        return
      const param = pathParams(endpoint.path)[0]
      waiting.push({
        org_id: actor.orgId,
        created_at: app.now().toISOString(),
        user_id: actor.userId as number,
        username: actor.username,
        action: name,
        content:
          `${app.product.actionLabel(name, 'zh-CN')}（${status}）${endpoint.method} ${madeStorable(request.url)}`.slice(
            0,
            500,
          ),
        resource_id: ((param && (request.params as Record<string, string>)[param]) ?? '').slice(
          0,
          100,
        ),
        ip_address: request.ip,
        user_agent: (request.headers['user-agent'] ?? '').slice(0, 300),
        request_id: request.id,
        duration_ms: Math.round(ms),
      })
      timer ??= setTimeout(() => void quietly(flush()), 1000)
    },
    async flush() {
      await reload()
      await flush()
    },
    stop: () => quietly(flush()),
  }
}

async function recordingsAt(db: Db, now: Date): Promise<Recording[]> {
  const { rows } =
    await sql<Recording>`select user_id, module from log_debug_sessions where until > ${now}
      limit 200`.execute(db)
  return rows
}

async function insert(db: Db, rows: readonly DebugRow[]): Promise<void> {
  await sql`insert into debug_logs (org_id, created_at, user_id, username, action, content,
    resource_id, ip_address, user_agent, request_id, duration_ms)
    select org_id, created_at, user_id, username, action, content, resource_id, ip_address,
      user_agent, request_id, duration_ms
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(org_id bigint,
      created_at timestamptz, user_id bigint, username text, action text, content text,
      resource_id text,
      ip_address text, user_agent text, request_id text, duration_ms int)`.execute(db)
}
