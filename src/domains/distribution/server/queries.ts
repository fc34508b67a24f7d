import { type RawBuilder, sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { matches, selectPage } from '../../../server/lists.ts'
import type { Input } from '../../../shared/contract.ts'
import type { distribution } from '../contract.ts'
import type { StaffKind } from './staff.ts'

export type Row = {
  id: number
  rtu_number: string
  nickname: string
  type_name: string
  county: string
  address: string
  online: boolean
  org_id: number
  org_name: string
  replenishers: string[]
  repairers: string[]
  store_id: number | null
  store_name: string | null
  assigned_at: Date | null
  assigned_by: string | null
  version: number
}
const staff = (kind: StaffKind) =>
  sql`(select coalesce(array_agg(u.real_name order by a.id), '{}') from device_assignments a join users u on u.id = a.user_id where a.device_id = d.id and a.kind = ${kind} and a.to_at is null)`
const columns = sql`d.id, d.rtu_number, d.nickname, t.name as type_name, d.county, d.address, s.online, d.org_id, o.name as org_name, d.store_id, st.store_name,
  ${staff('REPLENISHER')} as replenishers, ${staff('REPAIRER')} as repairers, lower(h.valid) as assigned_at, hu.real_name as assigned_by, d.version`
const joined = sql`devices d join device_states s on s.device_id = d.id`
const from = sql`${joined} join device_types t on t.id = d.type_id join organisations o on o.id = d.org_id left join stores st on st.id = d.store_id
  left join device_owner_history h on h.device_id = d.id and upper_inf(h.valid) left join users hu on hu.id = h.by_user`
const inUse = sql`d.lifecycle not in ('SOLD','SCRAPPED')`
const has = (kind: StaffKind, userId?: number) =>
  sql`exists (select from device_assignments a where a.device_id = d.id and a.to_at is null and a.kind = ${kind} ${userId === undefined ? sql`` : sql`and a.user_id = ${userId}`})`
const nobody = sql`not exists (select from device_assignments a where a.device_id = d.id and a.to_at is null)`

function grouped(input: Pick<Input<typeof distribution.list>, 'groupBy' | 'userId'>): RawBuilder<unknown> | null {
  if (input.groupBy === 'replenisher') return has('REPLENISHER', input.userId)
  if (input.groupBy === 'repairer') return has('REPAIRER', input.userId)
  return input.groupBy === 'none' ? nobody : null
}

export const listRows = (ctx: Ctx, input: Input<typeof distribution.list>) =>
  selectPage<Row>(ctx.db, {
    columns,
    from,
    countFrom: joined,
    input,
    last: sql`d.id`,
    sort: { rtuNumber: sql`d.rtu_number`, nickname: sql`d.nickname`, assignedAt: sql`lower(h.valid)` },
    where: [
      visible(ctx, 'd.org_id', 'd.id'),
      inUse,
      matches('devices', 'd.id', input.keyword),
      grouped(input),
      input.orgId && sql`d.org_id in (select w.id from organisations w join organisations top on top.path @> w.path where top.id = ${input.orgId})`,
      input.typeId && sql`d.type_id = ${input.typeId}`,
      input.region && sql`${input.region} in (d.province, d.city, d.county)`,
      input.status && sql`s.online = ${input.status === 'online'}`,
      input.storeId && sql`d.store_id = ${input.storeId}`,
      input.ids && sql`d.id = any(${input.ids}::bigint[])`,
    ],
  })

type Group = { id: number; parentId: number | null; name: string; hint: string; devices: number }
export async function orgGroups(ctx: Ctx): Promise<Group[]> {
  const { rows } = await sql<Group>`
    select o.id, p.id as "parentId", o.name, '' as hint,
      (select count(*) from organisations w join devices d on d.org_id = w.id where w.path <@ o.path and ${inUse} and ${visible(ctx, 'd.org_id', 'd.id')}) as devices
    from organisations o left join organisations p on p.id = o.parent_id and ${visible(ctx, 'p.id')}
    where ${visible(ctx, 'o.id')} and o.kind in ('PLATFORM','AGENT','OPERATOR') order by o.path`.execute(ctx.db)
  return rows
}
export async function staffGroups(ctx: Ctx, kind: StaffKind): Promise<Group[]> {
  const { rows } = await sql<Group>`
    select u.id, null::bigint as "parentId", u.real_name as name, o.name as hint, count(distinct d.id) as devices
    from device_assignments a join devices d on d.id = a.device_id join users u on u.id = a.user_id join organisations o on o.id = u.org_id
    where a.to_at is null and a.kind = ${kind} and ${inUse} and ${visible(ctx, 'd.org_id', 'd.id')}
    group by u.id, o.name order by o.name, u.real_name, u.id limit 500`.execute(ctx.db)
  return rows
}
/** How many machines the list shows in this way while nobody is chosen. */
export async function total(ctx: Ctx, groupBy: Input<typeof distribution.groups>['groupBy']): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from devices d
    where ${visible(ctx, 'd.org_id', 'd.id')} and ${inUse} and ${grouped({ groupBy }) ?? sql`true`}`.execute(ctx.db)
  return rows[0]?.n ?? 0
}

export type Detail = Row & { lifecycle: string; parent_id: number | null; parent_name: string | null }
export async function detailRow(ctx: Ctx, id: number): Promise<Detail | undefined> {
  const { rows } = await sql<Detail>`select ${columns}, d.lifecycle, p.id as parent_id, p.name as parent_name
    from ${from} left join organisations p on p.id = o.parent_id and p.status = 'ENABLED' and ${visible(ctx, 'p.id')}
    where d.id = ${id} and ${visible(ctx, 'd.org_id', 'd.id')}`.execute(ctx.db)
  return rows[0]
}

export type StaffRow = { id: number; kind: StaffKind; user_id: number; name: string; username: string; org_name: string; from_at: Date; by: string | null }
export async function staffOf(ctx: Ctx, deviceId: number): Promise<StaffRow[]> {
  const { rows } = await sql<StaffRow>`select a.id, a.kind, a.user_id, u.real_name as name, u.username, o.name as org_name, a.from_at, b.real_name as by
    from device_assignments a join users u on u.id = a.user_id join organisations o on o.id = u.org_id left join users b on b.id = a.assigned_by
    where a.device_id = ${deviceId} and a.to_at is null and ${visible(ctx, 'a.org_id', 'a.device_id')} order by a.kind, a.id limit 200`.execute(ctx.db)
  return rows
}
export async function ownersOf(ctx: Ctx, deviceId: number) {
  const { rows } = await sql<{ id: number; org_name: string; from: Date; to: Date | null; by: string | null; registered: boolean }>`
    select h.id, o.name as org_name, lower(h.valid) as from, upper(h.valid) as to, u.real_name as by, h.by_user is null as registered
    from device_owner_history h join organisations o on o.id = h.org_id left join users u on u.id = h.by_user
    where h.device_id = ${deviceId} and ${visible(ctx, 'h.org_id', 'h.device_id')} order by lower(h.valid) desc limit 100`.execute(ctx.db)
  return rows
}

export async function storeOf(ctx: Ctx, storeId: number): Promise<{ id: number; org_id: number; name: string } | undefined> {
  const { rows } = await sql<{ id: number; org_id: number; name: string }>`select st.id, st.org_id, st.store_name as name from stores st
    where st.id = ${storeId} and ${visible(ctx, 'st.org_id')} for key share of st`.execute(ctx.db)
  return rows[0]
}
export async function deviceNamed(ctx: Ctx, rtuNumber: string): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`select d.id from devices d where d.rtu_number = ${rtuNumber} and ${visible(ctx, 'd.org_id', 'd.id')}`.execute(
    ctx.db,
  )
  return rows[0]?.id
}
export async function userNamed(ctx: Ctx, username: string): Promise<{ id: number; org_id: number } | undefined> {
  const { rows } = await sql<{ id: number; org_id: number }>`select u.id, u.org_id from users u
    where lower(u.username) = lower(${username}) and u.deleted_at is null and ${visible(ctx, 'u.org_id')}`.execute(ctx.db)
  return rows[0]
}
