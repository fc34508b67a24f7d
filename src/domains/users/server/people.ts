import { sql } from 'kysely'
import { type Ctx, found, visible } from '../../../server/context.ts'
import { onlyRow, rowOf, rowsOf } from '../../../server/rows.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import type { DataScope, HomeKind } from '../../../shared/access.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import * as f from '../../../shared/fields.ts'
import { locale } from '../../accounts/locale.ts'
import { missingPictures, uploadedBy } from '../../files/server/pictures.ts'
import {
  type AssignableRole,
  checkAssignable,
  checkTakable,
  isSuper,
  mayStandFor,
  userLimit,
} from '../../roles/server/assign.ts'
import { OrganUserRow, userErrors } from '../contract.ts'
import { missingHome, regionRule } from '../rules.ts'

const kept = {
  id: true,
  username: true,
  realName: true,
  avatar: true,
  phone: true,
  status: true,
  regionCode: true,
  isPrincipal: true,
  version: true,
} as const
const person = shape(OrganUserRow.pick(kept).extend({ orgId: f.id }), ['users', 'u'], {})
type Held = { id: number; code: string; dataScope: DataScope; rank: number }
/** Somebody an act is about. */
export type Subject = Rows<typeof person> & { rank: number; roles: Held[] }

/** Nobody acts on people of an equal or higher rank but a super administrator. */
export const above = (ctx: Pick<Ctx, 'actor'>, rank: number): boolean =>
  isSuper(ctx) || ctx.actor.rank > rank

/**
 * The people of an act, locked in one order so that crossing batches wait instead of deadlocking.
 * Gone and foreign ones are not there; one's own account is changed in the personal centre.
 */
export async function subjects(
  ctx: Ctx,
  ids: readonly number[],
  oneself: 'refused' | 'allowed' = 'refused',
): Promise<Subject[]> {
  const wanted = [...new Set(ids)]
  const rows = await person.all(
    ctx.db,
    sql`from users u where u.id = any(${wanted}::bigint[]) and u.deleted_at is null
      and ${visible(ctx, 'u.org_id')} order by u.id for no key update`,
  )
  if (rows.length !== wanted.length) throw new Refusal(common.notFound)
  if (oneself === 'refused' && wanted.includes(ctx.actor.userId ?? 0))
    throw new Refusal(userErrors.notOneself)
  // read after the lock: a statement of its own sees what others committed meanwhile
  const held = await rowsOf<Held & { userId: number }>(ctx.db)`
    select ur.user_id as "userId", r.id, r.code, r.data_scope as "dataScope", r.rank
    from user_roles ur join roles r on r.id = ur.role_id
    where ur.user_id = any(${wanted}::bigint[]) order by r.rank desc, r.id`
  const people = rows.map((row) => {
    const roles = held.filter((role) => role.userId === row.id)
    return { ...row, rank: roles[0]?.rank ?? 0, roles }
  })
  if (people.some(({ rank }) => !above(ctx, rank))) throw new Refusal(userErrors.rankTooHigh)
  return people
}
export const subject = async (
  ctx: Ctx,
  id: number,
  oneself: 'refused' | 'allowed' = 'refused',
): Promise<Subject> => (await subjects(ctx, [id], oneself))[0] as Subject

/** Whom a line of the log is about. */
export const named = ({
  id,
  username: name,
  orgId,
}: Pick<Subject, 'id' | 'username' | 'orgId'>) => ({ id, name, orgId })

/**
 * The rule of the database that somebody stays super administrator speaks now instead of at the
 * commit, so that who lost a race reads why. Nothing but that rule and "nobody without a role"
 * (which verbs keep) can fail here.
 */
export async function keepSuperAdmin(ctx: Ctx): Promise<void> {
  try {
    await sql`set constraints users_keep_access, user_roles_keep_access immediate`.execute(ctx.db)
  } catch (error) {
    throw (error as { code?: string }).code === '23514'
      ? new Refusal(userErrors.lastSuperAdmin)
      : error
  }
}

/** Before a password, a second factor or a phone of somebody is replaced. */
export async function requireStanding(ctx: Ctx, userId: number): Promise<void> {
  if (!(await mayStandFor(ctx, userId))) throw new Refusal(userErrors.holdsMore)
}

/**
 * The organisation people are added to: seen (or just made below one that is), enabled with all
 * above it, with room for `more`.
 */
export async function openHome(ctx: Ctx, orgId: number, more: number): Promise<{ kind: HomeKind }> {
  const limit = await userLimit(ctx)
  // with a limit the organisation is locked, so that two who add at once count one after the other
  const lock = limit === null ? sql`for key share of o` : sql`for no key update of o`
  const home = await rowOf<{ kind: HomeKind; path: string }>(
    ctx.db,
  )`select o.kind, o.path::text as path from organisations o
    where o.id = ${orgId} and (${visible(ctx, 'o.id')} or ${visible(ctx, 'o.parent_id')}) ${lock}`
  const { kind, path } = found(home)
  const state = await onlyRow<{ closed: boolean; users: number }>(ctx.db)`
    select exists (select from organisations a
      where a.path @> ${path}::ltree and a.status = 'DISABLED') as closed,
      (select count(*) from users where org_id = ${orgId} and deleted_at is null) as users`
  if (state.closed) throw fieldRefusal(userErrors.orgClosed, 'orgId')
  if (limit !== null && state.users + more > limit)
    throw new Refusal(userErrors.orgIsFull, { n: limit })
  return { kind }
}

/**
 * What roles ask of a person: a regulator has a region, a sponsor's manager stands in a sponsor.
 */
export function checkRoles(
  ctx: Pick<Ctx, 'lang'>,
  roles: readonly Pick<AssignableRole, 'code' | 'dataScope'>[],
  home: HomeKind,
  regionCode: string,
): void {
  const region = regionRule(roles, regionCode)
  if (region) throw fieldRefusal(region, 'regionCode')
  const kind = missingHome(roles, home)
  if (kind)
    throw fieldRefusal(userErrors.wrongHome, 'orgId', {
      kind: locale[ctx.lang === 'en' ? 'en' : 'zh'].enums.kind[kind],
    })
}

type Standing = Pick<Subject, 'id' | 'orgId' | 'regionCode'> & { roles: readonly { id: number }[] }
/**
 * Gives and takes what differs; only that is checked, so that a role the actor may not give can
 * stay where it is.
 */
export async function giveRoles(
  ctx: Ctx,
  person: Standing,
  roleIds: readonly number[],
): Promise<boolean> {
  const had = new Set(person.roles.map((role) => role.id))
  const wanted = new Set(roleIds)
  const added = [...wanted.difference(had)]
  const removed = [...had.difference(wanted)]
  if (!added.length && !removed.length) return false
  const given = added.length ? await checkAssignable(ctx, added, person.orgId) : []
  if (removed.length) await checkTakable(ctx, removed)
  const home = found(
    await ctx.db
      .selectFrom('organisations')
      .select('kind')
      .where('id', '=', person.orgId)
      .executeTakeFirst(),
  )
  checkRoles(ctx, given, home.kind, person.regionCode)
  const rows = added.map((id) => ({
    user_id: person.id,
    role_id: id,
    org_id: person.orgId,
    granted_by: ctx.actor.userId,
    created_at: ctx.now,
  }))
  if (rows.length) await ctx.db.insertInto('user_roles').values(rows).execute()
  if (removed.length)
    await ctx.db
      .deleteFrom('user_roles')
      .where('user_id', '=', person.id)
      .where('role_id', 'in', removed)
      .execute()
  return true
}

export async function checkDepartment(
  ctx: Ctx,
  departmentId: number | null,
  orgId: number,
): Promise<void> {
  if (departmentId === null) return
  found(
    await ctx.db
      .selectFrom('departments')
      .select('id')
      .where('id', '=', departmentId)
      .where('org_id', '=', orgId)
      .executeTakeFirst(),
  )
}

/** A picture somebody else uploaded answers like a missing one. */
export async function checkPicture(ctx: Ctx, avatar: string): Promise<void> {
  if ((await missingPictures(ctx, avatar ? [avatar] : [], uploadedBy(ctx))).length)
    throw new Refusal(common.notFound)
}
