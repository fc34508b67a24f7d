import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { BusinessHours } from '../../shared/hours.ts'
import {
  bothOrNone,
  bothOrNoneText,
  optionalLatitude,
  optionalLongitude,
  regionCode,
} from '../../shared/place.ts'
import { bi } from '../../shared/text.ts'
import { dispensingModes } from '../drug-guard/rules.ts'
import { deviceErrors } from './errors.ts'

/** What the form of a machine says, and new machines, one by one or up to 200. */

export const kinds = ['GENERAL', 'DRUG', 'FLOWER', 'LIFT', 'CABINET'] as const
export const Kind = z.enum(kinds)
export const Mode = z.enum(dispensingModes)

export const rtuNumber = z
  .string({ error: bi('请输入机器编号', 'Enter the machine number') })
  .min(1, bi('请输入机器编号', 'Enter the machine number'))
  .regex(
    /^[A-Z0-9]{0,16}[0-9]{4}$/,
    bi(
      '机器编号须为4-20位大写字母或数字，且以4位以上数字结尾',
      'Four to 20 capital letters or digits, ending in at least four digits',
    ),
  )

const chooseRegion = bi('请选择所在地区', 'Choose the region')
const blankIsNull = (value: string | null) => value || null
const place = {
  typeId: z.number(bi('请选择设备类型', 'Choose the device type')).int().positive(),
  kind: Kind,
  /** Code of the county; province and city follow from it. */
  county: regionCode(chooseRegion),
  address: f.text(100, bi('请输入详细地址', 'Enter the street address')),
  lng: optionalLongitude,
  lat: optionalLatitude,
  dispensingMode: Mode.nullable().default(null),
  licenceNo: f.optionalText(40),
  licenceAddress: f.optionalText(200),
  licenceUntil: f.day.nullable().default(null),
  dropSensor: z.boolean(),
  autoRefund: z.boolean().default(true),
  businessHours: BusinessHours.default([]),
  onlineMall: z.boolean().default(false),
  remark: f.optionalLines(200),
}
const single = {
  nickname: f.text(40, bi('请输入机器名称', 'Enter the name')),
  boardNo: z
    .string()
    .trim()
    .regex(/^([A-Za-z0-9-]{6,40})?$/, bi('主板编号须为6-40位', 'Six to 40 characters'))
    .nullable()
    .default(null)
    .transform(blankIsNull),
  card: z
    .string()
    .trim()
    .regex(/^(\d{19,20})?$/, bi('物联卡号格式不正确', '19 or 20 digits'))
    .nullable()
    .default(null)
    .transform(blankIsNull),
}
const store = { storeId: f.id.nullable().default(null) }
export const EditDevice = z
  .strictObject({ id: f.id, version: f.version, ...single, ...store, ...place })
  .refine(bothOrNone, bothOrNoneText)
export type EditDevice = z.infer<typeof EditDevice>
export const CreateDevice = z
  .strictObject({ rtuNumber, orgId: f.id.optional(), ...single, ...place })
  .refine(bothOrNone, bothOrNoneText)
export type CreateDevice = z.infer<typeof CreateDevice>

const batchCount = bi('数量须为1-200', 'A number from 1 to 200')
const numbers = {
  start: rtuNumber,
  count: z.number(batchCount).int(batchCount).min(1, batchCount).max(200, batchCount),
  skipExisting: z.boolean().default(false),
}
export const BatchDevices = z
  .strictObject({
    ...numbers,
    orgId: f.id.optional(),
    namePrefix: f.text(30, bi('请输入名称前缀', 'Enter a name prefix')),
    ...place,
  })
  .refine(bothOrNone, bothOrNoneText)
export type BatchDevices = z.infer<typeof BatchDevices>

/**
 * The secret a machine signs in with; kept as a hash, so this answer is the only one that shows it.
 */
const Secret = z.strictObject({ id: f.id, rtuNumber: z.string(), secret: z.string() })

export const rowErrors = [
  deviceErrors.unknownRegion,
  deviceErrors.licenceMissing,
  deviceErrors.boardTaken,
  deviceErrors.cardTaken,
  deviceErrors.typeDiffers,
] as const

export const formEndpoints = {
  create: write('device:create', {
    path: '/devices',
    summary: 'Register a machine; the answer shows its secret once',
    audit: 'devices.create',
    fresh: true,
    scope: 'system',
    errors: [deviceErrors.numberTaken, deviceErrors.ownerKind, ...rowErrors],
    input: CreateDevice,
    output: Secret,
  }),
  previewBatch: read('device:create', {
    path: '/devices/batch-preview',
    summary: 'The numbers a batch would take',
    scope: 'system',
    errors: [deviceErrors.widthOverflow],
    input: z.strictObject(numbers),
    output: z.strictObject({
      first: z.string(),
      last: z.string(),
      numbers: z.array(z.string()),
      conflicts: z.array(z.string()),
    }),
  }),
  createBatch: write('device:create', {
    path: '/devices/batch-create',
    summary: 'Register up to 200 machines with following numbers, all or none',
    audit: 'devices.createBatch',
    fresh: true,
    scope: 'system',
    errors: [
      deviceErrors.numbersTaken,
      deviceErrors.widthOverflow,
      deviceErrors.ownerKind,
      ...rowErrors,
    ],
    input: BatchDevices,
    output: z.strictObject({ created: z.array(Secret) }),
  }),
}
