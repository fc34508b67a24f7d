import { type RawBuilder, sql } from 'kysely'
import { type Ctx, iso, visible } from '../../../server/context.ts'
import { all, answerOf } from '../../../server/lists.ts'
import { rowsOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import type { Input, Output } from '../../../shared/contract.ts'
import { Refusal } from '../../../shared/errors.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { bi, say } from '../../../shared/text.ts'
import { spansOf } from '../../billing/rules.ts'
import type { dataReports } from '../contract.ts'
import {
  BillDifferenceRow,
  type MoneyGroup,
  type MoneyRow,
  type MoneySums,
  moneyErrors,
  moneyFigures,
} from '../moneyContract.ts'
import { type Days, daysBefore, daysIn, daysOf, mostChartDays, timeGroupOf } from '../rules.ts'
import { keysOf } from './sales.ts'
import { below, scoped } from './source.ts'

type Summary = typeof dataReports.financialSummary
type Filter = Omit<Input<Summary>, 'compare'> & { days: Days }
type Page = { page: number; pageSize: number; sort: string }

const simulated = bi('模拟支付', 'Simulated payments')
const above = bi('上级收款商户', 'A merchant above')
const name = (alias: string, column: string) => sql.ref(`${alias}.${column}`)

/** What makes a row of each kind; `owner` is the column of whose sales it is. */
const keys: Readonly<Record<MoneyGroup, (alias: string, owner: string) => RawBuilder<unknown>>> = {
  DAY: (alias) => sql`${name(alias, 'day')}::text`,
  MONTH: (alias) => sql`date_trunc('month', ${name(alias, 'day')})::date::text`,
  MERCHANT: (alias) => sql`coalesce(${name(alias, 'config_id')}, 0)::text`,
  ORG: (alias, owner) => sql`${name(alias, owner)}::text`,
}
const names: Readonly<
  Record<MoneyGroup, (ctx: Ctx) => readonly [RawBuilder<unknown>, join?: RawBuilder<unknown>]>
> = {
  DAY: () => [sql`k.key`],
  MONTH: () => [sql`left(k.key, 7)`],
  // a merchant that stands above is not shown to those below
  MERCHANT: (ctx) => [
    sql`case when k.key = '0' then ${say(simulated, ctx.lang)}
      else coalesce(c.merchant_name, ${say(above, ctx.lang)}) end`,
    sql`left join payment_configs c on c.id = k.key::bigint and ${visible(ctx, 'c.org_id')}`,
  ],
  ORG: () => [sql`coalesce(g.name, '')`, sql`left join organisations g on g.id = k.key::bigint`],
}
const inTime = (group: MoneyGroup) => group === 'DAY' || group === 'MONTH'

/** Figures of bills of these days: months that are over as a whole, unless each day is shown. */
function figures(ctx: Ctx, input: Filter, group: MoneyGroup, alias: string, owner: string) {
  const { from, to } = input.days
  const spans = spansOf(from, to, shanghaiDay(ctx.now), group === 'DAY')
  return all([
    scoped(ctx, `${alias}.${owner}`, `${alias}.device_id`),
    sql`(${sql.join(
      spans.map(
        (span) => sql`${name(alias, 'grain')} = ${span.grain}
          and ${name(alias, 'day')} >= ${span.from}::date and ${name(alias, 'day')} <= ${span.to}::date`,
      ),
      sql` or `,
    )})`,
    input.orgId && sql`${name(alias, owner)} = ${below(input.orgId)}`,
    input.payType && sql`${name(alias, 'pay_type')} = ${input.payType}`,
    input.provider && sql`${name(alias, 'provider')} = ${input.provider}`,
  ])
}
/** What was compared of these days, or did not agree: rows of organisations, not of machines. */
const compared = (ctx: Ctx, input: Omit<Filter, 'groupBy'>, alias: string) =>
  all([
    ctx.actor.scope.all
      ? sql`${name(alias, 'org_id')} = any(array(select id from organisations))`
      : visible(ctx, `${alias}.org_id`),
    sql`${name(alias, 'part')} = 'BILL' and ${name(alias, 'day')} >= ${input.days.from}::date
      and ${name(alias, 'day')} <= ${input.days.to}::date`,
    input.orgId && sql`${name(alias, 'org_id')} = ${below(input.orgId)}`,
    input.provider && sql`${name(alias, 'provider')} = ${input.provider}`,
    // single machines are no part of a bill, and a bill does not say how somebody paid
    (ctx.actor.scope.devices !== null || input.payType !== undefined) && sql`false`,
  ])

type Row = MoneyRow & { total: number; sums: MoneySums }
async function moneyOf(ctx: Ctx, input: Filter, group: MoneyGroup, page: Page) {
  if (group === 'DAY' && daysIn(input.days) > mostChartDays)
    throw new Refusal(moneyErrors.tooManyDays)
  const key = keys[group]
  const [title, join = sql``] = names[group](ctx)
  const column = page.sort.replace(/^-/, '')
  const order =
    column === 'usual'
      ? inTime(group)
        ? sql`key desc`
        : sql`"payAmount" desc, key`
      : sql`${sql.ref(column)} ${page.sort.startsWith('-') ? sql`desc` : sql`asc`} nulls last, key`
  const shown = moneyFigures.map((figure) => sql.ref(figure))
  const bill = ctx.actor.scope.devices === null && input.payType === undefined
  const ofBill = (text: RawBuilder<unknown>) => (bill ? text : sql`null::bigint`)
  const rows = await rowsOf<Row & { id: string | null }>(ctx.db)`
    with b as (select ${key('x', 'org_id')} as key, sum(x.orders)::bigint as orders,
        sum(x.price)::bigint as price, sum(x.refundment)::bigint as refundment,
        sum(x.fee)::bigint as fee, sum(x.split)::bigint as split,
        coalesce(sum(x.price) filter (where x.pay_type = 'CARD'), 0)::bigint as card
      from bill_days x where ${figures(ctx, input, group, 'x', 'org_id')} group by 1),
      s as (select ${key('x', 'owner_id')} as key, sum(x.share)::bigint as share
      from bill_shares x where x.org_id = ${ctx.actor.orgId}
        and ${visible(ctx, 'x.org_id', 'x.device_id')}
        and ${figures(ctx, input, group, 'x', 'owner_id')} group by 1),
      r as (select ${key('r', 'org_id')} as key, sum(r.local_amount)::bigint as ours,
        sum(r.other_amount)::bigint as theirs, count(*) filter (where r.finished_at is null) as open,
        sum(r.differences) as found
      from reconciliation_runs r where ${compared(ctx, input, 'r')} group by 1),
      d as (select ${key('d', 'org_id')} as key, count(*) as open
      from reconciliation_differences d where ${compared(ctx, input, 'd')}
        and d.state in ('OPEN','HANDLING','REVIEW') group by 1),
      k as (select key from b where (orders, price, refundment, fee, split, card)
          <> (0, 0, 0, 0, 0, 0)
        union select key from s where share <> 0 union select key from r where ours <> 0
          or theirs <> 0 or found > 0 union select key from d),
      n as materialized (select k.key, ${title} as name,
          ${inTime(group) ? sql`k.key` : sql`null::text`} as "createTime",
          coalesce(b.orders, 0) as "payCount", coalesce(b.price, 0) as "payAmount",
          coalesce(b.refundment, 0) as "refundAmount", coalesce(b.fee, 0) as service,
          coalesce(b.card, 0) as "cardAmount", coalesce(b.split, 0) as "splitAmount",
          coalesce(s.share, 0) as "ownShare",
          coalesce(b.price - b.refundment - b.fee - b.split, 0) + coalesce(s.share, 0)
            as "netIncome",
          ${ofBill(sql`r.ours`)} as "systemAmount", ${ofBill(sql`r.theirs`)} as "billAmount",
          ${ofBill(sql`r.ours - r.theirs`)} as gap, coalesce(d.open, 0) as "openDifferences",
          case when coalesce(d.open, 0) > 0 then 'DIFFERENT'
            when r.key is null or r.open > 0 then 'UNCOMPARED'
            when r.found > 0 then 'HANDLED' else 'BALANCED' end as "billState"
        from k left join b using (key) left join s using (key) left join r using (key)
          left join d using (key) ${join}),
      t as (select count(*) as total, jsonb_build_object(${sql.join(
        [...moneyFigures, 'openDifferences' as const].map((figure) =>
          isBilled(figure)
            ? sql`${sql.lit(figure)}, sum(${sql.ref(figure)})`
            : sql`${sql.lit(figure)}, coalesce(sum(${sql.ref(figure)}), 0)`,
        ),
      )}) as sums from n)
    select t.total, t.sums, p.key as id, p.name, p."createTime", ${sql.join(shown)},
      p."openDifferences", p."billState",
      ${group === 'ORG' ? sql`p.key::bigint` : sql`null::bigint`} as "orgId"
    from t left join lateral (select *, row_number() over (order by ${order}) as at from n
      order by at limit ${page.pageSize} offset ${page.pageSize * (page.page - 1)}) p on true
    order by p.at`
  const [{ total, sums }] = rows as [Row]
  const list = rows.flatMap(({ total: _, sums: __, ...row }) => (row.id === null ? [] : [row]))
  return { list, total, sums }
}
const isBilled = (figure: string) =>
  figure === 'systemAmount' || figure === 'billAmount' || figure === 'gap'

export function financial(ctx: Ctx, input: Input<typeof dataReports.financial>) {
  const days = daysOf(input, shanghaiDay(ctx.now))
  return moneyOf(ctx, { ...input, days }, timeGroupOf(input.groupBy, days), input)
}

const chartRows = 12
export async function financialSummary(ctx: Ctx, input: Input<Summary>): Promise<Output<Summary>> {
  const days = daysOf(input, shanghaiDay(ctx.now))
  const group = timeGroupOf(input.groupBy, days)
  const time = inTime(group)
  const read = (of: Days) =>
    moneyOf(ctx, { ...input, days: of }, group, {
      page: 1,
      pageSize: time ? 400 : chartRows,
      sort: 'usual',
    })
  const now = await read(days)
  const earlier = daysBefore(days, input.compare)
  const before = earlier && (await read(earlier))
  type Read = typeof now
  const inOrder = ({ list }: Read, of: Days) => {
    const known = new Map(list.map((row) => [row.id, row]))
    return (time ? keysOf(of, group) : list.map(({ id }) => id)).map((key) => ({
      key,
      name: known.get(key)?.name ?? (group === 'MONTH' ? key.slice(0, 7) : key),
      payAmount: known.get(key)?.payAmount ?? 0,
      netIncome: known.get(key)?.netIncome ?? 0,
    }))
  }
  return {
    asOf: iso(ctx.now),
    ...days,
    sums: now.sums,
    before: before && earlier && { ...before.sums, ...earlier },
    points: inOrder(now, days),
    beforePoints:
      before && earlier && time ? inOrder(before, earlier).map(({ netIncome }) => netIncome) : null,
    days: await comparedDays(ctx, { ...input, days }),
  }
}

/** How many days have money, how many of them were compared with all their bills, how many differ. */
async function comparedDays(ctx: Ctx, input: Filter): Promise<Output<Summary>['days']> {
  const [row] = await rowsOf<Output<Summary>['days']>(ctx.db)`
    with r as (select r.day, bool_and(r.finished_at is not null) as compared
      from reconciliation_runs r where ${compared(ctx, input, 'r')}
        and (r.local_count > 0 or r.other_count > 0 or r.finished_at is null) group by 1),
      d as (select distinct d.day from reconciliation_differences d
      where ${compared(ctx, input, 'd')} and d.state in ('OPEN','HANDLING','REVIEW'))
    select (select count(*) from r) as money, (select count(*) from r where compared) as compared,
      (select count(*) from d) as different`
  return row ?? { money: 0, compared: 0, different: 0 }
}

const difference = shape(BillDifferenceRow, ['reconciliation_differences', 'd'], {
  kind: sql<BillDifferenceRow['kind']>`d.kind`,
  orgName: sql`o.name`,
  rtuNumber: sql`m.rtu_number`,
  gap: sql`d.local_amount - d.other_amount`,
  handled: sql<BillDifferenceRow['handled']>`case when d.state in ('OPEN','HANDLING') then 'OPEN'
    when d.state = 'REVIEW' then 'REVIEW' else 'CLOSED' end`,
})
const states = {
  OPEN: sql`d.state in ('OPEN','HANDLING')`,
  REVIEW: sql`d.state = 'REVIEW'`,
  CLOSED: sql`d.state in ('RESOLVED','IGNORED')`,
}
export async function financialDifferences(
  ctx: Ctx,
  input: Input<typeof dataReports.financialDifferences>,
) {
  const days = daysOf(input, shanghaiDay(ctx.now))
  const { rows, ...found } = await difference.page(ctx.db, {
    from: sql`reconciliation_differences d join organisations o on o.id = d.org_id
      left join devices m on m.id = d.device_id`,
    countFrom: sql`reconciliation_differences d`,
    input,
    last: sql`d.id`,
    grows: true,
    sort: { day: sql`d.day` },
    where: [
      visible(ctx, 'd.org_id', 'd.device_id'),
      sql`d.part = 'BILL' and d.day >= ${days.from}::date and d.day <= ${days.to}::date`,
      input.orgId && sql`d.org_id = ${below(input.orgId)}`,
      input.kind && sql`d.kind = ${input.kind}`,
      input.handled && states[input.handled],
      input.provider && sql`d.provider = ${input.provider}`,
    ],
  })
  return answerOf(found, rows)
}
