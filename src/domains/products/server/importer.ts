import { z } from 'zod'
import type { Ctx } from '../../../server/context.ts'
import {
  cellRefusal,
  defineImporter,
  eachRow,
  type ImportRow,
  type RowError,
} from '../../../server/importers.ts'
import * as f from '../../../shared/fields.ts'
import { bi } from '../../../shared/text.ts'
import { ImportedProduct } from '../contract.ts'
import { locale } from '../locale.ts'
import { dosageForms, drugClasses, productErrors } from '../rules.ts'
import { categoriesNamed } from './queries.ts'
import { addProduct } from './verbs.ts'

const cell = z.string().optional()
const Row = z.strictObject({
  name: f.text(60, bi('请输入商品名称', 'Enter a product name')),
  category: f.text(20, bi('请选择商品分类', 'Choose a category')),
  drugClass: cell,
  model: f.text(60, bi('请输入规格', 'Enter the specification')),
  costPrice: f.text(12, bi('请输入成本价', 'Enter the cost')),
  retailPrice: f.text(12, bi('请输入销售价', 'Enter the retail price')),
  barcode: cell,
  genericName: cell,
  manufacturer: cell,
  approvalNo: cell,
  dosageForm: cell,
  storeTempMin: cell,
  storeTempMax: cell,
  traceRequired: cell,
  specialCompound: cell,
  purchaseLimit: cell,
  warnQty: cell,
  nearExpiryDays: cell,
  redPackets: cell,
})
type Row = z.output<typeof Row>
type Key = keyof Row

const { fields, enums } = locale.zh
const { fields: english, enums: englishEnums } = locale.en
/** By the words of both languages and by the identifiers. */
const meaning = <V extends string>(values: readonly V[], ...words: Record<V, string>[]) =>
  new Map(
    values.flatMap((value) =>
      [value, ...words.map((texts) => texts[value])].map(
        (word) => [word.toLowerCase(), value] as const,
      ),
    ),
  )
const classes = meaning(
  drugClasses,
  enums.drugClass,
  enums.drugShort,
  englishEnums.drugClass,
  englishEnums.drugShort,
)
const forms = meaning(dosageForms, enums.dosageForm, englishEnums.dosageForm)
const yesNo = new Map([
  ['是', true],
  ['yes', true],
  ['否', false],
  ['no', false],
])

function word<V>(key: Key, text: string | undefined, known: ReadonlyMap<string, V>): V | null {
  if (text === undefined) return null
  const found = known.get(text.toLowerCase())
  if (found === undefined)
    throw cellRefusal(key, bi('不在可选范围内', 'Not one of the words that may stand here'))
  return found
}
function number(key: Key, text: string | undefined): number | null {
  if (text === undefined) return null
  if (!/^-?\d{1,6}(\.\d)?$/.test(text)) throw cellRefusal(key, bi('不是数字', 'Not a number'))
  return Number(text)
}
function fen(key: Key, text: string): number {
  if (!/^\d{1,6}(\.\d{1,2})?$/.test(text)) throw cellRefusal(key, bi('价格格式错误', 'Not a price'))
  return Math.round(Number(text) * 100)
}

function product(row: Row, categories: ReadonlyMap<string, number>): ImportedProduct {
  const categoryId = categories.get(row.category)
  if (categoryId === undefined)
    throw cellRefusal('category', bi('没有这个分类', 'There is no such category'))
  const read = ImportedProduct.safeParse({
    name: row.name,
    model: row.model,
    categoryId,
    drugClass: word('drugClass', row.drugClass, classes) ?? 'NONE',
    costPrice: fen('costPrice', row.costPrice),
    retailPrice: fen('retailPrice', row.retailPrice),
    barcode: row.barcode ?? null,
    genericName: row.genericName ?? '',
    manufacturer: row.manufacturer ?? '',
    approvalNo: row.approvalNo ?? null,
    dosageForm: word('dosageForm', row.dosageForm, forms),
    storeTempMin: number('storeTempMin', row.storeTempMin),
    storeTempMax: number('storeTempMax', row.storeTempMax),
    traceRequired: word('traceRequired', row.traceRequired, yesNo),
    specialCompound: word('specialCompound', row.specialCompound, yesNo) ?? false,
    purchaseLimit: number('purchaseLimit', row.purchaseLimit) ?? 0,
    warnQty: number('warnQty', row.warnQty),
    nearExpiryDays: number('nearExpiryDays', row.nearExpiryDays),
    redPackets: word('redPackets', row.redPackets, yesNo),
  })
  const wrong = read.error?.issues[0]
  if (!read.success) throw cellRefusal(String(wrong?.path[0]), String(wrong?.message))
  if (read.data.retailPrice < read.data.costPrice)
    throw cellRefusal('retailPrice', productErrors.belowCost.text)
  return read.data
}

async function run(ctx: Ctx, rows: readonly ImportRow<Row>[]): Promise<readonly RowError[]> {
  const categories = await categoriesNamed(ctx, [
    ...new Set(rows.map(({ value }) => value.category)),
  ])
  return eachRow(ctx, rows, async (quiet, row) => {
    const read = product(row, categories)
    const after = await addProduct(quiet, { ...read, images: [], detailImages: [], status: 'OFF' })
    ctx.audit({ action: 'products.create', id: after.id, name: after.name, after })
  })
}

const titles = { ...fields, category: fields.categoryName }
const englishTitles = { ...english, category: english.categoryName }
const column = (
  key: Key,
  example: string | undefined,
  more: { note?: string; required?: true } = {},
) => ({
  key,
  title: bi(titles[key], englishTitles[key]),
  ...(example === undefined ? {} : { example }),
  ...more,
})
const required = true
const list = (zh: object, en: object) =>
  bi(Object.values(zh).join('、'), Object.values(en).join(', '))
const ofDrugs = bi('药品必填', 'Required for drugs')
const yuan = bi('元', 'Yuan')
const yes = bi('是、否', 'Yes, no')
export const productImporter = defineImporter<typeof Row>({
  kind: 'products',
  title: bi('商品', 'Products'),
  permission: 'product:import',
  columns: [
    column('name', bi('矿泉水', 'Mineral water'), { required }),
    column('category', bi('饮料', 'Drinks'), {
      required,
      note: bi('已有的分类', 'A category that exists'),
    }),
    column('drugClass', bi(enums.drugClass.NONE, englishEnums.drugClass.NONE), {
      note: list(enums.drugClass, englishEnums.drugClass),
    }),
    column('model', '550ml', { required }),
    column('costPrice', '0.90', { required, note: yuan }),
    column('retailPrice', '2.00', { required, note: yuan }),
    column('barcode', '6901234567892', { note: bi('8、12、13或14位', '8, 12, 13 or 14 digits') }),
    column('genericName', undefined, { note: bi('药品的通用名', 'Of drugs') }),
    column('manufacturer', undefined, { note: ofDrugs }),
    column('approvalNo', undefined, { note: ofDrugs }),
    column('dosageForm', undefined, { note: list(enums.dosageForm, englishEnums.dosageForm) }),
    column('storeTempMin', undefined, { note: '°C' }),
    column('storeTempMax', undefined, { note: '°C' }),
    column('traceRequired', undefined, { note: yes }),
    column('specialCompound', undefined, { note: yes }),
    column('purchaseLimit', '0', { note: bi('0 为不限', '0 is no limit') }),
    column('warnQty', undefined),
    column('nearExpiryDays', undefined),
    column('redPackets', undefined, { note: yes }),
  ],
  row: Row,
  unique: ['barcode'],
  touches: 'products',
  run,
})
