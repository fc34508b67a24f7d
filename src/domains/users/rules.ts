import type { HomeKind } from '../../shared/access.ts'
import type { ErrorDef } from '../../shared/errors.ts'
import { defineStates } from '../../shared/moves.ts'
import { type HeldRole, mayWatch } from '../accounts/rules.ts'
import { userErrors } from './contract.ts'
import { departmentErrors, departmentLevels } from './departments.ts'
import type { resetStates } from './resets.ts'

type ResetState = (typeof resetStates)[number]

/** A request for a new password; whoever resets the password of its user answers it. */
export const resetRequests = defineStates<ResetState>({
  name: 'password reset',
  column: 'password_resets.state',
  start: ['PENDING'],
  moves: { PENDING: ['DONE', 'REJECTED', 'EXPIRED'], DONE: [], REJECTED: [], EXPIRED: [] },
})

/**
 * Roles whose rows are those of the own organisation make sense only in an organisation of that
 * kind.
 */
const homes: Readonly<Record<string, HomeKind>> = {
  ROLE_SPONSOR: 'SPONSOR',
  ROLE_CAMPUS_CARD: 'SCHOOL',
  ROLE_HOSPITAL_CARD: 'HOSPITAL',
  ROLE_SUPPLIER: 'SUPPLIER',
  ROLE_LANE_TENANT: 'LANE_TENANT',
}
type HomedRole = { readonly code: string; readonly dataScope: HeldRole['dataScope'] }
/** The kind of organisation that one of the roles misses; null when all fit. */
export function missingHome(roles: readonly HomedRole[], orgKind: HomeKind): HomeKind | null {
  const wanted = roles.flatMap((role) => homes[role.code] ?? [])
  const misplaced = wanted.find((kind) => kind !== orgKind)
  return (
    misplaced ??
    (roles.some((role) => role.dataScope === 'REGION_DRUGS') && !mayWatch(orgKind)
      ? 'REGULATOR'
      : null)
  )
}

/** Who supervises a region has one. */
export const regionRule = (
  roles: readonly { readonly dataScope: string }[],
  regionCode: string,
): ErrorDef | null =>
  regionCode === '' && roles.some((role) => role.dataScope === 'REGION_DRUGS')
    ? userErrors.regionMissing
    : null

/**
 * As which staff somebody serves machines. Roles of one's own that are bound to machines count as
 * replenishing.
 */
export function servesAs(
  roles: readonly { readonly code: string; readonly dataScope: string }[],
): ('REPLENISHER' | 'REPAIRER')[] {
  const bound = roles.filter((role) => role.dataScope === 'ASSIGNED_DEVICES')
  return [
    ...new Set(
      bound.map((role) =>
        role.code === 'ROLE_RTU_REPAIRER' ? ('REPAIRER' as const) : ('REPLENISHER' as const),
      ),
    ),
  ]
}

/** `138****5678`; a number too short to hide anything becomes stars. */
export const maskedPhone = (phone: string): string =>
  phone.length < 8 ? phone.replace(/./g, '*') : `${phone.slice(0, 3)}****${phone.slice(-4)}`

type Node = { readonly id: number; readonly parentId: number | null }

/**
 * Whether department `id` (null: a new one) may stand below `parentId`: no cycle, at most five
 * levels.
 */
export function placeRule(
  all: readonly Node[],
  id: number | null,
  parentId: number | null,
): ErrorDef | null {
  const parents = new Map(all.map((node) => [node.id, node.parentId]))
  let above = 0
  for (let at = parentId; at !== null; at = parents.get(at) ?? null) {
    if (at === id) return departmentErrors.departmentInItself
    above += 1
  }
  return above + height(all, id) > departmentLevels ? departmentErrors.departmentTooDeep : null
}
const height = (all: readonly Node[], id: number | null): number =>
  1 +
  Math.max(
    0,
    ...(id === null
      ? []
      : all.filter((node) => node.parentId === id).map((node) => height(all, node.id))),
  )

/**
 * A name that is free again: it keeps what people knew, and no living user can have it because of
 * the #.
 */
export const freedName = (username: string, id: number): string =>
  `${username.slice(0, 40 - String(id).length - 1)}#${id}`
