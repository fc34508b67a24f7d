import { sql } from 'kysely'
import { type Ctx, found } from '../../../server/context.ts'
import { creatableKinds } from '../../roles/server/assign.ts'
import { type EditOrganisation, type NewOrganisation, organisationErrors } from '../contract.ts'
import { newcomer } from '../rules.ts'
import { checkPlace, fieldRefusal, unique } from './placing.ts'
import { addPrincipal, checkPictures } from './principal.ts'
import * as q from './queries.ts'

export const columnsOf = (input: Omit<NewOrganisation | EditOrganisation, 'id'>) => ({
  name: input.name,
  contact_name: input.realName,
  contact_phone: input.phone,
  service_phone: input.consumerPhone,
  region_code: input.regionCode,
  address: input.address,
  lng: input.lng,
  lat: input.lat,
  licences: input.licences,
  credit_code: input.creditCode,
})

/** The actor's rows with organisations that were just made among them. */
export function withOrganisations(ctx: Ctx, ids: readonly number[]): Ctx {
  const { scope } = ctx.actor
  return scope.all ? ctx : { ...ctx, actor: { ...ctx.actor, scope: { ...scope, orgs: [...scope.orgs, ...ids] } } }
}
/** The row policies learn of them for the rest of the transaction. */
export async function joined(ctx: Ctx, ids: readonly number[]): Promise<Ctx> {
  const inside = withOrganisations(ctx, ids)
  if (!inside.actor.scope.all) await sql`select set_config('app.orgs', ${`{${inside.actor.scope.orgs.join(',')}}`}, true)`.execute(ctx.db)
  return inside
}

/** Organisation and principal, all or nothing; who calls writes the log row. */
export async function addOrganisation(ctx: Ctx, input: Omit<NewOrganisation, 'password' | 'repeat'>, passwordHash: string): Promise<number> {
  const parent = found(await q.place(ctx, input.parentId, 'share'))
  checkPlace(parent, newcomer(input.kind))
  if (!(await creatableKinds(ctx)).includes(input.kind)) throw fieldRefusal(organisationErrors.kindNotYours, 'kind')
  await checkPictures(ctx, [input.avatar, ...input.licences].filter(Boolean), [])
  const { rows } = await sql<{ id: number }>`select nextval(pg_get_serial_sequence('organisations', 'id')) as id`.execute(ctx.db)
  const { id } = found(rows[0])
  const inside = await joined(ctx, [id])
  await unique(
    ctx.db
      .insertInto('organisations')
      .values({ id, parent_id: parent.id, path: `${parent.path}.${id}`, kind: input.kind, created_at: ctx.now, updated_at: ctx.now, ...columnsOf(input) })
      .execute(),
  )
  await addPrincipal(inside, {
    orgId: id,
    username: input.username,
    passwordHash,
    realName: input.realName,
    phone: input.phone,
    consumerPhone: input.consumerPhone,
    address: input.address,
    avatar: input.avatar,
    roleIds: input.roleIds,
    regionCode: input.regionCode,
    departmentId: null,
    isPrincipal: true,
    mustChangePassword: true,
  })
  ctx.touch('organisations')
  return id
}
