import { sql } from 'kysely'
import { z } from 'zod'
import { type Ctx, may, visible } from '../../../server/context.ts'
import { exists, onlyRow, rowOf, rowsOf } from '../../../server/rows.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { regionPrefix } from '../../../shared/place.ts'
import { RoleChip } from '../../users/contract.ts'
import { OrganisationDetail, OrganisationRow, type organisations } from '../contract.ts'
import type { Place as Standing } from '../rules.ts'

/** An organisation shows its principal; the parent only where the actor sees it. */
const from = (ctx: Ctx) => sql`organisations o
  left join users u on u.org_id = o.id and u.is_principal and u.deleted_at is null
  left join organisations p on p.id = o.parent_id and ${visible(ctx, 'p.id')}`
const said = (ctx: Ctx) => ({
  avatar: sql`coalesce(u.avatar, '')`,
  username: sql`coalesce(u.username, '')`,
  realName: sql`coalesce(u.real_name, o.contact_name)`,
  orgCode: sql`o.code`,
  operatorId: sql`p.id`,
  operatorName: sql`coalesce(p.name, '')`,
  phone: sql`o.contact_phone`,
  consumerPhone: sql`o.service_phone`,
  // the path has its ancestors' ids: the second is the one right below the platform
  tenantId: sql`subpath(o.path, least(1, nlevel(o.path) - 1), 1)::text::bigint`,
  deviceCount: sql`(select count(*) from organisations s join devices d on d.org_id = s.id
    where s.path <@ o.path and ${visible(ctx, 'd.org_id', 'd.id')})`,
  childCount: sql`(select count(*) from organisations c where c.parent_id = o.id)`,
  createTime: sql`o.created_at`,
  principalId: sql`u.id`,
  roles: sql`(select coalesce(json_agg(json_build_object('id', r.id, 'code', r.code, 'name', r.name,
    'nameEn', r.name_en) order by r.rank desc, r.id), '[]')
    from user_roles ur join roles r on r.id = ur.role_id where ur.user_id = u.id)`,
})
const made = ['roleName', 'role', 'area', 'can'] as const
const roles = z.array(RoleChip)
const row = (ctx: Ctx) =>
  shape(
    OrganisationRow.extend({ regionCode: z.string(), roles }),
    ['organisations', 'o'],
    said(ctx),
    made,
  )
const detail = (ctx: Ctx) =>
  shape(
    OrganisationDetail.extend({ roles }),
    ['organisations', 'o'],
    { ...said(ctx), principalVersion: sql`u.version` },
    [...made, 'roleIds'],
  )
/** With the whole phone. */
export type Row = Rows<typeof row>
export type Detail = Rows<typeof detail>

/** As `maskedPhone` shows it: whoever reads only that finds by no more. */
const shownPhone = sql`case when length(o.contact_phone) < 8 then ''
  else left(o.contact_phone, 3) || '****' || right(o.contact_phone, 4) end`
const contains = (column: string, words: string) =>
  sql`strpos(lower(${sql.ref(column)}), lower(${words})) > 0`

/** A node of the tree with everything below it, or only what stands directly below. */
function below(ctx: Ctx, input: Pick<Input<typeof organisations.list>, 'parentId' | 'direct'>) {
  if (input.direct) return sql`o.parent_id = ${input.parentId ?? ctx.actor.orgId}`
  return input.parentId
    ? sql`o.path <@ (select path from organisations
      where id = ${input.parentId} and ${visible(ctx, 'id')})`
    : null
}

export const listRows = (ctx: Ctx, input: Input<typeof organisations.list>) =>
  row(ctx).page(ctx.db, {
    from: from(ctx),
    input,
    last: sql`o.id`,
    sort: {
      name: sql`o.name`,
      kind: sql`o.kind`,
      status: sql`o.status`,
      createTime: sql`o.created_at`,
    },
    where: [
      visible(ctx, 'o.id'),
      below(ctx, input),
      input.name && contains('o.name', input.name),
      input.kind && sql`o.kind = ${input.kind}`,
      input.user &&
        sql`(${contains('u.username', input.user)} or ${contains('u.real_name', input.user)})`,
      input.phone &&
        sql`strpos(${may(ctx, 'org:update') ? sql`o.contact_phone` : shownPhone},
          ${input.phone}) > 0`,
      input.roleId &&
        sql`exists (select from user_roles ur
          where ur.user_id = u.id and ur.role_id = ${input.roleId})`,
      input.status && sql`o.status = ${input.status}`,
      input.region && sql`o.region_code like ${`${regionPrefix(input.region)}%`}`,
      input.from &&
        sql`o.created_at >= (${input.from}::date)::timestamp at time zone 'Asia/Shanghai'`,
      input.to &&
        sql`o.created_at < (${input.to}::date + 1)::timestamp at time zone 'Asia/Shanghai'`,
    ],
  })

export const detailRow = (ctx: Ctx, id: number): Promise<Detail | undefined> =>
  detail(ctx).one(ctx.db, sql`from ${from(ctx)} where o.id = ${id} and ${visible(ctx, 'o.id')}`)

export type Place = Standing &
  Pick<OrganisationRow, 'id' | 'name' | 'status' | 'version'> & {
    parentId: number | null
    path: string
  }
/**
 * Where an organisation stands; the agents above are counted by their paths' ids in system rows,
 * which an agent may not see: kinds alone tell nothing. `lock` keeps it there until the end of the
 * transaction.
 */
export async function place(
  ctx: Ctx,
  id: number,
  lock?: 'share' | 'update',
): Promise<Place | undefined> {
  if (lock)
    await sql`select 1 from organisations
      where id = ${id} and ${visible(ctx, 'id')} ${
        lock === 'share'
          ? sql`for share`
          : sql`for
        update`
      }`.execute(ctx.db)
  return rowOf<Place>(ctx.db)`
    select o.id, o.parent_id as "parentId", o.path::text as path, o.kind, o.name, o.status,
      o.version, nlevel(o.path) as depth, organisation_agents(o.path) as agents
    from organisations o where o.id = ${id} and ${visible(ctx, 'o.id')}`
}

/**
 * Height of what stands below, and the longest chain of agents in it, counted from the organisation
 * itself.
 */
export const branch = (ctx: Ctx, path: string): Promise<{ levels: number; agents: number }> =>
  onlyRow<{ levels: number; agents: number }>(ctx.db)`
    select max(nlevel(o.path)) - nlevel(${path}::ltree) + 1 as levels,
      max(organisation_agents(o.path)) - organisation_agents(subpath(${path}::ltree, 0,
        -1)) as agents
    from organisations o where o.path <@ ${path}::ltree`

/** How many organisations the tenant of each place has, also those that the actor does not see. */
export const tenantSizes = (
  ctx: Ctx,
  paths: readonly string[],
): Promise<{ path: string; size: number }[]> =>
  rowsOf<{ path: string; size: number }>(ctx.db)`
    select p as path, organisations_of_tenant(p::ltree) as size
    from unnest(${[...paths]}::text[]) p`

/**
 * Moves take turns: each sees the tree as the one before left it. Two that crossed anyway would
 * meet at the trigger.
 */
export const lockMoves = (ctx: Ctx) =>
  sql`select pg_advisory_xact_lock(hashtextextended('organisations.move', 0))`.execute(ctx.db)
/** Nothing is added below and nothing leaves while the branch moves. */
export const lockBranch = (ctx: Ctx, path: string) =>
  sql`select id from organisations where path <@ ${path}::ltree order by id for update`.execute(
    ctx.db,
  )

export async function moveBranch(ctx: Ctx, from: Place, to: Place): Promise<void> {
  await sql`update organisations o
    set path = ${to.path}::ltree || subpath(o.path, nlevel(${from.path}::ltree) - 1),
      parent_id = case when o.id = ${from.id} then ${to.id} else o.parent_id end,
      version = o.version + case when o.id = ${from.id} then 1 else 0 end, updated_at = ${ctx.now}
    where o.path <@ ${from.path}::ltree`.execute(ctx.db)
  // not at the commit, while the counters of access are held
  await sql`set constraints organisations_path_follows immediate`.execute(ctx.db)
}

export type Reach = { organisations: number; users: number; devices: number; operating: number }
/**
 * What stands at and below some organisations; each counted once, also where one of them stands
 * below another.
 */
export const reach = (ctx: Ctx, ids: readonly number[]): Promise<Reach> =>
  onlyRow<Reach>(ctx.db)`with here as (
      select distinct o.id from organisations top join organisations o on o.path <@ top.path
      where top.id = any(${[...ids]}::bigint[]) and ${visible(ctx, 'o.id')})
    select (select count(*) from here) as organisations,
      (select count(*) from users u
        where u.org_id in (select id from here) and u.status = 'ENABLED') as users,
      (select count(*) from devices d
        where d.org_id in (select id from here) and ${visible(ctx, 'd.org_id', 'd.id')}) as devices,
      (select count(*) from devices d
        where d.org_id in (select id from here) and d.lifecycle = 'OPERATING'
          and ${visible(ctx, 'd.org_id', 'd.id')}) as operating`
export async function idsBelow(ctx: Ctx, ids: readonly number[]): Promise<number[]> {
  const rows = await rowsOf<{ id: number }>(
    ctx.db,
  )`select distinct o.id from organisations top join organisations o on o.path <@ top.path
    where top.id = any(${[...ids]}::bigint[]) and ${visible(ctx, 'o.id')}`
  return rows.map((row) => row.id)
}
export const hasChild = (ctx: Ctx, parentId: number, name: string): Promise<boolean> =>
  exists(ctx.db)`select 1 from organisations
    where parent_id = ${parentId} and name = ${name} and ${visible(ctx, 'id')}`
