import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may, visible } from '../../../server/context.ts'
import { onlyRow, rowOf } from '../../../server/rows.ts'
import { columns, guarding, shape, updateVersion } from '../../../server/shapes.ts'
import { common, Refusal, reject } from '../../../shared/errors.ts'
import * as f from '../../../shared/fields.ts'
import { departmentErrors, type users } from '../contract.ts'
import { DepartmentRow, mostDepartments } from '../departments.ts'
import { placeRule } from '../rules.ts'

const department = shape(DepartmentRow, ['departments', 'd'], {
  userCount: sql`(select count(*) from users u where u.department_id = d.id)`,
})
const known = shape(
  DepartmentRow.pick({ id: true, parentId: true, name: true, sort: true }).extend({ orgId: f.id }),
  ['departments', 'd'],
  {},
)

async function seen(ctx: Ctx, orgId: number): Promise<void> {
  found(
    await rowOf(
      ctx.db,
    )`select 1 from organisations o where o.id = ${orgId} and ${visible(ctx, 'o.id')}`,
  )
}

/** Parents before children, brothers by their sort. */
const tree = (ctx: Ctx, orgId: number): Promise<DepartmentRow[]> =>
  department.all(
    ctx.db,
    sql`from (with recursive t as (
        select d.*, 1 as depth from departments d where d.org_id = ${orgId} and d.parent_id is null
        union all select d.*, t.depth + 1 from departments d join t on d.parent_id = t.id)
      select * from t) d order by d.depth, d.sort, d.id limit ${mostDepartments}`,
  )

/**
 * Changes of one organisation's tree wait for each other: two moves that are fine alone may make a
 * circle together.
 */
const lockTree = (ctx: Ctx, orgId: number) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`departments ${orgId}`}, 0))`.execute(ctx.db)

const one = async (ctx: Ctx, id: number) =>
  found(
    await known.one(
      ctx.db,
      sql`from departments d where d.id = ${id} and ${visible(ctx, 'd.org_id')}`,
    ),
  )

const unique = guarding({
  departments_org_id_parent_id_name_key: [departmentErrors.departmentNameTaken, 'name'],
})

/** The parent is of the same organisation, else it is not there. */
async function checkPlace(
  ctx: Ctx,
  orgId: number,
  id: number | null,
  parentId: number | null,
): Promise<void> {
  await lockTree(ctx, orgId)
  const all = await tree(ctx, orgId)
  if (parentId !== null && !all.some((department) => department.id === parentId))
    throw new Refusal(common.notFound)
  reject(placeRule(all, id, parentId))
  if (id === null && all.length >= mostDepartments) throw new Refusal(common.refused)
}

export const departments = {
  async departments(ctx, { orgId = ctx.actor.orgId }) {
    await seen(ctx, orgId)
    return { list: await tree(ctx, orgId), can: { update: may(ctx, 'department:update') } }
  },

  async createDepartment(ctx, input) {
    const { orgId = ctx.actor.orgId, parentId, name, sort } = input
    await seen(ctx, orgId)
    await checkPlace(ctx, orgId, null, parentId)
    const values = {
      ...columns('departments', { orgId, parentId, name, sort }),
      created_at: ctx.now,
    }
    const { id } = await unique(
      ctx.db.insertInto('departments').values(values).returning('id').executeTakeFirstOrThrow(),
    )
    ctx.audit({ id, name, after: input, orgId })
    ctx.touch('departments')
    return { id }
  },

  async updateDepartment(ctx, { id, version, ...after }) {
    const { orgId, parentId, name, sort } = await one(ctx, id)
    await checkPlace(ctx, orgId, id, after.parentId)
    await unique(updateVersion(ctx, 'departments', { id, version }, columns('departments', after)))
    ctx.audit({ id, name: after.name, before: { parentId, name, sort }, after, orgId })
    ctx.touch('departments')
    return { ok: true }
  },

  async removeDepartment(ctx, { id }) {
    const { orgId, name, parentId } = await one(ctx, id)
    await lockTree(ctx, orgId)
    const held = await onlyRow<{ users: boolean; children: boolean }>(
      ctx.db,
    )`select exists (select from users where department_id = ${id}) as users,
      exists (select from departments where parent_id = ${id}) as children`
    if (held.children) throw new Refusal(departmentErrors.departmentHasChildren)
    if (held.users) throw new Refusal(departmentErrors.departmentHasUsers)
    // somebody who is put into it meanwhile holds the row: the foreign key answers "in use"
    found(await rowOf(ctx.db)`delete from departments where id = ${id} returning id`)
    ctx.audit({ id, name, before: { name, parentId }, orgId })
    ctx.touch('departments')
    return { ok: true }
  },
} satisfies Partial<Handlers<typeof users>>
