import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import type { Machine } from '../../boards/server/binding.ts'
import { servesAs } from '../../users/rules.ts'
import type { staffKinds } from '../contract.ts'
import { staffRule } from '../rules.ts'

export type StaffKind = (typeof staffKinds)[number]
type Person = {
  id: number
  name: string
  username: string
  org_id: number
  org_name: string
  roles: { code: string; dataScope: string }[]
}

const person = sql`u.id, u.real_name as name, u.username, u.org_id, o.name as org_name,
  (select coalesce(json_agg(json_build_object('code', r.code, 'dataScope', r.data_scope)), '[]')
    from user_roles ur join roles r on r.id = ur.role_id
    where ur.user_id = u.id and r.status = 'ENABLED') as roles`
const people = sql`users u join organisations o on o.id = u.org_id`
const living = (ctx: Ctx) =>
  sql`u.status = 'ENABLED' and u.deleted_at is null and ${visible(ctx, 'u.org_id')}`

/** People whose role binds them to machines; with `orgId` only those who stand there or above. */
export async function candidates(ctx: Ctx, kind: StaffKind, orgId: number | undefined) {
  const near =
    orgId === undefined
      ? sql`true`
      : sql`exists (select from organisations w where w.id = ${orgId} and o.path @> w.path)`
  const { rows } =
    await sql<Person>`select ${person} from ${people} where ${living(ctx)} and ${near}
    and exists (select from user_roles ur join roles r on r.id = ur.role_id
      where ur.user_id = u.id and r.status = 'ENABLED' and r.data_scope = 'ASSIGNED_DEVICES')
    order by u.real_name, u.id limit 400`.execute(ctx.db)
  return rows.filter((row) => servesAs(row.roles).includes(kind)).slice(0, 200)
}

/** People of these ids, or 404 when one is not there. */
export async function peopleOf(ctx: Ctx, userIds: readonly number[]): Promise<Person[]> {
  const wanted = [...new Set(userIds)]
  const { rows } = await sql<Person>`select ${person} from ${people}
      where u.id = any(${wanted}::bigint[]) and ${living(ctx)} order by u.id`.execute(ctx.db)
  if (rows.length !== wanted.length) throw new Refusal(common.notFound)
  return rows
}

/** Adds them; who serves it already goes on as he does. Answers who is new. */
export async function addStaff(
  ctx: Ctx,
  machine: Machine,
  kind: StaffKind,
  given: readonly Person[],
): Promise<number[]> {
  const { rows: home } = await sql<{
    path: string
  }>`select path::text as path from organisations where id = ${machine.orgId}`.execute(ctx.db)
  const above = new Set((home[0]?.path ?? '').split('.').map(Number))
  const wrong = staffRule(
    given.map((one) => ({
      name: one.name,
      serves: servesAs(one.roles),
      near: above.has(one.org_id),
    })),
    kind,
  )
  if (wrong) {
    const text = wrong.def.text.replaceAll('{names}', wrong.names)
    throw new Refusal(wrong.def, { names: wrong.names }, [{ field: 'userIds', text }])
  }
  const { rows } = await sql<{ user_id: number }>`
    insert into device_assignments (org_id, device_id, user_id, kind, assigned_by, from_at)
    select ${machine.orgId}, ${machine.id}, u, ${kind}, ${ctx.actor.userId}, ${ctx.now}
    from unnest(${given.map((one) => one.id)}::bigint[]) as u
    on conflict (device_id, user_id, kind) where to_at is null do nothing
    returning user_id`.execute(ctx.db)
  return rows.map((row) => row.user_id)
}

type Ended = { user_id: number; kind: StaffKind; username: string | null }
/** Ends one assignment, or all of a kind. */
export async function endStaff(
  ctx: Ctx,
  machine: Machine,
  which: { assignmentId: number } | { kind: StaffKind },
): Promise<Ended[]> {
  const chosen = 'kind' in which ? sql`a.kind = ${which.kind}` : sql`a.id = ${which.assignmentId}`
  const { rows } = await sql<Ended>`update device_assignments a
      set to_at = greatest(${ctx.now}::timestamptz, a.from_at)
    where a.device_id = ${machine.id} and a.to_at is null and ${chosen}
      and ${visible(ctx, 'a.org_id', 'a.device_id')}
    returning a.user_id, a.kind, (select u.username from users u
      where u.id = a.user_id) as username`.execute(ctx.db)
  return rows
}
