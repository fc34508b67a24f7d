import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { codes } from './codeContract.ts'
import { recalls } from './recallContract.ts'
import { batchErrors, dateFindings, recallLevels } from './rules.ts'

const Status = z
  .enum(['NORMAL', 'RECALLED', 'EXPIRED'])
  .meta({ tones: { NORMAL: 'online', RECALLED: 'fault', EXPIRED: 'offline' } })
const chosen = (required: string) =>
  z.number({ error: required }).int().positive(required).max(Number.MAX_SAFE_INTEGER)

const fields = {
  batchNo: f.text(40, bi('请输入批号', 'Enter the batch number')),
  producedOn: f.dayOf(bi('请选择生产日期', 'Choose the day of production')),
  expiresOn: f.dayOf(bi('请选择有效期', 'Choose the last day of use')),
  /** Null: nobody counts them. */
  receivedQty: z.number().int().min(0).max(10_000_000).nullable().default(null),
  costPrice: f.price.nullable().default(null),
  report: z
    .union([f.imageUrl, z.literal('')])
    .default('')
    .meta({ unit: 'image' }),
}
const inOrder = (c: z.core.ParsePayload<{ producedOn: string; expiresOn: string }>) => {
  for (const { field, text } of dateFindings(c.value))
    c.issues.push({ code: 'custom', path: [field], message: text, input: c.value })
}
export const NewBatch = z
  .strictObject({
    productId: chosen(bi('请选择商品', 'Choose a product')),
    supplierId: chosen(bi('请选择供应商', 'Choose a supplier')),
    ...fields,
  })
  .check(inOrder)
export const EditBatch = z.strictObject({ id: f.id, version: f.version, ...fields }).check(inOrder)

export const BatchRow = z.strictObject({
  id: f.id,
  ...f.shown(fields),
  productId: f.id,
  productName: z.string(),
  model: z.string(),
  supplierId: f.id,
  supplierName: z.string(),
  loadedQty: f.count,
  returnedQty: f.count,
  /** In the store; null: nobody counts them. */
  remaining: z.number().int().nullable(),
  status: Status,
  recallLevel: z.enum(recallLevels).nullable(),
  recallNo: z.string(),
  recallReason: z.string(),
  recalledAt: f.instant.nullable(),
  orgId: f.id,
  orgName: z.string(),
  version: f.version,
  createTime: f.instant,
  can: z.strictObject({
    update: z.boolean(),
    delete: z.boolean(),
    recall: z.boolean(),
    codes: z.boolean(),
  }),
})
export type BatchRow = z.infer<typeof BatchRow>

const byId = z.strictObject({ id: f.id })
const reason = f.text(200, bi('请输入原因', 'Enter the reason'))
const touched = z.strictObject({ devices: f.count, lanes: f.count, pieces: f.count })
const errors = [batchErrors.numberTaken, batchErrors.producedLater, batchErrors.lessThanLoaded]

export const batches = {
  list: read('batch:read', {
    path: '/batches',
    summary: 'Batches of goods, own and of organisations above; people of a supplier see theirs',
    input: listQuery(
      {
        keyword,
        productId: f.id.optional(),
        supplierId: f.id.optional(),
        status: Status.optional(),
      },
      ['createTime', 'batchNo', 'producedOn', 'expiresOn'],
      '-createTime',
    ),
    output: page(BatchRow),
    export: 'batch:export',
  }),
  create: write('batch:create', {
    path: '/batches',
    summary: 'Add a batch, to the organisation of its supplier',
    audit: 'batches.create',
    errors: [
      ...errors,
      batchErrors.productElsewhere,
      batchErrors.supplierOff,
      batchErrors.licenceEnded,
    ],
    input: NewBatch,
    output: BatchRow,
  }),
  update: write('batch:update', {
    method: 'PUT',
    path: '/batches/{id}',
    summary: 'Change a batch; lanes that hold it follow its dates',
    audit: 'batches.update',
    errors,
    input: EditBatch,
    output: BatchRow,
  }),
  recallPreview: read('batch:recall', {
    path: '/batches/{id}/recall',
    summary: 'How many machines, lanes and pieces a recall stops',
    input: byId,
    output: touched,
  }),
  recall: write('batch:recall', {
    path: '/batches/{id}/recall',
    summary: 'Recalls a batch: locks every lane that holds it and tells who fetches it',
    audit: 'batches.recall',
    errors: [batchErrors.recalledAlready],
    input: z.strictObject({
      id: f.id,
      version: f.version,
      level: z.enum(recallLevels, bi('请选择召回级别', 'Choose the level')),
      recallNo: f.optionalText(60),
      reason,
      /** A picture of the notice. */
      notice: z
        .union([f.imageUrl, z.literal('')])
        .default('')
        .meta({ unit: 'image' }),
    }),
    output: touched,
  }),
  unrecall: write('batch:recall', {
    path: '/batches/{id}/unrecall',
    summary:
      'Ends a recall whose goods are all accounted for; while some lie in machines, asks a second person to',
    audit: 'batches.unrecall',
    errors: [batchErrors.notRecalled],
    input: z.strictObject({ id: f.id, version: f.version, reason }),
    output: touched.extend({ ended: z.boolean() }),
  }),
  remove: write('batch:delete', {
    method: 'DELETE',
    path: '/batches/{id}',
    summary: 'Remove a batch that was never loaded and has no trace codes',
    audit: 'batches.remove',
    errors: [batchErrors.used],
    input: z.strictObject({ id: f.id, version: f.version }),
    output: z.strictObject({}),
  }),
  ...recalls,
  ...codes,
  addCodes: write('trace-code:create', {
    path: '/batches/{id}/trace-codes',
    summary: 'Trace codes of the boxes of a batch, all or none; unique on the platform',
    audit: 'batches.addCodes',
    errors: [batchErrors.codesTaken],
    input: z.strictObject({
      id: f.id,
      codes: z
        .array(f.traceCode, bi('请输入追溯码', 'Enter trace codes'))
        .min(1, bi('请输入追溯码', 'Enter trace codes'))
        .max(1000, bi('一次最多 1000 个追溯码', 'At most 1,000 codes at a time'))
        .refine((all) => new Set(all).size === all.length, bi('追溯码重复', 'A code stands twice')),
    }),
    output: z.strictObject({ added: f.count }),
  }),
}
