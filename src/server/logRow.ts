import { performance } from 'node:perf_hooks'
import type { FastifyRequest } from 'fastify'
import { CompiledQuery } from 'kysely'
import { madeStorable } from '../shared/text.ts'
import { masked } from './auditMask.ts'
import type { AuditEntry, Ctx } from './context.ts'
import type { Product } from './product.ts'
import type { Statement } from './wire.ts'

/**
 * What a writer says; the place in the chain is given by the database. Their order is part of every
 * hash.
 */
export const writtenColumns = [
  'org_id',
  'created_at',
  'user_id',
  'actor_org_id',
  'username',
  'level',
  'action',
  'content',
  'resource_id',
  'target_name',
  'result',
  'error_name',
  'before',
  'after',
  'ip_address',
  'user_agent',
  'request_id',
  'duration_ms',
] as const

/** Where a request comes from. */
export const originOf = (request: FastifyRequest) => ({
  requestId: request.id,
  ip: request.ip,
  userAgent: (request.headers['user-agent'] ?? '').slice(0, 300),
})

type Writer = Pick<Ctx, 'db' | 'now' | 'requestId' | 'ip' | 'userAgent'> & {
  app: { product: Pick<Product, 'auditText'> }
  actor: Pick<Ctx['actor'], 'userId' | 'username' | 'orgId' | 'view'>
}
export type Outcome = {
  result: 'SUCCESS' | 'REFUSED' | 'FAILED'
  errorName?: string
  content?: string
  startedAt: number
}

const json = (value: unknown): string | null =>
  value === undefined ? null : JSON.stringify(masked(value))

/**
 * Of an edit only the fields that differ: the row says what was changed, and a long form costs no
 * more than a short one.
 */
function changed({ before, after }: AuditEntry): { before: unknown; after: unknown } {
  if (!isRecord(before) || !isRecord(after)) return { before, after }
  const names = Object.keys({ ...before, ...after }).filter(
    (name) => !same(before[name], after[name]),
  )
  const only = (record: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(names.filter((name) => name in record).map((name) => [name, record[name]]))
  return { before: only(before), after: only(after) }
}
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const same = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other)

type Row = Record<(typeof writtenColumns)[number], string | number | null>
const one = `insert into operation_logs (${writtenColumns.join(', ')})
  values (${writtenColumns.map((_, n) => `$${n + 1}`).join(', ')})`

/** Rows of one shape as large as they come; the table names the types. */
const many = `insert into operation_logs (${writtenColumns.join(', ')})
  select ${writtenColumns.join(', ')} from json_populate_recordset(null::operation_logs, $1::json)`

/**
 * What an act says about its things, as one statement without a round trip of its own: it travels
 * with the commit of its act. A row belongs to the organisation of its thing, and whoever sees that
 * sees the row.
 */
export function logStatement(
  ctx: Omit<Writer, 'db'>,
  action: string,
  entries: readonly AuditEntry[],
  outcome: Outcome,
): Statement {
  const rows = entries.map((entry) => values(ctx, action, entry, outcome))
  const [first] = rows
  if (first && rows.length === 1) return { name: 'log_row', text: one, values: first }
  return { name: 'log_rows', text: many, values: [`[${rows.map(asJson).join(',')}]`] }
}
/** `before` and `after` are JSON already. */
const asJson = (row: readonly (string | null)[]): string =>
  `{${writtenColumns.map((column, n) => `"${column}":${column === 'before' || column === 'after' ? (row[n] ?? 'null') : JSON.stringify(row[n])}`).join(',')}}`

/** One row inside a transaction that goes on. */
export async function writeLog(
  ctx: Writer,
  action: string,
  entry: AuditEntry,
  outcome: Outcome,
): Promise<void> {
  await ctx.db.executeQuery(CompiledQuery.raw(one, values(ctx, action, entry, outcome)))
}

function values(
  ctx: Omit<Writer, 'db'>,
  ofAct: string,
  entry: AuditEntry,
  outcome: Outcome,
): (string | null)[] {
  const action = entry.action ?? ofAct
  const name = entry.name ?? String(entry.id)
  const { before, after } = changed(entry)
  const home = ctx.actor.view?.ownOrgId ?? ctx.actor.orgId
  const row: Row = {
    org_id: entry.orgId ?? home,
    created_at: ctx.now.toISOString(),
    user_id: ctx.actor.userId,
    actor_org_id: ctx.actor.userId === null ? null : home,
    username: ctx.actor.username,
    level: entry.level ?? (outcome.result === 'SUCCESS' ? 'INFO' : 'ERROR'),
    action,
    content: outcome.content ?? ctx.app.product.auditText(action, name),
    resource_id: String(entry.id).slice(0, 100),
    target_name: name.slice(0, 200),
    result: outcome.result,
    error_name: outcome.errorName ?? '',
    before: json(before),
    after: json(after),
    ip_address: ctx.ip,
    user_agent: ctx.userAgent,
    request_id: ctx.requestId,
    duration_ms: Math.min(
      2_147_483_647,
      Math.max(0, Math.round(performance.now() - outcome.startedAt)),
    ),
  }
  return writtenColumns.map((column) =>
    row[column] === null ? null : madeStorable(String(row[column])),
  )
}
