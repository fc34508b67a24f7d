import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { selectPage } from '../../../server/lists.ts'
import type { Input } from '../../../shared/contract.ts'
import { addDays, startOfDay } from '../../../shared/instants.ts'
import type { Alert, AlertKind, AlertRow, alerts } from '../contract.ts'

export type Row = {
  id: number
  org_id: number
  org_name: string
  device_id: number | null
  kind: AlertKind
  subject: string
  level: AlertRow['level']
  state: AlertRow['state']
  data: Record<string, unknown>
  times: number
  since: Date
  opened_at: Date
  closed_at: Date | null
  close_reason: AlertRow['closeReason']
  close_remark: string
  closed_name: string
  acked_name: string
  acked_at: Date | null
  ack_remark: string
  reminders: number
  reminded_at: Date | null
  rtu_number: string | null
  nickname: string | null
  members: number
  away: number
}
const from = sql`alerts a join organisations o on o.id = a.org_id left join devices d on d.id = a.device_id
  left join lateral (select count(*) as members, count(*) filter (where m.back_at is null) as away from alert_members m where m.alert_id = a.id) m on a.device_id is null`
const columns = sql`a.id, a.org_id, o.name as org_name, a.device_id, a.kind, a.subject, a.level, a.state, a.data, a.times, a.since, a.opened_at, a.closed_at, a.close_reason, a.close_remark,
  a.closed_name, a.acked_name, a.acked_at, a.ack_remark, a.reminders, a.reminded_at, d.rtu_number, d.nickname, coalesce(m.members, 0) as members, coalesce(m.away, 0) as away`

/** A machine by its words, also as one of many. */
const names = (keyword: string) => sql`(select app_search('devices', ${keyword}))`

export const listRows = (ctx: Ctx, input: Input<typeof alerts.list>) =>
  selectPage<Row>(ctx.db, {
    columns,
    from,
    countFrom: sql`alerts a`,
    input,
    last: sql`a.id`,
    sort: { openTime: sql`a.opened_at`, closeTime: sql`a.closed_at`, times: sql`a.times` },
    where: [
      visible(ctx, 'a.org_id', 'a.device_id'),
      input.state === 'active' ? sql`a.state <> 'CLOSED'` : input.state !== 'all' && sql`a.state = ${input.state}`,
      input.kind && sql`a.kind = ${input.kind}`,
      input.level && sql`a.level = ${input.level}`,
      input.orgId && sql`a.org_id = ${input.orgId}`,
      input.deviceId &&
        sql`(a.device_id = ${input.deviceId} or exists (select from alert_members m where m.alert_id = a.id and m.device_id = ${input.deviceId}))`,
      input.keyword &&
        sql`(a.device_id in ${names(input.keyword)} or exists (select from alert_members m where m.alert_id = a.id and m.device_id in ${names(input.keyword)}))`,
      input.from && sql`a.opened_at >= ${startOfDay(input.from)}`,
      input.to && sql`a.opened_at < ${startOfDay(addDays(input.to, 1))}`,
    ],
  })

export async function row(ctx: Ctx, id: number): Promise<Row | undefined> {
  const { rows } = await sql<Row>`select ${columns} from ${from} where a.id = ${id} and ${visible(ctx, 'a.org_id', 'a.device_id')}`.execute(ctx.db)
  return rows[0]
}

export async function stats(ctx: Ctx): Promise<{ open: number; acknowledged: number }> {
  const { rows } = await sql<{ open: number; acknowledged: number }>`
    select count(*) filter (where a.state = 'OPEN') as open, count(*) filter (where a.state = 'ACKNOWLEDGED') as acknowledged
    from alerts a where a.state <> 'CLOSED' and ${visible(ctx, 'a.org_id', 'a.device_id')}`.execute(ctx.db)
  return rows[0] ?? { open: 0, acknowledged: 0 }
}

export type MemberRow = { device_id: number; rtu_number: string; nickname: string; cause: Alert['members'][number]['cause']; since: Date; back_at: Date | null }
export async function members(ctx: Ctx, id: number): Promise<MemberRow[]> {
  const { rows } = await sql<MemberRow>`
    select m.device_id, d.rtu_number, d.nickname, m.cause, m.since, m.back_at from alert_members m join devices d on d.id = m.device_id
    where m.alert_id = ${id} and ${visible(ctx, 'm.org_id', 'm.device_id')} order by m.back_at is not null, d.rtu_number limit 200`.execute(ctx.db)
  return rows
}

export type DeliveryRow = Pick<Alert['deliveries'][number], 'id' | 'channelName' | 'channelType' | 'event' | 'state' | 'held' | 'attempts' | 'reason'> & {
  next_at: Date | null
  sent_at: Date | null
}
export async function deliveries(ctx: Ctx, id: number): Promise<DeliveryRow[]> {
  const { rows } = await sql<DeliveryRow>`
    select o.id, c.name as "channelName", c.type as "channelType", o.event, o.state, o.held, o.attempts, o.reason, o.next_at, o.sent_at
    from alert_outbox o join alert_channels c on c.id = o.channel_id where o.alert_id = ${id} and ${visible(ctx, 'o.org_id')} order by o.id desc limit 50`.execute(
    ctx.db,
  )
  return rows
}

/** How many of these the actor may see. */
export async function seen(ctx: Ctx, ids: readonly number[]): Promise<number> {
  const { rows } = await sql<{
    n: number
  }>`select count(*) as n from alerts a where a.id = any(${[...ids]}::bigint[]) and ${visible(ctx, 'a.org_id', 'a.device_id')}`.execute(ctx.db)
  return rows[0]?.n ?? 0
}
