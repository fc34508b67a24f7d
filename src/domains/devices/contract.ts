import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page, pageWithSums, rangeError, rangeFields, rangeIsFine } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'

export const kinds = ['GENERAL', 'DRUG', 'FLOWER', 'LIFT', 'CABINET'] as const
export const lifecycles = ['STOCK', 'OPERATING', 'PAUSED', 'SOLD', 'SCRAPPED'] as const
export const dispensingModes = ['UNATTENDED', 'PHARMACIST', 'MEDICAL'] as const
const Kind = z.enum(kinds)
const Lifecycle = z.enum(lifecycles)
const Mode = z.enum(dispensingModes)
const Status = z.enum(['online', 'offline'])
const Signal = z.enum(['strong', 'medium', 'weak'])
const count = z.number().int().min(0)

export const deviceErrors = defineErrors('devices', {
  numberTaken: [409004, '机器编号已存在', 'This machine number exists already'],
  numbersTaken: [409004, '机器编号已存在:{numbers}', 'These machine numbers exist already: {numbers}'],
  boardTaken: [409004, '该主板已绑定其他设备', 'This board belongs to another device'],
  cardTaken: [409004, '该物联卡已绑定其他设备', 'This SIM card belongs to another device'],
  widthOverflow: [400001, '编号位数不足', 'The number has too few digits for this many devices'],
  unknownRegion: [400001, '请选择所在地区', 'Choose the region'],
  typeFixed: [422001, '更换类型前请先重建货道', 'Rebuild the lanes before you change the type'],
  typeDiffers: [422001, '机型用途与设备类型不符', 'The purpose does not fit the device type'],
  licenceMissing: [400001, '请填写药品经营许可证信息', 'Enter the drug licence'],
  closed: [422001, '设备已外售或报废,不能修改', 'The device was sold or scrapped and cannot be changed'],
  wrongMove: [409001, '当前经营状态不能执行该操作', 'Not possible in the present business state'],
  notReady: [422001, '投入运营前须绑定主板并至少启用一个有商品的货道', 'Bind a board and enable a lane with a product first'],
  licenceElsewhere: [422001, '许可证地址与设备地址不一致', 'The licence is for another address'],
  faultClosed: [409001, '该故障已处理', 'This fault is already handled'],
  ownerKind: [422001, '该机构不能拥有设备', 'This organisation cannot own devices'],
})

export const rtuNumber = z
  .string({ error: bi('请输入机器编号', 'Enter the machine number') })
  .min(1, bi('请输入机器编号', 'Enter the machine number'))
  .regex(
    /^[A-Z0-9]{0,16}[0-9]{4}$/,
    bi('机器编号须为4-20位大写字母或数字,且以4位以上数字结尾', 'Four to 20 capital letters or digits, ending in at least four digits'),
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
    /** Code of a province, city or county. */
    region: z
      .string()
      .regex(/^\d{6}(\d{3})?$/)
      .optional(),
    province: z.string().max(9).optional(),
    city: z.string().max(9).optional(),
    county: z.string().max(9).optional(),
    soldOut: z.boolean().optional(),
    hasFault: z.boolean().optional(),
    tempAlarm: z.boolean().optional(),
    boardNo: z.string().trim().max(40).optional(),
    card: z.string().trim().max(20).optional(),
    ...rangeFields,
  },
  ['attention', 'rtuNumber', 'nickname', 'temperature', 'stock', 'soldOut', 'free', 'faultCount', 'todayOrders', 'todayTurnover', 'lastSeenAt', 'createTime'],
  '-attention',
).refine(rangeIsFine, { message: rangeError, path: ['to'] })

export const DeviceRow = z.strictObject({
  id: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  typeId: f.id,
  typeName: z.string(),
  kind: Kind,
  orgId: f.id,
  ownedUserName: z.string(),
  regionName: z.string(),
  address: z.string(),
  lng: z.number().nullable(),
  lat: z.number().nullable(),
  boardNo: z.string(),
  card: z.string(),
  lifecycle: Lifecycle,
  status: Status,
  lastSeenAt: f.instant.nullable(),
  offlineSince: f.instant.nullable(),
  signal: Signal.nullable(),
  temperature: z.number().nullable(),
  humidity: z.number().nullable(),
  tempAlarm: z.boolean(),
  faultCount: count,
  fw: z.string(),
  apk: z.string(),
  stock: count,
  capacity: count,
  free: count,
  soldOut: count,
  low: count,
  lanes: count,
  /** Today's figures in Asia/Shanghai; null without dashboard:money. */
  todayOrders: count,
  todayTurnover: f.fen.nullable(),
  createTime: f.instant,
  can: z.strictObject({ update: z.boolean(), pause: z.boolean(), operate: z.boolean() }),
})
export type DeviceRow = z.infer<typeof DeviceRow>

export const DeviceDetail = DeviceRow.extend({
  country: z.string(),
  province: z.string(),
  city: z.string(),
  county: z.string(),
  pattern: z.enum(['spring', 'lift', 'belt', 'pusher', 'locker']),
  refrigeration: z.boolean(),
  dispensingMode: Mode.nullable(),
  licenceNo: z.string(),
  licenceAddress: z.string(),
  dropSensor: z.boolean(),
  autoRefund: z.boolean(),
  remark: z.string(),
  doorOpen: z.boolean(),
  rsrp: z.number().int().nullable(),
  planogramVersion: count,
  replenishers: z.array(z.string()),
  repairers: z.array(z.string()),
  licenceMatches: z.boolean(),
  version: f.version,
})
export type DeviceDetail = z.infer<typeof DeviceDetail>

const coordinate = (min: number, max: number) => {
  const wrong = bi('坐标超出中国范围', 'Outside China')
  return z.number(bi('坐标格式错误', 'Not a coordinate')).min(min, wrong).max(max, wrong).nullable().default(null)
}
const chooseRegion = bi('请选择所在地区', 'Choose the region')
const blankIsNull = (value: string | null) => value || null
const place = {
  typeId: z.number(bi('请选择设备类型', 'Choose the device type')).int().positive(),
  kind: Kind,
  /** Code of the county; province and city follow from it. */
  county: z.string(chooseRegion).regex(/^\d{6}(\d{3})?$/, chooseRegion),
  address: f.text(100, bi('请输入详细地址', 'Enter the street address')),
  lng: coordinate(73, 136),
  lat: coordinate(3, 54),
  dispensingMode: Mode.nullable().default(null),
  licenceNo: f.optionalText(40),
  licenceAddress: f.optionalText(200),
  dropSensor: z.boolean(),
  autoRefund: z.boolean().default(true),
  remark: f.optionalText(200),
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
const bothOrNone = (v: { lng: number | null; lat: number | null }) => (v.lng === null) === (v.lat === null)
const bothOrNoneText = { path: ['lat'], message: bi('经度和纬度须同时填写', 'Enter both coordinates or none') }

export const EditDevice = z.strictObject({ id: f.id, version: f.version, ...single, ...place }).refine(bothOrNone, bothOrNoneText)
export type EditDevice = z.infer<typeof EditDevice>
export const CreateDevice = z.strictObject({ rtuNumber, orgId: f.id.optional(), ...single, ...place }).refine(bothOrNone, bothOrNoneText)
export type CreateDevice = z.infer<typeof CreateDevice>

const batchCount = bi('数量须为1-200', 'A number from 1 to 200')
const numbers = {
  start: rtuNumber,
  count: z.number(batchCount).int(batchCount).min(1, batchCount).max(200, batchCount),
  skipExisting: z.boolean().default(false),
}
export const BatchDevices = z
  .strictObject({ ...numbers, orgId: f.id.optional(), namePrefix: f.text(30, bi('请输入名称前缀', 'Enter a name prefix')), ...place })
  .refine(bothOrNone, bothOrNoneText)
export type BatchDevices = z.infer<typeof BatchDevices>

/** The secret a machine signs in with; kept as a hash, so this answer is the only one that shows it. */
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
export const EventRow = z.strictObject({
  boot: z.string(),
  seq: count,
  kind: z.string(),
  createTime: f.instant,
  deviceTime: f.instant.nullable(),
  payload: z.record(z.string(), z.unknown()),
  note: z.string().nullable(),
})
const rowErrors = [deviceErrors.unknownRegion, deviceErrors.licenceMissing, deviceErrors.boardTaken, deviceErrors.cardTaken, deviceErrors.typeDiffers] as const
const ofDevice = { id: f.id }

export const devices = {
  list: read('device:read', {
    path: '/devices',
    summary: "Machines with state, stock and today's sales",
    input: deviceList,
    export: 'device:export',
    output: pageWithSums(DeviceRow, z.strictObject({ todayOrders: count, todayTurnover: f.fen.nullable(), stock: count, capacity: count })),
  }),
  counts: read('device:read', {
    path: '/devices/counts',
    summary: 'Figures of the quick views',
    output: z.strictObject({ all: count, online: count, offline: count, fault: count, soldOut: count, tempAlarm: count }),
  }),
  options: read('device:read', {
    path: '/devices/options',
    summary: 'Machines for a select box, at most 50',
    input: z.strictObject({ keyword, ids: z.array(f.id).max(200).optional() }),
    output: z.strictObject({ list: z.array(z.strictObject({ id: f.id, rtuNumber: z.string(), nickname: z.string(), orgId: f.id, status: Status })) }),
  }),
  detail: read('device:read', { path: '/devices/{id}', summary: 'One machine', input: z.strictObject(ofDevice), output: DeviceDetail }),
  create: write('device:create', {
    path: '/devices',
    summary: 'Register a machine; the answer shows its secret once',
    audit: 'devices.create',
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
    output: z.strictObject({ first: z.string(), last: z.string(), numbers: z.array(z.string()), conflicts: z.array(z.string()) }),
  }),
  createBatch: write('device:create', {
    path: '/devices/batch-create',
    summary: 'Register up to 200 machines with following numbers, all or none',
    audit: 'devices.createBatch',
    scope: 'system',
    errors: [deviceErrors.numbersTaken, deviceErrors.widthOverflow, deviceErrors.ownerKind, ...rowErrors],
    input: BatchDevices,
    output: z.strictObject({ created: z.array(Secret) }),
  }),
  update: write('device:update', {
    method: 'PUT',
    path: '/devices/{id}',
    summary: 'Change a machine',
    audit: 'devices.update',
    errors: [deviceErrors.typeFixed, deviceErrors.closed, ...rowErrors],
    input: EditDevice,
    output: DeviceDetail,
  }),
  setLifecycle: write('device:update', {
    path: '/devices/{id}/lifecycle',
    summary: 'Put into operation, pause or resume sales',
    audit: 'devices.setLifecycle',
    errors: [deviceErrors.wrongMove, deviceErrors.notReady, deviceErrors.licenceElsewhere],
    input: z.strictObject({ ...ofDevice, version: f.version, to: z.enum(['OPERATING', 'PAUSED']), reason: f.optionalText(200) }),
    output: DeviceDetail,
  }),
  timeline: read('device:read', {
    path: '/devices/{id}/timeline',
    summary: 'What the machine said, newest first; the last seven days unless a range is given',
    input: listQuery({ ...ofDevice, ...rangeFields }, ['createTime'], '-createTime').refine(rangeIsFine, { message: rangeError, path: ['to'] }),
    output: page(EventRow),
  }),
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
    input: z.strictObject({ id: f.id, remark: f.text(200, bi('请填写处理说明', 'Say what was done')) }),
    output: f.done,
  }),
}
