import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { selectPage } from '../../../server/lists.ts'
import type { DataScope } from '../../../shared/access.ts'
import type { Input } from '../../../shared/contract.ts'
import { addDays, startOfDay } from '../../../shared/instants.ts'
import type { users } from '../contract.ts'

type ListInput = Input<typeof users.list>
export type Row = {
  id: number
  org_id: number
  org_name: string
  org_path: string
  username: string
  real_name: string
  avatar: string
  phone: string
  consumer_phone: string
  region_code: string
  address: string
  status: 'ENABLED' | 'DISABLED'
  locked_until: Date | null
  must_change_password: boolean
  is_principal: boolean
  department_id: number | null
  department: string | null
  last_login_at: Date | null
  last_login_ip: string
  created_at: Date
  version: number
  wechat: boolean
  factor: boolean
  devices: number
  roles: { id: number; code: string; name: string; nameEn: string; rank: number; scope: DataScope }[]
}

const columns = (
  ctx: Ctx,
) => sql`u.id, u.org_id, o.name as org_name, o.path::text as org_path, u.username, u.real_name, u.avatar, u.phone, u.consumer_phone, u.region_code, u.address,
  u.status, u.locked_until, u.must_change_password, u.is_principal, u.department_id, d.name as department, u.last_login_at, u.last_login_ip, u.created_at, u.version,
  exists (select from wechat_bindings w where w.user_id = u.id) as wechat,
  exists (select from second_factors f where f.user_id = u.id and f.confirmed_at is not null) as factor,
  (select count(distinct a.device_id) from device_assignments a where a.user_id = u.id and a.to_at is null and ${visible(ctx, 'a.org_id', 'a.device_id')}) as devices,
  (select coalesce(json_agg(json_build_object('id', r.id, 'code', r.code, 'name', r.name, 'nameEn', r.name_en, 'rank', r.rank, 'scope', r.data_scope) order by r.rank desc, r.id), '[]')
    from user_roles ur join roles r on r.id = ur.role_id where ur.user_id = u.id) as roles`
const from = sql`users u join organisations o on o.id = u.org_id left join departments d on d.id = u.department_id`
const contains = (column: string, text: string | undefined) => text && sql`strpos(lower(${sql.ref(column)}), lower(${text})) > 0`

/** The organisation and everything below it that the actor sees. */
const below = (orgId: number) => sql`u.org_id in (select c.id from organisations c join organisations p on c.path <@ p.path where p.id = ${orgId})`
const bound = sql`exists (select from wechat_bindings w where w.user_id = u.id)`

export const listRows = (ctx: Ctx, input: ListInput) =>
  selectPage<Row>(ctx.db, {
    columns: columns(ctx),
    from,
    countFrom: sql`users u`,
    input,
    last: sql`u.id`,
    sort: { createTime: sql`u.created_at`, username: sql`lower(u.username)`, realName: sql`u.real_name`, lastLoginTime: sql`u.last_login_at` },
    where: [
      visible(ctx, 'u.org_id'),
      sql`u.deleted_at is null`,
      input.keyword && sql`strpos(lower(u.username || ' ' || u.real_name), lower(${input.keyword})) > 0`,
      contains('u.username', input.username),
      contains('u.real_name', input.realName),
      input.roleId && sql`u.id in (select user_id from user_roles where role_id = ${input.roleId})`,
      input.orgId && below(input.orgId),
      input.departmentId && sql`u.department_id = ${input.departmentId}`,
      input.status && sql`u.status = ${input.status}`,
      input.wechatBound !== undefined && (input.wechatBound ? bound : sql`not ${bound}`),
      input.from && sql`u.last_login_at >= ${startOfDay(input.from)}`,
      input.to && sql`u.last_login_at < ${startOfDay(addDays(input.to, 1))}`,
      input.never !== undefined && (input.never ? sql`u.last_login_at is null` : sql`u.last_login_at is not null`),
    ],
  })

export async function row(ctx: Ctx, id: number): Promise<Row | undefined> {
  const { rows } = await sql<Row>`select ${columns(ctx)} from ${from} where u.id = ${id} and u.deleted_at is null and ${visible(ctx, 'u.org_id')}`.execute(
    ctx.db,
  )
  return rows[0]
}
