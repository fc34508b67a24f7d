import { type RawBuilder, sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { dayMs, shanghaiDay } from '../../../shared/instants.ts'
import { feeMonths, type Source } from '../rules.ts'

/** Something that an organisation paid for, and how much of it may stand on invoices. */
export type Sold = {
  no: string
  at: Date
  deviceId: number | null
  issuer: number
  /** Paid and not given back. */
  most: number
  invoiced: number
  /** Nothing of it is open any more. */
  over: boolean
}
type Of = { readonly orgId: number; readonly nos?: readonly string[]; readonly keyword?: string }
type Where = {
  /**
   * Rows `no, at, device_id, issuer, most, over` of an organisation: those named, held so that
   * nothing of them is given back meanwhile; or the newest that may be asked for.
   */
  rows(ctx: Ctx, of: Of): RawBuilder<unknown>
}

/** So many are offered at once. */
const mostOffered = 50
const offerDays = 90
/** Whoever types the end of a number looks through so many, the newest. */
const mostLooked = 10_000
const isWhole = (keyword: string) => /^\d{20}$/.test(keyword)

const order = (ctx: Ctx, orgId: number) => ({
  columns: sql`o.order_num as no, o.created_at as at, o.device_id, o.final_at is not null as over,
    invoice_issuer(o.id, o.org_id) as issuer, o.paid_amount - o.refunded_amount as most`,
  mine: sql`o.org_id = ${orgId} and not o.excluded and ${visible(ctx, 'o.org_id', 'o.device_id')}`,
})

/**
 * What is invoiced. A source more is a line here, its name and usual rate in rules.ts, and its word
 * in locale.ts; the limit, the items, the red ones and the form ask no further.
 */
export const sources: Readonly<Record<Source, Where>> = {
  ORDERS: {
    rows(ctx, { orgId, nos, keyword }) {
      const { columns, mine } = order(ctx, orgId)
      if (nos)
        return sql`select ${columns} from order_keys k
          join orders o on o.org_id = k.org_id and o.created_at = k.created_at and o.id = k.order_id
          where k.order_num = any(${[...nos]}::text[]) and ${mine} order by o.id for share of o`
      const open = sql`o.final_at is not null and o.paid_amount > o.refunded_amount
          and not exists (select from invoice_sources s where s.org_id = o.org_id
            and s.source = 'ORDERS' and s.source_no = o.order_num
            and s.invoiced >= o.paid_amount - o.refunded_amount)`
      // found by its key, however old it is
      if (keyword && isWhole(keyword))
        return sql`select ${columns} from order_keys k
          join orders o on o.org_id = k.org_id and o.created_at = k.created_at and o.id = k.order_id
          where k.order_num = ${keyword} and ${mine} and ${open}`
      const since = new Date(ctx.now.getTime() - offerDays * dayMs)
      const last = sql`where ${mine} and o.created_at >= ${since}`
      const newest = sql`order by o.created_at desc, o.id desc limit`
      return keyword
        ? sql`select ${columns} from (
            select * from orders o ${last} ${newest} ${mostLooked}) o
          where right(o.order_num, ${keyword.length}) = ${keyword} and ${open}
          ${newest} ${mostOffered}`
        : sql`select ${columns} from orders o ${last} and ${open} ${newest} ${mostOffered}`
    },
  },
  // a month that is over does not change: what is given back later is in the bill of a later month
  SERVICE_FEE: {
    rows(ctx, { orgId, nos, keyword }) {
      const open = sql`${`${shanghaiDay(new Date(ctx.now.getTime() - dayMs)).slice(0, 7)}-01`}::date`
      const no = sql`to_char(f.month, 'YYYYMM') || '-' || f.issuer`
      // whoever is shown some machines is not shown what all of them cost
      const whole = sql`${ctx.actor.scope.devices === null}::boolean`
      const named = nos
        ? sql`${no} = any(${[...nos]}::text[])`
        : keyword
          ? sql`strpos(${no}, ${keyword}) > 0`
          : sql`true`
      return sql`select ${no} as no, f.month::timestamp at time zone 'Asia/Shanghai' as at,
          null::bigint as device_id, f.issuer, f.fee as most, true as over
        from invoice_fees(${orgId}, (${open} - make_interval(months => ${feeMonths}))::date) f
        where f.month < ${open} and ${whole} and ${named}
        order by f.month desc, f.issuer`
    },
  },
}

const columns = sql`x.no, x.at, x.device_id as "deviceId", x.issuer, x.most, x.over,
  coalesce(s.invoiced, 0) as invoiced`
const invoiced = (source: Source, orgId: number) => sql`left join invoice_sources s
  on s.org_id = ${orgId} and s.source = ${source} and s.source_no = x.no`

/** Those named that are the organisation's and the actor's to see. */
export const soldNamed = (ctx: Ctx, source: Source, orgId: number, nos: readonly string[]) =>
  rowsOf<Sold>(ctx.db)`select ${columns} from (${sources[source].rows(ctx, { orgId, nos })}) x
    ${invoiced(source, orgId)}`

/** What may be asked for, with the name of who collected it. */
export const offered = (ctx: Ctx, source: Source, of: Of) =>
  rowsOf<Sold & { issuerName: string }>(
    ctx.db,
  )`select ${columns}, invoice_issuer_name(x.issuer, ${of.orgId}) as "issuerName"
    from (${sources[source].rows(ctx, of)}) x ${invoiced(source, of.orgId)}
    where x.most > coalesce(s.invoiced, 0) order by x.at desc, x.no desc limit ${mostOffered}`

/**
 * Puts what is asked on invoices: of each one statement that names its limit; answers how many took
 * it.
 */
export async function take(
  ctx: Ctx,
  source: Source,
  orgId: number,
  asked: readonly (Sold & { amount: number })[],
): Promise<number> {
  const list = <T>(pick: (one: Sold & { amount: number }) => T) => asked.map(pick)
  const { rows } = await sql`with asked as (select * from unnest(${list(({ no }) => no)}::text[],
      ${list(({ amount }) => amount)}::bigint[], ${list(({ most }) => most)}::bigint[])
      as a(no, amount, most))
    insert into invoice_sources as s (org_id, source, source_no, invoiced)
    select ${orgId}, ${source}, a.no, a.amount from asked a where a.amount <= a.most order by a.no
    on conflict (org_id, source, source_no) do update set invoiced = s.invoiced + excluded.invoiced
      where s.invoiced + excluded.invoiced <= (select a.most from asked a where a.no = s.source_no)
    returning s.source_no`.execute(ctx.db)
  return rows.length
}

/** And gives it back: it may be invoiced again. */
export const giveBack = (ctx: Ctx, invoiceId: number) =>
  sql`with gone as (update invoice_items set live = false
      where invoice_id = ${invoiceId} and live returning org_id, source, source_no, amount)
    update invoice_sources s set invoiced = s.invoiced - g.amount from gone g
    where s.org_id = g.org_id and s.source = g.source and s.source_no = g.source_no`.execute(ctx.db)

type Made = { id: number; orgId: number; source: Source }
/** Whether more of what an invoice names stands on invoices than may; what it names is held. */
export async function overdrawn(ctx: Ctx, { id, orgId, source }: Made): Promise<boolean> {
  const items = await rowsOf<{ no: string }>(ctx.db)`select source_no as no from invoice_items
    where invoice_id = ${id}`
  const nos = items.map(({ no }) => no)
  const sold = await soldNamed(ctx, source, orgId, nos)
  return sold.length < nos.length || sold.some(({ invoiced, most }) => invoiced > most)
}
