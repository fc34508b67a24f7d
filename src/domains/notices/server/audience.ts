import { type RawBuilder, sql } from 'kysely'
import { type Ctx, inheritable, visible } from '../../../server/context.ts'
import type { Input } from '../../../shared/contract.ts'
import { builtinFirst, called, heldIn } from '../../roles/server/assign.ts'
import type { NoticeInput, notices } from '../contract.ts'

/** Whom a notice reaches: enabled people below its organisation that one of its targets names. */

type Targets = Pick<NoticeInput, 'toAll' | 'orgIds' | 'withSubtree' | 'roleIds' | 'userIds'>

/** Of a user `u` of an organisation `o`: may get messages, and stands at or below `root`. */
const reachable = (root: RawBuilder<unknown>) =>
  sql`u.status = 'ENABLED' and u.deleted_at is null and o.path <@ (select r.path from organisations r where r.id = ${root})`

/** By the stored targets of a notice; what the fan-out writes messages for. */
export const matchesStored = (noticeId: number, orgId: number): RawBuilder<unknown> => sql`${reachable(sql`${orgId}::bigint`)} and exists (
  select from notice_targets t where t.notice_id = ${noticeId} and (t.everyone or t.user_id = u.id
    or t.role_id in (select ur.role_id from user_roles ur where ur.user_id = u.id)
    or t.target_org_id = o.id or (t.with_subtree and o.path <@ (select s.path from organisations s where s.id = t.target_org_id))))`

/** By targets that are not stored yet; the form counts while they are chosen. */
export async function countAudience(ctx: Ctx, targets: Targets, orgId: number): Promise<number> {
  const chosen = sql`(u.id = any(${targets.userIds}::bigint[])
    or exists (select from user_roles ur where ur.user_id = u.id and ur.role_id = any(${targets.roleIds}::bigint[]))
    or o.id = any(${targets.orgIds}::bigint[])
    or (${targets.withSubtree} and exists (select from organisations s where s.id = any(${targets.orgIds}::bigint[]) and ${visible(ctx, 's.id')} and o.path <@ s.path)))`
  const { rows } = await sql<{ n: number }>`select count(*) as n from users u join organisations o on o.id = u.org_id
    where ${visible(ctx, 'u.org_id')} and ${reachable(sql`${orgId}::bigint`)} and ${targets.toAll ? sql`true` : chosen}`.execute(ctx.db)
  return rows[0]?.n ?? 0
}

/** True when every target is there for the actor and stands below the notice's organisation. Roles may come from above. */
export async function targetsExist(ctx: Ctx, targets: Targets, orgId: number): Promise<boolean> {
  if (targets.toAll) return true
  const below = sql`o.path <@ (select r.path from organisations r where r.id = ${orgId}::bigint)`
  const { rows } = await sql<{ orgs: number; roles: number; users: number }>`select
    (select count(*) from organisations o where o.id = any(${targets.orgIds}::bigint[]) and ${visible(ctx, 'o.id')} and ${below}) as orgs,
    (select count(*) from roles r where r.id = any(${targets.roleIds}::bigint[]) and ${inheritable(ctx, 'r.org_id')}) as roles,
    (select count(*) from users u join organisations o on o.id = u.org_id
      where u.id = any(${targets.userIds}::bigint[]) and u.deleted_at is null and ${visible(ctx, 'u.org_id')} and ${below}) as users`.execute(ctx.db)
  const found = rows[0]
  const distinct = (ids: readonly number[]) => new Set(ids).size
  return found?.orgs === distinct(targets.orgIds) && found.roles === distinct(targets.roleIds) && found.users === distinct(targets.userIds)
}

/** Replaces the targets of a draft. `everyone` needs no other. */
export async function writeTargets(ctx: Ctx, notice: { id: number; orgId: number }, targets: Targets): Promise<void> {
  await ctx.db.deleteFrom('notice_targets').where('notice_id', '=', notice.id).execute()
  const own = { org_id: notice.orgId, notice_id: notice.id }
  const unique = (ids: readonly number[]) => [...new Set(ids)]
  const rows = targets.toAll
    ? [{ ...own, everyone: true }]
    : [
        ...unique(targets.orgIds).map((id) => ({ ...own, target_org_id: id, with_subtree: targets.withSubtree })),
        ...unique(targets.roleIds).map((id) => ({ ...own, role_id: id })),
        ...unique(targets.userIds).map((id) => ({ ...own, user_id: id })),
      ]
  const nothing = { everyone: false, target_org_id: null, with_subtree: false, role_id: null, user_id: null }
  await ctx.db
    .insertInto('notice_targets')
    .values(rows.map((row) => ({ ...nothing, ...row })))
    .execute()
}

/** Built-in roles, the own ones and those from above; others by name, and those that are chosen already. */
export async function roleOptions(ctx: Ctx, { keyword, ids = [] }: Input<typeof notices.roles>): Promise<{ id: number; name: string }[]> {
  const { rows } = await sql<{ id: number; name: string; name_en: string }>`select r.id, r.name, r.name_en from roles r
    where ${inheritable(ctx, 'r.org_id')} and r.status = 'ENABLED' and (${keyword ? called(keyword) : heldIn(ctx, [ctx.actor.orgId])} or r.id = any(${[...ids]}::bigint[]))
    order by ${builtinFirst} limit ${keyword ? 200 : null}`.execute(ctx.db)
  return rows.map((r) => ({ id: r.id, name: ctx.lang === 'en' ? r.name_en : r.name }))
}
