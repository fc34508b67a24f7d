import { type RawBuilder, sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, inheritable, may, owns } from '../../../server/context.ts'
import { deleteVersion, guarding, type Rows, shape, updateVersion } from '../../../server/shapes.ts'
import { Refusal } from '../../../shared/errors.ts'
import * as f from '../../../shared/fields.ts'
import { CategoryRow, type products } from '../contract.ts'
import { productErrors } from '../rules.ts'

type Contract = typeof products
const placed = (watched: RawBuilder<unknown>) =>
  sql`select l.product_id from lanes l where l.device_id = ${watched}`
const goods = (ctx: Ctx) =>
  inheritable(ctx, 'p.org_id', (watched) => sql`p.id in (${placed(watched)})`)
const readable = (ctx: Ctx) =>
  inheritable(
    ctx,
    'c.org_id',
    (watched) =>
      sql`c.id in (select p.category_id from products p where p.id in (${placed(watched)}))`,
  )
const counted = (ctx: Ctx) =>
  sql`(select count(*) from products p where p.category_id = c.id and ${goods(ctx)})`
const category = (ctx: Ctx) =>
  shape(
    CategoryRow.extend({ orgId: f.id }),
    ['product_categories', 'c'],
    { productCount: counted(ctx), createTime: sql`c.created_at` },
    ['source', 'can'],
  )
type Row = Rows<typeof category>

function shown(ctx: Ctx, { orgId, ...row }: Row): CategoryRow {
  const owned = owns(ctx, orgId)
  return {
    ...row,
    source: owned ? 'OWN' : 'INHERITED',
    can: {
      edit: owned && may(ctx, 'product-category:update'),
      delete: owned && may(ctx, 'product-category:delete'),
    },
  }
}

async function one(ctx: Ctx, id: number): Promise<Row> {
  const from = sql`from product_categories c where c.id = ${id} and ${readable(ctx)}`
  return found(await category(ctx).one(ctx.db, from))
}

async function ownOne(ctx: Ctx, id: number): Promise<Row> {
  const row = await one(ctx, id)
  if (!owns(ctx, row.orgId)) throw new Refusal(productErrors.inherited)
  return row
}

const unique = guarding({
  product_categories_org_id_name_key: [productErrors.categoryNameTaken, 'name'],
})

export const categories: Handlers<Contract>['categories'] = async (ctx, input) => {
  const { rows, total } = await category(ctx).page(ctx.db, {
    from: sql`product_categories c`,
    where: [
      readable(ctx),
      input.keyword && sql`position(lower(${input.keyword}) in lower(c.name)) > 0`,
    ],
    sort: {
      sort: sql`c.sort`,
      name: sql`c.name`,
      createTime: sql`c.created_at`,
      productCount: counted(ctx),
    },
    last: sql`c.id`,
    input,
  })
  return { list: rows.map((row) => shown(ctx, row)), total }
}

export const allCategories: Handlers<Contract>['allCategories'] = async (ctx) => {
  const { rows } = await sql<{
    id: number
    name: string
  }>`select c.id, c.name from product_categories c where ${readable(ctx)} order by c.sort, c.id
    limit 1000`.execute(ctx.db)
  return { list: rows }
}

export const createCategory: Handlers<Contract>['createCategory'] = async (ctx, input) => {
  const values = { ...input, org_id: ctx.actor.orgId, created_at: ctx.now }
  const added = await unique(
    ctx.db
      .insertInto('product_categories')
      .values(values)
      .returning('id')
      .executeTakeFirstOrThrow(),
  )
  const after = shown(ctx, await one(ctx, added.id))
  ctx.audit({ id: after.id, name: after.name, after })
  ctx.touch('products')
  return after
}

export const editCategory: Handlers<Contract>['editCategory'] = async (ctx, input) => {
  const before = await ownOne(ctx, input.id)
  const { id, version, ...fields } = input
  await unique(updateVersion(ctx, 'product_categories', { id, version }, fields))
  const after = shown(ctx, await one(ctx, input.id))
  ctx.audit({
    id: after.id,
    name: before.name,
    before: shown(ctx, before),
    after,
    orgId: before.orgId,
  })
  ctx.touch('products')
  return after
}

export const removeCategory: Handlers<Contract>['removeCategory'] = async (ctx, input) => {
  const before = await ownOne(ctx, input.id)
  if (before.productCount > 0)
    throw new Refusal(productErrors.categoryInUse, { n: before.productCount })
  await deleteVersion(ctx, 'product_categories', input)
  ctx.audit({ id: input.id, name: before.name, before: shown(ctx, before), orgId: before.orgId })
  ctx.touch('products')
  return { ok: true as const }
}
