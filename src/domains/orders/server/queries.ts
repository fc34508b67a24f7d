import { type RawBuilder, sql } from 'kysely'
import { type Ctx, may, nameFor, visible } from '../../../server/context.ts'
import { type Counted, countedDays, saysOnly } from '../../../server/counted.ts'
import { all, answerOf } from '../../../server/lists.ts'
import { onlyRow, rowOf, rowsOf } from '../../../server/rows.ts'
import { isoText, type Rows, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import * as f from '../../../shared/fields.ts'
import { dayOfOrderNumber } from '../../../shared/ids.ts'
import { addDays, dayMs, shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import { settingOf } from '../../settings/server/values.ts'
import { OrderDetail, OrderRow, OrderUnit, type orders } from '../contract.ts'
import { refundable, resolvable, revendable } from '../rules.ts'

/** A consumer is shown by the last four of his name at the provider. */
const masked = (consumer: RawBuilder<unknown>) =>
  sql`case when ${consumer} = '' then '' else '***' || right(${consumer}, 4) end`
const said = (ctx: Ctx) => ({
  deviceNum: sql`o.rtu_number`,
  name: sql`o.device_name`,
  actuallyAmount: sql`o.paid_amount`,
  costPrice: may(ctx, 'product:cost') ? sql`o.cost_amount` : sql`null`,
  roads: sql`(select coalesce(array_agg(distinct u.road order by u.road), '{}') from order_units u
    where u.org_id = o.org_id and u.created_at = o.created_at and u.order_id = o.id
      and u.road is not null)`,
  userName: masked(sql`o.consumer`),
  ownedUserName: sql`g.name`,
  createTime: sql`o.created_at`,
  can: sql`jsonb_build_object('refund', ${may(ctx, 'order:refund')}::boolean
    and o.paid_amount > o.refunded_amount, 'vend', ${may(ctx, 'order:vend')}::boolean
    and o.order_status = 'ABNORMAL' and o.order_type <> 'TEST')`,
})
const listed = (ctx: Ctx) => shape(OrderRow, ['orders', 'o'], said(ctx))
const whole = (ctx: Ctx) =>
  shape(
    OrderDetail.extend({ id: f.id, orgId: f.id }),
    ['orders', 'o'],
    { ...said(ctx), userId: masked(sql`o.consumer`) },
    ['payment', 'list', 'units', 'registered', 'complaints', 'timeline'],
  )
const joins = sql`join organisations g on g.id = o.org_id`
const from = sql`orders o ${joins}`

type Filter = Input<typeof orders.statistics>

const below = (column: string, orgId: number | undefined) =>
  orgId &&
  sql`${sql.ref(column)} in (select b.id from organisations a join organisations b
    on b.path <@ a.path where a.id = ${orgId})`

function daysOf(ctx: Ctx, input: Filter, wholeNumber: string | null) {
  const to = input.to ?? shanghaiDay(ctx.now)
  if (!wholeNumber) return { from: input.from ?? addDays(to, -6), to }
  const day = dayOfOrderNumber(wholeNumber)
  return { from: day, to: day }
}

/** An order can be paid for 15 minutes; an hour is more than enough. */
const payableMs = 3_600_000
const shownStates = ['PAID', 'SHIPPED', 'ABNORMAL', 'REFUNDED', 'SUCCESS']
/** The counts of the same orders, while the filter says nothing else. */
function counted(ctx: Ctx, input: Filter): Counted | null {
  if (!saysOnly(input, ['from', 'to', 'orderStatus', 'includeCleaned', 'orgId'])) return null
  const { orderStatus, includeCleaned, orgId } = input
  const states = orderStatus ? [orderStatus] : shownStates
  const kinds = [...states, ...(includeCleaned ? states.map((state) => `-${state}`) : [])]
  return {
    ...{ list: 'orders', ctx, ...daysOf(ctx, input, null) },
    below: below('c.org_id', orgId),
    kinds: sql`c.kind = any(${kinds}::text[])`,
  }
}

/**
 * The filter of list and statistics. Unpaid and closed orders show only when asked for; test sales
 * never count as orders.
 */
function conditions(ctx: Ctx, input: Filter) {
  const wholeNumber = input.keyword && /^\d{20}$/.test(input.keyword) ? input.keyword : null
  const { from, to } = daysOf(ctx, input, wholeNumber)
  const number = input.keyword && !wholeNumber ? input.keyword.toUpperCase() : null
  const inDays = (column: string, early = 0) =>
    sql`${sql.ref(column)} >= ${new Date(startOfDay(from).getTime() - early)}
    and ${sql.ref(column)} < ${startOfDay(addDays(to, 1))}`
  // what is paid behind midnight was ordered shortly before it
  const early = input.byPayment ? payableMs : 0
  return [
    visible(ctx, 'o.org_id', 'o.device_id'),
    inDays('o.created_at', early),
    input.byPayment && sql`${inDays('o.paid_at')} and o.order_type <> 'TEST'`,
    input.ownerId && sql`o.org_id = ${input.ownerId}`,
    input.orderStatus
      ? sql`o.order_status = ${input.orderStatus}`
      : sql`o.order_status in ('PAID','SHIPPED','ABNORMAL','REFUNDED','SUCCESS')`,
    !input.includeCleaned && sql`not o.excluded`,
    wholeNumber && sql`o.order_num = ${wholeNumber}`,
    number && sql`(o.rtu_number = ${number} or right(o.order_num, ${number.length}) = ${number})`,
    input.deviceId && sql`o.device_id = ${input.deviceId}`,
    below('o.org_id', input.orgId),
    input.storeId &&
      sql`o.device_id in (select d.id from devices d where d.store_id = ${input.storeId})`,
    input.productId &&
      sql`exists (select from order_units u where u.org_id = o.org_id
        and u.created_at = o.created_at and u.order_id = o.id and u.product_id = ${input.productId}
        and ${inDays('u.created_at', early)})`,
    input.channel && sql`o.channel = ${input.channel}`,
    input.consumer && sql`right(o.consumer, ${input.consumer.length}) = ${input.consumer}`,
    input.partRefunded && sql`o.pay_state = 'PART_REFUNDED'`,
    input.payType && sql`o.pay_type = ${input.payType}`,
    input.orderType && sql`o.order_type = ${input.orderType}`,
    input.failReason && sql`o.fail_reason = ${input.failReason}`,
    input.amountMin !== undefined && sql`o.paid_amount >= ${input.amountMin}`,
    input.amountMax !== undefined && sql`o.paid_amount <= ${input.amountMax}`,
  ]
}

export async function listOrders(
  ctx: Ctx,
  input: Input<typeof orders.list>,
): Promise<{ list: OrderRow[]; total: number; more?: true }> {
  const known = counted(ctx, input)
  const { rows, ...found } = await listed(ctx).page(ctx.db, {
    from,
    countFrom: sql`orders o`,
    late: { name: 'o', joins },
    where: conditions(ctx, input),
    grows: true,
    counted: known && { ...known, by: 'createTime' },
    sort: { createTime: sql`o.created_at`, actuallyAmount: sql`o.paid_amount` },
    filled: ['createTime', 'actuallyAmount'],
    last: sql`o.id`,
    input,
  })
  return answerOf(found, rows)
}

type Sums = { amount: number; count: number; refund: number; cost: number; abnormal: number }

/** From the counts, where these know; else the orders of the days that were asked for. */
async function sums(ctx: Ctx, input: Filter): Promise<Sums> {
  const known = counted(ctx, input)
  const kinds = known && (await countedDays(ctx.db, known, sql`c.kind`))
  if (kinds) {
    const add = (of: 'rows' | 'amount' | 'refunded' | 'cost', only = /./) =>
      kinds.reduce((sum, kind) => sum + (only.test(kind.day) ? kind[of] : 0), 0)
    return {
      ...{ amount: add('amount'), count: add('rows'), refund: add('refunded'), cost: add('cost') },
      abnormal: add('rows', /ABNORMAL/),
    }
  }
  return onlyRow<Sums>(ctx.db)`
    select coalesce(sum(o.paid_amount), 0)::bigint as amount, count(*) as count,
      coalesce(sum(o.refunded_amount), 0)::bigint as refund,
      coalesce(sum(o.cost_amount), 0)::bigint as cost,
      count(*) filter (where o.order_status = 'ABNORMAL') as abnormal
    from orders o where ${all(conditions(ctx, input))}`
}

export async function statistics(ctx: Ctx, input: Filter) {
  const row = await sums(ctx, input)
  const money = may(ctx, 'order:money')
  const cost = money && may(ctx, 'product:cost')
  return {
    orderAmount: money ? row.amount : null,
    orderCount: row.count,
    orderIncome: money ? row.amount - row.refund : null,
    orderCost: cost ? row.cost : null,
    orderRefund: money ? row.refund : null,
    orderProfit: cost ? row.amount - row.refund - row.cost : null,
    abnormal: row.abnormal,
  }
}

/** The order, when the actor may see it; the day in the number prunes partitions. */
export async function visibleOrder(ctx: Ctx, orderNum: string) {
  const day = dayOfOrderNumber(orderNum)
  if (Number.isNaN(Date.parse(day))) return undefined
  return whole(ctx).one(
    ctx.db,
    sql`from ${from} where o.order_num = ${orderNum} and o.created_at >= ${startOfDay(day)}
      and o.created_at < ${startOfDay(addDays(day, 1))}
      and ${visible(ctx, 'o.org_id', 'o.device_id')}`,
  )
}
type Seen = Rows<typeof whole>

const unit = (ctx: Ctx, orgId: number) =>
  shape(
    OrderUnit.extend({
      unknownAt: f.instant.nullable(),
      refundState: OrderUnit.shape.refund.unwrap().shape.state.nullable(),
    }),
    ['order_units', 'u'],
    {
      price: sql`u.list_price`,
      cost: may(ctx, 'product:cost') ? sql`u.cost` : sql`null`,
      held: sql`u.hold = 'FAILED_HOLD'`,
      refund: sql`case when r.id is not null
        and u.refund_state is not null then jsonb_build_object('refundNo', r.refund_no, 'amount',
          r.amount,
        'state', u.refund_state, 'reason', r.reason, 'automatic', r.automatic, 'attempts',
        r.attempts - r.waited, 'lastError', r.last_error,
        'nextAt', ${isoText('r.next_at')}, 'succeededAt', ${isoText('r.succeeded_at')}) end`,
      unknownAt: sql`c.unknown_at`,
      resolution: sql`case when v.id is not null then jsonb_build_object('dispensed', v.dispensed,
        'evidence', v.evidence, 'images', v.images, 'by', ${nameFor(ctx, orgId, sql`w.username`)},
        'at', ${isoText('v.created_at')}) end`,
    },
    ['canRefund', 'canVend', 'canResolve'],
  )
const payment = shape(OrderDetail.shape.payment.unwrap(), ['payments', 'p'], {
  tradeNo: sql`p.provider_trade_no`,
  fee: sql`p.fee_amount`,
})
const event = (ctx: Ctx, orgId: number) =>
  shape(OrderDetail.shape.timeline.element, ['order_events', 'e'], {
    at: sql`e.created_at`,
    actor: nameFor(
      ctx,
      orgId,
      sql`case when strpos(e.actor, '-') > 0 then ${masked(sql`e.actor`)} else e.actor end`,
    ),
    data: sql`e.data`,
  })

export async function orderDetail(ctx: Ctx, { id, orgId, ...order }: Seen): Promise<OrderDetail> {
  const at = new Date(order.createTime)
  const units = await unit(ctx, orgId).all(
    ctx.db,
    sql`from order_units u left join refunds r on r.unit_id = u.id
      left join vend_commands c on c.unit_id = u.id and c.attempt = u.attempt
      left join vend_resolutions v on v.cmd_id = c.cmd_id left join users w on w.id = v.user_id
      where u.org_id = ${orgId} and u.created_at = ${at} and u.order_id = ${id} order by u.unit_no`,
  )
  const paid = await payment.one(
    ctx.db,
    sql`from payments p where p.order_id = ${id} order by p.applied desc, p.id limit 1`,
  )
  const timeline = await event(ctx, orgId).all(
    ctx.db,
    sql`from order_events e where e.order_id = ${id} and e.created_at >= ${at}
      order by e.created_at desc, e.id desc limit 200`,
  )
  const complained = may(ctx, 'complaint:read')
    ? await rowsOf<{ id: number; content: string }>(ctx.db)`
        select c.id, c.content from complaints c where c.order_num = ${order.orderNum} and c.deleted_at is null
          and ${visible(ctx, 'c.org_id', 'c.device_id')} order by c.id desc limit 5`
    : []
  const registered = units.some(({ drugClass }) => drugClass !== 'NONE')
    ? await rowOf<{ buyer: string; card: string }>(ctx.db)`
        select buyer, card from special_purchases where order_id = ${id} limit 1`
    : undefined
  const { orderStatus, orderType, payState } = order
  const context = {
    payState,
    ageDays: (ctx.now.getTime() - at.getTime()) / dayMs,
    refundDays: await settingOf(ctx.db, orgId, 'order.refundDays'),
  }
  const mayOf = (right: string) => may(ctx, right) && orderType !== 'TEST'
  const [mayRefund, mayVend] = [mayOf('order:refund'), mayOf('order:vend')]
  const mayResolve = may(ctx, 'order:resolve')
  return {
    ...order,
    payment: paid ?? null,
    list: [...Map.groupBy(units, ({ road }) => road)].map(([road, own]) => {
      const refund = own.filter(({ refundState }) => refundState === 'SUCCESS').length
      return { count: own.length, road, refund, orderStatus, orderType }
    }),
    units: units.map(({ refundState, unknownAt, ...one }) => {
      const facts = { ...one, refundState, unknownAt: unknownAt ? new Date(unknownAt) : null }
      return {
        ...one,
        canRefund: mayRefund && refundable(facts, context, 'QUALITY') === null,
        canVend: mayVend && revendable(facts, order) === null,
        canResolve: mayResolve && resolvable(facts, ctx.now) === null,
      }
    }),
    registered: registered ?? null,
    complaints: complained,
    timeline,
  }
}
