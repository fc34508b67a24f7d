import { sql } from 'kysely'
import { z } from 'zod'
import { type Ctx, visible } from '../../../server/context.ts'
import { onlyRow } from '../../../server/rows.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import type { Input, Output } from '../../../shared/contract.ts'
import { addDays, startOfDay } from '../../../shared/instants.ts'
import { Alert, AlertRow, type alerts, Delivery, Member } from '../contract.ts'

/** What code asks of an alert besides what it shows. */
const beside = { subject: z.string(), data: z.record(z.string(), z.unknown()) }
const joined = {
  rtuNumber: sql`coalesce(d.rtu_number, '')`,
  nickname: sql`coalesce(d.nickname, '')`,
  orgName: sql`o.name`,
  deviceCount: sql`case when a.device_id is null then coalesce(m.members, 0) else 1 end`,
  awayCount: sql`coalesce(m.away, 0)`,
  openTime: sql`a.opened_at`,
  closeTime: sql`a.closed_at`,
  handler: sql`coalesce(nullif(a.closed_name, ''), a.acked_name)`,
  data: sql`a.data`,
}
const listed = shape(AlertRow.extend(beside), ['alerts', 'a'], joined, ['content', 'can'])
export type Row = Rows<typeof listed>

const alert = shape(
  Alert.extend(beside),
  ['alerts', 'a'],
  {
    ...joined,
    ackName: sql`a.acked_name`,
    ackTime: sql`a.acked_at`,
    closeName: sql`a.closed_name`,
    remindTime: sql`a.reminded_at`,
  },
  ['content', 'can', 'members', 'deliveries'],
)
const from = sql`alerts a join organisations o on o.id = a.org_id left
  join devices d on d.id = a.device_id
  left join lateral (select count(*) as members, count(*) filter (where m.back_at is null) as away
    from alert_members m where m.alert_id = a.id) m on a.device_id is null`
/** A machine by its words, also as one of many. */
const names = (keyword: string) => sql`(select app_search('devices', ${keyword}))`

export const listRows = (ctx: Ctx, input: Input<typeof alerts.list>) =>
  listed.page(ctx.db, {
    from,
    countFrom: sql`alerts a`,
    input,
    last: sql`a.id`,
    grows: true,
    sort: { openTime: sql`a.opened_at`, closeTime: sql`a.closed_at`, times: sql`a.times` },
    where: [
      visible(ctx, 'a.org_id', 'a.device_id'),
      input.state === 'active'
        ? sql`a.state <> 'CLOSED'`
        : input.state !== 'all' && sql`a.state = ${input.state}`,
      input.kind && sql`a.kind = ${input.kind}`,
      input.level && sql`a.level = ${input.level}`,
      input.orgId && sql`a.org_id = ${input.orgId}`,
      input.deviceId &&
        sql`(a.device_id = ${input.deviceId} or exists (select from alert_members m
          where m.alert_id = a.id and m.device_id = ${input.deviceId}))`,
      input.keyword &&
        sql`(a.device_id in ${names(input.keyword)} or exists (select from alert_members m
          where m.alert_id = a.id and m.device_id in ${names(input.keyword)}))`,
      input.from && sql`a.opened_at >= ${startOfDay(input.from)}`,
      input.to && sql`a.opened_at < ${startOfDay(addDays(input.to, 1))}`,
    ],
  })

export const row = (ctx: Ctx, id: number) =>
  alert.one(
    ctx.db,
    sql`from ${from} where a.id = ${id} and ${visible(ctx, 'a.org_id', 'a.device_id')}`,
  )

export const stats = (ctx: Ctx) =>
  onlyRow<Output<typeof alerts.stats>>(ctx.db)`
    select count(*) filter (where a.state = 'OPEN') as open,
      count(*) filter (where a.state = 'ACKNOWLEDGED') as acknowledged
    from alerts a where a.state <> 'CLOSED' and ${visible(ctx, 'a.org_id', 'a.device_id')}`

const member = shape(Member, ['alert_members', 'm'], {
  rtuNumber: sql`d.rtu_number`,
  nickname: sql`d.nickname`,
  backTime: sql`m.back_at`,
})
export const members = (ctx: Ctx, id: number) =>
  member.all(
    ctx.db,
    sql`from alert_members m join devices d on d.id = m.device_id
      where m.alert_id = ${id} and ${visible(ctx, 'm.org_id', 'm.device_id')}
      order by m.back_at is not null, d.rtu_number limit 200`,
  )

const delivery = shape(Delivery, ['alert_outbox', 'o'], {
  channelName: sql`c.name`,
  channelType: sql`c.type`,
  nextTime: sql`o.next_at`,
  sendTime: sql`o.sent_at`,
})
export const deliveries = (ctx: Ctx, id: number) =>
  delivery.all(
    ctx.db,
    sql`from alert_outbox o join alert_channels c on c.id = o.channel_id
      where o.alert_id = ${id} and ${visible(ctx, 'o.org_id')} order by o.id desc limit 50`,
  )

/** How many of these the actor may see. */
export async function seen(ctx: Ctx, ids: readonly number[]): Promise<number> {
  const mine = await onlyRow<{ n: number }>(ctx.db)`select count(*) as n from alerts a
    where a.id = any(${[...ids]}::bigint[]) and ${visible(ctx, 'a.org_id', 'a.device_id')}`
  return mine.n
}
