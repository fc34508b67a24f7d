import { type RawBuilder, sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, inheritable, iso, may, owns, visible } from '../../../server/context.ts'
import { selectPage } from '../../../server/lists.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import type { CategoryRow, products } from '../contract.ts'
import { productErrors } from '../rules.ts'

type Contract = typeof products
type Row = { id: number; org_id: number; name: string; sort: number; version: number; created_at: Date; products: number }

const placed = (watched: RawBuilder<unknown>) => sql`select l.product_id from lanes l where l.device_id = ${watched}`
const goods = (ctx: Ctx) => inheritable(ctx, 'p.org_id', (watched) => sql`p.id in (${placed(watched)})`)
const readable = (ctx: Ctx) => inheritable(ctx, 'c.org_id', (watched) => sql`c.id in (select p.category_id from products p where p.id in (${placed(watched)}))`)
const counted = (ctx: Ctx) => sql`(select count(*) from products p where p.category_id = c.id and ${goods(ctx)})`
const columns = (ctx: Ctx) => sql`c.id, c.org_id, c.name, c.sort, c.version, c.created_at, ${counted(ctx)} as products`

function shown(ctx: Ctx, row: Row): CategoryRow {
  const owned = owns(ctx, row.org_id)
  return {
    id: row.id,
    name: row.name,
    productCount: row.products,
    sort: row.sort,
    source: owned ? 'OWN' : 'INHERITED',
    version: row.version,
    createTime: iso(row.created_at),
    can: { edit: owned && may(ctx, 'product-category:update'), delete: owned && may(ctx, 'product-category:delete') },
  }
}

async function one(ctx: Ctx, id: number): Promise<Row> {
  const { rows } = await sql<Row>`select ${columns(ctx)} from product_categories c where c.id = ${id} and ${readable(ctx)}`.execute(ctx.db)
  return found(rows[0])
}

async function ownOne(ctx: Ctx, id: number): Promise<Row> {
  const row = await one(ctx, id)
  if (!owns(ctx, row.org_id)) throw new Refusal(productErrors.inherited)
  return row
}

const nameTaken = (error: unknown): never => {
  if ((error as { constraint?: string }).constraint !== 'product_categories_org_id_name_key') throw error
  throw new Refusal(productErrors.categoryNameTaken, {}, [{ field: 'name', text: productErrors.categoryNameTaken.text }])
}

export const categories: Handlers<Contract>['categories'] = async (ctx, input) => {
  const { rows, total } = await selectPage<Row>(ctx.db, {
    columns: columns(ctx),
    from: sql`product_categories c`,
    where: [readable(ctx), input.keyword && sql`position(lower(${input.keyword}) in lower(c.name)) > 0`],
    sort: { sort: sql`c.sort`, name: sql`c.name`, createTime: sql`c.created_at`, productCount: counted(ctx) },
    last: sql`c.id`,
    input,
  })
  return { list: rows.map((row) => shown(ctx, row)), total }
}

export const allCategories: Handlers<Contract>['allCategories'] = async (ctx) => {
  const { rows } = await sql<{
    id: number
    name: string
  }>`select c.id, c.name from product_categories c where ${readable(ctx)} order by c.sort, c.id limit 1000`.execute(ctx.db)
  return { list: rows }
}

export const createCategory: Handlers<Contract>['createCategory'] = async (ctx, input) => {
  const added = await ctx.db
    .insertInto('product_categories')
    .values({ org_id: ctx.actor.orgId, name: input.name, sort: input.sort, created_at: ctx.now })
    .returning('id')
    .executeTakeFirstOrThrow()
    .catch(nameTaken)
  const after = shown(ctx, await one(ctx, added.id))
  ctx.audit({ id: after.id, name: after.name, after })
  ctx.touch('products')
  return after
}

export const editCategory: Handlers<Contract>['editCategory'] = async (ctx, input) => {
  const before = await ownOne(ctx, input.id)
  const changed = await ctx.db
    .updateTable('product_categories')
    .set((eb) => ({ name: input.name, sort: input.sort, version: eb('version', '+', 1) }))
    .where('id', '=', input.id)
    .where('version', '=', input.version)
    .where(visible(ctx, 'org_id'))
    .executeTakeFirst()
    .catch(nameTaken)
  if (!changed.numUpdatedRows) throw new Refusal(common.stale)
  const after = shown(ctx, await one(ctx, input.id))
  ctx.audit({ id: after.id, name: before.name, before: shown(ctx, before), after, orgId: before.org_id })
  ctx.touch('products')
  return after
}

export const removeCategory: Handlers<Contract>['removeCategory'] = async (ctx, input) => {
  const before = await ownOne(ctx, input.id)
  if (before.products > 0) throw new Refusal(productErrors.categoryInUse, { n: before.products })
  const removed = await ctx.db
    .deleteFrom('product_categories')
    .where('id', '=', input.id)
    .where('version', '=', input.version)
    .where(visible(ctx, 'org_id'))
    .executeTakeFirst()
  if (!removed.numDeletedRows) throw new Refusal(common.stale)
  ctx.audit({ id: input.id, name: before.name, before: shown(ctx, before), orgId: before.org_id })
  ctx.touch('products')
  return { ok: true as const }
}
