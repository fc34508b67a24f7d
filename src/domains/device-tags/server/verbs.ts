import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may } from '../../../server/context.ts'
import { columns, deleteVersion, guarding, updateVersion } from '../../../server/shapes.ts'
import { fieldRefusal } from '../../../shared/errors.ts'
import { newOwner } from '../../accounts/server/owner.ts'
import { type DeviceTagRow, deviceTagErrors, type deviceTags } from '../contract.ts'
import { ownerRule } from '../rules.ts'
import * as q from './queries.ts'

type Contract = typeof deviceTags

const shown = (ctx: Ctx, row: q.Row): DeviceTagRow => ({
  ...row,
  can: { update: may(ctx, 'device-tag:update'), delete: may(ctx, 'device-tag:delete') },
})
const get = async (ctx: Ctx, id: number) => shown(ctx, found(await q.row(ctx, id)))

/** The database guards what is unique: rows of others are not seen. */
const unique = guarding({ device_tags_org_id_name_key: [deviceTagErrors.nameTaken, 'name'] })

const create: Handlers<Contract>['create'] = async (ctx, { orgId, ...fields }) => {
  const owner = await newOwner(ctx, orgId ?? ctx.actor.orgId)
  const wrong = ownerRule(owner.kind)
  if (wrong) throw fieldRefusal(wrong, 'orgId')
  const values = { ...columns('device_tags', fields), org_id: owner.id, created_at: ctx.now }
  const { id } = await unique(
    ctx.db.insertInto('device_tags').values(values).returning('id').executeTakeFirstOrThrow(),
  )
  const after = await get(ctx, id)
  ctx.audit({ id, name: after.name, after, orgId: owner.id })
  ctx.touch('device-tags')
  return after
}

const update: Handlers<Contract>['update'] = async (ctx, { id, version, ...fields }) => {
  const before = await get(ctx, id)
  await unique(updateVersion(ctx, 'device_tags', { id, version }, columns('device_tags', fields)))
  const after = await get(ctx, id)
  ctx.audit({ id, name: after.name, before, after, orgId: before.orgId })
  ctx.touch('device-tags')
  return after
}

const remove: Handlers<Contract>['remove'] = async (ctx, { id, version }) => {
  const before = await get(ctx, id)
  await deleteVersion(ctx, 'device_tags', { id, version })
  ctx.audit({ id, name: before.name, before, orgId: before.orgId })
  ctx.touch('device-tags')
  return { ok: true as const }
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    return { list: rows.map((row) => shown(ctx, row)), total }
  },
  options: async (ctx, { orgId }) => ({ list: await q.options(ctx, orgId) }),
  create,
  update,
  remove,
}
