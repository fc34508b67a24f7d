import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import {
  keyword,
  listQuery,
  page,
  pageWithSums,
  rangeFields,
  wholeRange,
} from '../../shared/listQuery.ts'
import {
  bothOrNone,
  bothOrNoneText,
  optionalLatitude,
  optionalLongitude,
  regionCode,
} from '../../shared/place.ts'
import { bi } from '../../shared/text.ts'
import { DeviceTagOption } from '../device-tags/contract.ts'
import { deviceErrors } from './errors.ts'
import { historyEndpoints } from './historyContract.ts'
import { BusinessHours } from './hours.ts'
import { lifecycleEndpoints, reasonText } from './lifecycleContract.ts'
import { tagEndpoints } from './tagContract.ts'

export const kinds = ['GENERAL', 'DRUG', 'FLOWER', 'LIFT', 'CABINET'] as const
export const lifecycles = ['STOCK', 'OPERATING', 'PAUSED', 'SOLD', 'SCRAPPED'] as const
export const dispensingModes = ['UNATTENDED', 'PHARMACIST', 'MEDICAL'] as const
const Kind = z.enum(kinds)
const Lifecycle = z.enum(lifecycles)
const Mode = z.enum(dispensingModes)
const Status = z.enum(['online', 'offline'])
const Signal = z.enum(['strong', 'medium', 'weak'])
export const freshnesses = ['fresh', 'aging', 'stale'] as const

export { deviceErrors }

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

export const deviceList = listQuery(
  {
    keyword,
    status: Status.optional(),
    signal: Signal.optional(),
    typeId: f.id.optional(),
    kind: Kind.optional(),
    lifecycle: Lifecycle.optional(),
    orgId: f.id.optional(),
    storeId: f.id.optional(),
    /** Machines that carry at least one of them. */
    tagIds: f.ids().min(1).max(20).optional(),
    region: regionCode().optional(),
    province: z.string().max(9).optional(),
    city: z.string().max(9).optional(),
    county: z.string().max(9).optional(),
    soldOut: z.boolean().optional(),
    hasFault: z.boolean().optional(),
    tempAlarm: z.boolean().optional(),
    boardNo: z.string().trim().max(40).optional(),
    card: z.string().trim().max(20).optional(),
    /** Chosen rows, for the file of a selection. */
    ids: z.array(f.id).max(1000).optional(),
    ...rangeFields,
  },
  [
    'attention',
    'rtuNumber',
    'nickname',
    'temperature',
    'stock',
    'soldOut',
    'free',
    'faultCount',
    'todayOrders',
    'todayTurnover',
    'lastSeenAt',
    'createTime',
  ],
  '-attention',
).refine(...wholeRange)

export const DeviceRow = z.strictObject({
  id: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  typeId: f.id,
  typeName: z.string(),
  kind: Kind,
  orgId: f.id,
  ownedUserName: z.string(),
  storeName: z.string(),
  /** Those the actor sees. */
  tags: z.array(DeviceTagOption.pick({ id: true, name: true, tone: true })),
  regionName: z.string(),
  address: z.string(),
  lng: z.number().nullable(),
  lat: z.number().nullable(),
  boardNo: z.string(),
  card: z.string(),
  lifecycle: Lifecycle,
  /** By a command of a person: it sells nothing until it is unlocked. */
  locked: z.boolean(),
  status: Status,
  lastSeenAt: f.instant.nullable(),
  /** By the hours the machine's organisation has set. */
  freshness: z.enum(freshnesses),
  offlineSince: f.instant.nullable(),
  signal: Signal.nullable(),
  temperature: z.number().nullable(),
  humidity: z.number().nullable(),
  tempAlarm: z.boolean(),
  faultCount: f.count,
  /** The worst of them; null without fault:read. */
  fault: z.strictObject({ faultCode: z.string(), road: f.count.nullable() }).nullable(),
  fw: z.string(),
  apk: z.string(),
  stock: f.count,
  capacity: f.count,
  free: f.count,
  soldOut: f.count,
  low: f.count,
  lanes: f.count,
  /** Today's figures in Asia/Shanghai; null without dashboard:money. */
  todayOrders: f.count,
  todayTurnover: f.fen.nullable(),
  createTime: f.instant,
  can: z.strictObject({
    update: z.boolean(),
    pause: z.boolean(),
    operate: z.boolean(),
    retire: z.boolean(),
    restore: z.boolean(),
  }),
})
export type DeviceRow = z.infer<typeof DeviceRow>

export const DeviceDetail = DeviceRow.extend({
  country: z.string(),
  province: z.string(),
  city: z.string(),
  county: z.string(),
  storeId: f.id.nullable(),
  pattern: z.enum(['spring', 'lift', 'belt', 'pusher', 'locker']),
  refrigeration: z.boolean(),
  dispensingMode: Mode.nullable(),
  licenceNo: z.string(),
  licenceAddress: z.string(),
  dropSensor: z.boolean(),
  autoRefund: z.boolean(),
  /** Empty: the setting of the organisation holds. */
  businessHours: z.array(
    z.strictObject({ days: z.array(f.count), from: z.string(), to: z.string() }),
  ),
  /** What the organisation has set, every day. */
  orgHours: z.strictObject({ from: z.string(), to: z.string() }),
  onlineMall: z.boolean(),
  remark: z.string(),
  doorOpen: z.boolean(),
  rsrp: z.number().int().nullable(),
  planogramVersion: f.count,
  replenishers: z.array(z.string()),
  repairers: z.array(z.string()),
  licenceMatches: z.boolean(),
  version: f.version,
})
export type DeviceDetail = z.infer<typeof DeviceDetail>

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

export const FaultRow = z.strictObject({
  id: f.id,
  deviceId: f.id,
  rtuNumber: z.string(),
  road: z.number().int().nullable(),
  faultCode: z.string(),
  level: z.enum(['WARN', 'ERROR']),
  detail: z.string(),
  openedAt: f.instant,
  closedAt: f.instant.nullable(),
  handledBy: z.string().nullable(),
  remark: z.string(),
  can: z.strictObject({ handle: z.boolean() }),
})
const rowErrors = [
  deviceErrors.unknownRegion,
  deviceErrors.licenceMissing,
  deviceErrors.boardTaken,
  deviceErrors.cardTaken,
  deviceErrors.typeDiffers,
] as const
const ofDevice = { id: f.id }

export const devices = {
  list: read('device:read', {
    path: '/devices',
    summary: "Machines with state, stock and today's sales",
    input: deviceList,
    export: 'device:export',
    output: pageWithSums(
      DeviceRow,
      z.strictObject({
        todayOrders: f.count,
        todayTurnover: f.fen.nullable(),
        stock: f.count,
        capacity: f.count,
      }),
    ),
  }),
  counts: read('device:read', {
    path: '/devices/counts',
    heavy: true,
    summary: 'Figures of the quick views',
    output: z.strictObject({
      all: f.count,
      online: f.count,
      offline: f.count,
      fault: f.count,
      soldOut: f.count,
      tempAlarm: f.count,
    }),
  }),
  options: read('device:read', {
    path: '/devices/options',
    summary: 'Machines for a select box, at most 50',
    /** `typeOf`: of the type of this machine alone. */
    input: z.strictObject({
      keyword,
      ids: z.array(f.id).max(200).optional(),
      typeOf: f.id.optional(),
    }),
    output: z.strictObject({
      list: z.array(
        z.strictObject({
          id: f.id,
          rtuNumber: z.string(),
          nickname: z.string(),
          orgId: f.id,
          status: Status,
        }),
      ),
    }),
  }),
  detail: read('device:read', {
    path: '/devices/{id}',
    summary: 'One machine',
    input: z.strictObject(ofDevice),
    output: DeviceDetail,
  }),
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
  update: write('device:update', {
    method: 'PUT',
    path: '/devices/{id}',
    summary: 'Change a machine; with another board the answer shows its new secret once',
    audit: 'devices.update',
    fresh: 'sometimes',
    errors: [
      deviceErrors.typeFixed,
      deviceErrors.closed,
      deviceErrors.boardDisabled,
      deviceErrors.openOrder,
      deviceErrors.storeElsewhere,
      ...rowErrors,
    ],
    input: EditDevice,
    /** Another board has a secret of its own: shown here and never again. */
    output: DeviceDetail.extend({ secret: z.string().nullable() }),
  }),
  setLifecycle: write('device:update', {
    path: '/devices/{id}/lifecycle',
    summary: 'Put into operation, pause or resume sales',
    audit: 'devices.setLifecycle',
    errors: [deviceErrors.wrongMove, deviceErrors.notReady, deviceErrors.licenceElsewhere],
    input: z
      .strictObject({
        ...ofDevice,
        version: f.version,
        to: z.enum(['OPERATING', 'PAUSED']),
        reason: f.optionalLines(200),
      })
      .refine((v) => v.to !== 'PAUSED' || v.reason !== '', {
        message: reasonText,
        path: ['reason'],
      }),
    output: DeviceDetail,
  }),
  ...lifecycleEndpoints,
  ...historyEndpoints,
  ...tagEndpoints,
  faults: read('fault:read', {
    path: '/devices/{id}/faults',
    summary: 'Faults of a machine, open ones first',
    input: listQuery({ ...ofDevice, open: z.boolean().optional() }, ['openedAt'], '-openedAt'),
    output: page(FaultRow),
  }),
  handleFault: write('fault:update', {
    path: '/device-faults/{id}/handle',
    summary: 'Close a fault with a remark; a repaired lane sells again',
    audit: 'devices.handleFault',
    errors: [deviceErrors.faultClosed],
    input: z.strictObject({
      id: f.id,
      remark: f.lines(200, bi('请填写处理说明', 'Say what was done')),
    }),
    output: f.done,
  }),
}
