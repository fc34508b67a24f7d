import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, iso, knowsCost, owns } from '../../../server/context.ts'
import { common, Refusal, reject } from '../../../shared/errors.ts'
import { yuan } from '../../../shared/money.ts'
import { bi } from '../../../shared/text.ts'
import type { Product, ProductInput, ProductRow, products } from '../contract.ts'
import { becomesStricter, drugClassChange, marginPermille, mayBeSoldOn, namePlaces, productCan, productErrors, retailAboveCost } from '../rules.ts'
import { allCategories, categories, createCategory, editCategory, removeCategory } from './categories.ts'
import * as q from './queries.ts'

type Contract = typeof products

const sourceOf = (ctx: Ctx, orgId: number): 'OWN' | 'INHERITED' => (owns(ctx, orgId) ? 'OWN' : 'INHERITED')
const canOf = (ctx: Ctx, row: q.ProductData) => productCan({ ...q.rightsOn(ctx, row.org_id), used: row.used })
const costOf = (ctx: Ctx, row: { org_id: number; cost_price: number }): number | null => (knowsCost(ctx, row.org_id) ? row.cost_price : null)

function shown(ctx: Ctx, row: q.ProductData): Product {
  return {
    id: row.id,
    name: row.name,
    categoryId: row.category_id,
    categoryName: row.category_name,
    drugClass: row.drug_class,
    model: row.model,
    costPrice: costOf(ctx, row),
    retailPrice: row.retail_price,
    images: row.images,
    detailImages: row.detail_images,
    barcode: row.barcode,
    manufacturer: row.manufacturer,
    approvalNo: row.approval_no,
    dosageForm: row.dosage_form,
    storeTempMin: row.store_temp_min,
    storeTempMax: row.store_temp_max,
    purchaseLimit: row.purchase_limit,
    warnQty: row.warn_qty,
    nearExpiryDays: row.near_expiry_days,
    status: row.status,
    source: sourceOf(ctx, row.org_id),
    orgName: row.org_name,
    version: row.version,
    updateTime: iso(row.updated_at),
    can: canOf(ctx, row),
  }
}

const list: Handlers<Contract>['list'] = async (ctx, input) => {
  const { rows, total } = await q.productPage(ctx, input)
  const shownRow = (row: (typeof rows)[number]): ProductRow => ({
    id: row.id,
    img: row.images[0] ?? '',
    name: row.name,
    model: row.model,
    categoryId: row.category_id,
    categoryName: row.category_name,
    drugClass: row.drug_class,
    barcode: row.barcode,
    costPrice: costOf(ctx, row),
    retailPrice: row.retail_price,
    margin: knowsCost(ctx, row.org_id) ? marginPermille(row.cost_price, row.retail_price) : null,
    deviceCount: row.placed[0],
    laneCount: row.placed[1],
    stock: row.placed[2],
    sales30: row.sales30,
    source: sourceOf(ctx, row.org_id),
    orgName: row.org_name,
    status: row.status,
    version: row.version,
    updateTime: iso(row.updated_at),
    can: canOf(ctx, row),
  })
  return { list: rows.map(shownRow), total }
}

const options: Handlers<Contract>['options'] = async (ctx, input) => {
  const rows = await q.productOptions(ctx, input)
  return {
    list: rows.map((row) => ({
      id: row.id,
      img: row.images[0] ?? '',
      name: row.name,
      model: row.model,
      drugClass: row.drug_class,
      costPrice: costOf(ctx, row),
      retailPrice: row.retail_price,
      warnQty: row.warn_qty,
      purchaseLimit: row.purchase_limit,
      status: row.status,
    })),
  }
}

const get: Handlers<Contract>['get'] = async (ctx, input) => shown(ctx, found(await q.product(ctx, input.id)))

const lanes: Handlers<Contract>['lanes'] = async (ctx, input) => {
  found(await q.product(ctx, input.id))
  const { rows, total, sums } = await q.productLanes(ctx, input)
  const list = rows.map((row) => ({
    id: row.id,
    deviceId: row.device_id,
    rtuNumber: row.rtu_number,
    nickname: row.nickname,
    roadIndex: row.road_index,
    quantity: row.quantity,
    capacity: row.capacity,
    price: row.price,
    retailPrice: row.retail_price,
    status: row.status,
  }))
  return { list, total, sums }
}

/** A foreign product is not there; one of an organisation above can be seen but not changed. */
async function ownProduct(ctx: Ctx, id: number): Promise<q.ProductData> {
  const row = found(await q.product(ctx, id))
  if (!owns(ctx, row.org_id)) throw new Refusal(productErrors.inherited)
  return row
}

async function checkReferences(ctx: Ctx, input: ProductInput, orgId: number): Promise<void> {
  const below = retailAboveCost(input)
  if (below) throw new Refusal(below, {}, [{ field: 'retailPrice', text: below.text }])
  const wrong: { field: string; text: string }[] = []
  if (!(await q.categoryFits(ctx, input.categoryId, orgId))) wrong.push({ field: 'categoryId', text: bi('请选择商品分类', 'Choose a category') })
  const unknown = new Set(await q.unknownImages(ctx, [...input.images, ...input.detailImages]))
  for (const field of ['images', 'detailImages'] as const) {
    if (input[field].some((url) => unknown.has(url))) wrong.push({ field, text: bi('请上传商品图片', 'Upload a product picture') })
  }
  if (wrong.length) throw new Refusal(common.invalid, {}, wrong)
}

/** What an edit may not do to lanes that hold the product. */
async function checkLanes(ctx: Ctx, before: q.ProductData, input: ProductInput): Promise<void> {
  if (input.costPrice <= before.cost_price && input.drugClass === before.drug_class) return
  const placed = await q.placements(ctx, before.id)
  reject(drugClassChange({ drugClass: before.drug_class, status: before.status }, input.drugClass, placed.length > 0))
  const below = placed.filter((lane) => lane.price < input.costPrice)
  if (input.costPrice > before.cost_price && below.length) {
    const places = namePlaces(below.map((lane) => `${lane.rtu_number}-${lane.road_index} ${yuan(lane.price)}`))
    throw new Refusal(productErrors.lanesBelowCost, { n: below.length, list: places }, [{ field: 'costPrice', text: productErrors.lanesBelowCost.text }])
  }
  const forbidding = becomesStricter(before.drug_class, input.drugClass) ? placed.filter((lane) => !mayBeSoldOn(lane, input.drugClass)) : []
  if (forbidding.length) {
    const places = namePlaces(forbidding.map((lane) => `${lane.rtu_number}-${lane.road_index}`))
    throw new Refusal(productErrors.lanesForbidDrug, { n: forbidding.length, list: places }, [{ field: 'drugClass', text: productErrors.lanesForbidDrug.text }])
  }
}

const barcodeTaken = (error: unknown): never => {
  if ((error as { constraint?: string }).constraint !== 'products_barcode') throw error
  throw new Refusal(productErrors.barcodeTaken, {}, [{ field: 'barcode', text: productErrors.barcodeTaken.text }])
}

const create: Handlers<Contract>['create'] = async (ctx, input) => {
  await checkReferences(ctx, input, ctx.actor.orgId)
  const id = await q.addProduct(ctx, input).catch(barcodeTaken)
  const after = shown(ctx, found(await q.product(ctx, id)))
  ctx.audit({ id, name: after.name, after })
  ctx.touch('products')
  return after
}

const edit: Handlers<Contract>['edit'] = async (ctx, input) => {
  await q.lockProduct(ctx, input.id)
  const before = await ownProduct(ctx, input.id)
  // who may not see the cost cannot send it back unchanged
  if (!canOf(ctx, before).edit) throw new Refusal(common.forbidden)
  if (before.version !== input.version) throw new Refusal(common.stale)
  await checkReferences(ctx, input, before.org_id)
  await checkLanes(ctx, before, input)
  if (!(await q.changeProduct(ctx, input.id, input.version, input).catch(barcodeTaken))) throw new Refusal(common.stale)
  return finish(ctx, before)
}

const publish: Handlers<Contract>['publish'] = async (ctx, input) => {
  const before = await ownProduct(ctx, input.id)
  if (!(await q.changeProduct(ctx, input.id, input.version, { status: input.status }))) throw new Refusal(common.stale)
  return finish(ctx, before)
}

async function finish(ctx: Ctx, before: q.ProductData): Promise<Product> {
  const after = shown(ctx, found(await q.product(ctx, before.id)))
  ctx.audit({ id: before.id, name: before.name, before: shown(ctx, before), after, orgId: before.org_id })
  ctx.touch('products')
  // open planograms show the product's name, picture and whether it sells
  ctx.touch('lanes')
  return after
}

const stillReferred = (error: unknown): never => {
  throw (error as { code?: string }).code === '23503' ? new Refusal(productErrors.used) : error
}

const remove: Handlers<Contract>['remove'] = async (ctx, input) => {
  await q.lockProduct(ctx, input.id)
  const before = await ownProduct(ctx, input.id)
  if (before.used) throw new Refusal(productErrors.used)
  if (!(await q.removeProduct(ctx, input.id, input.version).catch(stillReferred))) throw new Refusal(common.stale)
  ctx.audit({ id: input.id, name: before.name, before: shown(ctx, before), orgId: before.org_id })
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
  remove,
  categories,
  allCategories,
  createCategory,
  editCategory,
  removeCategory,
}
