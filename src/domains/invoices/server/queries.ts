import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { addDays, startOfDay } from '../../../shared/instants.ts'
import { InvoiceRow, type invoices, TitleRow } from '../contract.ts'

const title = () =>
  shape(
    TitleRow,
    ['invoice_titles', 't'],
    { orgName: sql`o.name`, createTime: sql`t.created_at` },
    ['can'],
  )
export type Title = Rows<typeof title>
const titleFrom = sql`invoice_titles t join organisations o on o.id = t.org_id`

export const titleRows = (ctx: Ctx, input: Input<typeof invoices.titles>) =>
  title().page(ctx.db, {
    from: titleFrom,
    countFrom: sql`invoice_titles t`,
    input,
    last: sql`t.id`,
    sort: { createTime: sql`t.created_at`, title: sql`t.title` },
    where: [visible(ctx, 't.org_id'), input.orgId && sql`t.org_id = ${input.orgId}`],
  })
export const titleRow = (ctx: Ctx, id: number) =>
  title().one(ctx.db, sql`from ${titleFrom} where t.id = ${id} and ${visible(ctx, 't.org_id')}`)

const invoice = (ctx: Ctx) =>
  shape(
    InvoiceRow,
    ['invoices', 'i'],
    {
      title: sql`i.title ->> 'title'`,
      taxNo: sql`i.title ->> 'taxNo'`,
      issuedNo: sql`coalesce(i.issued_no, '')`,
      issueTime: sql`i.issued_at`,
      redNo: sql`coalesce(i.red_no, '')`,
      source: sql`i.source`,
      itemCount: sql`(select count(*) from invoice_items x
        where x.invoice_id = i.id and ${visible(ctx, 'x.org_id', 'x.device_id')})`,
      requester: sql`coalesce((select u.real_name from users u
        where u.id = i.requested_by and ${visible(ctx, 'u.org_id')}), '')`,
      orgName: sql`o.name`,
      createTime: sql`i.created_at`,
    },
    ['can'],
  )
export type Row = Rows<typeof invoice>
const from = sql`invoices i join organisations o on o.id = i.org_id`

export const listRows = (ctx: Ctx, input: Input<typeof invoices.list>) =>
  invoice(ctx).page(ctx.db, {
    from,
    countFrom: sql`invoices i`,
    input,
    last: sql`i.id`,
    sort: { createTime: sql`i.created_at`, amount: sql`i.amount`, issueTime: sql`i.issued_at` },
    where: [
      visible(ctx, 'i.org_id'),
      input.requestNo && sql`strpos(i.request_no, ${input.requestNo}) > 0`,
      input.title && sql`strpos(lower(i.title ->> 'title'), lower(${input.title})) > 0`,
      input.taxNo && sql`i.title ->> 'taxNo' = upper(${input.taxNo})`,
      input.kind && sql`i.kind = ${input.kind}`,
      input.source && sql`i.source = ${input.source}`,
      input.state && sql`i.state = ${input.state}`,
      input.amountFrom !== undefined && sql`i.amount >= ${input.amountFrom}`,
      input.amountTo !== undefined && sql`i.amount <= ${input.amountTo}`,
      input.from && sql`i.created_at >= ${startOfDay(input.from)}`,
      input.to && sql`i.created_at < ${startOfDay(addDays(input.to, 1))}`,
    ],
  })
export const row = (ctx: Ctx, id: number) =>
  invoice(ctx).one(ctx.db, sql`from ${from} where i.id = ${id} and ${visible(ctx, 'i.org_id')}`)

export type Sold = {
  id: number
  at: Date
  orgId: number
  deviceId: number
  orderNum: string
  /** Paid and not given back. */
  most: number
  invoiced: number
  over: boolean
  issuer: number
}
const sold = sql`o.id, o.created_at as at, o.org_id as "orgId", o.device_id as "deviceId",
  o.order_num as "orderNum", o.paid_amount - o.refunded_amount as most,
  o.final_at is not null as over, invoice_issuer(o.id, o.org_id) as issuer,
  coalesce((select s.invoiced from invoice_sources s
    where s.source = 'ORDERS' and s.source_id = o.id), 0) as invoiced`

/** Orders by their numbers, held: nothing of them is given back meanwhile. */
export const ordersNamed = (ctx: Ctx, numbers: readonly string[]) =>
  rowsOf<Sold>(ctx.db)`select ${sold} from order_keys k
    join orders o on o.org_id = k.org_id and o.created_at = k.created_at and o.id = k.order_id
    where k.order_num = any(${[...numbers]}::text[])
      and ${visible(ctx, 'o.org_id', 'o.device_id')}
    order by o.id for share of o`

/** Those of an invoice, held; more of one stands on invoices than it may. */
export const overdrawn = async (ctx: Ctx, id: number): Promise<boolean> =>
  (
    await rowsOf<Sold>(ctx.db)`select ${sold} from invoice_items x
      join orders o on o.org_id = x.org_id and o.created_at = x.source_at and o.id = x.source_id
      where x.invoice_id = ${id} and ${visible(ctx, 'o.org_id', 'o.device_id')}
      order by o.id for share of o`
  ).some((order) => order.invoiced > order.most)

/**
 * Puts what is asked on invoices: of each order one statement that names its limit; answers how
 * many took it.
 */
export async function take(ctx: Ctx, orders: readonly (Sold & { amount: number })[]) {
  const list = (pick: (order: Sold & { amount: number }) => number) => orders.map(pick)
  const { rows } = await sql<{ id: number }>`with asked as (select * from unnest(
      ${list((o) => o.id)}::bigint[], ${list((o) => o.orgId)}::bigint[],
      ${list((o) => o.amount)}::bigint[], ${list((o) => o.most)}::bigint[]
    ) as a(id, org_id, amount, most))
    insert into invoice_sources as s (source, source_id, org_id, invoiced)
    select 'ORDERS', a.id, a.org_id, a.amount from asked a where a.amount <= a.most order by a.id
    on conflict (source, source_id) do update set invoiced = s.invoiced + excluded.invoiced
      where s.invoiced + excluded.invoiced <= (select a.most from asked a where a.id = s.source_id)
    returning s.source_id as id`.execute(ctx.db)
  return rows.length
}
/** And gives it back: it may be invoiced again. */
export const giveBack = (ctx: Ctx, id: number) =>
  sql`update invoice_sources s set invoiced = s.invoiced - x.amount from invoice_items x
    where x.invoice_id = ${id} and s.source = 'ORDERS' and s.source_id = x.source_id`.execute(
    ctx.db,
  )
