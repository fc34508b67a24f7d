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
import { chinaBox, regionCode } from '../../shared/place.ts'
import { bi } from '../../shared/text.ts'
import { DeviceTagOption } from '../device-tags/contract.ts'
import { deviceErrors } from './errors.ts'
import { EditDevice, formEndpoints, Kind, Mode, rowErrors } from './formContract.ts'
import { historyEndpoints } from './historyContract.ts'
import { lifecycleEndpoints, reasonText } from './lifecycleContract.ts'
import { tagEndpoints } from './tagContract.ts'

export const lifecycles = ['STOCK', 'OPERATING', 'PAUSED', 'SOLD', 'SCRAPPED'] as const
const Lifecycle = z.enum(lifecycles)
const Status = z.enum(['online', 'offline'])
const Signal = z.enum(['strong', 'medium', 'weak'])
export const freshnesses = ['fresh', 'aging', 'stale'] as const

export { deviceErrors }

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
    /** The drug licence of a machine is over, or ends within a month. */
    licenceState: z.enum(['EXPIRED', 'SOON']).optional(),
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
)

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
  licenceUntil: f.day.nullable(),
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
/** What the list of machines filters by; the quick views are filters too. */
const { page: _page, pageSize, sort, ...filters } = deviceList.shape

export const fleetStates = ['fault', 'offline', 'soldOut', 'fine', 'idle'] as const
export type FleetState = (typeof fleetStates)[number]
const States = z.strictObject({
  fault: f.count,
  offline: f.count,
  soldOut: f.count,
  fine: f.count,
  idle: f.count,
})
const wrongBox = bi('地图范围不正确', 'Not a part of the map')
const Box = z
  .array(z.number().min(-180, wrongBox).max(180, wrongBox))
  .length(4, wrongBox)
  .refine(
    ([west = 0, south = 0, east = 0, north = 0]) =>
      west <= east && south <= north && north < 86 && south > -86,
    wrongBox,
  )
  .default([chinaBox.west, chinaBox.south, chinaBox.east, chinaBox.north])

export const FleetGroup = z.strictObject({
  lng: z.number(),
  lat: z.number(),
  total: f.count,
  states: States,
  box: z.array(z.number()),
})
export type FleetGroup = z.infer<typeof FleetGroup>
export const FleetMachine = z.strictObject({
  id: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  lng: z.number(),
  lat: z.number(),
  state: z.enum(fleetStates),
})
export type FleetMachine = z.infer<typeof FleetMachine>

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
  map: read('device:read', {
    path: '/devices/map',
    heavy: true,
    summary:
      'Machines of a part of the map, near ones as one group; from zoom 20 on each by itself, at most 500. `box` is west, south, east, north; the whole country without it',
    input: z
      .strictObject({
        box: Box,
        zoom: z.number(wrongBox).int(wrongBox).min(0, wrongBox).max(22, wrongBox).default(4),
        ...filters,
      })
      .superRefine(wholeRange),
    output: z.strictObject({
      /** Of the whole filter, wherever they stand. */
      total: f.count,
      unlocated: f.count,
      states: States,
      groups: z.array(FleetGroup),
      machines: z.array(FleetMachine),
    }),
  }),
  detail: read('device:read', {
    path: '/devices/{id}',
    summary: 'One machine',
    input: z.strictObject(ofDevice),
    output: DeviceDetail,
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
  ...formEndpoints,
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
