import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { selectPage } from '../../../server/lists.ts'
import type { Input } from '../../../shared/contract.ts'
import type { accounts, OrganisationOption } from '../contract.ts'

export async function organisationOptions(ctx: Ctx): Promise<OrganisationOption[]> {
  const { rows } = await sql<OrganisationOption>`
    select o.id, p.id as "parentId", o.name, o.kind
    from organisations o left join organisations p on p.id = o.parent_id and ${visible(ctx, 'p.id')}
    where ${visible(ctx, 'o.id')} order by o.path`.execute(ctx.db)
  return rows
}

export type UserOptionRow = { id: number; username: string; real_name: string; avatar: string; role: string; address: string; created_at: Date }

export const userOptions = (ctx: Ctx, input: Input<typeof accounts.userOptions>) =>
  selectPage<UserOptionRow>(ctx.db, {
    columns: sql`u.id, u.username, u.real_name, u.avatar, u.address, u.created_at, coalesce((
      select r.code from user_roles ur join roles r on r.id = ur.role_id where ur.user_id = u.id order by r.rank desc, r.id limit 1), '') as role`,
    from: sql`users u`,
    where: [
      visible(ctx, 'u.org_id'),
      input.ids ? sql`u.id = any(${input.ids}::bigint[])` : sql`u.status = 'ENABLED'`,
      input.roleCode && sql`exists (select from user_roles ur join roles r on r.id = ur.role_id where ur.user_id = u.id and r.code = ${input.roleCode})`,
      input.keyword && sql`strpos(lower(u.username || ' ' || u.real_name), lower(${input.keyword})) > 0`,
    ],
    sort: { createTime: sql`u.created_at`, name: sql`u.real_name`, userName: sql`lower(u.username)` },
    last: sql`u.id`,
    input,
  })
