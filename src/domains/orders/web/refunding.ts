import type { ErrorDef } from '../../../shared/errors.ts'
import { dayMs } from '../../../shared/instants.ts'
import { type OrderDetail, orderErrors } from '../contract.ts'
import { type RefundReason, refundable } from '../rules.ts'
import type { Unit } from './stations.ts'

/**
 * Why a piece cannot be refunded for this reason; null: it can. The server asks the same rule
 * again.
 */
export function whyNot(
  order: OrderDetail,
  unit: Unit,
  reason: RefundReason | undefined,
): ErrorDef | null {
  const facts = {
    vendState: unit.vendState,
    refundState: unit.refund?.state ?? null,
    dropConfirmed: unit.dropConfirmed,
    drugClass: unit.drugClass,
  }
  const found = refundable(
    facts,
    { payState: order.payState, ageDays: (Date.now() - Date.parse(order.createTime)) / dayMs },
    reason ?? 'QUALITY',
  )
  return found ?? (unit.canRefund ? null : orderErrors.nothingToRefund)
}

/**
 * Why the order's refund button is off; pieces still moving matter more than pieces already
 * refunded.
 */
export function whyNoRefund(order: OrderDetail): ErrorDef | null {
  const reasons = order.units.map((unit) => whyNot(order, unit, undefined))
  if (reasons.includes(null)) return null
  return (
    reasons.find((reason) => reason === orderErrors.shipping) ??
    reasons[0] ??
    orderErrors.nothingToRefund
  )
}

/**
 * All that can be refunded (core.md). The reason is there where nothing of it left; goods that are
 * gone want one that a person chose.
 */
export function proposed(order: OrderDetail): { unitIds: number[]; reason?: RefundReason } {
  const units = order.units.filter((unit) => unit.canRefund)
  const unitIds = units.map((unit) => unit.id)
  const gone = units.some((unit) => unit.vendState === 'SUCCESS')
  return gone || !units.length ? { unitIds } : { unitIds, reason: 'NOT_DISPENSED' }
}
