import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page, rangeFields } from '../../shared/listQuery.ts'
import { codeStates, uploadStates } from './rules.ts'

export const codeTones = {
  IN_STOCK: 'paid',
  LOADED: 'online',
  SOLD: 'success',
  WITHDRAWN: 'warn',
} as const
const State = z.enum(codeStates).meta({ tones: codeTones })
const Upload = z
  .enum(uploadStates)
  .meta({ tones: { WAITING: 'paid', SENT: 'success', FAILED: 'fault' } })

/** A box, and where it is. */
export const CodeRow = z.strictObject({
  code: z.string(),
  productName: z.string(),
  batchId: f.id,
  batchNo: z.string(),
  expiresOn: f.day,
  state: State,
  /** It came back because of its quality and is kept apart. */
  quarantined: z.boolean(),
  rtuNumber: z.string().nullable(),
  cargoRoad: z.number().int().nullable(),
  orderNum: z.string().nullable(),
  soldAt: f.instant.nullable(),
  /** Null: there is nothing to tell the platform yet. */
  upload: Upload.nullable(),
  uploadReason: z.string(),
  orgName: z.string(),
  createTime: f.instant,
})
export type CodeRow = z.infer<typeof CodeRow>

export const stepKinds = [
  'RECEIVED',
  'LOADED',
  'WITHDRAWN',
  'SOLD',
  'RETURNED',
  'UPLOADED',
  'RECALLED',
] as const
/** What happened to a box. */
export const Step = z.strictObject({
  kind: z.enum(stepKinds),
  at: f.instant,
  rtuNumber: z.string().nullable(),
  cargoRoad: z.number().int().nullable(),
  /** Who did it, the order, or the buyer masked. */
  who: z.string(),
  orderNum: z.string().nullable(),
  /** From this step to the next, in the machine. */
  tempMin: z.number().nullable(),
  tempMax: z.number().nullable(),
})

/** Codes told together. */
export const uploadMost = 500

export const codes = {
  traceCodes: read('trace-code:read', {
    path: '/trace-codes',
    summary: 'Boxes with a trace code, own and of organisations above',
    input: listQuery(
      {
        code: z.string().trim().max(64).optional(),
        productId: f.id.optional(),
        batchNo: keyword,
        state: State.optional(),
        deviceId: f.id.optional(),
        orderNum: keyword,
        upload: Upload.optional(),
        ...rangeFields,
      },
      ['createTime'],
      '-createTime',
    ),
    output: page(CodeRow),
    export: 'trace-code:export',
  }),
  codePath: read('trace-code:read', {
    path: '/trace-codes/{code}/path',
    summary:
      'The path of one box: batch, who loaded it, how warm it was, to whom it was sold (masked)',
    input: z.strictObject({ code: f.traceCode }),
    output: z.strictObject({ box: CodeRow, steps: z.array(Step) }),
  }),
  upload: write('trace-code:upload', {
    path: '/trace-codes/upload',
    summary: 'Tells the traceability platform at once what waits or failed: these codes, or all',
    audit: 'batches.upload',
    input: z.strictObject({
      codes: z.array(f.traceCode).min(1).max(uploadMost).optional(),
    }),
    output: z.strictObject({ codes: f.count }),
  }),
}
