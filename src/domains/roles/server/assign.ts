import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { byRole, type Ctx, inheritable, visible } from '../../../server/context.ts'
import { exists, onlyRow, rowOf, rowsOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import { platformOrg, tenantKinds } from '../../../shared/access.ts'
import type { Input } from '../../../shared/contract.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import * as f from '../../../shared/fields.ts'
import { bi } from '../../../shared/text.ts'
import { RoleOption, type roles } from '../contract.ts'
import { belongsIn, holds, mayGive, superCode } from '../rules.ts'

/**
 * Which roles an actor may give to others. Whoever adds people or changes their roles asks here.
 */

const assignable = RoleOption.omit({ identifier: true }).extend({ code: z.string(), orgId: f.id })
export type AssignableRole = z.infer<typeof assignable>
const candidate = assignable.extend({
  listed: z.boolean(),
  enabled: z.boolean(),
  codes: z.array(z.string()),
})
type Candidate = z.infer<typeof candidate>

/**
 * A super administrator of the platform itself; the role in another organisation is worth no more
 * than its rank.
 */
export const isSuper = (ctx: Pick<Ctx, 'actor'>): boolean =>
  byRole(ctx, (role) => role === superCode) && ctx.actor.ofPlatform

/** What everybody finds first, however many roles tenants have. */
export const builtinFirst = sql`r.builtin desc, r.rank desc, r.id`
/** Roles that people of these organisations may hold. */
export const heldIn = (ctx: Ctx, orgIds: readonly number[]) =>
  sql<boolean>`r.org_id in (select unnest(string_to_array(o.path::text, '.')::bigint[])
    from organisations o where o.id = any(${[...orgIds]}::bigint[]) and ${visible(ctx, 'o.id')})`
/** Roles of this name. */
export const called = (keyword: string) =>
  sql<boolean>`strpos(lower(r.name || ' ' || r.name_en), lower(${keyword})) > 0`

/**
 * Those of these roles that the actor sees, each with whether it is his to give by the
 * distribution.
 */
const candidates = (ctx: Ctx, which: RawBuilder<boolean>, most?: number): Promise<Candidate[]> =>
  shape(candidate, ['roles', 'r'], {
    enabled: sql`r.status = 'ENABLED'`,
    listed: sql`not (r.builtin or r.org_id = ${platformOrg})
      or exists (select 1 from role_distributions d join user_roles ur on ur.role_id = d.role_id
      join roles own on own.id = d.role_id and own.status = 'ENABLED'
      where d.target_role_id = r.id and ur.user_id = ${ctx.actor.userId})`,
    codes: sql`array(select p.permission_code from role_permissions p where p.role_id = r.id)`,
  }).all(
    ctx.db,
    sql`from roles r where ${inheritable(ctx, 'r.org_id')} and (${which}) order by ${builtinFirst}
      limit ${most ?? null}`,
  )

/** Every one of these roles, or 404 when the actor does not see one. */
async function candidatesOf(ctx: Ctx, roleIds: readonly number[]): Promise<Candidate[]> {
  const found = await candidates(ctx, sql`r.id = any(${[...roleIds]}::bigint[])`)
  if (found.length !== new Set(roleIds).size) throw new Refusal(common.notFound)
  return found
}

/** What decides which roles and rights somebody may give. */
export const giverOf = ({ actor }: Pick<Ctx, 'actor'>) => ({
  rank: actor.rank,
  isSuper: isSuper({ actor }),
  ofPlatform: actor.ofPlatform,
  // a view takes codes away, not the scopes of those that stay
  heldBy: new Map([...(actor.heldBy ?? [])].filter(([code]) => actor.permissions.has(code))),
})
function givable(ctx: Ctx): (role: Candidate) => boolean {
  const giver = giverOf(ctx)
  return (role) => mayGive(giver, role)
}

/**
 * Roles the actor may give to people of these organisations or of his own. The actor's rows are
 * those of the right he acts with, so a wide right elsewhere adds nothing.
 */
export const assignableRoles = async (
  ctx: Ctx,
  orgIds: readonly number[] = [],
): Promise<AssignableRole[]> =>
  (await candidates(ctx, heldIn(ctx, [ctx.actor.orgId, ...orgIds]))).filter(givable(ctx))

/**
 * What a picker offers: for one organisation; or wherever they are from, by name and those that are
 * chosen already.
 */
export async function offeredRoles(
  ctx: Ctx,
  { orgId, keyword, ids = [] }: Input<typeof roles.assignable>,
) {
  const home = heldIn(ctx, [orgId ?? ctx.actor.orgId])
  const which = sql<boolean>`${keyword ? called(keyword) : home}
    or r.id = any(${[...ids]}::bigint[])`
  return (await candidates(ctx, which, keyword ? 200 : undefined)).filter(givable(ctx))
}

/**
 * Refuses unless the actor may give every one of these roles; answers them, highest first. With
 * `orgId`, the organisation of the person who gets them: a custom role stays in its organisation
 * and those below, the super administrator in the platform.
 */
export async function checkAssignable(
  ctx: Ctx,
  roleIds: readonly number[],
  orgId?: number,
): Promise<AssignableRole[]> {
  if (!roleIds.length)
    throw new Refusal(common.invalid, {}, [
      { field: 'roleIds', text: bi('请至少选择一个角色', 'Choose at least one role') },
    ])
  const found = await candidatesOf(ctx, roleIds)
  if (!found.every(givable(ctx))) throw new Refusal(common.forbidden)
  if (orgId !== undefined && !(await fitsOrganisation(ctx, found, orgId)))
    throw new Refusal(common.forbidden)
  return found
}

/** Refuses unless they are his to take: as to give them, but a role that is stopped may go. */
export async function checkTakable(ctx: Ctx, roleIds: readonly number[]): Promise<void> {
  const may = givable(ctx)
  if (!(await candidatesOf(ctx, roleIds)).every((role) => may({ ...role, enabled: true })))
    throw new Refusal(common.forbidden)
}

async function fitsOrganisation(
  ctx: Ctx,
  roles: readonly AssignableRole[],
  orgId: number,
): Promise<boolean> {
  // the path alone says who stands above, and an organisation of the actor's is seen with its path
  const home = await rowOf<{ above: number[]; kind: string }>(ctx.db)`
    select string_to_array(path::text, '.')::bigint[] as above, kind from organisations
    where id = ${orgId}`
  return home !== undefined && roles.every((role) => belongsIn(role, home))
}

/** Kinds of organisations the actor may create, by the distribution of his roles. */
export async function creatableKinds(ctx: Ctx): Promise<string[]> {
  if (isSuper(ctx)) return [...tenantKinds]
  const rows = await rowsOf<{ kind: string }>(ctx.db)`
    select distinct unnest(l.org_kinds) as kind from role_distribution_limits l
    join user_roles ur on ur.role_id = l.role_id
    join roles r on r.id = l.role_id and r.status = 'ENABLED' where ur.user_id = ${ctx.actor.userId}
    order by kind`
  return rows.map((row) => row.kind)
}

/**
 * How many people one organisation may have when this actor adds them; null is no limit. The most
 * generous of his roles counts.
 */
export async function userLimit(ctx: Ctx): Promise<number | null> {
  if (isSuper(ctx)) return null
  const { unbound, most } = await onlyRow<{ unbound: boolean; most: number | null }>(ctx.db)`
    select bool_or(l.max_users is null) as unbound, max(l.max_users) as most from user_roles ur
    join roles r on r.id = ur.role_id and r.status = 'ENABLED'
    left join role_distribution_limits l on l.role_id = r.id where ur.user_id = ${ctx.actor.userId}`
  return unbound ? null : most
}

/**
 * Nobody changes people of an equal or higher rank, but himself and a super administrator anybody.
 * Disabled roles keep their rank.
 */
export async function outranks(ctx: Ctx, userId: number): Promise<boolean> {
  if (isSuper(ctx) || userId === ctx.actor.userId) return true
  const { rank } = await onlyRow<{ rank: number }>(ctx.db)`
    select coalesce(max(r.rank), 0) as rank from user_roles ur join roles r on r.id = ur.role_id
    where ur.user_id = ${userId}`
  return ctx.actor.rank > rank
}

/**
 * The one account an organisation was made with speaks for it, towards everybody in it and below.
 */
const isPrincipal = (ctx: Ctx): Promise<boolean> =>
  exists(ctx.db)`select 1 from users where id = ${ctx.actor.userId} and is_principal`

/**
 * Whether he may take somebody's way to sign in into his hands: it makes him that person, so he
 * holds what that person holds or could give it to anybody; the platform, and principals here or
 * above, answer for their people.
 */
export async function mayStandFor(ctx: Ctx, userId: number): Promise<boolean> {
  if (ctx.actor.ofPlatform || userId === ctx.actor.userId || (await isPrincipal(ctx))) return true
  const rows = await rowsOf<{ id: number }>(
    ctx.db,
  )`select role_id as id from user_roles where user_id = ${userId}`
  const roles = await candidates(ctx, sql`r.id = any(${rows.map((role) => role.id)}::bigint[])`)
  const giver = giverOf(ctx)
  const may = givable(ctx)
  return (
    roles.length === rows.length &&
    roles.every(
      (role) => may(role) || role.codes.every((code) => holds(giver, role.dataScope, code)),
    )
  )
}

/**
 * Whether he may stop or move an organisation: nobody who works at or below it outranks him, or he
 * is the principal of one above it.
 */
export async function outranksBranch(ctx: Ctx, path: string): Promise<boolean> {
  if (ctx.actor.ofPlatform || (await isPrincipal(ctx))) return true
  const { rank } = await onlyRow<{ rank: number }>(
    ctx.db,
  )`select coalesce(max(r.rank), 0) as rank from organisations o
    join user_roles ur on ur.org_id = o.id
    join roles r on r.id = ur.role_id where o.path <@ ${path}::ltree`
  return ctx.actor.rank >= rank
}
