import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { type Ctx, visible } from '../../../server/context.ts'
import { saysOnly } from '../../../server/counted.ts'
import { rowOf } from '../../../server/rows.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import * as f from '../../../shared/fields.ts'
import { addDays, shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import { type audit, LoginRow, LogRow } from '../contract.ts'

/** What is asked of a row before it is shown: who acted, and from where. */
const beside = { userId: f.id.nullable(), actorOrgId: f.id.nullable(), userAgent: z.string() }
const said = { targetId: sql`l.resource_id`, createTime: sql`l.created_at` }
const made = ['actor', 'module', 'moduleName'] as const
const log = shape(LogRow.extend(beside), ['operation_logs', 'l'], said, made)
export type Row = Rows<typeof log>
const whole = shape(
  LogRow.extend({ ...beside, before: z.unknown(), after: z.unknown(), orgName: z.string() }),
  ['operation_logs', 'l'],
  {
    ...said,
    orgName: sql`coalesce((select o.name from organisations o where o.id = l.org_id), '')`,
  },
  made,
)

const logFrom = sql`operation_logs l`
/** Rows of a debug recording in the shape of the log. */
const debugFrom = sql`(select id, org_id, created_at, user_id, org_id as actor_org_id, username,
  'DEBUG' as level, action, content, resource_id, '' as target_name, 'SUCCESS' as result,
  '' as error_name, ip_address, user_agent, request_id, duration_ms, null::jsonb as before,
  null::jsonb as after from debug_logs) l`

/**
 * Whether a reader may know who acted: the person stands in his organisations, or is he himself.
 */
export const knows = ({ actor: { scope, userId } }: Ctx, row: Row): boolean =>
  scope.all ||
  row.userId === userId ||
  (row.actorOrgId !== null && scope.orgs.includes(row.actorOrgId))

/** Rows of the subtree; who works on single machines sees what he did himself. */
const readable = (ctx: Ctx): RawBuilder<unknown> =>
  ctx.actor.scope.devices === null
    ? visible(ctx, 'l.org_id')
    : sql`${visible(ctx, 'l.org_id')} and l.user_id = ${ctx.actor.userId}`

/**
 * Days bound every search, so that whole months are left out; the history of one object reaches
 * back a year.
 */
type Range = { from?: string | undefined; to?: string | undefined }
function ends(ctx: Ctx, input: Range, back: number): { from: string; to: string } {
  const to = input.to ?? shanghaiDay(ctx.now)
  return { to, from: input.from ?? addDays(to, -back) }
}
function days(ctx: Ctx, input: Range, back: number): RawBuilder<unknown> {
  const { from, to } = ends(ctx, input, back)
  return sql`l.created_at >= ${startOfDay(from)} and l.created_at < ${startOfDay(addDays(to, 1))}`
}

export function listRows(ctx: Ctx, input: Input<typeof audit.list>) {
  const { scope, userId } = ctx.actor
  const byPerson = sql`l.user_id in (select u.id from users u
    where ${visible(ctx, 'u.org_id')}
      and strpos(lower(u.username), lower(${input.username ?? ''})) > 0)`
  return log.page(ctx.db, {
    from: input.level === 'DEBUG' ? debugFrom : logFrom,
    input,
    last: sql`l.id`,
    sort: { createTime: sql`l.created_at`, durationMs: sql`l.duration_ms` },
    filled: ['createTime', 'durationMs'],
    grows: true,
    counted: input.level !== 'DEBUG' &&
      saysOnly(input, ['from', 'to', 'level']) && {
        ...{ list: 'operation_logs', ctx, ...ends(ctx, input, 6), by: 'createTime' },
        kinds: input.level && sql`c.kind = ${input.level}`,
      },
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
      input.ipAddress &&
        !scope.all &&
        sql`(l.user_id = ${userId} or l.actor_org_id = any(${[...scope.orgs]}::bigint[]))`,
      input.keyword && sql`strpos(lower(l.content), lower(${input.keyword})) > 0`,
    ],
  })
}

export async function row(ctx: Ctx, id: number) {
  const from = (table: RawBuilder<unknown>) =>
    sql`from ${table} where l.id = ${id} and ${readable(ctx)}`
  return (await whole.one(ctx.db, from(logFrom))) ?? whole.one(ctx.db, from(debugFrom))
}

/** Rows of the same request stand within minutes. */
export async function related(ctx: Ctx, to: Row): Promise<Row[]> {
  if (!to.requestId) return []
  const [from, until] = [-600_000, 600_000].map((ms) => new Date(Date.parse(to.createTime) + ms))
  const near = sql`l.created_at between ${from} and ${until} and l.request_id = ${to.requestId}
    and l.id <> ${to.id}`
  return log.all(
    ctx.db,
    sql`from ${logFrom} where ${near} and ${readable(ctx)} order by l.id limit 50`,
  )
}

export const seal = (ctx: Ctx, logId: number) =>
  rowOf<{ seq: number; hash: string }>(
    ctx.db,
  )`select seq, encode(hash, 'hex') as hash from operation_log_seals where log_id = ${logId}`

const login = shape(
  LoginRow.extend({ reason: z.string(), userAgent: z.string() }),
  ['login_attempts', 'l'],
  { createTime: sql`l.created_at` },
  ['device'],
)

export const loginRows = (ctx: Ctx, input: Input<typeof audit.logins>) =>
  login.page(ctx.db, {
    from: sql`login_attempts l`,
    input,
    last: sql`l.id`,
    sort: { createTime: sql`l.created_at` },
    filled: ['createTime'],
    grows: true,
    where: [
      readable(ctx),
      days(ctx, input, 6),
      input.username && sql`strpos(lower(l.username), lower(${input.username})) > 0`,
      input.reason &&
        (input.reason === 'OTHER'
          ? sql`l.reason not in ('OK','WRONG','UNKNOWN','LOCKED','DISABLED','OLD_PASSWORD')`
          : sql`l.reason = ${input.reason}`),
      input.ok !== undefined && sql`l.ok = ${input.ok}`,
      input.ip && sql`starts_with(l.ip, ${input.ip})`,
    ],
  })
