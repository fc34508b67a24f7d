import { type RawBuilder, sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, inheritable, may, owns } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { deleteVersion, guarding, type Rows, shape, updateVersion } from '../../../server/shapes.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import * as f from '../../../shared/fields.ts'
import { CategoryRow, type products } from '../contract.ts'
import { type Placed, productErrors, sortsOf } from '../rules.ts'

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

/** Categories of its organisation and of those above it, as they stand; its own wait for no one. */
const standing = (ctx: Ctx, orgId: number) =>
  rowsOf<Placed>(ctx.db)`with own as materialized (select c.id, c.sort from product_categories c
      where c.org_id = ${orgId} order by c.id for no key update)
    select own.id, own.sort, true as own from own
    union all select c.id, c.sort, false from product_categories c
      where ${readable(ctx)} and c.org_id <> ${orgId}
        and c.org_id::text = any(string_to_array((select o.path::text from organisations o
          where o.id = ${orgId}), '.'))
    order by sort, id`

export const moveCategory: Handlers<Contract>['moveCategory'] = async (ctx, input) => {
  const { id, version, besideId, side } = input
  const before = await ownOne(ctx, id)
  const others = (await standing(ctx, before.orgId)).filter((row) => row.id !== id)
  const beside = others.findIndex((row) => row.id === besideId)
  if (beside < 0) throw new Refusal(common.notFound)
  const at = side === 'AFTER' ? beside + 1 : beside
  const moved = { id, sort: before.sort, own: true }
  const sorts = sortsOf([...others.slice(0, at), moved, ...others.slice(at)], id)
  // the row itself gets a new version wherever it stands, so that an older page is told
  const sort = sorts.find((row) => row.id === id)?.sort ?? before.sort
  await updateVersion(ctx, 'product_categories', { id, version }, { sort })
  const pushed = sorts.filter((row) => row.id !== id)
  if (pushed.length)
    await sql`update product_categories c set sort = n.sort, version = c.version + 1
      from jsonb_to_recordset(${JSON.stringify(pushed)}::jsonb) as n(id bigint, sort int)
      where c.id = n.id and c.org_id = ${before.orgId}`.execute(ctx.db)
  const after = shown(ctx, await one(ctx, id))
  const { name, orgId } = before
  ctx.audit({ id, name, before: { sort: before.sort }, after: { sort }, orgId })
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
