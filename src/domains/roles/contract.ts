import { z } from 'zod'
import { dataScopes, tenantKinds } from '../../shared/access.ts'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { CodeAnswer, Explanation, RoleHeld, resources } from './explained.ts'
import { roleErrors as errors } from './rules.ts'

export const Scope = z.enum(dataScopes, bi('请选择数据范围', 'Choose a data scope'))
const Status = z
  .enum(['ENABLED', 'DISABLED'])
  .meta({ tones: { ENABLED: 'online', DISABLED: 'locked' } })
const Permission = z
  .string()
  .regex(/^[a-z-]+:[a-z-]+$/, bi('权限码格式不正确', 'Not a permission code'))
const count = z.number().int().min(0)
const OrgKind = z.enum(tenantKinds)

const fields = {
  name: f.text(20, bi('角色名称不能为空', 'Enter a role name')),
  nameEn: f.optionalText(40),
  description: f.optionalLines(200),
  dataScope: Scope,
  /** Who administers whom; at most the own one. */
  rank: z.number().int().min(1).max(99).default(40),
  permissions: z
    .array(Permission, bi('请至少选择一项权限', 'Choose at least one permission'))
    .min(1, bi('请至少选择一项权限', 'Choose at least one permission'))
    .max(1000),
  /** Paths of the pages in the menu. */
  menus: z.array(z.string().max(100)).max(500),
}
export const RoleRow = z.strictObject({
  id: f.id,
  name: z.string(),
  nameEn: z.string(),
  identifier: z.string(),
  builtin: z.boolean(),
  orgName: z.string(),
  dataScope: Scope,
  rank: count,
  permissionCount: count,
  userCount: count,
  status: Status,
  description: z.string(),
  updateTime: f.instant,
  version: f.version,
  can: z.strictObject({
    update: z.boolean(),
    copy: z.boolean(),
    stop: z.boolean(),
    restore: z.boolean(),
    delete: z.boolean(),
    preview: z.boolean(),
  }),
})
export type RoleRow = z.infer<typeof RoleRow>

/** `scopes` are those the actor may choose for it. */
export const RoleDetail = RoleRow.extend({
  permissions: z.array(z.string()),
  menus: z.array(z.string()),
  scopes: z.array(Scope),
})
export type RoleDetail = z.infer<typeof RoleDetail>

/** `blocked`: why the actor cannot tick it. */
const CatalogueCode = z.strictObject({
  permission: z.string(),
  zh: z.string(),
  en: z.string(),
  read: z.string().nullable(),
  blocked: z.enum(['NOT_HELD', 'PLATFORM_ONLY']).nullable(),
  platformOnly: z.boolean(),
})
export const Catalogue = z.strictObject({
  groups: z.array(
    z.strictObject({
      key: z.string(),
      zh: z.string(),
      en: z.string(),
      resources: z.array(
        z.strictObject({
          key: z.string(),
          zh: z.string(),
          en: z.string(),
          permissions: z.array(CatalogueCode),
        }),
      ),
    }),
  ),
  menus: z.array(
    z.strictObject({
      path: z.string(),
      zh: z.string(),
      en: z.string(),
      hidden: z.boolean(),
      permission: z.string().nullable(),
      group: z.string(),
      groupZh: z.string(),
      groupEn: z.string(),
    }),
  ),
  /** Data scopes and highest rank the actor may give. */
  can: z.strictObject({ scopes: z.array(Scope), rank: count }),
})
export type Catalogue = z.infer<typeof Catalogue>

export const RoleOption = z.strictObject({
  id: f.id,
  identifier: z.string(),
  name: z.string(),
  nameEn: z.string(),
  rank: count,
  dataScope: Scope,
  builtin: z.boolean(),
})
const Side = z.strictObject({
  id: f.id,
  name: z.string(),
  nameEn: z.string(),
  dataScope: Scope,
  rank: count,
  permissions: z.array(z.string()),
  menus: z.array(z.string()),
})

export const DistributionRow = z.strictObject({
  roleId: f.id,
  name: z.string(),
  nameEn: z.string(),
  rank: count,
  builtin: z.boolean(),
  orgName: z.string(),
  /** Holds user:create, so an empty row is refused. */
  adds: z.boolean(),
  /** Always everything. */
  fixed: z.boolean(),
  targets: z.array(f.id),
  orgKinds: z.array(OrgKind),
  maxUsers: z.number().int().nullable(),
  version: count,
})
/** `columns`: what can be given, built-in roles and those of the platform's own making. */
export const DistributionColumn = DistributionRow.pick({
  roleId: true,
  name: true,
  nameEn: true,
  rank: true,
  orgName: true,
})
export const Distribution = z.strictObject({
  rows: z.array(DistributionRow),
  columns: z.array(DistributionColumn),
  orgKinds: z.array(OrgKind),
})
export type DistributionRow = z.infer<typeof DistributionRow>

export const Beyond = z.strictObject({
  id: f.id,
  userName: z.string(),
  name: z.string(),
  orgName: z.string(),
  roleName: z.string(),
  grantedBy: z.string(),
  createTime: f.instant,
})
const byVersion = z.strictObject({ id: f.id, version: f.version })

export const roles = {
  list: read('role:read', {
    path: '/roles',
    summary: 'Roles of the own organisations and those above',
    export: 'role:export',
    input: listQuery(
      {
        keyword,
        identifier: z.string().trim().max(60).optional(),
        builtin: z.boolean().optional(),
        orgId: f.id.optional(),
        status: Status.optional(),
      },
      ['name', 'rank', 'permissionCount', 'userCount', 'updateTime'],
      '-rank',
    ),
    output: page(RoleRow),
  }),
  assignable: read('self', {
    path: '/roles/assignable',
    summary:
      'Roles, kinds of organisations and number of users the actor may give: to people of an organisation (the own one), or any by name',
    input: z.strictObject({ orgId: f.id.optional(), keyword, ids: f.ids().max(50).optional() }),
    output: z.strictObject({
      list: z.array(RoleOption),
      orgKinds: z.array(OrgKind),
      maxUsers: z.number().int().nullable(),
    }),
  }),
  catalogue: read('role:read', {
    path: '/permissions',
    summary: 'The catalogue of permissions and pages, with what the actor may tick',
    output: Catalogue,
  }),
  diff: read('role:read', {
    path: '/roles/diff',
    summary: 'Two roles side by side',
    input: z.strictObject({ a: f.id, b: f.id }),
    output: z.strictObject({ a: Side, b: Side }),
  }),
  get: read('role:read', {
    path: '/roles/{id}',
    summary: 'One role with its permissions and menus',
    input: z.strictObject({ id: f.id }),
    output: RoleDetail,
  }),
  create: write('role:create', {
    path: '/roles',
    summary: 'Add a custom role',
    audit: 'roles.create',
    fresh: true,
    errors: [
      errors.nameTaken,
      errors.tooMany,
      errors.notHeld,
      errors.above,
      errors.scopeTooWide,
      errors.unknownCode,
      errors.readMissing,
      errors.menuNeedsRead,
    ],
    input: z.strictObject(fields),
    output: RoleDetail,
  }),
  update: write('role:update', {
    method: 'PUT',
    path: '/roles/{id}',
    summary: 'Change a role as a whole',
    audit: 'roles.update',
    fresh: true,
    errors: [
      errors.nameTaken,
      errors.stale,
      errors.superFixed,
      errors.builtinBySuper,
      errors.builtinFixed,
      errors.notHeld,
      errors.above,
      errors.notOutranked,
      errors.scopeTooWide,
      errors.unknownCode,
      errors.readMissing,
      errors.menuNeedsRead,
      errors.ownRight,
    ],
    input: z.strictObject({ id: f.id, version: f.version, ...fields }),
    output: RoleDetail,
  }),
  setStatus: write('role:update', {
    method: 'PUT',
    path: '/roles/{id}/status',
    summary: 'Stop or start a role',
    audit: 'roles.setStatus',
    fresh: true,
    errors: [
      errors.stale,
      errors.superFixed,
      errors.builtinBySuper,
      errors.above,
      errors.notOutranked,
      errors.notHeld,
      errors.ownRight,
    ],
    input: byVersion.extend({ status: Status }),
    output: RoleDetail,
  }),
  copy: write('role:create', {
    path: '/roles/{id}/copy',
    summary: 'A custom role with the same permissions and menus, as far as the actor holds them',
    audit: 'roles.copy',
    fresh: true,
    errors: [errors.nameTaken, errors.tooMany, errors.scopeTooWide],
    input: z.strictObject({ id: f.id, name: fields.name }),
    output: RoleDetail,
  }),
  restore: write('role:update', {
    path: '/roles/{id}/restore',
    summary: 'A built-in role back to the catalogue',
    audit: 'roles.restore',
    fresh: true,
    errors: [
      errors.stale,
      errors.superFixed,
      errors.builtinBySuper,
      errors.onlyBuiltin,
      errors.above,
    ],
    input: byVersion,
    output: RoleDetail,
  }),
  remove: write('role:delete', {
    method: 'DELETE',
    path: '/roles/{id}',
    summary: 'Delete a custom role that nobody has',
    audit: 'roles.remove',
    errors: [errors.builtinStays, errors.inUse, errors.above],
    input: z.strictObject({ id: f.id }),
    output: f.done,
  }),
  distribution: read('role:distribute-read', {
    path: '/role-distributions',
    summary:
      'Who may give which roles when adding users: people with built-in roles and the platform’s own, or with the roles a tenant made',
    input: z.strictObject({ orgId: f.id.optional() }),
    output: Distribution,
  }),
  beyond: read('role:distribute-read', {
    path: '/role-distributions/beyond',
    summary: 'Users whose role their giver could not give any more',
    input: listQuery({ keyword }, ['createTime', 'userName'], '-createTime'),
    output: page(Beyond),
  }),
  distribute: write('role:distribute', {
    method: 'PUT',
    path: '/role-distributions',
    summary: 'Change rows of the matrix',
    audit: 'roles.distribute',
    fresh: true,
    errors: [errors.stale, errors.rowEmpty, errors.cellAbove, errors.superFixed],
    input: z.strictObject({
      orgId: f.id.optional(),
      rows: z
        .array(
          z.strictObject({
            roleId: f.id,
            targets: f.ids().max(500),
            orgKinds: z.array(OrgKind).max(8),
            maxUsers: z.number().int().min(1).max(100_000).nullable(),
            version: count,
          }),
        )
        .min(1)
        .max(500),
    }),
    output: Distribution,
  }),
  restoreDistribution: write('role:distribute', {
    path: '/role-distributions/restore',
    summary: 'The matrix of built-in roles back to its default',
    audit: 'roles.restoreDistribution',
    fresh: true,
    output: Distribution,
  }),
  explain: read('role:preview', {
    path: '/organ-users/{id}/effective-permissions',
    summary: 'What a user may do and see, through which role, and what is missing otherwise',
    input: z.strictObject({
      id: f.id,
      page: z.string().max(100).optional(),
      code: Permission.optional(),
      resource: z.enum(resources).optional(),
      rowId: z.string().trim().min(1).max(40).optional(),
    }),
    output: Explanation,
  }),
  why: read('self', {
    path: '/me/why',
    summary: 'Why the actor may or may not do one thing',
    input: z.strictObject({ code: Permission }),
    output: z.strictObject({ right: CodeAnswer, roles: z.array(RoleHeld) }),
  }),
}
