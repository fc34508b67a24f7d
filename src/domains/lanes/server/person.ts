import type { App } from '../../../server/context.ts'
import { type Caller, systemCaller } from '../../../server/run.ts'
import type { Access } from '../../../shared/contract.ts'
import { Refusal } from '../../../shared/errors.ts'
import { loadPerson } from '../../accounts/server/people.ts'
import { laneErrors } from '../errors.ts'

/** Work in somebody's name after his request: with the rights and rows he has by then. */
export async function inNameOf(app: App, userId: number, right: Access): Promise<Caller> {
  const person = await loadPerson(app.database, userId)
  if (!person?.permissions.has(right)) throw new Refusal(laneErrors.rightLost)
  return systemCaller({ ...person, sessionId: null, scope: person.scopeOf(right) })
}
