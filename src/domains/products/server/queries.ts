import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { type Ctx, inheritable, may, owns, visible } from '../../../server/context.ts'
import { all, matches } from '../../../server/lists.ts'
import { exists } from '../../../server/rows.ts'
import { columns, type Rows, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import * as f from '../../../shared/fields.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { delivers } from '../../accounts/rules.ts'
import type { Place } from '../../drug-guard/rules.ts'
import { drugOf, type RawSite, siteOf, withSite } from '../../drug-guard/server/facts.ts'
import {
  type NewProduct,
  Product,
  ProductLane,
  ProductOption,
  ProductRow,
  type products,
} from '../contract.ts'
import { knowsCost } from './cost.ts'

type Contract = typeof products

/** What lies in machines that are looked at. */
const placed = (watched: RawBuilder<unknown>) =>
  sql`p.id in (select l.product_id from lanes l where l.device_id = ${watched})`
/** Own rows and those above; people who watch drugs see drugs only. */
const readable = (ctx: Ctx): RawBuilder<unknown> => {
  const shared = inheritable(ctx, 'p.org_id', placed)
  return ctx.actor.scope.watched ? sql`${shared} and p.drug_class <> 'NONE'` : shared
}

const own = (ctx: Ctx, column: string): RawBuilder<unknown> => visible(ctx, column)

/** Of a supplier's catalogue: his own, and what he has delivered; he may enter any other one. */
const delivered = (ctx: Ctx) =>
  sql`(${own(ctx, 'p.org_id')} or p.id in (select b.product_id from batches b
    join suppliers s on s.id = b.supplier_id where ${visible(ctx, 's.supplier_org_id')}))`

/**
 * Placed now, or ever stocked or sold, each by an index; a lane that was archived before it was
 * filled is found by the foreign key. Organisations that can place a product stand below its owner,
 * so the owner's scope sees them all.
 */
const used = sql`(exists (select 1 from lanes l where l.product_id = p.id and l.archived_at is null)
  or exists (select 1 from batches b where b.product_id = p.id)
  or exists (select 1 from stock_flows f where f.product_id = p.id)
  or exists (select 1 from product_rollups r where r.product_id = p.id))`

/** What code asks of a product besides what it shows. */
const beside = { orgId: f.id, costPrice: f.fen }
const product = shape(
  Product.extend({ ...beside, used: z.boolean() }),
  ['products', 'p'],
  {
    categoryName: sql`c.name`,
    orgName: sql`o.name`,
    updateTime: sql`p.updated_at`,
    used,
  },
  ['source', 'can'],
)
export type ProductData = Rows<typeof product>
const from = sql`products p join product_categories c on c.id = p.category_id left
  join organisations o on o.id = p.org_id`

export const one = (ctx: Ctx, id: number) =>
  product.one(ctx.db, sql`from ${from} where p.id = ${id} and ${readable(ctx)}`)
export const many = (ctx: Ctx, ids: readonly number[]) =>
  product.all(
    ctx.db,
    sql`from ${from} where p.id = any(${[...ids]}::bigint[]) and ${readable(ctx)} order by p.id`,
  )

/** Goods of an organisation are some thousands: no index is kept for these two. */
const contains = (column: string, text: string) =>
  sql`position(lower(${text}) in lower(${sql.ref(column)})) > 0`

const count = z.number()
export function productPage(ctx: Ctx, input: Input<Contract['list']>) {
  const since = addDays(shanghaiDay(ctx.now), -29)
  const lanes = (value: RawBuilder<unknown>) =>
    sql`(select ${value} from lanes l where l.product_id = p.id and l.archived_at is null
      and ${visible(ctx, 'l.org_id', 'l.device_id')})`
  const sales30 = sql`(select coalesce(sum(r.pieces), 0)::int from product_rollups r
    where r.product_id = p.id and r.day >= ${since} and ${visible(ctx, 'r.org_id', 'r.device_id')})`
  const insured = sql`exists (select from medical_insurance_items m where m.product_id = p.id
    and ${shanghaiDay(ctx.now)} between m.valid_from and m.valid_until)`
  const counts = sql`count(distinct l.device_id), count(*), coalesce(sum(l.quantity), 0)`
  // PostgreSQL evaluates the figures after the limit unless they are the sort key
  const row = shape(
    ProductRow.extend({ ...beside, used: z.boolean(), placed: z.tuple([count, count, count]) }),
    ['products', 'p'],
    {
      img: sql`coalesce(p.images[1], '')`,
      categoryName: sql`c.name`,
      orgName: sql`o.name`,
      updateTime: sql`p.updated_at`,
      placed: lanes(sql`json_build_array(${counts})`),
      sales30,
      insured,
      used,
    },
    ['margin', 'deviceCount', 'laneCount', 'stock', 'source', 'can'],
  )
  return row.page(ctx.db, {
    from,
    countFrom: sql`products p`,
    where: [
      readable(ctx),
      delivers(ctx.actor.home) && delivered(ctx),
      matches('products', 'p.id', input.keyword),
      input.supplier &&
        sql`p.id in (select b.product_id from batches b join suppliers s on s.id = b.supplier_id
          where strpos(lower(s.name), lower(${input.supplier})) > 0
            and (${visible(ctx, 's.org_id')} or ${visible(ctx, 's.supplier_org_id')}))`,
      input.categoryId && sql`p.category_id = ${input.categoryId}`,
      input.drugClass && sql`p.drug_class = ${input.drugClass}`,
      input.status && sql`p.status = ${input.status}`,
      input.source === 'OWN' && own(ctx, 'p.org_id'),
      input.insured !== undefined && sql`${insured} = ${input.insured}`,
      input.manufacturer && contains('p.manufacturer', input.manufacturer),
      input.approvalNo && contains('p.approval_no', input.approvalNo),
      input.priceFrom !== undefined && sql`p.retail_price >= ${input.priceFrom}`,
      input.priceTo !== undefined && sql`p.retail_price <= ${input.priceTo}`,
      input.source === 'INHERITED' && sql`not ${own(ctx, 'p.org_id')}`,
    ],
    sort: {
      createTime: sql`p.created_at`,
      updateTime: sql`p.updated_at`,
      name: sql`p.name`,
      retailPrice: sql`p.retail_price`,
      laneCount: lanes(sql`count(*)`),
      stock: lanes(sql`coalesce(sum(l.quantity), 0)`),
      sales30,
    },
    last: sql`p.id`,
    input,
  })
}

/**
 * Holds own products until the end of the transaction, so that two edits check their rules one
 * after the other.
 */
export async function lockProducts(ctx: Ctx, ...ids: readonly number[]): Promise<void> {
  await sql`select 1 from products p where p.id = any(${[...ids]}::bigint[])
    and ${own(ctx, 'p.org_id')} order by p.id for update`.execute(ctx.db)
}

export const hasInsurance = (ctx: Ctx, id: number) =>
  exists(ctx.db)`select from medical_insurance_items where product_id = ${id}`

const option = shape(ProductOption.extend(beside), ['products', 'p'], {
  img: sql`coalesce(p.images[1], '')`,
  drug: drugOf,
})
export async function productOptions(ctx: Ctx, input: Input<Contract['options']>) {
  const read = (where: RawBuilder<unknown>) =>
    option.all(
      ctx.db,
      sql`from products p where ${readable(ctx)} and ${where} order by p.name, p.id limit 50`,
    )
  const chosen = input.id ? await read(sql`p.id = ${input.id}`) : []
  const rows = await read(
    all([
      sql`p.status = 'ON'`,
      matches('products', 'p.id', input.keyword),
      input.source && own(ctx, 'p.org_id'),
      input.drugs !== undefined && sql`(p.drug_class <> 'NONE') = ${input.drugs}`,
    ]),
  )
  return [...chosen, ...rows.filter((row) => row.id !== input.id)]
}

export async function addProduct(ctx: Ctx, input: NewProduct): Promise<number> {
  const made = { org_id: ctx.actor.orgId, created_at: ctx.now, updated_at: ctx.now }
  const row = await ctx.db
    .insertInto('products')
    .values({ ...columns('products', input), ...made })
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

type Placement = Place & { rtu_number: string; road_index: number; price: number }
export async function placements(ctx: Ctx, id: number): Promise<Placement[]> {
  const { rows } = await sql<
    Omit<Placement, 'site'> & { site: RawSite }
  >`select d.rtu_number, d.kind, d.dispensing_mode as "dispensingMode", ${siteOf(ctx)} as site,
      l.road_index, l.price
    from lanes l join devices d on d.id = l.device_id
    where l.product_id = ${id} and l.archived_at is null
      and ${visible(ctx, 'l.org_id', 'l.device_id')} order by d.rtu_number, l.road_index`.execute(
    ctx.db,
  )
  return rows.map(withSite)
}

const lane = shape(ProductLane, ['lanes', 'l'], {
  rtuNumber: sql`d.rtu_number`,
  nickname: sql`d.nickname`,
  // never empty where a product lies
  price: sql`l.price`,
  retailPrice: sql`l.retail_price`,
})
export async function productLanes(ctx: Ctx, input: Input<Contract['lanes']>) {
  const where = [
    sql`l.product_id = ${input.id} and l.archived_at is null`,
    visible(ctx, 'l.org_id', 'l.device_id'),
    ...(input.below === undefined ? [] : [sql`l.price < ${input.below}`]),
  ]
  const { rows: list, total } = await lane.page(ctx.db, {
    from: sql`lanes l join devices d on d.id = l.device_id`,
    where,
    sort: { rtuNumber: sql`d.rtu_number`, quantity: sql`l.quantity`, price: sql`l.price` },
    last: sql`l.id`,
    input,
  })
  const sums = await sql<{
    devices: number
    lanes: number
    stock: number
  }>`select count(distinct l.device_id) as devices, count(*) as lanes,
    coalesce(sum(l.quantity), 0)::int as stock
    from lanes l where ${sql.join(where, sql` and `)}`.execute(ctx.db)
  return { list, total, sums: sums.rows[0] ?? { devices: 0, lanes: 0, stock: 0 } }
}

/** Those that goods of the own organisation may be in, by name: one of the own before others. */
export async function categoriesNamed(
  ctx: Ctx,
  names: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: number; name: string }>`select c.id, c.name
    from product_categories c where c.name = any(${[...names]}::text[])
      and ${inheritable(ctx, 'c.org_id')}
      and c.org_id = any(${[ctx.actor.orgId, ...ctx.actor.scope.ancestors]}::bigint[])
    order by c.org_id = ${ctx.actor.orgId}, c.id desc`.execute(ctx.db)
  return new Map(rows.map(({ id, name }) => [name, id]))
}

/** The category belongs to the product's organisation or one above it. */
export async function categoryFits(ctx: Ctx, categoryId: number, orgId: number): Promise<boolean> {
  const { rows } = await sql`select 1 from product_categories c
      where c.id = ${categoryId} and ${inheritable(ctx, 'c.org_id')}
    and (c.org_id = any(${[...ctx.actor.scope.ancestors]}::bigint[])
      or exists (select 1 from organisations a join organisations o on a.path @> o.path
        where a.id = c.org_id and o.id = ${orgId}))`.execute(ctx.db)
  return rows.length > 0
}

export const rightsOn = (ctx: Ctx, orgId: number) => ({
  owned: owns(ctx, orgId),
  cost: knowsCost(ctx, orgId),
  update: may(ctx, 'product:update'),
  publish: may(ctx, 'product:publish'),
  remove: may(ctx, 'product:delete'),
})
