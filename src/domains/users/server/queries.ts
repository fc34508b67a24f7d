import { sql } from 'kysely'
import { z } from 'zod'
import { type Ctx, visible } from '../../../server/context.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { addDays, startOfDay } from '../../../shared/instants.ts'
import { Scope } from '../../roles/contract.ts'
import { OrganUserDetail, RoleChip, type users } from '../contract.ts'

const bound = sql`exists (select from wechat_bindings w where w.user_id = u.id)`
/** Everything of an account; the phone is whole. */
const user = (ctx: Ctx) =>
  shape(
    OrganUserDetail.extend({
      factor: z.boolean(),
      roles: z.array(RoleChip.extend({ rank: z.number(), dataScope: Scope })),
    }),
    ['users', 'u'],
    {
      roles: sql`(select coalesce(json_agg(json_build_object('id', r.id, 'code', r.code, 'name',
        r.name, 'nameEn', r.name_en, 'rank', r.rank,
          'dataScope', r.data_scope) order by r.rank desc, r.id), '[]')
        from user_roles ur join roles r on r.id = ur.role_id where ur.user_id = u.id)`,
      operatorId: sql`u.org_id`,
      operatorName: sql`o.name`,
      // the path has its ancestors' ids: the second is the one right below the platform
      tenantId: sql`subpath(o.path, least(1, nlevel(o.path) - 1), 1)::text::bigint`,
      departmentName: sql`coalesce(d.name, '')`,
      deviceCount: sql`(select count(distinct a.device_id) from device_assignments a
        where a.user_id = u.id and a.to_at is null and ${visible(ctx, 'a.org_id', 'a.device_id')})`,
      locked: sql`coalesce(u.locked_until > ${ctx.now}, false)`,
      wechatBound: bound,
      factor: sql`exists (select from second_factors f
        where f.user_id = u.id and f.confirmed_at is not null)`,
      lastLoginTime: sql`u.last_login_at`,
      createTime: sql`u.created_at`,
    },
    ['role', 'roleName', 'area', 'can'],
  )
export type User = Rows<typeof user>
const from = sql`users u join organisations o on o.id = u.org_id left
  join departments d on d.id = u.department_id`

const contains = (column: string, text: string | undefined) =>
  text && sql`strpos(lower(${sql.ref(column)}), lower(${text})) > 0`

export const listRows = (ctx: Ctx, input: Input<typeof users.list>) =>
  user(ctx).page(ctx.db, {
    from,
    countFrom: sql`users u`,
    input,
    last: sql`u.id`,
    sort: {
      createTime: sql`u.created_at`,
      username: sql`lower(u.username)`,
      realName: sql`u.real_name`,
      lastLoginTime: sql`u.last_login_at`,
    },
    where: [
      visible(ctx, 'u.org_id'),
      sql`u.deleted_at is null`,
      input.keyword &&
        sql`strpos(lower(u.username || ' ' || u.real_name), lower(${input.keyword})) > 0`,
      contains('u.username', input.username),
      contains('u.real_name', input.realName),
      input.roleId && sql`u.id in (select user_id from user_roles where role_id = ${input.roleId})`,
      input.orgId &&
        sql`u.org_id in (select c.id from organisations c join organisations p on c.path <@ p.path
          where p.id = ${input.orgId})`,
      input.departmentId && sql`u.department_id = ${input.departmentId}`,
      input.status && sql`u.status = ${input.status}`,
      input.wechatBound !== undefined && sql`${bound} = ${input.wechatBound}`,
      input.from && sql`u.last_login_at >= ${startOfDay(input.from)}`,
      input.to && sql`u.last_login_at < ${startOfDay(addDays(input.to, 1))}`,
      input.never !== undefined && sql`(u.last_login_at is null) = ${input.never}`,
    ],
  })

export const row = (ctx: Ctx, id: number): Promise<User | undefined> =>
  user(ctx).one(
    ctx.db,
    sql`from ${from} where u.id = ${id} and u.deleted_at is null and ${visible(ctx, 'u.org_id')}`,
  )
