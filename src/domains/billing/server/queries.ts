import { type RawBuilder, sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { all } from '../../../server/lists.ts'
import { rowsOf } from '../../../server/rows.ts'
import type { Input } from '../../../shared/contract.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { bi, say } from '../../../shared/text.ts'
import type { BillRow, BillSums, billing } from '../contract.ts'
import { type Dimension, spansOf, usualDays } from '../rules.ts'

type Filter = Input<typeof billing.summary>
type List = Input<typeof billing.bills>

/** The platform sees everything; naming organisations keeps its reads on their indexes. */
const scoped = (ctx: Ctx, org: string, device: string): RawBuilder<boolean> =>
  ctx.actor.scope.all
    ? sql<boolean>`${sql.ref(org)} = any(array(select id from organisations))`
    : visible(ctx, org, device)

export function rangeOf(ctx: Ctx, { from, to }: Filter): { from: string; to: string } {
  const last = to ?? (from ? addDays(from, usualDays - 1) : shanghaiDay(ctx.now))
  return { from: from ?? addDays(last, 1 - usualDays), to: last }
}

const below = (org: number) =>
  sql`any(array(select b.id from organisations a join organisations b on b.path <@ a.path
    where a.id = ${org}))`

/** Rows of figures within the filter; `owner` names the organisation whose sales they are of. */
function conditions(ctx: Ctx, input: Filter, alias: string, owner: string) {
  const name = (column: string) => sql.ref(`${alias}.${column}`)
  const { from, to } = rangeOf(ctx, input)
  const spans = spansOf(from, to, shanghaiDay(ctx.now), input.dimension === 'DAY')
  return all([
    scoped(ctx, `${alias}.${owner}`, `${alias}.device_id`),
    sql`(${sql.join(
      spans.map(
        (span) => sql`${name('grain')} = ${span.grain} and ${name('day')} >= ${span.from}::date
          and ${name('day')} <= ${span.to}::date`,
      ),
      sql` or `,
    )})`,
    input.orgId && sql`${name(owner)} = ${below(input.orgId)}`,
    input.deviceId && sql`${name('device_id')} = ${input.deviceId}`,
    input.payType && sql`${name('pay_type')} = ${input.payType}`,
    input.provider && sql`${name('provider')} = ${input.provider}`,
  ])
}

/** What makes a row of each kind, and how it is called. */
const kinds: Readonly<
  Record<
    Dimension,
    (
      ctx: Ctx,
      owner: string,
    ) => {
      key: RawBuilder<unknown>
      join: RawBuilder<unknown>
      name: RawBuilder<unknown>
      identifier: RawBuilder<unknown>
      order: RawBuilder<unknown>
    }
  >
> = {
  ORG: (_ctx, owner) => ({
    key: sql`x.${sql.ref(owner)}`,
    join: sql`left join organisations g on g.id = b.key`,
    name: sql`coalesce(g.name, '')`,
    identifier: sql`coalesce(g.code, '')`,
    order: sql`price desc, key`,
  }),
  DEVICE: () => ({
    key: sql`x.device_id`,
    join: sql`left join devices d on d.id = b.key`,
    name: sql`coalesce(d.nickname, '')`,
    identifier: sql`coalesce(d.rtu_number, '')`,
    order: sql`price desc, key`,
  }),
  // a merchant that stands above is not shown to those below
  MERCHANT: (ctx) => ({
    key: sql`x.config_id`,
    join: sql`left join payment_configs c on c.id = b.key and ${visible(ctx, 'c.org_id')}`,
    name: sql`case when b.key = 0 then ${say(simulated, ctx.lang)} else coalesce(c.merchant_name,
      ${say(above, ctx.lang)}) end`,
    identifier: sql`coalesce(c.mch_id, '')`,
    order: sql`price desc, key`,
  }),
  DAY: () => ({
    key: sql`x.day`,
    join: sql``,
    name: sql`to_char(b.key, 'YYYY-MM-DD')`,
    identifier: sql`to_char(b.key, 'YYYY-MM-DD')`,
    order: sql`key desc`,
  }),
}
const simulated = bi('模拟支付', 'Simulated payments')
const above = bi('上级收款商户', 'A merchant above')

type Sums = { total: number; sums: BillSums }
type Read = Sums & { list: BillRow[] }

/** Rows, their number and sums of the whole filter: figures are read once. */
export async function bills(
  ctx: Ctx,
  input: Filter,
  page?: Pick<List, 'page' | 'pageSize' | 'sort'>,
): Promise<Read> {
  const kind = kinds[input.dimension]
  const own = kind(ctx, 'org_id')
  const sum = (column: string) =>
    sql`sum(x.${sql.ref(input.byOrder ? `ordered_${column}` : column)})::bigint`
  const keyword = input.keyword
    ? sql`strpos(lower(name || ' ' || identifier), lower(${input.keyword})) > 0`
    : sql`true`
  const sort = page?.sort ?? 'usual'
  const column = sort.replace(/^-/, '')
  const order =
    column === 'usual'
      ? own.order
      : sql`${sql.ref(column)} ${sort.startsWith('-') ? sql`desc` : sql`asc`}, key`
  const size = page?.pageSize ?? 0
  type Row = Omit<BillRow, keyof BillSums> & BillSums & { total: number; sums: BillSums }
  const rows = await rowsOf<Row & { id: string | null }>(ctx.db)`
    with s as (select ${kind(ctx, 'owner_id').key} as key, ${sum('share')} as share
        from bill_shares x
        where x.org_id = ${ctx.actor.orgId} and ${visible(ctx, 'x.org_id', 'x.device_id')}
          and ${conditions(ctx, input, 'x', 'owner_id')} group by 1),
      b as (select ${own.key} as key, ${sum('price')} as price, ${sum('refundment')} as refundment,
        ${sum('fee')} as fee, ${sum('split')} as split, ${sum('orders')} as orders,
        ${sum('refund_orders')} as refund_orders,
        bool_or(x.grain = 'DAY' and x.day = ${shanghaiDay(ctx.now)}::date) as unsettled
        from bill_days x where ${conditions(ctx, input, 'x', 'org_id')} group by 1),
      n as materialized (select *, price - refundment - "servicePrice" as gathering,
          price - refundment - "servicePrice" - "splitAmount" as "pendingSplit"
        from (select b.key, b.price, b.refundment, b.fee as "servicePrice",
          b.orders as "orderCount", b.refund_orders as "refundOrderCount",
          b.split as "splitAmount", coalesce(s.share, 0) as "ownShare", b.unsettled,
          ${own.name} as name, ${own.identifier} as identifier
          from b left join s on s.key = b.key ${own.join}) y
        where ${keyword} and (price, refundment, "servicePrice", "splitAmount", "ownShare",
          "orderCount", "refundOrderCount") <> (0, 0, 0, 0, 0, 0, 0)),
      t as (select count(*) as total, jsonb_build_object(${sql.join(
        names.map((name) => sql`${sql.lit(name)}, coalesce(sum(${sql.ref(name)}), 0)`),
      )}) as sums from n)
    select t.total, t.sums, p.key::text as id, p.name, p.identifier, p.unsettled,
      ${sql.join(names.map((name) => sql`p.${sql.ref(name)}`))},
      ${idOf(input.dimension === 'ORG')} as "orgId", ${idOf(input.dimension === 'DEVICE')}
        as "deviceId", ${input.dimension === 'DAY' ? sql`p.identifier` : sql`null`} as day
    from t left join lateral (select *, row_number() over (order by ${order}) as at from n
      order by at limit ${size} offset ${size * ((page?.page ?? 1) - 1)}) p on true
    order by p.at`
  const [{ total, sums }] = rows as [Row]
  const list = rows.flatMap(({ total: _, sums: __, ...row }) => (row.id === null ? [] : [row]))
  return { list, total, sums }
}
const idOf = (is: boolean) => (is ? sql`p.key` : sql`null::bigint`)
const names = [
  'price',
  'refundment',
  'servicePrice',
  'gathering',
  'orderCount',
  'refundOrderCount',
  'pendingSplit',
  'splitAmount',
  'ownShare',
] as const satisfies readonly (keyof BillSums)[]
