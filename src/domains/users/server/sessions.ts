import type { Ctx } from '../../../server/context.ts'
import { sessionsOf } from '../../../server/live.ts'

/** Ends what these people have open; answers how many there were. */
export async function endSessions(ctx: Ctx, userIds: readonly number[], reason: 'KICKED' | 'ACCESS_CHANGED' | 'PASSWORD_CHANGED'): Promise<number> {
  const ended = await ctx.db
    .updateTable('sessions')
    .set({ revoked_at: ctx.now, revoke_reason: reason })
    .where('user_id', 'in', [...userIds])
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  for (const id of userIds) ctx.touch(sessionsOf(id))
  ctx.touch('online-users')
  return Number(ended.numUpdatedRows)
}
