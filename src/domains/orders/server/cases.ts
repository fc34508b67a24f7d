import { sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import type { Order, Unit } from './rows.ts'

/** What a person has to look at, one row for each thing (core.md, one-click supplement). */

/** Kinds that end when every piece of the order left or its money went back. */
const ofOrder = ['PAID_NOT_SENT', 'REFUND_FAILED', 'UNMATCHED_PAYMENT']

export function closeCases(ctx: Ctx, orderId: number): void {
  ctx.later(sql`update order_cases set state = 'DONE', handled_at = ${ctx.now}
    where order_id = ${orderId} and state <> 'DONE' and kind = any(${ofOrder}::text[])`)
}

/** Somebody began to put it right. */
export function takeCases(ctx: Ctx, orderIds: readonly number[]): void {
  if (orderIds.length)
    ctx.later(sql`update order_cases set state = 'HANDLING', handled_by = ${ctx.actor.userId}
      where order_id = any(${[...orderIds]}::bigint[]) and state = 'OPEN'
        and kind = any(${ofOrder}::text[])`)
}

/**
 * Orders that are paid, of which a piece did not leave and nothing sends the money back; a second
 * time it is open again. What cost nothing has no payment to put right.
 */
export function openUnsent(ctx: Ctx, orders: readonly Order[], units: readonly Unit[]): void {
  const rows = orders.flatMap(({ id }) => {
    const amount = units
      .filter((unit) => unit.orderId === id && ['FAILED', 'VOID'].includes(unit.vendState))
      .reduce((sum, unit) => sum + unit.paid, 0)
    return amount > 0 ? [{ id, amount }] : []
  })
  if (!rows.length) return
  ctx.later(sql`insert into order_cases (org_id, device_id, order_id, order_num, payment_id, kind,
    amount, created_at)
    select p.org_id, p.device_id, p.order_id, p.order_num, p.id, 'PAID_NOT_SENT', n.amount,
      ${ctx.now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n(id bigint, amount bigint)
    join payments p on p.order_id = n.id and p.applied
    on conflict (kind, unit_id, payment_id) do update
    set state = 'OPEN', amount = excluded.amount, handled_at = null`)
}
