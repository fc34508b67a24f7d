import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may, owns, visible } from '../../../server/context.ts'
import { rowOf } from '../../../server/rows.ts'
import { columns, guarding, updateVersion } from '../../../server/shapes.ts'
import { common, Refusal, reject } from '../../../shared/errors.ts'
import { missingPictures } from '../../files/server/pictures.ts'
import { deviceTypeErrors, type deviceTypes, type NewType, type TypeRow } from '../contract.ts'
import { changeRule, removable, screenRule } from '../rules.ts'
import * as q from './queries.ts'

type Contract = typeof deviceTypes

function shown(ctx: Ctx, { orgId, ...type }: q.Row): TypeRow {
  const owned = owns(ctx, orgId)
  return {
    ...type,
    can: {
      update: owned && may(ctx, 'device-type:update'),
      delete: owned && may(ctx, 'device-type:delete') && removable(type) === null,
    },
  }
}

/** A type of an organisation above may be used, not changed: 404 as for a foreign one. */
const own = async (ctx: Ctx, id: number): Promise<q.Row> => {
  const type = found(await q.row(ctx, id))
  if (!owns(ctx, type.orgId)) throw new Refusal(common.notFound)
  return type
}

const unique = guarding({ device_types_org_id_name_key: [deviceTypeErrors.nameTaken, 'name'] })
/** A picture somebody else uploaded answers like a missing one. */
async function checkPicture(ctx: Ctx, { img }: NewType, held = ''): Promise<void> {
  if (
    img !== held &&
    (await missingPictures(ctx, img ? [img] : [], visible(ctx, 'u.org_id'))).length
  )
    throw new Refusal(common.notFound)
}
const written = (type: NewType) =>
  columns('device_types', { ...type, screenSize: type.screen ? type.screenSize : '' })

const create: Handlers<Contract>['create'] = async (ctx, input) => {
  reject(screenRule(input))
  await checkPicture(ctx, input)
  const values = { ...written(input), org_id: ctx.actor.orgId, created_at: ctx.now }
  const { id } = await unique(
    ctx.db.insertInto('device_types').values(values).returning('id').executeTakeFirstOrThrow(),
  )
  ctx.audit({ id, name: input.name, after: input })
  ctx.touch('device-types')
  return shown(ctx, found(await q.row(ctx, id)))
}

const update: Handlers<Contract>['update'] = async (ctx, { id, version, ...input }) => {
  const before = await own(ctx, id)
  reject(screenRule(input))
  await checkPicture(ctx, input, before.img)
  reject(changeRule(before, input, await q.used(ctx, id)))
  await unique(updateVersion(ctx, 'device_types', { id, version }, written(input)))
  const after = shown(ctx, found(await q.row(ctx, id)))
  ctx.audit({ id, name: after.name, before: shown(ctx, before), after, orgId: before.orgId })
  ctx.touch('device-types')
  return after
}

const remove: Handlers<Contract>['remove'] = async (ctx, input) => {
  const type = await own(ctx, input.id)
  const used = await q.used(ctx, type.id)
  reject(removable(used), { n: used.deviceCount })
  found(await rowOf(ctx.db)`delete from device_types where id = ${type.id} returning id`)
  ctx.audit({ id: type.id, name: type.name, before: shown(ctx, type), orgId: type.orgId })
  ctx.touch('device-types')
  return { ok: true as const }
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    return { list: rows.map((row) => shown(ctx, row)), total }
  },
  options: async (ctx) => ({ list: await q.options(ctx) }),
  create,
  update,
  remove,
}
