import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import type { DataScope } from '../../../shared/access.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { isSuper, mayStandFor } from '../../roles/server/assign.ts'
import { userErrors } from '../contract.ts'

/** Somebody an act is about. */
export type Subject = {
  id: number
  org_id: number
  username: string
  real_name: string
  avatar: string
  phone: string
  status: 'ENABLED' | 'DISABLED'
  region_code: string
  is_principal: boolean
  version: number
  rank: number
  roles: { id: number; code: string; dataScope: DataScope }[]
}

/** Nobody acts on people of an equal or higher rank but a super administrator. */
export const above = (ctx: Pick<Ctx, 'actor'>, rank: number): boolean => isSuper(ctx) || ctx.actor.rank > rank

/**
 * The people of an act, locked in one order so that crossing batches wait instead of deadlocking. Gone and foreign ones are not
 * there; one's own account is changed in the personal centre.
 */
export async function subjects(ctx: Ctx, ids: readonly number[], oneself: 'refused' | 'allowed' = 'refused'): Promise<Subject[]> {
  const wanted = [...new Set(ids)]
  const { rows } = await sql<Omit<Subject, 'rank' | 'roles'>>`
    select u.id, u.org_id, u.username, u.real_name, u.avatar, u.phone, u.status, u.region_code, u.is_principal, u.version
    from users u where u.id = any(${wanted}::bigint[]) and u.deleted_at is null and ${visible(ctx, 'u.org_id')} order by u.id for no key update`.execute(ctx.db)
  if (rows.length !== wanted.length) throw new Refusal(common.notFound)
  if (oneself === 'refused' && wanted.includes(ctx.actor.userId ?? 0)) throw new Refusal(userErrors.notOneself)
  // read after the lock: a statement of its own sees what others committed meanwhile
  const { rows: held } = await sql<{ user_id: number; id: number; code: string; dataScope: DataScope; rank: number }>`
    select ur.user_id, r.id, r.code, r.data_scope as "dataScope", r.rank from user_roles ur join roles r on r.id = ur.role_id
    where ur.user_id = any(${wanted}::bigint[]) order by r.rank desc, r.id`.execute(ctx.db)
  const people = rows.map((row) => {
    const roles = held.filter((role) => role.user_id === row.id)
    return { ...row, rank: Math.max(0, ...roles.map((role) => role.rank)), roles: roles.map(({ id, code, dataScope }) => ({ id, code, dataScope })) }
  })
  if (people.some((person) => !above(ctx, person.rank))) throw new Refusal(userErrors.rankTooHigh)
  return people
}
export const subject = async (ctx: Ctx, id: number, oneself: 'refused' | 'allowed' = 'refused'): Promise<Subject> =>
  (await subjects(ctx, [id], oneself))[0] as Subject

/**
 * The rule of the database that somebody stays super administrator speaks now instead of at the commit, so that who lost a race
 * reads why. Nothing but that rule and "nobody without a role" (which verbs keep) can fail here.
 */
export async function keepSuperAdmin(ctx: Ctx): Promise<void> {
  try {
    await sql`set constraints users_keep_access, user_roles_keep_access immediate`.execute(ctx.db)
  } catch (error) {
    throw (error as { code?: string }).code === '23514' ? new Refusal(userErrors.lastSuperAdmin) : error
  }
}

/** Before a password, a second factor or a phone of somebody is replaced. */
export async function requireStanding(ctx: Ctx, userId: number): Promise<void> {
  if (!(await mayStandFor(ctx, userId))) throw new Refusal(userErrors.holdsMore)
}
