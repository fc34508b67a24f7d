import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { type Ctx, visible } from '../../../server/context.ts'
import { matches } from '../../../server/lists.ts'
import { onlyRow, rowOf } from '../../../server/rows.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import {
  AssignmentRow,
  DeviceAssignments,
  type distribution,
  Group,
  Owner,
  Staff,
} from '../contract.ts'
import type { StaffKind } from './staff.ts'

const staff = (kind: StaffKind) =>
  sql`(select coalesce(array_agg(u.real_name order by a.id), '{}') from device_assignments a
    join users u on u.id = a.user_id
    where a.device_id = d.id and a.kind = ${kind} and a.to_at is null)`
const shown = { typeName: sql`t.name`, storeName: sql`coalesce(st.store_name, '')` }
const listed = shape(
  AssignmentRow.extend({ county: z.string() }),
  ['devices', 'd'],
  {
    ...shown,
    ownedUserName: sql`o.name`,
    replenishers: staff('REPLENISHER'),
    repairers: staff('REPAIRER'),
    assignedAt: sql`lower(h.valid)`,
    assignedBy: sql`coalesce(hu.real_name, '')`,
    status: sql`case when s.online then 'online' else 'offline' end`,
  },
  ['regionName'],
)
export type Row = Rows<typeof listed>

const joined = sql`devices d join device_states s on s.device_id = d.id`
const from = sql`${joined} join device_types t on t.id = d.type_id
  join organisations o on o.id = d.org_id left join stores st on st.id = d.store_id
  left join device_owner_history h on h.device_id = d.id and upper_inf(h.valid) left
  join users hu on hu.id = h.by_user`
const inUse = sql`d.lifecycle not in ('SOLD','SCRAPPED')`
const has = (kind: StaffKind, userId?: number) =>
  sql`exists (select from device_assignments a
    where a.device_id = d.id and a.to_at is null
      and a.kind = ${kind} ${userId === undefined ? sql`` : sql`and a.user_id = ${userId}`})`
const nobody = sql`not exists (select from device_assignments a
  where a.device_id = d.id and a.to_at is null)`

function grouped(
  input: Pick<Input<typeof distribution.list>, 'groupBy' | 'userId'>,
): RawBuilder<unknown> | null {
  if (input.groupBy === 'replenisher') return has('REPLENISHER', input.userId)
  if (input.groupBy === 'repairer') return has('REPAIRER', input.userId)
  return input.groupBy === 'none' ? nobody : null
}

export const listRows = (ctx: Ctx, input: Input<typeof distribution.list>) =>
  listed.page(ctx.db, {
    from,
    countFrom: joined,
    input,
    last: sql`d.id`,
    sort: {
      rtuNumber: sql`d.rtu_number`,
      nickname: sql`d.nickname`,
      assignedAt: sql`lower(h.valid)`,
    },
    where: [
      visible(ctx, 'd.org_id', 'd.id'),
      inUse,
      matches('devices', 'd.id', input.keyword),
      grouped(input),
      input.orgId &&
        sql`d.org_id in (select w.id from organisations w
          join organisations top on top.path @> w.path where top.id = ${input.orgId})`,
      input.typeId && sql`d.type_id = ${input.typeId}`,
      input.region && sql`${input.region} in (d.province, d.city, d.county)`,
      input.status && sql`s.online = ${input.status === 'online'}`,
      input.storeId && sql`d.store_id = ${input.storeId}`,
      input.ids && sql`d.id = any(${input.ids}::bigint[])`,
    ],
  })

const organisation = (ctx: Ctx) =>
  shape(Group, ['organisations', 'o'], {
    parentId: sql`p.id`,
    hint: sql`''`,
    devices: sql`(select count(*) from organisations w join devices d on d.org_id = w.id
      where w.path <@ o.path and ${inUse} and ${visible(ctx, 'd.org_id', 'd.id')})`,
  })
export const orgGroups = (ctx: Ctx) =>
  organisation(ctx).all(
    ctx.db,
    sql`from organisations o
      left join organisations p on p.id = o.parent_id and ${visible(ctx, 'p.id')}
      where ${visible(ctx, 'o.id')} and o.kind in ('PLATFORM','AGENT','OPERATOR') order by o.path`,
  )

const serving = shape(Group, ['users', 'u'], {
  parentId: sql`null::bigint`,
  name: sql`u.real_name`,
  hint: sql`o.name`,
  devices: sql`count(distinct d.id)`,
})
export const staffGroups = (ctx: Ctx, kind: StaffKind) =>
  serving.all(
    ctx.db,
    sql`from device_assignments a join devices d on d.id = a.device_id
        join users u on u.id = a.user_id join organisations o on o.id = u.org_id
      where a.to_at is null and a.kind = ${kind} and ${inUse}
        and ${visible(ctx, 'd.org_id', 'd.id')}
      group by u.id, o.name order by o.name, u.real_name, u.id limit 500`,
  )

/** How many machines the list shows in this way while nobody is chosen. */
export const total = (ctx: Ctx, groupBy: Input<typeof distribution.groups>['groupBy']) =>
  onlyRow<{ total: number }>(ctx.db)`select count(*) as total from devices d
    where ${visible(ctx, 'd.org_id', 'd.id')} and ${inUse} and ${grouped({ groupBy }) ?? sql`true`}`

const detail = shape(
  DeviceAssignments.extend({ county: z.string(), lifecycle: z.string() }),
  ['devices', 'd'],
  {
    ...shown,
    orgName: sql`o.name`,
    parentOrgId: sql`p.id`,
    parentOrgName: sql`coalesce(p.name, '')`,
  },
  ['regionName', 'staff', 'owners', 'can'],
)
export const detailRow = (ctx: Ctx, id: number) =>
  detail.one(
    ctx.db,
    sql`from ${from} left join organisations p
        on p.id = o.parent_id and p.status = 'ENABLED' and ${visible(ctx, 'p.id')}
      where d.id = ${id} and ${visible(ctx, 'd.org_id', 'd.id')}`,
  )

const served = shape(Staff, ['device_assignments', 'a'], {
  name: sql`u.real_name`,
  username: sql`u.username`,
  orgName: sql`o.name`,
  since: sql`a.from_at`,
  by: sql`coalesce(b.real_name, '')`,
})
export const staffOf = (ctx: Ctx, deviceId: number) =>
  served.all(
    ctx.db,
    sql`from device_assignments a join users u on u.id = a.user_id
        join organisations o on o.id = u.org_id left join users b on b.id = a.assigned_by
      where a.device_id = ${deviceId} and a.to_at is null
        and ${visible(ctx, 'a.org_id', 'a.device_id')} order by a.kind, a.id limit 200`,
  )

const owned = shape(Owner, ['device_owner_history', 'h'], {
  orgName: sql`o.name`,
  from: sql`lower(h.valid)`,
  to: sql`upper(h.valid)`,
  by: sql`coalesce(u.real_name, '')`,
  registered: sql`h.by_user is null`,
})
export const ownersOf = (ctx: Ctx, deviceId: number) =>
  owned.all(
    ctx.db,
    sql`from device_owner_history h join organisations o on o.id = h.org_id
        left join users u on u.id = h.by_user
      where h.device_id = ${deviceId} and ${visible(ctx, 'h.org_id', 'h.device_id')}
      order by lower(h.valid) desc limit 100`,
  )

export const storeOf = (ctx: Ctx, storeId: number) =>
  rowOf<{ orgId: number }>(ctx.db)`select st.org_id as "orgId" from stores st
    where st.id = ${storeId} and ${visible(ctx, 'st.org_id')} for key share of st`
export const deviceNamed = (ctx: Ctx, rtuNumber: string) =>
  rowOf<{ id: number }>(ctx.db)`select d.id from devices d
    where d.rtu_number = ${rtuNumber} and ${visible(ctx, 'd.org_id', 'd.id')}`
export const userNamed = (ctx: Ctx, username: string) =>
  rowOf<{ id: number; orgId: number }>(ctx.db)`select u.id, u.org_id as "orgId" from users u
    where lower(u.username) = lower(${username}) and u.deleted_at is null
      and ${visible(ctx, 'u.org_id')}`
