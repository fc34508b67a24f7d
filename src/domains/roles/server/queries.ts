import { sql } from 'kysely'
import { type Ctx, inheritable, visible } from '../../../server/context.ts'
import type { Db } from '../../../server/database.ts'
import { selectPage } from '../../../server/lists.ts'
import type { DataScope } from '../../../shared/access.ts'
import type { Input } from '../../../shared/contract.ts'
import type { roles } from '../contract.ts'

export type Row = {
  id: number
  org_id: number
  org_name: string
  code: string
  name: string
  name_en: string
  description: string
  rank: number
  data_scope: DataScope
  builtin: boolean
  status: 'ENABLED' | 'DISABLED'
  version: number
  updated_at: Date
  codes: number
  people: number
  others: boolean
}

// organisations above are not in the actor's rows; their name is not theirs to see, and the platform needs none
const from = sql`roles r left join organisations o on o.id = r.org_id`
/** People are counted as far as the actor sees them. */
const columns = (
  ctx: Ctx,
) => sql`r.id, r.org_id, coalesce(o.name, '') as org_name, r.code, r.name, r.name_en, r.description, r.rank, r.data_scope, r.builtin, r.status, r.version,
  r.updated_at, (select count(*) from role_permissions p where p.role_id = r.id) as codes,
  (select count(*) from user_roles ur join users u on u.id = ur.user_id where ur.role_id = r.id and u.deleted_at is null and ${visible(ctx, 'ur.org_id')}) as people,
  exists (select from user_roles ur join users u on u.id = ur.user_id where ur.role_id = r.id and u.deleted_at is null and u.id is distinct from ${ctx.actor.userId}) as others`

export const listRows = (ctx: Ctx, input: Input<typeof roles.list>) =>
  selectPage<Row>(ctx.db, {
    columns: columns(ctx),
    from,
    input,
    last: sql`r.id`,
    sort: { name: sql`r.name`, rank: sql`r.rank`, permissionCount: sql`codes`, userCount: sql`people`, updateTime: sql`r.updated_at` },
    where: [
      inheritable(ctx, 'r.org_id'),
      input.keyword && sql`strpos(lower(r.name || ' ' || r.name_en), lower(${input.keyword})) > 0`,
      input.identifier && sql`strpos(r.code, upper(${input.identifier})) > 0`,
      input.builtin !== undefined && sql`r.builtin = ${input.builtin}`,
      input.orgId && sql`r.org_id = ${input.orgId}`,
      input.status && sql`r.status = ${input.status}`,
    ],
  })

/** Whoever makes roles for an organisation at once takes turns. */
export const lockRoles = (ctx: Ctx) => sql`select 1 from organisations where id = ${ctx.actor.orgId} for no key update`.execute(ctx.db)
export async function customRoles(ctx: Ctx): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from roles where org_id = ${ctx.actor.orgId} and not builtin`.execute(ctx.db)
  return rows[0]?.n ?? 0
}

/** A role of the actor's organisations or above; `lock` for a change. */
export async function row(ctx: Ctx, id: number, lock = false): Promise<Row | undefined> {
  if (lock) await sql`select 1 from roles where id = ${id} for no key update`.execute(ctx.db)
  const { rows } = await sql<Row>`select ${columns(ctx)} from ${from} where r.id = ${id} and ${inheritable(ctx, 'r.org_id')}`.execute(ctx.db)
  return rows[0]
}

export async function codesOf(db: Db, roleId: number): Promise<string[]> {
  const { rows } = await sql<{ code: string }>`
    select p.code from role_permissions rp join permissions p on p.code = rp.permission_code where rp.role_id = ${roleId} order by p.sort, p.code`.execute(db)
  return rows.map((found) => found.code)
}
/** Paths of pages; groups come with them. */
export async function pathsOf(db: Db, roleId: number): Promise<string[]> {
  const { rows } = await sql<{ path: string }>`
    select m.path from role_menus rm join menus m on m.id = rm.menu_id where rm.role_id = ${roleId} and m.permission_code is not null order by m.path`.execute(
    db,
  )
  return rows.map((found) => found.path)
}

export type MenuPage = {
  id: number
  path: string
  title_zh: string
  title_en: string
  hidden: boolean
  permission: string | null
  group_path: string
  group_zh: string
  group_en: string
}
/** Pages in menu order, each with its topmost group. */
export async function menuPages(db: Db): Promise<MenuPage[]> {
  const { rows } = await sql<MenuPage>`
    with recursive above as (
      select m.id, m.id as top, m.parent_id from menus m
      union all select a.id, p.id, p.parent_id from above a join menus p on p.id = a.parent_id)
    select m.id, m.path, m.title_zh, m.title_en, m.hidden, m.permission_code as permission, g.path as group_path, g.title_zh as group_zh, g.title_en as group_en
    from menus m join above a on a.id = m.id and a.parent_id is null join menus g on g.id = a.top
    where m.permission_code is not null order by g.sort, g.id, m.sort, m.id`.execute(db)
  return rows
}

/** Writes both lists as wholes; groups above chosen pages travel with them. */
export async function writeLists(db: Db, roleId: number, codes: readonly string[], paths: readonly string[]): Promise<void> {
  await sql`delete from role_permissions where role_id = ${roleId} and not permission_code = any(${[...codes]}::text[])`.execute(db)
  await sql`insert into role_permissions (role_id, permission_code) select ${roleId}::bigint, unnest(${[...codes]}::text[]) on conflict do nothing`.execute(db)
  await sql`
    with recursive chosen as (
      select m.id, m.parent_id from menus m where m.path = any(${[...paths]}::text[])
      union select p.id, p.parent_id from chosen c join menus p on p.id = c.parent_id),
    gone as (delete from role_menus where role_id = ${roleId} and not menu_id in (select id from chosen))
    insert into role_menus (role_id, menu_id) select ${roleId}::bigint, id from chosen on conflict do nothing`.execute(db)
}

/** Whether the actor could still edit roles if this role gave nothing to it any more. */
export async function editsWithout(ctx: Ctx, roleId: number): Promise<boolean> {
  const { rows } = await sql<{ mine: boolean; other: boolean }>`
    select exists (select 1 from user_roles where user_id = ${ctx.actor.userId} and role_id = ${roleId}) as mine,
      exists (select 1 from user_roles ur join roles r on r.id = ur.role_id and r.status = 'ENABLED' join role_permissions p on p.role_id = r.id and p.permission_code = 'role:update'
        where ur.user_id = ${ctx.actor.userId} and r.id <> ${roleId}
          and exists (select 1 from role_permissions x where x.role_id = r.id and x.permission_code = 'role:read')) as other`.execute(ctx.db)
  return !rows[0]?.mine || rows[0].other
}
