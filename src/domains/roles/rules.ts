import type { DataScope } from '../../shared/access.ts'
import { defineErrors, type ErrorDef } from '../../shared/errors.ts'
import type { Lang } from '../../shared/text.ts'

export type NamedRole = { readonly name: string; readonly nameEn?: string }
export const roleName = (role: NamedRole, lang: Lang): string =>
  (lang === 'en' && role.nameEn) || role.name

export const superCode = 'ROLE_SUPER_ADMIN'
/** Roles an organisation makes for itself. */
export const mostRoles = 100
/** Roles one person holds. */
export const mostHeld = 10

export const roleErrors = defineErrors('roles', {
  nameTaken: [409004, '角色名称已存在', 'This role name exists already'],
  stale: [409001, '内容已被他人修改，请刷新', 'Somebody changed this meanwhile, please reload'],
  superFixed: [
    422001,
    '超级管理员拥有全部权限，不可修改',
    'The super administrator holds everything and cannot be changed',
  ],
  builtinBySuper: [
    403001,
    '内置角色仅超级管理员可修改',
    'Only a super administrator may change built-in roles',
  ],
  builtinFixed: [
    422001,
    '内置角色的名称、级别和数据范围不可修改',
    'Name, rank and data scope of a built-in role are fixed',
  ],
  builtinStays: [422001, '内置角色不能删除', 'Built-in roles cannot be deleted'],
  onlyBuiltin: [422001, '仅内置角色可恢复默认', 'Only built-in roles have a default'],
  inUse: [
    409003,
    '角色已分配给 {n} 名用户，无法删除',
    'The role is assigned to {n} users and cannot be deleted',
  ],
  notHeld: [403001, '您没有该权限：{names}', 'You do not hold this yourself: {names}'],
  above: [403001, '不能管理级别高于自己的角色', 'You cannot manage a role above your own rank'],
  notOutranked: [
    403001,
    '该角色已有他人使用，仅级别更高者可调整其级别、收回权限或停用',
    'Others hold this role: only somebody above its rank may change the rank, take rights away or disable it',
  ],
  scopeTooWide: [
    403001,
    '不能授予超出自己的数据范围',
    'You cannot grant a wider data scope than your own',
  ],
  unknownCode: [400001, '权限码不存在：{names}', 'Unknown permission: {names}'],
  readMissing: [400001, '“{action}”需要先勾选“{read}”', '“{action}” needs “{read}”'],
  menuNeedsRead: [400001, '菜单“{title}”需要先勾选“{read}”', 'The menu “{title}” needs “{read}”'],
  ownRight: [
    422001,
    '不能移除自己编辑角色的权限',
    'You cannot take away your own right to edit roles',
  ],
  rowEmpty: [400001, '请至少选择一个角色', 'Choose at least one role'],
  tooMany: [
    422001,
    '每个机构最多{n}个自定义角色',
    'An organisation has at most {n} roles of its own',
  ],
  cellAbove: [
    403001,
    '不能授予级别高于操作者的角色',
    'A role cannot be given by one of lower rank',
  ],
})
export const menuErrors = defineErrors('menus', {
  nameTaken: [409004, '菜单名称已存在', 'This menu name exists already'],
  pathTaken: [409004, '该路径已有菜单', 'There is a menu for this path already'],
  pathUnknown: [400001, '该路径在前端不存在', 'The app has no such path'],
  codeUnknown: [400001, '权限码不存在', 'Unknown permission'],
  pageNeedsCode: [400001, '请选择权限码', 'Choose a permission'],
  hasChildren: [409003, '请先删除下级菜单', 'Delete the menus below first'],
  tooDeep: [422001, '菜单最多三级', 'Menus have at most three levels'],
  ownBranch: [422001, '上级菜单不能是自己或自己的下级', 'A menu cannot stand below itself'],
  kept: [
    422001,
    '菜单管理和角色管理不能隐藏、停用或删除',
    'Menu and role management can be neither hidden, disabled nor deleted',
  ],
})

/** How far each scope reaches: no machine, those assigned, those of the own tree, everything. */
const breadth: Readonly<Record<DataScope, number>> = {
  OWN_LANES: 0,
  OWN_BUDGET: 0,
  OWN_GOODS: 0,
  ASSIGNED_DEVICES: 1,
  ORG_TREE: 2,
  REGION_DRUGS: 2,
  ALL: 3,
}
/** `heldBy`: the scopes by which he holds each code. */
type Giver = {
  rank: number
  isSuper: boolean
  ofPlatform: boolean
  heldBy: ReadonlyMap<string, ReadonlySet<DataScope>>
}
/** Whether he holds a code as widely as a role of that scope gives it. */
export const holds = (giver: Giver, dataScope: DataScope, code: string): boolean =>
  giver.isSuper ||
  [...(giver.heldBy.get(code) ?? [])].some((scope) => breadth[scope] >= breadth[dataScope])
type Given = {
  dataScope: DataScope
  builtin: boolean
  rank: number
  enabled: boolean
  listed: boolean
  codes: readonly string[]
}

/**
 * The one scope that leads out of the own organisation: the platform alone writes it into a role,
 * gives it and moves its region.
 */
const crossesOrganisations = (scope: DataScope): boolean => scope === 'REGION_DRUGS'

/**
 * Whether somebody may give a role to another. Built-in roles are composed and distributed by super
 * administrators alone, so the distribution is the grant: an agent gives "finance" without holding
 * its codes. Custom roles are composed below; nobody gives through them what he does not hold.
 * `listed`: by the distribution, or made by a tenant: those never stand in rows all tenants share.
 */
export function mayGive(giver: Giver, role: Given): boolean {
  if (!role.enabled || (crossesOrganisations(role.dataScope) && !giver.ofPlatform)) return false
  if (giver.isSuper) return true
  return (
    role.listed &&
    role.rank <= giver.rank &&
    (role.builtin || role.codes.every((code) => holds(giver, role.dataScope, code)))
  )
}

/**
 * Whether people of an organisation may hold the role: a custom one stays in its organisation and
 * those below, the super administrator in the platform.
 */
export const belongsIn = (
  role: { code: string; orgId: number },
  home: { above: readonly number[]; kind: string },
): boolean =>
  home.above.includes(role.orgId) && (role.code !== superCode || home.kind === 'PLATFORM')

/** `everything`: his own rows are all there are; `wholeTree`: all of his organisation and below. */
type Editor = Giver & { everything: boolean; wholeTree: boolean }
type Edited = { builtin: boolean; identifier: string; rank: number }

/**
 * Why this person may not change this role at all; null when he may. The row is already known to be
 * his own or below.
 */
export function editable(editor: Editor, role: Edited): ErrorDef | null {
  if (role.identifier === superCode) return roleErrors.superFixed
  if (editor.isSuper) return null
  if (role.builtin) return roleErrors.builtinBySuper
  return role.rank > editor.rank ? roleErrors.above : null
}

/** Data scopes somebody may write into a custom role. */
export function scopesOf(
  editor: Pick<Editor, 'ofPlatform' | 'everything' | 'wholeTree'>,
): DataScope[] {
  return [
    ...(editor.ofPlatform && editor.everything ? (['ALL'] as const) : []),
    ...(editor.wholeTree ? (['ORG_TREE'] as const) : []),
    'ASSIGNED_DEVICES',
    'OWN_LANES',
    'OWN_BUDGET',
    'OWN_GOODS',
    ...(editor.ofPlatform && editor.wholeTree ? (['REGION_DRUGS'] as const) : []),
  ]
}

/** Codes that lean on a read which is not in the set. */
export const withoutRead = (
  codes: ReadonlySet<string>,
  readOf: (code: string) => string | null,
): { code: string; read: string }[] =>
  [...codes].flatMap((code) => {
    const read = readOf(code)
    return read && !codes.has(read) ? [{ code, read }] : []
  })

type Composed = { codes: ReadonlySet<string>; dataScope: DataScope }
/**
 * Codes that enter, leave or get another scope and that the editor does not hold as widely himself.
 */
export function foreignChanges(before: Composed | null, after: Composed, editor: Giver): string[] {
  const was = before?.codes ?? new Set<string>()
  const changed =
    before?.dataScope === after.dataScope
      ? was.symmetricDifference(after.codes)
      : was.union(after.codes)
  return [...changed].filter((code) => !holds(editor, after.dataScope, code))
}

type Standing = Composed & { rank: number }
/**
 * Whether holders of a role stand higher or lower, or lose something: that is done to people by who
 * outranks them.
 */
export const takes = (before: Standing, after: Standing): boolean =>
  before.rank !== after.rank ||
  before.dataScope !== after.dataScope ||
  !before.codes.isSubsetOf(after.codes)

/** A page may be shown only to who may read it. */
export const menusWithoutRead = <M extends { permission: string | null }>(
  chosen: readonly M[],
  codes: ReadonlySet<string>,
): M[] => chosen.filter((page) => page.permission !== null && !codes.has(page.permission))

/** Without these nobody could undo what was hidden, stopped or deleted. */
export const keptMenus: readonly string[] = ['/system/organ-menu', '/system/organ-role']

/** How many levels a menu brings along: itself and what stands below; 1 for a new one. */
export function levelsBelow(
  rows: readonly { id: number; parentId: number | null }[],
  id: number | null,
): number {
  const children = id === null ? [] : rows.filter((row) => row.parentId === id)
  return 1 + Math.max(0, ...children.map((child) => levelsBelow(rows, child.id)))
}
