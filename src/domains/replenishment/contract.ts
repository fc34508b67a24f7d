import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page, rangeFields } from '../../shared/listQuery.ts'
import { regionCode } from '../../shared/place.ts'
import { bi } from '../../shared/text.ts'
import { Conflict, conflictEndpoints } from './conflictContract.ts'
import { laneRefusals, replenishmentErrors } from './errors.ts'
import { pickListEndpoints } from './pickListContract.ts'
import { routeEndpoints } from './routeContract.ts'

export const needs = ['NEEDED', 'SOLD_OUT', 'LOW', 'TO_COUNT', 'ALL'] as const
/** A machine and what it wants. */
export const TaskRow = z.strictObject({
  id: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  address: z.string(),
  storeName: z.string(),
  lng: z.number().nullable(),
  lat: z.number().nullable(),
  status: z.enum(['online', 'offline']).meta({ tones: { online: 'online', offline: 'offline' } }),
  soldOut: f.count,
  low: f.count,
  stock: f.count,
  capacity: f.count,
  /** Per cent of what it can hold. */
  fillRate: z.number().int().min(0).max(100),
  suggested: f.count,
  /** When the first product will be gone; null: too few sales are known. */
  sellsOutAt: f.instant.nullable(),
  toCount: f.count,
  /** Lanes whose goods are past their date or will be within a week. */
  expiring: f.count,
  replenishers: z.array(z.string()),
  lastPostedAt: f.instant.nullable(),
  /** The own visit that was begun. */
  draftId: f.id.nullable(),
})
export type TaskRow = z.infer<typeof TaskRow>

/** A lane as who fills it sees it. */
export const LaneRow = z.strictObject({
  id: f.id,
  deviceId: f.id,
  rtuNumber: z.string(),
  roadIndex: z.number().int(),
  level: z.number().int(),
  productId: f.id,
  productName: z.string(),
  productImg: z.string(),
  model: z.string(),
  productStock: f.count,
  reserved: f.count,
  failedHold: f.count,
  roadCapacity: f.count,
  warnQty: f.count,
  status: z.enum(['ENABLED', 'DISABLED', 'FAULT', 'LOCKED']),
  lockReason: z.string().nullable(),
  drugClass: z.string(),
  traceRequired: z.boolean(),
})
export type LaneRow = z.infer<typeof LaneRow>

export const Batch = z.strictObject({
  id: f.id,
  productId: f.id,
  batchNo: z.string(),
  expiresOn: f.day,
  /** What may still be loaded; null: nobody counts it. */
  room: f.count.nullable(),
})
export type Batch = z.infer<typeof Batch>

export const visitStateNames = [
  'DRAFT',
  'SUBMITTED',
  'POSTED',
  'PARTIAL',
  'REJECTED',
  'CANCELLED',
] as const
/** Without the network for more than a day, a clock that is off, a board that is another one. */
export const visitFlags = ['OFFLINE_LONG', 'CLOCK_OFF', 'BOARD_REPLACED'] as const
export const visitSources = ['PANEL', 'PHONE', 'LANE', 'CORRECTION'] as const
export const visitTones = {
  DRAFT: 'shipped',
  SUBMITTED: 'paid',
  POSTED: 'success',
  PARTIAL: 'warn',
  REJECTED: 'fault',
  CANCELLED: 'closed',
} as const
export const VisitRow = z.strictObject({
  id: f.id,
  clientId: z.string(),
  deviceId: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  userId: f.id,
  userName: z.string(),
  source: z.enum(visitSources),
  state: z.enum(visitStateNames).meta({ tones: visitTones }),
  startedAt: f.instant,
  submittedAt: f.instant.nullable(),
  postedAt: f.instant.nullable(),
  added: f.count,
  withdrawn: f.count,
  counted: f.count,
  /** Gained less lost, in pieces. */
  difference: z.number().int(),
  /** Null without product:cost. */
  diffCost: f.signedFen.nullable(),
  reason: z.string(),
  /** How long the door stood open; null: nobody knows. */
  doorSeconds: f.count.nullable(),
  flags: z.array(z.enum(visitFlags)),
})
export type VisitRow = z.infer<typeof VisitRow>

export const withdrawReasons = ['TAKE_BACK', 'WASTE', 'EXPIRED', 'RECALL'] as const
const pieces = z.number().int().min(0).max(999)
const codes = z
  .array(
    z
      .string()
      .trim()
      .regex(/^[!-~]{8,64}$/),
  )
  .max(999)
  .default([])
const said = {
  /** What was there, before anything was taken out or put in; null: not counted. */
  countedQty: pieces.nullable().default(null),
  countedAt: f.instant.optional(),
  /** When it was filled or emptied. */
  doneAt: f.instant.optional(),
  addedQty: pieces.default(0),
  withdrawnQty: pieces.default(0),
  withdrawReason: z.enum(withdrawReasons).nullable().default(null),
  /** Of what was put in. */
  batchId: f.id.nullable().default(null),
  codes,
}
const hasReason = (item: { withdrawnQty: number; withdrawReason: string | null }) =>
  item.withdrawnQty === 0 || item.withdrawReason !== null
const reasonMissing = {
  path: ['withdrawReason'],
  message: replenishmentErrors.reasonMissing.text,
}
/** The clock of whoever sends, so that his moments can be put right. */
const sentAt = f.instant.optional()

export const ItemRow = z.strictObject({
  id: f.id,
  laneId: f.id,
  roadIndex: z.number().int(),
  productId: f.id,
  productName: z.string(),
  countedQty: f.count.nullable(),
  countedAt: f.instant.nullable(),
  addedQty: f.count,
  withdrawnQty: f.count,
  withdrawReason: z.enum(withdrawReasons).nullable(),
  batchId: f.id.nullable(),
  batchNo: z.string(),
  codes: z.array(z.string()),
  state: z.enum(['PENDING', 'POSTED', 'REJECTED']),
  /** Name of the error in both languages, see errors.ts. */
  error: z.string().nullable(),
  beforeQty: f.count.nullable(),
  difference: z.number().int(),
  afterQty: f.count.nullable(),
})
export type ItemRow = z.infer<typeof ItemRow>
/** What was looked after before the door was closed. */
export const checks = ['DROP_BOX', 'CLEAN', 'SCREEN', 'TEMPERATURE'] as const
export const Visit = VisitRow.extend({
  items: z.array(ItemRow),
  /** The last operation of a phone that arrived. */
  lastSeq: f.count,
  finishedAt: f.instant.nullable(),
  checks: z.array(z.enum(checks)),
  photos: z.array(z.strictObject({ url: z.string(), laneId: f.id.nullable() })),
  /** Lanes of it that wait for a word. */
  openConflicts: f.count,
  /** What its pick list says; the last one of the day that has this machine, unless one was named. */
  planned: z.array(z.strictObject({ laneId: f.id, planned: f.count })),
  can: z.strictObject({ edit: z.boolean(), decide: z.boolean() }),
})
export type Visit = z.infer<typeof Visit>

const clientId = z.uuid()
export const opKinds = ['COUNT', 'ADD', 'WITHDRAW', 'CLEAR', 'FAULT'] as const
/** Why less or more was put in than planned. */
export const differences = ['SPACE', 'SUPPLY', 'PRODUCT', 'STOCK', 'OTHER'] as const
export const opStates = ['APPLIED', 'DUPLICATE', 'CONFLICT', 'REJECTED', 'WAITING'] as const
/** Of one visit: fifty of each lane of the largest machine. */
export const mostOps = 20_000
const op = z
  .strictObject({
    opId: z.uuid(),
    clientSeq: z.number().int().min(1).max(mostOps),
    /** `FAULT`: the lane is broken, `note` says how. */
    kind: z.enum(opKinds),
    laneId: f.id,
    productId: f.id,
    qty: pieces.default(0),
    reason: z.enum(withdrawReasons).optional(),
    batchId: f.id.nullable().default(null),
    codes,
    madeAt: f.instant,
    /** What the plan said, and why it was done otherwise. */
    planned: pieces.optional(),
    differs: z.enum(differences).optional(),
    note: f.optionalText(200),
    /** Number of the last flow of the lane that the phone knew. */
    baseSeq: f.count.optional(),
  })
  .refine((one) => one.kind !== 'WITHDRAW' || one.reason !== undefined, {
    path: ['reason'],
    message: replenishmentErrors.reasonMissing.text,
  })
export type Op = z.infer<typeof op>

const needed = {
  keyword,
  deviceId: f.id.optional(),
  region: regionCode().optional(),
  storeId: f.id.optional(),
  userId: f.id.optional(),
  productId: f.id.optional(),
  status: z.enum(['online', 'offline']).optional(),
}
const remark = (required: string) => f.text(200, required)
export const replenishment = {
  tasks: read('replenish:read', {
    path: '/replenishment-tasks',
    summary: 'Machines by how soon they will have sold out',
    input: listQuery(
      { need: z.enum(needs).default('NEEDED'), ...needed },
      ['sellsOutAt', 'soldOut', 'low', 'suggested', 'rtuNumber'],
      'sellsOutAt',
    ),
    output: page(TaskRow),
  }),
  lanes: read('replenish:read', {
    path: '/replenishment-lanes',
    summary: 'Lanes with a product, those of one machine or of all',
    input: listQuery(
      {
        deviceId: f.id.optional(),
        laneId: f.id.optional(),
        keyword,
        short: z.boolean().optional(),
      },
      ['roadIndex'],
      'roadIndex',
    ),
    output: page(LaneRow),
  }),
  batches: read('replenish:read', {
    path: '/replenishment-batches',
    summary: 'Batches that may be put into a machine, those that expire first in front',
    input: z.strictObject({ deviceId: f.id }),
    output: z.strictObject({ list: z.array(Batch) }),
  }),
  visits: read('replenish:read', {
    path: '/replenishment-visits',
    summary: 'Visits, the newest first',
    input: listQuery(
      {
        keyword,
        deviceId: f.id.optional(),
        userId: f.id.optional(),
        state: z.enum(visitStateNames).optional(),
        differs: z.boolean().optional(),
        ...rangeFields,
      },
      ['startedAt'],
      '-startedAt',
    ),
    export: 'replenish:export',
    output: page(VisitRow),
  }),
  visit: read('replenish:read', {
    path: '/replenishment-visits/{id}',
    summary: 'A visit with its lanes, before and after',
    input: z.strictObject({ id: f.id }),
    output: Visit,
  }),
  start: write('replenish:update', {
    path: '/replenishment-visits',
    summary:
      'Begins a visit, or goes on with the own one of this machine that was begun: what follows names the clientId of the answer, with numbers from lastSeq on',
    audit: 'replenishment.start',
    input: z.strictObject({
      deviceId: f.id,
      clientId,
      pickListId: f.id.optional(),
      source: z.enum(['PANEL', 'PHONE']).default('PANEL'),
      /** Of a phone that had no network: when it was begun, and the clock that says so. */
      startedAt: f.instant.optional(),
      sentAt,
      /** When the data were taken along. */
      packAt: f.instant.optional(),
    }),
    output: Visit,
  }),
  saveItems: write('replenish:update', {
    method: 'PUT',
    path: '/replenishment-visits/{id}/items',
    summary: 'Keeps what was done at the lanes; lanes that are not named are left out',
    audit: { none: 'a draft: the submission is logged' },
    errors: [replenishmentErrors.closed],
    input: z.strictObject({
      id: f.id,
      items: z
        .array(z.strictObject({ laneId: f.id, ...said }).refine(hasReason, reasonMissing))
        .max(400),
      sentAt,
    }),
    output: Visit,
  }),
  saveItem: write('replenish:update', {
    method: 'PUT',
    path: '/replenishment-visits/{id}/items/{laneId}',
    summary: 'Keeps what was done at one lane',
    audit: { none: 'a draft: the submission is logged' },
    errors: [replenishmentErrors.closed],
    input: z
      .strictObject({ id: f.id, laneId: f.id, ...said, sentAt })
      .refine(hasReason, reasonMissing),
    output: Visit,
  }),
  ops: write('replenish:update', {
    path: '/replenishment-visits/{clientId}/ops',
    summary: 'Operations of a phone in its order; each counts once, whoever sends it again',
    audit: { none: 'operations of a draft are kept themselves' },
    errors: [replenishmentErrors.closed],
    input: z.strictObject({
      clientId,
      ops: z.array(op).min(1).max(200),
      sentAt: f.instant,
    }),
    output: z.strictObject({
      lastSeq: f.count,
      ops: z.array(
        z.strictObject({
          opId: z.string(),
          state: z.enum(opStates),
          reason: z.string().nullable(),
          laneNow: f.count.nullable(),
        }),
      ),
    }),
  }),
  submit: write('replenish:update', {
    path: '/replenishment-visits/{id}/submit',
    summary: 'Posts the visit, each lane for itself: those that cannot be posted say why',
    audit: 'replenishment.submit',
    idempotent: true,
    errors: [
      replenishmentErrors.closed,
      replenishmentErrors.nothing,
      replenishmentErrors.outOfOrder,
    ],
    input: z.strictObject({
      id: f.id,
      lastClientSeq: f.count.optional(),
      /** When the door was closed, by the clock of `sentAt`. */
      finishedAt: f.instant.optional(),
      sentAt,
      checks: z.array(z.enum(checks)).max(checks.length).optional(),
    }),
    output: Visit,
  }),
  cancel: write('replenish:update', {
    path: '/replenishment-visits/{id}/cancel',
    summary: 'Gives up the own visit; nothing is posted',
    audit: 'replenishment.cancel',
    errors: [replenishmentErrors.closed],
    input: z.strictObject({ id: f.id }),
    output: Visit,
  }),
  approve: write('replenish:create', {
    path: '/replenishment-visits/{id}/post',
    summary: 'Posts a submitted visit of somebody who no longer serves the machine',
    audit: 'replenishment.approve',
    errors: [replenishmentErrors.notSubmitted],
    input: z.strictObject({ id: f.id }),
    output: Visit,
  }),
  reject: write('replenish:create', {
    path: '/replenishment-visits/{id}/reject',
    summary: 'Refuses a submitted visit; nothing is posted',
    audit: 'replenishment.reject',
    errors: [replenishmentErrors.notSubmitted],
    input: z.strictObject({
      id: f.id,
      reason: remark(bi('请输入驳回原因', 'Enter the reason')),
    }),
    output: Visit,
  }),
  postLane: write('replenish:update', {
    method: 'PUT',
    path: '/replenishment-tasks/{laneId}',
    summary: 'One lane, posted at once',
    audit: 'replenishment.lane',
    idempotent: true,
    errors: [replenishmentErrors.nothing, ...laneRefusals],
    input: z.strictObject({
      laneId: f.id,
      countedQty: pieces.optional(),
      addedQty: pieces.optional(),
      batchId: f.id.optional(),
      codes,
    }),
    output: LaneRow,
  }),
  correct: write('stock-flow:correct', {
    path: '/stock-corrections',
    summary: 'What a lane holds by a new count, with the reason; the wrong flow stays as it is',
    audit: 'replenishment.correct',
    idempotent: true,
    errors: laneRefusals,
    input: z.strictObject({
      laneId: f.id,
      countedQty: z.number(bi('请输入盘点数', 'Enter what you counted')).pipe(pieces),
      reason: remark(bi('请输入更正原因', 'Enter why it is corrected')),
    }),
    output: LaneRow,
  }),
  result: read('replenish:read', {
    path: '/replenishment-visits/{clientId}/result',
    summary: 'What became of a visit and of each operation of its phone',
    input: z.strictObject({ clientId }),
    output: z.strictObject({
      visit: Visit,
      ops: z.array(
        z.strictObject({
          opId: z.string(),
          clientSeq: f.count,
          kind: z.enum(opKinds),
          laneId: f.id,
          state: z.enum(['APPLIED', 'CONFLICT', 'REJECTED']),
          reason: z.string().nullable(),
        }),
      ),
      conflicts: z.array(Conflict),
    }),
    scope: 'system',
  }),
  unsent: read('replenish:create', {
    path: '/replenishment-unsent',
    summary: 'People whose phones have begun visits and said nothing of them for two hours',
    output: z.strictObject({
      list: z.array(
        z.strictObject({ userId: f.id, userName: z.string(), visits: f.count, since: f.instant }),
      ),
    }),
  }),
  ...pickListEndpoints,
  ...routeEndpoints,
  ...conflictEndpoints,
}
