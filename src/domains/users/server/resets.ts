import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, visible } from '../../../server/context.ts'
import { rowOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import { Refusal } from '../../../shared/errors.ts'
import { allowedFrom } from '../../../shared/moves.ts'
import { isSuper } from '../../roles/server/assign.ts'
import { resetErrors, type users } from '../contract.ts'
import { ResetRow } from '../resets.ts'
import { maskedPhone, resetRequests } from '../rules.ts'

const request = shape(
  ResetRow,
  ['password_resets', 'p'],
  {
    username: sql`u.username`,
    realName: sql`u.real_name`,
    operatorName: sql`o.name`,
    phone: sql`u.phone`,
    createTime: sql`p.created_at`,
    handlerName: sql`coalesce(h.username, '')`,
    handledTime: sql`p.handled_at`,
  },
  ['can'],
)
/** Requests of people above are nobody's business here. */
const below = (ctx: Ctx) =>
  isSuper(ctx)
    ? sql<boolean>`true`
    : sql<boolean>`coalesce((select max(r.rank) from user_roles ur join roles r on r.id = ur.role_id
      where ur.user_id = p.user_id), 0) < ${ctx.actor.rank}`

export const resets = {
  async passwordResets(ctx, input) {
    const { rows, total } = await request.page(ctx.db, {
      from: sql`password_resets p join users u on u.id = p.user_id
        join organisations o on o.id = p.org_id left join users h on h.id = p.handled_by`,
      input,
      last: sql`p.id`,
      sort: { createTime: sql`p.created_at` },
      where: [
        visible(ctx, 'p.org_id'),
        below(ctx),
        input.state && sql`p.state = ${input.state}`,
        input.method && sql`p.method = ${input.method}`,
        input.keyword &&
          sql`strpos(lower(u.username || ' ' || u.real_name), lower(${input.keyword})) > 0`,
      ],
    })
    const shown = (row: (typeof rows)[number]) => {
      const open = row.state === 'PENDING' && row.userId !== ctx.actor.userId
      return { ...row, phone: maskedPhone(row.phone), can: { reset: open, reject: open } }
    }
    return { list: rows.map(shown), total }
  },

  async rejectReset(ctx, { id, reason }) {
    const {
      orgId,
      name,
      below: mine,
    } = found(
      await rowOf<{ orgId: number; name: string; below: boolean }>(ctx.db)`
      select p.org_id as "orgId", u.username as name, ${below(ctx)} as below from password_resets p
      join users u on u.id = p.user_id
      where p.id = ${id} and ${visible(ctx, 'p.org_id')}`,
    )
    if (!mine) throw new Refusal(resetErrors.resetRankTooHigh)
    const { numAffectedRows } = await sql`update password_resets
        set state = 'REJECTED', handled_by = ${ctx.actor.userId}, handled_at = ${ctx.now},
      remark = ${reason} where id = ${id}
        and state = any(${[...allowedFrom(resetRequests, 'REJECTED')]}::text[])`.execute(ctx.db)
    if (!numAffectedRows) throw new Refusal(resetErrors.resetHandled)
    ctx.audit({ id, name, after: { reason }, orgId })
    ctx.touch('password-resets')
    return { ok: true }
  },
} satisfies Partial<Handlers<typeof users>>
