import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { rowOf, rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { tenantName } from '../../../server/shares.ts'
import {
  claiming,
  clock,
  type Ending,
  type Failed,
  type Kind,
  Lost,
  longestAgo,
  type Piece,
  type Retry,
  turns,
} from '../../../server/work.ts'
import { madeStorable } from '../../../shared/text.ts'
import type { ChannelType } from '../channelContract.ts'
import { alertLimits, sendTime } from '../rules.ts'
import { dropReminders, sendsName } from './outbox.ts'
import { type Batch, type Event, readEvents, sendBatch, tellInApp } from './senders.ts'

type Due = Batch & Piece & { readonly turnOf: string }
type Sent = { readonly state: 'SENT'; readonly inApp?: readonly Event[] }

/**
 * What is due for a channel leaves as one batch, which keeps its number: a receiver can tell a
 * repetition. Organisations take turns.
 */
export const sendKind = (app: App): Kind<Due, Sent> => {
  const kind: Kind<Due, Sent> = {
    name: sendsName,
    table: 'alert_outbox',
    planned: true,
    atOnce: 20,
    leaseSeconds: alertLimits.leaseSeconds,
    waits: alertLimits.retries.map((minutes) => minutes * 60),
    claim: claimDue,
    do: (batch) => deliver(app, batch),
    mark,
  }
  return kind

  async function claimDue(ctx: Ctx, free: number, served: readonly string[]): Promise<Due[]> {
    const now = clock(app)
    const unbatched = { table: 'alert_outbox', of: sql<boolean>`t.batch is null` }
    await sql`
      with recursive ${turns(app, unbatched, alertLimits.batch)},
      due as (select o.id, o.channel_id, o.event = 'TEST' as test from alert_outbox o join turns
        using (id) where o.batch is null and o.next_at <= ${now}
        order by turns.turn, o.next_at, o.id limit ${alertLimits.batch}
        for update of o skip locked),
      named as (select channel_id, test, gen_random_uuid() as batch
        from (select distinct channel_id, test from due) x)
      update alert_outbox o set batch = named.batch from due join named using (channel_id, test)
      where o.id = due.id`.execute(ctx.db)
    const rows = await rowsOf<Omit<Due, 'ours'>>(ctx.db)`
      with due as (select batch, tenant from (select b.*,
          row_number() over (partition by tenant order by turn, at) as turn_of
          from (select batch, ${tenantName(sql`alert_outbox.org_id`)} as tenant, min(next_at) as at,
            row_number() over (partition by org_id order by min(next_at)) as turn
            from alert_outbox where batch is not null and next_at <= ${now}
            group by batch, org_id) b) b
        order by turn_of, ${longestAgo(served, sql`tenant`)}, at limit ${free})
      update alert_outbox t set state = 'SENDING', ${claiming(app, kind)} from due
      where t.batch = due.batch and t.next_at <= ${now}
      returning t.batch as id, due.tenant as "turnOf", t.channel_id as "channelId",
        t.org_id as "orgId", t.attempts`
    const batches = [...new Map(rows.map((row) => [row.id, row])).values()]
    return batches.map((row) => ({
      ...row,
      ours: sql`batch = ${row.id}::uuid and state = 'SENDING' and attempts = ${row.attempts}`,
    }))
  }
}

async function deliver(app: App, batch: Batch): Promise<Sent | Retry | Failed> {
  const found = await bySystem(app, async (ctx) => {
    type Channel = { type: ChannelType; quietFrom: string | null; quietTo: string | null }
    const channel = await rowOf<Channel>(
      ctx.db,
    )`select type, quiet_from as "quietFrom", quiet_to as "quietTo" from alert_channels
      where id = ${batch.channelId}`
    if (!channel) return null
    const now = ctx.now.getTime()
    const quiet = sendTime(now, { ...channel, urgentThrough: false }, false) > now
    await dropReminders(ctx, batch.id, quiet)
    return { type: channel.type, events: await readEvents(ctx, batch.id) }
  })
  if (!found?.events.length) throw new Lost()
  // people and the mark in one transaction: exactly once
  return found.type === 'IN_APP'
    ? { state: 'SENT', inApp: found.events }
    : sendBatch(app, batch, found.events)
}

/** Writes how a try ended, at the rows and at the channel. */
async function mark(ctx: Ctx, batch: Due, to: Ending<Sent>): Promise<void> {
  // what the other side said is shown to people
  const reason = 'reason' in to ? madeStorable(to.reason).slice(0, 200) : ''
  const { numAffectedRows } = await sql`
    update alert_outbox set state = ${to.state === 'RETRY' ? 'WAITING' : to.state},
      reason = ${reason},
      sent_at = ${to.state === 'SENT' ? ctx.now : null}::timestamptz, next_at = ${to.nextAt}
      where ${batch.ours}`.execute(ctx.db)
  if (!numAffectedRows) return
  if (to.state === 'SENT' && to.inApp) await tellInApp(ctx, batch.orgId, to.inApp)
  await sql`update alert_channels
    set last_state = ${to.state}, last_reason = ${reason}, last_at = ${ctx.now}
    where id = ${batch.channelId}`.execute(ctx.db)
  for (const topic of ['alerts', 'alert-channels']) ctx.touch(topic, batch.orgId)
}

/** Messages of long ago; alerts themselves stay. */
export const forgetOld = (app: App): Promise<unknown> =>
  bySystem(app, async (ctx) => {
    await sql`delete from alert_mail_days
      where day < ${ctx.now}::timestamptz - interval '90 days'`.execute(ctx.db)
    await sql`delete from alert_outbox
      where id in (select id from alert_outbox
        where created_at < ${new Date(ctx.now.getTime() - 90 * 86_400_000)} and next_at is null
        limit 5000)`.execute(ctx.db)
  })
