import type { orgKinds } from '../../shared/access.ts'
import type { ErrorDef } from '../../shared/errors.ts'
import { organisationErrors } from './contract.ts'

export type Kind = (typeof orgKinds)[number]

const ownBusiness: readonly Kind[] = ['PLATFORM', 'AGENT', 'OPERATOR']
/**
 * Below which kinds an organisation may stand (management.md, kind rules). There is one platform
 * and it has no parent.
 */
export const parentsOf: Readonly<Record<Kind, readonly Kind[]>> = {
  PLATFORM: [],
  AGENT: ['PLATFORM', 'AGENT'],
  OPERATOR: ['PLATFORM', 'AGENT'],
  SPONSOR: ownBusiness,
  SUPPLIER: ownBusiness,
  SCHOOL: ownBusiness,
  HOSPITAL: ownBusiness,
  LANE_TENANT: ownBusiness,
  REGULATOR: ['PLATFORM'],
}
export const deepest = 8
export const agentLevels = 3
/** Of one tenant; what is asked of all of somebody's organisations stays short. */
export const mostOfTenant = 5000

export const kindsBelow = (parent: Kind): Kind[] =>
  (Object.keys(parentsOf) as Kind[]).filter((kind) => parentsOf[kind].includes(parent))

/**
 * Where the parent stands: the platform has depth 1; `agents` counts the agents from the top down
 * to the parent.
 */
export type Place = { readonly kind: Kind; readonly depth: number; readonly agents: number }
/**
 * What comes below it: a new organisation is one level, a moved one may bring levels and agents of
 * its own.
 */
export type Comer = { readonly kind: Kind; readonly levels: number; readonly agents: number }

export function placeRule(parent: Place, comer: Comer): ErrorDef | null {
  if (!parentsOf[comer.kind].includes(parent.kind)) return organisationErrors.kindMisplaced
  if (parent.agents + comer.agents > agentLevels) return organisationErrors.agentLevels
  return parent.depth + comer.levels > deepest ? organisationErrors.tooDeep : null
}
export const newcomer = (kind: Kind): Comer => ({
  kind,
  levels: 1,
  agents: kind === 'AGENT' ? 1 : 0,
})

/** Who may not be disabled, moved or deleted: the platform, and for the actor what he stands in. */
export function guardRule(
  org: { id: number; kind: Kind },
  actor: { orgId: number; ancestors: readonly number[] },
): ErrorDef | null {
  if (org.kind === 'PLATFORM') return organisationErrors.isPlatform
  return org.id === actor.orgId || actor.ancestors.includes(org.id)
    ? organisationErrors.isOwn
    : null
}

/** Cycle and no-op are seen from the paths alone. */
export function moveRule(
  org: { id: number; parentId: number | null },
  target: { id: number; path: string },
): ErrorDef | null {
  if (target.path.split('.').includes(String(org.id))) return organisationErrors.intoItself
  return org.parentId === target.id ? organisationErrors.alreadyThere : null
}
