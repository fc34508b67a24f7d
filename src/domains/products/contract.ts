import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page, pageWithSums } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { DrugFacts } from '../drug-guard/contract.ts'
import { commodityContent } from './commodityContract.ts'
import {
  barcodeIsValid,
  type Checked,
  dosageForms,
  drugClasses,
  productErrors,
  productFindings,
  ruleTexts,
} from './rules.ts'

const DrugClass = z.enum(drugClasses, bi('请选择药品分类', 'Choose a drug class'))
const Status = z.enum(['ON', 'OFF']).meta({ tones: { ON: 'online', OFF: 'offline' } })
const count = z.number().int().min(0)

/** An empty field of a form is no value. */
const orNull = (isFine: (value: string) => boolean, text: string) =>
  z
    .string()
    .trim()
    .max(60)
    .nullable()
    .default(null)
    .transform((value) => value || null)
    .refine((value) => value === null || isFine(value), text)
const eachOnce = (all: readonly string[]) => new Set(all).size === all.length
const upload = bi('请上传商品图片', 'Upload a product picture')
const pictures = z
  .array(f.imageUrl, upload)
  .max(5, bi('最多上传5张图片', 'At most 5 pictures'))
  .refine(eachOnce, bi('图片重复', 'The same picture twice'))
const celsius = z.number().min(-40).max(60).multipleOf(0.1).nullable().default(null)

const fields = {
  name: f.text(60, bi('请输入商品名称', 'Enter a product name')),
  categoryId: z
    .number({ error: bi('请选择商品分类', 'Choose a category') })
    .int()
    .positive(bi('请选择商品分类', 'Choose a category'))
    .max(Number.MAX_SAFE_INTEGER),
  drugClass: DrugClass,
  model: f.text(60, bi('请输入规格', 'Enter the specification')),
  costPrice: f.priceOf(bi('请输入成本价', 'Enter the cost')),
  retailPrice: f.priceOf(bi('请输入销售价', 'Enter the retail price')),
  images: pictures.min(1, upload),
  detailImages: pictures.default([]),
  barcode: orNull(barcodeIsValid, ruleTexts.barcode),
  /** 通用名: as the package and the law call a drug. */
  genericName: f.optionalText(60),
  manufacturer: f.optionalText(60),
  approvalNo: orNull(
    (value) => /^国药准字[HZSJBTF][CJ]?\d{8}$/.test(value),
    ruleTexts.approvalNoShape,
  ),
  dosageForm: orNull(
    (value) => (dosageForms as readonly string[]).includes(value),
    ruleTexts.dosageForm,
  ),
  storeTempMin: celsius,
  storeTempMax: celsius,
  /** A compound preparation with special drugs: never sold without a pharmacist. */
  specialCompound: z.boolean().default(false),
  /** Null: as the class says, drugs do. */
  traceRequired: z.boolean().nullable().default(null),
  purchaseLimit: z.number().int().min(0).max(999).default(0),
  warnQty: z.number().int().min(0).max(199).nullable().default(null),
  nearExpiryDays: z.number().int().min(1).max(720).nullable().default(null),
  /** Whether its buyers may get a red packet. Null: as the class says, drugs do not. */
  redPackets: z.boolean().nullable().default(null),
}

function wholeProduct(product: Checked, check: z.core.ParsePayload<unknown>): void {
  for (const { field, text } of productFindings(product))
    check.issues.push({ code: 'custom', path: [field], message: text, input: product })
}

export const NewProduct = z
  .strictObject({ ...fields, status: Status.default('ON') })
  .check((c) => wholeProduct(c.value as Checked, c))
/** The shelf has its own endpoint: it asks first and needs its own permission. */
export const EditProduct = z
  .strictObject({
    id: f.id,
    ...fields,
    version: f.version,
    /** Lanes that cost less than the new cost take the new retail price (with lane:price). */
    raiseLanes: z.boolean().default(false),
  })
  .check((c) => wholeProduct(c.value as Checked, c))
/** From a file: pictures come later, and with them the shelf. */
const { images: _pictures, detailImages: _details, ...plain } = fields
export const ImportedProduct = z
  .strictObject(plain)
  .check((c) => wholeProduct(c.value as Checked, c))
export type ImportedProduct = z.infer<typeof ImportedProduct>
export type NewProduct = z.infer<typeof NewProduct>
export type ProductInput = Omit<NewProduct, 'status'>
const changes = ['status', 'categoryId', 'retailPrice'] as const
const oneChange = bi('请选择要修改的内容', 'Choose what to change')

/** Figures an actor without product:cost may not see are null. */
const shownCost = f.fen.nullable()
const Can = z.strictObject({ edit: z.boolean(), publish: z.boolean(), delete: z.boolean() })

export const ProductRow = z.strictObject({
  id: f.id,
  img: z.string().meta({ unit: 'image' }),
  name: z.string(),
  model: z.string(),
  categoryId: f.id,
  categoryName: z.string(),
  drugClass: z.enum(drugClasses),
  genericName: z.string(),
  barcode: z.string().nullable(),
  costPrice: shownCost,
  retailPrice: f.fen,
  /** Share of the retail price that stays, in tenths of a percent. */
  margin: z.number().int().nullable().meta({ unit: 'permille' }),
  deviceCount: count,
  laneCount: count,
  stock: count,
  /** Pieces sold in the last 30 days. */
  sales30: count,
  /** INHERITED: belongs to an organisation above, can be used but not changed. */
  source: z.enum(['OWN', 'INHERITED']),
  orgName: z.string().nullable(),
  /** The medical insurance knows it today. */
  insured: z.boolean(),
  status: Status,
  version: f.version,
  updateTime: f.instant,
  can: Can,
})
export type ProductRow = z.infer<typeof ProductRow>

export const Product = z.strictObject({
  id: f.id,
  ...f.shown(fields),
  categoryName: z.string(),
  costPrice: shownCost,
  status: Status,
  source: z.enum(['OWN', 'INHERITED']),
  orgName: z.string().nullable(),
  version: f.version,
  updateTime: f.instant,
  can: Can,
})
export type Product = z.infer<typeof Product>

export const ProductOption = ProductRow.pick({
  id: true,
  img: true,
  name: true,
  model: true,
  drugClass: true,
  costPrice: true,
  retailPrice: true,
  status: true,
}).extend({ warnQty: Product.shape.warnQty, purchaseLimit: count, drug: DrugFacts })
export type ProductOption = z.infer<typeof ProductOption>

export const ProductQuery = listQuery(
  {
    keyword,
    categoryId: f.id.optional(),
    drugClass: z.enum(drugClasses).optional(),
    status: Status.optional(),
    source: z.enum(['OWN', 'INHERITED']).optional(),
    insured: z.boolean().optional(),
    manufacturer: keyword,
    approvalNo: keyword,
    /** Part of the name of who delivers it. */
    supplier: keyword,
    priceFrom: f.fen.optional(),
    priceTo: f.fen.optional(),
  },
  ['createTime', 'updateTime', 'name', 'retailPrice', 'laneCount', 'stock', 'sales30'],
  '-createTime',
)

const laneTones = {
  ENABLED: 'online',
  DISABLED: 'locked',
  FAULT: 'fault',
  LOCKED: 'locked',
  MERGED: 'closed',
}

export const ProductLane = z.strictObject({
  id: f.id,
  deviceId: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  roadIndex: z.number().int(),
  quantity: count,
  capacity: count,
  price: f.fen,
  retailPrice: f.fen,
  status: z.string().meta({ tones: laneTones }),
})

const categoryFields = {
  name: f.text(20, bi('请输入分类名称', 'Enter a category name')),
  sort: z.number().int().min(0).max(9999).default(0),
}
export const CategoryRow = z.strictObject({
  id: f.id,
  ...f.shown(categoryFields),
  productCount: count,
  source: z.enum(['OWN', 'INHERITED']),
  version: f.version,
  createTime: f.instant,
  can: z.strictObject({ edit: z.boolean(), delete: z.boolean() }),
})
export type CategoryRow = z.infer<typeof CategoryRow>
export const NewCategory = z.strictObject(categoryFields)
export const EditCategory = z.strictObject({ id: f.id, ...categoryFields, version: f.version })

const byId = z.strictObject({ id: f.id })
/** A destructive act carries the version the person saw. */
const byVersion = z.strictObject({ id: f.id, version: f.version })
const editErrors = [
  productErrors.barcodeTaken,
  productErrors.inherited,
  productErrors.belowCost,
  productErrors.lanesBelowCost,
  productErrors.tooManyToRaise,
  productErrors.looserDrugClass,
  productErrors.lanesForbidDrug,
  productErrors.insured,
]

export const products = {
  list: read('product:read', {
    path: '/products',
    summary: 'Own products and those of organisations above',
    input: ProductQuery,
    output: page(ProductRow),
    export: 'product:export',
  }),
  options: read('product:read', {
    path: '/products/options',
    summary:
      'Products on the shelf for a picker: the first 50; `id` adds the chosen one whatever its status',
    input: z.strictObject({
      keyword,
      id: f.id.optional(),
      source: z.literal('OWN').optional(),
      drugs: z.boolean().optional(),
    }),
    output: z.strictObject({ list: z.array(ProductOption) }),
  }),
  get: read('product:read', {
    path: '/products/{id}',
    summary: 'One product',
    input: byId,
    output: Product,
  }),
  lanes: read('product:read', {
    path: '/products/{id}/lanes',
    summary: 'Lanes that hold the product; `below`: those that cost less than this',
    input: listQuery(
      { id: f.id, below: f.fen.optional() },
      ['rtuNumber', 'quantity', 'price'],
      'rtuNumber',
    ),
    output: pageWithSums(
      ProductLane,
      z.strictObject({ devices: count, lanes: count, stock: count }),
    ),
  }),
  create: write('product:create', {
    path: '/products',
    summary: 'Add a product to the own organisation',
    audit: 'products.create',
    idempotent: true,
    errors: [productErrors.barcodeTaken, productErrors.belowCost],
    input: NewProduct,
    output: Product,
  }),
  edit: write('product:update', {
    method: 'PUT',
    path: '/products/{id}',
    summary: 'Change a product',
    audit: 'products.edit',
    errors: editErrors,
    input: EditProduct,
    output: Product,
  }),
  publish: write('product:publish', {
    method: 'PUT',
    path: '/products/{id}/status',
    summary: 'Put on or take off the shelf; lanes keep their stock but stop selling',
    audit: 'products.publish',
    errors: [productErrors.inherited, productErrors.noPicture],
    input: z.strictObject({ id: f.id, status: Status, version: f.version }),
    output: Product,
  }),
  batch: write('product:update', {
    path: '/products/batch',
    summary: 'Shelf (with product:publish), category or retail price of several, all or none',
    audit: 'products.batch',
    errors: [productErrors.inherited, productErrors.noPicture, productErrors.manyBelowCost],
    input: z
      .strictObject({
        items: z.array(byVersion).min(1).max(200),
        status: Status.optional(),
        categoryId: fields.categoryId.optional(),
        retailPrice: fields.retailPrice.optional(),
        /** Lanes take the new price, too (with lane:price): machine after machine, soon. */
        alsoLanes: z.boolean().default(false),
        dryRun: z.boolean().default(false),
      })
      .check((c) => {
        const given = changes.filter((key) => c.value[key] !== undefined)
        if (given.length === 1) return
        for (const key of given.length ? given : changes)
          c.issues.push({ code: 'custom', path: [key], message: oneChange, input: c.value })
      }),
    output: z.strictObject({
      changed: count,
      /** What takes the price besides: machines, lanes, and how many of those change which way. */
      devices: count,
      lanes: count,
      raised: count,
      lowered: count,
    }),
  }),
  remove: write('product:delete', {
    method: 'DELETE',
    path: '/products/{id}',
    summary: 'Delete a product that was never used',
    audit: 'products.remove',
    errors: [productErrors.used, productErrors.inherited],
    input: byVersion,
    output: f.done,
  }),
  commodityContent,
  categories: read('product-category:read', {
    path: '/product-categories',
    summary: 'Categories with their number of products',
    input: listQuery({ keyword }, ['sort', 'name', 'createTime', 'productCount'], 'sort'),
    output: page(CategoryRow),
  }),
  allCategories: read('product:read', {
    path: '/product-categories/all',
    summary: 'Categories for a picker',
    output: z.strictObject({ list: z.array(z.strictObject({ id: f.id, name: z.string() })) }),
  }),
  createCategory: write('product-category:create', {
    path: '/product-categories',
    summary: 'Add a category',
    audit: 'products.createCategory',
    errors: [productErrors.categoryNameTaken],
    input: NewCategory,
    output: CategoryRow,
  }),
  editCategory: write('product-category:update', {
    method: 'PUT',
    path: '/product-categories/{id}',
    summary: 'Change a category',
    audit: 'products.editCategory',
    errors: [productErrors.categoryNameTaken, productErrors.inherited],
    input: EditCategory,
    output: CategoryRow,
  }),
  moveCategory: write('product-category:update', {
    method: 'PUT',
    path: '/product-categories/{id}/place',
    summary: 'Puts a category before or behind another one',
    audit: 'products.moveCategory',
    errors: [productErrors.inherited],
    input: z.strictObject({
      id: f.id,
      version: f.version,
      besideId: f.id,
      side: z.enum(['BEFORE', 'AFTER']),
    }),
    output: CategoryRow,
  }),
  removeCategory: write('product-category:delete', {
    method: 'DELETE',
    path: '/product-categories/{id}',
    summary: 'Delete an empty category',
    audit: 'products.removeCategory',
    errors: [productErrors.categoryInUse, productErrors.inherited],
    input: byVersion,
    output: f.done,
  }),
}
