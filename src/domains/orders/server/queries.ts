import { type RawBuilder, sql } from 'kysely'
import { type Ctx, iso, isoOrNull, may, nameFor, visible } from '../../../server/context.ts'
import { all, selectPage } from '../../../server/lists.ts'
import type { Input } from '../../../shared/contract.ts'
import { dayOfOrderNumber } from '../../../shared/ids.ts'
import { addDays, shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import { settingOf } from '../../settings/server/values.ts'
import type { OrderDetail, OrderRow, orders } from '../contract.ts'
import { type PayState, type RefundState, refundable, type VendState } from '../rules.ts'

type Row = {
  id: number
  org_id: number
  created_at: Date
  order_num: string
  img: string
  detail: string
  pieces: number
  device_id: number
  rtu_number: string
  device_name: string
  owner: string
  total_amount: number
  discount_amount: number
  paid_amount: number
  refunded_amount: number
  cost_amount: number
  pay_type: OrderRow['payType']
  order_type: OrderRow['orderType']
  order_status: OrderRow['orderStatus']
  pay_state: PayState
  fail_reason: string | null
  consumer: string
  paid_at: Date | null
  final_at: Date | null
  channel: 'MACHINE' | 'ONLINE'
}
const columns = sql`o.id, o.org_id, o.created_at, o.order_num, o.img, o.detail, o.pieces, o.device_id, o.rtu_number, o.device_name, g.name as owner, o.total_amount, o.discount_amount,
  o.paid_amount, o.refunded_amount, o.cost_amount, o.pay_type, o.order_type, o.order_status, o.pay_state, o.fail_reason, o.consumer, o.paid_at, o.final_at, o.channel`

type Filter = Input<typeof orders.statistics>

/** The filter of list and statistics. Unpaid and closed orders show only when asked for; test sales never count as orders. */
function conditions(ctx: Ctx, input: Filter): RawBuilder<unknown>[] {
  const today = shanghaiDay(ctx.now)
  const wholeNumber = input.keyword && /^\d{20}$/.test(input.keyword) ? input.keyword : null
  const from = wholeNumber ? dayOfOrderNumber(wholeNumber) : (input.from ?? addDays(input.to ?? today, -6))
  const to = wholeNumber ? from : (input.to ?? today)
  const number = input.keyword && !wholeNumber ? input.keyword.toUpperCase() : null
  return [
    visible(ctx, 'o.org_id', 'o.device_id'),
    sql`o.created_at >= ${startOfDay(from)} and o.created_at < ${startOfDay(addDays(to, 1))}`,
    input.orderStatus ? sql`o.order_status = ${input.orderStatus}` : sql`o.order_status in ('PAID','SHIPPED','ABNORMAL','REFUNDED','SUCCESS')`,
    sql`not o.excluded`,
    ...(wholeNumber ? [sql`o.order_num = ${wholeNumber}`] : []),
    ...(number ? [sql`(o.rtu_number = ${number} or right(o.order_num, ${number.length}) = ${number})`] : []),
    ...(input.deviceId ? [sql`o.device_id = ${input.deviceId}`] : []),
    ...(input.orgId ? [sql`o.org_id in (select b.id from organisations a join organisations b on b.path <@ a.path where a.id = ${input.orgId})`] : []),
    ...(input.payType ? [sql`o.pay_type = ${input.payType}`] : []),
    ...(input.orderType ? [sql`o.order_type = ${input.orderType}`] : []),
    ...(input.failReason ? [sql`o.fail_reason = ${input.failReason}`] : []),
    ...(input.amountMin !== undefined ? [sql`o.paid_amount >= ${input.amountMin}`] : []),
    ...(input.amountMax !== undefined ? [sql`o.paid_amount <= ${input.amountMax}`] : []),
  ]
}

export async function listOrders(ctx: Ctx, input: Input<typeof orders.list>): Promise<{ list: OrderRow[]; total: number }> {
  const { rows, total } = await selectPage<Row>(ctx.db, {
    columns,
    from: sql`orders o join organisations g on g.id = o.org_id`,
    countFrom: sql`orders o`,
    where: conditions(ctx, input),
    sort: { createTime: sql`o.created_at`, actuallyAmount: sql`o.paid_amount` },
    filled: ['createTime', 'actuallyAmount'],
    last: sql`o.id`,
    input,
  })
  return { list: rows.map((row) => present(ctx, row)), total }
}

function present(ctx: Ctx, row: Row): OrderRow {
  return {
    orderNum: row.order_num,
    img: row.img,
    detail: row.detail,
    pieces: row.pieces,
    deviceId: row.device_id,
    deviceNum: row.rtu_number,
    name: row.device_name,
    totalAmount: row.total_amount,
    actuallyAmount: row.paid_amount,
    refundedAmount: row.refunded_amount,
    costPrice: may(ctx, 'product:cost') ? row.cost_amount : null,
    payType: row.pay_type,
    orderType: row.order_type,
    orderStatus: row.order_status,
    failReason: row.fail_reason,
    userName: masked(row.consumer),
    ownedUserName: row.owner,
    createTime: iso(row.created_at),
    can: { refund: may(ctx, 'order:refund') && row.paid_amount > row.refunded_amount },
  }
}

/** A consumer is shown by the last four of his name at the provider. */
const masked = (consumer: string) => (consumer ? `***${consumer.slice(-4)}` : '')

export async function statistics(ctx: Ctx, input: Filter) {
  const { rows } = await sql<{ amount: number; count: number; refund: number; cost: number; abnormal: number }>`
    select coalesce(sum(o.paid_amount), 0)::bigint as amount, count(*) as count, coalesce(sum(o.refunded_amount), 0)::bigint as refund, coalesce(sum(o.cost_amount), 0)::bigint as cost,
      count(*) filter (where o.order_status = 'ABNORMAL') as abnormal
    from orders o where ${all(conditions(ctx, input))}`.execute(ctx.db)
  const row = rows[0] ?? { amount: 0, count: 0, refund: 0, cost: 0, abnormal: 0 }
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

/** The order's key, when the actor may see it; the day in the number prunes partitions. */
export async function visibleOrder(ctx: Ctx, orderNum: string): Promise<Row | undefined> {
  const day = dayOfOrderNumber(orderNum)
  if (Number.isNaN(Date.parse(day))) return undefined
  const { rows } = await sql<Row>`select ${columns} from orders o join organisations g on g.id = o.org_id
    where o.order_num = ${orderNum} and o.created_at >= ${startOfDay(day)} and o.created_at < ${startOfDay(addDays(day, 1))} and ${visible(ctx, 'o.org_id', 'o.device_id')}`.execute(
    ctx.db,
  )
  return rows[0]
}

type UnitRow = {
  id: number
  unit_no: number
  road: number | null
  product_name: string
  model: string
  img: string
  drug_class: string
  list_price: number
  discount: number
  paid: number
  cost: number
  vend_state: VendState
  hold: string
  fail_reason: string | null
  drop_confirmed: boolean
  late_success: boolean
  sent_at: Date | null
  acked_at: Date | null
  finished_at: Date | null
  refund_state: RefundState | null
  refund_no: string | null
  refund_amount: number
  reason: string
  automatic: boolean
  attempts: number
  last_error: string | null
  next_at: Date | null
  succeeded_at: Date | null
}

export async function orderDetail(ctx: Ctx, row: Row): Promise<OrderDetail> {
  const { rows: units } = await sql<UnitRow>`
    select u.id, u.unit_no, u.road, u.product_name, u.model, u.img, u.drug_class, u.list_price, u.discount, u.paid, u.cost, u.vend_state, u.hold, u.fail_reason, u.drop_confirmed, u.late_success,
      u.sent_at, u.acked_at, u.finished_at, u.refund_state, r.refund_no, r.amount as refund_amount, r.reason, r.automatic, r.attempts, r.last_error, r.next_at, r.succeeded_at
    from order_units u left join refunds r on r.unit_id = u.id
    where u.org_id = ${row.org_id} and u.created_at = ${row.created_at} and u.order_id = ${row.id} order by u.unit_no`.execute(ctx.db)
  const { rows: payments } = await sql<{
    provider: string
    out_trade_no: string
    provider_trade_no: string | null
    amount: number
    fee_amount: number
    state: string
    paid_at: Date | null
  }>`
    select provider, out_trade_no, provider_trade_no, amount, fee_amount, state, paid_at from payments where order_id = ${row.id} order by applied desc, id limit 1`.execute(
    ctx.db,
  )
  const { rows: events } = await sql<{ id: number; created_at: Date; kind: string; unit_no: number | null; actor: string; data: Record<string, unknown> }>`
    select id, created_at, kind, unit_no, actor, data from order_events where order_id = ${row.id} and created_at >= ${row.created_at} order by created_at desc, id desc limit 200`.execute(
    ctx.db,
  )
  const cost = may(ctx, 'product:cost')
  const ageDays = (ctx.now.getTime() - row.created_at.getTime()) / 86_400_000
  const refundDays = await settingOf(ctx.db, row.org_id, 'order.refundDays')
  const money = (unit: UnitRow) => ({
    vendState: unit.vend_state,
    refundState: unit.refund_state,
    dropConfirmed: unit.drop_confirmed,
    drugClass: unit.drug_class,
  })
  const payment = payments[0]
  return {
    ...present(ctx, row),
    discountAmount: row.discount_amount,
    paidAt: isoOrNull(row.paid_at),
    finalAt: isoOrNull(row.final_at),
    payState: row.pay_state,
    userId: masked(row.consumer),
    channel: row.channel,
    payment: payment
      ? {
          provider: payment.provider,
          outTradeNo: payment.out_trade_no,
          tradeNo: payment.provider_trade_no,
          amount: payment.amount,
          fee: payment.fee_amount,
          state: payment.state,
          paidAt: isoOrNull(payment.paid_at),
        }
      : null,
    list: [...Map.groupBy(units, (unit) => unit.road)].map(([road, own]) => ({
      count: own.length,
      road,
      refund: own.filter((u) => u.refund_state === 'SUCCESS').length,
      orderStatus: row.order_status,
      orderType: row.order_type,
    })),
    units: units.map((unit) => ({
      id: unit.id,
      unitNo: unit.unit_no,
      road: unit.road,
      productName: unit.product_name,
      model: unit.model,
      img: unit.img,
      drugClass: unit.drug_class,
      price: unit.list_price,
      discount: unit.discount,
      paid: unit.paid,
      cost: cost ? unit.cost : null,
      vendState: unit.vend_state,
      failReason: unit.fail_reason,
      dropConfirmed: unit.drop_confirmed,
      lateSuccess: unit.late_success,
      held: unit.hold === 'FAILED_HOLD',
      sentAt: isoOrNull(unit.sent_at),
      ackedAt: isoOrNull(unit.acked_at),
      finishedAt: isoOrNull(unit.finished_at),
      refund:
        unit.refund_no && unit.refund_state
          ? {
              refundNo: unit.refund_no,
              amount: unit.refund_amount,
              state: unit.refund_state,
              reason: unit.reason,
              automatic: unit.automatic,
              attempts: unit.attempts,
              lastError: unit.last_error,
              nextAt: isoOrNull(unit.next_at),
              succeededAt: isoOrNull(unit.succeeded_at),
            }
          : null,
      canRefund:
        may(ctx, 'order:refund') && row.order_type !== 'TEST' && refundable(money(unit), { payState: row.pay_state, ageDays, refundDays }, 'QUALITY') === null,
    })),
    timeline: events.map((event) => ({
      id: event.id,
      at: iso(event.created_at),
      kind: event.kind,
      unitNo: event.unit_no,
      actor: nameFor(ctx, row.org_id, event.actor.includes('-') ? masked(event.actor) : event.actor),
      data: event.data,
    })),
  }
}
