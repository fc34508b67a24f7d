import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { onlyRow, rowOf, rowsOf } from '../../../server/rows.ts'
import {
  claiming,
  clock,
  type Ending,
  type Kind,
  longestAgo,
  type Piece,
  turns,
} from '../../../server/work.ts'
import { yuan } from '../../../shared/money.ts'
import { bi } from '../../../shared/text.ts'
import { keepBills } from '../../billing/server/keep.ts'
import { noteRefund } from '../../invoices/server/reds.ts'
import { feeShareOf, refundOut, suspenseOut, type Voucher } from '../../ledger/rules.ts'
import { post } from '../../ledger/server/post.ts'
import { notify } from '../../notices/server/notify.ts'
import type { RefundAnswer, RefundRequest } from '../../payment-channels/server/channels.ts'
import { refundBackoff, refundTries } from '../rules.ts'
import { addFigures } from './rollups.ts'
import { liesAt, lockOrders, places, relabel, type Unit, writeEvents } from './rows.ts'

export type Provider = {
  /** Idempotent by `refundNo`: a repeat answers what the first call did. Amounts in fen. */
  refund(request: RefundRequest): Promise<RefundAnswer>
}
export type Providers = Record<'SIMULATOR' | 'WECHAT' | 'ALIPAY', Provider>

export const refundsName = 'order-refunds'

type Due = Piece & {
  turnOf: string
  countedTries: number
  id: number
  orgId: number
  refundNo: string
  /** Null: money that belongs to no order. */
  orderId: number | null
  orderAt: Date | null
  orderNum: string | null
  unitId: number | null
  amount: number
  paymentId: number
  provider: 'SIMULATOR' | 'WECHAT' | 'ALIPAY'
  outTradeNo: string
  tradeNo: string | null
  configId: number | null
  total: number
  /** Who pressed the button. */
  requestedBy: number | null
}

/**
 * Sends due refunds to their provider. The same refund number again is answered with what was
 * already done.
 */
export const refundKind = (app: App, providers: Providers): Kind<Due, RefundAnswer> => {
  const kind: Kind<Due, RefundAnswer> = {
    name: refundsName,
    table: 'refunds',
    atOnce: 8,
    leaseSeconds: 60,
    waits: refundBackoff,
    // a provider that is still at it is asked again for as long as it takes
    most: Number.POSITIVE_INFINITY,
    claim: claimDue,
    do: (refund) =>
      providers[refund.provider]
        .refund({
          refundNo: refund.refundNo,
          outTradeNo: refund.outTradeNo,
          tradeNo: refund.tradeNo ?? '',
          amount: refund.amount,
          total: refund.total,
          configId: refund.configId,
        })
        .catch(
          (error: unknown): RefundAnswer => ({
            state: 'RETRY',
            reason: error instanceof Error ? error.message.slice(0, 200) : 'unknown',
          }),
        ),
    mark: finish,
  }
  return kind

  async function claimDue(ctx: Ctx, free: number, served: readonly string[]): Promise<Due[]> {
    const now = clock(app)
    const rows = await rowsOf<Omit<Due, 'ours'>>(ctx.db)`
      with recursive ${turns(app, kind, free)}, due as (
        -- the order is locked first, as everywhere
        select r.id, turns.tenant from refunds r join turns using (id)
        join orders o on o.org_id = r.org_id and o.created_at = r.order_at and o.id = r.order_id
        where r.next_at <= ${now}
        order by turns.turn, ${longestAgo(served, sql`turns.tenant`)}, r.next_at
        limit ${free} for no key update of o skip locked),
      loose as (select r.id, turns.tenant from refunds r join turns using (id)
        where r.order_id is null and r.next_at <= ${now} order by turns.turn, r.next_at)
      update refunds t set state = 'PROCESSING', ${claiming(app, kind)}
      from (select * from due union all select * from loose limit ${free}) due, payments p
      where t.id = due.id and p.id = t.payment_id and t.next_at <= ${now}
      returning t.id, due.tenant as "turnOf", t.org_id as "orgId", t.refund_no as "refundNo", t.order_id as "orderId",
        t.order_at as "orderAt", t.order_num as "orderNum",
        t.unit_id as "unitId", t.amount, t.attempts, t.attempts - t.waited as "countedTries",
        t.payment_id as "paymentId", p.provider, p.out_trade_no as "outTradeNo",
        p.provider_trade_no as "tradeNo", p.config_id as "configId", p.amount as total,
        t.requested_by as "requestedBy"`
    const units = rows.flatMap(({ orgId, orderAt, unitId }) =>
      unitId === null || orderAt === null ? [] : [{ orgId, createdAt: orderAt, id: unitId }],
    )
    if (units.length)
      await sql`update order_units u set refund_state = 'PROCESSING' from ${places(units)}
        where ${liesAt('u')}`.execute(ctx.db)
    return rows.map((row) => ({
      ...row,
      ours: sql`id = ${row.id} and attempts = ${row.attempts} and state = 'PROCESSING'`,
    }))
  }
}

async function finish(ctx: Ctx, refund: Due, to: Ending<RefundAnswer>): Promise<void> {
  // asked again when the lease ends: no try
  if (to.state === 'PROCESSING') {
    await sql`update refunds set waited = waited + 1 where ${refund.ours}`.execute(ctx.db)
    return
  }
  const { orgId, orderAt, orderId } = refund
  const { orders, units } =
    orderId === null || orderAt === null
      ? { orders: [], units: [] }
      : await lockOrders(ctx, [{ orgId, at: orderAt, id: orderId }])
  const order = orders[0]
  const unit = units.find((u) => u.id === refund.unitId)
  if (to.state === 'SUCCESS') {
    // whoever asked: the money went
    const { numAffectedRows } = await sql`update refunds
        set state = 'SUCCESS', succeeded_at = ${ctx.now}, next_at = null, last_error = null,
      provider_refund_no = ${to.providerRefundNo}
      where id = ${refund.id} and state = 'PROCESSING'`.execute(ctx.db)
    if (!numAffectedRows || (!order && orderId !== null)) return
    await sql`update order_cases set state = 'DONE', handled_at = ${ctx.now}
      where payment_id = ${refund.paymentId} and state <> 'DONE' and (kind = 'REFUND_FAILED'
        and unit_id is not distinct from ${refund.unitId}::bigint
        or ${refund.unitId === null} and kind in ('LATE_PAYMENT','DUPLICATE_PAYMENT')
        or ${orderId === null} and kind = 'UNMATCHED_PAYMENT')`.execute(ctx.db)
    const { voucher, feeShare } = await returnMoney(ctx, refund, order?.orderNum ?? null)
    if (order && unit) {
      await setUnitRefund(ctx, unit, 'SUCCESS')
      const first = order.refundedAmount === 0
      order.refundedAmount += refund.amount
      order.payState = order.refundedAmount === order.paidAmount ? 'REFUNDED' : 'PART_REFUNDED'
      await sql`update orders set refunded_amount = refunded_amount + ${refund.amount},
        pay_state = case when refunded_amount + ${refund.amount} = paid_amount then 'REFUNDED'
          else 'PART_REFUNDED' end
        where org_id = ${order.orgId} and created_at = ${order.createdAt} and id = ${order.id}
          and refunded_amount + ${refund.amount} <= paid_amount`.execute(ctx.db)
      noteRefund(ctx, order.orgId, order.orderNum, refund.refundNo)
      writeEvents(ctx, [
        {
          unit,
          kind: 'REFUNDED',
          at: ctx.now,
          data: { amount: refund.amount, refundNo: refund.refundNo },
        },
      ])
      relabel(ctx, orders, units)
      const of = { orgId: order.orgId, deviceId: order.deviceId, at: ctx.now }
      const { payType } = order
      const money = { refunded: refund.amount, fee: -feeShare }
      const others = units.filter(
        (one) => one !== unit && one.productId === unit.productId && one.paid > 0,
      )
      const firstOfGoods = others.every((one) => one.refundState !== 'SUCCESS')
      addFigures(
        ctx,
        [{ ...of, ...money, payType, refundOrders: first ? 1 : 0 }],
        [
          {
            ...{ ...of, ...money, productId: unit.productId },
            ...{ refundedPieces: 1, refundOrders: firstOfGoods ? 1 : 0 },
          },
        ],
      )
      const { provider, configId, amount } = refund
      const paid = { provider, configId, payType, orderAt: order.createdAt }
      const back = { refundment: amount, fee: -feeShare, refundOrders: first ? 1 : 0 }
      keepBills(ctx, [{ ...of, ...paid, ...back }])
    }
    post(ctx, [voucher])
    await tellEnd(ctx, refund)
  } else {
    const failed = to.state === 'FAILED' || refund.countedTries >= refundTries
    const state = failed ? 'FAILED' : 'PROCESSING'
    const { numAffectedRows } = await sql`update refunds
        set state = ${state}, next_at = ${to.nextAt}, last_error = ${to.reason}
        where ${refund.ours}`.execute(ctx.db)
    if (!numAffectedRows) return
    if (unit) {
      await setUnitRefund(ctx, unit, state)
      writeEvents(ctx, [
        {
          unit,
          kind: failed ? 'REFUND_FAILED' : 'REFUND_RETRY',
          at: ctx.now,
          data: { reason: to.reason, attempts: refund.countedTries },
        },
      ])
      relabel(ctx, orders, units)
    }
    if (failed) {
      await sql`insert into order_cases (org_id, device_id, order_id, order_num, unit_id,
        payment_id, kind, amount, created_at)
        select ${refund.orgId}, device_id, ${refund.orderId}, ${refund.orderNum}, ${refund.unitId},
          ${refund.paymentId}, 'REFUND_FAILED', ${refund.amount}, ${ctx.now}::timestamptz
          from refunds where id = ${refund.id}
        on conflict (kind, unit_id, payment_id) do update set state = 'OPEN', handled_at = null`.execute(
        ctx.db,
      )
      await tellFailed(ctx, refund, to.reason)
    }
  }
  ctx.touch('orders', refund.orgId)
}

const links = {
  order: '/order/order-list?orderStatus=ABNORMAL',
  nobody: '/finance/billing-details/reconciliation/differences',
}
/** Whoever can put it right hears that money did not go back; one word for all of some hours. */
const tellFailed = (ctx: Ctx, { orgId, orderNum, amount }: Due, reason: string) =>
  notify(ctx, {
    kind: 'SYSTEM',
    permission: 'order:refund',
    ...{ orgId, orAbove: true, quietHours: 4 },
    title: bi('有退款失败，请处理', 'A refund failed and needs a person'),
    body: orderNum
      ? bi(
          `订单 ${orderNum} 的退款 ${yuan(amount)} 未成功：${reason}`,
          `Order ${orderNum}: the refund of ${yuan(amount)} did not succeed: ${reason}`,
        )
      : bi(
          `未匹配款项的退款 ${yuan(amount)} 未成功：${reason}`,
          `Money of no order: the refund of ${yuan(amount)} did not succeed: ${reason}`,
        ),
    link: orderNum ? links.order : links.nobody,
  })

/** Whoever asked for money that the channel did not give back at once hears that it went. */
async function tellEnd(ctx: Ctx, refund: Due): Promise<void> {
  const { id, requestedBy, orderId, orderNum, attempts } = refund
  if (requestedBy === null || attempts < 2) return
  const { open, amount } = await onlyRow<{ open: boolean; amount: number }>(ctx.db)`
    select coalesce(bool_or(state in ('PENDING','PROCESSING')), false) as open,
      coalesce(sum(amount) filter (where state = 'SUCCESS'), 0) as amount
    from refunds where ${orderId === null ? sql`id = ${id}` : sql`order_id = ${orderId}`}`
  if (open) return
  await notify(ctx, {
    kind: 'SYSTEM',
    userIds: [requestedBy],
    title: orderNum
      ? bi(`订单 ${orderNum} 退款成功`, `Order ${orderNum}: the money went back`)
      : bi('未匹配款项退款成功', 'Money of no order went back'),
    body: bi(`已退款 ${yuan(amount)}`, `Refunded: ${yuan(amount)}`),
    link: orderNum ? `/order/order-details/${orderNum}` : links.nobody,
  })
}

/**
 * The payment gives back at most what it took; answers what the ledger says about it in the same
 * transaction, after the figures.
 */
async function returnMoney(
  ctx: Ctx,
  refund: Due,
  orderNum: string | null,
): Promise<{ voucher: Voucher; feeShare: number }> {
  type Payment = Parameters<typeof feeShareOf>[0] & { applied: boolean }
  const payment = await rowOf<Payment>(
    ctx.db,
  )`update payments set refunded_amount = refunded_amount + ${refund.amount}
    where id = ${refund.paymentId} and refunded_amount + ${refund.amount} <= amount
    returning amount, fee_amount as fee, refunded_amount - ${refund.amount}::bigint as refunded,
      applied`
  if (!payment) throw new Error(`refund ${refund.refundNo} exceeds its payment`)
  const { orgId, orderId, configId } = refund
  const of = { orgId, orderId, orderNum, configId }
  const share = feeShareOf(payment, refund.amount)
  return {
    voucher: payment.applied
      ? refundOut(refund.refundNo, refund.amount, share, of)
      : suspenseOut(refund.refundNo, refund.amount, of),
    feeShare: share,
  }
}

async function setUnitRefund(
  ctx: Ctx,
  unit: Unit,
  state: 'SUCCESS' | 'FAILED' | 'PROCESSING',
): Promise<void> {
  unit.refundState = state
  await sql`update order_units set refund_state = ${state}
    where org_id = ${unit.orgId} and created_at = ${unit.createdAt} and id = ${unit.id}`.execute(
    ctx.db,
  )
}

/**
 * One refund row per piece for ever; its number is the same at every attempt. A free piece is
 * refunded at once.
 */
export async function openRefunds(
  ctx: Ctx,
  units: readonly Unit[],
  why: { reason: string; remark: string; automatic: boolean; userId: number | null },
): Promise<void> {
  if (!units.length) return
  await sql`with n as (
      select "orgId" as org_id, "deviceId" as device_id, "orderId" as order_id,
        "createdAt" as order_at, "orderNum" as order_num, id as unit_id, "unitNo" as unit_no,
        paid as amount
      from jsonb_to_recordset(${JSON.stringify(units)}::jsonb) as x("orgId" bigint,
        "deviceId" bigint, "orderId" bigint, "createdAt" timestamptz,
        "orderNum" text, id bigint, "unitNo" int, paid bigint)
    ), made as (
      insert into refunds (org_id, device_id, refund_no, payment_id, order_id, order_at, order_num,
        unit_id, unit_no, kind, amount, reason, remark, automatic, state, next_at, requested_by,
        created_at, succeeded_at)
      select n.org_id, n.device_id, n.order_num || '-' || lpad(n.unit_no::text, 2, '0'), p.id,
        n.order_id, n.order_at, n.order_num, n.unit_id, n.unit_no, 'UNIT', n.amount,
        ${why.reason}, ${why.remark}, ${why.automatic}, case when n.amount = 0 then 'SUCCESS'
          else 'PENDING' end, ${ctx.now}::timestamptz, ${why.userId}::bigint,
            ${ctx.now}::timestamptz,
        case when n.amount = 0 then ${ctx.now}::timestamptz end
      from n left join payments p on p.order_id = n.order_id and p.applied
      on conflict (unit_id) do update set state = case refunds.state when 'FAILED' then 'PROCESSING'
      else 'PENDING' end, attempts = 0, waited = 0,
        next_at = excluded.next_at, reason = excluded.reason, remark = excluded.remark,
        automatic = excluded.automatic, requested_by = excluded.requested_by
        where refunds.state in ('CANCELLED', 'FAILED')
      returning unit_id, state
    )
    update order_units u set refund_state = made.state from made join n on n.unit_id = made.unit_id
    where u.org_id = n.org_id and u.created_at = n.order_at and u.id = made.unit_id`.execute(ctx.db)
  for (const unit of units)
    unit.refundState =
      unit.paid === 0 ? 'SUCCESS' : unit.refundState === 'FAILED' ? 'PROCESSING' : 'PENDING'
  writeEvents(
    ctx,
    units.map((unit) => ({
      unit,
      kind: 'REFUND_PENDING',
      at: ctx.now,
      data: { amount: unit.paid, reason: why.reason, automatic: why.automatic },
    })),
    why.automatic ? '' : ctx.actor.username,
  )
  ctx.afterCommit(() => ctx.app.jobs.poke(refundsName))
}
