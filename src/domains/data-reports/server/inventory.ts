import { type RawBuilder, sql } from 'kysely'
import { type Ctx, iso, may } from '../../../server/context.ts'
import { all } from '../../../server/lists.ts'
import { rowsOf } from '../../../server/rows.ts'
import type { Input, Output } from '../../../shared/contract.ts'
import { Refusal } from '../../../shared/errors.ts'
import { addDays, shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import { bi, say } from '../../../shared/text.ts'
import { delivers } from '../../accounts/rules.ts'
import type { dataReports } from '../contract.ts'
import { type Days, daysBefore, daysIn, daysOf } from '../rules.ts'
import {
  type StockGroup,
  type StockRow,
  type StockSums,
  stockErrors,
  stockFigures,
} from '../stockContract.ts'
import { type Where, within } from './source.ts'

type Summary = typeof dataReports.inventorySummary
type Filter = Where & {
  categoryId?: number | undefined
  productId?: number | undefined
  days: Days
}
type Page = { page: number; pageSize: number; sort: string }
type Row = StockRow & { total: number; sums: StockSums }

const unknown = bi('未知商品', 'Unknown product')
const noBatch = bi('未登记批次', 'No batch known')
/** Stock of a day that is over is made of what came and went since: so far back. */
const oldestDays = 731
/** A lane is seldom sold out for longer. */
const longestOut = 366
const soonDays = 30

/** Goods that were asked for, of rows that say their product. */
const chosen = (input: Filter, alias: string) =>
  all([
    input.productId && sql`${sql.ref(`${alias}.product_id`)} = ${input.productId}`,
    input.categoryId &&
      sql`${sql.ref(`${alias}.product_id`)} = any(array(select c.id from products c
        where c.category_id = ${input.categoryId}))`,
  ])

/** A supplier sees the goods he delivered wherever they lie, without prices or holds of others. */
const supplied = (input: Filter) =>
  all([chosen(input, 's'), input.deviceId && sql`s.device_id = ${input.deviceId}`])
const suppliedLayers = sql`(select y.*, b.product_id, b.batch_no, b.expires_on
  from supplied_layers(null) y join batches b on b.id = y.batch_id)`

/** What lanes hold now, by machine, product and, where they are asked for, batch. */
function lanes(ctx: Ctx, input: Filter, byBatch: boolean): RawBuilder<unknown> {
  if (delivers(ctx.actor.home))
    return sql`select s.device_id, s.product_id, ${byBatch ? sql`s.batch_id` : sql`0::bigint`} as batch_id,
        max(s.rtu_number) as rtu, count(distinct s.lane_id) as lanes, 0 as capacity,
        sum(s.qty) as quantity, null::bigint as reserved, null::bigint as held,
        null::numeric as retail, 0::numeric as asked
      from ${suppliedLayers} s where ${supplied(input)} group by 1, 2, 3`
  const where = sql`${within(ctx, input, 'l')} and ${chosen(input, 'l')}
    and l.archived_at is null and l.product_id is not null`
  const layers = sql`cross join lateral (
      select coalesce(y.batch_id, 0) as batch_id, y.qty from lane_layers y
        where y.lane_id = l.id and l.layered
      union all select 0, l.quantity where not l.layered and l.quantity > 0) q`
  return byBatch
    ? sql`select l.device_id, l.product_id, q.batch_id, null as rtu, count(distinct l.id) as lanes,
        0 as capacity, sum(q.qty) as quantity, null::bigint as reserved, null::bigint as held,
        sum(q.qty * l.price) as retail, 0::numeric as asked
      from lanes l ${layers} where ${where} group by 1, 2, 3`
    : sql`select l.device_id, l.product_id, 0::bigint as batch_id, null as rtu, count(*) as lanes,
        sum(l.capacity) as capacity, sum(l.quantity) as quantity, sum(l.reserved) as reserved,
        sum(l.failed_hold) as held, sum(l.quantity * l.price) as retail, avg(l.price) as asked
      from lanes l where ${where} group by 1, 2`
}

/**
 * What came and went from a day on, by machine, product and day: of machines that are their owner's,
 * since somebody gave them to him. What happened before is not his.
 */
function flows(ctx: Ctx, input: Filter): RawBuilder<unknown> {
  const { from } = input.days
  if (delivers(ctx.actor.home))
    return sql`select s.device_id, s.product_id, (s.created_at at time zone 'Asia/Shanghai')::date as day,
        case s.type when 'MERCHANT_REPLENISH' then s.change_total else 0 end as replenished,
        case s.type when 'CUSTOMER_TAKE' then -s.change_total else 0 end as taken,
        case s.type when 'MERCHANT_WITHDRAW' then -s.change_total else 0 end as withdrawn,
        s.rtu_number as rtu
      from supplied_flows(${startOfDay(from)}, ${ctx.now}) s where ${supplied(input)}`
  const rows = (
    table: string,
  ) => sql`select m.device_id, m.product_id, m.day, m.replenished, m.taken,
      m.withdrawn, null as rtu
    from ${sql.table(table)} m join devices d on d.id = m.device_id and d.org_id = m.org_id
    left join device_owner_history h on h.device_id = m.device_id and upper_inf(h.valid)
      and h.org_id = m.org_id and h.by_user is not null
    where m.day >= ${from}::date and ${within(ctx, input, 'm')} and ${chosen(input, 'm')}
      and (h.id is null or m.day >= (lower(h.valid) at time zone 'Asia/Shanghai')::date)`
  return sql`${rows('stock_days')} union all ${rows('stock_day_changes')}`
}

const keys: Readonly<Record<StockGroup, RawBuilder<unknown>>> = {
  DEVICE: sql`x.device_id::text`,
  PRODUCT: sql`x.product_id::text`,
  CATEGORY: sql`coalesce(g.category_id, 0)::text`,
  BATCH: sql`x.product_id || '-' || x.batch_id`,
}
/** By lane: hours of the period in which it was sold out. */
const soldOut = (ctx: Ctx, input: Filter, until: RawBuilder<unknown>) => {
  const from = sql`${startOfDay(input.days.from)}::timestamptz`
  return sql`select w.device_id, l.product_id, sum(extract(epoch from
      least(coalesce(w.closed_at, ${until}), ${until}) - greatest(w.opened_at, ${from}))) / 3600.0
      as hours
    from stock_warnings w join lanes l on l.id = w.lane_id and l.product_id is not null
    where w.kind = 'SOLD_OUT' and ${within(ctx, input, 'w')} and ${chosen(input, 'l')}
      and w.opened_at >= ${startOfDay(addDays(input.days.from, -longestOut))}
      and w.opened_at < ${until} and coalesce(w.closed_at, ${until}) > ${from}
    group by 1, 2`
}
const expiring = (ctx: Ctx, input: Filter, byBatch: boolean) => {
  const soon = sql`${addDays(shanghaiDay(ctx.now), soonDays)}::date`
  const batch = (alias: string) => (byBatch ? sql.ref(`${alias}.batch_id`) : sql`0::bigint`)
  return delivers(ctx.actor.home)
    ? sql`select s.device_id, s.product_id, ${batch('s')} as batch_id, sum(s.qty) as qty
        from ${suppliedLayers} s where s.expires_on <= ${soon} and ${supplied(input)} group by 1, 2, 3`
    : sql`select l.device_id, l.product_id, ${batch('y')} as batch_id, sum(y.qty) as qty
        from lane_layers y join lanes l on l.id = y.lane_id join batches b on b.id = y.batch_id
        where b.expires_on <= ${soon} and ${within(ctx, input, 'y')} and ${chosen(input, 'l')}
        group by 1, 2, 3`
}

async function stockOf(ctx: Ctx, input: Filter, group: StockGroup, page: Page) {
  const today = shanghaiDay(ctx.now)
  const { days } = input
  if (days.from < addDays(today, -oldestDays)) throw new Refusal(stockErrors.tooOld)
  const byBatch = group === 'BATCH'
  const present = days.to >= today
  if (byBatch && !present) throw new Refusal(stockErrors.batchesNow)
  const supplier = delivers(ctx.actor.home)
  const until = present
    ? sql`${ctx.now}::timestamptz`
    : sql`${startOfDay(addDays(days.to, 1))}::timestamptz`
  const now = (text: RawBuilder<unknown>) => (present && !supplier ? text : sql`null::bigint`)
  const known = (text: RawBuilder<unknown>) => (byBatch ? sql`null::bigint` : text)
  const column = page.sort.replace(/^-/, '')
  const order =
    column === 'usual'
      ? sql`stock desc, key`
      : sql`${sql.ref(column)} ${page.sort.startsWith('-') ? sql`desc` : sql`asc`} nulls last, key`
  const product = group === 'PRODUCT' || byBatch
  const rows = await rowsOf<Row & { id: string | null }>(ctx.db)`
    with l as materialized (${lanes(ctx, input, byBatch)}),
      m as (select f.device_id, f.product_id, 0::bigint as batch_id, max(f.rtu) as rtu,
        sum(f.replenished - f.taken - f.withdrawn) filter (where f.day > ${days.to}::date) as later,
        sum(f.replenished) filter (where f.day <= ${days.to}::date) as replenished,
        sum(f.taken) filter (where f.day <= ${days.to}::date) as taken,
        sum(f.withdrawn) filter (where f.day <= ${days.to}::date) as withdrawn
      from (${flows(ctx, input)}) f where ${byBatch ? sql`false` : sql`true`} group by 1, 2),
      w as (${supplier || byBatch ? sql`select 0::bigint as device_id, 0::bigint as product_id, 0.0 as hours where false` : soldOut(ctx, input, until)}),
      e as (${expiring(ctx, input, byBatch)}),
      x as (select device_id, product_id, batch_id, coalesce(l.rtu, m.rtu) as rtu,
          coalesce(l.lanes, 0) as lanes, coalesce(l.capacity, 0) as capacity,
          coalesce(l.quantity, 0) - coalesce(m.later, 0) as stock, l.quantity, l.reserved, l.held,
          l.retail, l.asked, coalesce(m.replenished, 0) as replenished,
          coalesce(m.taken, 0) as taken, coalesce(m.withdrawn, 0) as withdrawn
        from l full join m using (device_id, product_id, batch_id)),
      b as (select ${keys[group]} as key, min(x.device_id) as device_id,
          min(x.product_id) as product_id, min(x.batch_id) as batch_id, max(x.rtu) as rtu,
          sum(x.lanes)::bigint as lanes, sum(x.capacity)::bigint as capacity,
          sum(x.stock)::bigint as stock, sum(x.reserved)::bigint as reserved,
          sum(x.held)::bigint as held, sum(x.replenished)::bigint as replenished,
          sum(x.taken)::bigint as taken, sum(x.withdrawn)::bigint as withdrawn,
          sum(x.stock * g.cost_price)::bigint as cost,
          sum(case when x.stock = x.quantity then x.retail
            else round(x.stock * coalesce(x.asked, g.retail_price)) end)::bigint as retail,
          coalesce(sum(e.qty), 0)::bigint as expiring, coalesce(sum(w.hours), 0) as hours
        from x left join products g on g.id = x.product_id
          left join e using (device_id, product_id, batch_id)
          left join w using (device_id, product_id)
        where (x.stock, x.lanes, x.replenished, x.taken, x.withdrawn) <> (0, 0, 0, 0, 0)
        group by 1),
      n as materialized (select b.key, b.device_id, b.product_id, b.batch_id, b.rtu,
          b.lanes as "laneCount", b.capacity, b.stock, ${now(sql`coalesce(b.reserved, 0)`)} as reserved,
          ${now(sql`coalesce(b.held, 0)`)} as "failedHold",
          ${now(sql`greatest(0, b.stock - coalesce(b.reserved, 0) - coalesce(b.held, 0))`)} as sellable,
          ${may(ctx, 'product:cost') && !supplier ? sql`b.cost` : sql`null::bigint`} as "costAmount",
          ${supplier ? sql`null::bigint` : sql`b.retail`} as "retailAmount", b.expiring,
          round(b.hours::numeric, 1)::float8 as "outHours",
          round(b.stock * 1000.0 / nullif(b.capacity, 0))::int as "fullRate",
          ${known(sql`round(b.taken / ${daysIn(days)}::numeric, 1)::float8`)} as "dailySales",
          ${known(sql`round(b.stock * ${daysIn(days)}::numeric / nullif(b.taken, 0), 1)::float8`)}
            as "daysLeft",
          ${known(sql`b.stock - b.replenished + b.taken + b.withdrawn`)} as opening,
          ${known(sql`b.replenished`)} as replenished, ${known(sql`b.taken`)} as taken,
          ${known(sql`b.withdrawn`)} as withdrawn
        from b),
      named as materialized (select n.*, ${
        group === 'DEVICE'
          ? sql`coalesce(d.nickname, n.rtu, '')`
          : group === 'CATEGORY'
            ? sql`coalesce(c.name, ${say(unknown, ctx.lang)})`
            : sql`coalesce(p.name, ${say(unknown, ctx.lang)})`
      } as name, ${group === 'DEVICE' ? sql`coalesce(d.rtu_number, n.rtu)` : sql`null::text`} as "rtuNumber",
          ${product ? sql`coalesce(p.model, '')` : sql`''`} as model,
          ${byBatch ? sql`case n.batch_id when 0 then ${say(noBatch, ctx.lang)} else y.batch_no end` : sql`null::text`}
            as "batchNo"
        from n left join products p on p.id = n.product_id
          left join product_categories c on c.id = p.category_id
          left join devices d on d.id = n.device_id left join batches y on y.id = n.batch_id),
      t as (select count(*) as total, jsonb_build_object(${sql.join(
        stockFigures.map((figure) =>
          nullable.has(figure)
            ? sql`${sql.lit(figure)}, sum(${sql.ref(figure)})`
            : sql`${sql.lit(figure)}, coalesce(sum(${sql.ref(figure)}), 0)`,
        ),
      )}) as sums from n)
    select t.total, t.sums, x.key as id, x.name, x."rtuNumber", x.model, x."batchNo",
      ${sql.join(stockFigures.map((figure) => sql`x.${sql.ref(figure)}`))}, x."fullRate",
      x."dailySales", x."daysLeft",
      ${group === 'DEVICE' ? sql`x.device_id` : sql`null::bigint`} as "deviceId",
      ${product ? sql`x.product_id` : sql`null::bigint`} as "productId"
    from t left join lateral (select *, row_number() over (order by ${order}) as at from named
      order by at limit ${page.pageSize} offset ${page.pageSize * (page.page - 1)}) x on true
    order by x.at`
  const [first] = rows as [Row]
  const list = rows.flatMap(({ total: _, sums: __, ...row }) => (row.id === null ? [] : [row]))
  const sums = { ...first.sums, outHours: Math.round(first.sums.outHours * 10) / 10 }
  return { list, total: first.total, sums }
}
const nullable = new Set<string>([
  ...(['reserved', 'failedHold', 'sellable', 'costAmount', 'retailAmount'] as const),
  ...(['opening', 'replenished', 'taken', 'withdrawn'] as const),
])

export const inventory = (ctx: Ctx, input: Input<typeof dataReports.inventory>) =>
  stockOf(ctx, { ...input, days: daysOf(input, shanghaiDay(ctx.now)) }, input.groupBy, input)

const sumsOnly = { page: 1, pageSize: 1, sort: 'usual' }
export async function inventorySummary(ctx: Ctx, input: Input<Summary>): Promise<Output<Summary>> {
  const days = daysOf(input, shanghaiDay(ctx.now))
  const now = await stockOf(ctx, { ...input, days }, input.groupBy, sumsOnly)
  // batches have no past
  const earlier = input.groupBy === 'BATCH' ? null : daysBefore(days, input.compare)
  const told = earlier && earlier.from >= addDays(shanghaiDay(ctx.now), -oldestDays)
  const before = told
    ? await stockOf(ctx, { ...input, days: earlier }, input.groupBy, sumsOnly)
    : null
  return {
    asOf: iso(ctx.now),
    ...days,
    sums: now.sums,
    before: before && earlier && { ...before.sums, ...earlier },
    points: await byDay(ctx, { ...input, days }, now.sums.stock),
  }
}

/** Stock at the end of each day, from that at the end of the last one backwards. */
async function byDay(ctx: Ctx, input: Filter, last: number): Promise<Output<Summary>['points']> {
  const { from, to } = input.days
  const found = await rowsOf<{ day: string; replenished: number; left: number }>(ctx.db)`
    select f.day::text, sum(f.replenished)::bigint as replenished,
      sum(f.taken + f.withdrawn)::bigint as left
    from (${flows(ctx, input)}) f where f.day <= ${to}::date group by 1`
  const known = new Map(found.map((row) => [row.day, row]))
  const points: Output<Summary>['points'] = []
  let stock = last
  for (let day = to; day >= from; day = addDays(day, -1)) {
    const { replenished = 0, left = 0 } = known.get(day) ?? {}
    points.push({ day, stock, replenished, left })
    stock += left - replenished
  }
  return points.reverse()
}
