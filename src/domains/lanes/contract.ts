import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { bi } from '../../shared/text.ts'
import { DrugFacts, SiteFacts } from '../drug-guard/contract.ts'
import { placeErrors } from '../drug-guard/rules.ts'
import { copyEndpoints } from './copyContract.ts'
import { laneErrors } from './errors.ts'
import { laneIds, noneChosen, planogram, road, whole } from './fields.ts'
import { priceEndpoints } from './priceContract.ts'
import { versionEndpoints } from './versionContract.ts'

export { laneErrors }

export const laneStatuses = ['ENABLED', 'DISABLED', 'FAULT', 'LOCKED', 'MERGED'] as const
/** What a person sees: the status, or for an enabled lane how well it is filled. */
export const laneViews = [
  'normal',
  'low',
  'soldOut',
  'empty',
  'disabled',
  'fault',
  'locked',
  'merged',
] as const

export const Road = z.strictObject({
  id: f.id,
  roadIndex: road,
  column: z.number().int(),
  motorNo: z.number().int(),
  productId: f.id.nullable(),
  productName: z.string().nullable(),
  productImg: z.string().nullable(),
  model: z.string().nullable(),
  drugClass: z.string().nullable(),
  drug: DrugFacts,
  /** Null without product:cost. */
  costPrice: f.fen.nullable(),
  roadCapacity: f.count,
  productStock: f.count,
  reserved: f.count,
  failedHold: f.count,
  warnQty: f.count,
  retailPrice: f.fen.nullable(),
  price: f.fen.nullable(),
  restriction: f.count,
  status: z.enum(laneStatuses),
  view: z.enum(laneViews),
  /** What the machine still charges while it has not confirmed the price. */
  confirmedPrice: f.fen.nullable(),
  lockReason: z.string().nullable(),
  faultCode: z.string().nullable(),
  mergedInto: f.id.nullable(),
  /** Road indexes of the lanes merged into this one. */
  merged: z.array(road),
})
export type Road = z.infer<typeof Road>
const Floor = z.strictObject({
  id: f.id,
  level: z.number().int(),
  name: z.string(),
  roads: z.array(Road),
})

/** How far the machine is with the version that was saved; null before its first lanes. */
const Sync = z.strictObject({
  wanted: f.count,
  applied: f.count.nullable(),
  state: z.enum(['PENDING', 'DELIVERED', 'APPLIED', 'REFUSED']),
  reason: z.string(),
})

export const Planogram = z.strictObject({
  device: z.strictObject({
    id: f.id,
    rtuNumber: z.string(),
    nickname: z.string(),
    orgId: f.id,
    typeId: f.id,
    typeName: z.string(),
    kind: z.string(),
    dispensingMode: z.string().nullable(),
    site: SiteFacts,
    lifecycle: z.string(),
    status: z.enum(['online', 'offline']),
    maxLevels: z.number().int(),
    maxRoads: z.number().int(),
  }),
  version: planogram,
  totals: z.strictObject({
    lanes: f.count,
    enabled: f.count,
    soldOut: f.count,
    low: f.count,
    fault: f.count,
    free: f.count,
    stock: f.count,
    capacity: f.count,
  }),
  floors: z.array(Floor),
  sync: Sync.nullable(),
  /** Price changes that wait for their time. */
  scheduled: f.count,
  can: z.strictObject({
    update: z.boolean(),
    price: z.boolean(),
    merge: z.boolean(),
    rebuild: z.boolean(),
    copy: z.boolean(),
    lock: z.boolean(),
    clearFault: z.boolean(),
  }),
})
export type Planogram = z.infer<typeof Planogram>

const capacity = whole(bi('货道容量须为0-199', 'A capacity from 0 to 199'), 0, 199)
const oneProduct = bi('只能添加一个商品', 'A lane holds one product only')

/** What is left out stays; a product that changes brings its own prices unless they are given. */
export const LanePatch = z.strictObject({
  id: f.id,
  productId: z
    .number(oneProduct)
    .int()
    .positive()
    .max(Number.MAX_SAFE_INTEGER)
    .nullable()
    .optional(),
  roadCapacity: capacity.optional(),
  warnQty: whole(bi('库存预警值须为0-199', 'A warning level from 0 to 199'), 0, 199).optional(),
  retailPrice: f.price.optional(),
  price: f.price.optional(),
  restriction: whole(
    bi('限购数量超出范围', 'The purchase limit is out of range'),
    0,
    999,
    bi('限购数量不能为空', 'Enter a purchase limit, 0 for none'),
  ).optional(),
  status: z.enum(['ENABLED', 'DISABLED']).optional(),
  motorNo: z.number().int().min(1).max(400).optional(),
})
export type LanePatch = z.infer<typeof LanePatch>

export const Level = z.strictObject({
  name: f.optionalText(20),
  columns: whole(bi('每层货道数须为1-20', 'One to 20 lanes per level'), 1, 20),
  roadCapacity: capacity.default(8),
})
export type Level = z.infer<typeof Level>
const levels = z.array(Level).min(1, bi('请至少添加一层', 'Add a level')).max(20)
const ofDevice = { deviceId: f.id, version: planogram }

export const lanes = {
  plan: read('lane:read', {
    path: '/devices/{deviceId}/lanes',
    summary: 'Levels and lanes of a machine',
    input: z.strictObject({ deviceId: f.id }),
    output: Planogram,
  }),
  create: write('lane:update', {
    path: '/devices/{deviceId}/lanes',
    summary: 'Draw the first lanes',
    audit: 'lanes.create',
    errors: [
      laneErrors.hasLanes,
      laneErrors.tooManyLevels,
      laneErrors.tooManyRoads,
      laneErrors.closed,
    ],
    input: z.strictObject({ ...ofDevice, levels }),
    output: Planogram,
  }),
  update: write('lane:update', {
    method: 'PUT',
    path: '/devices/{deviceId}/lanes',
    summary: 'Change lanes and names of levels, all or none; what is left out stays',
    audit: 'lanes.update',
    errors: [
      laneErrors.oneProduct,
      laneErrors.notEmpty,
      laneErrors.capacityBelowStock,
      laneErrors.warnOverCapacity,
      laneErrors.retailBelowCost,
      laneErrors.priceMissing,
      laneErrors.priceBelowCost,
      laneErrors.priceOverRetail,
      laneErrors.productOff,
      ...placeErrors,
      laneErrors.secondary,
      laneErrors.fixedStatus,
      laneErrors.locked,
      laneErrors.motorTaken,
      laneErrors.closed,
    ],
    input: z
      .strictObject({
        ...ofDevice,
        lanes: z.array(LanePatch, noneChosen).max(400).default([]),
        floors: z
          .array(z.strictObject({ id: f.id, name: f.optionalText(20) }))
          .max(20)
          .default([]),
      })
      .refine((given) => given.lanes.length + given.floors.length > 0, {
        message: noneChosen,
        path: ['lanes'],
      }),
    output: Planogram,
  }),
  merge: write('lane:merge', {
    path: '/devices/{deviceId}/lanes/merge',
    summary: 'Join neighbours to the right into one wide lane',
    audit: 'lanes.merge',
    errors: [
      laneErrors.noneToMerge,
      laneErrors.notNeighbours,
      laneErrors.alreadyMerged,
      laneErrors.secondaryStock,
      laneErrors.secondaryHolds,
      laneErrors.notWorking,
      laneErrors.closed,
    ],
    input: z.strictObject({
      ...ofDevice,
      mainId: z.number(noneChosen).int().positive().max(Number.MAX_SAFE_INTEGER),
      secondaryIds: f.ids(noneChosen).min(1, noneChosen).max(19),
    }),
    output: Planogram,
  }),
  split: write('lane:merge', {
    path: '/devices/{deviceId}/lanes/split',
    summary: 'Take a wide lane apart',
    audit: 'lanes.split',
    errors: [
      laneErrors.notMerged,
      laneErrors.capacityBelowStock,
      laneErrors.warnOverCapacity,
      laneErrors.closed,
    ],
    input: z.strictObject({ ...ofDevice, mainId: f.id, roadCapacity: capacity.optional() }),
    output: Planogram,
  }),
  rebuild: write('lane:rebuild', {
    path: '/devices/{deviceId}/lanes/rebuild',
    summary: 'Delete all lanes and draw new ones; stock is withdrawn',
    audit: 'lanes.rebuild',
    idempotent: true,
    errors: [
      laneErrors.wrongNumber,
      laneErrors.busyLanes,
      laneErrors.copyRunning,
      laneErrors.noLanes,
      laneErrors.tooManyLevels,
      laneErrors.tooManyRoads,
      laneErrors.closed,
    ],
    input: z.strictObject({
      ...ofDevice,
      confirmNumber: z
        .string(bi('请输入机器编号确认', 'Type the machine number to confirm'))
        .max(40),
      levels,
    }),
    output: Planogram,
  }),
  clearFault: write('fault:update', {
    path: '/devices/{deviceId}/lanes/{laneId}/clear-fault',
    summary: 'The lane is repaired and sells again',
    audit: 'lanes.clearFault',
    errors: [laneErrors.noFault],
    input: z.strictObject({ deviceId: f.id, laneId: f.id }),
    output: Planogram,
  }),
  lock: write('lane:lock', {
    path: '/devices/{deviceId}/lanes/lock',
    summary: 'Lock lanes for a reason of quality: they sell nothing until somebody unlocks them',
    audit: 'lanes.lock',
    errors: [laneErrors.notLockable, laneErrors.closed],
    input: z.strictObject({
      ...ofDevice,
      laneIds,
      reason: f.text(100, bi('请输入锁定原因', 'Enter a reason')),
    }),
    output: Planogram,
  }),
  unlock: write('lane:lock', {
    path: '/devices/{deviceId}/lanes/unlock',
    summary:
      'Lanes that were locked by hand sell again; what the system locked is released by its own decision',
    audit: 'lanes.unlock',
    errors: [laneErrors.notLocked, laneErrors.closed],
    input: z.strictObject({ ...ofDevice, laneIds }),
    output: Planogram,
  }),
  one: read('lane:read', {
    path: '/lanes/{laneId}',
    summary: 'One lane, and the machine it belongs to',
    input: z.strictObject({ laneId: f.id }),
    output: z.strictObject({ deviceId: f.id, version: planogram, road: Road }),
  }),
  ...versionEndpoints,
  ...copyEndpoints,
  ...priceEndpoints,
}
