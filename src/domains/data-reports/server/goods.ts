import { type RawBuilder, sql } from 'kysely'
import { type Ctx, iso, may } from '../../../server/context.ts'
import { all } from '../../../server/lists.ts'
import { rowsOf } from '../../../server/rows.ts'
import type { Input, Output } from '../../../shared/contract.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { bi, say } from '../../../shared/text.ts'
import type { dataReports } from '../contract.ts'
import type { GoodsRow, GoodsSums, RankRow } from '../goodsContract.ts'
import {
  adviceOf,
  type Comparison,
  type Days,
  daysBefore,
  daysIn,
  daysOf,
  type GoodsGroup,
} from '../rules.ts'
import { productRows, type Where, withFolds, within } from './source.ts'

type Filter = Where & { categoryId?: number | undefined; productId?: number | undefined }
type Page = { page: number; pageSize: number; sort: string }
/** All that is known of a product: reports show parts of it. */
type Goods = Omit<GoodsRow & RankRow, 'advice'>

const unknown = bi('未知商品', 'Unknown product')
const sums = [
  ...(['salesNum', 'refundedPieces', 'turnover', 'productCost', 'payAmount'] as const),
  ...(['refundAmount', 'profit', 'service', 'grossProfit'] as const),
] as const satisfies readonly (keyof GoodsSums)[]
const costly = new Set<string>(['productCost', 'profit', 'grossProfit'])

const keys: Readonly<Record<GoodsGroup, (alias: string) => RawBuilder<unknown>>> = {
  PRODUCT: (alias) => sql`${sql.ref(`${alias}.product_id`)}::text`,
  CATEGORY: (alias) => sql`coalesce((select c.category_id from products c
    where c.id = ${sql.ref(`${alias}.product_id`)}), 0)::text`,
  PRODUCT_DEVICE: (alias) =>
    sql`${sql.ref(`${alias}.product_id`)} || '-' || ${sql.ref(`${alias}.device_id`)}`,
}

type Asked = Filter & { days: Days; mode: 'ALL' | 'BEST' | 'SLOW' }
const goodsOf = (ctx: Ctx, input: Asked, group: GoodsGroup, page: Page) =>
  withFolds(ctx, (until) => goodsUntil(ctx, { ...input, until }, group, page))

/** Goods of a period, their number and sums: what was sold of them, and the lanes they lie in now. */
async function goodsUntil(
  ctx: Ctx,
  input: Asked & { until: string },
  group: GoodsGroup,
  page: Page,
): Promise<{ list: Goods[]; total: number; sums: GoodsSums }> {
  const { days, mode, until } = input
  const key = keys[group]
  const seesCost = may(ctx, 'product:cost')
  const cost = (text: RawBuilder<unknown>) => (seesCost ? text : sql`null::bigint`)
  const chosen = (alias: string) =>
    all([
      input.productId && sql`${sql.ref(`${alias}.product_id`)} = ${input.productId}`,
      input.categoryId &&
        sql`${sql.ref(`${alias}.product_id`)} = any(array(select c.id from products c
          where c.category_id = ${input.categoryId}))`,
    ])
  const column = page.sort.replace(/^-/, '')
  const order =
    column === 'usual' || column === 'rank'
      ? sql`rank ${page.sort.startsWith('-') ? sql`desc` : sql`asc`}`
      : sql`${sql.ref(column)} ${page.sort.startsWith('-') ? sql`desc` : sql`asc`} nulls last, rank`
  const shown =
    mode === 'SLOW'
      ? sql`coalesce(b.vended, 0) = 0 and coalesce(l.stock, 0) > 0`
      : mode === 'BEST'
        ? sql`b.vended > 0`
        : sql`(b.orders, b.pieces, b.vended, b.turnover, b.paid, b.refunded, b.refunded_pieces,
            b.cost, b.fee) <> (0, 0, 0, 0, 0, 0, 0, 0, 0)`
  type Row = Goods & { total: number; sums: GoodsSums }
  const rows = await rowsOf<Row & { id: string | null }>(ctx.db)`
    with b as (select ${key('r')} as key, min(r.product_id) as product_id,
        min(r.device_id) as device_id, sum(r.orders)::bigint as orders,
        sum(r.pieces)::bigint as pieces, sum(r.vended)::bigint as vended,
        sum(r.turnover)::bigint as turnover, sum(r.paid)::bigint as paid,
        sum(r.refunded)::bigint as refunded, sum(r.refund_orders)::bigint as refund_orders,
        sum(r.refunded_pieces)::bigint as refunded_pieces, sum(r.cost)::bigint as cost,
        sum(r.fee)::bigint as fee
      from (${productRows(ctx, input, { days, until, byDevice: group === 'PRODUCT_DEVICE' }, chosen('r'))}) r
      group by 1),
      l as (select ${key('k')} as key, min(k.product_id) as product_id,
        min(k.device_id) as device_id, count(*) as lanes, count(distinct k.device_id) as devices,
        sum(k.quantity) as stock, sum(k.capacity) as capacity
      from lanes k where ${within(ctx, input, 'k')} and ${chosen('k')} and k.product_id is not null and k.archived_at is null
        group by 1),
      n as materialized (select key, coalesce(b.product_id, l.product_id) as product_id,
          coalesce(b.device_id, l.device_id) as device_id,
          coalesce(b.vended, 0) as "salesNum", coalesce(b.orders, 0) as "orderTotal",
          coalesce(b.refund_orders, 0) as "orderRefund",
          coalesce(b.refunded_pieces, 0) as "refundedPieces",
          coalesce(b.turnover, 0) as turnover, ${cost(sql`coalesce(b.cost, 0)`)} as "productCost",
          coalesce(b.paid, 0) as "payAmount", coalesce(b.refunded, 0) as "refundAmount",
          ${cost(sql`coalesce(b.paid - b.refunded - b.cost - b.fee, 0)`)} as profit,
          coalesce(b.fee, 0) as service,
          ${cost(sql`coalesce(b.paid - b.refunded - b.cost, 0)`)} as "grossProfit",
          ${cost(sql`case when b.paid > b.refunded then round((b.paid - b.refunded - b.cost)
            * 1000.0 / (b.paid - b.refunded))::int end`)} as margin,
          round(b.refunded_pieces * 1000.0 / nullif(b.pieces, 0))::int as "refundRate",
          coalesce(l.lanes, 0) as "laneCount", coalesce(l.devices, 0) as "deviceCount",
          coalesce(l.stock, 0) as stock, coalesce(l.capacity, 0) as capacity,
          round(coalesce(b.vended, 0) / ${daysIn(days)}::numeric, 1)::float8 as "dailySales",
          round(coalesce(b.vended, 0) / (${daysIn(days)}::numeric * nullif(l.lanes, 0)), 2)::float8
            as "laneSales",
          round(b.turnover * 1000.0 / nullif(sum(b.turnover) over (), 0))::int as share,
          row_number() over (order by ${mode === 'SLOW' ? sql`l.stock` : sql`b.vended`}
            desc nulls last, b.turnover desc nulls last, key) as rank
        from b full join l using (key) where ${shown}),
      named as materialized (select n.*,
          ${
            group === 'CATEGORY'
              ? sql`coalesce(c.name, ${say(unknown, ctx.lang)})`
              : sql`coalesce(p.name, ${say(unknown, ctx.lang)})`
          } as name from n left join products p on p.id = n.product_id
          left join product_categories c on c.id = p.category_id),
      t as (select count(*) as total, jsonb_build_object(${sql.join(
        sums.map((name) =>
          costly.has(name) && !seesCost
            ? sql`${sql.lit(name)}, null::bigint`
            : sql`${sql.lit(name)}, coalesce(sum(${sql.ref(name)}), 0)`,
        ),
      )}) as sums from n)
    select t.total, t.sums, x.key as id, x.name,
      ${group === 'CATEGORY' ? sql`''` : sql`coalesce(p.model, '')`} as model,
      coalesce(c.name, '') as "categoryName", coalesce(p.images[1], '') as img,
      ${group === 'PRODUCT_DEVICE' ? sql`d.rtu_number` : sql`null::text`} as "rtuNumber",
      x."salesNum", x."orderTotal", x."orderRefund", x."refundedPieces", x.turnover,
      x."productCost", x."payAmount", x."refundAmount", x.profit, x.service, x."grossProfit",
      x.margin, x."refundRate", x."laneCount", x."deviceCount", x.stock, x.capacity,
      x."dailySales", x."laneSales", x.share, x.rank,
      ${group === 'CATEGORY' ? sql`null::bigint` : sql`x.product_id`} as "productId",
      ${group === 'PRODUCT_DEVICE' ? sql`x.device_id` : sql`null::bigint`} as "deviceId"
    from t left join lateral (select *, row_number() over (order by ${order}) as at from named
      order by at limit ${page.pageSize} offset ${page.pageSize * (page.page - 1)}) x on true
    left join products p on p.id = x.product_id
    left join product_categories c on c.id = p.category_id
    left join devices d on d.id = x.device_id order by x.at`
  const [first] = rows as [Row]
  const list = rows.flatMap(({ total: _, sums: __, ...row }) => (row.id === null ? [] : [row]))
  return { list, total: first.total, sums: first.sums }
}

const goodsRow = (row: Goods): GoodsRow => {
  const { rank: _, img: __, share: ___, stock, capacity, laneSales, ...rest } = row
  return rest
}
const rankRow = (row: Goods, days: number): RankRow => ({
  rank: row.rank,
  img: row.img,
  id: row.id,
  name: row.name,
  model: row.model,
  categoryName: row.categoryName,
  rtuNumber: row.rtuNumber,
  salesNum: row.salesNum,
  turnover: row.turnover,
  share: row.share,
  orderRefund: row.orderRefund,
  deviceCount: row.deviceCount,
  laneCount: row.laneCount,
  stock: row.stock,
  capacity: row.capacity,
  margin: row.margin,
  dailySales: row.dailySales,
  laneSales: row.laneSales,
  advice: adviceOf({ ...row, days }),
  productId: row.productId,
})

export async function products(ctx: Ctx, input: Input<typeof dataReports.products>) {
  const days = daysOf(input, shanghaiDay(ctx.now))
  const { list, ...rest } = await goodsOf(
    ctx,
    { ...input, days, mode: 'ALL' },
    input.groupBy,
    input,
  )
  return { ...rest, list: list.map(goodsRow) }
}

/** What does not sell lies in a machine: elsewhere it may. */
const ofMode = (mode: 'BEST' | 'SLOW'): GoodsGroup =>
  mode === 'SLOW' ? 'PRODUCT_DEVICE' : 'PRODUCT'
export async function ranking(ctx: Ctx, input: Input<typeof dataReports.ranking>) {
  const days = daysOf(input, shanghaiDay(ctx.now))
  const { list, ...rest } = await goodsOf(ctx, { ...input, days }, ofMode(input.mode), input)
  return { ...rest, list: list.map((row) => rankRow(row, daysIn(days))) }
}

const barsShown = 12
async function summaryOf(
  ctx: Ctx,
  input: Filter & { from?: string | undefined; to?: string | undefined; compare: Comparison },
  group: GoodsGroup,
  mode: 'ALL' | 'BEST' | 'SLOW',
): Promise<Output<typeof dataReports.productsSummary>> {
  const days = daysOf(input, shanghaiDay(ctx.now))
  const read = (of: Days) =>
    goodsOf(ctx, { ...input, days: of, mode }, group, {
      page: 1,
      pageSize: barsShown,
      sort: 'rank',
    })
  const now = await read(days)
  const earlier = daysBefore(days, input.compare)
  const before = earlier && (await read(earlier))
  return {
    asOf: iso(ctx.now),
    ...days,
    sums: now.sums,
    before: before && earlier && { ...before.sums, ...earlier },
    bars: now.list.map(({ name, rtuNumber, salesNum, stock, turnover, margin }) => ({
      name: rtuNumber ? `${name} ${rtuNumber}` : name,
      salesNum: mode === 'SLOW' ? stock : salesNum,
      turnover,
      margin,
    })),
  }
}
export const productsSummary = (ctx: Ctx, input: Input<typeof dataReports.productsSummary>) =>
  summaryOf(ctx, input, input.groupBy, 'ALL')
export const rankingSummary = (ctx: Ctx, input: Input<typeof dataReports.rankingSummary>) =>
  summaryOf(ctx, input, ofMode(input.mode), input.mode)
