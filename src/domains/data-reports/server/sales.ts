import { type RawBuilder, sql } from 'kysely'
import { type Ctx, iso, may } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import type { Input, Output } from '../../../shared/contract.ts'
import { Refusal } from '../../../shared/errors.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { bi, say } from '../../../shared/text.ts'
import {
  type dataReports,
  reportErrors,
  type SalesRow,
  type SalesSums,
  salesFigures,
} from '../contract.ts'
import {
  type Days,
  daysBefore,
  daysIn,
  daysOf,
  mostChartDays,
  mostHourDays,
  type SalesGroup,
} from '../rules.ts'
import { salesRows, withFolds } from './source.ts'

type Summary = typeof dataReports.salesSummary
type Filter = Omit<Input<Summary>, 'compare'>
type Page = { page: number; pageSize: number; sort: string }

const ways = {
  WECHAT: bi('微信', 'WeChat Pay'),
  ALIPAY: bi('支付宝', 'Alipay'),
  CARD: bi('IC卡', 'IC card'),
  CASH: bi('现金', 'Cash'),
  BALANCE: bi('余额', 'Balance'),
}
const none = bi('未设门店', 'No store')
const moved = bi('已转出', 'Moved away')

type Kind = {
  key: RawBuilder<unknown>
  name: RawBuilder<unknown>
  join?: RawBuilder<unknown>
  /** Machines that sold: counted where rows are of machines. */
  devices?: RawBuilder<unknown>
  /** Whether its rows have their place in time. */
  time?: true
}
const distinct = sql`count(distinct x.device_id) filter (where x.orders > 0)`
/** What makes a row of each kind, and how it is called. */
const kinds: Readonly<Record<SalesGroup, (ctx: Ctx) => Kind>> = {
  DAY: () => ({
    key: sql`x.day`,
    name: sql`b.key`,
    devices: sql`sum(x.devices)`,
    time: true,
  }),
  WEEK: () => ({ key: sql`date_trunc('week', x.day)::date`, name: sql`b.key`, time: true }),
  MONTH: () => ({
    key: sql`date_trunc('month', x.day)::date`,
    name: sql`left(b.key, 7)`,
    devices: distinct,
    time: true,
  }),
  DEVICE: (ctx) => ({
    key: sql`x.device_id`,
    join: sql`left join devices d on d.id = b.key::bigint`,
    name: sql`coalesce(d.nickname, ${say(moved, ctx.lang)})`,
    devices: distinct,
  }),
  ORG: () => ({
    key: sql`x.org_id`,
    join: sql`left join organisations g on g.id = b.key::bigint`,
    name: sql`coalesce(g.name, '')`,
    devices: distinct,
  }),
  STORE: (ctx) => ({
    key: sql`coalesce((select d.store_id from devices d where d.id = x.device_id), 0)`,
    join: sql`left join stores s on s.id = b.key::bigint`,
    name: sql`case when b.key = '0' then ${say(none, ctx.lang)}
      else coalesce(s.store_name, ${say(moved, ctx.lang)}) end`,
    devices: distinct,
  }),
  PAY: (ctx) => ({
    key: sql`x.pay_type`,
    name: sql`case b.key ${sql.join(
      Object.entries(ways).map(([key, text]) => sql`when ${key} then ${say(text, ctx.lang)}`),
      sql` `,
    )} else b.key end`,
  }),
  HOUR: () => ({
    key: sql`lpad(x.hour::text, 2, '0')`,
    name: sql`b.key || ':00'`,
  }),
}

type Row = SalesRow & { total: number; sums: SalesSums }

const salesOf = (ctx: Ctx, input: Filter & { days: Days }, group: SalesGroup, page: Page) =>
  withFolds(ctx, (until) => salesUntil(ctx, { ...input, until }, group, page))

/** Rows, their number and the sums of all: figures are read once. */
async function salesUntil(
  ctx: Ctx,
  input: Filter & { days: Days; until: string },
  group: SalesGroup,
  page: Page,
): Promise<{ list: SalesRow[]; total: number; sums: SalesSums }> {
  const { days, until } = input
  if (group === 'HOUR' && daysIn(days) > mostHourDays) throw new Refusal(reportErrors.tooManyHours)
  if (input.productId && (group === 'HOUR' || group === 'PAY'))
    throw new Refusal(reportErrors.noProduct)
  const kind = kinds[group](ctx)
  const column = page.sort.replace(/^-/, '')
  const order =
    column === 'usual'
      ? kind.time
        ? sql`key desc`
        : group === 'HOUR'
          ? sql`key`
          : sql`turnover desc, key`
      : sql`${sql.ref(column)} ${page.sort.startsWith('-') ? sql`desc` : sql`asc`} nulls last, key`
  const cost = (text: RawBuilder<unknown>) => (may(ctx, 'product:cost') ? text : sql`null::bigint`)
  const names = salesFigures.map((name) => sql.ref(name))
  const rows = await rowsOf<Row & { id: string | null }>(ctx.db)`
    with b as (select (${kind.key})::text as key, ${kind.devices ?? sql`null::bigint`} as devices,
        sum(x.orders)::bigint as orders, sum(x.refund_orders)::bigint as refund_orders,
        sum(x.turnover)::bigint as turnover, sum(x.paid)::bigint as paid,
        sum(x.refunded)::bigint as refunded, sum(x.cost)::bigint as cost, sum(x.fee)::bigint as fee
      from (${salesRows(ctx, input, { days, until, group })}) x group by ${kind.key}),
      n as materialized (select b.key, ${kind.name} as name,
          ${group === 'DEVICE' ? sql`d.rtu_number` : sql`null::text`} as "rtuNumber",
          ${kind.time ? sql`b.key` : sql`null::text`} as "createTime", b.devices as "deviceNum",
          b.orders as "orderTotal", b.refund_orders as "orderRefund", b.turnover,
          ${cost(sql`b.cost`)} as "productCost", b.paid as "payAmount",
          b.refunded as "refundAmount",
          ${cost(sql`b.paid - b.refunded - b.cost - b.fee`)} as profit, b.fee as service,
          ${cost(sql`b.paid - b.refunded - b.cost`)} as "grossProfit"
        from b ${kind.join ?? sql``}
        where (b.orders, b.refund_orders, b.turnover, b.paid, b.refunded, b.cost, b.fee)
          <> (0, 0, 0, 0, 0, 0, 0)),
      t as (select count(*) as total, jsonb_build_object(${sql.join(
        salesFigures.map((name) =>
          isCost(name) && !may(ctx, 'product:cost')
            ? sql`${sql.lit(name)}, null::bigint`
            : sql`${sql.lit(name)}, coalesce(sum(${sql.ref(name)}), 0)`,
        ),
      )}) as sums from n)
    select t.total, t.sums, p.key as id, p.name, p."rtuNumber", p."createTime", p."deviceNum",
      ${sql.join(names)}, ${group === 'ORG' ? sql`p.key::bigint` : sql`null::bigint`} as "orgId",
      ${group === 'DEVICE' ? sql`p.key::bigint` : sql`null::bigint`} as "deviceId"
    from t left join lateral (select *, row_number() over (order by ${order}) as at from n
      order by at limit ${page.pageSize} offset ${page.pageSize * (page.page - 1)}) p on true
    order by p.at`
  const [{ total, sums }] = rows as [Row]
  const list = rows.flatMap(({ total: _, sums: __, ...row }) => (row.id === null ? [] : [row]))
  return { list, total, sums }
}
const isCost = (name: string) =>
  name === 'productCost' || name === 'profit' || name === 'grossProfit'

export const sales = (ctx: Ctx, input: Input<typeof dataReports.sales>) =>
  salesOf(ctx, { ...input, days: daysOf(input, shanghaiDay(ctx.now)) }, input.groupBy, input)

const chartRows = 12
/** Sums of a period beside those of the one before, and what the chart shows. */
export async function salesSummary(ctx: Ctx, input: Input<Summary>): Promise<Output<Summary>> {
  const days = daysOf(input, shanghaiDay(ctx.now))
  const time = kinds[input.groupBy](ctx).time ?? false
  const unit = time
    ? input.groupBy === 'DAY' && daysIn(days) > mostChartDays
      ? 'MONTH'
      : input.groupBy
    : input.groupBy
  const size = time || unit === 'HOUR' ? 400 : chartRows
  const read = (of: Days) =>
    salesOf(ctx, { ...input, days: of }, unit, { page: 1, pageSize: size, sort: 'usual' })
  const now = await read(days)
  const earlier = daysBefore(days, input.compare)
  const before = earlier && (await read(earlier))
  const points = ({ list }: Awaited<ReturnType<typeof read>>, of: Days) => {
    const known = new Map(list.map((row) => [row.id, row]))
    const keys = time ? keysOf(of, unit) : list.map(({ id }) => id)
    return keys.map((key) => {
      const row = known.get(key)
      return {
        key,
        name: row?.name ?? (unit === 'MONTH' ? key.slice(0, 7) : key),
        orderTotal: row?.orderTotal ?? 0,
        turnover: row?.turnover ?? 0,
        refundAmount: row?.refundAmount ?? 0,
      }
    })
  }
  return {
    asOf: iso(ctx.now),
    ...days,
    sums: now.sums,
    before: before && earlier && { ...before.sums, ...earlier },
    points: points(now, days),
    beforePoints: before && earlier && time ? points(before, earlier) : null,
  }
}

/** Days, weeks or months of a period, those without sales too. */
export function keysOf({ from, to }: Days, unit: string): string[] {
  const keys: string[] = []
  for (let day = from; day <= to; day = addDays(day, 1)) {
    const monday = addDays(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7))
    const key = unit === 'MONTH' ? `${day.slice(0, 7)}-01` : unit === 'WEEK' ? monday : day
    if (keys.at(-1) !== key) keys.push(key)
  }
  return keys
}
