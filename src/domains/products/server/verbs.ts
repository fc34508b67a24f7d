import { isDeepStrictEqual } from 'node:util'
import type { Handlers } from '../../../server/bind.ts'
import {
  type AuditEntry,
  type Ctx,
  found,
  inheritable,
  may,
  owns,
} from '../../../server/context.ts'
import { columns, deleteVersion, guarding, updateVersion } from '../../../server/shapes.ts'
import { common, type ErrorDef, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { yuan } from '../../../shared/money.ts'
import { bi } from '../../../shared/text.ts'
import { canPlace } from '../../drug-guard/rules.ts'
import { missingPictures } from '../../files/server/pictures.ts'
import type { NewProduct, Product, ProductInput, ProductRow, products } from '../contract.ts'
import {
  asGoods,
  drugClassChange,
  marginPermille,
  namePlaces,
  productCan,
  productErrors,
  retailAboveCost,
} from '../rules.ts'
import {
  allCategories,
  categories,
  createCategory,
  editCategory,
  moveCategory,
  removeCategory,
} from './categories.ts'
import { commodityContent } from './commodity.ts'
import { knowsCost } from './cost.ts'
import { lanesFollow, lanesReached, lanesRise } from './lanePrices.ts'
import * as q from './queries.ts'

type Contract = typeof products

const sourceOf = (ctx: Ctx, orgId: number): 'OWN' | 'INHERITED' =>
  owns(ctx, orgId) ? 'OWN' : 'INHERITED'
const canOf = (ctx: Ctx, row: { orgId: number; used: boolean }) =>
  productCan({ ...q.rightsOn(ctx, row.orgId), used: row.used })
const costOf = (ctx: Ctx, row: { orgId: number; costPrice: number }): number | null =>
  knowsCost(ctx, row.orgId) ? row.costPrice : null

function shown(ctx: Ctx, row: q.ProductData): Product {
  const { orgId, used, ...rest } = row
  return {
    ...rest,
    costPrice: costOf(ctx, row),
    source: sourceOf(ctx, orgId),
    can: canOf(ctx, row),
  }
}

const list: Handlers<Contract>['list'] = async (ctx, input) => {
  const { rows, total } = await q.productPage(ctx, input)
  const shownRow = (row: (typeof rows)[number]): ProductRow => {
    const { orgId, used, placed, ...rest } = row
    const [deviceCount, laneCount, stock] = placed
    const costPrice = costOf(ctx, row)
    return {
      ...rest,
      costPrice,
      margin: costPrice === null ? null : marginPermille(costPrice, row.retailPrice),
      deviceCount,
      laneCount,
      stock,
      source: sourceOf(ctx, orgId),
      can: canOf(ctx, row),
    }
  }
  return { list: rows.map(shownRow), total }
}

const options: Handlers<Contract>['options'] = async (ctx, input) => {
  const rows = await q.productOptions(ctx, input)
  return {
    list: rows.map(({ orgId, ...row }) => ({ ...row, costPrice: costOf(ctx, { orgId, ...row }) })),
  }
}

const get: Handlers<Contract>['get'] = async (ctx, input) =>
  shown(ctx, found(await q.one(ctx, input.id)))

const lanes: Handlers<Contract>['lanes'] = async (ctx, input) => {
  found(await q.one(ctx, input.id))
  return q.productLanes(ctx, input)
}

/** A foreign product is not there; one of an organisation above can be seen but not changed. */
async function ownProduct(ctx: Ctx, id: number): Promise<q.ProductData> {
  const row = found(await q.one(ctx, id))
  if (!owns(ctx, row.orgId)) throw new Refusal(productErrors.inherited)
  return row
}

async function checkReferences(ctx: Ctx, input: ProductInput, orgId: number): Promise<void> {
  const below = retailAboveCost(input)
  if (below) throw fieldRefusal(below, 'retailPrice')
  const wrong: { field: string; text: string }[] = []
  if (!(await q.categoryFits(ctx, input.categoryId, orgId)))
    wrong.push({ field: 'categoryId', text: bi('请选择商品分类', 'Choose a category') })
  const unknown = new Set(
    await missingPictures(
      ctx,
      [...input.images, ...input.detailImages],
      inheritable(ctx, 'u.org_id'),
    ),
  )
  for (const field of ['images', 'detailImages'] as const) {
    if (input[field].some((url) => unknown.has(url)))
      wrong.push({ field, text: bi('请上传商品图片', 'Upload a product picture') })
  }
  if (wrong.length) throw new Refusal(common.invalid, {}, wrong)
}

/** What an edit may not do to lanes that hold the product. */
async function checkLanes(ctx: Ctx, before: q.ProductData, input: ProductInput): Promise<void> {
  const [was, is] = [asGoods(before), asGoods(input)]
  if (input.costPrice <= before.costPrice && isDeepStrictEqual(was, is)) return
  const placed = await q.placements(ctx, before.id)
  const looser = drugClassChange(before, input.drugClass, placed.length > 0)
  if (looser) throw fieldRefusal(looser, 'drugClass')
  const below = placed.filter((lane) => lane.price < input.costPrice)
  if (input.costPrice > before.costPrice && below.length) {
    const places = namePlaces(
      below.map((lane) => `${lane.rtu_number}-${lane.road_index} ${yuan(lane.price)}`),
    )
    throw fieldRefusal(productErrors.lanesBelowCost, 'costPrice', { n: below.length, list: places })
  }
  const forbidding = placed.filter((lane) => canPlace(was, lane).ok && !canPlace(is, lane).ok)
  if (forbidding.length) {
    const places = namePlaces(forbidding.map((lane) => `${lane.rtu_number}-${lane.road_index}`))
    throw fieldRefusal(productErrors.lanesForbidDrug, 'drugClass', {
      n: forbidding.length,
      list: places,
    })
  }
}

const unique = guarding({ products_barcode: [productErrors.barcodeTaken, 'barcode'] })

/** Who may enter goods but not put them on the shelf (a supplier) enters them off it. */
const create: Handlers<Contract>['create'] = async (ctx, input) => {
  await checkReferences(ctx, input, ctx.actor.orgId)
  const status = may(ctx, 'product:publish') ? input.status : 'OFF'
  const after = await addProduct(ctx, { ...input, status })
  ctx.audit({ id: after.id, name: after.name, after })
  ctx.touch('products')
  return after
}

/** For whoever has seen to category and pictures. */
export async function addProduct(ctx: Ctx, input: NewProduct): Promise<Product> {
  const id = await unique(q.addProduct(ctx, input))
  return shown(ctx, found(await q.one(ctx, id)))
}

/** Nothing is changed for who may not change the product, too. */
async function raiseLanes(ctx: Ctx, input: ProductInput & { id: number; version: number }) {
  const before = await ownProduct(ctx, input.id)
  if (!may(ctx, 'lane:price') || !canOf(ctx, before).edit) throw new Refusal(common.forbidden)
  if (before.version !== input.version) throw new Refusal(common.stale)
  const below = retailAboveCost(input)
  if (below) throw fieldRefusal(below, 'retailPrice')
  return lanesRise(ctx, input.id, input.costPrice, input.retailPrice)
}

const edit: Handlers<Contract>['edit'] = async (ctx, input) => {
  const raised = input.raiseLanes ? await raiseLanes(ctx, input) : []
  await q.lockProducts(ctx, input.id)
  const before = await ownProduct(ctx, input.id)
  // who may not see the cost cannot send it back unchanged
  if (!canOf(ctx, before).edit) throw new Refusal(common.forbidden)
  if (before.version !== input.version) throw new Refusal(common.stale)
  await checkReferences(ctx, input, before.orgId)
  await checkLanes(ctx, before, input)
  const { id, version, raiseLanes: _, ...fields } = input
  const set = { ...columns('products', fields), updated_at: ctx.now }
  const noDrug = input.drugClass === 'NONE' && before.drugClass !== 'NONE'
  if (noDrug && (await q.hasInsurance(ctx, id)))
    throw fieldRefusal(productErrors.insured, 'drugClass')
  await unique(updateVersion(ctx, 'products', { id, version }, set))
  return finish(ctx, before, raised)
}

/** Refuses by the names of the goods it is about. */
function refuseThose(def: ErrorDef, goods: readonly q.ProductData[]): void {
  const list = namePlaces(goods.map(({ name }) => name))
  if (goods.length) throw new Refusal(def, { list, n: goods.length })
}
const checkShelf = (status: Product['status'], goods: readonly q.ProductData[]) =>
  refuseThose(
    productErrors.noPicture,
    status === 'ON' ? goods.filter(({ images }) => images.length === 0) : [],
  )

const publish: Handlers<Contract>['publish'] = async (ctx, input) => {
  await q.lockProducts(ctx, input.id)
  const before = await ownProduct(ctx, input.id)
  checkShelf(input.status, [before])
  await updateVersion(ctx, 'products', input, { status: input.status, updated_at: ctx.now })
  return finish(ctx, before)
}

const batch: Handlers<Contract>['batch'] = async (ctx, { items: asked, ...change }) => {
  const { status, categoryId, retailPrice } = change
  const followed = change.alsoLanes ? retailPrice : undefined
  if (followed && !may(ctx, 'lane:price')) throw new Refusal(common.forbidden)
  const items = [...new Map(asked.map((item) => [item.id, item])).values()]
  const ids = items.map(({ id }) => id)
  await q.lockProducts(ctx, ...ids)
  const goods = await q.many(ctx, ids)
  if (goods.length < items.length) throw new Refusal(common.notFound)
  if (goods.some(({ orgId }) => !owns(ctx, orgId))) throw new Refusal(productErrors.inherited)
  if (goods.some((row) => !canOf(ctx, row)[status ? 'publish' : 'edit']))
    throw new Refusal(common.forbidden)
  if (status) checkShelf(status, goods)
  if (retailPrice)
    refuseThose(
      productErrors.manyBelowCost,
      goods.filter((row) => row.costPrice > retailPrice),
    )
  for (const orgId of new Set(categoryId ? goods.map((row) => row.orgId) : []))
    if (!(await q.categoryFits(ctx, categoryId as number, orgId)))
      throw new Refusal(common.invalid, {}, [
        { field: 'categoryId', text: bi('请选择商品分类', 'Choose a category') },
      ])
  const reached = followed
    ? await lanesReached(ctx, ids, followed)
    : { devices: 0, lanes: 0, raised: 0, lowered: 0 }
  const answer = { changed: items.length, ...reached }
  if (change.dryRun) {
    ctx.audit()
    return answer
  }
  const set = {
    ...(status ? { status } : {}),
    ...(categoryId ? { category_id: categoryId } : {}),
    ...(retailPrice ? { retail_price: retailPrice } : {}),
    updated_at: ctx.now,
  }
  for (const item of items) await updateVersion(ctx, 'products', item, set)
  const after = new Map((await q.many(ctx, ids)).map((row) => [row.id, shown(ctx, row)]))
  ctx.audit(
    ...goods.map((row) => ({
      id: row.id,
      name: row.name,
      before: shown(ctx, row),
      after: after.get(row.id),
      orgId: row.orgId,
    })),
  )
  if (followed) await lanesFollow(ctx, ids, followed)
  ctx.touch('products')
  ctx.touch('lanes')
  return answer
}

async function finish(
  ctx: Ctx,
  before: q.ProductData,
  more: readonly AuditEntry[] = [],
): Promise<Product> {
  const after = shown(ctx, found(await q.one(ctx, before.id)))
  const changed = { before: shown(ctx, before), after, orgId: before.orgId }
  ctx.audit({ id: before.id, name: before.name, ...changed }, ...more)
  ctx.touch('products')
  // open planograms show the product's name, picture and whether it sells
  ctx.touch('lanes')
  return after
}

const stillReferred = (error: unknown): never => {
  throw (error as { code?: string }).code === '23503' ? new Refusal(productErrors.used) : error
}

const remove: Handlers<Contract>['remove'] = async (ctx, input) => {
  await q.lockProducts(ctx, input.id)
  const before = await ownProduct(ctx, input.id)
  if (before.used) throw new Refusal(productErrors.used)
  await deleteVersion(ctx, 'products', input).catch(stillReferred)
  ctx.audit({ id: input.id, name: before.name, before: shown(ctx, before), orgId: before.orgId })
  ctx.touch('products')
  return { ok: true as const }
}

export const handlers: Handlers<Contract> = {
  list,
  options,
  get,
  lanes,
  create,
  edit,
  publish,
  batch,
  remove,
  commodityContent,
  categories,
  allCategories,
  createCategory,
  editCategory,
  moveCategory,
  removeCategory,
}
