import { z } from 'zod'
import { orgKinds } from '../../shared/access.ts'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, page, rangeFields } from '../../shared/listQuery.ts'
import {
  bothOrNone,
  bothOrNoneText,
  optionalLatitude,
  optionalLongitude,
} from '../../shared/place.ts'
import { bi } from '../../shared/text.ts'
import { sessionErrors } from '../session/contract.ts'
import {
  avatarPicture,
  contactPhone,
  firstPassword,
  passwordsMatch,
  realName,
  regionCode,
  roleIds,
  servicePhone,
  street,
  userErrors,
  username,
} from '../users/contract.ts'
import { creditCodeIsRight } from './shapes.ts'

export const organisationErrors = defineErrors('organisations', {
  nameTaken: [409004, '机构名称已存在', 'This name exists already'],
  kindMisplaced: [
    422001,
    '该上级机构下不能有此类型的机构',
    'This kind of organisation cannot stand below that parent',
  ],
  kindNotYours: [403001, '您不能创建此类型的机构', 'You may not create this kind of organisation'],
  agentLevels: [422001, '代理商最多3级', 'Agents may stand at most three levels deep'],
  tooDeep: [422001, '机构层级不能超过8级', 'Organisations may stand at most eight levels deep'],
  tenantFull: [
    422001,
    '平台直属机构及其下级合计最多{most}个机构',
    'A direct child of the platform and all below it are at most {most} organisations',
  ],
  notEmpty: [
    409003,
    '该机构下仍有{what}，无法删除',
    'The organisation still has {what} and cannot be deleted',
  ],
  isPlatform: [
    422001,
    '平台机构不能禁用、移动或删除',
    'The platform itself cannot be disabled, moved or deleted',
  ],
  isOwn: [
    422001,
    '不能禁用、移动或删除自己所在的机构或其上级机构',
    'You cannot disable, move or delete your own organisation or one above it',
  ],
  intoItself: [422001, '不能移动到自身或其下级机构', 'An organisation cannot move below itself'],
  alreadyThere: [422001, '该机构已在此上级机构下', 'The organisation is there already'],
  usesAbove: [
    422001,
    '该机构仍在使用原上级的{what}，不能移动',
    'The organisation still uses {what} of its present parents and cannot be moved',
  ],
  avatarMissing: [400001, '请上传头像', 'Upload an avatar'],
})

export const Kind = z.enum(orgKinds, bi('请选择机构类型', 'Choose the kind'))
export const OrgStatus = z
  .enum(['ENABLED', 'DISABLED'])
  .meta({ tones: { ENABLED: 'online', DISABLED: 'locked' } })
const count = z.number().int().min(0)

const wrongCredit = bi('统一社会信用代码不正确', 'Not a valid unified social credit code')
export const creditCode = z
  .string()
  .max(40)
  .default('')
  .transform((code) => code.trim().toUpperCase())
  .pipe(z.string().refine((code) => code === '' || creditCodeIsRight(code), wrongCredit))

/** What organisation and principal have in common, at creation and later. */
const shared = {
  name: f.text(40, bi('机构名称不能为空', 'Enter the name of the organisation')),
  realName,
  phone: contactPhone,
  consumerPhone: servicePhone,
  /** A province, city or county; empty when unknown. */
  regionCode,
  address: street,
  lng: optionalLongitude,
  lat: optionalLatitude,
  licences: z
    .array(f.imageUrl)
    .max(5, bi('最多上传5张图片', 'At most 5 pictures'))
    .default([])
    .meta({ unit: 'image' }),
  creditCode,
}

export const NewOrganisation = z
  .strictObject({
    parentId: z
      .number(bi('请选择上级机构', 'Choose the parent organisation'))
      .int()
      .positive()
      .max(Number.MAX_SAFE_INTEGER),
    kind: Kind,
    username,
    password: firstPassword,
    repeat: z.string().max(128).default(''),
    ...shared,
    roleIds,
    avatar: avatarPicture.meta({ unit: 'image' }),
  })
  .refine(...passwordsMatch)
  .refine(bothOrNone, bothOrNoneText)
export type NewOrganisation = z.output<typeof NewOrganisation>

/**
 * Kind, parent, username and password stay; an organisation without a principal has no roles to
 * send. Contact data are the organisation's own; his name, picture and roles change with the
 * version of his account that the form showed.
 */
export const EditOrganisation = z
  .strictObject({
    id: f.id,
    version: f.version,
    principalVersion: f.version.nullable().default(null),
    ...shared,
    roleIds: roleIds.optional(),
    avatar: z
      .union([f.imageUrl, z.literal('')])
      .default('')
      .meta({ unit: 'image' }),
  })
  .refine(bothOrNone, bothOrNoneText)
export type EditOrganisation = z.output<typeof EditOrganisation>

/** An organisation through its principal account: the specification's organ user. */
export const OrganisationRow = z.strictObject({
  id: f.id,
  avatar: z.string().meta({ unit: 'image' }),
  username: z.string(),
  realName: z.string(),
  name: z.string(),
  orgCode: z.string(),
  kind: Kind,
  roleName: z.string(),
  /** Identifier of the principal's highest role. */
  role: z.string(),
  operatorId: f.id.nullable(),
  operatorName: z.string(),
  area: z.string(),
  /** Masked in lists. */
  phone: z.string(),
  consumerPhone: z.string(),
  tenantId: f.id,
  /** Machines of the organisation and of those below. */
  deviceCount: count,
  /** Organisations directly below. */
  childCount: count,
  status: OrgStatus,
  createTime: f.instant,
  principalId: f.id.nullable(),
  version: f.version,
  can: z.strictObject({
    update: z.boolean(),
    disable: z.boolean(),
    move: z.boolean(),
    delete: z.boolean(),
  }),
})
export type OrganisationRow = z.infer<typeof OrganisationRow>

export const OrganisationDetail = OrganisationRow.extend({
  regionCode: z.string(),
  address: z.string(),
  lng: z.number().nullable(),
  lat: z.number().nullable(),
  licences: z.array(z.string()),
  creditCode: z.string(),
  principalVersion: f.version.nullable(),
  roleIds: z.array(f.id),
  /** What the principal holds, also what the actor may not give. */
  roles: z.array(z.strictObject({ id: f.id, name: z.string() })),
})
export type OrganisationDetail = z.infer<typeof OrganisationDetail>

export const organisationList = listQuery(
  {
    name: z.string().trim().max(40).optional(),
    kind: Kind.optional(),
    /** Username or real name of the principal. */
    user: z.string().trim().max(40).optional(),
    phone: z.string().trim().max(20).optional(),
    roleId: f.id.optional(),
    status: OrgStatus.optional(),
    region: z
      .string()
      .regex(/^\d{6}(\d{3})?$/)
      .optional(),
    ...rangeFields,
    /** Only directly below `parentId`, or below the actor's own organisation. */
    direct: z.boolean().optional(),
    parentId: f.id.optional(),
  },
  ['name', 'kind', 'status', 'createTime'],
  '-createTime',
)

const one = { id: f.id }
const write1 = { id: f.id, version: f.version }
const statusInput = { status: OrgStatus, pauseDevices: z.boolean().default(false) }
/** What roles ask of the principal. */
const ofPrincipal = [userErrors.regionMissing, userErrors.wrongHome]
const guarded = [organisationErrors.isPlatform, organisationErrors.isOwn]
const placing = [
  organisationErrors.kindMisplaced,
  organisationErrors.agentLevels,
  organisationErrors.tooDeep,
  organisationErrors.tenantFull,
  organisationErrors.nameTaken,
]

export const organisations = {
  list: read('org:read', {
    path: '/organisations',
    summary: 'Organisations with their principal accounts',
    export: 'org:export',
    input: organisationList,
    output: page(OrganisationRow),
  }),
  creatable: read('org:create', {
    path: '/organisations/creatable-kinds',
    summary: 'Kinds the actor may create below an organisation',
    input: z.strictObject({ parentId: f.id.optional() }),
    output: z.strictObject({ name: z.string(), kinds: z.array(Kind) }),
  }),
  get: read('org:read', {
    path: '/organisations/{id}',
    summary: 'One organisation',
    input: z.strictObject(one),
    output: OrganisationDetail,
  }),
  impact: read('org:read', {
    path: '/organisations/{id}/impact',
    summary: 'Whom disabling touches, and what stands against deletion',
    input: z.strictObject(one),
    output: z.strictObject({
      name: z.string(),
      /** Organisations below, on every level. */
      children: count,
      /** Enabled users here and below. */
      users: count,
      devices: count,
      operating: count,
      /** What stands against deletion, in words; empty when nothing does. */
      blocks: z.string(),
    }),
  }),
  create: write('org:create', {
    path: '/organisations',
    summary: 'Add an organisation and its principal account',
    audit: 'organisations.create',
    fresh: true,
    idempotent: true,
    errors: [
      organisationErrors.kindNotYours,
      ...placing,
      ...ofPrincipal,
      userErrors.usernameTaken,
      userErrors.orgClosed,
      sessionErrors.passwordHasName,
      sessionErrors.passwordCommon,
    ],
    input: NewOrganisation,
    output: OrganisationDetail,
  }),
  update: write('org:update', {
    method: 'PUT',
    path: '/organisations/{id}',
    summary: 'Change an organisation and its principal',
    audit: 'organisations.update',
    fresh: 'sometimes',
    errors: [
      organisationErrors.nameTaken,
      organisationErrors.avatarMissing,
      userErrors.rankTooHigh,
      userErrors.notOneself,
      ...ofPrincipal,
    ],
    input: EditOrganisation,
    output: OrganisationDetail,
  }),
  setStatus: write('org:update', {
    method: 'PUT',
    path: '/organisations/{id}/status',
    summary: 'Enable or disable; while disabled nobody here or below is let in',
    audit: 'organisations.setStatus',
    fresh: true,
    errors: [...guarded, userErrors.rankTooHigh],
    input: z.strictObject({ ...write1, ...statusInput }),
    output: OrganisationDetail,
  }),
  setStatuses: write('org:update', {
    method: 'PUT',
    path: '/organisations/batch-status',
    summary: 'Enable or disable several, all or none',
    audit: 'organisations.setStatuses',
    fresh: true,
    errors: [...guarded, userErrors.rankTooHigh],
    input: z.strictObject({
      items: z.array(z.strictObject(write1)).min(1).max(200),
      ...statusInput,
    }),
    output: z.strictObject({ changed: count, paused: count }),
  }),
  previewMove: read('org:read', {
    path: '/organisations/{id}/move',
    summary: 'What a move would change, or why it cannot be',
    errors: [
      ...guarded,
      ...placing,
      organisationErrors.intoItself,
      organisationErrors.alreadyThere,
      organisationErrors.usesAbove,
    ],
    input: z.strictObject({ ...one, parentId: f.id.optional() }),
    output: z.strictObject({
      name: z.string(),
      parentName: z.string(),
      organisations: count,
      users: count,
      devices: count,
    }),
  }),
  move: write('org:move', {
    path: '/organisations/{id}/move',
    summary: 'Put an organisation with everything below it under another one',
    audit: 'organisations.move',
    errors: [
      ...guarded,
      ...placing,
      organisationErrors.intoItself,
      organisationErrors.alreadyThere,
      organisationErrors.usesAbove,
    ],
    input: z.strictObject({ ...write1, parentId: f.id }),
    output: OrganisationDetail,
  }),
  remove: write('org:delete', {
    method: 'DELETE',
    path: '/organisations/{id}',
    summary: 'Delete an organisation in which nothing ever happened',
    audit: 'organisations.remove',
    errors: [...guarded, organisationErrors.notEmpty],
    input: z.strictObject(write1),
    output: f.done,
  }),
}
