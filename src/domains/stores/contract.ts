import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page } from '../../shared/listQuery.ts'
import {
  bothOrNone,
  bothOrNoneText,
  optionalLatitude,
  optionalLongitude,
} from '../../shared/place.ts'
import { bi } from '../../shared/text.ts'

export const storeErrors = defineErrors('stores', {
  nameTaken: [409004, '门店名称已存在', 'This organisation has a store of this name'],
  systemTaken: [409004, '系统号已被其他门店使用', 'Another store uses this system number'],
  inUse: [409003, '该门店下仍有 {n} 台设备，无法删除', 'There are still {n} devices in this store'],
  ownerKind: [422001, '该机构不能拥有门店', 'This organisation cannot own stores'],
  wrongPerson: [
    422001,
    '负责人须属于该机构',
    'The person in charge must belong to the organisation',
  ],
  wrongMerchant: [
    422001,
    '收款配置须属于该机构或其上级',
    'The merchant must belong to the organisation or to one above it',
  ],
  inactiveMerchant: [
    422001,
    '收款配置未通过验证或已停用',
    'This merchant is not verified, or it is stopped',
  ],
  unknownRegion: [400001, '请选择所在地区', 'Choose the region'],
})

const fields = {
  storeName: f.text(40, bi('请输入门店名称', 'Enter the name')),
  systemId: z
    .string()
    .trim()
    .regex(
      /^([A-Za-z0-9_-]{4,40})?$/,
      bi('系统号须为4-40位字母、数字或 _ -', 'Four to 40 letters, digits, _ or -'),
    )
    .default(''),
  userId: f.id.nullable().default(null),
  /** Whom its machines are paid to; null: the nearest merchant. */
  paymentConfigId: f.id.nullable().default(null),
  county: z
    .string()
    .regex(/^(\d{6}(\d{3})?)?$/, bi('请选择所在地区', 'Choose the region'))
    .default(''),
  address: f.optionalText(100),
  lng: optionalLongitude,
  lat: optionalLatitude,
}
export const NewStore = z
  .strictObject({ orgId: f.id.optional(), ...fields })
  .refine(bothOrNone, bothOrNoneText)
export const EditStore = z
  .strictObject({ id: f.id, version: f.version, ...fields })
  .refine(bothOrNone, bothOrNoneText)
export type StoreFields = Omit<z.infer<typeof NewStore>, 'orgId'>

export const StoreRow = z.strictObject({
  id: f.id,
  ...f.shown(fields),
  orgId: f.id,
  orgName: z.string(),
  userName: z.string(),
  /** Of one whom the caller may see. */
  merchantName: z.string(),
  regionName: z.string(),
  deviceCount: z.number().int().min(0),
  version: f.version,
  createTime: f.instant,
  can: z.strictObject({ update: z.boolean(), delete: z.boolean() }),
})
export type StoreRow = z.infer<typeof StoreRow>

const errors = [
  storeErrors.nameTaken,
  storeErrors.systemTaken,
  storeErrors.wrongPerson,
  storeErrors.wrongMerchant,
  storeErrors.inactiveMerchant,
  storeErrors.unknownRegion,
] as const

export const stores = {
  list: read('store:read', {
    path: '/stores',
    summary: 'Stores with their merchant number and machines',
    input: listQuery(
      {
        keyword,
        orgId: f.id.optional(),
        systemId: z.string().trim().max(40).optional(),
        paymentConfigId: f.id.optional(),
      },
      ['storeName', 'deviceCount', 'createTime'],
      '-createTime',
    ),
    output: page(StoreRow),
  }),
  options: read('store:read', {
    path: '/stores/options',
    summary: 'Stores for a select box, of one organisation when it is given; at most 200',
    input: z.strictObject({ orgId: f.id.optional() }),
    output: z.strictObject({
      list: z.array(
        z.strictObject({ id: f.id, storeName: z.string(), orgId: f.id, orgName: z.string() }),
      ),
    }),
  }),
  people: read('store:read', {
    path: '/stores/people',
    summary: 'Who may be in charge of a store of this organisation; at most 200',
    input: z.strictObject({ orgId: f.id }),
    output: z.strictObject({
      list: z.array(z.strictObject({ id: f.id, name: z.string(), userName: z.string() })),
    }),
  }),
  create: write('store:create', {
    path: '/stores',
    summary: 'Add a store',
    audit: 'stores.create',
    // where it is paid
    fresh: 'sometimes',
    errors: [storeErrors.ownerKind, ...errors],
    input: NewStore,
    output: StoreRow,
  }),
  update: write('store:update', {
    method: 'PUT',
    path: '/stores/{id}',
    summary: 'Change a store',
    audit: 'stores.update',
    fresh: 'sometimes',
    errors,
    input: EditStore,
    output: StoreRow,
  }),
  remove: write('store:delete', {
    method: 'DELETE',
    path: '/stores/{id}',
    summary: 'Delete a store without machines',
    audit: 'stores.remove',
    errors: [storeErrors.inUse],
    input: z.strictObject({ id: f.id, version: f.version }),
    output: f.done,
  }),
}
