import { type RawBuilder, sql } from 'kysely'
import { type Ctx, iso } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { alertLimits, sendTime } from '../rules.ts'

export const sendsName = 'alerts-send'

export type MessageEvent = 'OPENED' | 'REMINDER' | 'CLOSED' | 'TEST'
type Way = { alertId: number; orgId: number; channelId: number; urgent: boolean } & Parameters<
  typeof sendTime
>[1]
const wayOf = (
  urgent: RawBuilder<unknown>,
) => sql`a.id as "alertId", a.org_id as "orgId", c.id as "channelId", ${urgent} as urgent,
  c.quiet_from as "quietFrom", c.quiet_to as "quietTo", c.urgent_through as "urgentThrough"`

/**
 * The intent to tell, one row per alert and channel of its rule, in the transaction of the alert.
 * What is over is told to whoever heard of it.
 */
export async function queue(
  ctx: Ctx,
  event: 'OPENED' | 'CLOSED',
  alertIds: readonly number[],
  at: Date,
): Promise<void> {
  if (alertIds.length === 0) return
  const heard = sql`(c.tell_closed and exists (select from alert_outbox o
    where o.alert_id = a.id and o.channel_id = c.id and o.event = 'OPENED'))`
  const ways = await rowsOf<Way>(ctx.db)`select ${wayOf(sql`a.level = 'ERROR' and a.urgent`)}
    from alerts a join alert_channels c on c.org_id = a.org_id and c.enabled left
    join alert_rules r on r.org_id = a.org_id and r.kind = a.kind
    where a.id = any(${[...alertIds]}::bigint[])
      and (r.channel_ids is null or c.id = any(r.channel_ids))
      and ${event === 'OPENED' ? sql`true` : heard}`
  const now = at.getTime()
  const messages = ways.map((way) => ({ ...way, at: now, when: sendTime(now, way, way.urgent) }))
  await put(ctx, event, messages)
}

/**
 * A word again about alerts nobody has taken on. A channel in its quiet time, one that still has
 * something to say about the alert or said it since `since` is left out: a reminder is never late
 * and never a second message in a row.
 */
export async function queueReminders(
  ctx: Ctx,
  due: readonly { readonly id: number; readonly since: number }[],
): Promise<void> {
  const ways = await rowsOf<Way>(ctx.db)`select ${wayOf(sql`false`)}
    from unnest(${due.map(({ id }) => id)}::bigint[],
      ${due.map(({ since }) => iso(new Date(since)))}::timestamptz[]) as x (id, since)
    join alerts a on a.id = x.id join alert_channels c on c.org_id = a.org_id and c.enabled left
    join alert_rules r on r.org_id = a.org_id and r.kind = a.kind
    where (r.channel_ids is null or c.id = any(r.channel_ids))
      and not exists (select from alert_outbox o
        where o.alert_id = a.id and o.channel_id = c.id
          and (o.next_at is not null or o.sent_at > x.since))`
  const now = ctx.now.getTime()
  const open = ways.filter((way) => sendTime(now, way, false) === now)
  const messages = open.map((way) => ({ ...way, at: now, when: now }))
  await put(ctx, 'REMINDER', messages)
}

async function put(
  ctx: Ctx,
  event: MessageEvent,
  ways: readonly (Way & { at: number; when: number })[],
): Promise<void> {
  if (ways.length === 0) return
  const messages = ways.map(({ when, at, ...way }) => ({
    ...way,
    nextAt: new Date(when),
    held: when > at,
  }))
  await sql`insert into alert_outbox (org_id, channel_id, alert_id, event, held, next_at,
    created_at)
    select "orgId", "channelId", "alertId", ${event}, held, "nextAt", ${ctx.now}
    from jsonb_to_recordset(${JSON.stringify(messages)}::jsonb)
      as x ("orgId" bigint, "channelId" bigint, "alertId" bigint, "nextAt" timestamptz,
        held boolean) order by "alertId", "channelId"`.execute(ctx.db)
  ctx.afterCommit(() => ctx.app.jobs.poke(sendsName))
}

/**
 * Reminders on their way that came too late: somebody has taken the alert on meanwhile, or the
 * channel is in its quiet time.
 */
export async function dropReminders(ctx: Ctx, batch: string, quiet: boolean): Promise<void> {
  await sql`update alert_outbox o set state = 'DROPPED', next_at = null from alerts a
    where o.batch = ${batch}::uuid and o.event = 'REMINDER' and o.state = 'SENDING'
      and a.id = o.alert_id and (${quiet} or a.state <> 'OPEN')`.execute(ctx.db)
}

/**
 * Nobody needs to hear of these any more: part of a larger one, machine or rule gone. What is on
 * its way goes on.
 */
export async function dropWaiting(ctx: Ctx, alertIds: readonly number[]): Promise<void> {
  await sql`update alert_outbox set state = 'DROPPED', next_at = null
    where alert_id = any(${[...alertIds]}::bigint[]) and state = 'WAITING'
      and batch is null`.execute(ctx.db)
}

/**
 * Counts towards what an organisation may send in a day; false when that would be too much, and
 * counts nothing.
 */
export async function countToday(
  ctx: Ctx,
  orgId: number,
  what: keyof typeof alertLimits.perDay,
  n: number,
): Promise<boolean> {
  const column = sql.ref(what)
  const most = alertLimits.perDay[what]
  if (n > most) return false
  const { numAffectedRows } = await sql`insert into alert_mail_days as d (org_id, day, ${column})
      values (${orgId}, ${shanghaiDay(ctx.now)}::date, ${n})
    on conflict (org_id, day) do update set ${column} = ${sql.ref(`d.${what}`)} + ${n}
    where ${sql.ref(`d.${what}`)} + ${n} <= ${most}`.execute(ctx.db)
  return numAffectedRows === 1n
}
