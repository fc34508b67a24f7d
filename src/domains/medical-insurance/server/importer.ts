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
import { insuranceClasses, insuranceCode, NewItem } from '../contract.ts'
import { locale } from '../locale.ts'
import * as q from './queries.ts'
import { addItem } from './verbs.ts'

const decimal = (text: string) =>
  z
    .string()
    .regex(/^\d{1,6}(\.\d{1,2})?$/, text)
    .optional()
const Row = z.strictObject({
  product: f.text(60, bi('请选择商品', 'Choose a product')),
  insuranceCode,
  insuranceClass: f.text(20, bi('请选择医保类别', 'Choose the insurance class')),
  payPrice: decimal(bi('价格格式错误', 'Not a price')),
  selfRatio: decimal(bi('自付比例须为0-100，最多两位小数', 'From 0 to 100, at most two decimals')),
  validFrom: f.day,
  validUntil: f.day,
})
type Row = z.output<typeof Row>

/** By the words of both languages, by those of the catalogue and by the identifiers. */
const classWords = new Map(
  insuranceClasses.flatMap((one) => {
    const word = locale.zh.enums.insuranceClass[one]
    return [one, word, word.replace('医保', ''), locale.en.enums.insuranceClass[one]].map(
      (text) => [text.toLowerCase(), one] as const,
    )
  }),
)

function meant<P extends { words: readonly string[] }>(products: readonly P[], word: string): P {
  const [first, second] = products.filter(({ words }) => words.includes(word))
  if (!first) throw cellRefusal('product', bi('没有这个商品', 'There is no such product'))
  if (second)
    throw cellRefusal(
      'product',
      bi('有多个这样的商品，请填写条形码', 'Several products are meant; use the barcode'),
    )
  return first
}

async function run(ctx: Ctx, rows: readonly ImportRow<Row>[]): Promise<readonly RowError[]> {
  const products = await q.productsNamed(ctx, [...new Set(rows.map(({ value }) => value.product))])
  const errors = await eachRow(ctx, rows, async (quiet, { product: word, ...row }) => {
    const product = meant(products, word)
    const insuranceClass = classWords.get(row.insuranceClass.toLowerCase())
    if (!insuranceClass)
      throw cellRefusal('insuranceClass', bi('医保类别不正确', 'There is no such class'))
    const checked = NewItem.safeParse({
      ...row,
      insuranceClass,
      productId: product.id,
      payPrice: row.payPrice === undefined ? null : Math.round(Number(row.payPrice) * 100),
      selfRatio: row.selfRatio === undefined ? null : Number(row.selfRatio),
    })
    const [wrong] = checked.error?.issues ?? []
    if (!checked.success) throw cellRefusal(String(wrong?.path[0]), String(wrong?.message))
    const after = await addItem(quiet, product, checked.data)
    const about = { id: after.id, name: product.name, after, orgId: product.orgId }
    ctx.audit({ action: 'medicalInsurance.create', ...about })
  })
  return errors.map((error) =>
    error.column === 'productId' ? { ...error, column: 'product' } : error,
  )
}

const { fields, enums } = locale.zh
const { fields: english, enums: words } = locale.en
const title = (key: keyof typeof fields) => bi(fields[key], english[key])
export const insuranceImporter = defineImporter<typeof Row>({
  kind: 'medical-insurance',
  title: bi('医保信息', 'Insurance entries'),
  permission: 'medical-insurance:import',
  columns: [
    {
      key: 'product',
      title: title('productId'),
      required: true,
      example: '6901234567892',
      note: bi('条形码、批准文号或名称', 'Barcode, approval number or name'),
    },
    {
      key: 'insuranceCode',
      title: title('insuranceCode'),
      required: true,
      example: 'XA01ABD075A002010100483',
      note: bi('23位，X或Z开头', '23 characters, the first is X or Z'),
    },
    {
      key: 'insuranceClass',
      title: title('insuranceClass'),
      required: true,
      example: bi(enums.insuranceClass.A, words.insuranceClass.A),
      note: bi(
        Object.values(enums.insuranceClass).join('、'),
        Object.values(words.insuranceClass).join(', '),
      ),
    },
    {
      key: 'payPrice',
      title: title('payPrice'),
      example: '12.80',
      note: bi('元', 'Yuan'),
    },
    { key: 'selfRatio', title: title('selfRatio'), example: '10.00', note: '%' },
    {
      key: 'validFrom',
      title: title('validFrom'),
      required: true,
      example: '2027-01-01',
      note: 'YYYY-MM-DD',
    },
    {
      key: 'validUntil',
      title: title('validUntil'),
      required: true,
      example: '2027-12-31',
      note: 'YYYY-MM-DD',
    },
  ],
  row: Row,
  unique: [['validFrom', 'product']],
  touches: 'medical-insurance',
  run,
})
