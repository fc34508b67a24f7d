import { performance } from 'node:perf_hooks'
import { sql } from 'kysely'
import pg from 'pg'
import { masked } from './auditMask.ts'
import { auditText } from './auditText.ts'
import type { AuditEntry, Ctx } from './context.ts'

type Writer = Pick<Ctx, 'db' | 'now' | 'requestId' | 'ip' | 'userAgent'> & { actor: Pick<Ctx['actor'], 'userId' | 'username' | 'orgId'> }
export type Outcome = { result: 'SUCCESS' | 'REFUSED' | 'FAILED'; errorName?: string; content?: string; startedAt: number }

const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(masked(value)))

/**
 * One row of the operation log as a statement of its own, without parameters: an act sends it together with its commit, so that its
 * row costs no round trip. It belongs to the organisation of the thing, and whoever sees that sees the row.
 */
export function logStatement(ctx: Omit<Writer, 'db'>, action: string, entry: AuditEntry, outcome: Outcome): string {
  const name = entry.name ?? String(entry.id)
  const row: Record<string, string | number | null> = {
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
  const names = Object.keys(row).map((key) => `"${key}"`)
  return `insert into operation_logs (${names.join(', ')}) values (${Object.values(row).map(literal).join(', ')})`
}

function literal(value: string | number | null): string {
  if (value === null) return 'null'
  return typeof value === 'number' ? String(Math.trunc(value)) : pg.escapeLiteral(value.replaceAll('\u0000', ''))
}

/** The same inside a transaction that goes on. */
export async function writeLog(ctx: Writer, action: string, entry: AuditEntry, outcome: Outcome): Promise<void> {
  await sql.raw(logStatement(ctx, action, entry, outcome)).execute(ctx.db)
}
