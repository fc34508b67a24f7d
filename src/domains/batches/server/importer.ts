import { z } from 'zod'
import type { Ctx } from '../../../server/context.ts'
import {
  cellRefusal,
  defineImporter,
  eachRow,
  type Importer,
  type ImportRow,
  type RowError,
} from '../../../server/importers.ts'
import * as f from '../../../shared/fields.ts'
import { bi, filled } from '../../../shared/text.ts'
import { NewBatch } from '../contract.ts'
import { locale } from '../locale.ts'
import { batchErrors } from '../rules.ts'
import * as q from './queries.ts'
import { addBatch, entryOf } from './verbs.ts'

const { fields } = locale.zh
const english = locale.en.fields
const title = (key: keyof typeof fields) => bi(fields[key], english[key])
const enter = (key: keyof typeof fields) => bi(`请填写${fields[key]}`, `Fill in: ${english[key]}`)
const product = {
  key: 'product',
  title: title('productId'),
  example: '6901234567892',
  note: bi('条形码、批准文号或名称', 'Barcode, approval number or name'),
}
const day = { note: 'YYYY-MM-DD', required: true }
const unknown = (key: 'product' | 'supplier' | 'batchNo', several: boolean) =>
  cellRefusal(
    key,
    several
      ? bi('有多个符合的记录，请填写得更具体', 'Several are meant; say it more closely')
      : bi('没有这条记录', 'There is no such entry'),
  )
function only<T>(found: readonly T[], key: 'product' | 'supplier' | 'batchNo'): T {
  const [first, second] = found
  if (!first || second) throw unknown(key, Boolean(second))
  return first
}

const BatchLine = z.strictObject({
  product: f.text(60, enter('productId')),
  supplier: f.text(40, enter('supplierId')),
  batchNo: f.text(40, enter('batchNo')),
  producedOn: f.day,
  expiresOn: f.day,
  receivedQty: z
    .string()
    .regex(/^\d{1,8}$/, bi('须为整数', 'A whole number'))
    .optional(),
  costPrice: z
    .string()
    .regex(/^\d{1,6}(\.\d{1,2})?$/, bi('价格格式错误', 'Not a price'))
    .optional(),
})
async function addBatches(
  ctx: Ctx,
  rows: readonly ImportRow<z.output<typeof BatchLine>>[],
): Promise<readonly RowError[]> {
  const [products, suppliers] = await Promise.all([
    q.productsNamed(ctx, [...new Set(rows.map(({ value }) => value.product))]),
    q.suppliersNamed(ctx, [...new Set(rows.map(({ value }) => value.supplier))]),
  ])
  const errors = await eachRow(ctx, rows, async (quiet, line) => {
    const checked = NewBatch.safeParse({
      productId: only(
        products.filter(({ words }) => words.includes(line.product)),
        'product',
      ).id,
      supplierId: only(
        suppliers.filter(({ name }) => name === line.supplier),
        'supplier',
      ).id,
      batchNo: line.batchNo,
      producedOn: line.producedOn,
      expiresOn: line.expiresOn,
      receivedQty: line.receivedQty === undefined ? null : Number(line.receivedQty),
      costPrice: line.costPrice === undefined ? null : Math.round(Number(line.costPrice) * 100),
    })
    const [wrong] = checked.error?.issues ?? []
    if (!checked.success) throw cellRefusal(String(wrong?.path[0]), String(wrong?.message))
    const after = await addBatch(quiet, checked.data)
    ctx.audit({ action: 'batches.create', ...entryOf(ctx, after) })
  })
  const places: Record<string, string> = { productId: 'product', supplierId: 'supplier' }
  return errors.map(({ column, ...error }) =>
    column ? { ...error, column: places[column] ?? column } : error,
  )
}

const CodeLine = z.strictObject({
  batchNo: f.text(40, enter('batchNo')),
  /** Where the number alone means several. */
  product: z.string().max(60).optional(),
  code: f.traceCode,
})
/** A few statements whatever the number of lines; whose a code is already is not told. */
async function addCodes(
  ctx: Ctx,
  rows: readonly ImportRow<z.output<typeof CodeLine>>[],
): Promise<readonly RowError[]> {
  const numbers = [...new Set(rows.map(({ value }) => value.batchNo))]
  const known = Map.groupBy(await q.batchesNumbered(ctx, numbers), (batch) => batch.batchNo)
  const errors: RowError[] = []
  const lines = rows.flatMap(({ line, value: { batchNo, product: word, code } }) => {
    const meant = (known.get(batchNo) ?? []).filter(
      ({ words }) => word === undefined || words.includes(word),
    )
    const [batch, second] = meant
    if (batch && !second) return [{ line, code, batch }]
    const [wrong] = unknown('batchNo', Boolean(second)).fields
    errors.push({ line, column: 'batchNo', text: wrong?.text ?? '' })
    return []
  })
  const added = await q.addCodes(
    ctx,
    lines.map(({ code, batch }) => ({ code, batchId: batch.id, orgId: batch.orgId })),
  )
  for (const { line, code } of lines)
    if (!added.has(code))
      errors.push({
        line,
        column: 'code',
        text: filled(batchErrors.codesTaken.text, { codes: code }),
      })
  for (const own of Map.groupBy(lines, ({ batch }) => batch.id).values()) {
    const [first] = own
    if (!first) continue
    const { id, batchNo: name, orgId } = first.batch
    const after = { added: own.length, first: first.code }
    ctx.audit({ action: 'batches.addCodes', id, name, after, orgId })
  }
  return errors.sort((a, b) => a.line - b.line)
}

export const importers: readonly Importer[] = [
  defineImporter<typeof BatchLine>({
    kind: 'batches',
    title: bi('批次', 'Batches'),
    permission: 'batch:create',
    columns: [
      { ...product, required: true },
      {
        key: 'supplier',
        title: title('supplierId'),
        required: true,
        example: bi('广东康泽医药', 'Guangdong Kangze Medical'),
      },
      { key: 'batchNo', title: title('batchNo'), required: true, example: '20260901A' },
      { key: 'producedOn', title: title('producedOn'), example: '2026-09-01', ...day },
      { key: 'expiresOn', title: title('expiresOn'), example: '2028-08-31', ...day },
      { key: 'receivedQty', title: title('receivedQty'), example: '200' },
      {
        key: 'costPrice',
        title: title('costPrice'),
        example: '12.80',
        note: bi('元', 'Yuan'),
      },
    ],
    row: BatchLine,
    unique: [['product', 'supplier', 'batchNo']],
    touches: 'batches',
    run: addBatches,
  }),
  defineImporter<typeof CodeLine>({
    kind: 'trace-codes',
    title: bi('追溯码', 'Trace codes'),
    permission: 'trace-code:create',
    columns: [
      { key: 'batchNo', title: title('batchNo'), required: true, example: '20260901A' },
      {
        ...product,
        note: bi('批号有重复时填写', 'Where several batches have the number'),
      },
      {
        key: 'code',
        title: title('codes'),
        required: true,
        example: '81234567890123456789',
        note: bi('每行一个', 'One on each line'),
      },
    ],
    row: CodeLine,
    unique: ['code'],
    touches: 'batches',
    run: addCodes,
  }),
]
