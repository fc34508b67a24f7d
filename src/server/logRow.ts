import { performance } from 'node:perf_hooks'
import { sql } from 'kysely'
import pg from 'pg'
import { masked } from './auditMask.ts'
import { auditText } from './auditText.ts'
import type { AuditEntry, Ctx } from './context.ts'
import type { LastStatement } from './database.ts'

type Writer = Pick<Ctx, 'db' | 'now' | 'requestId' | 'ip' | 'userAgent'> & { actor: Pick<Ctx['actor'], 'userId' | 'username' | 'orgId'> }
export type Outcome = { result: 'SUCCESS' | 'REFUSED' | 'FAILED'; errorName?: string; content?: string; startedAt: number }

const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(masked(value)))

const columns = {
  org_id: 'bigint',
  created_at: 'timestamptz',
  user_id: 'bigint',
  actor_org_id: 'bigint',
  username: 'text',
  level: 'text',
  action: 'text',
  content: 'text',
  resource_id: 'text',
  target_name: 'text',
  result: 'text',
  error_name: 'text',
  before: 'jsonb',
  after: 'jsonb',
  ip_address: 'text',
  user_agent: 'text',
  request_id: 'text',
  duration_ms: 'int',
} as const
type Row = Record<keyof typeof columns, string | number | null>
const insert = `insert into operation_logs (${Object.keys(columns).join(', ')})`

/** Planned once for each connection: planning would cost as much as writing. */
const prepare = `prepare log_row(${Object.values(columns).join(', ')}) as ${insert} values (${Object.keys(columns)
  .map((_, n) => `$${n + 1}`)
  .join(', ')})`

/**
 * One row of the operation log as a statement without a round trip of its own: it travels with the commit of its act. The row
 * belongs to the organisation of the thing, and whoever sees that sees the row.
 */
export function logStatement(ctx: Omit<Writer, 'db'>, action: string, entry: AuditEntry, outcome: Outcome): LastStatement {
  return { prepare, execute: `execute log_row(${values(ctx, action, entry, outcome)})` }
}

/** The same inside a transaction that goes on. */
export async function writeLog(ctx: Writer, action: string, entry: AuditEntry, outcome: Outcome): Promise<void> {
  await sql.raw(`${insert} values (${values(ctx, action, entry, outcome)})`).execute(ctx.db)
}

function values(ctx: Omit<Writer, 'db'>, action: string, entry: AuditEntry, outcome: Outcome): string {
  const name = entry.name ?? String(entry.id)
  const row: Row = {
    org_id: entry.orgId ?? ctx.actor.orgId,
    created_at: ctx.now.toISOString(),
    user_id: ctx.actor.userId,
    actor_org_id: ctx.actor.userId === null ? null : ctx.actor.orgId,
    username: ctx.actor.username,
    level: entry.level ?? (outcome.result === 'SUCCESS' ? 'INFO' : 'ERROR'),
    action,
    content: outcome.content ?? auditText(action, name),
    resource_id: String(entry.id).slice(0, 100),
    target_name: name.slice(0, 200),
    result: outcome.result,
    error_name: outcome.errorName ?? '',
    before: json(entry.before),
    after: json(entry.after),
    ip_address: ctx.ip,
    user_agent: ctx.userAgent,
    request_id: ctx.requestId,
    duration_ms: Math.min(2_147_483_647, Math.max(0, Math.round(performance.now() - outcome.startedAt))),
  }
  return (Object.keys(columns) as (keyof Row)[]).map((key) => literal(row[key])).join(', ')
}

function literal(value: string | number | null): string {
  if (value === null) return 'null'
  return typeof value === 'number' ? String(Math.trunc(value)) : pg.escapeLiteral(value.replaceAll('\u0000', ''))
}
