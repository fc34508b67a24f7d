import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may, visible } from '../../../server/context.ts'
import { onlyRow, rowOf, rowsOf } from '../../../server/rows.ts'
import type { Input } from '../../../shared/contract.ts'
import { common, fieldRefusal, Refusal, reject } from '../../../shared/errors.ts'
import { say } from '../../../shared/text.ts'
import type { Sale } from '../../drug-guard/rules.ts'
import { orderErrors } from '../../orders/contract.ts'
import { revendable } from '../../orders/rules.ts'
import { type GivenBack, giveBack, judgeOf } from '../../orders/server/giveBack.ts'
import { refundsName } from '../../orders/server/refunds.ts'
import {
  chooseLanes,
  type GiverLane,
  giversOf,
  vendAgain,
  type Wanted,
} from '../../orders/server/revend.ts'
import { lockOrders, type Order, relabel, type Unit } from '../../orders/server/rows.ts'
import { salesAgain } from '../../orders/server/specials.ts'
import { addSupplement, lanesToSell } from '../../orders/server/supplement.ts'
import { simulator } from '../../payments/server/receive.ts'
import { type orderSupplements, supplementErrors } from '../contract.ts'
import { closable } from '../rules.ts'
import { syncBill } from './bills.ts'
import * as q from './queries.ts'

type Contract = typeof orderSupplements
type Payment = {
  id: number
  orgId: number
  deviceId: number | null
  orderId: number | null
  orderAt: Date | null
  orderNum: string | null
  amount: number
  provider: string
  configId: number | null
  applied: boolean
  paidAt: Date
  /** It was made good before. */
  supplemented: boolean
  /** A case of it that waits for a decision. */
  open: boolean
  /** Of money that no order took. */
  refundState: string | null
}

const columns = sql`p.id, p.org_id as "orgId", p.device_id as "deviceId", p.order_id as "orderId",
  p.order_at as "orderAt", p.order_num as "orderNum", p.amount, p.provider,
  p.config_id as "configId", p.applied,
  p.paid_at as "paidAt", exists (select from order_supplements s where s.payment_id = p.id)
    as supplemented,
  exists (select from order_cases c where c.payment_id = p.id and c.state <> 'DONE') as open,
  (select r.state from refunds r where r.payment_id = p.id and r.kind = 'PAYMENT') as "refundState"`

/** The payments with a case that the actor sees, all of them, their orders locked before them. */
async function lockPayments(ctx: Ctx, ids: readonly number[]) {
  const wanted = sql`p.id = any(${[...ids]}::bigint[]) and p.state = 'SUCCESS'
    and ${visible(ctx, 'p.org_id', 'p.device_id')}
    and exists (select from order_cases c where c.payment_id = p.id)`
  const seen = await rowsOf<Payment>(ctx.db)`select ${columns} from payments p where ${wanted}`
  if (seen.length < new Set(ids).size) throw new Refusal(common.notFound)
  const keys = seen.flatMap(({ applied, orgId, orderAt, orderId }) =>
    applied && orderAt && orderId !== null ? [{ orgId, at: orderAt, id: orderId }] : [],
  )
  const { orders, units } = keys.length ? await lockOrders(ctx, keys) : { orders: [], units: [] }
  await sql`select from payments p where p.id = any(${[...ids]}::bigint[]) order by p.id
    for no key update of p`.execute(ctx.db)
  // behind the locks: somebody may have been a moment earlier
  const payments = await rowsOf<Payment>(ctx.db)`select ${columns} from payments p
    where ${wanted} order by p.id`
  return { payments, orders, units }
}

type Done = { payment: Payment; order: Order; made: boolean }

/** Pieces of orders that are paid: one answer for each payment, and what could not be done. */
async function complete(
  ctx: Ctx,
  given: readonly { payment: Payment; order: Order; own: readonly Unit[] }[],
  action: 'VEND' | 'REFUND',
  refuse: (payment: Payment, why: Refusal) => void,
): Promise<Done[]> {
  const chosen: ReturnType<typeof chooseLanes> = []
  const back: GivenBack[] = []
  const done: Done[] = []
  let lanes: GiverLane[] =
    action === 'VEND' && given.length
      ? await giversOf(
          ctx,
          [...new Set(given.map(({ order }) => order.deviceId))],
          [...new Set(given.flatMap(({ own }) => own.map((unit) => unit.productId)))],
          sql`for no key update of l`,
        )
      : []
  const sales =
    action === 'VEND'
      ? await salesAgain(
          ctx,
          given.flatMap(({ own }) => own),
          true,
        )
      : new Map<number, Sale>()
  for (const { payment, order, own } of given) {
    const tried = lanes.map((lane) => ({ ...lane }))
    try {
      const unsent: Wanted[] = own
        .filter((unit) => revendable(unit, order) === null)
        .map((unit) => ({ order, unit, sale: sales.get(unit.id) }))
      // it left, or went back, or somebody is at it
      if (!unsent.length) throw new Refusal(common.stale)
      if (action === 'VEND') chosen.push(...chooseLanes(unsent, tried))
      else {
        const judge = await judgeOf(ctx, order, 'NOT_DISPENSED')
        const wanted = unsent.map(({ unit }) => unit)
        for (const unit of wanted) reject(judge(unit))
        back.push({ order, units: own, wanted })
      }
      lanes = tried
      done.push({ payment, order, made: false })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refuse(payment, error)
    }
  }
  if (chosen.length) {
    await vendAgain(ctx, chosen)
    for (const { order, own } of given)
      if (done.some((one) => one.order === order)) relabel(ctx, [order], own)
  }
  if (back.length) await giveBack(ctx, back, why)
  return done
}
const why = { reason: 'NOT_DISPENSED', remark: '' }

/** Money that nobody's order took becomes an order of what was bought. */
async function make(
  ctx: Ctx,
  payment: Payment,
  { lines, action }: Input<Contract['supplement']>,
): Promise<Done> {
  if (!lines) throw fieldRefusal(supplementErrors.linesNeeded, 'lines')
  const ids = lines.map(({ laneId }) => laneId)
  const lanes = await lanesToSell(ctx, ids)
  const sold = lines.map(({ laneId, count }) => ({
    lane: lanes.find((lane) => lane.id === laneId),
    count,
  }))
  const [first] = lanes
  const known = sold.flatMap(({ lane, count }) => (lane ? [{ lane, count }] : []))
  // of one machine, and of whose money it is; nobody's may be anybody's he sees
  if (
    !first ||
    known.length < lines.length ||
    new Set(ids).size < ids.length ||
    lanes.some(({ deviceId }) => deviceId !== first.deviceId) ||
    (payment.deviceId !== null && first.orgId !== payment.orgId)
  )
    throw fieldRefusal(orderErrors.noLane, 'lines')
  if (known.reduce((sum, { count }) => sum + count, 0) > 32)
    throw fieldRefusal(orderErrors.overLimit, 'lines')
  const total = known.reduce((sum, { lane, count }) => sum + lane.price * count, 0)
  if (total < payment.amount) throw fieldRefusal(supplementErrors.lessThanPaid, 'lines')
  const payType = payment.provider === 'ALIPAY' ? 'ALIPAY' : 'WECHAT'
  const { order, units } = await addSupplement(
    ctx,
    { ...payment, payType, feeBp: await feeBpOf(ctx, payment) },
    known,
    action === 'VEND',
  )
  if (action === 'REFUND') await giveBack(ctx, [{ order, units, wanted: units }], why)
  return { payment, order, made: true }
}

/** The rate of the merchant that was paid, who may stand above this person's organisation. */
async function feeBpOf(ctx: Ctx, { configId }: Payment): Promise<number> {
  if (configId === null) return simulator.feeBp
  const { fee } = await ctx.app.database.aside(
    (db) => onlyRow<{ fee: number }>(db)`select fee_bp as fee from payment_configs
      where id = ${configId}`,
  )
  return fee
}

/** Money that goes back by itself and did not: once more, under the same number. */
async function retry(ctx: Ctx, payment: Payment, action: 'VEND' | 'REFUND'): Promise<void> {
  if (payment.refundState !== 'FAILED') throw new Refusal(common.stale)
  if (action === 'VEND') throw new Refusal(supplementErrors.refundOnly)
  await sql`update refunds set state = 'PROCESSING', attempts = 0, waited = 0, next_at = ${ctx.now},
    requested_by = ${ctx.actor.userId} where payment_id = ${payment.id} and kind = 'PAYMENT'
      and state = 'FAILED'`.execute(ctx.db)
  await sql`update order_cases set state = 'HANDLING', handled_by = ${ctx.actor.userId}
    where payment_id = ${payment.id} and state = 'OPEN'`.execute(ctx.db)
  ctx.afterCommit(() => ctx.app.jobs.poke(refundsName))
}

const supplement: Handlers<Contract>['supplement'] = async (ctx, input) => {
  const { action, paymentIds } = input
  // each of the two deeds has a right of its own
  if (!may(ctx, action === 'VEND' ? 'order:revend' : 'order:refund'))
    throw new Refusal(common.forbidden)
  const { payments, orders, units } = await lockPayments(ctx, paymentIds)
  const refused: { payment: Payment; why: Refusal }[] = []
  const refuse = (payment: Payment, why: Refusal) => void refused.push({ payment, why })
  const given: { payment: Payment; order: Order; own: Unit[] }[] = []
  const done: Done[] = []
  const again: Payment[] = []
  for (const payment of payments) {
    const order = orders.find(({ id }) => payment.applied && id === payment.orderId)
    if (payment.refundState !== null) {
      try {
        await retry(ctx, payment, action)
        again.push(payment)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        refuse(payment, error)
      }
    } else if (payment.supplemented || !payment.open) refuse(payment, new Refusal(common.stale))
    else if (order)
      given.push({ payment, order, own: units.filter((unit) => unit.orderId === order.id) })
    else if (payments.length > 1) refuse(payment, new Refusal(supplementErrors.linesNeeded))
    else done.push(await make(ctx, payment, input))
  }
  done.push(...(await complete(ctx, given, action, refuse)))
  const [first] = refused
  // nothing could be done: the first reason is the answer
  if (first && !done.length && !again.length) throw first.why
  for (const { payment, order, made } of done)
    await sql`insert into order_supplements (org_id, device_id, payment_id, order_at, order_id,
      order_num, made, action, amount, user_id, created_at)
      values (${order.orgId}, ${order.deviceId}, ${payment.id}, ${order.createdAt}, ${order.id},
        ${order.orderNum}, ${made}, ${action}, ${payment.amount}, ${ctx.actor.userId},
        ${ctx.now})`.execute(ctx.db)
  const made = done.filter((one) => one.made).map(({ order }) => order.id)
  if (made.length)
    await sql`update order_cases set state = 'HANDLING', handled_by = ${ctx.actor.userId}
      where order_id = any(${made}::bigint[]) and state = 'OPEN'`.execute(ctx.db)
  ctx.audit(
    ...done.map(({ payment, order, made }) => ({
      id: order.orderNum,
      orgId: order.orgId,
      after: { paymentId: payment.id, amount: payment.amount, action, made },
    })),
    ...again.map((payment) => ({
      id: payment.orderNum ?? String(payment.id),
      orgId: payment.orgId,
      after: { paymentId: payment.id, amount: payment.amount, action, made: false },
    })),
  )
  ctx.touch('orders')
  return {
    done: [
      ...done.map(({ payment, order }) => ({ paymentId: payment.id, orderNum: order.orderNum })),
      ...again.map((payment) => ({ paymentId: payment.id, orderNum: payment.orderNum ?? '' })),
    ],
    skipped: refused.map(({ payment, why }) => ({
      paymentId: payment.id,
      reason: say(why.def.text, ctx.lang),
    })),
  }
}

const close: Handlers<Contract>['close'] = async (ctx, { id, remark }) => {
  type Row = { kind: 'UNKNOWN_RESULT'; state: 'OPEN'; orgId: number; orderNum: string }
  const row = found(
    await rowOf<Row>(ctx.db)`select kind, state, org_id as "orgId", order_num as "orderNum"
      from order_cases c
      where c.id = ${id} and ${visible(ctx, 'c.org_id', 'c.device_id')} for update`,
  )
  if (!closable(row)) throw new Refusal(common.stale)
  await sql`update order_cases set state = 'DONE', remark = ${remark}, handled_at = ${ctx.now},
    handled_by = ${ctx.actor.userId} where id = ${id}`.execute(ctx.db)
  ctx.audit({ id: row.orderNum, orgId: row.orgId, after: { kind: row.kind, remark } })
  ctx.touch('orders')
  return { ok: true }
}

export const handlers: Handlers<Contract> = {
  list: q.list,
  lanes: async (ctx, { deviceId }) => ({ list: await q.lanesOf(ctx, deviceId) }),
  supplement,
  syncBill,
  close,
}
