import { type RawBuilder, sql } from 'kysely'
import { type Ctx, inheritable, may, owns, visible } from '../../../server/context.ts'
import { matches, selectPage } from '../../../server/lists.ts'
import type { Input } from '../../../shared/contract.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import type { ProductInput, products } from '../contract.ts'
import type { DrugClass, SellingDevice } from '../rules.ts'

type Contract = typeof products

export type ProductData = {
  id: number
  org_id: number
  org_name: string | null
  category_id: number
  category_name: string
  name: string
  model: string
  drug_class: DrugClass
  cost_price: number
  retail_price: number
  barcode: string | null
  manufacturer: string
  approval_no: string | null
  dosage_form: string | null
  store_temp_min: number | null
  store_temp_max: number | null
  purchase_limit: number
  warn_qty: number | null
  near_expiry_days: number | null
  images: string[]
  detail_images: string[]
  status: 'ON' | 'OFF'
  version: number
  updated_at: Date
  used: boolean
}
type Figures = { placed: [devices: number, lanes: number, stock: number]; sales30: number }

/** What lies in machines that are looked at. */
const placed = (watched: RawBuilder<unknown>) => sql`p.id in (select l.product_id from lanes l where l.device_id = ${watched})`
/** Own rows and those above; people who watch drugs see drugs only. */
const readable = (ctx: Ctx): RawBuilder<unknown> => {
  const shared = inheritable(ctx, 'p.org_id', placed)
  return ctx.actor.scope.watched ? sql`${shared} and p.drug_class <> 'NONE'` : shared
}

const own = (ctx: Ctx, column: string): RawBuilder<unknown> => visible(ctx, column)

/**
 * Placed now, or ever stocked or sold, each by an index; a lane that was archived before it was filled is found by the foreign key.
 * Organisations that can place a product stand below its owner, so the owner's scope sees them all.
 */
const used = sql`(exists (select 1 from lanes l where l.product_id = p.id and l.archived_at is null) or exists (select 1 from stock_flows f where f.product_id = p.id)
  or exists (select 1 from product_rollups r where r.product_id = p.id))`

const columns = sql`p.*, c.name as category_name, o.name as org_name, ${used} as used`
const from = sql`products p join product_categories c on c.id = p.category_id left join organisations o on o.id = p.org_id`

export function productPage(ctx: Ctx, input: Input<Contract['list']>) {
  const since = addDays(shanghaiDay(ctx.now), -29)
  const lanes = (value: RawBuilder<unknown>) =>
    sql`(select ${value} from lanes l where l.product_id = p.id and l.archived_at is null and ${visible(ctx, 'l.org_id', 'l.device_id')})`
  const sales = sql`(select coalesce(sum(r.pieces), 0)::int from product_rollups r where r.product_id = p.id and r.day >= ${since} and ${visible(ctx, 'r.org_id', 'r.device_id')})`
  return selectPage<ProductData & Figures>(ctx.db, {
    // PostgreSQL evaluates these after the limit unless they are the sort key
    columns: sql`${columns}, ${lanes(sql`json_build_array(count(distinct l.device_id), count(*), coalesce(sum(l.quantity), 0))`)} as placed, ${sales} as sales30`,
    from,
    countFrom: sql`products p`,
    where: [
      readable(ctx),
      matches('products', 'p.id', input.keyword),
      input.categoryId && sql`p.category_id = ${input.categoryId}`,
      input.drugClass && sql`p.drug_class = ${input.drugClass}`,
      input.status && sql`p.status = ${input.status}`,
      input.source === 'OWN' && own(ctx, 'p.org_id'),
      input.source === 'INHERITED' && sql`not ${own(ctx, 'p.org_id')}`,
    ],
    sort: {
      createTime: sql`p.created_at`,
      updateTime: sql`p.updated_at`,
      name: sql`p.name`,
      retailPrice: sql`p.retail_price`,
      laneCount: lanes(sql`count(*)`),
      stock: lanes(sql`coalesce(sum(l.quantity), 0)`),
      sales30: sales,
    },
    last: sql`p.id`,
    input,
  })
}

export async function product(ctx: Ctx, id: number): Promise<ProductData | undefined> {
  const { rows } = await sql<ProductData>`select ${columns} from ${from} where p.id = ${id} and ${readable(ctx)}`.execute(ctx.db)
  return rows[0]
}

/** Holds an own product until the end of the transaction, so that two edits check their rules one after the other. */
export async function lockProduct(ctx: Ctx, id: number): Promise<void> {
  await sql`select 1 from products p where p.id = ${id} and ${own(ctx, 'p.org_id')} for update`.execute(ctx.db)
}

export async function productOptions(ctx: Ctx, input: Input<Contract['options']>) {
  type Row = Pick<
    ProductData,
    'id' | 'org_id' | 'images' | 'name' | 'model' | 'drug_class' | 'cost_price' | 'retail_price' | 'warn_qty' | 'purchase_limit' | 'status'
  >
  const read = (where: RawBuilder<unknown>) =>
    sql<Row>`select p.id, p.org_id, p.images, p.name, p.model, p.drug_class, p.cost_price, p.retail_price, p.warn_qty, p.purchase_limit, p.status
    from products p where ${readable(ctx)} and ${where} order by p.name, p.id limit 50`.execute(ctx.db)
  const chosen = input.id ? (await read(sql`p.id = ${input.id}`)).rows : []
  const { rows } = await read(sql`p.status = 'ON' and ${matches('products', 'p.id', input.keyword) ?? sql`true`}`)
  return [...chosen, ...rows.filter((row) => row.id !== input.id)]
}

const values = (input: ProductInput) => ({
  category_id: input.categoryId,
  name: input.name,
  model: input.model,
  drug_class: input.drugClass,
  cost_price: input.costPrice,
  retail_price: input.retailPrice,
  barcode: input.barcode,
  manufacturer: input.manufacturer,
  approval_no: input.approvalNo,
  dosage_form: input.dosageForm,
  store_temp_min: input.storeTempMin,
  store_temp_max: input.storeTempMax,
  purchase_limit: input.purchaseLimit,
  warn_qty: input.warnQty,
  near_expiry_days: input.nearExpiryDays,
  images: input.images,
  detail_images: input.detailImages,
})

export async function addProduct(ctx: Ctx, input: ProductInput & { status: 'ON' | 'OFF' }): Promise<number> {
  const row = await ctx.db
    .insertInto('products')
    .values({ ...values(input), status: input.status, org_id: ctx.actor.orgId, created_at: ctx.now, updated_at: ctx.now })
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

/** False when the version is stale. */
export async function changeProduct(ctx: Ctx, id: number, version: number, change: ProductInput | { status: 'ON' | 'OFF' }): Promise<boolean> {
  const set = 'name' in change ? values(change) : change
  const { numUpdatedRows } = await ctx.db
    .updateTable('products')
    .set((eb) => ({ ...set, updated_at: ctx.now, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .where('version', '=', version)
    .where(sql<boolean>`${own(ctx, 'org_id')}`)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function removeProduct(ctx: Ctx, id: number, version: number): Promise<boolean> {
  const { numDeletedRows } = await ctx.db
    .deleteFrom('products')
    .where('id', '=', id)
    .where('version', '=', version)
    .where(sql<boolean>`${own(ctx, 'org_id')}`)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

type Placement = SellingDevice & { rtu_number: string; road_index: number; price: number }
export async function placements(ctx: Ctx, id: number): Promise<Placement[]> {
  const { rows } = await sql<
    Placement & { dispensing_mode: SellingDevice['dispensingMode'] }
  >`select d.rtu_number, d.kind, d.dispensing_mode, l.road_index, l.price
    from lanes l join devices d on d.id = l.device_id where l.product_id = ${id} and l.archived_at is null and ${visible(ctx, 'l.org_id', 'l.device_id')} order by d.rtu_number, l.road_index`.execute(
    ctx.db,
  )
  return rows.map((row) => ({ ...row, dispensingMode: row.dispensing_mode }))
}

type LaneData = {
  id: number
  device_id: number
  rtu_number: string
  nickname: string
  road_index: number
  quantity: number
  capacity: number
  price: number
  retail_price: number
  status: string
}
export async function productLanes(ctx: Ctx, input: Input<Contract['lanes']>) {
  const where = [sql`l.product_id = ${input.id} and l.archived_at is null`, visible(ctx, 'l.org_id', 'l.device_id')]
  const { rows, total } = await selectPage<LaneData>(ctx.db, {
    columns: sql`l.id, l.device_id, d.rtu_number, d.nickname, l.road_index, l.quantity, l.capacity, l.price, l.retail_price, l.status`,
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
  }>`select count(distinct l.device_id) as devices, count(*) as lanes, coalesce(sum(l.quantity), 0)::int as stock
    from lanes l where ${sql.join(where, sql` and `)}`.execute(ctx.db)
  return { rows, total, sums: sums.rows[0] ?? { devices: 0, lanes: 0, stock: 0 } }
}

/** The category belongs to the product's organisation or one above it. */
export async function categoryFits(ctx: Ctx, categoryId: number, orgId: number): Promise<boolean> {
  const { rows } = await sql`select 1 from product_categories c where c.id = ${categoryId} and ${inheritable(ctx, 'c.org_id')}
    and (c.org_id = any(${[...ctx.actor.scope.ancestors]}::bigint[])
      or exists (select 1 from organisations a join organisations o on a.path @> o.path where a.id = c.org_id and o.id = ${orgId}))`.execute(ctx.db)
  return rows.length > 0
}

/** Pictures nobody in sight uploaded. */
export async function unknownImages(ctx: Ctx, urls: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ url: string }>`select u.url from uploads u where u.url = any(${[...urls]}::text[]) and ${inheritable(ctx, 'u.org_id')}`.execute(
    ctx.db,
  )
  const known = new Set(rows.map((row) => row.url))
  return urls.filter((url) => !known.has(url))
}

export const rightsOn = (ctx: Ctx, orgId: number) => ({
  owned: owns(ctx, orgId),
  cost: may(ctx, 'product:cost'),
  update: may(ctx, 'product:update'),
  publish: may(ctx, 'product:publish'),
  remove: may(ctx, 'product:delete'),
})
