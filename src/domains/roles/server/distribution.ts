import { sql } from 'kysely'
import { type Ctx, inheritable, iso, visible } from '../../../server/context.ts'
import { selectPage } from '../../../server/lists.ts'
import type { Input, Output } from '../../../shared/contract.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { distributionOf, orgKinds } from '../../accounts/roles.ts'
import { platformOrg } from '../../settings/server/values.ts'
import type { DistributionRow, roles } from '../contract.ts'
import { roleErrors, superCode } from '../rules.ts'

/** The matrix of /system/createroledistribute: who may give which roles when adding users. It belongs to the platform. */

type Row = Omit<DistributionRow, 'roleId' | 'nameEn' | 'orgName' | 'orgKinds' | 'maxUsers' | 'fixed'> & {
  id: number
  code: string
  name_en: string
  org_name: string
  org_kinds: string[]
  max_users: number | null
}

type Column = Pick<Row, 'id' | 'code' | 'name' | 'name_en' | 'rank' | 'builtin' | 'org_name'>
/** Built-in roles and those the platform made: what rows all tenants share may give. A tenant's own are given by whoever holds what is in them. */
const shared = sql<boolean>`(r.builtin or r.org_id = ${platformOrg})`

async function columnsOf(ctx: Ctx): Promise<Column[]> {
  const { rows } = await sql<Column>`select r.id, r.code, r.name, r.name_en, r.rank, r.builtin, coalesce(o.name, '') as org_name
    from roles r left join organisations o on o.id = r.org_id and ${visible(ctx, 'o.id')} where ${inheritable(ctx, 'r.org_id')} and ${shared} order by r.rank desc, r.builtin desc, r.id`.execute(
    ctx.db,
  )
  return rows
}

/** The rows all tenants share, or those of the roles a tenant made. */
async function rowsOf(ctx: Ctx, orgId?: number): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select r.id, r.code, r.name, r.name_en, r.rank, r.builtin, coalesce(o.name, '') as org_name, coalesce(l.org_kinds, '{}') as org_kinds, l.max_users, coalesce(l.version, 0) as version,
      exists (select 1 from role_permissions p where p.role_id = r.id and p.permission_code = 'user:create') as adds,
      array(select d.target_role_id from role_distributions d join roles t on t.id = d.target_role_id and ${inheritable(ctx, 't.org_id')} where d.role_id = r.id order by t.rank desc, t.id) as targets
    from roles r left join organisations o on o.id = r.org_id and ${visible(ctx, 'o.id')} left join role_distribution_limits l on l.role_id = r.id
    where ${inheritable(ctx, 'r.org_id')} and ${orgId === undefined || orgId === platformOrg ? shared : sql`r.org_id = ${orgId} and ${visible(ctx, 'r.org_id')} and not r.builtin`}
    order by r.rank desc, r.builtin desc, r.id`.execute(ctx.db)
  return rows
}

const shown = (rows: readonly Row[], columns: readonly Column[]): Output<typeof roles.distribution> => ({
  rows: rows.map((row) => ({
    roleId: row.id,
    name: row.name,
    nameEn: row.name_en,
    rank: row.rank,
    builtin: row.builtin,
    orgName: row.org_name,
    adds: row.adds,
    fixed: row.code === superCode,
    // a super administrator gives what there is, roles of tomorrow too
    targets: row.code === superCode ? columns.map((other) => other.id) : row.targets,
    orgKinds: (row.code === superCode ? [...orgKinds] : row.org_kinds) as DistributionRow['orgKinds'],
    maxUsers: row.max_users,
    version: row.version,
  })),
  columns: columns.map((column) => ({ roleId: column.id, name: column.name, nameEn: column.name_en, rank: column.rank, orgName: column.org_name })),
  orgKinds: [...orgKinds],
})

export const read = async (ctx: Ctx, input: Input<typeof roles.distribution>) => shown(await rowsOf(ctx, input.orgId), await columnsOf(ctx))

export async function save(ctx: Ctx, input: Input<typeof roles.distribute>): Promise<Output<typeof roles.distribution>> {
  const known = new Map((await rowsOf(ctx, input.orgId)).map((row) => [row.id, row]))
  const columns = await columnsOf(ctx)
  const given = new Map(columns.map((column) => [column.id, column]))
  const before = input.rows.map((next) => known.get(next.roleId))
  for (const next of input.rows) {
    const row = known.get(next.roleId)
    const targets = next.targets.map((id) => given.get(id))
    if (!row || targets.some((target) => target === undefined)) throw new Refusal(common.notFound)
    if (row.code === superCode) throw new Refusal(roleErrors.superFixed)
    if (targets.some((target) => (target?.rank ?? 0) > row.rank)) throw new Refusal(roleErrors.cellAbove)
    if (row.adds && !targets.length) throw new Refusal(roleErrors.rowEmpty, {}, [{ field: 'rows', text: roleErrors.rowEmpty.text }])
    await writeRow(ctx, next)
  }
  ctx.audit({
    id: input.rows[0]?.roleId ?? 0,
    name: input.rows.map((next) => known.get(next.roleId)?.name).join('、'),
    before: before.map((row) => row && { role: row.code, targets: row.targets, orgKinds: row.org_kinds, maxUsers: row.max_users }),
    after: input.rows.map(({ version: _, ...row }) => row),
  })
  ctx.touch('roles')
  return shown(await rowsOf(ctx, input.orgId), columns)
}

type Written = Input<typeof roles.distribute>['rows'][number]
async function writeRow(ctx: Ctx, next: Written): Promise<void> {
  const { rows } = await sql`
    insert into role_distribution_limits (role_id, org_kinds, max_users) select ${next.roleId}, ${next.orgKinds}::text[], ${next.maxUsers} where ${next.version} = 0
    on conflict (role_id) do nothing returning 1`.execute(ctx.db)
  if (!rows.length) {
    const changed = await ctx.db
      .updateTable('role_distribution_limits')
      .set((eb) => ({ org_kinds: next.orgKinds, max_users: next.maxUsers, version: eb('version', '+', 1) }))
      .where('role_id', '=', next.roleId)
      .where('version', '=', next.version)
      .executeTakeFirst()
    if (!changed.numUpdatedRows) throw new Refusal(roleErrors.stale)
  }
  await sql`delete from role_distributions where role_id = ${next.roleId} and not target_role_id = any(${next.targets}::bigint[])`.execute(ctx.db)
  await sql`insert into role_distributions (role_id, target_role_id) select ${next.roleId}::bigint, unnest(${next.targets}::bigint[]) on conflict do nothing`.execute(
    ctx.db,
  )
}

/** Rows of built-in roles as in a fresh installation; roles of the platform's making that they may give stay. */
export async function restore(ctx: Ctx): Promise<Output<typeof roles.distribution>> {
  const rows = await rowsOf(ctx)
  const ids = new Map(rows.filter((row) => row.builtin).map((row) => [row.code, row]))
  for (const row of ids.values()) {
    const given = distributionOf(row.code)
    const custom = row.targets.filter((id) => rows.some((other) => other.id === id && !other.builtin))
    await writeRow(ctx, {
      roleId: row.id,
      targets: [...given.targets.flatMap((code) => ids.get(code)?.id ?? []), ...custom],
      orgKinds: [...given.kinds],
      maxUsers: null,
      version: row.version,
    })
  }
  ctx.audit({ id: ctx.actor.orgId, name: '内置角色' })
  ctx.touch('roles')
  return shown(await rowsOf(ctx), await columnsOf(ctx))
}

/** A role somebody of the platform made enters the rows of his own roles, as far as their rank allows. */
export async function addToOwnRows(ctx: Ctx, roleId: number): Promise<void> {
  if (ctx.actor.orgId !== platformOrg) return
  await sql`
    insert into role_distributions (role_id, target_role_id) select own.id, r.id from user_roles ur join roles own on own.id = ur.role_id join roles r on r.id = ${roleId}
    where ur.user_id = ${ctx.actor.userId} and own.status = 'ENABLED' and own.rank >= r.rank on conflict do nothing`.execute(ctx.db)
}

/** Users with a role that whoever gave it could not give to anybody now; a change of the matrix does not touch them. */
export async function beyond(ctx: Ctx, input: Input<typeof roles.beyond>): Promise<Output<typeof roles.beyond>> {
  const { rows, total } = await selectPage<{
    id: number
    username: string
    real_name: string
    org_name: string
    role_name: string
    granted_by: string
    created_at: Date
  }>(ctx.db, {
    columns: sql`u.id, u.username, u.real_name, o.name as org_name, r.name as role_name, g.real_name as granted_by, ur.created_at`,
    from: sql`user_roles ur join users u on u.id = ur.user_id join organisations o on o.id = u.org_id join roles r on r.id = ur.role_id join users g on g.id = ur.granted_by`,
    input,
    last: sql`ur.user_id, ur.role_id`,
    sort: { createTime: sql`ur.created_at`, userName: sql`lower(u.username)` },
    where: [
      visible(ctx, 'ur.org_id'),
      shared,
      sql`u.deleted_at is null`,
      sql`not exists (select 1 from user_roles gr join roles go on go.id = gr.role_id where gr.user_id = g.id and go.status = 'ENABLED'
        and (go.code = ${superCode} or exists (select 1 from role_distributions d where d.role_id = go.id and d.target_role_id = r.id)))`,
      input.keyword && sql`strpos(lower(u.username || ' ' || u.real_name), lower(${input.keyword})) > 0`,
    ],
  })
  return {
    list: rows.map((row) => ({
      id: row.id,
      userName: row.username,
      name: row.real_name,
      orgName: row.org_name,
      roleName: row.role_name,
      grantedBy: row.granted_by,
      createTime: iso(row.created_at),
    })),
    total,
  }
}
