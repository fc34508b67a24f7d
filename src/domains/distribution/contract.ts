import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page } from '../../shared/listQuery.ts'
import { regionCode } from '../../shared/place.ts'
import { bi } from '../../shared/text.ts'

export const mostAssigned = 200
export const distributionErrors = defineErrors('distribution', {
  sameOwner: [422001, '设备已属于该机构', 'The device belongs to this organisation already'],
  ownerKind: [422001, '该机构不能拥有设备', 'This organisation cannot own devices'],
  orgClosed: [422001, '该机构已停用', 'This organisation is disabled'],
  deviceClosed: [422001, '设备已外售或报废', 'The device was sold or scrapped'],
  openOrder: [
    422001,
    '设备有未完成的订单，不能转移',
    'The device has unfinished orders and cannot be moved',
  ],
  uncounted: [
    422001,
    '货道 {lanes} 有待盘点的商品，请先盘点',
    'Lanes {lanes} hold pieces that must be counted first',
  ],
  goodsUnknown: [
    422001,
    '新所属用户看不到以下商品：{goods}',
    'The new owner does not have these products: {goods}',
  ],
  typeUnknown: [
    422001,
    '新所属用户不能使用设备类型 {type}',
    'The new owner cannot use the device type {type}',
  ],
  noParent: [422001, '没有可退回的上级机构', 'There is no organisation above to return it to'],
  notServing: [422001, '{names} 不是该类人员', '{names} do not serve machines in this way'],
  personElsewhere: [
    422001,
    '{names} 不在该设备所属机构或其上级',
    '{names} belong neither to the owner of the device nor above',
  ],
  storeElsewhere: [
    422001,
    '门店不属于该设备的所属用户',
    'The store belongs to another organisation',
  ],
  nothingThere: [422001, '没有可移除的分配', 'There is no assignment to remove'],
  targetMissing: [400001, '请选择用户', 'Choose a user'],
  storeMissing: [400001, '请选择门店', 'Choose a store'],
})

const chooseDevice = bi('请至少选择一台设备', 'Choose a device')
export const staffKinds = ['REPLENISHER', 'REPAIRER'] as const
export const StaffKind = z.enum(staffKinds, bi('请选择分配类型', 'Choose what to assign'))
export const kinds = ['OWNER', ...staffKinds, 'STORE'] as const
const Kind = z.enum(kinds, bi('请选择分配类型', 'Choose what to assign'))
const GroupBy = z.enum(['owner', 'replenisher', 'repairer', 'none'])
const Status = z
  .enum(['online', 'offline'])
  .meta({ tones: { online: 'online', offline: 'offline' } })
const userIds = f.ids().min(1, bi('请选择用户', 'Choose a user')).max(50)
/** A set: a machine named twice is done once. */
const deviceIds = z
  .array(f.id, chooseDevice)
  .min(1, chooseDevice)
  .max(mostAssigned, bi('一次最多200台设备', 'At most 200 devices at once'))

export const AssignmentRow = z.strictObject({
  id: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  typeName: z.string(),
  regionName: z.string(),
  address: z.string(),
  status: Status,
  orgId: f.id,
  ownedUserName: z.string(),
  replenishers: z.array(z.string()),
  repairers: z.array(z.string()),
  storeId: f.id.nullable(),
  storeName: z.string(),
  assignedAt: f.instant.nullable(),
  assignedBy: z.string(),
  version: f.version,
})
export type AssignmentRow = z.infer<typeof AssignmentRow>

export const Staff = z.strictObject({
  id: f.id,
  kind: StaffKind,
  userId: f.id,
  name: z.string(),
  username: z.string(),
  orgName: z.string(),
  since: f.instant,
  by: z.string(),
})
export const Owner = z.strictObject({
  id: f.id,
  orgName: z.string(),
  from: f.instant,
  to: f.instant.nullable(),
  by: z.string(),
  registered: z.boolean(),
})
export const DeviceAssignments = z.strictObject({
  id: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  typeName: z.string(),
  regionName: z.string(),
  address: z.string(),
  version: f.version,
  orgId: f.id,
  orgName: z.string(),
  /**
   * To whom the machine goes when its assignment is removed; null when nobody above is to be seen.
   */
  parentOrgId: f.id.nullable(),
  parentOrgName: z.string(),
  storeId: f.id.nullable(),
  storeName: z.string(),
  staff: z.array(Staff),
  owners: z.array(Owner),
  can: z.strictObject({
    transfer: z.boolean(),
    giveBack: z.boolean(),
    staff: z.boolean(),
    store: z.boolean(),
  }),
})
export type DeviceAssignments = z.infer<typeof DeviceAssignments>

export const Group = z.strictObject({
  id: f.id,
  parentId: f.id.nullable(),
  name: z.string(),
  hint: z.string(),
  devices: f.count,
})

const Outcome = z.strictObject({
  done: f.count,
  skipped: f.count,
  results: z.array(
    z.strictObject({ deviceId: f.id, rtuNumber: z.string(), ok: z.boolean(), reason: z.string() }),
  ),
})
export type Outcome = z.infer<typeof Outcome>

const e = distributionErrors
const moving = [
  e.sameOwner,
  e.ownerKind,
  e.orgClosed,
  e.deviceClosed,
  e.openOrder,
  e.uncounted,
  e.goodsUnknown,
  e.typeUnknown,
] as const
const ofDevice = { id: f.id }
const versioned = { ...ofDevice, version: f.version }

export const distribution = {
  list: read('device:assign', {
    path: '/device-assignments',
    summary: 'Machines with their owner, staff and store',
    input: listQuery(
      {
        keyword,
        groupBy: GroupBy.optional(),
        /** With those below. */
        orgId: f.id.optional(),
        userId: f.id.optional(),
        typeId: f.id.optional(),
        region: regionCode().optional(),
        status: Status.optional(),
        storeId: f.id.optional(),
        /** Chosen machines, as the device list hands them over. */
        ids: z.array(f.id).max(1000).optional(),
      },
      ['rtuNumber', 'nickname', 'assignedAt'],
      'rtuNumber',
    ),
    export: 'device:export',
    output: page(AssignmentRow),
  }),
  groups: read('device:assign', {
    path: '/device-assignments/groups',
    summary: 'Organisations, or people who serve, with the number of their machines',
    input: z.strictObject({ groupBy: GroupBy }),
    output: z.strictObject({
      list: z.array(Group),
      /** Machines of the list while nobody is chosen. */
      total: f.count,
    }),
  }),
  people: read('device:assign', {
    path: '/device-assignments/people',
    summary: 'Who may serve the machines of an organisation; at most 200',
    input: z.strictObject({ kind: StaffKind, orgId: f.id.optional() }),
    output: z.strictObject({
      list: z.array(
        z.strictObject({ id: f.id, name: z.string(), username: z.string(), orgName: z.string() }),
      ),
    }),
  }),
  get: read('device:assign', {
    path: '/devices/{id}/assignments',
    summary: 'Owner, staff, store and former owners of a machine',
    input: z.strictObject(ofDevice),
    output: DeviceAssignments,
  }),
  transfer: write('device:assign', {
    method: 'PUT',
    path: '/devices/{id}/owner',
    summary: 'Give the machine to another organisation',
    audit: 'distribution.transfer',
    errors: moving,
    input: z.strictObject({
      ...versioned,
      orgId: z.number(bi('请选择用户', 'Choose a user')).int().positive(),
    }),
    output: DeviceAssignments,
  }),
  giveBack: write('device:assign', {
    path: '/devices/{id}/owner/return',
    summary: 'Remove the assignment to its owner: the machine returns to the organisation above',
    audit: 'distribution.giveBack',
    errors: [e.noParent, ...moving],
    input: z.strictObject(versioned),
    output: DeviceAssignments,
  }),
  assign: write('device:assign', {
    path: '/devices/{id}/assignments',
    summary: 'Let people serve the machine',
    audit: 'distribution.assign',
    errors: [e.notServing, e.personElsewhere, e.deviceClosed],
    input: z.strictObject({ ...ofDevice, kind: StaffKind, userIds }),
    output: DeviceAssignments,
  }),
  unassign: write('device:assign', {
    method: 'DELETE',
    path: '/devices/{id}/assignments/{assignmentId}',
    summary: 'Somebody serves the machine no longer',
    audit: 'distribution.unassign',
    input: z.strictObject({ ...ofDevice, assignmentId: f.id }),
    output: DeviceAssignments,
  }),
  setStore: write('device:assign', {
    method: 'PUT',
    path: '/devices/{id}/store',
    summary: 'Put the machine into a store of its owner, or into none',
    audit: 'distribution.setStore',
    errors: [e.storeElsewhere, e.deviceClosed],
    input: z.strictObject({ ...versioned, storeId: f.id.nullable() }),
    output: DeviceAssignments,
  }),
  assignMany: write('device:assign', {
    path: '/device-assignments',
    summary:
      'Owner, staff or store of up to 200 machines: what can be done is done, the rest says why not',
    audit: 'distribution.assignMany',
    errors: [e.targetMissing, e.storeMissing],
    input: z.strictObject({
      deviceIds,
      kind: Kind,
      orgId: f.id.optional(),
      userIds: userIds.optional(),
      storeId: f.id.optional(),
      dryRun: z.boolean().default(false),
    }),
    output: Outcome,
  }),
  removeMany: write('device:assign', {
    path: '/device-assignments/remove',
    summary: 'Take owner, staff or store from up to 200 machines',
    audit: 'distribution.removeMany',
    input: z.strictObject({ deviceIds, kind: Kind, dryRun: z.boolean().default(false) }),
    output: Outcome,
  }),
}
