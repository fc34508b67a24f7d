import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, visible } from '../../../server/context.ts'
import { rowOf, rowsOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { AssignedDevice, mostAssigned, userErrors, type users } from '../contract.ts'
import { servesAs } from '../rules.ts'
import { named, subject } from './people.ts'

const device = shape(AssignedDevice, ['devices', 'd'], {
  operatorName: sql`o.name`,
  since: sql`min(a.from_at)`,
})
/** His machines that the actor sees; others stay his whatever the actor sends. */
const assigned = (ctx: Ctx, userId: number) =>
  device.all(
    ctx.db,
    sql`from device_assignments a join devices d on d.id = a.device_id
      join organisations o on o.id = d.org_id
      where a.user_id = ${userId} and a.to_at is null and ${visible(ctx, 'd.org_id', 'd.id')}
      group by d.id, o.name order by d.rtu_number limit ${mostAssigned}`,
  )

/**
 * Machines of his organisation or below; a machine elsewhere would be assigned and still out of his
 * sight.
 */
async function checkDevices(ctx: Ctx, ids: readonly number[], orgId: number): Promise<void> {
  const rows = await rowsOf<{ near: boolean }>(ctx.db)`
    select o.path <@ h.path as near from devices d join organisations o on o.id = d.org_id cross
    join organisations h
    where h.id = ${orgId} and d.id = any(${[...ids]}::bigint[])
      and ${visible(ctx, 'd.org_id', 'd.id')}`
  if (rows.length !== ids.length) throw new Refusal(common.notFound)
  if (rows.some((row) => !row.near)) throw new Refusal(userErrors.deviceElsewhere)
}

export const devices = {
  async devices(ctx, { id }) {
    found(
      await rowOf(ctx.db)`select 1 from users u where u.id = ${id} and u.deleted_at is null
        and ${visible(ctx, 'u.org_id')}`,
    )
    return { list: await assigned(ctx, id) }
  },

  async setDevices(ctx, { id, deviceIds }) {
    const person = await subject(ctx, id)
    const kinds = servesAs(person.roles)
    if (!kinds.length) throw new Refusal(userErrors.notServing)
    await checkDevices(ctx, deviceIds, person.orgId)
    const had = new Set((await assigned(ctx, id)).map((device) => device.id))
    const wanted = new Set(deviceIds)
    const removed = [...had.difference(wanted)]
    const added = [...wanted.difference(had)]
    await sql`update device_assignments set to_at = ${ctx.now}
      where user_id = ${id} and to_at is null and device_id = any(${removed}::bigint[])`.execute(
      ctx.db,
    )
    // the row belongs to whoever owns the machine; what is assigned already stays as it is
    await sql`insert into device_assignments (org_id, device_id, user_id, kind, assigned_by,
      from_at)
      select d.org_id, d.id, ${id}, k, ${ctx.actor.userId}, ${ctx.now} from devices d cross
      join unnest(${kinds}::text[]) as k
      where d.id = any(${deviceIds}::bigint[]) on conflict (device_id, user_id, kind)
      where to_at is null do nothing`.execute(ctx.db)
    ctx.audit({ ...named(person), before: { deviceIds: [...had] }, after: { added, removed } })
    ctx.touch('users')
    ctx.touch('devices')
    return { added: added.length, removed: removed.length }
  },
} satisfies Partial<Handlers<typeof users>>
