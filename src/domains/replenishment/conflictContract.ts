import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { fileErrors } from '../files/contract.ts'
import { replenishmentErrors } from './errors.ts'

export const conflictKinds = [
  'PRODUCT_CHANGED',
  'LANE_REBUILT',
  'VEND_NEAR',
  'TO_COUNT',
  'TRACE_CODE',
] as const
/** What somebody may say of it; the other ones come by themselves. */
export const conflictChoices = [
  'NOT_PUT',
  'OLD_GOODS',
  'PUT_IN_NEW',
  'TAKE_BACK',
  'BEFORE',
  'AFTER',
  'CODES_CHECKED',
] as const
/** `COUNTED`: a later count settled it. */
export const conflictEnds = [...conflictChoices, 'COUNTED'] as const

/** What a phone did that does not fit to what the lane is. */
export const Conflict = z.strictObject({
  id: f.id,
  visitId: f.id,
  clientId: z.string(),
  deviceId: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  userId: f.id,
  userName: z.string(),
  laneId: f.id,
  roadIndex: z.number().int(),
  productName: z.string(),
  kind: z.enum(conflictKinds).meta({
    tones: {
      PRODUCT_CHANGED: 'fault',
      LANE_REBUILT: 'fault',
      VEND_NEAR: 'warn',
      TO_COUNT: 'warn',
      TRACE_CODE: 'fault',
    },
  }),
  /** Name of the rule, see errors.ts. */
  error: z.string().nullable(),
  countedQty: f.count.nullable(),
  addedQty: f.count,
  withdrawnQty: f.count,
  codes: z.array(z.string()),
  /** What the books said; null: the lane is gone. */
  systemQty: f.count.nullable(),
  /** Differences of a count, if the customer took his piece before it, and after it. */
  diffBefore: z.number().int().nullable(),
  diffAfter: z.number().int().nullable(),
  state: z.enum(['OPEN', 'SETTLED']).meta({ tones: { OPEN: 'warn', SETTLED: 'success' } }),
  choices: z.array(z.enum(conflictChoices)),
  choice: z.enum(conflictEnds).nullable(),
  reason: z.string(),
  settledBy: z.string(),
  settledAt: f.instant.nullable(),
  /** When it settles itself by the smaller difference. */
  defaultAt: f.instant.nullable(),
  createTime: f.instant,
})
export type Conflict = z.infer<typeof Conflict>

export const conflictEndpoints = {
  conflicts: read('replenish:read', {
    path: '/replenishment-conflicts',
    summary: 'What phones did that does not fit to what the lanes are, the newest first',
    input: listQuery(
      {
        keyword,
        state: z.enum(['OPEN', 'SETTLED']).default('OPEN'),
        kind: z.enum(conflictKinds).optional(),
        userId: f.id.optional(),
        deviceId: f.id.optional(),
      },
      ['createTime'],
      '-createTime',
    ),
    output: page(Conflict),
  }),
  resolveConflict: write('replenish:update', {
    path: '/replenishment-conflicts/{id}/resolve',
    summary: 'Says what became of the goods, or which reading of a count holds',
    audit: 'replenishment.resolve',
    errors: [
      replenishmentErrors.settled,
      replenishmentErrors.noChoice,
      replenishmentErrors.laneGone,
      replenishmentErrors.cannotBook,
    ],
    input: z.strictObject({
      id: f.id,
      choice: z.enum(conflictChoices, bi('请选择处理方式', 'Choose what becomes of it')),
      reason: f.optionalText(200),
    }),
    output: Conflict,
  }),
  addPhoto: write('replenish:update', {
    path: '/replenishment-visits/{clientId}/photos',
    summary: 'One picture of an own visit, field `file`, jpg or png up to 2 MiB; at most five',
    audit: { none: 'the uploads row keeps who and when; the visit is logged' },
    upload: true,
    errors: [...Object.values(fileErrors), replenishmentErrors.tooManyPhotos],
    input: z.strictObject({
      clientId: z.uuid(),
      /** The phone’s own number of it: sent again, it is the same picture. */
      photoId: z.uuid(),
      laneId: f.id.optional(),
    }),
    output: z.strictObject({ url: f.imageUrl }),
    scope: 'system',
  }),
}
