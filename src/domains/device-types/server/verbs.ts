import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, iso, may, owns } from '../../../server/context.ts'
import { common, Refusal, reject } from '../../../shared/errors.ts'
import { deviceTypeErrors, type deviceTypes, type TypeRow } from '../contract.ts'
import { changeRule, removable, screenRule } from '../rules.ts'
import * as q from './queries.ts'

type Contract = typeof deviceTypes

const shown = (ctx: Ctx, t: q.Row): TypeRow => ({
  id: t.id,
  img: t.img,
  name: t.name,
  screen: t.screen,
  screenSize: t.screen_size,
  refrigeration: t.refrigeration,
  pattern: t.pattern,
  kind: t.kind,
  dropSensor: t.drop_sensor,
  maxLevels: t.max_levels,
  maxRoads: t.max_roads,
  deviceCount: t.devices,
  version: t.version,
  createTime: iso(t.created_at),
  can: {
    update: owns(ctx, t.org_id) && may(ctx, 'device-type:update'),
    delete: owns(ctx, t.org_id) && may(ctx, 'device-type:delete') && removable(t) === null,
  },
})

/** A type of an organisation above may be used, not changed: 404 as for a foreign one. */
const own = async (ctx: Ctx, id: number): Promise<q.Row> => {
  const type = found(await q.row(ctx, id))
  if (!owns(ctx, type.org_id)) throw new Refusal(common.notFound)
  return type
}

async function unique<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if ((error as { constraint?: string }).constraint !== 'device_types_org_id_name_key') throw error
    throw new Refusal(deviceTypeErrors.nameTaken, {}, [{ field: 'name', text: deviceTypeErrors.nameTaken.text }])
  }
}

const create: Handlers<Contract>['create'] = async (ctx, input) => {
  reject(screenRule(input))
  const { id } = await unique(
    ctx.db
      .insertInto('device_types')
      .values({ org_id: ctx.actor.orgId, created_at: ctx.now, ...q.columnsOf(input) })
      .returning('id')
      .executeTakeFirstOrThrow(),
  )
  ctx.audit({ id, name: input.name, after: input })
  ctx.touch('device-types')
  return shown(ctx, found(await q.row(ctx, id)))
}

const update: Handlers<Contract>['update'] = async (ctx, input) => {
  const before = await own(ctx, input.id)
  reject(screenRule(input))
  reject(changeRule(before, input, await q.used(ctx, before.id)))
  const changed = await unique(
    ctx.db
      .updateTable('device_types')
      .set((eb) => ({ ...q.columnsOf(input), version: eb('version', '+', 1) }))
      .where('id', '=', input.id)
      .where('version', '=', input.version)
      .executeTakeFirst(),
  )
  if (!changed.numUpdatedRows) throw new Refusal(common.stale)
  const after = shown(ctx, found(await q.row(ctx, input.id)))
  ctx.audit({ id: before.id, name: after.name, before: shown(ctx, before), after, orgId: before.org_id })
  ctx.touch('device-types')
  return after
}

const remove: Handlers<Contract>['remove'] = async (ctx, input) => {
  const type = await own(ctx, input.id)
  const used = await q.used(ctx, type.id)
  reject(removable(used), { n: used.devices })
  await ctx.db.deleteFrom('device_types').where('id', '=', type.id).execute()
  ctx.audit({ id: type.id, name: type.name, before: shown(ctx, type), orgId: type.org_id })
  ctx.touch('device-types')
  return { ok: true as const }
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    return { list: rows.map((t) => shown(ctx, t)), total }
  },
  options: async (ctx) => ({
    list: (await q.options(ctx)).map((t) => ({
      id: t.id,
      name: t.name,
      kind: t.kind,
      pattern: t.pattern,
      dropSensor: t.drop_sensor,
      maxLevels: t.max_levels,
      maxRoads: t.max_roads,
    })),
  }),
  create,
  update,
  remove,
}
