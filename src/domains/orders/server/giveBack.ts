import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, visible } from '../../../server/context.ts'
import { isProven } from '../../../server/proof.ts'
import { rowsOf } from '../../../server/rows.ts'
import { platformOrg } from '../../../shared/access.ts'
import { common, type ErrorDef, fieldRefusal, Refusal, reject } from '../../../shared/errors.ts'
import { dayMs } from '../../../shared/instants.ts'
import { settingOf } from '../../settings/server/values.ts'
import { orderErrors, type orders } from '../contract.ts'
import { type RefundReason, refundable } from '../rules.ts'
import { takeCases } from './cases.ts'
import * as q from './queries.ts'
import { openRefunds } from './refunds.ts'
import { lockOrders, type Order, relabel, type Unit } from './rows.ts'

/** Money back by a person: chosen pieces of one order, or what did not leave of many. */

type Contract = typeof orders

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

type Judge = (unit: Unit) => ErrorDef | null
/** Whether a piece of this order can be given back for this reason now. */
export async function judgeOf(ctx: Ctx, order: Order, reason: RefundReason): Promise<Judge> {
  // nothing was paid for a test
  if (order.orderType === 'TEST') return () => orderErrors.nothingToRefund
  const context = {
    payState: order.payState,
    ageDays: (ctx.now.getTime() - order.createdAt.getTime()) / dayMs,
    refundDays: await settingOf(ctx.db, order.orgId, 'order.refundDays'),
  }
  return (unit) => {
    const refusal = refundable(unit, context, reason)
    // a refund that is under way: somebody was a moment earlier, and what this person saw is no
    // longer so
    return refusal === orderErrors.alreadyRefunded && unit.refundState !== 'SUCCESS'
      ? common.stale
      : refusal
  }
}

export type GivenBack = { order: Order; units: readonly Unit[]; wanted: readonly Unit[] }
/**
 * Pieces that were judged go back by the original way; the worker sends them. `units` are all those
 * of their orders.
 */
export async function giveBack(
  ctx: Ctx,
  given: readonly GivenBack[],
  why: { reason: string; remark: string },
): Promise<void> {
  const wanted = given.flatMap((one) => one.wanted)
  await countRefund(ctx, sumOf(wanted))
  await openRefunds(ctx, wanted, { ...why, automatic: false, userId: ctx.actor.userId })
  for (const { order, units } of given) relabel(ctx, [order], units)
  takeCases(
    ctx,
    given.map(({ order }) => order.id),
  )
  ctx.touch(
    'orders',
    given.map(({ order }) => order),
  )
}
export const sumOf = (units: readonly Unit[]): number =>
  units.reduce((sum, unit) => sum + unit.paid, 0)

const entryOf = (
  { order, wanted }: GivenBack,
  { reason, remark }: { reason: string; remark: string },
) => ({
  id: order.orderNum,
  orgId: order.orgId,
  after: { units: wanted.map((unit) => unit.unitNo), amount: sumOf(wanted), reason, remark },
})

export const refund: Handlers<Contract>['refund'] = async (ctx, input) => {
  const row = found(await q.visibleOrder(ctx, input.orderNum))
  const { orders: locked, units } = await lockOrders(ctx, [
    { orgId: row.orgId, at: new Date(row.createTime), id: row.id },
  ])
  const order = found(locked[0])
  const judge = await judgeOf(ctx, order, input.reason)
  const wanted = input.unitIds
    ? input.unitIds.map((id) => found(units.find((unit) => unit.id === id)))
    : units.filter((unit) => judge(unit) === null)
  if (!wanted.length)
    reject(judge(units[0] as (typeof units)[number]) ?? orderErrors.nothingToRefund)
  for (const unit of wanted) reject(judge(unit))
  await giveBack(ctx, [{ order, units, wanted }], input)
  ctx.audit(entryOf({ order, units, wanted }, input))
  return q.orderDetail(ctx, found(await q.visibleOrder(ctx, input.orderNum)))
}

/** Where these orders lie, as far as the actor sees them; all of them or none. */
export async function keysOf(ctx: Ctx, numbers: readonly string[]) {
  const keys = await rowsOf<{ orgId: number; at: Date; id: number }>(ctx.db)`
    select o.org_id as "orgId", o.created_at as at, o.id from order_keys k
    join orders o on o.org_id = k.org_id and o.created_at = k.created_at and o.id = k.order_id
    where k.order_num = any(${[...numbers]}::text[]) and ${visible(ctx, 'o.org_id', 'o.device_id')}`
  if (keys.length < new Set(numbers).size) throw new Refusal(common.notFound)
  return keys
}

/** Whether an order was abnormal: somebody else may have put it right while a person decided. */
const wasAbnormal = (units: readonly Unit[]): boolean =>
  units.some(
    ({ vendState, attempt, lateSuccess, manual }) =>
      ['FAILED', 'VOID'].includes(vendState) || attempt > 1 || lateSuccess || manual,
  )

/**
 * Of abnormal orders what did not leave, together as it was confirmed: where one of them changed
 * since, nothing happens and the person looks again. One that never was abnormal is named.
 */
export const batchRefund: Handlers<Contract>['batchRefund'] = async (ctx, input) => {
  const { orders: locked, units } = await lockOrders(ctx, await keysOf(ctx, input.orderNums))
  const given: GivenBack[] = []
  for (const order of locked) {
    const refuse = (def: ErrorDef) => fieldRefusal(def, `orderNums.${order.orderNum}`)
    const judge = await judgeOf(ctx, order, input.reason)
    const own = units.filter((unit) => unit.orderId === order.id)
    const unsent = own.filter((unit) => unit.vendState === 'FAILED' || unit.vendState === 'VOID')
    const wanted = unsent.filter((unit) => judge(unit) === null)
    if (order.orderStatus !== 'ABNORMAL')
      throw !input.dryRun && wasAbnormal(own)
        ? new Refusal(common.stale)
        : refuse(orderErrors.onlyAbnormal)
    const why = unsent[0] && judge(unsent[0])
    if (!wanted.length) throw refuse(why ?? orderErrors.nothingToRefund)
    given.push({ order, units: own, wanted })
  }
  const pieces = given.flatMap(({ wanted }) => wanted)
  const answer = { orders: given.length, pieces: pieces.length, amount: sumOf(pieces) }
  if (input.dryRun) {
    ctx.audit()
    return answer
  }
  if (input.amount !== undefined && input.amount !== answer.amount) throw new Refusal(common.stale)
  await giveBack(ctx, given, input)
  ctx.audit(...given.map((one) => entryOf(one, input)))
  return answer
}
