import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, visible } from '../../../server/context.ts'
import { answerOf } from '../../../server/lists.ts'
import { exists, onlyRow, rowsOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { Message, MessageRow, type messageEndpoints, messageErrors } from '../messageContract.ts'
import { countedTo } from '../unreadContract.ts'
import { within } from './queries.ts'

/** The message centre. Every statement names the actor: messages are a person's own. */
type Contract = typeof messageEndpoints

const from = sql`messages m left join announcements a on a.notice_id = m.notice_id`
const mine = (ctx: Ctx) =>
  sql`${visible(ctx, 'm.org_id')} and m.user_id = ${ctx.actor.userId} and m.hidden_at is null`
/**
 * An announcement that was withdrawn or has expired is gone at once, before its messages are
 * tidied.
 */
const lives = (ctx: Ctx) =>
  sql`(m.notice_id is null
    or (a.notice_id is not null and (a.until_at is null or a.until_at > ${ctx.now})))`
const inWords = (ctx: Ctx) => ({
  title: ctx.lang === 'en' ? sql`m.title_en` : sql`m.title_zh`,
  content: ctx.lang === 'en' ? sql`m.body_en` : sql`m.body_zh`,
  pinned: sql`coalesce(a.pinned, false)`,
  mustConfirm: sql`coalesce(a.must_confirm, false)`,
  readTime: sql`m.read_at`,
  confirmTime: sql`m.confirmed_at`,
  createTime: sql`m.created_at`,
})
const listed = (ctx: Ctx) => shape(MessageRow, ['messages', 'm'], inWords(ctx))
const shown = (ctx: Ctx) =>
  shape(Message, ['messages', 'm'], {
    ...inWords(ctx),
    html: sql`coalesce(a.content, '')`,
    images: sql`coalesce(a.images, '{}')`,
    sender: sql`coalesce(a.sender, '')`,
  })

const inbox: Handlers<Contract>['inbox'] = async (ctx, input) => {
  const { rows, ...found } = await listed(ctx).page(ctx.db, {
    from,
    input,
    last: sql`m.id`,
    grows: true,
    sort: { createTime: sql`m.created_at`, pinned: sql`(coalesce(a.pinned, false), m.created_at)` },
    where: [
      mine(ctx),
      lives(ctx),
      input.state === 'unread' ? sql`m.read_at is null` : sql`m.read_at is not null`,
      input.kind && sql`m.kind = ${input.kind}`,
      input.keyword &&
        sql`strpos(lower(m.title_zh || ' ' || m.title_en || ' ' || m.body_zh || ' ' || m.body_en),
          lower(${input.keyword})) > 0`,
      ...within(sql`m.created_at`, input),
    ],
  })
  return answerOf(found, rows)
}

/** Bounded, and inside one index: what has ended and is not tidied yet is a handful, asked once. */
const unread: Handlers<Contract>['unread'] = async (ctx) => {
  const { count } = await onlyRow<{ count: number }>(
    ctx.db,
  )`select count(*) as count from (select 1 from messages m where ${mine(ctx)} and m.read_at is null
    and (m.notice_id is null
      or m.notice_id <> all (array(select e.notice_id from announcements e
        where e.until_at <= ${ctx.now} and e.swept_at is null)))
    limit ${countedTo}) x`
  const popups = await rowsOf<{ id: number }>(
    ctx.db,
  )`select m.id from ${from} where ${mine(ctx)} and ${lives(ctx)}
    and m.notice_id is not null and m.confirmed_at is null
    and (a.must_confirm or (m.read_at is null and (a.popup or a.reminded_at is not null)))
    order by m.id limit 5`
  return { count, popups: popups.map((m) => m.id) }
}

const message: Handlers<Contract>['message'] = async (ctx, input) =>
  found(
    await shown(ctx).one(
      ctx.db,
      sql`from ${from} where m.id = ${input.id} and ${mine(ctx)} and ${lives(ctx)}`,
    ),
  )

/** Whether all these messages are the actor's and still there; somebody else's is like none. */
async function own(ctx: Ctx, ids: readonly number[]): Promise<void> {
  const { n } = await onlyRow<{ n: number }>(
    ctx.db,
  )`select count(*) as n from ${from} where m.id = any(${[...ids]}::bigint[]) and ${mine(ctx)}
    and ${lives(ctx)}`
  if (n !== ids.length) throw new Refusal(common.notFound)
}

/**
 * Reads what is unread among `which`, and counts it at the notices in the same statement. Notices
 * are locked in one order.
 */
async function read(ctx: Ctx, which: ReturnType<typeof sql>): Promise<number> {
  await sql`select n.id from notices n
    where n.id in (select m.notice_id from messages m
      where ${which} and ${mine(ctx)} and m.read_at is null)
    order by n.id for no key update`.execute(ctx.db)
  const { marked } = await onlyRow<{ marked: number }>(ctx.db)`
    with done as (update messages m set read_at = ${ctx.now}
      where ${which} and ${mine(ctx)} and m.read_at is null returning m.notice_id),
    counted as (update notices n set read_count = n.read_count + x.n
      from (select notice_id, count(*)::int as n from done where notice_id is not null group by 1) x
      where n.id = x.notice_id)
    select count(*) as marked from done`
  return marked
}

const markRead: Handlers<Contract>['markRead'] = async (ctx, { ids }) => {
  if (ids) await own(ctx, ids)
  return { marked: await read(ctx, ids ? sql`m.id = any(${ids}::bigint[])` : sql`true`) }
}

const confirm: Handlers<Contract>['confirm'] = async (ctx, { id }) => {
  await own(ctx, [id])
  if (!(await exists(ctx.db)`select 1 from ${from} where m.id = ${id} and a.must_confirm`))
    throw new Refusal(messageErrors.nothingToConfirm)
  await read(ctx, sql`m.id = ${id}`)
  await sql`update messages m set confirmed_at = ${ctx.now}
    where m.id = ${id} and ${mine(ctx)} and m.confirmed_at is null`.execute(ctx.db)
  return { ok: true as const }
}

const hide: Handlers<Contract>['hide'] = async (ctx, { id }) => {
  await own(ctx, [id])
  if (
    await exists(
      ctx.db,
    )`select 1 from ${from} where m.id = ${id} and a.must_confirm and m.confirmed_at is null`
  )
    throw new Refusal(messageErrors.confirmFirst)
  await sql`update messages m set hidden_at = ${ctx.now}
    where m.id = ${id} and ${mine(ctx)}`.execute(ctx.db)
  return { ok: true as const }
}

export const messageHandlers: Handlers<Contract> = {
  inbox,
  unread,
  message,
  markRead,
  confirm,
  hide,
}
