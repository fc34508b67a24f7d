import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may } from '../../../server/context.ts'
import { requireProof } from '../../../server/proof.ts'
import { columns, deleteVersion, guarding, updateVersion } from '../../../server/shapes.ts'
import { common, fieldRefusal, reject } from '../../../shared/errors.ts'
import { placeName, regionPath } from '../../../shared/regions.ts'
import { newOwner } from '../../accounts/server/owner.ts'
import { configsChanged } from '../../payment-channels/server/configs.ts'
import { type StoreFields, type StoreRow, storeErrors, type stores } from '../contract.ts'
import { ownerRule, removable } from '../rules.ts'
import * as q from './queries.ts'

type Contract = typeof stores
type Read = NonNullable<Awaited<ReturnType<typeof q.row>>>

const shown = (ctx: Ctx, store: Read): StoreRow => ({
  ...store,
  regionName: placeName(store.county),
  can: {
    update: may(ctx, 'store:update'),
    delete: may(ctx, 'store:delete') && removable(store) === null,
  },
})
const get = async (ctx: Ctx, id: number) => shown(ctx, found(await q.row(ctx, id)))

/** The database guards what is unique: stores of others are not seen. */
const unique = guarding({
  stores_org_id_store_name_key: [storeErrors.nameTaken, 'storeName'],
  stores_system: [storeErrors.systemTaken, 'systemId'],
})
const written = (store: StoreFields) =>
  columns('stores', { ...store, systemId: store.systemId || null })

async function checked(
  ctx: Ctx,
  store: StoreFields,
  orgId: number,
  before: number | null = null,
): Promise<void> {
  if (store.county && regionPath(store.county).length < 3)
    throw fieldRefusal(storeErrors.unknownRegion, 'county')
  if (store.userId !== null && !(await q.belongs(ctx, store.userId, orgId)))
    throw fieldRefusal(storeErrors.wrongPerson, 'userId')
  // one of an organisation above stays though he does not see it
  const { paymentConfigId } = store
  if (paymentConfigId === before) return
  await checkPayee(ctx, paymentConfigId, orgId)
}
/** Where a store is paid is moved by whoever may move money, and only to where it arrives. */
async function checkPayee(ctx: Ctx, configId: number | null, orgId: number): Promise<void> {
  if (!may(ctx, 'payment-config:update')) throw fieldRefusal(common.forbidden, 'paymentConfigId')
  if (configId !== null) {
    const state = await q.collects(ctx, configId, orgId)
    if (state === null) throw fieldRefusal(storeErrors.wrongMerchant, 'paymentConfigId')
    if (state !== 'ACTIVE') throw fieldRefusal(storeErrors.inactiveMerchant, 'paymentConfigId')
  }
  await requireProof(ctx.app, ctx.actor)
}

const create: Handlers<Contract>['create'] = async (ctx, { orgId, ...store }) => {
  const owner = await newOwner(ctx, orgId ?? ctx.actor.orgId)
  const wrong = ownerRule(owner.kind)
  if (wrong) throw fieldRefusal(wrong, 'orgId')
  await checked(ctx, store, owner.id)
  const values = { ...written(store), org_id: owner.id, created_at: ctx.now }
  const { id } = await unique(
    ctx.db.insertInto('stores').values(values).returning('id').executeTakeFirstOrThrow(),
  )
  const after = await get(ctx, id)
  ctx.audit({ id, name: after.storeName, after, orgId: owner.id })
  ctx.touch('stores')
  return after
}

const update: Handlers<Contract>['update'] = async (ctx, { id, version, ...store }) => {
  const before = await get(ctx, id)
  await checked(ctx, store, before.orgId, before.paymentConfigId)
  await unique(updateVersion(ctx, 'stores', { id, version }, written(store)))
  const after = await get(ctx, id)
  ctx.audit({ id, name: after.storeName, before, after, orgId: before.orgId })
  if (after.paymentConfigId !== before.paymentConfigId)
    ctx.afterCommit(() => configsChanged(ctx.app))
  ctx.touch('stores')
  return after
}

const remove: Handlers<Contract>['remove'] = async (ctx, { id, version }) => {
  found(await q.row(ctx, id))
  await q.lock(ctx, id)
  const before = await get(ctx, id)
  reject(removable(before), { n: before.deviceCount })
  await deleteVersion(ctx, 'stores', { id, version })
  ctx.audit({ id, name: before.storeName, before, orgId: before.orgId })
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
