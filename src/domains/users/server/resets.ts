import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, iso, isoOrNull, visible } from '../../../server/context.ts'
import { selectPage } from '../../../server/lists.ts'
import { Refusal } from '../../../shared/errors.ts'
import { allowedFrom } from '../../../shared/moves.ts'
import { isSuper } from '../../roles/server/assign.ts'
import { resetErrors, type users } from '../contract.ts'
import type { ResetRow } from '../resets.ts'
import { maskedPhone, resetRequests } from '../rules.ts'

type Contract = typeof users
type Row = {
  id: number
  user_id: number
  org_id: number
  username: string
  real_name: string
  phone: string
  org_name: string
  created_at: Date
  method: ResetRow['method']
  state: ResetRow['state']
  handler: string | null
  handled_at: Date | null
  remark: string
}

const columns = sql`p.id, p.user_id, p.org_id, u.username, u.real_name, u.phone, o.name as org_name, p.created_at, p.method, p.state, h.username as handler, p.handled_at, p.remark`
const from = sql`password_resets p join users u on u.id = p.user_id join organisations o on o.id = p.org_id left join users h on h.id = p.handled_by`
const rank = sql`coalesce((select max(r.rank) from user_roles ur join roles r on r.id = ur.role_id where ur.user_id = p.user_id), 0)`
/** Requests of people above are nobody's business here. */
const belowActor = (ctx: Ctx) => !isSuper(ctx) && sql`${rank} < ${ctx.actor.rank}`

export const passwordResets: Handlers<Contract>['passwordResets'] = async (ctx, input) => {
  const { rows, total } = await selectPage<Row>(ctx.db, {
    columns,
    from,
    input,
    last: sql`p.id`,
    sort: { createTime: sql`p.created_at` },
    where: [
      visible(ctx, 'p.org_id'),
      belowActor(ctx),
      input.state && sql`p.state = ${input.state}`,
      input.method && sql`p.method = ${input.method}`,
      input.keyword && sql`strpos(lower(u.username || ' ' || u.real_name), lower(${input.keyword})) > 0`,
    ],
  })
  return { list: rows.map((row) => shown(ctx, row)), total }
}

function shown(ctx: Ctx, row: Row): ResetRow {
  const open = row.state === 'PENDING' && row.user_id !== ctx.actor.userId
  return {
    id: row.id,
    userId: row.user_id,
    username: row.username,
    realName: row.real_name,
    operatorName: row.org_name,
    phone: maskedPhone(row.phone),
    createTime: iso(row.created_at),
    method: row.method,
    state: row.state,
    handlerName: row.handler ?? '',
    handledTime: isoOrNull(row.handled_at),
    remark: row.remark,
    can: { reset: open, reject: open },
  }
}

export const rejectReset: Handlers<Contract>['rejectReset'] = async (ctx, input) => {
  const { rows } = await sql<{ org_id: number; username: string; below: boolean }>`
    select p.org_id, u.username, ${rank} < ${ctx.actor.rank} as below from password_resets p join users u on u.id = p.user_id
    where p.id = ${input.id} and ${visible(ctx, 'p.org_id')}`.execute(ctx.db)
  const request = found(rows[0])
  if (!request.below && !isSuper(ctx)) throw new Refusal(resetErrors.resetRankTooHigh)
  const changed = await ctx.db
    .updateTable('password_resets')
    .set({ state: 'REJECTED', handled_by: ctx.actor.userId, handled_at: ctx.now, remark: input.reason })
    .where('id', '=', input.id)
    .where('state', 'in', allowedFrom(resetRequests, 'REJECTED'))
    .executeTakeFirst()
  if (!changed.numUpdatedRows) throw new Refusal(resetErrors.resetHandled)
  ctx.audit({ id: input.id, name: request.username, after: { reason: input.reason }, orgId: request.org_id })
  ctx.touch('password-resets')
  return { ok: true as const }
}
