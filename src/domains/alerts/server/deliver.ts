import { sql } from 'kysely'
import { type App, type Ctx, iso } from '../../../server/context.ts'
import { bySystem } from '../../../server/run.ts'
import { madeStorable } from '../../../shared/text.ts'
import { alertLimits, nextTry, sendTime } from '../rules.ts'
import type { SendAnswer } from './outbound.ts'
import { dropReminders } from './outbox.ts'
import { type Batch, type Event, readEvents, sendBatch, tellInApp } from './senders.ts'

/**
 * Sends what is due: taken and committed, then the call, then the result. Whoever dies in between leaves rows whose lease runs out;
 * they go again under the same number, so nothing is lost and a receiver can tell a repetition.
 */
export async function runOutbox(app: App): Promise<number> {
  const batches = await take(app)
  const results = await Promise.allSettled(batches.map((batch) => deliver(app, batch)))
  for (const result of results) if (result.status === 'rejected') app.log.error({ err: result.reason }, 'alert message')
  return batches.length
}

type Taken = { batch: string; channel_id: number; org_id: number; attempts: number }

async function take(app: App): Promise<Batch[]> {
  return bySystem(app, async (ctx) => {
    const lease = new Date(ctx.now.getTime() + alertLimits.leaseMs)
    await sql`
      with due as (select id, channel_id, event = 'TEST' as test from alert_outbox where batch is null and next_at <= ${ctx.now} order by next_at, id limit ${alertLimits.batch} for update skip locked),
      named as (select channel_id, test, gen_random_uuid() as batch from (select distinct channel_id, test from due) x)
      update alert_outbox o set batch = named.batch from due join named using (channel_id, test) where o.id = due.id`.execute(ctx.db)
    const { rows } = await sql<Taken>`
      update alert_outbox o set state = 'SENDING', attempts = o.attempts + 1, next_at = ${lease}
      where o.batch in (select batch from alert_outbox where batch is not null and next_at <= ${ctx.now} group by batch order by min(next_at) limit 20) and o.next_at <= ${ctx.now}
      returning o.batch, o.channel_id, o.org_id, o.attempts`.execute(ctx.db)
    return [...new Map(rows.map((row) => [row.batch, row])).values()].map((row) => ({
      id: row.batch,
      channelId: row.channel_id,
      orgId: row.org_id,
      attempts: row.attempts,
    }))
  })
}

async function deliver(app: App, batch: Batch): Promise<void> {
  const found = await bySystem(app, async (ctx) => {
    const { rows } = await sql<{
      type: 'IN_APP' | 'WEBHOOK' | 'EMAIL'
      quietFrom: string | null
      quietTo: string | null
    }>`select type, quiet_from as "quietFrom", quiet_to as "quietTo" from alert_channels where id = ${batch.channelId}`.execute(ctx.db)
    const channel = rows[0]
    if (!channel) return null
    const now = ctx.now.getTime()
    await dropReminders(ctx, batch.id, sendTime(now, { ...channel, urgentThrough: false }, false) > now)
    const events = await readEvents(ctx, batch.id)
    if (channel.type !== 'IN_APP') return { events }
    // people and the mark in one transaction: exactly once
    if (await mark(ctx, batch, { state: 'SENT' })) await tellInApp(ctx, batch.orgId, events)
    return null
  })
  if (!found || found.events.length === 0) return
  const answer = await sendBatch(app, batch, found.events as readonly Event[])
  await bySystem(app, (ctx) => mark(ctx, batch, answer))
}

/** Writes how a try ended, at the rows and at the channel; false when somebody else has taken the batch meanwhile. */
async function mark(ctx: Ctx, batch: Batch, answer: SendAnswer): Promise<boolean> {
  const minutes = answer.state === 'RETRY' ? nextTry(batch.attempts) : null
  const state = answer.state === 'SENT' ? 'SENT' : minutes === null ? 'FAILED' : 'WAITING'
  // what the other side said is shown to people
  const reason = 'reason' in answer ? madeStorable(answer.reason).slice(0, 200) : ''
  const { numAffectedRows } = await sql`
    update alert_outbox set state = ${state}, reason = ${reason}, sent_at = ${state === 'SENT' ? ctx.now : null}::timestamptz,
      next_at = ${minutes === null ? null : iso(new Date(ctx.now.getTime() + minutes * 60_000))}::timestamptz
    where batch = ${batch.id}::uuid and state = 'SENDING' and attempts = ${batch.attempts}`.execute(ctx.db)
  if (!numAffectedRows) return false
  const last = state === 'WAITING' ? 'RETRY' : state
  await sql`update alert_channels set last_state = ${last}, last_reason = ${reason}, last_at = ${ctx.now} where id = ${batch.channelId}`.execute(ctx.db)
  if (state === 'FAILED') ctx.app.log.warn({ channel: batch.channelId, reason }, 'an alert message was given up')
  for (const topic of ['alerts', 'alert-channels']) ctx.touch(topic, batch.orgId)
  return true
}

/** Messages of long ago; alerts themselves stay. */
export const forgetOld = (app: App): Promise<unknown> =>
  bySystem(app, (ctx) =>
    sql`delete from alert_outbox where id in (select id from alert_outbox where created_at < ${new Date(ctx.now.getTime() - 90 * 86_400_000)} and next_at is null limit 5000)`.execute(
      ctx.db,
    ),
  )
