import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { exists, rowsOf } from '../../../server/rows.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { licenceSteps } from '../../../shared/licences.ts'
import { SupplierRow, type suppliers } from '../contract.ts'

// the owner of the entry of his own organisation is nobody a supplier can see
const supplier = (ctx: Ctx) =>
  shape(
    SupplierRow,
    ['suppliers', 's'],
    {
      orgName: sql`coalesce(o.name, '')`,
      supplierOrgName: sql`coalesce(w.name, '')`,
      licenceState: stateOf(ctx),
      createTime: sql`s.created_at`,
    },
    ['can'],
  )
export type Row = Rows<ReturnType<typeof supplier>>
export const stateOf = (ctx: Ctx) => {
  const left = sql`s.licence_until - ${shanghaiDay(ctx.now)}::date`
  return sql`case when s.licence_until is null then 'NONE' when ${left} < 0 then 'EXPIRED'
    when ${left} <= ${licenceSteps[0]}::int then 'SOON' else 'VALID' end`
}
const from = sql`suppliers s left join organisations o on o.id = s.org_id
  left join organisations w on w.id = s.supplier_org_id`
/** Own rows, and whom the rows are about. */
export const readable = (ctx: Ctx) =>
  sql`(${visible(ctx, 's.org_id')} or ${visible(ctx, 's.supplier_org_id')})`

export const listRows = (ctx: Ctx, input: Input<typeof suppliers.list>) =>
  supplier(ctx).page(ctx.db, {
    from,
    countFrom: sql`suppliers s`,
    input,
    last: sql`s.id`,
    sort: {
      name: sql`s.name`,
      licenceUntil: sql`s.licence_until`,
      createTime: sql`s.created_at`,
    },
    where: [
      readable(ctx),
      input.keyword &&
        sql`strpos(lower(s.name || ' ' || s.contact || ' ' || s.credit_code),
          lower(${input.keyword})) > 0`,
      input.orgId && sql`s.org_id = ${input.orgId}`,
      input.suppliesDrugs !== undefined && sql`s.supplies_drugs = ${input.suppliesDrugs}`,
      input.status && sql`s.status = ${input.status}`,
      input.licenceState && sql`${stateOf(ctx)} = ${input.licenceState}`,
    ],
  })

export const row = (ctx: Ctx, id: number) =>
  supplier(ctx).one(ctx.db, sql`from ${from} where s.id = ${id} and ${readable(ctx)}`)

export const options = (ctx: Ctx, { keyword, id }: Input<typeof suppliers.options>) =>
  rowsOf<{ id: number; name: string }>(ctx.db)`select s.id, s.name from suppliers s
    where ${readable(ctx)} and (s.id = ${id ?? null}::bigint or s.status = 'ENABLED'
      and strpos(lower(s.name), lower(${keyword ?? ''})) > 0)
    order by s.id = ${id ?? null}::bigint desc nulls last, s.name, s.id limit 50`

/** A supplier's organisation below the owner, which does not move away meanwhile. */
export const suppliesTo = (ctx: Ctx, supplierOrgId: number, orgId: number) =>
  exists(ctx.db)`select from organisations w, organisations o
    where w.id = ${supplierOrgId} and w.kind = 'SUPPLIER' and w.status = 'ENABLED'
      and ${visible(ctx, 'w.id')} and o.id = ${orgId} and o.path @> w.path
    for key share of w`
