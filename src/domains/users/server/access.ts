import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import type { Ctx } from '../../../server/context.ts'
import { exists } from '../../../server/rows.ts'
import { updateVersion } from '../../../server/shapes.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { factorErrors } from '../../session/contract.ts'
import {
  endLinks,
  endSessions,
  removeFactor,
  takeBack,
  unbindWechat,
  waysOf,
} from '../../session/server/verbs.ts'
import { userErrors, type users } from '../contract.ts'
import {
  giveRoles,
  keepSuperAdmin,
  named,
  requireStanding,
  type Subject,
  subject,
  subjects,
} from './people.ts'

async function changeStatus(
  ctx: Ctx,
  given: readonly number[],
  status: Subject['status'],
): Promise<Subject[]> {
  const people = await subjects(ctx, given)
  if (status === 'ENABLED') {
    if (
      await exists(ctx.db)`select 1 from organisations o
        join organisations a on a.path @> o.path and a.status = 'DISABLED'
      where o.id = any(${people.map((person) => person.orgId)}::bigint[]) limit 1`
    )
      throw new Refusal(userErrors.orgClosed)
  }
  const changed = people.filter((person) => person.status !== status)
  const ids = changed.map((person) => person.id)
  // a message about it reaches only an account that is open
  if (status === 'DISABLED') await takeBack(ctx, ids)
  await sql`update users set status = ${status} where id = any(${ids}::bigint[])`.execute(ctx.db)
  if (status === 'ENABLED') await takeBack(ctx, ids)
  else {
    await keepSuperAdmin(ctx)
    await endSessions(ctx, given, 'ACCESS_CHANGED')
  }
  ctx.touch('users')
  return people
}
const statusLine = (status: Subject['status']) => (person: Subject) => ({
  ...named(person),
  before: { status: person.status },
  after: { status },
})

/** A person who lost or won rights signs in again with what he has now. */
async function settle(ctx: Ctx, changed: readonly Subject[]): Promise<void> {
  if (!changed.length) return
  const ids = changed.map((person) => person.id)
  await sql`update users set version = version + 1 where id = any(${ids}::bigint[])`.execute(ctx.db)
  await keepSuperAdmin(ctx)
  await endSessions(ctx, ids, 'ACCESS_CHANGED')
  ctx.touch('users')
}
const codesOf = (person: Subject) => person.roles.map((role) => role.code)
const rolesLine = (roleIds: readonly number[]) => (person: Subject) => ({
  ...named(person),
  before: { roles: codesOf(person) },
  after: { roleIds },
})

/** What an administrator does about accounts, one or many. */
export const access = {
  async setStatus(ctx, { id, status }) {
    const [person] = await changeStatus(ctx, [id], status)
    ctx.audit(statusLine(status)(person as Subject))
    return { ok: true }
  },

  async batchStatus(ctx, { ids, status }) {
    const changed = (await changeStatus(ctx, ids, status)).filter(
      (person) => person.status !== status,
    )
    ctx.audit(...changed.map(statusLine(status)))
    return { changed: changed.length }
  },

  async setRoles(ctx, { id, version, roleIds }) {
    const person = await subject(ctx, id)
    if (person.version !== version) throw new Refusal(common.stale)
    if (await giveRoles(ctx, person, roleIds)) await settle(ctx, [person])
    ctx.audit(rolesLine(roleIds)(person))
    return { ok: true }
  },

  async batchRoles(ctx, { ids, roleIds }) {
    const people = await subjects(ctx, ids)
    const changed: Subject[] = []
    for (const person of people) if (await giveRoles(ctx, person, roleIds)) changed.push(person)
    await settle(ctx, changed)
    ctx.audit(...people.map(rolesLine(roleIds)))
    return { changed: changed.length }
  },

  async logout(ctx, { id }) {
    const person = await subject(ctx, id)
    const { length: ended } = await endSessions(ctx, [id], 'KICKED')
    ctx.audit({ ...named(person), after: { ended } })
    return { ended }
  },

  async unbindWechat(ctx, { id }) {
    const person = await subject(ctx, id, 'allowed')
    const { ways } = await waysOf(ctx, id)
    if (!(await unbindWechat(ctx, id))) throw new Refusal(userErrors.wechatUnbound)
    ctx.audit({ ...named(person), before: { nickname: ways.wechat?.nickname } })
    ctx.touch('users')
    return { ok: true }
  },

  /**
   * For whoever lost his phone and his recovery codes: he signs in by password and sets up a new
   * one.
   */
  async resetFactor(ctx, { id }) {
    const person = await subject(ctx, id)
    await requireStanding(ctx, id)
    if (!(await removeFactor(ctx, id))) throw new Refusal(factorErrors.factorOff)
    await endSessions(ctx, [id], 'KICKED')
    ctx.audit(named(person))
    ctx.touch('users')
    return { ok: true }
  },

  /**
   * The account ends, what it did stays. Roles, department and machines are given back, so that
   * nothing counts him any more.
   */
  async remove(ctx, { id, version }) {
    const person = await subject(ctx, id)
    if (person.isPrincipal) throw new Refusal(userErrors.principalStays)
    await updateVersion(
      ctx,
      'users',
      { id, version },
      { status: 'DISABLED', deleted_at: ctx.now, department_id: null },
    )
    await sql`delete from user_roles where user_id = ${id}`.execute(ctx.db)
    await keepSuperAdmin(ctx)
    await endSessions(ctx, [id], 'ACCESS_CHANGED')
    await endLinks(ctx, [id])
    await sql`delete from wechat_bindings where user_id = ${id}`.execute(ctx.db)
    await sql`update device_assignments set to_at = ${ctx.now}
      where user_id = ${id} and to_at is null`.execute(ctx.db)
    await sql`update password_resets set state = 'EXPIRED', handled_at = ${ctx.now}
      where user_id = ${id} and state = 'PENDING'`.execute(ctx.db)
    ctx.audit({
      ...named(person),
      before: { username: person.username, realName: person.realName, roles: codesOf(person) },
    })
    ctx.touch('users')
    return { ok: true }
  },
} satisfies Partial<Handlers<typeof users>>
