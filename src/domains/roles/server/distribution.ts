import { sql } from 'kysely'
import { z } from 'zod'
import { type Ctx, inheritable, visible } from '../../../server/context.ts'
import { exists } from '../../../server/rows.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import { platformOrg, tenantKinds } from '../../../shared/access.ts'
import type { Input, Output } from '../../../shared/contract.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { distributionOf } from '../../accounts/roles.ts'
import { Beyond, DistributionColumn, DistributionRow, type roles } from '../contract.ts'
import { roleErrors, superCode } from '../rules.ts'

/**
 * The matrix of /system/createroledistribute: who may give which roles when adding users. It
 * belongs to the platform.
 */

/**
 * Built-in roles and those the platform made: what rows all tenants share may give. A tenant's own
 * are given by whoever holds what is in them.
 */
const shared = sql<boolean>`(r.builtin or r.org_id = ${platformOrg})`
const from = (ctx: Ctx) =>
  sql`roles r left join organisations o on o.id = r.org_id and ${visible(ctx, 'o.id')}`
const named = { roleId: sql`r.id`, orgName: sql`coalesce(o.name, '')` }

const column = shape(DistributionColumn, ['roles', 'r'], named)
const columnsOf = (ctx: Ctx) =>
  column.all(
    ctx.db,
    sql`from ${from(ctx)} where ${inheritable(ctx, 'r.org_id')} and ${shared}
      order by r.rank desc, r.builtin desc, r.id`,
  )

const row = (ctx: Ctx) =>
  shape(
    DistributionRow.extend({ code: z.string() }),
    ['roles', 'r'],
    {
      ...named,
      adds: sql`exists (select 1 from role_permissions p
        where p.role_id = r.id and p.permission_code = 'user:create')`,
      targets: sql`array(select d.target_role_id from role_distributions d
        join roles t on t.id = d.target_role_id and ${inheritable(ctx, 't.org_id')}
        where d.role_id = r.id order by t.rank desc, t.id)`,
      orgKinds: sql`coalesce(l.org_kinds, '{}')`,
      maxUsers: sql`l.max_users`,
      version: sql`coalesce(l.version, 0)`,
    },
    ['fixed'],
  )
type Row = Rows<typeof row>
/** The rows all tenants share, or those of the roles a tenant made. */
const matrixOf = (ctx: Ctx, orgId: number = platformOrg): Promise<Row[]> =>
  row(ctx).all(
    ctx.db,
    sql`from ${from(ctx)} left join role_distribution_limits l on l.role_id = r.id
      where ${inheritable(ctx, 'r.org_id')}
        and ${
          orgId === platformOrg
            ? shared
            : sql`r.org_id = ${orgId}
          and ${visible(ctx, 'r.org_id')} and not r.builtin`
        }
      order by r.rank desc, r.builtin desc, r.id`,
  )

export async function read(
  ctx: Ctx,
  input: { orgId?: number | undefined } = {},
): Promise<Output<typeof roles.distribution>> {
  const rows = await matrixOf(ctx, input.orgId)
  const columns = await columnsOf(ctx)
  // a super administrator gives what there is, roles of tomorrow too
  const everything = {
    fixed: true,
    targets: columns.map((other) => other.roleId),
    orgKinds: [...tenantKinds],
  }
  return {
    rows: rows.map(({ code, ...row }) => ({
      ...row,
      fixed: false,
      ...(code === superCode && everything),
    })),
    columns,
    orgKinds: [...tenantKinds],
  }
}

export async function save(
  ctx: Ctx,
  input: Input<typeof roles.distribute>,
): Promise<Output<typeof roles.distribution>> {
  const known = new Map((await matrixOf(ctx, input.orgId)).map((row) => [row.roleId, row]))
  const given = new Map((await columnsOf(ctx)).map((column) => [column.roleId, column]))
  for (const next of input.rows) {
    const row = known.get(next.roleId)
    const targets = next.targets.map((id) => given.get(id))
    if (!row || targets.some((target) => target === undefined)) throw new Refusal(common.notFound)
    if (row.code === superCode) throw new Refusal(roleErrors.superFixed)
    if (targets.some((target) => (target?.rank ?? 0) > row.rank))
      throw new Refusal(roleErrors.cellAbove)
    if (row.adds && !targets.length) throw fieldRefusal(roleErrors.rowEmpty, 'rows')
    await writeRow(ctx, next)
  }
  ctx.audit({
    id: input.rows[0]?.roleId ?? 0,
    name: input.rows.map((next) => known.get(next.roleId)?.name).join('、'),
    before: input.rows.map(({ roleId }) => {
      const { code: role, targets, orgKinds, maxUsers } = known.get(roleId) as Row
      return { role, targets, orgKinds, maxUsers }
    }),
    after: input.rows.map(({ version: _, ...row }) => row),
  })
  ctx.touch('roles')
  return read(ctx, input)
}

type Written = Input<typeof roles.distribute>['rows'][number]
async function writeRow(ctx: Ctx, next: Written): Promise<void> {
  const made = await exists(ctx.db)`
    insert into role_distribution_limits (role_id, org_kinds, max_users)
    select ${next.roleId}, ${next.orgKinds}::text[], ${next.maxUsers} where ${next.version} = 0
    on conflict (role_id) do nothing returning 1`
  if (!made) {
    const { numAffectedRows } = await sql`update role_distribution_limits
        set org_kinds = ${next.orgKinds}::text[], max_users = ${next.maxUsers},
      version = version + 1 where role_id = ${next.roleId} and version = ${next.version}`.execute(
      ctx.db,
    )
    if (!numAffectedRows) throw new Refusal(roleErrors.stale)
  }
  await sql`delete from role_distributions
    where role_id = ${next.roleId} and not target_role_id = any(${next.targets}::bigint[])`.execute(
    ctx.db,
  )
  await sql`insert into role_distributions (role_id, target_role_id)
    select ${next.roleId}::bigint, unnest(${next.targets}::bigint[])
    on conflict do nothing`.execute(ctx.db)
}

/**
 * Rows of built-in roles as in a fresh installation; roles of the platform's making that they may
 * give stay.
 */
export async function restore(ctx: Ctx): Promise<Output<typeof roles.distribution>> {
  const rows = await matrixOf(ctx)
  const ids = new Map(rows.filter((row) => row.builtin).map((row) => [row.code, row]))
  for (const row of ids.values()) {
    const given = distributionOf(row.code)
    const custom = row.targets.filter((id) =>
      rows.some((other) => other.roleId === id && !other.builtin),
    )
    await writeRow(ctx, {
      roleId: row.roleId,
      targets: [...given.targets.flatMap((code) => ids.get(code)?.roleId ?? []), ...custom],
      orgKinds: [...given.kinds],
      maxUsers: null,
      version: row.version,
    })
  }
  ctx.audit({ id: ctx.actor.orgId, name: '内置角色' })
  ctx.touch('roles')
  return read(ctx)
}

/**
 * A role somebody of the platform made enters the rows of his own roles, as far as their rank
 * allows.
 */
export async function addToOwnRows(ctx: Ctx, roleId: number): Promise<void> {
  if (ctx.actor.orgId !== platformOrg) return
  await sql`
    insert into role_distributions (role_id, target_role_id) select own.id, r.id from user_roles ur
    join roles own on own.id = ur.role_id join roles r on r.id = ${roleId}
    where ur.user_id = ${ctx.actor.userId} and own.status = 'ENABLED' and own.rank >= r.rank
    on conflict do nothing`.execute(ctx.db)
}

const given = shape(Beyond, ['user_roles', 'ur'], {
  id: sql`u.id`,
  userName: sql`u.username`,
  name: sql`u.real_name`,
  orgName: sql`o.name`,
  roleName: sql`r.name`,
  grantedBy: sql`g.real_name`,
  createTime: sql`ur.created_at`,
})
/**
 * Users with a role that whoever gave it could not give to anybody now; a change of the matrix does
 * not touch them.
 */
export async function beyond(
  ctx: Ctx,
  input: Input<typeof roles.beyond>,
): Promise<Output<typeof roles.beyond>> {
  const { rows: list, total } = await given.page(ctx.db, {
    from: sql`user_roles ur join users u on u.id = ur.user_id
      join organisations o on o.id = u.org_id join roles r on r.id = ur.role_id
      join users g on g.id = ur.granted_by`,
    input,
    last: sql`ur.user_id, ur.role_id`,
    sort: { createTime: sql`ur.created_at`, userName: sql`lower(u.username)` },
    where: [
      visible(ctx, 'ur.org_id'),
      shared,
      sql`u.deleted_at is null`,
      sql`not exists (select 1 from user_roles gr join roles go on go.id = gr.role_id
        where gr.user_id = g.id and go.status = 'ENABLED'
        and (go.code = ${superCode} or exists (select 1 from role_distributions d
          where d.role_id = go.id and d.target_role_id = r.id)))`,
      input.keyword &&
        sql`strpos(lower(u.username || ' ' || u.real_name), lower(${input.keyword})) > 0`,
    ],
  })
  return { list, total }
}
