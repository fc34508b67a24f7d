import { sql } from 'kysely'
import { z } from 'zod'
import { type Ctx, inheritable, visible } from '../../../server/context.ts'
import type { Db } from '../../../server/database.ts'
import { onlyRow, rowsOf } from '../../../server/rows.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import * as f from '../../../shared/fields.ts'
import { type Catalogue, RoleRow, type roles } from '../contract.ts'

/** People are counted as far as the actor sees them; `others` are all who hold it but himself. */
const role = (ctx: Ctx) => {
  const holders = sql`user_roles ur join users u on u.id = ur.user_id
    where ur.role_id = r.id and u.deleted_at is null`
  return shape(
    RoleRow.extend({ orgId: f.id, others: z.boolean() }),
    ['roles', 'r'],
    {
      identifier: sql`r.code`,
      orgName: sql`coalesce(o.name, '')`,
      permissionCount: sql`(select count(*) from role_permissions p where p.role_id = r.id)`,
      userCount: sql`(select count(*) from ${holders} and ${visible(ctx, 'ur.org_id')})`,
      others: sql`exists (select from ${holders} and u.id is distinct from ${ctx.actor.userId})`,
      updateTime: sql`r.updated_at`,
    },
    ['can'],
  )
}
export type Role = Rows<typeof role>
// organisations above are not in the actor's rows; their name is not theirs to see, and the
// platform needs none
const from = sql`roles r left join organisations o on o.id = r.org_id`

export const listRows = (ctx: Ctx, input: Input<typeof roles.list>) =>
  role(ctx).page(ctx.db, {
    from,
    input,
    last: sql`r.id`,
    sort: {
      name: sql`r.name`,
      rank: sql`r.rank`,
      permissionCount: sql.ref('permissionCount'),
      userCount: sql.ref('userCount'),
      updateTime: sql`r.updated_at`,
    },
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
export const lockRoles = (ctx: Ctx) =>
  sql`select 1 from organisations where id = ${ctx.actor.orgId} for no key update`.execute(ctx.db)
export async function customRoles(ctx: Ctx): Promise<number> {
  return (
    await onlyRow<{ n: number }>(
      ctx.db,
    )`select count(*)::int as n from roles where org_id = ${ctx.actor.orgId} and not builtin`
  ).n
}

/** A role of the actor's organisations or above; `lock` for a change. */
export async function row(ctx: Ctx, id: number, lock = false): Promise<Role | undefined> {
  if (lock) await sql`select 1 from roles where id = ${id} for no key update`.execute(ctx.db)
  return role(ctx).one(
    ctx.db,
    sql`from ${from} where r.id = ${id} and ${inheritable(ctx, 'r.org_id')}`,
  )
}

/** Codes of a role, and paths of its pages; groups come with them. */
export const listsOf = (
  db: Db,
  roleId: number,
): Promise<{ permissions: string[]; menus: string[] }> =>
  onlyRow<{ permissions: string[]; menus: string[] }>(db)`select
      array(select p.code from role_permissions rp join permissions p on p.code = rp.permission_code
        where rp.role_id = ${roleId} order by p.sort, p.code) as permissions,
      array(select m.path from role_menus rm join menus m on m.id = rm.menu_id
        where rm.role_id = ${roleId} and m.permission_code is not null order by m.path) as menus`

/** Pages in menu order, each with its topmost group. */
export const menuPages = (db: Db): Promise<Catalogue['menus']> =>
  rowsOf<Catalogue['menus'][number]>(db)`
    with recursive above as (
      select m.id, m.id as top, m.parent_id from menus m
      union all select a.id, p.id, p.parent_id from above a join menus p on p.id = a.parent_id)
    select m.path, m.title_zh as zh, m.title_en as en, m.hidden, m.permission_code as permission,
      g.path as "group", g.title_zh as "groupZh", g.title_en as "groupEn"
    from menus m join above a on a.id = m.id and a.parent_id is null join menus g on g.id = a.top
    where m.permission_code is not null order by g.sort, g.id, m.sort, m.id`

/** Writes both lists as wholes; groups above chosen pages travel with them. */
export async function writeLists(
  db: Db,
  roleId: number,
  codes: readonly string[],
  paths: readonly string[],
): Promise<void> {
  await sql`delete from role_permissions
    where role_id = ${roleId} and not permission_code = any(${[...codes]}::text[])`.execute(db)
  await sql`insert into role_permissions (role_id, permission_code)
    select ${roleId}::bigint, unnest(${[...codes]}::text[]) on conflict do nothing`.execute(db)
  await sql`
    with recursive chosen as (
      select m.id, m.parent_id from menus m where m.path = any(${[...paths]}::text[])
      union select p.id, p.parent_id from chosen c join menus p on p.id = c.parent_id),
    gone as (delete from role_menus
      where role_id = ${roleId} and not menu_id in (select id from chosen))
    insert into role_menus (role_id, menu_id) select ${roleId}::bigint, id from chosen
    on conflict do nothing`.execute(db)
}

/** Whether the actor could still edit roles if this role gave nothing to it any more. */
export async function editsWithout(ctx: Ctx, roleId: number): Promise<boolean> {
  const { mine, other } = await onlyRow<{ mine: boolean; other: boolean }>(ctx.db)`
    select exists (select 1 from user_roles
      where user_id = ${ctx.actor.userId} and role_id = ${roleId}) as mine,
      exists (select 1 from user_roles ur join roles r on r.id = ur.role_id and r.status = 'ENABLED'
        join role_permissions p on p.role_id = r.id and p.permission_code = 'role:update'
        where ur.user_id = ${ctx.actor.userId} and r.id <> ${roleId}
          and exists (select 1 from role_permissions x
            where x.role_id = r.id and x.permission_code = 'role:read')) as other`
  return !mine || other
}
