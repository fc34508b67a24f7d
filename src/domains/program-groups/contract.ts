import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'

export const programGroupErrors = defineErrors('programGroups', {
  nameTaken: [409004, '名称已存在', 'This organisation has one of this name'],
  ownerKind: [422001, '该机构不能拥有节目组', 'This organisation cannot own program groups'],
  creative: [422001, '请选择广告创意', 'Choose creatives of this organisation or of one below it'],
  endFirst: [400001, '结束时间必须晚于开始时间', 'The end must be after the beginning'],
  overlap: [422001, '节目组时间不能重叠', 'The windows must not overlap'],
  inUse: [
    409003,
    '当前节目组或素材正在使用中，无法删除',
    'It is in use; it cannot be deleted or stopped',
  ],
  wrongState: [409003, '当前状态不能执行此操作', 'This cannot be done in its state'],
})

export const slotKinds = ['FULL', 'HALF', 'PAY_WAIT', 'VEND_WAIT', 'BANNER'] as const
export const transitions = ['NONE', 'FADE', 'SLIDE'] as const
export const groupStateNames = ['DRAFT', 'ENABLED', 'DISABLED'] as const

const clock = (missing: string) =>
  z.string(missing).regex(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/, missing)
export const Window = z.strictObject({
  from: clock(bi('开始时间不能为空', 'Enter the beginning')).refine(
    (at) => at !== '24:00',
    bi('开始时间不能为空', 'Enter the beginning'),
  ),
  to: clock(bi('结束时间不能为空', 'Enter the end')),
})
const seconds = z
  .number(bi('时长超出范围', '1 to 300 seconds'))
  .int(bi('时长超出范围', '1 to 300 seconds'))
  .min(1, bi('时长超出范围', '1 to 300 seconds'))
  .max(300, bi('时长超出范围', '1 to 300 seconds'))
const NewItem = z.strictObject({ creativeId: f.id, seconds })
const choose = bi('请选择广告创意', 'Choose the creatives')

const fields = {
  name: f.text(40, bi('名称不能为空', 'Enter the name')),
  slotKind: z.enum(slotKinds, bi('请选择广告位', 'Choose the slot')),
  windows: z
    .array(Window)
    .min(1, bi('请选择播放时段', 'Choose when it plays'))
    .max(6)
    .default([{ from: '00:00', to: '24:00' }]),
  transition: z.enum(transitions).default('NONE'),
  maxPlaysPerHour: z.number().int().min(1).max(3600).nullable().default(null),
}
const items = z.array(NewItem, choose).min(1, choose).max(50)
export const NewGroup = z.strictObject({ orgId: f.id.optional(), ...fields, items })
export const EditGroup = z.strictObject({ id: f.id, version: f.version, ...fields, items })

export const GroupRow = z.strictObject({
  id: f.id,
  ...f.shown(fields),
  orgId: f.id,
  orgName: z.string(),
  itemCount: f.count,
  /** How long it takes until it begins anew. */
  loopSeconds: f.count,
  state: z.enum(groupStateNames),
  version: f.version,
  createTime: f.instant,
  updateTime: f.instant,
  can: z.strictObject({
    update: z.boolean(),
    delete: z.boolean(),
    enable: z.boolean(),
    disable: z.boolean(),
    copy: z.boolean(),
  }),
})
export type GroupRow = z.infer<typeof GroupRow>
export const GroupItem = z.strictObject({
  creativeId: f.id,
  seconds: z.number(),
  title: z.string(),
  caption: z.string(),
  qrUrl: z.string(),
  kind: z.enum(['IMAGE', 'VIDEO']),
  file: z.string(),
  /** Whether it may play: its material is approved and not over. */
  plays: z.boolean(),
})
export type GroupItem = z.infer<typeof GroupItem>
/** `items` as they are written, `shows` as they look. */
export const GroupDetail = GroupRow.extend({
  items: z.array(z.strictObject({ creativeId: f.id, seconds: z.number() })),
  shows: z.array(GroupItem),
})
export type GroupDetail = z.infer<typeof GroupDetail>

const one = { id: f.id, version: f.version }
const wrong = [
  programGroupErrors.nameTaken,
  programGroupErrors.creative,
  programGroupErrors.endFirst,
  programGroupErrors.overlap,
] as const

export const programGroups = {
  list: read('program-group:read', {
    path: '/program-groups',
    summary: 'Program groups',
    export: 'program-group:export',
    input: listQuery(
      {
        keyword,
        slotKind: z.enum(slotKinds).optional(),
        state: z.enum(groupStateNames).optional(),
        orgId: f.id.optional(),
      },
      ['name', 'createTime', 'updateTime'],
      '-updateTime',
    ),
    output: page(GroupRow),
  }),
  get: read('program-group:read', {
    path: '/program-groups/{id}',
    summary: 'One program group with its creatives in their order',
    input: z.strictObject({ id: f.id }),
    output: GroupDetail,
  }),
  create: write('program-group:create', {
    path: '/program-groups',
    summary: 'Add a program group',
    audit: 'programGroups.create',
    errors: [programGroupErrors.ownerKind, ...wrong],
    input: NewGroup,
    output: GroupDetail,
  }),
  update: write('program-group:update', {
    method: 'PUT',
    path: '/program-groups/{id}',
    summary: 'Change a program group and its creatives',
    audit: 'programGroups.update',
    errors: [...wrong, programGroupErrors.inUse],
    input: EditGroup,
    output: GroupDetail,
  }),
  copy: write('program-group:create', {
    path: '/program-groups/{id}/copy',
    summary: 'The same group under another name, as a draft',
    audit: 'programGroups.copy',
    errors: [programGroupErrors.nameTaken],
    input: z.strictObject({ id: f.id, name: f.text(40, bi('名称不能为空', 'Enter the name')) }),
    output: GroupDetail,
  }),
  enable: write('program-group:update', {
    path: '/program-groups/{id}/enable',
    summary: 'Let a program group be shown',
    audit: 'programGroups.enable',
    errors: [programGroupErrors.wrongState],
    input: z.strictObject(one),
    output: GroupRow,
  }),
  disable: write('program-group:update', {
    path: '/program-groups/{id}/disable',
    summary: 'Stop a program group that nothing shows',
    audit: 'programGroups.disable',
    errors: [programGroupErrors.wrongState, programGroupErrors.inUse],
    input: z.strictObject(one),
    output: GroupRow,
  }),
  remove: write('program-group:delete', {
    method: 'DELETE',
    path: '/program-groups/{id}',
    summary: 'Delete a program group that nothing shows',
    audit: 'programGroups.remove',
    errors: [programGroupErrors.inUse],
    input: z.strictObject(one),
    output: f.done,
  }),
}
