import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import type { SignedIn } from '../../../server/person.ts'
import { tokenHash } from '../../../server/rateKeys.ts'
import { platformOrg } from '../../../shared/access.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { cachedSetting } from '../../settings/server/values.ts'
import { rememberBrowser } from './browsers.ts'
import * as q from './queries.ts'
import { signedIn } from './signedIn.ts'

/**
 * What every way to sign in ends with: the visit noted, the browser known, a session, all in the
 * message of the commit. Answers the token.
 */
export async function startSession(
  ctx: Ctx,
  user: { id: number; orgId: number; username: string },
  request: FastifyRequest,
): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  q.addAttempt(ctx, {
    username: user.username,
    userId: user.id,
    orgId: user.orgId,
    ok: true,
    reason: 'OK',
  })
  ctx.later(
    sql`update users set last_login_at = ${ctx.now}, last_login_ip = ${ctx.ip}
      where id = ${user.id}`,
  )
  q.addSession(
    ctx,
    user,
    tokenHash(token),
    await cachedSetting(ctx.app, platformOrg, 'session.absoluteDays'),
  )
  rememberBrowser(ctx, request, user)
  return token
}

/** Who calls an open endpoint that some of its purposes close. */
export async function callerOf(app: App, request: FastifyRequest): Promise<SignedIn> {
  const person = await signedIn(app, request)
  if (person.view) throw new Refusal(common.viewOnly)
  return person
}
