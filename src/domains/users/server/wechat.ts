import type { Handlers } from '../../../server/bind.ts'
import { Refusal } from '../../../shared/errors.ts'
import { userErrors, type users } from '../contract.ts'
import { subject } from './people.ts'

export const unbindWechat: Handlers<typeof users>['unbindWechat'] = async (ctx, input) => {
  const person = await subject(ctx, input.id, 'allowed')
  const gone = await ctx.db.deleteFrom('wechat_bindings').where('user_id', '=', person.id).returning('nickname').executeTakeFirst()
  if (!gone) throw new Refusal(userErrors.wechatUnbound)
  ctx.audit({ id: person.id, name: person.username, before: { nickname: gone.nickname }, orgId: person.org_id })
  ctx.touch('users')
  return { ok: true as const }
}
