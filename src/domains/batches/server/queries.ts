import { type RawBuilder, sql } from 'kysely'
import { type Ctx, inheritable, visible } from '../../../server/context.ts'
import { matches } from '../../../server/lists.ts'
import { onlyRow, rowOf, rowsOf } from '../../../server/rows.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { trades } from '../../accounts/rules.ts'
import { BatchRow, type batches } from '../contract.ts'

/** Of organisations that name the actor's as their supplier. */
const supplied = (ctx: Ctx) =>
  sql<boolean>`b.supplier_id in (select s.id from suppliers s
    where ${visible(ctx, 's.supplier_org_id')})`
/**
 * As of the product: own rows, those above, and what lies in machines that are looked at. Whoever
 * only delivers reads his own.
 */
const readable = (ctx: Ctx): RawBuilder<boolean> =>
  trades(ctx.actor.home) || ctx.actor.scope.watched
    ? inheritable(
        ctx,
        'b.org_id',
        (watched) => sql`b.id in (select y.batch_id from lane_layers y
          where y.device_id = ${watched})`,
      )
    : sql<boolean>`(${visible(ctx, 'b.org_id')} or ${supplied(ctx)})`

const statusOf = (ctx: Pick<Ctx, 'now'>) => sql`case when b.status = 'RECALLED' then 'RECALLED'
  when b.expires_on < ${shanghaiDay(ctx.now)} then 'EXPIRED' else 'NORMAL' end`

// suppliers and names of those above are not told
const batch = (ctx: Ctx) =>
  shape(
    BatchRow,
    ['batches', 'b'],
    {
      productName: sql`coalesce(p.name, '')`,
      model: sql`coalesce(p.model, '')`,
      supplierName: sql`coalesce(s.name, '')`,
      remaining: sql`b.received_qty - b.loaded_qty + b.returned_qty`,
      status: statusOf(ctx),
      orgName: sql`coalesce(o.name, '')`,
      createTime: sql`b.created_at`,
    },
    ['can'],
  )
export type Row = Rows<typeof batch>
const from = (ctx: Ctx) => sql`batches b left join products p on p.id = b.product_id
  left join suppliers s on s.id = b.supplier_id
    and (${visible(ctx, 's.org_id')} or ${visible(ctx, 's.supplier_org_id')})
  left join organisations o on o.id = b.org_id and ${visible(ctx, 'o.id')}`

export const listRows = (ctx: Ctx, input: Input<typeof batches.list>) =>
  batch(ctx).page(ctx.db, {
    from: from(ctx),
    countFrom: sql`batches b`,
    input,
    last: sql`b.id`,
    sort: {
      createTime: sql`b.created_at`,
      batchNo: sql`b.batch_no`,
      producedOn: sql`b.produced_on`,
      expiresOn: sql`b.expires_on`,
    },
    where: [
      readable(ctx),
      input.keyword &&
        sql`(strpos(lower(b.batch_no), lower(${input.keyword})) > 0
          or ${matches('products', 'b.product_id', input.keyword)})`,
      input.productId && sql`b.product_id = ${input.productId}`,
      input.supplierId && sql`b.supplier_id = ${input.supplierId}`,
      input.status && sql`${statusOf(ctx)} = ${input.status}`,
    ],
  })

export const row = (ctx: Ctx, id: number) =>
  batch(ctx).one(ctx.db, sql`from ${from(ctx)} where b.id = ${id} and ${readable(ctx)}`)

type Supplier = { id: number; orgId: number; enabled: boolean; licenceUntil: string | null }
/** Own ones, and the entry of one's own organisation. */
export const supplierOf = (ctx: Ctx, id: number) =>
  rowOf<Supplier>(ctx.db)`select s.id, s.org_id as "orgId", s.status = 'ENABLED' as enabled,
      s.licence_until as "licenceUntil"
    from suppliers s where s.id = ${id}
      and (${visible(ctx, 's.org_id')} or ${visible(ctx, 's.supplier_org_id')})`
export const suppliersNamed = (ctx: Ctx, names: readonly string[]) =>
  rowsOf<{ id: number; name: string }>(ctx.db)`select s.id, s.name from suppliers s
    where s.name = any(${[...names]}::text[])
      and (${visible(ctx, 's.org_id')} or ${visible(ctx, 's.supplier_org_id')})`

export const productOf = (ctx: Ctx, id: number) =>
  rowOf<{ id: number; isDrug: boolean }>(ctx.db)`select p.id, p.drug_class <> 'NONE' as "isDrug"
    from products p
    where p.id = ${id} and ${inheritable(ctx, 'p.org_id')}`
/** What a file means by barcode, approval number or name. */
export const productsNamed = (ctx: Ctx, words: readonly string[]) =>
  rowsOf<{ id: number; words: string[] }>(ctx.db)`select p.id,
      array[p.barcode, p.approval_no, p.name] as words
    from products p where ${inheritable(ctx, 'p.org_id')}
      and (p.barcode = any(${[...words]}::text[]) or p.approval_no = any(${[...words]}::text[])
        or p.name = any(${[...words]}::text[]))`

/** Own batches of these numbers, with the words that may tell them apart. */
export const batchesNumbered = (ctx: Ctx, numbers: readonly string[]) =>
  rowsOf<{ id: number; orgId: number; batchNo: string; words: string[] }>(ctx.db)`
    select b.id, b.org_id as "orgId", b.batch_no as "batchNo",
      array[p.barcode, p.approval_no, p.name, s.name] as words
    from batches b join products p on p.id = b.product_id join suppliers s on s.id = b.supplier_id
    where b.batch_no = any(${[...numbers]}::text[]) and ${visible(ctx, 'b.org_id')}`

/** Lanes that hold the batch stand in machines of its organisation or below it. */
export const holding = (batchId: number) =>
  sql`(select y.lane_id from lane_layers y where y.batch_id = ${batchId})`

export const touched = (ctx: Ctx, batchId: number) =>
  onlyRow<{ devices: number; lanes: number; pieces: number }>(ctx.db)`
    select count(distinct y.device_id)::int as devices, count(distinct y.lane_id)::int as lanes,
      coalesce(sum(y.qty), 0)::int as pieces
    from lane_layers y where y.batch_id = ${batchId} and ${visible(ctx, 'y.org_id', 'y.device_id')}`

/** New codes of the batch in one order; answers those that were not there yet. */
export async function addCodes(
  ctx: Ctx,
  codes: readonly { code: string; batchId: number; orgId: number }[],
): Promise<Set<string>> {
  const rows = await rowsOf<{ code: string }>(ctx.db)`
    insert into trace_codes (code, org_id, batch_id, created_at)
    select code, "orgId", "batchId", ${ctx.now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(codes)}::jsonb) as n(code text, "orgId" bigint,
      "batchId" bigint) order by code
    on conflict (code) do nothing returning code`
  return new Set(rows.map(({ code }) => code))
}

/** Whether anything ever happened to its goods; foreign keys say the same of layers and codes. */
export async function wasUsed(ctx: Ctx, id: number): Promise<boolean> {
  const { used } = await onlyRow<{ used: boolean }>(ctx.db)`select
    exists (select from stock_flows f where f.batch_id = ${id})
    or exists (select from trace_codes t where t.batch_id = ${id})
    or exists (select from recalls r where r.batch_id = ${id})
    or exists (select from replenishment_items i where i.batch_id = ${id})
    or (select b.loaded_qty + b.returned_qty > 0 from batches b where b.id = ${id}) as used`
  return used
}
