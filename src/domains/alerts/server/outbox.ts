import { sql } from 'kysely'
import { type Ctx, iso } from '../../../server/context.ts'
import { sendTime } from '../rules.ts'

export const sendLoop = 'alerts-send'

type Way = {
  alert_id: number
  org_id: number
  channel_id: number
  urgent: boolean
  quiet_from: string | null
  quiet_to: string | null
  urgent_through: boolean
}

/** The intent to tell, one row per alert and channel of its rule, in the transaction of the alert. What is over is told to whoever heard of it. */
export async function queue(ctx: Ctx, event: 'OPENED' | 'CLOSED', alertIds: readonly number[], at: Date): Promise<void> {
  if (alertIds.length === 0) return
  const heard = sql`(c.tell_closed and exists (select from alert_outbox o where o.alert_id = a.id and o.channel_id = c.id and o.event = 'OPENED'))`
  const { rows } = await sql<Way>`
    select a.id as alert_id, a.org_id, c.id as channel_id, a.level = 'ERROR' and a.urgent as urgent, c.quiet_from, c.quiet_to, c.urgent_through
    from alerts a join alert_channels c on c.org_id = a.org_id and c.enabled left join alert_rules r on r.org_id = a.org_id and r.kind = a.kind
    where a.id = any(${[...alertIds]}::bigint[]) and (r.channel_ids is null or c.id = any(r.channel_ids)) and ${event === 'OPENED' ? sql`true` : heard}`.execute(
    ctx.db,
  )
  if (rows.length === 0) return
  const messages = rows.map((way) => {
    const when = sendTime(at.getTime(), { quietFrom: way.quiet_from, quietTo: way.quiet_to, urgentThrough: way.urgent_through }, way.urgent)
    return { org_id: way.org_id, channel_id: way.channel_id, alert_id: way.alert_id, next_at: iso(new Date(when)), held: when > at.getTime() }
  })
  await sql`insert into alert_outbox (org_id, channel_id, alert_id, event, held, next_at, created_at)
    select org_id, channel_id, alert_id, ${event}, held, next_at, ${ctx.now} from jsonb_to_recordset(${JSON.stringify(messages)}::jsonb)
      as x (org_id bigint, channel_id bigint, alert_id bigint, next_at timestamptz, held boolean) order by alert_id, channel_id`.execute(ctx.db)
  ctx.afterCommit(() => ctx.app.jobs.poke(sendLoop))
}

/** Nobody needs to hear of these any more: part of a larger one, machine or rule gone. What is on its way goes on. */
export async function dropWaiting(ctx: Ctx, alertIds: readonly number[]): Promise<void> {
  await sql`update alert_outbox set state = 'DROPPED', next_at = null where alert_id = any(${[...alertIds]}::bigint[]) and state = 'WAITING' and batch is null`.execute(
    ctx.db,
  )
}
