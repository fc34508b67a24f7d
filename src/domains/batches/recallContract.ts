import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page, rangeFields } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { batchErrors, recallLevels, recallStates } from './rules.ts'

export const recallTones = {
  OPEN: 'fault',
  ASKED: 'warn',
  LATE: 'fault',
  ENDED: 'offline',
} as const
const State = z.enum(recallStates).meta({ tones: recallTones })

/** How far a recall has come. */
export const RecallRow = z.strictObject({
  id: f.id,
  batchId: f.id,
  batchNo: z.string(),
  /** Of the batch; who ends the recall names it. */
  batchVersion: f.version,
  productName: z.string(),
  level: z.enum(recallLevels),
  recallNo: z.string(),
  reason: z.string(),
  notice: z.string().meta({ unit: 'image' }),
  state: State,
  recalledAt: f.instant,
  recalledBy: z.string(),
  dueAt: f.instant,
  /** Machines that held it, and those that know the recalled list. */
  devices: f.count,
  acknowledged: f.count,
  /** Lanes that hold it and are locked. */
  lockedLanes: f.count,
  loadedQty: f.count,
  withdrawn: f.count,
  inLanes: f.count,
  /** Null: of machines that are not all seen. */
  sold: f.count.nullable(),
  destroyedQty: f.count,
  orgName: z.string(),
  endReason: z.string(),
  askedBy: z.string(),
  endedAt: f.instant.nullable(),
  endedBy: z.string(),
  version: f.version,
  can: z.strictObject({ end: z.boolean(), confirm: z.boolean(), destroy: z.boolean() }),
})
export type RecallRow = z.infer<typeof RecallRow>

export const RecallDevice = z.strictObject({
  deviceId: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  lanes: f.count,
  pieces: f.count,
  /** Still in it. */
  inLanes: f.count,
  acknowledged: z.boolean(),
  answeredAt: f.instant.nullable(),
})
export const Destruction = z.strictObject({
  id: f.id,
  qty: f.count,
  doneBy: z.string(),
  witness: z.string(),
  photos: z.array(z.string()),
  remark: z.string(),
  at: f.instant,
})
export const Told = z.strictObject({
  userId: f.id,
  name: z.string(),
  orgName: z.string(),
  at: f.instant,
})
/** The longest lists of a recall are cut: what is missing comes first. */
export const recallShown = 100
export const RecallDetail = RecallRow.extend({
  deviceRows: z.array(RecallDevice),
  people: z.array(Told),
  destructions: z.array(Destruction),
})
export type RecallDetail = z.infer<typeof RecallDetail>

/** A piece of a recalled batch that is with its buyer. */
export const SoldPiece = z.strictObject({
  id: f.id,
  orderNum: z.string().nullable(),
  rtuNumber: z.string(),
  cargoRoad: z.number().int(),
  qty: f.count,
  /** What the provider calls the buyer, masked. */
  consumer: z.string(),
  payType: z.string(),
  codes: z.string(),
  soldAt: f.instant,
  /** After the batch was recalled: it was on its way out. */
  late: z.boolean(),
})

const photo = f.imageUrl
const id = { id: f.id }

export const recalls = {
  recalls: read('batch:read', {
    path: '/recalls',
    summary: 'Recalls and how far they have come, own and of organisations above',
    input: listQuery(
      {
        keyword,
        state: State.optional(),
        level: z.enum(recallLevels).optional(),
        productId: f.id.optional(),
        deviceId: f.id.optional(),
        ...rangeFields,
      },
      ['recalledAt', 'dueAt'],
      '-recalledAt',
    ),
    output: page(RecallRow),
    export: 'batch:export',
  }),
  recallOne: read('batch:read', {
    path: '/recalls/{id}',
    summary:
      'A recall with its machines (those that have not answered first), people and witnesses',
    input: z.strictObject(id),
    output: RecallDetail,
  }),
  soldPieces: read('batch:read', {
    path: '/recalls/{id}/sold',
    summary: 'Pieces of the recalled batch that were sold, the newest first; buyers are masked',
    input: listQuery(id, ['soldAt'], '-soldAt'),
    output: page(SoldPiece),
    export: 'batch:export',
  }),
  destroy: write('batch:recall', {
    path: '/recalls/{id}/destructions',
    summary: 'Boxes of a recalled batch were destroyed before a witness, with pictures',
    audit: 'batches.destroy',
    idempotent: true,
    errors: [batchErrors.moreThanThere, batchErrors.witnessSelf],
    input: z.strictObject({
      ...id,
      qty: z.number(bi('请输入数量', 'Enter how many')).int().min(1).max(10_000_000),
      witnessId: z.number(bi('请选择见证人', 'Choose the witness')).int().positive(),
      photos: z
        .array(photo, bi('请上传照片', 'Upload a picture'))
        .min(1, bi('请上传照片', 'Upload a picture'))
        .max(5, bi('最多 5 张照片', 'At most 5 pictures')),
      remark: f.optionalText(200),
    }),
    output: z.strictObject({ destroyedQty: f.count }),
  }),
  confirmEnd: write('batch:recall', {
    path: '/recalls/{id}/confirm-end',
    summary: 'A second person ends a recall although goods are missing, or says no',
    audit: 'batches.confirmEnd',
    errors: [batchErrors.notAsked, batchErrors.samePerson],
    input: z.strictObject({ ...id, version: f.version, accept: z.boolean() }),
    output: z.strictObject({ ended: z.boolean() }),
  }),
}
