import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { bi } from '../../shared/text.ts'

export const laneStatuses = ['ENABLED', 'DISABLED', 'FAULT', 'LOCKED', 'MERGED'] as const
/** What a person sees: the status, or for an enabled lane how well it is filled. */
export const laneViews = ['normal', 'low', 'soldOut', 'empty', 'disabled', 'fault', 'locked', 'merged'] as const

export const laneErrors = defineErrors('lanes', {
  oneProduct: [400001, '只能添加一个商品', 'A lane holds one product only'],
  notEmpty: [422001, '请先清空该货道库存再更换商品', 'Empty the lane before you change its product'],
  capacityBelowStock: [400001, '货道容量不能小于当前库存', 'The capacity must not be below the present stock'],
  warnOverCapacity: [400001, '库存预警值不能大于货道容量', 'The warning level must not exceed the capacity'],
  retailBelowCost: [422001, '零售价不能低于成本价', 'The list price must not be below the cost'],
  priceMissing: [400001, '价格不能为空或0', 'A price above zero is required'],
  priceBelowCost: [422001, '售价不能低于成本价', 'The price must not be below the cost'],
  priceOverRetail: [422001, '售价不能高于零售价', 'The price must not exceed the list price'],
  productOff: [422001, '该商品已下架', 'This product is off the shelf'],
  otcBRefused: [422001, '该设备不允许销售此类药品:乙类非处方药', 'This device must not sell class B OTC drugs'],
  otcARefused: [422001, '该设备不允许销售此类药品:甲类非处方药', 'This device must not sell class A OTC drugs'],
  rxRefused: [422001, '该设备不允许销售此类药品:处方药', 'This device must not sell prescription drugs'],
  secondary: [422001, '副货道不能单独设置', 'A merged lane cannot be set on its own'],
  fixedStatus: [422001, '故障或锁定的货道不能启用或停用', 'A faulty or locked lane cannot be switched'],
  locked: [422001, '货道已锁定,不能更换商品', 'The lane is locked; its product cannot change'],
  motorTaken: [422001, '电机号重复', 'Two lanes share a motor'],
  noneToMerge: [400001, '请选择要合并的货道', 'Choose the lanes to merge'],
  notNeighbours: [422001, '只能合并同层相邻的货道', 'Only neighbours on one level can be merged'],
  alreadyMerged: [422001, '该货道已合并', 'This lane is merged already'],
  secondaryStock: [422001, '副货道库存必须为0', 'The other lanes must be empty'],
  secondaryHolds: [422001, '副货道存在未完成出货', 'The other lanes have unfinished vends'],
  notWorking: [422001, '故障或锁定的货道不能合并', 'A faulty or locked lane cannot be merged'],
  notMerged: [422001, '该货道未合并', 'This lane is not merged'],
  hasLanes: [409004, '该设备已有货道', 'The device has lanes already'],
  noLanes: [422001, '该设备还没有货道', 'The device has no lanes yet'],
  tooManyLevels: [400001, '最多{n}层货道', 'At most {n} levels'],
  tooManyRoads: [400001, '每层最多{n}个货道', 'At most {n} lanes per level'],
  wrongNumber: [400001, '请输入机器编号确认', 'Type the machine number to confirm'],
  busyLanes: [422001, '货道 {lanes} 有未完成出货或待盘点库存,不能重建', 'Lanes {lanes} have unfinished vends or stock to count'],
  noFault: [409001, '该货道没有故障', 'This lane has no fault'],
  closed: [422001, '设备已外售或报废,不能修改', 'The device was sold or scrapped and cannot be changed'],
})

const count = z.number().int().min(0)
/** Version of the planogram a screen was loaded with; 0 before the first lanes. */
const planogram = z.number().int().min(0).max(2_147_483_647)
const Status = z.enum(laneStatuses)
const View = z.enum(laneViews)

export const Road = z.strictObject({
  id: f.id,
  roadIndex: z.number().int(),
  column: z.number().int(),
  motorNo: z.number().int(),
  productId: f.id.nullable(),
  productName: z.string().nullable(),
  productImg: z.string().nullable(),
  model: z.string().nullable(),
  drugClass: z.string().nullable(),
  /** Null without product:cost. */
  costPrice: f.fen.nullable(),
  roadCapacity: count,
  productStock: count,
  reserved: count,
  failedHold: count,
  warnQty: count,
  retailPrice: f.fen.nullable(),
  price: f.fen.nullable(),
  restriction: count,
  status: Status,
  view: View,
  lockReason: z.string().nullable(),
  faultCode: z.string().nullable(),
  mergedInto: f.id.nullable(),
  /** Road indexes of the lanes merged into this one. */
  merged: z.array(z.number().int()),
})
export type Road = z.infer<typeof Road>
const Floor = z.strictObject({ id: f.id, level: z.number().int(), name: z.string(), roads: z.array(Road) })

export const Planogram = z.strictObject({
  device: z.strictObject({
    id: f.id,
    rtuNumber: z.string(),
    nickname: z.string(),
    orgId: f.id,
    typeName: z.string(),
    kind: z.string(),
    dispensingMode: z.string().nullable(),
    lifecycle: z.string(),
    status: z.enum(['online', 'offline']),
    maxLevels: z.number().int(),
    maxRoads: z.number().int(),
  }),
  version: planogram,
  totals: z.strictObject({ lanes: count, enabled: count, soldOut: count, low: count, fault: count, free: count, stock: count, capacity: count }),
  floors: z.array(Floor),
  can: z.strictObject({ update: z.boolean(), merge: z.boolean(), rebuild: z.boolean(), clearFault: z.boolean() }),
})
export type Planogram = z.infer<typeof Planogram>

const capacityText = bi('货道容量须为0-199', 'A capacity from 0 to 199')
const capacity = z.number(capacityText).int(capacityText).min(0, capacityText).max(199, capacityText)
const limitText = bi('限购数量超出范围', 'The purchase limit is out of range')
const restriction = z
  .number({ error: (issue) => (issue.input === undefined || issue.input === null ? bi('限购数量不能为空', 'Enter a purchase limit, 0 for none') : limitText) })
  .int(limitText)
  .min(0, limitText)
  .max(999, limitText)
const oneProduct = bi('只能添加一个商品', 'A lane holds one product only')
const warnText = bi('库存预警值须为0-199', 'A warning level from 0 to 199')

/** What is left out stays; a product that changes brings its own prices unless they are given. */
export const LanePatch = z.strictObject({
  id: f.id,
  productId: z.number(oneProduct).int().positive().max(Number.MAX_SAFE_INTEGER).nullable().optional(),
  roadCapacity: capacity.optional(),
  warnQty: z.number(warnText).int(warnText).min(0, warnText).max(199, warnText).optional(),
  retailPrice: f.price.optional(),
  price: f.price.optional(),
  restriction: restriction.optional(),
  status: z.enum(['ENABLED', 'DISABLED']).optional(),
  motorNo: z.number().int().min(1).max(400).optional(),
})
export type LanePatch = z.infer<typeof LanePatch>

const columnsText = bi('每层货道数须为1-20', 'One to 20 lanes per level')
export const Level = z.strictObject({
  name: f.optionalText(20),
  columns: z.number(columnsText).int(columnsText).min(1, columnsText).max(20, columnsText),
  roadCapacity: capacity.default(8),
})
export type Level = z.infer<typeof Level>
const levels = z.array(Level).min(1, bi('请至少添加一层', 'Add a level')).max(20)
const ofDevice = { deviceId: f.id, version: planogram }
const noneChosen = bi('请选择要合并的货道', 'Choose the lanes to merge')

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
    errors: [laneErrors.hasLanes, laneErrors.tooManyLevels, laneErrors.tooManyRoads, laneErrors.closed],
    input: z.strictObject({ ...ofDevice, levels }),
    output: Planogram,
  }),
  update: write('lane:update', {
    method: 'PUT',
    path: '/devices/{deviceId}/lanes',
    summary: 'Change some lanes, all or none',
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
      laneErrors.otcBRefused,
      laneErrors.otcARefused,
      laneErrors.rxRefused,
      laneErrors.secondary,
      laneErrors.fixedStatus,
      laneErrors.locked,
      laneErrors.motorTaken,
      laneErrors.closed,
    ],
    input: z.strictObject({ ...ofDevice, lanes: z.array(LanePatch).min(1, bi('请选择货道', 'Choose a lane')).max(400) }),
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
      secondaryIds: z.array(f.id, noneChosen).min(1, noneChosen).max(19),
    }),
    output: Planogram,
  }),
  split: write('lane:merge', {
    path: '/devices/{deviceId}/lanes/split',
    summary: 'Take a wide lane apart',
    audit: 'lanes.split',
    errors: [laneErrors.notMerged, laneErrors.capacityBelowStock, laneErrors.warnOverCapacity, laneErrors.closed],
    input: z.strictObject({ ...ofDevice, mainId: f.id, roadCapacity: capacity.optional() }),
    output: Planogram,
  }),
  rebuild: write('lane:rebuild', {
    path: '/devices/{deviceId}/lanes/rebuild',
    summary: 'Delete all lanes and draw new ones; stock is withdrawn',
    audit: 'lanes.rebuild',
    idempotent: true,
    errors: [laneErrors.wrongNumber, laneErrors.busyLanes, laneErrors.noLanes, laneErrors.tooManyLevels, laneErrors.tooManyRoads, laneErrors.closed],
    input: z.strictObject({ ...ofDevice, confirmNumber: z.string(bi('请输入机器编号确认', 'Type the machine number to confirm')).max(40), levels }),
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
}
