import { type RawBuilder, sql } from 'kysely'
import { type Ctx, iso, visible } from '../../../server/context.ts'
import { all, answerOf } from '../../../server/lists.ts'
import { onlyRow, rowsOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import type { Input, Output } from '../../../shared/contract.ts'
import { addDays, shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import { bi, say } from '../../../shared/text.ts'
import { BuyerRow, type BuyerSums } from '../buyersContract.ts'
import type { dataReports } from '../contract.ts'
import { type Days, daysBefore, daysOf, minDay } from '../rules.ts'
import { below, salesRows, withFolds } from './source.ts'

type Trend = typeof dataReports.buyersTrend
const never = '2000-01-01'
const moved = bi('已转出', 'Moved away')

/** Figures of buyers end with the last day that is added up; before there is one, with yesterday. */
async function lastDay(ctx: Ctx): Promise<string> {
  const { until } = await onlyRow<{ until: string }>(ctx.db)`select until::text from buyers_folded`
  const yesterday = addDays(shanghaiDay(ctx.now), -1)
  return until <= never ? yesterday : minDay(addDays(until, -1), yesterday)
}
const placed = (ctx: Ctx, orgId: number | undefined, alias: string) =>
  all([
    visible(ctx, `${alias}.org_id`, `${alias}.device_id`),
    orgId && sql`${sql.ref(`${alias}.org_id`)} = ${below(orgId)}`,
  ])

const buyer = (ctx: Ctx) =>
  shape(BuyerRow, ['buyers', 'b'], {
    userName: sql`'***' || b.tail`,
    payType: sql<BuyerRow['payType']>`b.pay_type`,
    firstOrderTime: sql`b.first_at`,
    lastOrderTime: sql`b.last_at`,
    orderTotal: sql`b.orders`,
    payAmount: sql`b.paid`,
    refundAmount: sql`b.refunded`,
    orderRefund: sql`b.refund_orders`,
    machine: sql`coalesce(d.nickname, ${say(moved, ctx.lang)})`,
    rtuNumber: sql`d.rtu_number`,
    orgName: sql`coalesce(o.name, '')`,
  })
export async function buyers(ctx: Ctx, input: Input<typeof dataReports.buyers>) {
  const days = daysOf(input, await lastDay(ctx))
  const { rows, ...found } = await buyer(ctx).page(ctx.db, {
    from: sql`buyers b left join devices d on d.id = b.machine_id and d.org_id = b.org_id
      left join organisations o on o.id = b.org_id`,
    countFrom: sql`buyers b`,
    input,
    last: sql`b.id`,
    grows: true,
    sort: { lastOrderTime: sql`b.last_at` },
    filled: ['lastOrderTime'],
    where: [
      placed(ctx, input.orgId, 'b'),
      sql`b.last_at >= ${startOfDay(days.from)} and b.last_at < ${startOfDay(addDays(days.to, 1))}`,
    ],
  })
  return answerOf(found, rows)
}

/** Whoever sees all reads the days of all; a buyer of two organisations is one of each. */
const counted = (ctx: Ctx, orgId: number | undefined): RawBuilder<unknown> =>
  ctx.actor.scope.all && !orgId
    ? sql`c.org_id = 0`
    : all([placed(ctx, orgId, 'c'), sql`c.org_id > 0`])

async function sumsOf(ctx: Ctx, orgId: number | undefined, days: Days): Promise<BuyerSums> {
  const bought = await onlyRow<{ buyers: number; newBuyers: number }>(ctx.db)`
    select coalesce(sum(c.buyers) filter (where c.gap = 0 or c.day - c.gap < ${days.from}::date), 0)
        ::bigint as buyers,
      coalesce(sum(c.buyers) filter (where c.gap = 0), 0)::bigint as "newBuyers"
    from buyer_days c where ${counted(ctx, orgId)} and c.day >= ${days.from}::date
      and c.day <= ${days.to}::date`
  const sold = await withFolds(
    ctx,
    (until) => onlyRow<{ orders: number; paid: number }>(ctx.db)`
      select coalesce(sum(x.orders), 0)::bigint as orders, coalesce(sum(x.paid), 0)::bigint as paid
      from (${salesRows(ctx, { orgId }, { days, until, group: 'DAY' })}) x`,
  )
  const { buyers: all_, newBuyers } = bought
  return {
    buyers: all_,
    newBuyers,
    returnRate: all_ ? Math.round(((all_ - newBuyers) * 1000) / all_) : null,
    orderTotal: sold.orders,
    payAmount: sold.paid,
    average: sold.orders ? Math.round(sold.paid / sold.orders) : null,
  }
}

export async function buyersTrend(ctx: Ctx, input: Input<Trend>): Promise<Output<Trend>> {
  const last = await lastDay(ctx)
  const days = daysOf(input, last)
  const earlier = daysBefore(days, input.compare)
  const sums = await sumsOf(ctx, input.orgId, days)
  const before = earlier && { ...(await sumsOf(ctx, input.orgId, earlier)), ...earlier }
  const found = await rowsOf<{ day: string; newBuyers: number; returning: number }>(ctx.db)`
    select c.day::text, coalesce(sum(c.buyers) filter (where c.gap = 0), 0)::bigint as "newBuyers",
      coalesce(sum(c.buyers) filter (where c.gap > 0), 0)::bigint as returning
    from buyer_days c where ${counted(ctx, input.orgId)} and c.day >= ${days.from}::date
      and c.day <= ${days.to}::date group by 1`
  const known = new Map(found.map((row) => [row.day, row]))
  const points: Output<Trend>['points'] = []
  for (let day = days.from; day <= days.to; day = addDays(day, 1))
    points.push(known.get(day) ?? { day, newBuyers: 0, returning: 0 })
  return { asOf: iso(startOfDay(addDays(last, 1))), ...days, sums, before, points }
}
