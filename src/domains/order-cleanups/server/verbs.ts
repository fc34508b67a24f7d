import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import type { Ctx } from '../../../server/context.ts'
import { answerOf } from '../../../server/lists.ts'
import { within } from '../../../server/within.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { liesAt, lockOrders, type Order, places } from '../../orders/server/rows.ts'
import { cleanupErrors, type orderCleanups } from '../contract.ts'
import { moveFigures } from './figures.ts'
import * as q from './queries.ts'

type Contract = typeof orderCleanups

/** By one act; each is locked with its pieces. */
const most = 1000

/** All of these numbers, or none. */
async function named(ctx: Ctx, numbers: readonly string[]) {
  const keys = await q.named(ctx, numbers)
  if (keys.length < new Set(numbers).size) throw new Refusal(common.notFound)
  return keys
}

const sumOf = (orders: readonly { totalAmount: number }[]) => ({
  orders: orders.length,
  amount: orders.reduce((sum, { totalAmount }) => sum + totalAmount, 0),
})

/** Marks locked orders, moves the figures with them and keeps who did it, when and why. */
async function mark(
  ctx: Ctx,
  orders: readonly Order[],
  action: 'CLEAN' | 'RESTORE',
  reason: string,
): Promise<ReturnType<typeof sumOf>> {
  if (orders.length) {
    const moments = orders.map(({ createdAt }) => createdAt)
    await sql`with marked as (
      update orders o set excluded = ${action === 'CLEAN'} from ${places(orders)}
      where ${liesAt('o')} and ${within('o.created_at', moments)}
      returning o.org_id, o.device_id, o.created_at, o.id, o.order_num)
      insert into order_cleanups (org_id, device_id, order_at, order_id, order_num, action, reason,
        user_id, created_at)
      select org_id, device_id, created_at, id, order_num, ${action}, ${reason},
        ${ctx.actor.userId}::bigint, ${ctx.now}::timestamptz from marked order by id`.execute(
      ctx.db,
    )
    await moveFigures(ctx, orders, action === 'CLEAN' ? -1 : 1)
    ctx.touch('orders', orders)
  }
  ctx.audit(
    ...orders.map(({ orderNum, orgId, totalAmount }) => ({
      id: orderNum,
      orgId,
      after: { reason, amount: totalAmount },
    })),
  )
  return sumOf(orders)
}

const clean: Handlers<Contract>['clean'] = async (ctx, { orderNums, filter, reason, dryRun }) => {
  const keys = filter ? await q.fitting(ctx, filter, most) : await named(ctx, orderNums ?? [])
  if (keys.length > most) throw new Refusal(cleanupErrors.tooMany)
  if (dryRun && filter) {
    ctx.audit()
    return sumOf(keys)
  }
  const { orders } = keys.length ? await lockOrders(ctx, keys) : { orders: [] }
  const fits = ({ paidAmount, refundedAmount }: Order) => paidAmount === refundedAmount
  // what a filter found may have been paid or cleaned since: it is left out
  const fitting = orders.filter((order) => fits(order) && !order.excluded)
  if (!filter) {
    if (!orders.every(fits)) throw fieldRefusal(cleanupErrors.paid, 'orderNums')
    if (fitting.length < orders.length) throw new Refusal(common.stale)
  }
  if (!dryRun) return mark(ctx, fitting, 'CLEAN', reason)
  ctx.audit()
  return sumOf(fitting)
}

const restore: Handlers<Contract>['restore'] = async (ctx, { orderNums }) => {
  const { orders } = await lockOrders(ctx, await named(ctx, orderNums))
  if (!orders.every((order) => order.excluded)) throw new Refusal(common.stale)
  return mark(ctx, orders, 'RESTORE', '')
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, ...found } = await q.list(ctx, input)
    return answerOf(found, rows)
  },
  clean,
  restore,
}
