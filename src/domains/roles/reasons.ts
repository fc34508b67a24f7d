import type { Scope } from '../../server/database.ts'
import type { DataScope } from '../../shared/access.ts'
import { accessOf, type HeldRole, readOf, withheld } from '../accounts/rules.ts'
import type { RightReason, RowRule } from './explained.ts'

/**
 * Why somebody may or may not. What decides is never repeated here: rights come out of `accessOf`,
 * menus out of `menuShown`, rows out of the scope the server works with. This file only finds the
 * link of the chain that a person has to look at.
 */

export type Holder = HeldRole & { readonly id: number; readonly enabled: boolean }
export type Right = {
  granted: boolean
  listedBy: number[]
  through: number[]
  scopes: DataScope[]
  reason: RightReason | null
  read: string | null
}

/** What each code is worth for somebody with these roles. */
export function rightsOf(
  holders: readonly Holder[],
  ofPlatform: boolean,
  closed: boolean,
): (code: string) => Right {
  const live = holders.filter((role) => role.enabled)
  const access = closed ? new Map<string, ReadonlySet<DataScope>>() : accessOf(live, ofPlatform)
  const held = new Set(live.flatMap((role) => role.permissions))
  const reasonFor = (code: string, listed: readonly Holder[]): RightReason | null => {
    if (closed) return 'CLOSED'
    if (!listed.length) return 'NO_ROLE_LISTS'
    return listed.some((role) => role.enabled)
      ? withheld(code, held, live, ofPlatform)
      : 'ROLE_DISABLED'
  }
  return (code) => {
    const listed = holders.filter((role) => role.permissions.includes(code))
    const scopes = access.get(code)
    return {
      granted: scopes !== undefined,
      listedBy: listed.map((role) => role.id),
      through: scopes ? listed.filter((role) => role.enabled).map((role) => role.id) : [],
      scopes: [...(scopes ?? [])],
      reason: scopes ? null : reasonFor(code, listed),
      read: readOf(code),
    }
  }
}

/** `watched`: it lies in a machine that is looked at. */
type Row = {
  orgId: number
  deviceId: number | null
  shared: boolean
  barred: boolean
  watched: boolean
}

/**
 * Which rule of a scope lets a row in or keeps it out; the same comparisons as `visible` and
 * `inheritable`.
 */
export function rowRule(
  scope: Scope,
  kinds: readonly DataScope[],
  row: Row,
): { visible: boolean; rule: RowRule } {
  const regional = kinds.includes('REGION_DRUGS')
  if (scope.all) return { visible: true, rule: 'EVERYTHING' }
  if (row.barred) return { visible: false, rule: 'NOT_A_DRUG' }
  if (row.watched || (row.deviceId !== null && scope.watched?.includes(row.deviceId)))
    return { visible: true, rule: 'REGION' }
  if (!scope.orgs.includes(row.orgId))
    return row.shared && scope.ancestors.includes(row.orgId)
      ? { visible: true, rule: 'SHARED_FROM_ABOVE' }
      : { visible: false, rule: regional ? 'OUTSIDE_REGION' : 'OUTSIDE_TREE' }
  if (row.deviceId === null || scope.devices === null)
    return { visible: true, rule: regional ? 'REGION' : 'OWN_TREE' }
  if (scope.devices.includes(row.deviceId))
    return { visible: true, rule: regional ? 'REGION' : 'ASSIGNED' }
  return { visible: false, rule: regional ? 'OUTSIDE_REGION' : 'NOT_ASSIGNED' }
}
