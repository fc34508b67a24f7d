import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { countedDays } from '../../../server/counted.ts'
import { rowOf } from '../../../server/rows.ts'
import { isoText } from '../../../server/shapes.ts'
import { nothingStands, type Standing, type Stands, standing } from '../../../server/standing.ts'
import { addDays, shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import { bi } from '../../../shared/text.ts'
import { orders } from '../contract.ts'

/** Older ones are not put right any more. */
const shownDays = 30
const days = (now: Date) => ({
  from: addDays(shanghaiDay(now), 1 - shownDays),
  to: shanghaiDay(now),
})
const within = (from: string, to: string) => sql`o.order_status = 'ABNORMAL' and not o.excluded
  and o.created_at >= ${startOfDay(from)} and o.created_at < ${startOfDay(addDays(to, 1))}`

/** By the counts that are kept by day; a reader of single machines has few orders, which are read. */
async function abnormal(ctx: Ctx): Promise<Stands> {
  const { from, to } = days(ctx.now)
  const mine = visible(ctx, 'o.org_id', 'o.device_id')
  const kinds = sql`c.kind = 'ABNORMAL'`
  const kept = await countedDays(ctx.db, { list: 'orders', ctx, from, to, kinds })
  if (!kept)
    return standing(
      ctx.db,
      sql`select o.paid_amount - o.refunded_amount, o.created_at from orders o
        where ${mine} and ${within(from, to)}`,
    )
  const first = kept.find(({ rows }) => rows > 0)
  if (!first) return nothingStands
  const oldest = await rowOf<{ since: string | null }>(ctx.db)`
    select ${isoText(sql`min(o.created_at)`)} as since from orders o
    where ${mine} and ${within(first.day, first.day)}`
  return {
    count: kept.reduce((sum, { rows }) => sum + rows, 0),
    value: kept.reduce((sum, { amount, refunded }) => sum + amount - refunded, 0),
    since: oldest?.since ?? null,
  }
}

export const standings: readonly Standing[] = [
  {
    key: 'abnormalOrders',
    title: bi('出货异常订单', 'Orders with vend problems'),
    tone: 'fault',
    list: orders.list,
    filter: (now) => ({ orderStatus: 'ABNORMAL', ...days(now) }),
    page: '/order/order-list',
    act: ['order:refund', 'order:resolve', 'order:vend'],
    money: 'order:money',
    per: 'ONCE',
    measure: abnormal,
  },
]
