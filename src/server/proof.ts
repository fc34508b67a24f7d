import { common, Refusal } from '../shared/errors.ts'
import type { Actor, App } from './context.ts'

/**
 * An open session may be in other hands by now: what would make that last wants a proof of the last
 * minutes.
 */
export async function requireProof(app: App, actor: Pick<Actor, 'provenAt'>): Promise<void> {
  if (!(await isProven(app, actor))) throw new Refusal(common.proofNeeded)
}

export async function isProven(app: App, { provenAt }: Pick<Actor, 'provenAt'>): Promise<boolean> {
  const minutes = await app.product.proofMinutes(app)
  return provenAt != null && app.now().getTime() - provenAt.getTime() <= minutes * 60_000
}
