import { sql } from 'kysely'
import { z } from 'zod'
import { type Ctx, found, visible } from '../../../server/context.ts'
import { onlyRow } from '../../../server/rows.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { exportTitle } from '../../jobs/server/exports.ts'
import { RunRow, SubscriptionRow, type subscriptions } from '../contract.ts'
import { nextDue, stateFrom } from '../rules.ts'

/** The author's, and those of whoever gets it. */
const mine = (ctx: Ctx) => sql`(s.user_id = ${ctx.actor.userId} or exists (
    select from subscription_people p where p.subscription_id = s.id
      and p.user_id = ${ctx.actor.userId} and p.state = 'ACTIVE'))
  and ${visible(ctx, 's.org_id')}`
export const nameOf = (user: string) =>
  sql<string>`coalesce(nullif(${sql.ref(`${user}.real_name`)}, ''), ${sql.ref(`${user}.username`)})`

const last = (ctx: Ctx, column: 'state' | 'created_at') =>
  sql`(select r.${sql.raw(column)} from subscription_runs r where r.subscription_id = s.id
    and r.user_id = ${ctx.actor.userId} order by r.id desc limit 1)`
const subscription = (ctx: Ctx) =>
  shape(
    SubscriptionRow.extend({
      userId: z.number(),
      endpoint: z.string().nullable(),
      subjectName: z.string().nullable(),
    }),
    ['subscriptions', 's'],
    {
      author: nameOf('u'),
      subjectName: sql`o.name`,
      people: sql<string[]>`(select coalesce(array_agg(${nameOf('x')} order by x.id), '{}')
        from subscription_people p join users x on x.id = p.user_id
        where p.subscription_id = s.id and p.state = 'ACTIVE' and p.user_id <> s.user_id)`,
      userIds: sql<number[]>`(select coalesce(array_agg(p.user_id order by p.user_id), '{}')
        from subscription_people p where p.subscription_id = s.id and p.state = 'ACTIVE'
          and p.user_id <> s.user_id and s.user_id = ${ctx.actor.userId})`,
      lastState: sql`${last(ctx, 'state')}`,
      lastTime: sql`${last(ctx, 'created_at')}`,
      createTime: sql`s.created_at`,
    },
    ['subject', 'can', 'nextTime'],
  )
export type Row = Rows<ReturnType<typeof subscription>>
const from = sql`subscriptions s join users u on u.id = s.user_id
  left join organisations o on o.id = s.subject_id`

export const listRows = (ctx: Ctx, input: Input<typeof subscriptions.list>) =>
  subscription(ctx).page(ctx.db, {
    from,
    countFrom: sql`subscriptions s`,
    input,
    last: sql`s.id`,
    sort: { createTime: sql`s.created_at`, name: sql`s.name` },
    where: [
      mine(ctx),
      input.kind && sql`s.kind = ${input.kind}`,
      input.state && sql`s.state = ${input.state}`,
    ],
  })

/** Of the author or whoever gets it. */
export const row = async (ctx: Ctx, id: number): Promise<Row> =>
  found(await subscription(ctx).one(ctx.db, sql`from ${from} where s.id = ${id} and ${mine(ctx)}`))

export async function shown(
  ctx: Ctx,
  { userId, endpoint, subjectName, ...row }: Row,
): Promise<SubscriptionRow> {
  const own = userId === ctx.actor.userId
  return {
    ...row,
    subject: endpoint === null ? (subjectName ?? '') : await exportTitle(endpoint, ctx.lang),
    // the database orders nothing: numbers of an array arrive as text
    userIds: row.userIds.map(Number),
    nextTime: row.state === 'ACTIVE' ? nextDue(row, ctx.now).toISOString() : null,
    can: {
      update: own && row.state !== 'ENDED',
      pause: own && stateFrom('PAUSED').includes(row.state),
      resume: own && stateFrom('ACTIVE').includes(row.state),
      run: own && row.state === 'ACTIVE',
      delete: own,
      leave: !own,
    },
  }
}

const run = (ctx: Ctx) =>
  shape(RunRow, ['subscription_runs', 'r'], {
    person: nameOf('u'),
    from: sql`r.data_from::text`,
    to: sql`r.data_to::text`,
    jobId: sql`case when r.user_id = ${ctx.actor.userId} and j.file_key is not null then j.id end`,
    createTime: sql`r.created_at`,
    finishTime: sql`r.finished_at`,
  })
export const listRuns = (ctx: Ctx, { id, ...input }: Input<typeof subscriptions.runs>) =>
  run(ctx).page(ctx.db, {
    from: sql`subscription_runs r join subscriptions s on s.id = r.subscription_id
      join users u on u.id = r.user_id left join jobs j on j.id = r.job_id`,
    input,
    last: sql`r.id`,
    sort: { createTime: sql`r.created_at` },
    where: [
      sql`r.subscription_id = ${id}`,
      sql`${ctx.actor.userId} in (s.user_id, r.user_id)`,
      visible(ctx, 'r.org_id'),
    ],
  })

export async function openCount(ctx: Ctx): Promise<number> {
  const { n } = await onlyRow<{ n: number }>(ctx.db)`select count(*) as n from subscriptions
    where user_id = ${ctx.actor.userId} and state <> 'ENDED'`
  return n
}

export async function handRuns(ctx: Ctx): Promise<number> {
  const since = new Date(ctx.now.getTime() - 3_600_000)
  const { n } = await onlyRow<{ n: number }>(ctx.db)`select count(*) as n from subscription_runs
    where by_hand and created_at > ${since} and user_id = ${ctx.actor.userId}`
  return n
}

/** One after the other, so that what is counted stays counted. */
export const lockPerson = (ctx: Ctx) =>
  ctx.later(sql`select pg_advisory_xact_lock(
    hashtextextended(${`subscriptions ${ctx.actor.userId}`}, 0))`)

export async function addressOf(ctx: Ctx, userId: number) {
  const { rows } = await sql<{ address: string; confirmed: boolean }>`select m.address,
      exists (select from alert_recipients a where a.org_id = m.org_id
        and a.address = lower(m.address) and a.confirmed_at is not null) as confirmed
    from mail_addresses m join users u on u.id = m.user_id and u.org_id = m.org_id
    where m.user_id = ${userId}`.execute(ctx.db)
  return rows[0] ?? { address: '', confirmed: false }
}
