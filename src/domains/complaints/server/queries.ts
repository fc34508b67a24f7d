import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { exists, onlyRow, rowOf } from '../../../server/rows.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import type { Input, Output } from '../../../shared/contract.ts'
import * as f from '../../../shared/fields.ts'
import { addDays, shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import { Around, Complaint, ComplaintRow, type complaints, Entry } from '../contract.ts'
import { laneAlarm } from '../rules.ts'

const joined = {
  rtuNumber: sql`d.rtu_number`,
  assigneeName: sql`u.real_name`,
  createTime: sql`c.created_at`,
}
/** What code asks of a complaint besides what a list shows. */
const { firstReplyDueAt, firstRepliedAt, mergedInto, refunded } = Complaint.shape
const listed = shape(
  ComplaintRow.extend({ firstReplyDueAt, firstRepliedAt, mergedInto, refunded }),
  ['complaints', 'c'],
  joined,
  ['overdue', 'can'],
)
export type ListRow = Rows<typeof listed>

const complaint = shape(
  Complaint.extend({ orgId: f.id }),
  ['complaints', 'c'],
  { ...joined, nickname: sql`d.nickname`, orgName: sql`o.name` },
  ['overdue', 'can', 'sameLane', 'sameUser', 'laneAlarm', 'entries', 'around'],
)
export type Row = Rows<typeof complaint>
const from = sql`complaints c
  join organisations o on o.id = c.org_id
  left join devices d on d.id = c.device_id
  left join users u on u.id = c.assignee_id`
const open = sql`c.state in ('OPEN','HANDLING','WAITING')`
const late = (now: Date) =>
  sql`${open} and (c.resolve_due_at <= ${now} or c.first_replied_at is null
    and c.first_reply_due_at <= ${now})`
export const own = (ctx: Ctx) =>
  sql`${visible(ctx, 'c.org_id', 'c.device_id')} and c.deleted_at is null`

/** Without days the last 90; an order number needs no days. */
export function listRows(ctx: Ctx, input: Input<typeof complaints.list>) {
  const first = input.from ?? (input.orderNum ? undefined : addDays(shanghaiDay(ctx.now), -89))
  return listed.page(ctx.db, {
    from,
    countFrom: input.rtuNumber
      ? sql`complaints c left join devices d on d.id = c.device_id`
      : sql`complaints c`,
    input,
    last: sql`c.id`,
    grows: true,
    sort: { createTime: sql`c.created_at`, resolveDueAt: sql`c.resolve_due_at` },
    where: [
      own(ctx),
      input.state && sql`c.state = ${input.state}`,
      input.type && sql`c.type = ${input.type}`,
      input.source && sql`c.source = ${input.source}`,
      input.assigneeId && sql`c.assignee_id = ${input.assigneeId}`,
      input.orderNum && sql`c.order_num = ${input.orderNum}`,
      input.rtuNumber && sql`strpos(d.rtu_number, ${input.rtuNumber.toUpperCase()}) > 0`,
      input.keyword &&
        sql`strpos(lower(c.content || ' ' || c.username), lower(${input.keyword})) > 0`,
      input.overdue && late(ctx.now),
      first && sql`c.created_at >= ${startOfDay(first)}`,
      input.to && sql`c.created_at < ${startOfDay(addDays(input.to, 1))}`,
    ],
  })
}

export const row = (ctx: Ctx, id: number) =>
  complaint.one(ctx.db, sql`from ${from} where c.id = ${id} and ${own(ctx)}`)

export const stats = (ctx: Ctx) =>
  onlyRow<Output<typeof complaints.stats>>(ctx.db)`
    select count(*) filter (where c.state = 'OPEN') as open,
      count(*) filter (where c.state = 'HANDLING') as handling,
      count(*) filter (where c.state = 'WAITING') as waiting,
      count(*) filter (where ${late(ctx.now)}) as overdue
    from complaints c where ${own(ctx)} and ${open}`

const entry = shape(Entry, ['complaint_entries', 'e'], { createTime: sql`e.created_at` })
export const entries = (ctx: Ctx, id: number) =>
  entry.all(
    ctx.db,
    sql`from complaint_entries e where e.complaint_id = ${id} order by e.id limit 500`,
  )

/**
 * Others of the same lane and the same buyer within 30 days, and whether the lane should stop
 * selling.
 */
export function neighbours(ctx: Ctx, c: Row) {
  const at = Date.parse(c.createTime)
  const since = new Date(at - 30 * 86_400_000)
  const day = new Date(at - laneAlarm.hours * 3_600_000)
  return onlyRow<{ lane: number; reports: number; buyer: number }>(ctx.db)`
    select (select count(*) from complaints c
      where ${own(ctx)} and c.device_id = ${c.deviceId} and c.road = ${c.road}
        and c.created_at >= ${since} and c.id <> ${c.id}) as lane,
      (select count(*) from complaints c where ${own(ctx)} and c.device_id = ${c.deviceId}
        and c.road = ${c.road} and c.type = 'NOT_DISPENSED'
        and c.created_at > ${day} and c.created_at <= ${c.createTime}) as reports,
      (select count(*) from complaints c
        where ${own(ctx)} and c.org_id = ${c.orgId} and c.username = ${c.username}
          and c.username <> ''
        and c.created_at >= ${since} and c.id <> ${c.id}) as buyer`
}

const message = (c: Row) =>
  shape(Around, ['device_messages', 'm'], {
    kind: sql`m.kind`,
    createTime: sql`m.created_at`,
    road: sql`coalesce(v.road, (m.payload->>'lane')::int)`,
    ofOrder: sql`coalesce(v.order_num = ${c.orderNum}, false)`,
    outcome: sql`coalesce(m.payload->>'result', m.payload->>'code')`,
    dropDetected: sql`(m.payload->>'dropDetected')::boolean`,
    open: sql`(m.payload->>'open')::boolean`,
  })
/** What the machine said ten minutes around the order; without one, around the filing. */
export async function around(ctx: Ctx, c: Row) {
  if (c.deviceId === null) return []
  const order = await rowOf<{ at: string }>(ctx.db)`select k.created_at as at from order_keys k
    where k.order_num = ${c.orderNum} and k.org_id = ${c.orgId}`
  const at = Date.parse(order?.at ?? c.createTime)
  return message(c).all(
    ctx.db,
    sql`from device_messages m
      left join vend_commands v on v.org_id = m.org_id and v.device_id = m.device_id
        and v.cmd_id = (m.payload->>'cmdId')::uuid
      where m.device_id = ${c.deviceId} and m.org_id = ${c.orgId}
        and m.kind in ('door', 'vend_result', 'fault')
        and m.created_at between ${new Date(at - 600_000)} and ${new Date(at + 600_000)}
      order by m.created_at limit 30`,
  )
}

/** The machine by id or the order by number, when the actor sees it. */
export const placeOf = (
  ctx: Ctx,
  { deviceId = 0, orderNum }: { deviceId?: number | undefined; orderNum: string },
) =>
  rowOf<{ orgId: number; deviceId: number; road: number | null; consumer: string }>(ctx.db)`${
    orderNum
      ? sql`select k.org_id as "orgId", k.device_id as "deviceId", o.consumer,
        (select case when min(u.road) = max(u.road) then min(u.road) end
          from order_units u where u.order_id = k.order_id and u.org_id = k.org_id
            and u.created_at = k.created_at) as road
        from order_keys k join orders o on o.org_id = k.org_id and o.created_at = k.created_at
          and o.id = k.order_id
        where k.order_num = ${orderNum} and ${visible(ctx, 'k.org_id', 'k.device_id')}`
      : sql`select d.org_id as "orgId", d.id as "deviceId", null as road, '' as consumer
        from devices d
        where d.id = ${deviceId} and ${visible(ctx, 'd.org_id', 'd.id')}`
  }`

/** Also lanes of an earlier drawing: the complaint may be about last week. */
export const laneExists = (ctx: Ctx, deviceId: number, road: number) =>
  exists(ctx.db)`select 1 from lanes where device_id = ${deviceId} and road_index = ${road} limit 1`

/** Somebody the actor sees, and whether he holds complaint:update. */
export const person = (ctx: Ctx, userId: number) =>
  rowOf<{ name: string; handles: boolean }>(ctx.db)`
    select u.real_name as name, u.status = 'ENABLED' and u.deleted_at is null and exists (select 1
      from user_roles ur join roles r on r.id = ur.role_id and r.status = 'ENABLED'
        join role_permissions p on p.role_id = r.id
        where ur.user_id = u.id and p.permission_code = 'complaint:update') as handles
    from users u where u.id = ${userId} and ${visible(ctx, 'u.org_id')}`
