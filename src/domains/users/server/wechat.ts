import type { Handlers } from '../../../server/bind.ts'
import { Refusal } from '../../../shared/errors.ts'
import { factorErrors } from '../../session/contract.ts'
import { removeFactor, unbindWechat as takeWechat, waysOf } from '../../session/server/verbs.ts'
import { userErrors, type users } from '../contract.ts'
import { requireStanding, subject } from './people.ts'
import { endSessions } from './sessions.ts'

export const unbindWechat: Handlers<typeof users>['unbindWechat'] = async (ctx, input) => {
  const person = await subject(ctx, input.id, 'allowed')
  const { ways } = await waysOf(ctx, person.id)
  if (!(await takeWechat(ctx, person.id))) throw new Refusal(userErrors.wechatUnbound)
  ctx.audit({ id: person.id, name: person.username, before: { nickname: ways.wechat?.nickname }, orgId: person.org_id })
  ctx.touch('users')
  return { ok: true as const }
}

/** For whoever lost his phone and his recovery codes: he signs in by password and sets up a new one. */
export const resetFactor: Handlers<typeof users>['resetFactor'] = async (ctx, input) => {
  const person = await subject(ctx, input.id)
  await requireStanding(ctx, person.id)
  if (!(await removeFactor(ctx, person.id))) throw new Refusal(factorErrors.factorOff)
  await endSessions(ctx, [person.id], 'KICKED')
  ctx.audit({ id: person.id, name: person.username, orgId: person.org_id })
  ctx.touch('users')
  return { ok: true as const }
}
