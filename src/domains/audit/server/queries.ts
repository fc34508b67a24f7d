import { type RawBuilder, sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { selectPage } from '../../../server/lists.ts'
import type { Input } from '../../../shared/contract.ts'
import { addDays, shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import type { audit, LogRow } from '../contract.ts'

export type Row = {
  id: number
  org_id: number
  created_at: Date
  user_id: number | null
  actor_org_id: number | null
  username: string
  level: LogRow['level']
  action: string
  content: string
  resource_id: string
  target_name: string
  result: LogRow['result']
  error_name: string
  ip_address: string
  user_agent: string
  request_id: string
  duration_ms: number
}
const columns = sql`l.id, l.org_id, l.created_at, l.user_id, l.actor_org_id, l.username, l.level, l.action, l.content, l.resource_id, l.target_name, l.result, l.error_name,
  l.ip_address, l.user_agent, l.request_id, l.duration_ms`
/** Rows of a debug recording in the shape of the log. */
const debugFrom = sql`(select id, org_id, created_at, user_id, org_id as actor_org_id, username, 'DEBUG' as level, action, content, resource_id, '' as target_name, 'SUCCESS' as result,
  '' as error_name, ip_address, user_agent, request_id, duration_ms from debug_logs) l`

/** Whether a reader may know who acted: the person stands in his organisations, or is he himself. */
export const knows = (ctx: Ctx, row: Pick<Row, 'user_id' | 'actor_org_id'>): boolean =>
  ctx.actor.scope.all || row.user_id === ctx.actor.userId || (row.actor_org_id !== null && ctx.actor.scope.orgs.includes(row.actor_org_id))

/** Rows of the subtree; who works on single machines sees what he did himself. */
const readable = (ctx: Ctx): RawBuilder<unknown> =>
  ctx.actor.scope.devices === null ? visible(ctx, 'l.org_id') : sql`${visible(ctx, 'l.org_id')} and l.user_id = ${ctx.actor.userId}`

/** Days bound every search, so that whole months are left out; the history of one object reaches back a year. */
function days(ctx: Ctx, input: { from?: string | undefined; to?: string | undefined }, back: number): RawBuilder<unknown> {
  const to = input.to ?? shanghaiDay(ctx.now)
  const from = input.from ?? addDays(to, -back)
  return sql`l.created_at >= ${startOfDay(from)} and l.created_at < ${startOfDay(addDays(to, 1))}`
}

export function listRows(ctx: Ctx, input: Input<typeof audit.list>) {
  const { scope, userId } = ctx.actor
  const byPerson = sql`l.user_id in (select u.id from users u where ${visible(ctx, 'u.org_id')} and strpos(lower(u.username), lower(${input.username ?? ''})) > 0)`
  return selectPage<Row>(ctx.db, {
    columns,
    from: input.level === 'DEBUG' ? debugFrom : sql`operation_logs l`,
    input,
    last: sql`l.id`,
    sort: { createTime: sql`l.created_at`, durationMs: sql`l.duration_ms` },
    filled: ['createTime', 'durationMs'],
    where: [
      readable(ctx),
      days(ctx, input, input.targetId ? 365 : 6),
      input.username && byPerson,
      input.level && sql`l.level = ${input.level}`,
      input.module && sql`starts_with(l.action, ${`${input.module}.`})`,
      input.action && sql`l.action = ${input.action}`,
      input.result && sql`l.result = ${input.result}`,
      input.targetId && sql`l.resource_id = ${input.targetId}`,
      // an address that is not shown must not be found either
      input.ipAddress && sql`starts_with(l.ip_address, ${input.ipAddress})`,
      input.ipAddress && !scope.all && sql`(l.user_id = ${userId} or l.actor_org_id = any(${[...scope.orgs]}::bigint[]))`,
      input.keyword && sql`strpos(lower(l.content), lower(${input.keyword})) > 0`,
    ],
  })
}

export async function row(ctx: Ctx, id: number): Promise<(Row & { before: unknown; after: unknown; org_name: string }) | undefined> {
  type Full = Row & { before: unknown; after: unknown; org_name: string }
  const name = sql`(select o.name from organisations o where o.id = l.org_id) as org_name`
  const { rows } = await sql<Full>`select ${columns}, l.before, l.after, ${name} from operation_logs l where l.id = ${id} and ${readable(ctx)}`.execute(ctx.db)
  if (rows[0]) return rows[0]
  const debug = await sql<Full>`select ${columns}, null as before, null as after, ${name} from ${debugFrom} where l.id = ${id} and ${readable(ctx)}`.execute(
    ctx.db,
  )
  return debug.rows[0]
}

/** Rows of the same request stand within minutes. */
export async function related(ctx: Ctx, to: Row): Promise<Row[]> {
  if (!to.request_id) return []
  const [from, until] = [-600_000, 600_000].map((ms) => new Date(to.created_at.getTime() + ms))
  const { rows } = await sql<Row>`select ${columns} from operation_logs l
    where l.created_at between ${from} and ${until} and l.request_id = ${to.request_id} and l.id <> ${to.id} and ${readable(ctx)} order by l.id limit 50`.execute(
    ctx.db,
  )
  return rows
}

export async function seal(ctx: Ctx, logId: number): Promise<{ seq: number; hash: string } | undefined> {
  const { rows } = await sql<{ seq: number; hash: string }>`select seq, encode(hash, 'hex') as hash from operation_log_seals where log_id = ${logId}`.execute(
    ctx.db,
  )
  return rows[0]
}

export type LoginAttempt = { id: number; username: string; ok: boolean; reason: string; ip: string; user_agent: string; created_at: Date }

export const loginRows = (ctx: Ctx, input: Input<typeof audit.logins>) =>
  selectPage<LoginAttempt>(ctx.db, {
    columns: sql`l.id, l.username, l.ok, l.reason, l.ip, l.user_agent, l.created_at`,
    from: sql`login_attempts l`,
    input,
    last: sql`l.id`,
    sort: { createTime: sql`l.created_at` },
    filled: ['createTime'],
    where: [
      readable(ctx),
      days(ctx, input, 6),
      input.username && sql`strpos(lower(l.username), lower(${input.username})) > 0`,
      input.reason &&
        (input.reason === 'OTHER' ? sql`l.reason not in ('OK','WRONG','UNKNOWN','LOCKED','DISABLED','OLD_PASSWORD')` : sql`l.reason = ${input.reason}`),
      input.ok !== undefined && sql`l.ok = ${input.ok}`,
      input.ip && sql`starts_with(l.ip, ${input.ip})`,
    ],
  })
