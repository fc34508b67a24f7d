import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, iso, may } from '../../../server/context.ts'
import { common, type ErrorDef, Refusal, reject } from '../../../shared/errors.ts'
import { placeName, regionPath } from '../../../shared/regions.ts'
import { type StoreFields, type StoreRow, storeErrors, type stores } from '../contract.ts'
import { ownerRule, removable } from '../rules.ts'
import * as q from './queries.ts'

type Contract = typeof stores

const shown = (ctx: Ctx, s: q.Row): StoreRow => ({
  id: s.id,
  storeName: s.store_name,
  systemId: s.system_id ?? '',
  orgId: s.org_id,
  orgName: s.org_name,
  userId: s.user_id,
  userName: s.user_name ?? '',
  regionName: placeName(s.county),
  county: s.county,
  address: s.address,
  lng: s.lng,
  lat: s.lat,
  deviceCount: s.devices,
  version: s.version,
  createTime: iso(s.created_at),
  can: { update: may(ctx, 'store:update'), delete: may(ctx, 'store:delete') && removable(s) === null },
})
const get = async (ctx: Ctx, id: number): Promise<StoreRow> => shown(ctx, found(await q.row(ctx, id)))
const at = (def: ErrorDef, field: string) => new Refusal(def, {}, [{ field, text: def.text }])

/** The database guards what is unique: stores of others are not seen. */
async function unique<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const { constraint } = error as { constraint?: string }
    if (constraint === 'stores_org_id_store_name_key') throw at(storeErrors.nameTaken, 'storeName')
    if (constraint === 'stores_system') throw at(storeErrors.systemTaken, 'systemId')
    throw error
  }
}

async function checked(ctx: Ctx, store: StoreFields, orgId: number): Promise<void> {
  if (store.county && regionPath(store.county).length < 3) throw at(storeErrors.unknownRegion, 'county')
  if (store.userId !== null && !(await q.belongs(ctx, store.userId, orgId))) throw at(storeErrors.wrongPerson, 'userId')
}

const create: Handlers<Contract>['create'] = async (ctx, { orgId, ...store }) => {
  const owner = found(await q.owner(ctx, orgId ?? ctx.actor.orgId))
  const wrong = ownerRule(owner.kind)
  if (wrong) throw at(wrong, 'orgId')
  await checked(ctx, store, owner.id)
  const { id } = await unique(
    ctx.db
      .insertInto('stores')
      .values({ org_id: owner.id, created_at: ctx.now, ...q.columnsOf(store) })
      .returning('id')
      .executeTakeFirstOrThrow(),
  )
  const after = await get(ctx, id)
  ctx.audit({ id, name: after.storeName, after, orgId: owner.id })
  ctx.touch('stores')
  return after
}

const update: Handlers<Contract>['update'] = async (ctx, { id, version, ...store }) => {
  const before = await get(ctx, id)
  await checked(ctx, store, before.orgId)
  const changed = await unique(
    ctx.db
      .updateTable('stores')
      .set((eb) => ({ ...q.columnsOf(store), version: eb('version', '+', 1) }))
      .where('id', '=', id)
      .where('version', '=', version)
      .executeTakeFirst(),
  )
  if (!changed.numUpdatedRows) throw new Refusal(common.stale)
  const after = await get(ctx, id)
  ctx.audit({ id, name: after.storeName, before, after, orgId: before.orgId })
  ctx.touch('stores')
  return after
}

const remove: Handlers<Contract>['remove'] = async (ctx, input) => {
  found(await q.row(ctx, input.id))
  await q.lock(ctx, input.id)
  const store = found(await q.row(ctx, input.id))
  reject(removable(store), { n: store.devices })
  const gone = await ctx.db.deleteFrom('stores').where('id', '=', input.id).where('version', '=', input.version).executeTakeFirst()
  if (!gone.numDeletedRows) throw new Refusal(common.stale)
  ctx.audit({ id: input.id, name: store.store_name, before: shown(ctx, store), orgId: store.org_id })
  ctx.touch('stores')
  return { ok: true as const }
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    return { list: rows.map((row) => shown(ctx, row)), total }
  },
  options: async (ctx, input) => ({ list: await q.options(ctx, input.orgId) }),
  people: async (ctx, input) => ({ list: await q.people(ctx, input.orgId) }),
  create,
  update,
  remove,
}
