import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, iso, visible } from '../../../server/context.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { contracts } from '../../product.ts'
import { type audit, auditErrors } from '../contract.ts'
import { moduleName } from './words.ts'

type Row = { id: number; org_id: number; module: string | null; username: string | null; started_by: string | null; created_at: Date; until: Date }
type Verbs = Pick<Handlers<typeof audit>, 'debugSessions' | 'debug' | 'stopDebug'>

async function rows(ctx: Ctx, id?: number): Promise<Row[]> {
  const { rows: found } = await sql<Row>`select d.id, d.org_id, d.module, u.username, b.username as started_by, d.created_at, d.until
    from log_debug_sessions d left join users u on u.id = d.user_id left join users b on b.id = d.started_by
    where ${visible(ctx, 'd.org_id')} and d.until > ${ctx.now} and ${id === undefined ? sql`true` : sql`d.id = ${id}`} order by d.id desc limit 200`.execute(
    ctx.db,
  )
  return found
}

const shown = (ctx: Ctx, row: Row) => ({
  id: row.id,
  username: row.username ?? '',
  module: row.module ?? '',
  moduleName: row.module ? moduleName(row.module, ctx.lang) : '',
  startedBy: row.started_by ?? '',
  createTime: iso(row.created_at),
  until: iso(row.until),
})
const nameOf = (row: Row): string => row.username ?? (row.module ? moduleName(row.module, 'zh-CN') : '')

const debug: Verbs['debug'] = async (ctx, input) => {
  if (input.module && !(input.module in contracts)) throw new Refusal(common.notFound)
  const person = input.username
    ? (
        await sql<{
          id: number
          org_id: number
        }>`select id, org_id from users u where lower(username) = lower(${input.username}) and deleted_at is null and ${visible(ctx, 'u.org_id')}`.execute(
          ctx.db,
        )
      ).rows[0]
    : null
  if (person === undefined) throw new Refusal(auditErrors.noSuchUser, {}, [{ field: 'username', text: auditErrors.noSuchUser.text }])
  const until = new Date(ctx.now.getTime() + input.minutes * 60_000)
  const { id } = await ctx.db
    .insertInto('log_debug_sessions')
    .values({
      org_id: person?.org_id ?? ctx.actor.orgId,
      user_id: person?.id ?? null,
      module: input.module || null,
      started_by: ctx.actor.userId,
      created_at: ctx.now,
      until,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const row = found((await rows(ctx, id))[0])
  ctx.audit({ id, name: nameOf(row), after: { username: input.username, module: input.module, minutes: input.minutes }, orgId: row.org_id })
  ctx.touch('log-debug')
  return shown(ctx, row)
}

const stopDebug: Verbs['stopDebug'] = async (ctx, input) => {
  const row = found((await rows(ctx, input.id))[0])
  await ctx.db.deleteFrom('log_debug_sessions').where('id', '=', row.id).execute()
  ctx.audit({ id: row.id, name: nameOf(row), orgId: row.org_id })
  ctx.touch('log-debug')
  return { ok: true as const }
}

export const debugVerbs: Verbs = { debugSessions: async (ctx) => ({ list: (await rows(ctx)).map((row) => shown(ctx, row)) }), debug, stopDebug }
