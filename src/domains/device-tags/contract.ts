import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'

export const deviceTagErrors = defineErrors('deviceTags', {
  nameTaken: [409004, '名称已存在', 'This organisation has one of this name'],
  ownerKind: [422001, '该机构不能拥有设备标签', 'This organisation cannot own device tags'],
})

export const tones = ['GREY', 'BLUE', 'GREEN', 'AMBER', 'RED', 'PINK', 'VIOLET', 'BROWN'] as const

const fields = {
  name: f.text(20, bi('请输入名称', 'Enter the name')),
  tone: z.enum(tones, bi('请选择颜色', 'Choose the colour')),
}
export const NewDeviceTag = z.strictObject({ orgId: f.id.optional(), ...fields })
export const EditDeviceTag = z.strictObject({ id: f.id, version: f.version, ...fields })

export const DeviceTagRow = z.strictObject({
  id: f.id,
  ...f.shown(fields),
  orgId: f.id,
  orgName: z.string(),
  deviceCount: f.count,
  version: f.version,
  createTime: f.instant,
  can: z.strictObject({ update: z.boolean(), delete: z.boolean() }),
})
export type DeviceTagRow = z.infer<typeof DeviceTagRow>
export const DeviceTagOption = DeviceTagRow.pick({
  id: true,
  name: true,
  tone: true,
  orgId: true,
  orgName: true,
})
export type DeviceTagOption = z.infer<typeof DeviceTagOption>

export const deviceTags = {
  list: read('device-tag:read', {
    path: '/device-tags',
    summary: 'Device tags',
    input: listQuery(
      { keyword, orgId: f.id.optional(), tone: z.enum(tones).optional() },
      ['name', 'createTime'],
      '-createTime',
    ),
    output: page(DeviceTagRow),
  }),
  options: read('device-tag:read', {
    path: '/device-tags/options',
    summary: 'Device tags for a select box, of one organisation when it is given; at most 500',
    input: z.strictObject({ orgId: f.id.optional() }),
    output: z.strictObject({ list: z.array(DeviceTagOption) }),
  }),
  create: write('device-tag:create', {
    path: '/device-tags',
    summary: 'Add a device tag',
    audit: 'deviceTags.create',
    errors: [deviceTagErrors.nameTaken, deviceTagErrors.ownerKind],
    input: NewDeviceTag,
    output: DeviceTagRow,
  }),
  update: write('device-tag:update', {
    method: 'PUT',
    path: '/device-tags/{id}',
    summary: 'Change a device tag',
    audit: 'deviceTags.update',
    errors: [deviceTagErrors.nameTaken],
    input: EditDeviceTag,
    output: DeviceTagRow,
  }),
  remove: write('device-tag:delete', {
    method: 'DELETE',
    path: '/device-tags/{id}',
    summary: 'Delete a device tag',
    audit: 'deviceTags.remove',
    input: z.strictObject({ id: f.id, version: f.version }),
    output: f.done,
  }),
}
