import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'

export const deviceTypeErrors = defineErrors('deviceTypes', {
  nameTaken: [409004, '类型名称已存在', 'This name exists already'],
  inUse: [409003, '该类型下仍有 {n} 台设备，无法删除', 'There are still {n} devices of this type'],
  patternFixed: [
    422001,
    '该类型下已有设备，不能更改出货方式',
    'There are devices of this type; the dispensing cannot change',
  ],
  tooSmall: [422001, '已有货道超出新的层数或货道数', 'Existing lanes exceed the new limits'],
  screenSize: [400001, '请填写屏幕尺寸', 'Enter the screen size'],
})

const Kind = z.enum(
  ['GENERAL', 'DRUG', 'FLOWER', 'LIFT', 'CABINET'],
  bi('请选择机型用途', 'Choose the purpose'),
)
const Pattern = z.enum(
  ['spring', 'lift', 'belt', 'pusher', 'locker'],
  bi('请选择出货方式', 'Choose the dispensing'),
)
const limit = z
  .number(bi('须为1-20', 'From 1 to 20'))
  .int(bi('须为1-20', 'From 1 to 20'))
  .min(1, bi('须为1-20', 'From 1 to 20'))
  .max(20, bi('须为1-20', 'From 1 to 20'))
const count = z.number().int().min(0)

const fields = {
  name: f.text(30, bi('请输入设备类型名称', 'Enter a name')),
  img: z
    .union([f.imageUrl, z.literal('')])
    .default('')
    .meta({ unit: 'image' }),
  screen: z.boolean(),
  screenSize: f.optionalText(20),
  refrigeration: z.boolean(),
  pattern: Pattern,
  kind: Kind,
  dropSensor: z.boolean(),
  maxLevels: limit.default(10),
  maxRoads: limit.default(10),
}
export const NewType = z.strictObject(fields)
export type NewType = z.infer<typeof NewType>

export const TypeRow = z.strictObject({
  id: f.id,
  ...f.shown(fields),
  deviceCount: count,
  version: f.version,
  createTime: f.instant,
  can: z.strictObject({ update: z.boolean(), delete: z.boolean() }),
})
export type TypeRow = z.infer<typeof TypeRow>
export const TypeOption = TypeRow.pick({
  id: true,
  name: true,
  kind: true,
  pattern: true,
  dropSensor: true,
  maxLevels: true,
  maxRoads: true,
})

export const deviceTypes = {
  list: read('device-type:read', {
    path: '/device-types',
    summary: 'Device types',
    input: listQuery(
      { keyword, pattern: Pattern.optional(), kind: Kind.optional() },
      ['name', 'deviceCount', 'createTime'],
      'createTime',
    ),
    output: page(TypeRow),
  }),
  options: read('device:read', {
    path: '/device-types/options',
    summary: 'Types for a select box',
    output: z.strictObject({ list: z.array(TypeOption) }),
  }),
  create: write('device-type:create', {
    path: '/device-types',
    summary: 'Add a device type',
    audit: 'deviceTypes.create',
    errors: [deviceTypeErrors.nameTaken, deviceTypeErrors.screenSize],
    input: NewType,
    output: TypeRow,
  }),
  update: write('device-type:update', {
    method: 'PUT',
    path: '/device-types/{id}',
    summary: 'Change a device type',
    audit: 'deviceTypes.update',
    errors: [
      deviceTypeErrors.nameTaken,
      deviceTypeErrors.patternFixed,
      deviceTypeErrors.tooSmall,
      deviceTypeErrors.screenSize,
    ],
    input: z.strictObject({ id: f.id, version: f.version, ...fields }),
    output: TypeRow,
  }),
  remove: write('device-type:delete', {
    method: 'DELETE',
    path: '/device-types/{id}',
    summary: 'Delete an unused device type',
    audit: 'deviceTypes.remove',
    errors: [deviceTypeErrors.inUse],
    input: z.strictObject({ id: f.id }),
    output: f.done,
  }),
}
