import { sql } from 'kysely'
import { type Handlers, prepared } from '../../../server/bind.ts'
import { type Ctx, found } from '../../../server/context.ts'
import { isProven } from '../../../server/proof.ts'
import { platformOrg } from '../../../shared/access.ts'
import { common, Refusal, reject } from '../../../shared/errors.ts'
import { dayMs } from '../../../shared/instants.ts'
import { settingOf } from '../../settings/server/values.ts'
import { orderErrors, type orders } from '../contract.ts'
import { refundable } from '../rules.ts'
import { addCommands, createHandlers, type Seen } from './create.ts'
import * as q from './queries.ts'
import { openRefunds, refundsName } from './refunds.ts'
import { addFigures } from './rollups.ts'
import { makeRoom } from './room.ts'
import { lockOrders, relabel, within } from './rows.ts'
import { uncountUnpaid } from './unpaid.ts'

export { addTestOrder, type TestLane } from './testOrder.ts'

type Contract = typeof orders

const get: Handlers<Contract>['get'] = async (ctx, input) =>
  q.orderDetail(ctx, found(await q.visibleOrder(ctx, input.orderNum)))

/**
 * From an amount on a proof is asked for, however it is split: what a session gave back since its
 * last proof counts together.
 */
async function countRefund(ctx: Ctx, amount: number): Promise<void> {
  if (await isProven(ctx.app, ctx.actor)) return
  const most = await settingOf(ctx.db, platformOrg, 'session.refundProof')
  const { sessionId } = ctx.actor
  if (sessionId === null) return reject(amount < most ? null : common.proofNeeded)
  const { numAffectedRows } =
    await sql`update sessions set unproven_refunds = unproven_refunds + ${amount}
    where id = ${sessionId}::uuid and unproven_refunds + ${amount} < ${most}`.execute(ctx.db)
  if (!numAffectedRows) throw new Refusal(common.proofNeeded)
}

/**
 * Pieces go back by the original way; the worker sends them, so the answer shows them as pending.
 */
const refund: Handlers<Contract>['refund'] = async (ctx, input) => {
  const row = found(await q.visibleOrder(ctx, input.orderNum))
  const { orders: locked, units } = await lockOrders(ctx, [
    { orgId: row.orgId, at: new Date(row.createTime), id: row.id },
  ])
  const order = found(locked[0])
  // nothing was paid for a test
  if (order.orderType === 'TEST') throw new Refusal(orderErrors.nothingToRefund)
  const context = {
    payState: order.payState,
    ageDays: (ctx.now.getTime() - order.createdAt.getTime()) / dayMs,
    refundDays: await settingOf(ctx.db, order.orgId, 'order.refundDays'),
  }
  const judge = (unit: (typeof units)[number]) => {
    const refusal = refundable(unit, context, input.reason)
    // a refund that is under way: somebody was a moment earlier, and what this person saw is no
    // longer so
    return refusal === orderErrors.alreadyRefunded && unit.refundState !== 'SUCCESS'
      ? common.stale
      : refusal
  }
  const wanted = input.unitIds
    ? input.unitIds.map((id) => found(units.find((unit) => unit.id === id)))
    : units.filter((unit) => judge(unit) === null)
  if (!wanted.length)
    reject(judge(units[0] as (typeof units)[number]) ?? orderErrors.nothingToRefund)
  for (const unit of wanted) reject(judge(unit))
  const amount = wanted.reduce((sum, unit) => sum + unit.paid, 0)
  await countRefund(ctx, amount)
  await openRefunds(ctx, wanted, {
    reason: input.reason,
    remark: input.remark,
    automatic: false,
    userId: ctx.actor.userId,
  })
  relabel(ctx, locked, units)
  const after = {
    units: wanted.map((unit) => unit.unitNo),
    amount,
    reason: input.reason,
    remark: input.remark,
  }
  ctx.audit({ id: order.orderNum, orgId: order.orgId, after })
  ctx.touch('orders')
  return q.orderDetail(ctx, found(await q.visibleOrder(ctx, input.orderNum)))
}

type Payment = { id: number; org_id: number; order_id: number; order_at: Date; order_num: string }

/**
 * The money of an order arrived. APPLIED: the order is paid and its commands wait for the machine.
 * LATE: the order had been closed, the caller refunds. DUPLICATE: this payment was already taken.
 * MISMATCH: another amount, nothing happens.
 */
export async function applyPayment(
  ctx: Ctx,
  payment: Payment,
  check: { orderPaid: boolean },
): Promise<'APPLIED' | 'LATE' | 'DUPLICATE' | 'MISMATCH'> {
  const [{ orders: locked, units }, { rows }] = await Promise.all([
    lockOrders(ctx, [{ orgId: payment.org_id, at: payment.order_at, id: payment.order_id }]),
    sql<{
      state: string
    }>`select state from payments where id = ${payment.id} for no key update`.execute(ctx.db),
  ])
  const order = found(locked[0])
  if (rows[0]?.state === 'SUCCESS') return 'DUPLICATE'
  if (!check.orderPaid) return 'MISMATCH'
  if (order.payState !== 'UNPAID') {
    await event(ctx, payment, order.deviceId, 'LATE_PAYMENT', {})
    return 'LATE'
  }
  ctx.later(sql`
    with paid as (
      update orders set pay_state = 'PAID', paid_amount = payable_amount, paid_at = ${ctx.now},
        order_status = 'PAID', excluded = false
      where org_id = ${order.orgId} and ${within('created_at', [order.createdAt])}
        and id = ${order.id} and pay_state = 'UNPAID'
      returning org_id, created_at, id, device_id, payable_amount
    )
    insert into order_events (org_id, created_at, order_id, order_at, device_id, kind, data)
      select org_id, ${ctx.now}::timestamptz, id, created_at, device_id, 'PAID',
        jsonb_build_object('amount', payable_amount) from paid`)
  // somebody took it for dead
  if (order.excluded)
    ctx.later(sql`insert into order_cleanups (org_id, device_id, order_at, order_id, order_num,
      action, created_at)
      values (${order.orgId}, ${order.deviceId}, ${order.createdAt}, ${order.id},
        ${order.orderNum}, 'RESTORE', ${ctx.now})`)
  addCommands(ctx, { orgId: order.orgId, at: order.createdAt, id: order.id })
  const of = { orgId: order.orgId, deviceId: order.deviceId, at: ctx.now }
  addFigures(
    ctx,
    [
      {
        ...of,
        orders: 1,
        pieces: units.length,
        turnover: order.totalAmount,
        paid: order.payableAmount,
      },
    ],
    units.map(({ productId, listPrice }) => ({ ...of, productId, pieces: 1, turnover: listPrice })),
  )
  uncountUnpaid(ctx, [order.id], true)
  ctx.touch('orders')
  return 'APPLIED'
}

async function event(
  ctx: Ctx,
  payment: Payment,
  deviceId: number,
  kind: string,
  data: Record<string, unknown>,
): Promise<void> {
  await sql`insert into order_events (org_id, created_at, order_id, order_at, device_id, kind, data)
    values (${payment.org_id}, ${ctx.now}, ${payment.order_id}, ${payment.order_at}, ${deviceId},
      ${kind}, ${JSON.stringify(data)})`.execute(ctx.db)
}

type Stray = Payment & { device_id: number; amount: number }

/** Full refund of money no order waits for, with its case on the worklist. */
export async function openPaymentRefund(
  ctx: Ctx,
  payment: Stray,
  kind: 'LATE_PAYMENT' | 'DUPLICATE_PAYMENT',
): Promise<void> {
  const reason = kind === 'LATE_PAYMENT' ? kind : 'DUPLICATE'
  await sql`insert into refunds (org_id, device_id, refund_no, payment_id, order_id, order_at,
    order_num, kind, amount, reason, automatic, state, next_at, created_at)
    values (${payment.org_id}, ${payment.device_id}, ${`${payment.order_num}-P${payment.id}`},
      ${payment.id}, ${payment.order_id}, ${payment.order_at}, ${payment.order_num}, 'PAYMENT',
      ${payment.amount}, ${reason}, true, 'PENDING', ${ctx.now}, ${ctx.now})
    on conflict (refund_no) do nothing`.execute(ctx.db)
  await openCase(ctx, payment, kind)
  ctx.afterCommit(() => ctx.app.jobs.poke(refundsName))
}

export async function openCase(
  ctx: Ctx,
  payment: Stray,
  kind: 'LATE_PAYMENT' | 'DUPLICATE_PAYMENT' | 'UNMATCHED_PAYMENT',
): Promise<void> {
  await sql`insert into order_cases (org_id, device_id, order_id, order_num, payment_id, kind,
    amount, created_at)
    values (${payment.org_id}, ${payment.device_id}, ${payment.order_id}, ${payment.order_num},
      ${payment.id}, ${kind}, ${payment.amount}, ${ctx.now})
      on conflict (kind, unit_id, payment_id) do nothing`.execute(ctx.db)
}

const mobileOrder = prepared<Contract['mobileOrder'], Seen>({
  prepare: makeRoom,
  run: createHandlers.mobileOrder,
})

export const handlers: Handlers<Contract> = {
  list: q.listOrders,
  statistics: q.statistics,
  get,
  refund,
  mobileLanes: createHandlers.mobileLanes,
  mobileOrder,
}
