import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page, rangeFields } from '../../shared/listQuery.ts'
import { regionPath } from '../../shared/regions.ts'
import { bi } from '../../shared/text.ts'
import { mostHeld } from '../roles/rules.ts'
import { factorErrors, newPassword, sessionErrors } from '../session/contract.ts'
import { departmentEndpoints, departmentErrors } from './departments.ts'
import { pharmacistEndpoints, pharmacistErrors } from './pharmacists.ts'
import { resetEndpoints, resetErrors } from './resets.ts'

// the catalogue of errors reads contracts
export { departmentErrors, pharmacistErrors, resetErrors }

export const userErrors = defineErrors('users', {
  usernameTaken: [409004, '用户名已存在', 'This username is taken'],
  orgClosed: [422001, '所属机构已禁用', 'The organisation is disabled'],
  orgIsFull: [
    422001,
    '该机构的用户数已达上限（{n}）',
    'The organisation has its most users already ({n})',
  ],
  regionMissing: [400001, '请选择监管区域', 'Choose the region he supervises'],
  wrongHome: [400001, '请选择所属{kind}', 'Choose an organisation of the kind: {kind}'],
  avatarMissing: [400001, '请上传头像', 'Upload a picture'],
  lastSuperAdmin: [422001, '至少保留一个超级管理员', 'At least one super administrator must stay'],
  notOneself: [422001, '不能对自己执行该操作', 'You cannot do this to yourself'],
  rankTooHigh: [
    403001,
    '不能操作同级或更高级别的用户',
    'You cannot act on people of an equal or higher rank',
  ],
  holdsMore: [
    403001,
    '该用户拥有您没有的权限，请由其机构负责人、上级机构负责人或平台处理',
    'This person holds rights you do not: ask the principal there or above, or the platform',
  ],
  principalStays: [422001, '主账号不能删除', 'A principal account cannot be deleted'],
  notServing: [
    422001,
    '仅补货员和维修员可分配设备',
    'Only replenishers and repairmen are assigned devices',
  ],
  deviceElsewhere: [
    422001,
    '设备不属于该用户的机构',
    'The device does not belong to the organisation of this user',
  ],
  wechatUnbound: [422001, '该用户未绑定微信', 'No WeChat is bound to this user'],
})

export const userStatuses = ['ENABLED', 'DISABLED'] as const
const Status = z.enum(userStatuses).meta({ tones: { ENABLED: 'online', DISABLED: 'locked' } })
const count = z.number().int().min(0)
const ofUser = { id: f.id }
export const mostAssigned = 2000
const mostAtOnce = 200

export const username = f.signInName(
  f
    .text(32, bi('用户名不能为空', 'Enter a username'))
    .regex(
      /^[A-Za-z0-9_.-]{4,32}$/,
      bi('用户名须为4-32位字母、数字或 _ - .', 'Four to 32 letters, digits or _ - .'),
    ),
)
export const realName = f.text(30, bi('真实姓名不能为空', 'Enter the real name'))
export const contactPhone = z.preprocess(
  (value) => value ?? '',
  f.text(20, bi('联系电话不能为空', 'Enter the contact phone')).pipe(f.mobile),
)
/** A mobile, a landline or a 400/800 number. */
export const servicePhone = f
  .text(20, bi('客服电话不能为空', 'Enter the customer service phone'))
  .regex(
    /^(1[3-9]\d{9}|0\d{2,3}-?\d{7,8}(-\d{1,6})?|[48]00-?\d{3}-?\d{4}|95\d{3,6}|12\d{3})$/,
    bi('号码不合法', 'Not a valid number'),
  )
export const street = f.text(100, bi('街道地址不能为空', 'Enter the street address'))
const roleText = bi('请至少选择一个角色', 'Choose at least one role')
export const roleIds = f.ids({ error: roleText }).min(1, roleText).max(mostHeld)
export const regionCode = z
  .string()
  .default('')
  .refine((code) => code === '' || regionPath(code).length > 0, bi('请选择区域', 'Choose a region'))
const uploadAvatar = bi('请上传头像', 'Upload a picture')
export const avatarPicture = z.string({ error: uploadAvatar }).min(1, uploadAvatar).pipe(f.imageUrl)
const departmentId = f.id.nullable().default(null)
const passwordsDiffer = bi('两次输入的密码不一致', 'The two passwords differ')
type Typed = { password?: string | undefined; repeat?: string | undefined }
/** For `refine(...passwordsMatch)`. */
export const passwordsMatch: [(typed: Typed) => boolean, { path: string[]; message: string }] = [
  (typed) => (typed.password ?? '') === (typed.repeat ?? ''),
  { path: ['repeat'], message: passwordsDiffer },
]
const passwordMissing = bi('密码不能为空', 'Enter a password')
export const firstPassword = z
  .string({ error: passwordMissing })
  .min(1, passwordMissing)
  .pipe(newPassword)

const person = {
  realName,
  phone: contactPhone,
  consumerPhone: servicePhone,
  address: street,
  regionCode,
  departmentId,
}

export const RoleChip = z.strictObject({
  id: f.id,
  code: z.string(),
  name: z.string(),
  nameEn: z.string(),
})
export const OrganUserRow = z.strictObject({
  id: f.id,
  username: z.string(),
  realName: z.string(),
  avatar: z.string().meta({ unit: 'image' }),
  /** Identifier of the highest role. */
  role: z.string(),
  /** Names of all roles in the asker's language. */
  roleName: z.string(),
  roles: z.array(RoleChip),
  operatorId: f.id,
  operatorName: z.string(),
  tenantId: f.id,
  departmentId: f.id.nullable(),
  departmentName: z.string(),
  phone: z.string(),
  consumerPhone: z.string(),
  area: z.string(),
  regionCode: z.string(),
  address: z.string(),
  deviceCount: count,
  status: Status,
  locked: z.boolean(),
  wechatBound: z.boolean(),
  isPrincipal: z.boolean(),
  lastLoginTime: f.instant.nullable(),
  lastLoginIp: z.string(),
  createTime: f.instant,
  version: f.version,
  can: z.strictObject({
    update: z.boolean(),
    status: z.boolean(),
    roles: z.boolean(),
    devices: z.boolean(),
    reset: z.boolean(),
    logout: z.boolean(),
    unbind: z.boolean(),
    factor: z.boolean(),
    delete: z.boolean(),
  }),
})
export type OrganUserRow = z.infer<typeof OrganUserRow>
/** One user for the form: the phone is whole for who may edit him. */
export const OrganUserDetail = OrganUserRow.extend({ mustChangePassword: z.boolean() })

export const NewOrganUser = z
  .strictObject({
    username,
    password: firstPassword,
    repeat: z.string().max(128).default(''),
    orgId: z
      .number({ error: bi('请选择运营商', 'Choose the operator') })
      .int()
      .positive(),
    ...person,
    roleIds,
    avatar: avatarPicture,
    mustChangePassword: z.boolean().default(true),
  })
  .refine(...passwordsMatch)

export const ResetPassword = z
  .strictObject({
    ...ofUser,
    /** Left out: the server makes one and shows it once. */
    password: firstPassword.optional(),
    repeat: z.string().max(128).optional(),
    mustChangePassword: z.boolean().default(true),
  })
  .refine(...passwordsMatch)

export const AssignedDevice = z.strictObject({
  id: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  operatorName: z.string(),
  since: f.instant,
})
const passwordErrors = [
  sessionErrors.passwordShort,
  sessionErrors.passwordHasName,
  sessionErrors.passwordCommon,
] as const
const personErrors = [
  userErrors.rankTooHigh,
  userErrors.holdsMore,
  userErrors.regionMissing,
] as const

export const users = {
  list: read('user:read', {
    path: '/organ-users',
    summary: 'Accounts of the organisations the actor sees',
    export: 'user:export',
    input: listQuery(
      {
        keyword,
        username: keyword,
        realName: keyword,
        roleId: f.id.optional(),
        /** The organisation with everything below it. */
        orgId: f.id.optional(),
        departmentId: f.id.optional(),
        status: Status.optional(),
        wechatBound: z.boolean().optional(),
        /** Last sign-in. */
        ...rangeFields,
        never: z.boolean().optional(),
      },
      ['createTime', 'username', 'realName', 'lastLoginTime'],
      '-createTime',
    ),
    output: page(OrganUserRow),
  }),
  get: read('user:read', {
    path: '/organ-users/{id}',
    summary: 'One account',
    input: z.strictObject(ofUser),
    output: OrganUserDetail,
  }),
  create: write('user:create', {
    path: '/organ-users',
    summary: 'Add a user to an organisation',
    audit: 'users.create',
    fresh: true,
    errors: [
      ...passwordErrors,
      userErrors.usernameTaken,
      userErrors.orgClosed,
      userErrors.orgIsFull,
      userErrors.wrongHome,
      ...personErrors,
    ],
    input: NewOrganUser,
    output: z.strictObject(ofUser),
  }),
  update: write('user:update', {
    method: 'PUT',
    path: '/organ-users/{id}',
    summary: 'Change a user; name and organisation stay',
    audit: 'users.update',
    fresh: 'sometimes',
    errors: [userErrors.avatarMissing, ...personErrors],
    /** Who came without a picture (an import) may stay so; nobody's is taken away. */
    input: z.strictObject({
      ...ofUser,
      version: f.version,
      ...person,
      avatar: z.union([f.imageUrl, z.literal('')]),
    }),
    output: OrganUserDetail,
  }),
  setStatus: write('user:update', {
    method: 'PUT',
    path: '/organ-users/{id}/status',
    summary: 'Enable or disable; disabling ends every session',
    audit: 'users.setStatus',
    errors: [
      userErrors.notOneself,
      userErrors.rankTooHigh,
      userErrors.lastSuperAdmin,
      userErrors.orgClosed,
    ],
    input: z.strictObject({ ...ofUser, status: Status }),
    output: f.done,
  }),
  batchStatus: write('user:update', {
    path: '/organ-users/batch-status',
    summary: 'Enable or disable up to 200 users, all or none',
    audit: 'users.batchStatus',
    errors: [
      userErrors.notOneself,
      userErrors.rankTooHigh,
      userErrors.lastSuperAdmin,
      userErrors.orgClosed,
    ],
    input: z.strictObject({ ids: f.ids().min(1).max(mostAtOnce), status: Status }),
    output: z.strictObject({ changed: count }),
  }),
  setRoles: write('user:assign-role', {
    method: 'PUT',
    path: '/organ-users/{id}/roles',
    summary: 'The roles of a user; his sessions end',
    audit: 'users.setRoles',
    fresh: true,
    errors: [
      userErrors.notOneself,
      userErrors.rankTooHigh,
      userErrors.lastSuperAdmin,
      userErrors.regionMissing,
      userErrors.wrongHome,
    ],
    input: z.strictObject({ ...ofUser, version: f.version, roleIds }),
    output: f.done,
  }),
  batchRoles: write('user:assign-role', {
    path: '/organ-users/batch-roles',
    summary: 'The same roles for up to 200 users, all or none',
    audit: 'users.batchRoles',
    fresh: true,
    errors: [
      userErrors.notOneself,
      userErrors.rankTooHigh,
      userErrors.lastSuperAdmin,
      userErrors.regionMissing,
      userErrors.wrongHome,
    ],
    input: z.strictObject({ ids: f.ids().min(1).max(mostAtOnce), roleIds }),
    output: z.strictObject({ changed: count }),
  }),
  devices: read('device:assign', {
    path: '/organ-users/{id}/devices',
    summary: 'Machines a replenisher or repairman serves',
    input: z.strictObject(ofUser),
    output: z.strictObject({ list: z.array(AssignedDevice).max(mostAssigned) }),
  }),
  setDevices: write('device:assign', {
    method: 'PUT',
    path: '/organ-users/{id}/devices',
    summary: 'The machines he serves from now on; history is kept',
    audit: 'users.setDevices',
    errors: [userErrors.rankTooHigh, userErrors.notServing, userErrors.deviceElsewhere],
    input: z.strictObject({ ...ofUser, deviceIds: f.ids().max(mostAssigned) }),
    output: z.strictObject({ added: count, removed: count }),
  }),
  resetPassword: write('user:reset-password', {
    path: '/organ-users/{id}/reset-password',
    summary: 'A new password, made or typed; ends every session and lifts a lock',
    audit: 'users.resetPassword',
    fresh: true,
    errors: [
      userErrors.notOneself,
      userErrors.rankTooHigh,
      userErrors.holdsMore,
      sessionErrors.passwordRepeated,
      ...passwordErrors,
    ],
    input: ResetPassword,
    /** The made password, shown this once; null for a typed one. */
    output: z.strictObject({ password: z.string().nullable() }),
  }),
  logout: write('user:update', {
    path: '/organ-users/{id}/logout',
    summary: 'End every session of a user',
    audit: 'users.logout',
    errors: [userErrors.notOneself, userErrors.rankTooHigh],
    input: z.strictObject(ofUser),
    output: z.strictObject({ ended: count }),
  }),
  unbindWechat: write('user:update', {
    path: '/organ-users/{id}/unbind-wechat',
    summary: 'Take the bound WeChat off a user',
    audit: 'users.unbindWechat',
    fresh: true,
    errors: [userErrors.rankTooHigh, userErrors.wechatUnbound],
    input: z.strictObject(ofUser),
    output: f.done,
  }),
  resetFactor: write('user:reset-password', {
    path: '/organ-users/{id}/reset-second-factor',
    summary: 'Take the second factor off a user who lost it; ends every session',
    audit: 'users.resetFactor',
    fresh: true,
    errors: [
      userErrors.notOneself,
      userErrors.rankTooHigh,
      userErrors.holdsMore,
      factorErrors.factorOff,
    ],
    input: z.strictObject(ofUser),
    output: f.done,
  }),
  remove: write('user:delete', {
    method: 'DELETE',
    path: '/organ-users/{id}',
    summary: 'Delete a user softly; his name is free after 180 days',
    audit: 'users.remove',
    errors: [
      userErrors.notOneself,
      userErrors.rankTooHigh,
      userErrors.lastSuperAdmin,
      userErrors.principalStays,
    ],
    input: z.strictObject({ ...ofUser, version: f.version }),
    output: f.done,
  }),
  ...departmentEndpoints,
  ...resetEndpoints,
  ...pharmacistEndpoints,
}
