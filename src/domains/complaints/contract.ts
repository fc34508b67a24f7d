import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page, rangeFields } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { orders, piecesAreSaid, RefundFields, reasonIsSaid } from '../orders/contract.ts'

export const complaintErrors = defineErrors('complaints', {
  wrongState: [409001, '当前状态不能执行该操作', 'Not possible in the present state'],
  refundLinked: [422001, '已关联退款，无法删除', 'A refund is linked; it cannot be deleted'],
  noOrder: [422001, '该投诉没有关联订单', 'No order is linked to this complaint'],
  otherOrder: [400001, '订单不属于该设备', 'The order is not of this machine'],
  noLane: [400001, '该设备没有这个货道', 'This machine has no such lane'],
  placeMissing: [400001, '请填写订单号或选择设备', 'Enter the order number or choose the machine'],
  notStaff: [400001, '处理人无权处理投诉', 'This person may not handle complaints'],
  mergeSelf: [400001, '不能与自身合并', 'Cannot be merged with itself'],
})

export const states = ['OPEN', 'HANDLING', 'WAITING', 'RESOLVED', 'CLOSED', 'INVALID'] as const
export const stateTones = {
  OPEN: 'warn',
  HANDLING: 'paid',
  WAITING: 'shipped',
  RESOLVED: 'success',
  CLOSED: 'closed',
  INVALID: 'closed',
} as const
const State = z.enum(states).meta({ tones: stateTones })
const Source = z.enum(
  ['MINI_PROGRAM', 'DEVICE_QR', 'PHONE', 'BACK_OFFICE'],
  bi('请选择来源', 'Choose the source'),
)
const Type = z.enum(
  ['NOT_DISPENSED', 'SHORT', 'QUALITY', 'EXPIRED', 'CHARGE', 'DEVICE', 'SERVICE', 'OTHER'],
  bi('请选择投诉类型', 'Choose the type'),
)
const Result = z.enum(
  ['REFUND', 'RESEND', 'EXPLAIN', 'REPAIR', 'RESTOCK'],
  bi('请选择处理结果', 'Choose the result'),
)

export const ComplaintRow = z.strictObject({
  id: f.id,
  username: z.string(),
  content: z.string(),
  type: Type,
  source: Source,
  deviceId: f.id.nullable(),
  rtuNumber: z.string().nullable(),
  road: z.number().int().nullable(),
  orderNum: z.string().nullable(),
  images: z.array(z.string()),
  assigneeId: f.id.nullable(),
  assigneeName: z.string().nullable(),
  state: State,
  overdue: z.boolean(),
  resolveDueAt: f.instant,
  remark: z.string(),
  createTime: f.instant,
  version: f.version,
  can: z.strictObject({
    handle: z.boolean(),
    reply: z.boolean(),
    reopen: z.boolean(),
    refund: z.boolean(),
    remove: z.boolean(),
  }),
})
export type ComplaintRow = z.infer<typeof ComplaintRow>

export const Entry = z.strictObject({
  id: f.id,
  kind: z.string(),
  username: z.string(),
  content: z.string(),
  createTime: f.instant,
})
export const Around = z.strictObject({
  kind: z.enum(['door', 'vend_result', 'fault']),
  createTime: f.instant,
  road: z.number().int().nullable(),
  /** The vend belongs to the order complained about. */
  ofOrder: z.boolean(),
  /** What came of the vend, or the fault. */
  outcome: z.string().nullable(),
  dropDetected: z.boolean().nullable(),
  open: z.boolean().nullable(),
})

export const Complaint = ComplaintRow.extend({
  contactPhone: z.string(),
  orgName: z.string(),
  nickname: z.string().nullable(),
  result: Result.nullable(),
  refunded: z.boolean(),
  mergedInto: f.id.nullable(),
  firstReplyDueAt: f.instant,
  firstRepliedAt: f.instant.nullable(),
  resolvedAt: f.instant.nullable(),
  /** Complaints of the same lane within 30 days, this one left out. */
  sameLane: z.number().int(),
  sameUser: z.number().int(),
  /** Three or more reports of nothing dispensed on this lane within a day. */
  laneAlarm: z.boolean(),
  entries: z.array(Entry),
  /** Door and vend messages of the machine ten minutes around the order, or around the filing. */
  around: z.array(Around),
})
export type Complaint = z.infer<typeof Complaint>

export const ComplaintQuery = listQuery(
  {
    keyword,
    state: State.optional(),
    type: Type.optional(),
    source: Source.optional(),
    rtuNumber: keyword,
    orderNum: z.string().trim().max(20).optional(),
    assigneeId: f.id.optional(),
    overdue: z.boolean().optional(),
    ...rangeFields,
  },
  ['createTime', 'resolveDueAt'],
  '-createTime',
)

const contentText = bi('内容不能为空', 'Content cannot be empty')
const said = f.lines(1000, contentText)
const imageText = bi('最多上传5张图片', 'At most 5 pictures')
const byId = { id: f.id }
const byVersion = { id: f.id, version: f.version }

export const NewComplaint = z.strictObject({
  content: said,
  type: Type,
  source: Source.default('BACK_OFFICE'),
  username: f.optionalText(60),
  contactPhone: z.union([f.mobile, z.literal('')]).default(''),
  orderNum: z
    .union([
      z
        .string()
        .trim()
        .regex(/^\d{20}$/, bi('订单号格式不正确', 'Not an order number')),
      z.literal(''),
    ])
    .default(''),
  deviceId: f.id.optional(),
  road: z.number().int().min(1).max(400).optional(),
  images: z.array(f.imageUrl).max(5, imageText).default([]),
})

export const complaints = {
  list: read('complaint:read', {
    path: '/complaints',
    summary: 'Complaints of the scope; the last 90 days unless days are given',
    input: ComplaintQuery,
    output: page(ComplaintRow),
    export: 'complaint:export',
  }),
  stats: read('complaint:read', {
    path: '/complaints/stats',
    heavy: true,
    summary: 'Figures of the quick views',
    output: z.strictObject({
      open: z.number().int(),
      handling: z.number().int(),
      waiting: z.number().int(),
      overdue: z.number().int(),
    }),
  }),
  get: read('complaint:read', {
    path: '/complaints/{id}',
    summary: 'One complaint with what was said and done',
    input: z.strictObject(byId),
    output: Complaint,
  }),
  create: write('complaint:create', {
    path: '/complaints',
    summary: 'Enter a complaint; it belongs to the organisation of its order or machine',
    audit: 'complaints.create',
    idempotent: true,
    errors: [complaintErrors.placeMissing, complaintErrors.otherOrder, complaintErrors.noLane],
    input: NewComplaint,
    output: Complaint,
  }),
  claim: write('complaint:update', {
    path: '/complaints/{id}/claim',
    summary: 'Take it on oneself',
    audit: 'complaints.claim',
    errors: [complaintErrors.wrongState],
    input: z.strictObject(byVersion),
    output: Complaint,
  }),
  assign: write('complaint:update', {
    path: '/complaints/assign',
    summary: 'Give some to a colleague, all or none',
    audit: 'complaints.assign',
    errors: [complaintErrors.wrongState, complaintErrors.notStaff],
    input: z.strictObject({
      ids: f.ids().min(1, bi('请选择投诉', 'Choose a complaint')).max(200),
      assigneeId: z
        .number({ error: bi('请选择处理人', 'Choose a person') })
        .int()
        .positive()
        .max(Number.MAX_SAFE_INTEGER),
    }),
    output: f.done,
  }),
  reply: write('complaint:reply', {
    path: '/complaints/{id}/reply',
    summary: 'Answer the buyer; `ask` waits for his addition',
    audit: 'complaints.reply',
    errors: [complaintErrors.wrongState],
    input: z.strictObject({ ...byVersion, content: said, ask: z.boolean().default(false) }),
    output: Complaint,
  }),
  note: write('complaint:update', {
    path: '/complaints/{id}/notes',
    summary: 'A note among colleagues',
    audit: 'complaints.note',
    input: z.strictObject({ ...byVersion, content: said }),
    output: Complaint,
  }),
  resolve: write('complaint:update', {
    path: '/complaints/{id}/resolve',
    summary: 'Resolved, with a result and a remark',
    audit: 'complaints.resolve',
    errors: [complaintErrors.wrongState],
    input: z.strictObject({
      ...byVersion,
      result: Result,
      remark: f.lines(500, bi('请填写处理备注', 'Say what was done')),
    }),
    output: Complaint,
  }),
  invalidate: write('complaint:update', {
    path: '/complaints/{id}/invalid',
    summary: 'Not a complaint, with a reason',
    audit: 'complaints.invalidate',
    errors: [complaintErrors.wrongState],
    input: z.strictObject({
      ...byVersion,
      remark: f.lines(500, bi('请填写处理备注', 'Say what was done')),
    }),
    output: Complaint,
  }),
  reopen: write('complaint:update', {
    path: '/complaints/{id}/reopen',
    summary: 'Resolved too early',
    audit: 'complaints.reopen',
    errors: [complaintErrors.wrongState],
    input: z.strictObject({ ...byVersion, remark: f.lines(500, bi('请填写原因', 'Say why')) }),
    output: Complaint,
  }),
  merge: write('complaint:update', {
    path: '/complaints/{id}/merge',
    summary: 'The same as another: this one closes into it',
    audit: 'complaints.merge',
    errors: [complaintErrors.wrongState, complaintErrors.mergeSelf],
    input: z.strictObject({
      ...byVersion,
      mainId: z
        .number({ error: bi('请选择要保留的投诉', 'Choose the complaint that stays') })
        .int()
        .positive()
        .max(Number.MAX_SAFE_INTEGER),
    }),
    output: Complaint,
  }),
  refund: write('order:refund', {
    path: '/complaints/{id}/refund',
    summary: 'Refund pieces of the linked order by its own rules, and link it',
    audit: 'complaints.refund',
    fresh: 'sometimes',
    idempotent: true,
    errors: [complaintErrors.noOrder, ...orders.refund.errors],
    input: RefundFields.omit({ orderNum: true })
      .extend(byVersion)
      .refine(...piecesAreSaid)
      .refine(...reasonIsSaid),
    output: Complaint,
  }),
  remove: write('complaint:delete', {
    method: 'DELETE',
    path: '/complaints/{id}',
    summary: 'Take it off the list; the row and its log stay',
    audit: 'complaints.remove',
    errors: [complaintErrors.refundLinked],
    input: z.strictObject({
      ...byVersion,
      reason: f.lines(200, bi('请填写删除原因', 'Say why it is deleted')),
    }),
    output: f.done,
  }),
}
