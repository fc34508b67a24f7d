import type { FastifyRequest } from 'fastify'
import type { App } from '../../../server/context.ts'
import type { SignedIn } from '../../../server/person.ts'
import { forgetToken, noteProven, tokenOf } from '../../../server/rateKeys.ts'
import { noteAttempt } from '../../../server/refusals.ts'
import type { Endpoint } from '../../../shared/contract.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { factorDue } from './factorDue.ts'
import { actorOfToken, passwordDue } from './people.ts'
import { seenThrough } from './view.ts'

/** All that somebody may do whose password is due; a new line is a decision. */
export const beforePasswordChange: ReadonlySet<string> = new Set([
  'session.user',
  'session.changePassword',
  'session.logout',
  'session.preferences',
  'session.savePreference',
  'session.factor',
  'session.prove',
])
/**
 * The same for somebody who must have a second factor and has none: setting it up is one of them.
 */
export const beforeFactor: ReadonlySet<string> = new Set([
  ...beforePasswordChange,
  'session.profile',
  'session.sessions',
  'session.binding',
  'session.enrolFactor',
  'session.confirmFactor',
])

/**
 * The actor behind the Authorization header (`Bearer ` is accepted before the token); the only door
 * to it, so that a password or a second factor that is due stops files, streams and aliases as it
 * stops endpoints. `as`: the endpoint of the registry that is asked for.
 */
export async function signedIn(
  app: App,
  request: FastifyRequest,
  as?: { readonly name: string; readonly endpoint: Endpoint },
  how?: { watching: boolean },
): Promise<SignedIn> {
  const token = tokenOf(request)
  if (!token) throw new Refusal(common.tokenAbsent)
  const found = await actorOfToken(app, token, how)
  if ('status' in found) {
    forgetToken(app, token)
    throw new Refusal(found)
  }
  if (found.userId !== null) noteProven(app, token, found.userId)
  const person = await seenThrough(app, found, request.headers)
  if (as)
    noteAttempt(request, as.name, as.endpoint, {
      ...person,
      scope: person.scopeOf(as.endpoint.access),
    })
  const stays = (open: ReadonlySet<string>) => !(as && open.has(as.name))
  if (stays(beforePasswordChange) && (await passwordDue(app, person.password)))
    throw new Refusal(common.passwordFirst)
  // by the rights he has, not by those of a view
  if (stays(beforeFactor) && (await factorDue(app, found))) throw new Refusal(common.factorFirst)
  return person
}
