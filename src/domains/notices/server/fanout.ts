import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { onlyRow, rowOf, rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { matchesStored } from './audience.ts'
import { cleanHtml } from './html.ts'

/** People per transaction: a second of work at most, and what a crash repeats. */
const perBatch = 2000

/**
 * What readers may see from now on. In the transaction that publishes; the text is cleaned again on
 * its way out.
 */
export async function announce(ctx: Ctx, ids: readonly number[]): Promise<void> {
  const rows = await rowsOf<{ id: number; content: string }>(
    ctx.db,
  )`select n.id, n.content from notices n where n.id = any(${[...ids]}::bigint[])`
  await sql`
    insert into announcements (notice_id, org_id, sender, content, images, popup, must_confirm,
      pinned, until_at)
    select n.id, n.org_id, o.name, x.content, n.images, 'POPUP' = any(n.channels), n.must_confirm,
      n.pinned, n.expire_at
    from unnest(${rows.map((n) => n.id)}::bigint[],
      ${rows.map((n) => cleanHtml(n.content))}::text[]) as x (id, content)
    join notices n on n.id = x.id join organisations o on o.id = n.org_id`.execute(ctx.db)
}

/** Publishes what has waited for its time. */
export const publishDue = (app: App): Promise<number> =>
  bySystem(app, async (ctx) => {
    // nobody speaks through a notice who may not sign in any more: it waits as a draft for whoever
    // takes it over
    const rows = await rowsOf<{ id: number; org_id: number; state: string }>(ctx.db)`
      update notices set state = case when spoken.still then 'PUBLISHED'
        else 'DRAFT' end, published_at = case when spoken.still then ${ctx.now}::timestamptz end,
          version = version + 1, updated_at = ${ctx.now}
      from (select n.id as notice, n.author_id is null or exists (select from users u
        where u.id = n.author_id and u.status = 'ENABLED' and u.deleted_at is null) as still
        from notices n) spoken
      where spoken.notice = notices.id and id in (select id from notices
        where state = 'SCHEDULED' and publish_at <= ${ctx.now} order by publish_at limit 20
        for update skip locked) and state = 'SCHEDULED'
      returning id, org_id, state`
    const published = rows.filter((n) => n.state === 'PUBLISHED').map((n) => n.id)
    const orgs = rows.map((n) => n.org_id)
    if (rows.length) {
      await announce(ctx, published)
      ctx.touch('notices', orgs)
    }
    return rows.length
  })

type Fanning = { id: number; org_id: number; fan_cursor: number }
type Written = { last: number | null; added: number; orgs: number[] }

/**
 * Writes the messages of one batch of readers of one notice; answers how many people it looked at,
 * 0 when nothing is left. The notice is locked meanwhile: withdrawing waits for the batch and ends
 * the rest. A killed batch is done again from its cursor.
 */
export const fanOut = (app: App, batch = perBatch): Promise<number> =>
  bySystem(app, async (ctx) => {
    const notice = await rowOf<Fanning>(ctx.db)`select n.id, n.org_id, n.fan_cursor from notices n
      where n.state = 'PUBLISHED' and n.fanned_at is null order by n.id
      limit 1 for no key update skip locked`
    if (!notice) return 0
    const written = await onlyRow<Written>(ctx.db)`
      with who as (select u.id, u.org_id from users u join organisations o on o.id = u.org_id
        where u.id > ${notice.fan_cursor} and ${matchesStored(notice.id, notice.org_id)}
        order by u.id limit ${batch}),
      added as (insert into messages (org_id, user_id, kind, title_zh, title_en, body_zh, body_en,
        img, notice_id, created_at)
        select w.org_id, w.id, 'ANNOUNCEMENT', n.title, n.title, n.excerpt, n.excerpt,
          coalesce(n.images[1], ''), n.id, n.published_at
        from who w join notices n on n.id = ${notice.id} order by w.id
        on conflict (notice_id, user_id) do nothing returning org_id)
      select (select max(id) from who) as last, (select count(*) from added) as added,
        coalesce((select array_agg(org_id) from (select distinct org_id from added limit 101) x),
          '{}') as orgs`
    await sql`update notices
      set fan_cursor = coalesce(${written.last}::bigint, fan_cursor),
        target_count = target_count + ${written.added}::int,
      fanned_at = case when ${written.last}::bigint is null then ${ctx.now}::timestamptz end
      where id = ${notice.id}`.execute(ctx.db)
    // everybody below the notice's organisation hears of that one; a few are named by themselves
    const orgs = written.orgs.length > 100 ? [notice.org_id] : written.orgs
    ctx.afterCommit(() => {
      for (const org of orgs) app.live.publish(['messages'], org)
      app.live.publish(['notices'], notice.org_id)
    })
    return written.last === null ? 0 : batch
  })

/**
 * Ends what is over. Readers stopped seeing it at its very end; this is the word in the author's
 * list.
 */
export const expireDue = (app: App): Promise<number> =>
  bySystem(app, async (ctx) => {
    const rows = await rowsOf<{ org_id: number }>(ctx.db)`
      update notices set state = 'EXPIRED', ended_at = ${ctx.now}, version = version + 1,
        updated_at = ${ctx.now}
      where id in (select id from notices where state = 'PUBLISHED' and expire_at <= ${ctx.now}
        limit 100 for update skip locked) and state = 'PUBLISHED'
      returning org_id`
    const orgs = new Set(rows.map((n) => n.org_id))
    ctx.afterCommit(() => {
      for (const org of orgs) app.live.publish(['notices', 'messages'], org)
    })
    return rows.length
  })

/**
 * Hides the messages of ended notices, a batch at a time, so that counting never has to ask about
 * old ones.
 */
export const sweepEnded = (app: App, batch = perBatch): Promise<number> =>
  bySystem(app, async (ctx) => {
    const ended = await rowOf<{ id: number }>(
      ctx.db,
    )`select a.notice_id as id from announcements a join notices n on n.id = a.notice_id
      where a.until_at <= ${ctx.now} and a.swept_at is null and n.state in ('WITHDRAWN', 'EXPIRED')
      order by a.until_at limit 1 for no key update of a skip locked`
    if (!ended) return 0
    const { numAffectedRows } = await sql`update messages set hidden_at = ${ctx.now} where id in (
      select id from messages where notice_id = ${ended.id} and hidden_at is null order by id
      limit ${batch} for update)`.execute(ctx.db)
    if (!numAffectedRows)
      await ctx.db
        .updateTable('announcements')
        .set({ swept_at: ctx.now })
        .where('notice_id', '=', ended.id)
        .execute()
    return 1
  })
