import { contracts } from '../domains/contracts.ts'
import { cachedSetting, platformOrg } from '../domains/settings/server/values.ts'
import type { Endpoint } from '../shared/contract.ts'
import { common, Refusal } from '../shared/errors.ts'
import type { Actor, App } from './context.ts'

/** An open session may be in other hands by now: what would make that last wants a proof of the last minutes. */
export async function requireProof(app: App, actor: Pick<Actor, 'provenAt'>): Promise<void> {
  if (!(await isProven(app, actor))) throw new Refusal(common.proofNeeded)
}

export async function isProven(app: App, { provenAt }: Pick<Actor, 'provenAt'>): Promise<boolean> {
  const minutes = await cachedSetting(app, platformOrg, 'session.proofMinutes')
  return provenAt != null && app.now().getTime() - provenAt.getTime() <= minutes * 60_000
}

/** Rights to move money, secrets or rights: those of endpoints that ask for a proof. */
let rights: ReadonlySet<string> | undefined
const rightsThatMatter = (): ReadonlySet<string> => {
  rights ??= new Set(
    Object.values(contracts).flatMap((contract) =>
      Object.values(contract as Record<string, Endpoint>).flatMap(({ fresh, access }) => (fresh && access.includes(':') ? [access] : [])),
    ),
  )
  return rights
}

/** Whether the platform wants a second factor of this account. */
export async function factorRequired(app: App, { permissions }: Pick<Actor, 'permissions'>): Promise<boolean> {
  const who = await cachedSetting(app, platformOrg, 'session.secondFactor')
  return who === 'everyone' || (who === 'money-and-secrets' && [...permissions].some((code) => rightsThatMatter().has(code)))
}

/** It wants one, and there is none: nothing but setting it up is open. */
export const factorDue = async (app: App, actor: Pick<Actor, 'permissions' | 'secondFactor'>): Promise<boolean> =>
  !actor.secondFactor && (await factorRequired(app, actor))
