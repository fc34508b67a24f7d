import { z } from 'zod'
import { read } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page, rangeFields, wholeRange } from '../../shared/listQuery.ts'
import { regionCode } from '../../shared/place.ts'
import { drugClasses } from '../products/rules.ts'
import { lockReasons } from './rules.ts'

const Reason = z.enum(lockReasons)
const DrugClass = z.enum(drugClasses)

/** A lane that was stopped for the sake of its goods. */
export const LockRow = z.strictObject({
  id: f.id,
  deviceId: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  roadIndex: z.number().int(),
  productId: f.id.nullable(),
  productName: z.string().nullable(),
  drugClass: DrugClass.nullable(),
  reason: Reason.meta({
    tones: {
      COMPLIANCE: 'fault',
      EXPIRY: 'warn',
      RECALL: 'fault',
      TEMPERATURE: 'warn',
      TRACE_CODE: 'warn',
      WRONG_PRODUCT: 'warn',
    },
  }),
  since: f.instant.nullable(),
  qty: f.count,
  /** Of all batches in it. */
  batchNo: z.string(),
  /** The organisation whose people see to it. */
  orgName: z.string(),
  /** By when it should be settled; a recall says by its level. */
  dueAt: f.instant.nullable(),
})
export type LockRow = z.infer<typeof LockRow>

export const drugControl = {
  locks: read('near-expiry:read', {
    path: '/drug-locks',
    summary: 'Lanes that were stopped for the sake of their goods, the longest first',
    input: listQuery(
      {
        reason: Reason.optional(),
        deviceId: f.id.optional(),
        productId: f.id.optional(),
        batchNo: keyword,
        code: keyword,
        region: regionCode().optional(),
        ...rangeFields,
      },
      ['since', 'qty', 'rtuNumber'],
      'since',
    ).refine(...wholeRange),
    export: 'near-expiry:export',
    output: page(LockRow),
  }),
}
