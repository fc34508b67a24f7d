import { type RawBuilder, sql } from 'kysely'
import { type Ctx, inheritable, visible } from '../../../server/context.ts'
import { onlyRow, rowsOf } from '../../../server/rows.ts'
import type { Input } from '../../../shared/contract.ts'
import { builtinFirst, called, heldIn } from '../../roles/server/assign.ts'
import type { notices, Targets } from '../contract.ts'

/** Whom a notice reaches: enabled people below its organisation that one of its targets names. */

/** Of a user `u` of an organisation `o`: may get messages, and stands at or below `root`. */
const reachable = (root: RawBuilder<unknown>) =>
  sql`u.status = 'ENABLED' and u.deleted_at is null and o.path <@ (select r.path
    from organisations r where r.id = ${root})`

/** By the stored targets of a notice; what the fan-out writes messages for. */
export const matchesStored = (
  noticeId: number,
  orgId: number,
): RawBuilder<unknown> => sql`${reachable(sql`${orgId}::bigint`)} and exists (
  select from notice_targets t where t.notice_id = ${noticeId} and (t.everyone or t.user_id = u.id
    or t.role_id in (select ur.role_id from user_roles ur where ur.user_id = u.id)
    or t.target_org_id = o.id
    or (t.with_subtree and o.path <@ (select s.path from organisations s
      where s.id = t.target_org_id))))`

/** By targets that are not stored yet; the form counts while they are chosen. */
export function countAudience(ctx: Ctx, targets: Targets, orgId: number) {
  const chosen = sql`(u.id = any(${targets.userIds}::bigint[])
    or exists (select from user_roles ur
      where ur.user_id = u.id and ur.role_id = any(${targets.roleIds}::bigint[]))
    or o.id = any(${targets.orgIds}::bigint[])
    or (${targets.withSubtree} and exists (select from organisations s
      where s.id = any(${targets.orgIds}::bigint[]) and ${visible(ctx, 's.id')}
        and o.path <@ s.path)))`
  return onlyRow<{ count: number }>(ctx.db)`select count(*) as count
    from users u join organisations o on o.id = u.org_id
    where ${visible(ctx, 'u.org_id')} and ${reachable(sql`${orgId}::bigint`)}
      and ${targets.toAll ? sql`true` : chosen}`
}

/**
 * True when every target is there for the actor and stands below the notice's organisation. Roles
 * may come from above.
 */
export async function targetsExist(ctx: Ctx, targets: Targets, orgId: number): Promise<boolean> {
  if (targets.toAll) return true
  const below = sql`o.path <@ (select r.path from organisations r where r.id = ${orgId}::bigint)`
  const found = await onlyRow<{ orgs: number; roles: number; users: number }>(ctx.db)`select
    (select count(*) from organisations o
      where o.id = any(${targets.orgIds}::bigint[]) and ${visible(ctx, 'o.id')}
        and ${below}) as orgs,
    (select count(*) from roles r
      where r.id = any(${targets.roleIds}::bigint[]) and ${inheritable(ctx, 'r.org_id')}) as roles,
    (select count(*) from users u join organisations o on o.id = u.org_id
      where u.id = any(${targets.userIds}::bigint[]) and u.deleted_at is null
        and ${visible(ctx, 'u.org_id')} and ${below}) as users`
  const distinct = (ids: readonly number[]) => new Set(ids).size
  return (
    found.orgs === distinct(targets.orgIds) &&
    found.roles === distinct(targets.roleIds) &&
    found.users === distinct(targets.userIds)
  )
}

/** Replaces the targets of a draft. `everyone` needs no other. */
export async function writeTargets(
  ctx: Ctx,
  notice: { id: number; orgId: number },
  targets: Targets,
): Promise<void> {
  await sql`delete from notice_targets where notice_id = ${notice.id}`.execute(ctx.db)
  const rows = targets.toAll
    ? [{ everyone: true }]
    : [
        ...targets.orgIds.map((id) => ({ target_org_id: id, with_subtree: targets.withSubtree })),
        ...targets.roleIds.map((id) => ({ role_id: id })),
        ...targets.userIds.map((id) => ({ user_id: id })),
      ]
  const owner = { org_id: notice.orgId, notice_id: notice.id }
  const values = rows.map((row) => ({ ...owner, ...row }))
  await ctx.db.insertInto('notice_targets').values(values).execute()
}

/**
 * Built-in roles, the own ones and those from above; others by name, and those that are chosen
 * already.
 */
export const roleOptions = (ctx: Ctx, { keyword, ids = [] }: Input<typeof notices.roles>) =>
  rowsOf<{ id: number; name: string }>(ctx.db)`
    select r.id, ${ctx.lang === 'en' ? sql`r.name_en` : sql`r.name`} as name from roles r
    where ${inheritable(ctx, 'r.org_id')} and r.status = 'ENABLED'
      and (${keyword ? called(keyword) : heldIn(ctx, [ctx.actor.orgId])}
        or r.id = any(${[...ids]}::bigint[]))
    order by ${builtinFirst} limit ${keyword ? 200 : null}`
