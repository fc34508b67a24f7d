import { type RawBuilder, sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, visible } from '../../../server/context.ts'
import { rowOf } from '../../../server/rows.ts'
import { columns, type Rows, shape } from '../../../server/shapes.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import * as f from '../../../shared/fields.ts'
import { contracts } from '../../product.ts'
import { type audit, auditErrors, DebugRow } from '../contract.ts'
import { moduleName } from './words.ts'

const recording = shape(
  DebugRow.extend({ orgId: f.id }),
  ['log_debug_sessions', 'd'],
  {
    username: sql`coalesce(u.username, '')`,
    module: sql`coalesce(d.module, '')`,
    startedBy: sql`coalesce(b.username, '')`,
    createTime: sql`d.created_at`,
  },
  ['moduleName'],
)
type Recording = Rows<typeof recording>
const running = (ctx: Ctx, which: RawBuilder<unknown> = sql`true`) =>
  recording.all(
    ctx.db,
    sql`from log_debug_sessions d left join users u on u.id = d.user_id left
      join users b on b.id = d.started_by
      where ${visible(ctx, 'd.org_id')} and d.until > ${ctx.now} and ${which} order by d.id desc
      limit 200`,
  )
const one = async (ctx: Ctx, id: number) => found((await running(ctx, sql`d.id = ${id}`))[0])

const shown = (ctx: Ctx, { orgId: _, ...row }: Recording) => ({
  ...row,
  moduleName: row.module && moduleName(row.module, ctx.lang),
})
const nameOf = (row: Recording): string =>
  row.username || (row.module && moduleName(row.module, 'zh-CN'))

export const debugging = {
  debugSessions: async (ctx) => ({ list: (await running(ctx)).map((row) => shown(ctx, row)) }),

  async debug(ctx, { username, module, minutes }) {
    if (module && !(module in contracts)) throw new Refusal(common.notFound)
    const person = await rowOf<{ userId: number; orgId: number }>(
      ctx.db,
    )`select id as "userId", org_id as "orgId" from users u
      where lower(username) = lower(${username}) and deleted_at is null
        and ${visible(ctx, 'u.org_id')}`
    const whose = username ? person : { userId: null, orgId: ctx.actor.orgId }
    if (!whose) throw fieldRefusal(auditErrors.noSuchUser, 'username')
    const until = new Date(ctx.now.getTime() + minutes * 60_000)
    const values = columns('log_debug_sessions', {
      ...whose,
      module: module || null,
      startedBy: ctx.actor.userId,
      createdAt: ctx.now,
      until,
    })
    const { id } = await ctx.db
      .insertInto('log_debug_sessions')
      .values(values)
      .returning('id')
      .executeTakeFirstOrThrow()
    const row = await one(ctx, id)
    ctx.audit({ id, name: nameOf(row), after: { username, module, minutes }, orgId: row.orgId })
    ctx.touch('log-debug')
    return shown(ctx, row)
  },

  async stopDebug(ctx, { id }) {
    const row = await one(ctx, id)
    await sql`delete from log_debug_sessions where id = ${id}`.execute(ctx.db)
    ctx.audit({ id, name: nameOf(row), orgId: row.orgId })
    ctx.touch('log-debug')
    return { ok: true }
  },
} satisfies Partial<Handlers<typeof audit>>
