import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, page } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { Window as Hours, slotKinds } from '../program-groups/contract.ts'

export const adBindingErrors = defineErrors('adBindings', {
  group: [422001, '请选择广告创意', 'Choose an enabled program group'],
  devices: [422001, '请至少选择一台设备', 'Choose machines of its organisation or of one below it'],
  endFirst: [400001, '结束时间必须晚于开始时间', 'The end must be after the beginning'],
  past: [422001, '结束时间不能早于今天', 'The end cannot lie in the past'],
  overlap: [409004, '节目组时间不能重叠', 'Something else is bound there at these times'],
  unapproved: [422001, '素材未通过审核', 'A material of the group is not approved'],
  endsBefore: [
    422001,
    '素材将于投放结束前过期',
    'A material of the group ends before the binding does',
  ],
  wrongState: [409003, '当前状态不能执行此操作', 'This cannot be done in its state'],
  ownReview: [403003, '审核人不能是提交人本人', 'Who made a binding cannot review it'],
  reason: [400001, '请填写驳回原因', 'Say why it is rejected'],
  tooLong: [422001, '插播最长24小时', 'An interruption lasts 24 hours at most'],
})

export const bindingStateNames = [
  'DRAFT',
  'PENDING',
  'SCHEDULED',
  'RUNNING',
  'PAUSED',
  'ENDED',
  'REJECTED',
  'REVOKED',
] as const

const choose = bi('请至少选择一台设备', 'Choose the machines')
const deviceIds = f.ids(choose).min(1, choose).max(1000)
const weekdays = z
  .array(z.number().int().min(1).max(7), bi('请选择投放星期', 'Choose the weekdays'))
  .min(1, bi('请选择投放星期', 'Choose the weekdays'))
  .max(7)
  .refine((all) => new Set(all).size === all.length, bi('不能重复', 'Each only once'))
  .default([1, 2, 3, 4, 5, 6, 7])
const windows = z.array(Hours).min(1).max(6).nullable().default(null)

const plan = {
  groupId: f.id,
  deviceIds,
  dateFrom: f.dayOf(bi('开始时间不能为空', 'Enter the beginning')),
  dateTo: f.dayOf(bi('结束时间不能为空', 'Enter the end')),
  weekdays,
  /** Of a day; null: those of the group. */
  windows,
}
export const BindingRow = z.strictObject({
  id: f.id,
  groupId: f.id,
  groupName: z.string(),
  slotKind: z.enum(slotKinds),
  priority: z.enum(['NORMAL', 'INTERRUPT']),
  deviceCount: f.count,
  dateFrom: z.string(),
  dateTo: z.string(),
  weekdays: z.array(z.number()),
  windows: z.array(z.strictObject({ from: z.string(), to: z.string() })),
  startsAt: f.instant.nullable(),
  endsAt: f.instant.nullable(),
  state: z.enum(bindingStateNames),
  reason: z.string(),
  orgId: f.id,
  orgName: z.string(),
  version: f.version,
  createTime: f.instant,
  can: z.strictObject({
    submit: z.boolean(),
    review: z.boolean(),
    pause: z.boolean(),
    resume: z.boolean(),
    revoke: z.boolean(),
  }),
})
export type BindingRow = z.infer<typeof BindingRow>
export const Conflict = z.strictObject({
  deviceId: f.id,
  rtuNumber: z.string(),
  slotKind: z.enum(slotKinds),
  bindingId: f.id,
  dateFrom: z.string(),
  dateTo: z.string(),
  /** Minutes of the week that both have. */
  week: z.array(z.strictObject({ from: z.number(), to: z.number() })),
})

const one = { id: f.id, version: f.version }
const act = (name: 'submit' | 'pause' | 'resume', summary: string) =>
  ({
    path: `/ad-bindings/{id}/${name}`,
    summary,
    audit: `adBindings.${name}`,
    input: z.strictObject(one),
    output: BindingRow,
  }) as const
const ofContent = [adBindingErrors.unapproved, adBindingErrors.endsBefore] as const
const ofPlan = [
  adBindingErrors.group,
  adBindingErrors.devices,
  adBindingErrors.endFirst,
  adBindingErrors.past,
  ...ofContent,
] as const

export const adBindings = {
  list: read('ad-binding:read', {
    path: '/ad-bindings',
    summary: 'Program groups on machines',
    input: listQuery(
      {
        groupId: f.id.optional(),
        deviceId: f.id.optional(),
        slotKind: z.enum(slotKinds).optional(),
        state: z.enum(bindingStateNames).optional(),
        orgId: f.id.optional(),
      },
      ['dateFrom', 'createTime'],
      '-createTime',
    ),
    output: page(BindingRow),
  }),
  create: write('ad-binding:create', {
    path: '/ad-bindings',
    summary: 'Bind a program group to machines, as a draft that keeps its hours',
    audit: 'adBindings.create',
    errors: [...ofPlan, adBindingErrors.overlap],
    input: z.strictObject(plan),
    output: BindingRow,
  }),
  submit: write('ad-binding:create', {
    ...act('submit', 'Ask for its review; what is the platform’s own needs none'),
    errors: [adBindingErrors.wrongState, ...ofContent],
  }),
  review: write('ad-binding:review', {
    path: '/ad-bindings/{id}/review',
    summary: 'Approve or reject a binding',
    audit: 'adBindings.review',
    errors: [
      ...[adBindingErrors.wrongState, adBindingErrors.ownReview, adBindingErrors.reason],
      ...ofContent,
    ],
    input: z.strictObject({ ...one, approve: z.boolean(), reason: f.optionalText(200) }),
    output: BindingRow,
  }),
  pause: write('ad-binding:update', {
    ...act('pause', 'Stop what plays; it keeps its hours'),
    errors: [adBindingErrors.wrongState],
  }),
  resume: write('ad-binding:update', {
    ...act('resume', 'Go on with what was paused'),
    errors: [adBindingErrors.wrongState],
  }),
  remove: write('ad-binding:delete', {
    method: 'DELETE',
    path: '/ad-bindings/{id}',
    summary: 'Revoke a binding: its machines go back to what plays without it',
    audit: 'adBindings.remove',
    errors: [adBindingErrors.wrongState],
    input: z.strictObject(one),
    output: f.done,
  }),
  interrupt: write('ad-binding:interrupt', {
    path: '/ad-bindings/interrupt',
    summary:
      'Show a group above everything for at most 24 hours; on more than 100 machines it is reviewed first',
    audit: 'adBindings.interrupt',
    errors: [
      ...[adBindingErrors.group, adBindingErrors.devices, adBindingErrors.endFirst],
      ...[adBindingErrors.past, adBindingErrors.tooLong, ...ofContent],
    ],
    input: z.strictObject({
      groupId: f.id,
      deviceIds,
      startsAt: f.instant,
      endsAt: f.instant,
    }),
    output: BindingRow,
  }),
  checkConflicts: write('ad-binding:create', {
    path: '/ad-bindings/check-conflicts',
    summary: 'With what a binding would meet, at most 200; nothing is written',
    audit: { none: 'it only looks' },
    errors: ofPlan,
    input: z.strictObject(plan),
    output: z.strictObject({ list: z.array(Conflict) }),
  }),
  timeline: read('ad-binding:read', {
    path: '/ad-bindings/timeline',
    summary: 'What plays on a machine on a day, by minutes, for each of its slots',
    input: z.strictObject({ deviceId: f.id, date: f.day }),
    output: z.strictObject({
      slots: z.array(
        z.strictObject({
          slot: z.enum(slotKinds),
          pieces: z.array(
            z.strictObject({
              from: z.number(),
              to: z.number(),
              rank: z.enum(['INTERRUPT', 'BOUND', 'DEFAULT', 'BUILT_IN']),
              bindingId: f.id.nullable(),
              /** Empty where an organisation above bound it. */
              groupName: z.string(),
            }),
          ),
        }),
      ),
    }),
  }),
}
