import { type RawBuilder, sql } from 'kysely'
import { type Ctx, inheritable, visible } from '../../../server/context.ts'
import { matches } from '../../../server/lists.ts'
import { rowsOf } from '../../../server/rows.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import * as f from '../../../shared/fields.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { ItemRow, type medicalInsurance } from '../contract.ts'

/** As of the product: own rows, those above, and what lies in machines that are looked at. */
const readable = (ctx: Ctx) =>
  inheritable(
    ctx,
    'm.org_id',
    (watched: RawBuilder<unknown>) =>
      sql`m.product_id in (select l.product_id from lanes l where l.device_id = ${watched})`,
  )

const statusOf = (ctx: Ctx) => {
  const today = shanghaiDay(ctx.now)
  return sql`case when m.valid_from > ${today} then 'PENDING'
    when m.valid_until < ${today} then 'EXPIRED' else 'VALID' end`
}
const item = (ctx: Ctx) =>
  shape(
    ItemRow.extend({ orgId: f.id }),
    ['medical_insurance_items', 'm'],
    {
      productName: sql`p.name`,
      model: sql`p.model`,
      drugClass: sql`p.drug_class`,
      approvalNo: sql`p.approval_no`,
      traceRequired: sql`coalesce(p.trace_required, p.drug_class <> 'NONE')`,
      status: statusOf(ctx),
      orgName: sql`o.name`,
      createTime: sql`m.created_at`,
    },
    ['source', 'can'],
  )
export type Row = Rows<typeof item>
const from = sql`medical_insurance_items m join products p on p.id = m.product_id
  left join organisations o on o.id = m.org_id`

export const listRows = (ctx: Ctx, input: Input<typeof medicalInsurance.list>) =>
  item(ctx).page(ctx.db, {
    from,
    countFrom: sql`medical_insurance_items m`,
    input,
    last: sql`m.id`,
    sort: {
      createTime: sql`m.created_at`,
      insuranceCode: sql`m.insurance_code`,
      payPrice: sql`m.pay_price`,
      selfRatio: sql`m.self_ratio`,
      validFrom: sql`m.valid_from`,
      validUntil: sql`m.valid_until`,
    },
    where: [
      readable(ctx),
      matches('products', 'm.product_id', input.keyword),
      input.insuranceCode && sql`strpos(m.insurance_code, upper(${input.insuranceCode})) > 0`,
      input.insuranceClass && sql`m.insurance_class = ${input.insuranceClass}`,
      input.complete !== undefined &&
        sql`(m.pay_price is not null and m.self_ratio is not null) = ${input.complete}`,
      input.status && sql`${statusOf(ctx)} = ${input.status}`,
      input.productId && sql`m.product_id = ${input.productId}`,
    ],
  })

export const row = (ctx: Ctx, id: number) =>
  item(ctx).one(ctx.db, sql`from ${from} where m.id = ${id} and ${readable(ctx)}`)

/** The product, wherever he sees it; it stays a drug meanwhile. */
export type Product = { id: number; orgId: number; drugClass: string; name: string }
const asked = sql`p.id, p.org_id as "orgId", p.drug_class as "drugClass", p.name`
export const productOf = async (ctx: Ctx, id: number): Promise<Product | undefined> =>
  (
    await rowsOf<Product>(ctx.db)`select ${asked} from products p
      where p.id = ${id} and ${inheritable(ctx, 'p.org_id')}`
  )[0]

/** Own products that a file means by barcode, approval number or name. */
export const productsNamed = (ctx: Ctx, words: readonly string[]) =>
  rowsOf<Product & { words: string[] }>(ctx.db)`select ${asked},
      array[p.barcode, p.approval_no, p.name] as words
    from products p where ${visible(ctx, 'p.org_id')} and (p.barcode = any(${[...words]}::text[])
      or p.approval_no = any(${[...words]}::text[]) or p.name = any(${[...words]}::text[]))`
