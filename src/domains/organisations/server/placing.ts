import { sql } from 'kysely'
import { type Ctx, found } from '../../../server/context.ts'
import { orgsInOrder } from '../../../server/database.ts'
import { rowsOf } from '../../../server/rows.ts'
import { columns, guarding } from '../../../server/shapes.ts'
import { fieldRefusal, reject } from '../../../shared/errors.ts'
import { creatableKinds } from '../../roles/server/assign.ts'
import { type EditOrganisation, type NewOrganisation, organisationErrors } from '../contract.ts'
import { guardRule, mostOfTenant, moveRule, newcomer, placeRule } from '../rules.ts'
import { addPrincipal, checkPictures } from './principal.ts'
import * as q from './queries.ts'
import { usesOf } from './removal.ts'

/** Where organisations come to stand. */

/**
 * Unique names among siblings are the database's to guard: two who add the same name at once meet
 * there.
 */
export const unique = guarding({
  organisations_sibling_name: [organisationErrors.nameTaken, 'name'],
})

export const barTo = ({ actor }: Pick<Ctx, 'actor'>, org: { id: number; kind: q.Place['kind'] }) =>
  guardRule(org, { orgId: actor.orgId, ancestors: actor.scope.ancestors })
export const guard = (ctx: Pick<Ctx, 'actor'>, org: q.Place): void => reject(barTo(ctx, org))

/**
 * Everything that stands against a move but a name that is taken; that one speaks when the row is
 * written, or here for a dry run.
 */
export async function checkMove(ctx: Ctx, org: q.Place, parentId: number): Promise<q.Place> {
  const target = found(await q.place(ctx, parentId))
  const wrong =
    moveRule(org, target) ??
    placeRule(target, { kind: org.kind, ...(await q.branch(ctx, org.path)) })
  if (wrong) throw fieldRefusal(wrong, 'parentId')
  if (tenantPart(target.path) !== tenantPart(org.path))
    await checkRoom(ctx, target, (await q.reach(ctx, [org.id])).organisations)
  const stays = new Set(target.path.split('.'))
  const [, ...above] = org.path.split('.').reverse()
  const what = await usesOf(ctx, org.path, above.filter((id) => !stays.has(id)).map(Number))
  if (what) throw fieldRefusal(organisationErrors.usesAbove, 'parentId', { what })
  return target
}

type Written = Omit<EditOrganisation, 'id' | 'version' | 'principalVersion' | 'roleIds' | 'avatar'>
export const written = ({ realName, phone, consumerPhone, ...org }: Written) => {
  const { name, regionCode, address, lng, lat, licences, creditCode } = org
  const contact = { contactName: realName, contactPhone: phone, servicePhone: consumerPhone }
  return columns('organisations', {
    name,
    ...contact,
    regionCode,
    address,
    lng,
    lat,
    licences,
    creditCode,
  })
}

/** The actor's rows with organisations that were just made among them. */
export function withOrganisations(ctx: Ctx, ids: readonly number[]): Ctx {
  const { scope } = ctx.actor
  return scope.all
    ? ctx
    : { ...ctx, actor: { ...ctx.actor, scope: { ...scope, orgs: [...scope.orgs, ...ids] } } }
}
/** The row policies learn of them for the rest of the transaction. */
export async function joined(ctx: Ctx, ids: readonly number[]): Promise<Ctx> {
  const inside = withOrganisations(ctx, ids)
  if (!inside.actor.scope.all)
    await sql`select set_config('app.orgs', ${orgsInOrder(inside.actor.scope.orgs)},
      true)`.execute(ctx.db)
  return inside
}

/** Ids of organisations to come: their paths hold them. */
export async function newIds(ctx: Ctx, count: number): Promise<number[]> {
  const rows = await rowsOf<{ id: number }>(ctx.db)`
    select nextval(pg_get_serial_sequence('organisations', 'id')) as id
    from generate_series(1, ${count}::int)`
  return rows.map((row) => row.id)
}

/** The first two steps of a path. The platform is nobody's tenant: each below it is one. */
export const tenantPart = (path: string): string => path.split('.').slice(0, 2).join('.')

/** Acts at the same moment do not see each other's: the bound is no number that must be exact. */
async function checkRoom(ctx: Ctx, parent: q.Place, comers: number): Promise<void> {
  const [tenant] = await q.tenantSizes(ctx, [parent.path])
  if (tenant && tenant.size > 0 && tenant.size + comers > mostOfTenant)
    throw fieldRefusal(organisationErrors.tenantFull, 'parentId', { most: mostOfTenant })
}

/** Organisation and principal, all or nothing; who calls writes the log row. */
export async function addOrganisation(
  ctx: Ctx,
  input: Omit<NewOrganisation, 'password' | 'repeat'>,
  passwordHash: string,
): Promise<number> {
  const { parentId, kind, username, roleIds, avatar, ...org } = input
  const parent = found(await q.place(ctx, parentId, 'share'))
  const wrong = placeRule(parent, newcomer(kind))
  if (wrong) throw fieldRefusal(wrong, wrong === organisationErrors.tooDeep ? 'parentId' : 'kind')
  if (!(await creatableKinds(ctx)).includes(kind))
    throw fieldRefusal(organisationErrors.kindNotYours, 'kind')
  await checkRoom(ctx, parent, 1)
  await checkPictures(ctx, [avatar, ...org.licences])
  const id = (await newIds(ctx, 1))[0] as number
  const inside = await joined(ctx, [id])
  const values = {
    ...written(org),
    id,
    parent_id: parentId,
    path: `${parent.path}.${id}`,
    kind,
    created_at: ctx.now,
    updated_at: ctx.now,
  }
  await unique(ctx.db.insertInto('organisations').values(values).execute())
  const { realName, phone, consumerPhone, address, regionCode } = org
  const person = {
    username,
    realName,
    phone,
    consumerPhone,
    address,
    regionCode,
    avatar,
    roleIds,
    departmentId: null,
  }
  await addPrincipal(inside, {
    ...person,
    orgId: id,
    passwordHash,
    isPrincipal: true,
    mustChangePassword: true,
  })
  ctx.touch('organisations')
  return id
}
