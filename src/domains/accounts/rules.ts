import type { DataScope, HomeKind } from '../../shared/access.ts'
import { permissions } from './permissions.ts'

/** A role as it counts for an actor: disabled ones are left out before. */
export type HeldRole = {
  readonly code: string
  readonly dataScope: DataScope
  readonly permissions: readonly string[]
}

/** Why a code that a role lists does not work. */
export type Withheld = 'READ_MISSING' | 'PLATFORM_ONLY' | 'REGULATOR_READS'

/** Effective only for people of the platform's own organisation, whatever their role lists. */
const platformOnly = new Set([
  ...'ledger:adjust ledger:approve withdrawal:approve withdrawal:pay setting:lock role:distribute log:verify log:debug screen:share lease-market:update'.split(
    ' ',
  ),
  ...[
    'menu:create',
    'menu:update',
    'menu:delete',
    'menu:export',
    'job-console:read',
    'job-console:update',
  ],
  ...['device-type', 'ad-panel', 'apk', 'firmware', 'mini-program'].flatMap((resource) =>
    ['create', 'update', 'delete', 'publish'].map((action) => `${resource}:${action}`),
  ),
])
export const isPlatformOnly = (code: string): boolean => platformOnly.has(code)

const known = new Set(permissions.map((permission) => permission.code))
const standAlone = new Set(['user:lookup', 'user:reset-password', 'role:distribute-read'])

/** The read code without which `code` does nothing; null when it stands alone. */
export function readOf(code: string): string | null {
  const read = `${code.split(':')[0]}:read`
  return code === read || standAlone.has(code) || !known.has(read) ? null : read
}

/** Whose people may look at the machines of a region: no tenant's, whoever gave them the role. */
export const mayWatch = (home: HomeKind): boolean => home === 'PLATFORM' || home === 'REGULATOR'

/**
 * Whose people trade in the goods of those above: to a tenant of lanes or a supplier their cost is
 * what somebody else pays.
 */
export const trades = (home: HomeKind): boolean =>
  home === 'PLATFORM' || home === 'AGENT' || home === 'OPERATOR'

/** Whose people read of the goods they deliver wherever those lie, and nothing about others. */
export const delivers = (home: HomeKind): boolean => home === 'SUPPLIER'

/**
 * What a role's scope is worth in an organisation; a region elsewhere is nothing but the rows of
 * the own organisation.
 */
export const scopeAt = (scope: DataScope, home: HomeKind): DataScope =>
  scope === 'REGION_DRUGS' && !mayWatch(home) ? 'OWN_GOODS' : scope

/**
 * What a regulator may read of machines that are not his, whatever he is given besides: no people,
 * no complaints, no money.
 */
const watchable = new Set(
  'device fault lane device-type product product-category batch medical-insurance trace-code drug-evidence stock stock-flow near-expiry prescription order'.split(
    ' ',
  ),
)
/** What every signed-in person needs for himself; a regulator keeps it. */
const ownThings = new Set([
  'dashboard:read',
  'message:read',
  'notice:read',
  'job:read',
  'job:cancel',
  'upload:create',
])
const watches = (code: string): boolean =>
  ownThings.has(code) || (/:(read|export)$/.test(code) && watchable.has(code.replace(/:.*/, '')))

const isRegulator = (roles: readonly HeldRole[]): boolean =>
  roles.some((role) => role.dataScope === 'REGION_DRUGS')

/** Null when the code works for somebody with these roles who has it in one of them. */
export function withheld(
  code: string,
  held: ReadonlySet<string>,
  roles: readonly HeldRole[],
  ofPlatform: boolean,
): Withheld | null {
  if (platformOnly.has(code) && !ofPlatform) return 'PLATFORM_ONLY'
  if (isRegulator(roles) && !watches(code)) return 'REGULATOR_READS'
  const read = readOf(code)
  return read && !held.has(read) ? 'READ_MISSING' : null
}

/**
 * What an actor may do and over which rows: a code counts with the scopes of the roles that hold
 * it, so a wide read of one role never widens a write of another. A regulator's region bounds
 * whatever else he holds.
 */
export function accessOf(
  roles: readonly HeldRole[],
  ofPlatform: boolean,
): Map<string, ReadonlySet<DataScope>> {
  const held = new Set(roles.flatMap((role) => role.permissions))
  const bounded = isRegulator(roles)
  const access = new Map<string, Set<DataScope>>()
  for (const role of roles)
    for (const code of role.permissions)
      if (!withheld(code, held, roles, ofPlatform))
        access.set(
          code,
          (access.get(code) ?? new Set<DataScope>()).add(bounded ? 'REGION_DRUGS' : role.dataScope),
        )
  return access
}

/** Why a menu is not in somebody's tree; the first missing link. */
export type MenuWithheld = 'MENU_DISABLED' | 'NO_ROLE_LISTS' | 'ROLE_DISABLED' | 'NO_RIGHT'

export function menuWithheld(
  menu: { enabled: boolean; permission: string | null; listedBy: readonly { enabled: boolean }[] },
  permissions: ReadonlySet<string>,
): MenuWithheld | null {
  if (!menu.enabled) return 'MENU_DISABLED'
  if (!menu.listedBy.length) return 'NO_ROLE_LISTS'
  if (!menu.listedBy.some((role) => role.enabled)) return 'ROLE_DISABLED'
  return menu.permission !== null && !permissions.has(menu.permission) ? 'NO_RIGHT' : null
}
