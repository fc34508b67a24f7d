import type { App } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { bi } from '../../../shared/text.ts'
import { notify } from '../../notices/server/notify.ts'

/**
 * Tells the principal of the organisation once that a complaint is over its time; at most 200 a
 * turn.
 */
export const escalate = (app: App): Promise<number> =>
  bySystem(app, async (ctx) => {
    const late = await rowsOf<{
      id: number
      orgId: number
      content: string
      principal: number | null
    }>(ctx.db)`
      update complaints c set escalated_at = ${ctx.now} where c.id in (
        select id from complaints
        where state in ('OPEN','HANDLING','WAITING') and escalated_at is null and deleted_at is null
          and resolve_due_at <= ${ctx.now}
        order by resolve_due_at limit 200 for update skip locked)
      returning c.id, c.org_id as "orgId", c.content, (select u.id from users u
        where u.org_id = c.org_id and u.is_principal) as principal`
    for (const { id, content, principal } of late) {
      if (principal === null) continue
      const title = bi(`投诉 #${id} 已超时`, `Complaint #${id} is overdue`)
      const body = bi(content.slice(0, 200), content.slice(0, 200))
      await notify(ctx, {
        userIds: [principal],
        kind: 'SYSTEM',
        title,
        body,
        link: `/complaint/feedback?detail=${id}`,
      })
    }
    if (late.length) ctx.touch('complaints', late)
    return late.length
  })

/** Resolved a week ago and nobody came back: closed. */
export const closeResolved = (app: App): Promise<number> =>
  bySystem(app, async (ctx) => {
    const closed = await rowsOf(ctx.db)`
      with closed as (
        update complaints set state = 'CLOSED', version = version + 1 where id in (
          select id from complaints
          where state = 'RESOLVED'
            and resolved_at <= ${new Date(ctx.now.getTime() - 7 * 86_400_000)} order by id
            limit 1000 for update skip locked)
        returning id, org_id)
      insert into complaint_entries (complaint_id, org_id, kind, username, created_at)
      select id, org_id, 'CLOSE', 'system', ${ctx.now} from closed returning 1`
    return closed.length
  })

export async function registerComplaintJobs(app: App): Promise<void> {
  app.jobs.every('complaint-sla', 300_000, () => escalate(app))
  await app.jobs.schedule('complaint-close', '0 1 * * *', async () => {
    await closeResolved(app)
  })
}
