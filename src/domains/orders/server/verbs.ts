import { sql } from 'kysely'
import { type Handlers, prepared } from '../../../server/bind.ts'
import { type Ctx, found } from '../../../server/context.ts'
import { within } from '../../../server/within.ts'
import { clock } from '../../../server/work.ts'
import { keepBills } from '../../billing/server/keep.ts'
import { checksName } from '../../payment-channels/rules.ts'
import type { orders } from '../contract.ts'
import { addCommands, createHandlers, type Seen } from './create.ts'
import { batchRefund, refund } from './giveBack.ts'
import { resolve, vend, vendLanes } from './putRight.ts'
import * as q from './queries.ts'
import { refundsName } from './refunds.ts'
import { addFigures, productsSold } from './rollups.ts'
import { makeRoom } from './room.ts'
import { lockOrders } from './rows.ts'
import { uncountUnpaid } from './unpaid.ts'

export { addTestOrder, type TestLane } from './testOrder.ts'

type Contract = typeof orders

const get: Handlers<Contract>['get'] = async (ctx, input) =>
  q.orderDetail(ctx, found(await q.visibleOrder(ctx, input.orderNum)))

type Payment = { id: number; org_id: number; order_id: number; order_at: Date; order_num: string }
/** What was paid where and what that costs, for the bill. */
type Paid = { price: number; fee: number; provider: string; configId: number | null }
type PayType = 'WECHAT' | 'ALIPAY'

/**
 * The money of an order arrived. APPLIED: the order is paid and its commands wait for the machine.
 * LATE: the order had been closed, the caller refunds; so he does what came TWICE, since another
 * payment paid it. DUPLICATE: this payment was already taken. MISMATCH: another amount, nothing
 * happens.
 */
export async function applyPayment(
  ctx: Ctx,
  payment: Payment,
  check: { orderPaid: boolean; paid?: Paid; payType?: PayType | null },
): Promise<'APPLIED' | 'LATE' | 'TWICE' | 'DUPLICATE' | 'MISMATCH'> {
  const [{ orders: locked, units }, { rows }] = await Promise.all([
    lockOrders(ctx, [{ orgId: payment.org_id, at: payment.order_at, id: payment.order_id }]),
    sql<{ state: string; others: boolean }>`select state, exists (select from payments o
        where o.order_id = p.order_id and o.state = 'PENDING' and o.id <> p.id) as others
      from payments p where id = ${payment.id} for no key update`.execute(ctx.db),
  ])
  const order = found(locked[0])
  if (rows[0]?.state === 'SUCCESS') return 'DUPLICATE'
  if (!check.orderPaid) return 'MISMATCH'
  if (order.payState !== 'UNPAID') {
    if (order.payState !== 'CLOSED') return 'TWICE'
    await event(ctx, payment, order.deviceId, 'LATE_PAYMENT', {})
    return 'LATE'
  }
  const payType = check.payType ?? order.payType
  ctx.later(sql`
    with paid as (
      update orders set pay_state = 'PAID', paid_amount = payable_amount, paid_at = ${ctx.now},
        order_status = 'PAID', excluded = false, pay_type = ${payType}
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
  const fee = check.paid?.fee ?? 0
  addFigures(
    ctx,
    [
      {
        ...{ ...of, payType, fee },
        orders: 1,
        pieces: units.length,
        turnover: order.totalAmount,
        paid: order.payableAmount,
      },
    ],
    productsSold(of, units, fee),
  )
  const { createdAt } = order
  if (check.paid) keepBills(ctx, [{ ...of, ...check.paid, payType, orderAt: createdAt, orders: 1 }])
  uncountUnpaid(ctx, [order.id], true)
  if (rows[0]?.others) closeOthers(ctx, payment)
  ctx.touch('orders')
  return 'APPLIED'
}

/** The order is paid: other ways to pay it that the buyer was shown end at their channels, too. */
function closeOthers(ctx: Ctx, { id, order_id: orderId }: Payment): void {
  ctx.later(sql`update payments set state = 'CLOSED', attempts = 0,
      next_at = case when config_id is not null then ${clock(ctx.app)} end
    where order_id = ${orderId} and state = 'PENDING' and id <> ${id}`)
  ctx.afterCommit(() => ctx.app.jobs.poke(checksName))
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

type Stray = {
  id: number
  org_id: number
  device_id: number | null
  order_id: number | null
  order_at: Date | null
  order_num: string | null
  amount: number
}

/** Full refund of money no order waits for, with its case on the worklist. */
export async function openPaymentRefund(
  ctx: Ctx,
  payment: Stray,
  kind: 'LATE_PAYMENT' | 'DUPLICATE_PAYMENT' | 'UNMATCHED_PAYMENT',
): Promise<void> {
  const reasons = { LATE_PAYMENT: kind, DUPLICATE_PAYMENT: 'DUPLICATE', UNMATCHED_PAYMENT: 'OTHER' }
  const { userId } = ctx.actor
  await sql`insert into refunds (org_id, device_id, refund_no, payment_id, order_id, order_at,
    order_num, kind, amount, reason, automatic, state, next_at, requested_by, created_at)
    values (${payment.org_id}, ${payment.device_id}, ${`${payment.order_num ?? 'HD'}-P${payment.id}`},
      ${payment.id}, ${payment.order_id}, ${payment.order_at}, ${payment.order_num}, 'PAYMENT',
      ${payment.amount}, ${reasons[kind]}, ${userId === null}, 'PENDING', ${ctx.now}, ${userId},
      ${ctx.now})
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
    amount, state, created_at)
    values (${payment.org_id}, ${payment.device_id}, ${payment.order_id}, ${payment.order_num},
      ${payment.id}, ${kind}, ${payment.amount},
      ${kind === 'UNMATCHED_PAYMENT' ? 'OPEN' : 'HANDLING'}, ${ctx.now})
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
  batchRefund,
  vendLanes,
  vend,
  resolve,
  mobileLanes: createHandlers.mobileLanes,
  mobileOrder,
}
