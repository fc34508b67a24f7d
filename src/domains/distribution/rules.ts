import type { ErrorDef } from '../../shared/errors.ts'
import { isClosed, ownsMachines } from '../machines/rules.ts'
import { distributionErrors, type kinds } from './contract.ts'

const e = distributionErrors
type Kind = (typeof kinds)[number]

export const openRule = (device: { readonly lifecycle: string }): ErrorDef | null =>
  isClosed(device) ? e.deviceClosed : null

type Target = { readonly id: number; readonly kind: string; readonly enabled: boolean }
export function targetRule(
  device: { readonly orgId: number; readonly lifecycle: string },
  target: Target,
): ErrorDef | null {
  if (isClosed(device)) return e.deviceClosed
  if (!ownsMachines(target.kind)) return e.ownerKind
  if (!target.enabled) return e.orgClosed
  return device.orgId === target.id ? e.sameOwner : null
}

export type LaneInHand = {
  readonly road: number
  readonly reserved: number
  readonly failedHold: number
  /** Name of its product, null without one. */
  readonly goods: string | null
  readonly goodsVisible: boolean
}
/**
 * Goods in the machine and what is promised of them: nothing open may change hands, nothing may
 * become invisible.
 */
export function goodsRule(
  lanes: readonly LaneInHand[],
  openOrder: boolean,
): { def: ErrorDef; values: Record<string, string> } | null {
  if (openOrder || lanes.some((lane) => lane.reserved > 0)) return { def: e.openOrder, values: {} }
  const uncounted = lanes.filter((lane) => lane.failedHold > 0)
  if (uncounted.length)
    return { def: e.uncounted, values: { lanes: uncounted.map((lane) => lane.road).join('、') } }
  const hidden = [
    ...new Set(
      lanes.flatMap((lane) => (lane.goods !== null && !lane.goodsVisible ? [lane.goods] : [])),
    ),
  ]
  if (!hidden.length) return null
  return {
    def: e.goodsUnknown,
    values: {
      goods: hidden.slice(0, 10).join('、') + (hidden.length > 10 ? ` … ${hidden.length}` : ''),
    },
  }
}

type Person = { readonly name: string; readonly serves: readonly string[]; readonly near: boolean }
/**
 * Whoever is assigned must serve in this way and stand at the owner or above, else he would not see
 * the machine.
 */
export function staffRule(
  people: readonly Person[],
  kind: string,
): { def: ErrorDef; names: string } | null {
  const others = people.filter((person) => !person.serves.includes(kind))
  if (others.length)
    return { def: e.notServing, names: others.map((person) => person.name).join('、') }
  const far = people.filter((person) => !person.near)
  return far.length
    ? { def: e.personElsewhere, names: far.map((person) => person.name).join('、') }
    : null
}

/** A mass assignment names its target. */
export function targetGiven(input: {
  kind: Kind
  orgId?: number | undefined
  userIds?: readonly number[] | undefined
  storeId?: number | undefined
}) {
  const wanted = {
    OWNER: 'orgId',
    REPLENISHER: 'userIds',
    REPAIRER: 'userIds',
    STORE: 'storeId',
  } as const
  const field = wanted[input.kind]
  if (input[field] !== undefined) return null
  return { field, def: input.kind === 'STORE' ? e.storeMissing : e.targetMissing }
}
