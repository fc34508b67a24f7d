import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may, visible } from '../../../server/context.ts'
import { common, Refusal, reject } from '../../../shared/errors.ts'
import { departmentErrors, type users } from '../contract.ts'
import { type DepartmentRow, mostDepartments } from '../departments.ts'
import { placeRule } from '../rules.ts'

type Contract = typeof users
type Row = DepartmentRow & { depth: number }

async function seen(ctx: Ctx, orgId: number): Promise<void> {
  found((await sql`select 1 from organisations o where o.id = ${orgId} and ${visible(ctx, 'o.id')}`.execute(ctx.db)).rows[0])
}

/** Parents before children, brothers by their sort. */
async function tree(ctx: Ctx, orgId: number): Promise<DepartmentRow[]> {
  const { rows } = await sql<Row>`
    with recursive t as (
      select d.*, 1 as depth from departments d where d.org_id = ${orgId} and d.parent_id is null
      union all select d.*, t.depth + 1 from departments d join t on d.parent_id = t.id)
    select t.id, t.parent_id as "parentId", t.name, t.sort, t.version, t.depth,
      (select count(*) from users u where u.department_id = t.id) as "userCount"
    from t order by t.depth, t.sort, t.id limit ${mostDepartments}`.execute(ctx.db)
  return rows.map(({ depth: _, ...row }) => row)
}

/** Changes of one organisation's tree wait for each other: two moves that are fine alone may make a circle together. */
const lockTree = (ctx: Ctx, orgId: number) => sql`select pg_advisory_xact_lock(hashtextextended(${`departments ${orgId}`}, 0))`.execute(ctx.db)

export const departments: Handlers<Contract>['departments'] = async (ctx, input) => {
  const orgId = input.orgId ?? ctx.actor.orgId
  await seen(ctx, orgId)
  return { list: await tree(ctx, orgId), can: { update: may(ctx, 'department:update') } }
}

type Known = { id: number; org_id: number; parent_id: number | null; name: string; sort: number }
async function known(ctx: Ctx, id: number): Promise<Known> {
  const { rows } =
    await sql<Known>`select d.id, d.org_id, d.parent_id, d.name, d.sort from departments d where d.id = ${id} and ${visible(ctx, 'd.org_id')}`.execute(ctx.db)
  return found(rows[0])
}

async function unique<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if ((error as { code?: string }).code !== '23505') throw error
    throw new Refusal(departmentErrors.departmentNameTaken, {}, [{ field: 'name', text: departmentErrors.departmentNameTaken.text }])
  }
}

/** The parent is of the same organisation, else it is not there. */
async function checkPlace(ctx: Ctx, orgId: number, id: number | null, parentId: number | null): Promise<void> {
  await lockTree(ctx, orgId)
  const all = await tree(ctx, orgId)
  if (parentId !== null && !all.some((department) => department.id === parentId)) throw new Refusal(common.notFound)
  reject(placeRule(all, id, parentId))
  if (id === null && all.length >= mostDepartments) throw new Refusal(common.refused)
}

export const createDepartment: Handlers<Contract>['createDepartment'] = async (ctx, input) => {
  const orgId = input.orgId ?? ctx.actor.orgId
  await seen(ctx, orgId)
  await checkPlace(ctx, orgId, null, input.parentId)
  const values = { org_id: orgId, parent_id: input.parentId, name: input.name, sort: input.sort, created_at: ctx.now }
  const { id } = await unique(ctx.db.insertInto('departments').values(values).returning('id').executeTakeFirstOrThrow())
  ctx.audit({ id, name: input.name, after: input, orgId })
  ctx.touch('departments')
  return { id }
}

export const updateDepartment: Handlers<Contract>['updateDepartment'] = async (ctx, input) => {
  const before = await known(ctx, input.id)
  await checkPlace(ctx, before.org_id, input.id, input.parentId)
  const changed = await unique(
    ctx.db
      .updateTable('departments')
      .set((eb) => ({ parent_id: input.parentId, name: input.name, sort: input.sort, version: eb('version', '+', 1) }))
      .where('id', '=', input.id)
      .where('version', '=', input.version)
      .executeTakeFirst(),
  )
  if (!changed.numUpdatedRows) throw new Refusal(common.stale)
  const after = { parentId: input.parentId, name: input.name, sort: input.sort }
  ctx.audit({ id: input.id, name: input.name, before: { parentId: before.parent_id, name: before.name, sort: before.sort }, after, orgId: before.org_id })
  ctx.touch('departments')
  return { ok: true as const }
}

export const removeDepartment: Handlers<Contract>['removeDepartment'] = async (ctx, input) => {
  const department = await known(ctx, input.id)
  await lockTree(ctx, department.org_id)
  const { rows } = await sql<{ users: boolean; children: boolean }>`
    select exists (select from users where department_id = ${input.id}) as users, exists (select from departments where parent_id = ${input.id}) as children`.execute(
    ctx.db,
  )
  if (rows[0]?.children) throw new Refusal(departmentErrors.departmentHasChildren)
  if (rows[0]?.users) throw new Refusal(departmentErrors.departmentHasUsers)
  // somebody who is put into it meanwhile holds the row: the foreign key answers "in use"
  await ctx.db.deleteFrom('departments').where('id', '=', input.id).execute()
  ctx.audit({ id: input.id, name: department.name, before: { name: department.name, parentId: department.parent_id }, orgId: department.org_id })
  ctx.touch('departments')
  return { ok: true as const }
}
