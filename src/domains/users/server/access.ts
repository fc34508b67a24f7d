import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found } from '../../../server/context.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { checkAssignable, checkTakable } from '../../roles/server/assign.ts'
import { endLinks, takeBack } from '../../session/server/verbs.ts'
import { userErrors, type users } from '../contract.ts'
import { checkRoles } from './home.ts'
import { keepSuperAdmin, type Subject, subject, subjects } from './people.ts'
import { endSessions } from './sessions.ts'

type Contract = typeof users
async function changeStatus(ctx: Ctx, ids: readonly number[], status: Subject['status']): Promise<Subject[]> {
  const people = await subjects(ctx, ids)
  const homes = [...new Set(people.map((person) => person.org_id))]
  if (status === 'ENABLED') {
    const { rows } = await sql`select 1 from organisations o join organisations a on a.path @> o.path and a.status = 'DISABLED'
      where o.id = any(${homes}::bigint[]) limit 1`.execute(ctx.db)
    if (rows.length) throw new Refusal(userErrors.orgClosed)
  }
  const changed = people.filter((person) => person.status !== status).map((person) => person.id)
  // a message about it reaches only an account that is open
  if (status === 'DISABLED') await takeBack(ctx, changed)
  await ctx.db
    .updateTable('users')
    .set({ status })
    .where(
      'id',
      'in',
      people.map((person) => person.id),
    )
    .where('status', '<>', status)
    .execute()
  if (status === 'ENABLED') await takeBack(ctx, changed)
  if (status === 'DISABLED') {
    await keepSuperAdmin(ctx)
    await endSessions(ctx, ids, 'ACCESS_CHANGED')
  }
  ctx.touch('users')
  return people
}

export const setStatus: Handlers<Contract>['setStatus'] = async (ctx, input) => {
  const [person] = await changeStatus(ctx, [input.id], input.status)
  ctx.audit({
    id: input.id,
    name: person?.username ?? '',
    before: { status: person?.status },
    after: { status: input.status },
    orgId: person?.org_id as number,
  })
  return { ok: true as const }
}

export const batchStatus: Handlers<Contract>['batchStatus'] = async (ctx, input) => {
  const people = await changeStatus(ctx, input.ids, input.status)
  const changed = people.filter((person) => person.status !== input.status)
  ctx.audit(...changed.map(({ id, username: name, status, org_id: orgId }) => ({ id, name, before: { status }, after: { status: input.status }, orgId })))
  return { changed: changed.length }
}

/** Gives and takes what differs; only that is checked, so that a role the actor may not give can stay where it is. */
async function giveRoles(ctx: Ctx, person: Subject, roleIds: readonly number[]): Promise<boolean> {
  const had = new Set(person.roles.map((role) => role.id))
  const wanted = new Set(roleIds)
  const added = [...wanted].filter((id) => !had.has(id))
  const removed = [...had].filter((id) => !wanted.has(id))
  if (!added.length && !removed.length) return false
  const given = added.length ? await checkAssignable(ctx, added, person.org_id) : []
  if (removed.length) await checkTakable(ctx, removed)
  const home = found(await ctx.db.selectFrom('organisations').select('kind').where('id', '=', person.org_id).executeTakeFirst())
  checkRoles(ctx, given, home.kind, person.region_code)
  const rows = added.map((id) => ({ user_id: person.id, role_id: id, org_id: person.org_id, granted_by: ctx.actor.userId, created_at: ctx.now }))
  if (rows.length) await ctx.db.insertInto('user_roles').values(rows).execute()
  if (removed.length) await ctx.db.deleteFrom('user_roles').where('user_id', '=', person.id).where('role_id', 'in', removed).execute()
  return true
}

/** A person who lost or won rights signs in again with what he has now. */
async function settle(ctx: Ctx, changed: readonly Subject[]): Promise<void> {
  if (!changed.length) return
  const ids = changed.map((person) => person.id)
  await ctx.db
    .updateTable('users')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .where('id', 'in', ids)
    .execute()
  await keepSuperAdmin(ctx)
  await endSessions(ctx, ids, 'ACCESS_CHANGED')
  ctx.touch('users')
}

export const setRoles: Handlers<Contract>['setRoles'] = async (ctx, input) => {
  const person = await subject(ctx, input.id)
  if (person.version !== input.version) throw new Refusal(common.stale)
  if (await giveRoles(ctx, person, input.roleIds)) await settle(ctx, [person])
  const before = { roles: person.roles.map((role) => role.code) }
  ctx.audit({ id: person.id, name: person.username, before, after: { roleIds: input.roleIds }, orgId: person.org_id })
  return { ok: true as const }
}

export const batchRoles: Handlers<Contract>['batchRoles'] = async (ctx, input) => {
  const people = await subjects(ctx, input.ids)
  const changed: Subject[] = []
  for (const person of people) if (await giveRoles(ctx, person, input.roleIds)) changed.push(person)
  await settle(ctx, changed)
  const { roleIds } = input
  ctx.audit(
    ...people.map(({ id, username: name, roles, org_id: orgId }) => ({
      id,
      name,
      before: { roles: roles.map((role) => role.code) },
      after: { roleIds },
      orgId,
    })),
  )
  return { changed: changed.length }
}

export const logout: Handlers<Contract>['logout'] = async (ctx, input) => {
  const person = await subject(ctx, input.id)
  const ended = await endSessions(ctx, [person.id], 'KICKED')
  ctx.audit({ id: person.id, name: person.username, after: { ended }, orgId: person.org_id })
  return { ended }
}

/** The account ends, what it did stays. Roles, department and machines are given back, so that nothing counts him any more. */
export const remove: Handlers<Contract>['remove'] = async (ctx, input) => {
  const person = await subject(ctx, input.id)
  if (person.is_principal) throw new Refusal(userErrors.principalStays)
  const gone = await ctx.db
    .updateTable('users')
    .set((eb) => ({ status: 'DISABLED', deleted_at: ctx.now, department_id: null, version: eb('version', '+', 1) }))
    .where('id', '=', person.id)
    .where('version', '=', input.version)
    .executeTakeFirst()
  if (!gone.numUpdatedRows) throw new Refusal(common.stale)
  await ctx.db.deleteFrom('user_roles').where('user_id', '=', person.id).execute()
  await keepSuperAdmin(ctx)
  await endSessions(ctx, [person.id], 'ACCESS_CHANGED')
  await endLinks(ctx, [person.id])
  await ctx.db.deleteFrom('wechat_bindings').where('user_id', '=', person.id).execute()
  await ctx.db.updateTable('device_assignments').set({ to_at: ctx.now }).where('user_id', '=', person.id).where('to_at', 'is', null).execute()
  await ctx.db
    .updateTable('password_resets')
    .set({ state: 'EXPIRED', handled_at: ctx.now })
    .where('user_id', '=', person.id)
    .where('state', '=', 'PENDING')
    .execute()
  ctx.audit({
    id: person.id,
    name: person.username,
    before: { username: person.username, realName: person.real_name, roles: person.roles.map((role) => role.code) },
    orgId: person.org_id,
  })
  ctx.touch('users')
  return { ok: true as const }
}
