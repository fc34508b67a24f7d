import type { Actor, App } from '../../../server/context.ts'
import { endpointsOf } from '../../../server/product.ts'
import { platformOrg } from '../../../shared/access.ts'
import { contracts } from '../../product.ts'
import { cachedSetting } from '../../settings/server/values.ts'

/** Rights to move money, secrets or rights: those of endpoints that ask for a proof. */
let rights: ReadonlySet<string> | undefined
const rightsThatMatter = (): ReadonlySet<string> => {
  rights ??= new Set(
    endpointsOf(contracts).flatMap(({ endpoint: { fresh, access } }) =>
      fresh && access.includes(':') ? [access] : [],
    ),
  )
  return rights
}

/** Whether the platform wants a second factor of this account. */
export async function factorRequired(
  app: App,
  { permissions }: Pick<Actor, 'permissions'>,
): Promise<boolean> {
  const who = await cachedSetting(app, platformOrg, 'session.secondFactor')
  return (
    who === 'everyone' ||
    (who === 'money-and-secrets' && [...permissions].some((code) => rightsThatMatter().has(code)))
  )
}

/** It wants one, and there is none: nothing but setting it up is open. */
export const factorDue = async (
  app: App,
  actor: Pick<Actor, 'permissions' | 'secondFactor'>,
): Promise<boolean> => !actor.secondFactor && (await factorRequired(app, actor))

/** How long a proof of who is there counts. */
export const proofMinutes = (app: App): Promise<number> =>
  cachedSetting(app, platformOrg, 'session.proofMinutes')
