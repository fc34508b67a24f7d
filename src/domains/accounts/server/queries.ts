import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { type accounts, OrganisationOption, type TreeNode, UserOption } from '../contract.ts'

const organisation = shape(OrganisationOption, ['organisations', 'o'], { parentId: sql`p.id` })

export const organisationOptions = (ctx: Ctx) =>
  organisation.all(
    ctx.db,
    sql`from organisations o
      left join organisations p on p.id = o.parent_id and ${visible(ctx, 'p.id')}
      where ${visible(ctx, 'o.id')} order by o.path`,
  )

/** Parents before children. */
export const treeRows = (ctx: Ctx) =>
  rowsOf<Omit<TreeNode, 'children'> & { parentId: number | null }>(ctx.db)`
    select o.id as value, o.parent_id as "parentId", o.name as label, o.kind, o.status
    from organisations o
    where ${visible(ctx, 'o.id')} order by nlevel(o.path), o.name, o.id`

const user = shape(UserOption, ['users', 'u'], {
  userName: sql`u.username`,
  name: sql`u.real_name`,
  role: sql`coalesce((select r.code from user_roles ur join roles r on r.id = ur.role_id
    where ur.user_id = u.id order by r.rank desc, r.id limit 1), '')`,
  createTime: sql`u.created_at`,
})

export const userOptions = (ctx: Ctx, input: Input<typeof accounts.userOptions>) =>
  user.page(ctx.db, {
    from: sql`users u`,
    where: [
      visible(ctx, 'u.org_id'),
      input.ids ? sql`u.id = any(${input.ids}::bigint[])` : sql`u.status = 'ENABLED'`,
      input.orgId && sql`u.org_id = ${input.orgId}`,
      input.roleCode &&
        sql`exists (select from user_roles ur join roles r on r.id = ur.role_id
          where ur.user_id = u.id and r.code = ${input.roleCode})`,
      input.keyword &&
        sql`strpos(lower(u.username || ' ' || u.real_name), lower(${input.keyword})) > 0`,
    ],
    sort: {
      createTime: sql`u.created_at`,
      name: sql`u.real_name`,
      userName: sql`lower(u.username)`,
    },
    last: sql`u.id`,
    input,
  })
