import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { rowOf, rowsOf } from '../../../server/rows.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { hoursOf } from '../../program-groups/server/queries.ts'
import { type adBindings, BindingRow } from '../contract.ts'

const binding = (ctx: Ctx) =>
  shape(
    BindingRow,
    ['ad_bindings', 'b'],
    {
      groupName: sql`g.name`,
      slotKind: sql`b.slot_kind`,
      priority: sql`b.priority`,
      state: sql`b.state`,
      dateFrom: sql`b.date_from::text`,
      dateTo: sql`b.date_to::text`,
      weekdays: sql`b.weekdays`,
      windows: hoursOf('b.windows'),
      deviceCount: sql`(select count(*) from ad_binding_devices x where x.binding_id = b.id
      and ${visible(ctx, 'x.org_id', 'x.device_id')})`,
      orgName: sql`o.name`,
      createTime: sql`b.created_at`,
    },
    ['can'],
  )
export type Row = Rows<typeof binding>
const from = sql`ad_bindings b join program_groups g on g.id = b.group_id
  join organisations o on o.id = b.org_id`

export const listRows = (ctx: Ctx, input: Input<typeof adBindings.list>) =>
  binding(ctx).page(ctx.db, {
    from,
    countFrom: sql`ad_bindings b`,
    input,
    last: sql`b.id`,
    sort: { dateFrom: sql`b.date_from`, createTime: sql`b.created_at` },
    where: [
      visible(ctx, 'b.org_id'),
      input.groupId && sql`b.group_id = ${input.groupId}`,
      input.slotKind && sql`b.slot_kind = ${input.slotKind}`,
      input.state && sql`b.state = ${input.state}`,
      input.orgId && sql`b.org_id = ${input.orgId}`,
      input.deviceId &&
        sql`exists (select from ad_binding_devices x
          where x.binding_id = b.id and x.device_id = ${input.deviceId}
            and ${visible(ctx, 'x.org_id', 'x.device_id')})`,
    ],
  })
export const row = (ctx: Ctx, id: number) =>
  binding(ctx).one(ctx.db, sql`from ${from} where b.id = ${id} and ${visible(ctx, 'b.org_id')}`)

export type Group = {
  orgId: number
  name: string
  slotKind: Row['slotKind']
  windows: Row['windows']
  ofPlatform: boolean
}
/** An enabled group; held, so that it is not stopped meanwhile. */
export const groupRow = (ctx: Ctx, id: number) =>
  rowOf<Group>(ctx.db)`select g.org_id as "orgId", g.name, g.slot_kind as "slotKind",
      ${hoursOf('g.windows')} as windows, o.kind = 'PLATFORM' as "ofPlatform"
    from program_groups g join organisations o on o.id = g.org_id
    where g.id = ${id} and g.state = 'ENABLED' and ${visible(ctx, 'g.org_id')} for share of g`

/** Of these machines those that a binding of this organisation may be on; they stay where they are. */
export const machines = (ctx: Ctx, orgId: number, ids: readonly number[]) =>
  rowsOf<{ id: number; orgId: number }>(ctx.db)`select d.id, d.org_id as "orgId" from devices d
    join organisations o on o.id = d.org_id join organisations g on g.id = ${orgId}
    where d.id = any(${[...ids]}::bigint[]) and o.path <@ g.path
      and d.lifecycle not in ('SOLD', 'SCRAPPED') and ${visible(ctx, 'd.org_id', 'd.id')}
    order by d.id for share of d`

/** Whether all of a group may play to this day. */
export const content = (ctx: Ctx, groupId: number, dateTo: string) =>
  rowOf<{ unapproved: boolean; ends: boolean }>(ctx.db)`
    select coalesce(bool_or(m.state <> 'APPROVED'), true) as unapproved,
      coalesce(bool_or(m.valid_until < ${dateTo}::date), false) as ends
    from program_group_items i join ad_creatives c on c.id = i.creative_id
    join ad_materials m on m.id = c.material_id where i.group_id = ${groupId}`

export type Held = {
  deviceIds: readonly number[]
  slotKind: string
  dateFrom: string
  dateTo: string
  week: string
}
/** What holds these machines then: the constraint says the same to two who write at once. */
export const conflicts = (ctx: Ctx, { deviceIds, slotKind, dateFrom, dateTo, week }: Held) =>
  rowsOf<{
    deviceId: number
    rtuNumber: string
    slotKind: Row['slotKind']
    bindingId: number
    dateFrom: string
    dateTo: string
    week: { from: number; to: number }[]
  }>(ctx.db)`
    select x.device_id as "deviceId", d.rtu_number as "rtuNumber", x.slot_kind as "slotKind",
      x.binding_id as "bindingId", greatest(lower(x.days), ${dateFrom}::date)::text as "dateFrom",
      least(upper(x.days) - 1, ${dateTo}::date)::text as "dateTo",
      (select jsonb_agg(jsonb_build_object('from', lower(w), 'to', upper(w)) order by w)
        from unnest(x.week * ${week}::int4multirange) w) as week
    from ad_binding_devices x join devices d on d.id = x.device_id
    where x.holds and x.device_id = any(${[...deviceIds]}::bigint[]) and x.slot_kind = ${slotKind}
      and x.days && daterange(${dateFrom}::date, ${dateTo}::date, '[]')
      and x.week && ${week}::int4multirange and ${visible(ctx, 'x.org_id', 'x.device_id')}
    order by 2, 4 limit 200`

export type Planned = {
  slot: Row['slotKind']
  priority: Row['priority']
  groupId: number
  bindingId: number
  groupName: string
  from: string
  to: string
  week: [number, number][]
  starts: number | null
  ends: number | null
}
/** Everything approved that is on a machine, of whichever organisation. */
export const planned = (ctx: Ctx, deviceId: number) =>
  rowsOf<Planned>(ctx.db)`
    select x.slot_kind as slot, x.priority, x.group_id as "groupId", x.binding_id as "bindingId",
      coalesce(g.name, '') as "groupName", lower(x.days)::text as from,
      (upper(x.days) - 1)::text as to,
      (select jsonb_agg(jsonb_build_array(lower(w), upper(w)) order by w) from unnest(x.week) w)
        as week,
      (extract(epoch from x.starts_at) * 1000)::float8 as starts,
      (extract(epoch from x.ends_at) * 1000)::float8 as ends
    from ad_binding_devices x left join program_groups g on g.id = x.group_id
    where x.device_id = ${deviceId} and x.plays and ${visible(ctx, 'x.org_id', 'x.device_id')}
    order by x.binding_id`

export const seesMachine = (ctx: Ctx, deviceId: number) =>
  rowOf<{ id: number }>(ctx.db)`select d.id from devices d
    where d.id = ${deviceId} and ${visible(ctx, 'd.org_id', 'd.id')}`

export const today = (ctx: Ctx): string => shanghaiDay(ctx.now)

export const authorOf = async (ctx: Ctx, id: number): Promise<number | null> =>
  (
    await rowOf<{ by: number | null }>(ctx.db)`select created_by as by from ad_bindings
      where id = ${id}`
  )?.by ?? null
