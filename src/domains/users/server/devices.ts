import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, iso, visible } from '../../../server/context.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { mostAssigned, userErrors, type users } from '../contract.ts'
import { servesAs } from '../rules.ts'
import { subject } from './people.ts'

type Contract = typeof users
type Assigned = { id: number; rtu_number: string; nickname: string; org_name: string; since: Date }

/** His machines that the actor sees; others stay his whatever the actor sends. */
const assigned = async (ctx: Ctx, userId: number): Promise<Assigned[]> => {
  const { rows } = await sql<Assigned>`
    select d.id, d.rtu_number, d.nickname, o.name as org_name, min(a.from_at) as since
    from device_assignments a join devices d on d.id = a.device_id join organisations o on o.id = d.org_id
    where a.user_id = ${userId} and a.to_at is null and ${visible(ctx, 'd.org_id', 'd.id')}
    group by d.id, o.name order by d.rtu_number limit ${mostAssigned}`.execute(ctx.db)
  return rows
}

export const devices: Handlers<Contract>['devices'] = async (ctx, input) => {
  found((await sql`select 1 from users u where u.id = ${input.id} and u.deleted_at is null and ${visible(ctx, 'u.org_id')}`.execute(ctx.db)).rows[0])
  const list = await assigned(ctx, input.id)
  return { list: list.map((d) => ({ id: d.id, rtuNumber: d.rtu_number, nickname: d.nickname, operatorName: d.org_name, since: iso(d.since) })) }
}

export const setDevices: Handlers<Contract>['setDevices'] = async (ctx, input) => {
  const person = await subject(ctx, input.id)
  const kinds = servesAs(person.roles)
  if (!kinds.length) throw new Refusal(userErrors.notServing)
  const wanted = [...new Set(input.deviceIds)]
  await checkDevices(ctx, wanted, person.org_id)
  const before = await assigned(ctx, person.id)
  const left = before.filter((device) => !wanted.includes(device.id)).map((device) => device.id)
  if (left.length)
    await sql`update device_assignments set to_at = ${ctx.now} where user_id = ${person.id} and to_at is null and device_id = any(${left}::bigint[])`.execute(
      ctx.db,
    )
  // the row belongs to whoever owns the machine; what is assigned already stays as it is
  await sql`insert into device_assignments (org_id, device_id, user_id, kind, assigned_by, from_at)
    select d.org_id, d.id, ${person.id}, k, ${ctx.actor.userId}, ${ctx.now} from devices d cross join unnest(${kinds}::text[]) as k
    where d.id = any(${wanted}::bigint[]) on conflict (device_id, user_id, kind) where to_at is null do nothing`.execute(ctx.db)
  const had = new Set(before.map((device) => device.id))
  const added = wanted.filter((id) => !had.has(id))
  ctx.audit({ id: person.id, name: person.username, before: { deviceIds: [...had] }, after: { added, removed: left }, orgId: person.org_id })
  ctx.touch('users')
  ctx.touch('devices')
  return { added: added.length, removed: left.length }
}

/** Machines of his organisation or below; a machine elsewhere would be assigned and still out of his sight. */
async function checkDevices(ctx: Ctx, ids: readonly number[], orgId: number): Promise<void> {
  const { rows } = await sql<{ near: boolean }>`
    select o.path <@ h.path as near from devices d join organisations o on o.id = d.org_id cross join organisations h
    where h.id = ${orgId} and d.id = any(${[...ids]}::bigint[]) and ${visible(ctx, 'd.org_id', 'd.id')}`.execute(ctx.db)
  if (rows.length !== ids.length) throw new Refusal(common.notFound)
  if (rows.some((row) => !row.near)) throw new Refusal(userErrors.deviceElsewhere)
}
