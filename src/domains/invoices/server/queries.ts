import { sql } from 'kysely'
import { z } from 'zod'
import { type Ctx, personName, visible } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { isoText, type Rows, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { addDays, startOfDay } from '../../../shared/instants.ts'
import { InvoiceDetail, InvoiceRow, type invoices, TitleRow } from '../contract.ts'
import type { InvoiceState, Source } from '../rules.ts'

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
    where: [
      visible(ctx, 't.org_id'),
      input.orgId && sql`t.org_id = ${input.orgId}`,
      input.keyword &&
        sql`(strpos(lower(t.title), lower(${input.keyword})) > 0
          or strpos(t.tax_no, upper(${input.keyword})) > 0)`,
    ],
  })
export const titleRow = (ctx: Ctx, id: number) =>
  title().one(ctx.db, sql`from ${titleFrom} where t.id = ${id} and ${visible(ctx, 't.org_id')}`)

/** `filed`: there is a file. */
const kept = { filed: z.boolean() }
const said = (ctx: Ctx) => ({
  issuedNo: sql`coalesce(i.issued_no, '')`,
  issueTime: sql`i.issued_at`,
  redNo: sql`coalesce(i.red_no, '')`,
  redTime: sql`i.red_at`,
  mailing: sql`i.next_at is not null`,
  sendTime: sql`i.sent_at`,
  source: sql<Source>`i.source`,
  state: sql<InvoiceState>`i.state`,
  requester: sql`coalesce((select ${personName('u')} from users u
    where u.id = i.requested_by and ${visible(ctx, 'u.org_id')}), '')`,
  orgName: sql`o.name`,
  issuerName: sql`coalesce(invoice_issuer_name(i.issuer_org_id, i.org_id), '')`,
  createTime: sql`i.created_at`,
  filed: sql`i.file <> ''`,
})
const invoice = (ctx: Ctx) => shape(InvoiceRow.extend(kept), ['invoices', 'i'], said(ctx), ['can'])
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
      input.title && sql`strpos(lower(i.title), lower(${input.title})) > 0`,
      input.taxNo && sql`strpos(i.tax_no, upper(${input.taxNo})) > 0`,
      input.kind && sql`i.kind = ${input.kind}`,
      input.source && sql`i.source = ${input.source}`,
      input.state && sql`i.state = ${input.state}`,
      input.amountFrom !== undefined && sql`i.amount >= ${input.amountFrom}`,
      input.amountTo !== undefined && sql`i.amount <= ${input.amountTo}`,
      input.from && sql`i.created_at >= ${startOfDay(input.from)}`,
      input.to && sql`i.created_at < ${startOfDay(addDays(input.to, 1))}`,
    ],
  })

const detail = (ctx: Ctx) =>
  shape(InvoiceDetail.extend(kept), ['invoices', 'i'], said(ctx), ['can', 'items', 'refunds'])
export const row = (ctx: Ctx, id: number) =>
  detail(ctx).one(ctx.db, sql`from ${from} where i.id = ${id} and ${visible(ctx, 'i.org_id')}`)

/** What a request is made out for, as far as the reader sees its machines. */
export const items = (ctx: Ctx, id: number) =>
  rowsOf<InvoiceDetail['items'][number]>(ctx.db)`select source_no as no,
      ${isoText('x.source_at')} as time, amount from invoice_items x
    where x.invoice_id = ${id} and ${visible(ctx, 'x.org_id')}
      and (x.device_id is null or ${visible(ctx, 'x.org_id', 'x.device_id')})
    order by source_at, source_no`
/** What was given back of it after it was issued. */
export const refunds = (ctx: Ctx, id: number) =>
  rowsOf<InvoiceDetail['refunds'][number]>(ctx.db)`select refund_no as "refundNo",
      ${isoText('r.created_at')} as time from invoice_reds r
    where r.invoice_id = ${id} and ${visible(ctx, 'r.org_id')} order by created_at, refund_no`
