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

/** Ids of an organisation `o` and of all above it. */
const above = sql`string_to_array(o.path::text, '.')::bigint[]`

/**
 * By the stored targets of a notice; what the fan-out writes messages for. Each kind of target is
 * read once: asked for each of thousands of people, hundreds of them would hold up everybody's.
 */
export function matchesStored(noticeId: number, orgId: number): RawBuilder<unknown> {
  const targets = sql`from notice_targets t where t.notice_id = ${noticeId}`
  return sql`${reachable(sql`${orgId}::bigint`)} and (exists (select ${targets} and t.everyone)
    or u.id in (select t.user_id ${targets} and t.user_id is not null)
    or exists (select from user_roles ur where ur.user_id = u.id
      and ur.role_id in (select t.role_id ${targets} and t.role_id is not null))
    or o.id in (select t.target_org_id ${targets} and t.target_org_id is not null)
    or ${above} && array(select t.target_org_id ${targets} and t.with_subtree))`
}

/** By targets that are not stored yet; the form counts while they are chosen. */
export function countAudience(ctx: Ctx, targets: Targets, orgId: number) {
  const chosen = sql`(u.id = any(${targets.userIds}::bigint[])
    or exists (select from user_roles ur
      where ur.user_id = u.id and ur.role_id = any(${targets.roleIds}::bigint[]))
    or o.id = any(${targets.orgIds}::bigint[])
    or (${targets.withSubtree} and ${above} && array(select s.id from organisations s
      where s.id = any(${targets.orgIds}::bigint[]) and ${visible(ctx, 's.id')})))`
  return onlyRow<{ count: number }>(
    ctx.db,
  )`select count(*) as count from users u join organisations o on o.id = u.org_id
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
