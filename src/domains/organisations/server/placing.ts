import { type Ctx, found } from '../../../server/context.ts'
import { type ErrorDef, Refusal } from '../../../shared/errors.ts'
import { organisationErrors } from '../contract.ts'
import { type Comer, guardRule, moveRule, placeRule } from '../rules.ts'
import * as q from './queries.ts'
import { usesOf } from './removal.ts'

export const fieldRefusal = (def: ErrorDef, field: string): Refusal => new Refusal(def, {}, [{ field, text: def.text }])

/** Unique names among siblings are the database's to guard: two who add the same name at once meet there. */
export async function unique<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if ((error as { constraint?: string }).constraint !== 'organisations_sibling_name') throw error
    throw fieldRefusal(organisationErrors.nameTaken, 'name')
  }
}

export function checkPlace(parent: q.Place, comer: Comer): void {
  const wrong = placeRule(parent, comer)
  if (wrong) throw fieldRefusal(wrong, wrong === organisationErrors.tooDeep ? 'parentId' : 'kind')
}

export function guard(ctx: Pick<Ctx, 'actor'>, org: { id: number; kind: q.Place['kind'] }): void {
  const wrong = guardRule(org, { orgId: ctx.actor.orgId, ancestors: ctx.actor.scope.ancestors })
  if (wrong) throw new Refusal(wrong)
}

/** Everything that stands against a move but a name that is taken; that one speaks when the row is written, or here for a dry run. */
export async function checkMove(ctx: Ctx, org: q.Place, parentId: number): Promise<q.Place> {
  const target = found(await q.place(ctx, parentId))
  const wrong = moveRule({ id: org.id, parentId: org.parent_id }, target)
  if (wrong) throw fieldRefusal(wrong, 'parentId')
  const misplaced = placeRule(target, { kind: org.kind, ...(await q.branch(ctx, org.path)) })
  if (misplaced) throw fieldRefusal(misplaced, 'parentId')
  const stays = new Set(target.path.split('.'))
  const lost = org.path
    .split('.')
    .slice(0, -1)
    .filter((id) => !stays.has(id))
  const what = await usesOf(ctx, org.path, lost.map(Number))
  if (what)
    throw new Refusal(organisationErrors.usesAbove, { what }, [{ field: 'parentId', text: organisationErrors.usesAbove.text.replaceAll('{what}', what) }])
  return target
}
