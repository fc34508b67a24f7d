import { sql } from 'kysely'
import { type AuditEntry, type Ctx, found, may } from '../../../server/context.ts'
import { sessionsOf } from '../../../server/live.ts'
import { requireProof } from '../../../server/proof.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { locale as accounts } from '../../accounts/locale.ts'
import { checkAssignable, checkTakable, outranks } from '../../roles/server/assign.ts'
import { userErrors } from '../../users/contract.ts'
import { missingHome, regionRule } from '../../users/rules.ts'
import { addUser, type NewUser } from '../../users/server/verbs.ts'
import { type EditOrganisation, organisationErrors } from '../contract.ts'
import type { Detail } from './queries.ts'

/** Pictures the actor sends are his own uploads; what the record holds already may stay. */
export async function checkPictures(ctx: Ctx, urls: readonly string[], held: readonly string[]): Promise<void> {
  const fresh = [...new Set(urls)].filter((url) => !held.includes(url))
  if (!fresh.length) return
  const { rows } = await sql`select 1 from uploads where url = any(${fresh}::text[]) and user_id = ${ctx.actor.userId}`.execute(ctx.db)
  if (rows.length !== fresh.length) throw new Refusal(common.notFound)
}

/** The organisation stands already, so what does not fit it is a matter of the kind that was chosen. */
export async function addPrincipal(ctx: Ctx, user: NewUser): Promise<void> {
  try {
    await addUser(ctx, user)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new Refusal(
      error.def,
      error.values,
      error.fields.map((problem) => (problem.field === 'orgId' ? { ...problem, field: 'kind' } : problem)),
    )
  }
}

const same = (a: readonly number[], b: readonly number[]): boolean => a.length === b.length && a.every((id) => b.includes(id))

/**
 * The account an organisation shows: only what this form changes of it, and nothing when somebody else changed the account since it
 * was opened. How he is reached and signs in is his own. Answers what the log says of him.
 */
export async function editPrincipal(ctx: Ctx, before: Detail, input: EditOrganisation): Promise<AuditEntry[]> {
  if (before.principal_id === null) return []
  if (!input.avatar && before.avatar)
    throw new Refusal(organisationErrors.avatarMissing, {}, [{ field: 'avatar', text: organisationErrors.avatarMissing.text }])
  const person = await ctx.db
    .selectFrom('users')
    .select(['id', 'username', 'real_name', 'avatar', 'region_code', 'version'])
    .where('id', '=', before.principal_id)
    .forUpdate()
    .executeTakeFirst()
  const now = found(person)
  const next = { real_name: input.realName, avatar: input.avatar }
  const changed = next.real_name !== now.real_name || next.avatar !== now.avatar
  const held = before.roles.map((role) => role.id)
  const roles = input.roleIds && !same(input.roleIds, held) ? input.roleIds : null
  if (!changed && !roles) return []
  if (input.principalVersion !== now.version) throw new Refusal(common.stale)
  if (roles) await requireProof(ctx.app, ctx.actor)
  if (!(await outranks(ctx, now.id))) throw new Refusal(userErrors.rankTooHigh)
  await ctx.db
    .updateTable('users')
    .set((eb) => ({ ...next, version: eb('version', '+', 1) }))
    .where('id', '=', now.id)
    .execute()
  if (roles) await setRoles(ctx, { id: now.id, region: now.region_code }, before, roles)
  ctx.touch('users')
  return [
    {
      action: 'users.update',
      id: now.id,
      name: now.username,
      before: { realName: now.real_name, avatar: now.avatar, roleIds: held },
      after: { realName: next.real_name, avatar: next.avatar, roleIds: roles ?? held },
      orgId: before.id,
    },
  ]
}

/** Only what comes and what goes must be the actor's to give; what the principal has already may stay. */
async function setRoles(ctx: Ctx, person: { id: number; region: string }, org: Detail, wanted: readonly number[]): Promise<void> {
  if (!may(ctx, 'user:assign-role')) throw new Refusal(common.forbidden)
  if (person.id === ctx.actor.userId) throw new Refusal(userErrors.notOneself)
  const held = org.roles.map((role) => role.id)
  const added = wanted.filter((id) => !held.includes(id))
  const removed = held.filter((id) => !wanted.includes(id))
  const fresh = added.length ? await checkAssignable(ctx, added, org.id) : []
  if (removed.length) await checkTakable(ctx, removed)
  const region = regionRule(fresh, person.region)
  if (region) throw new Refusal(region, {}, [{ field: 'roleIds', text: region.text }])
  const home = missingHome(fresh, org.kind)
  if (home) {
    const names: Readonly<Record<string, string>> = accounts[ctx.lang === 'en' ? 'en' : 'zh'].enums.kind
    throw new Refusal(userErrors.wrongHome, { kind: names[home] ?? home }, [{ field: 'roleIds', text: userErrors.wrongHome.text }])
  }
  if (added.length)
    await ctx.db
      .insertInto('user_roles')
      .values(added.map((roleId) => ({ user_id: person.id, role_id: roleId, org_id: org.id, granted_by: ctx.actor.userId, created_at: ctx.now })))
      .execute()
  if (removed.length) await ctx.db.deleteFrom('user_roles').where('user_id', '=', person.id).where('role_id', 'in', removed).execute()
  await ctx.db
    .updateTable('sessions')
    .set({ revoked_at: ctx.now, revoke_reason: 'ACCESS_CHANGED' })
    .where('user_id', '=', person.id)
    .where('revoked_at', 'is', null)
    .execute()
  ctx.touch(sessionsOf(person.id))
}
