import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { bySystem } from '../../../server/run.ts'
import { bi } from '../../../shared/text.ts'
import { notify } from '../../notices/server/notify.ts'

/** Tells the principal of the organisation once that a complaint is over its time; at most 200 a turn. */
export const escalate = (app: App): Promise<number> =>
  bySystem(app, async (ctx) => {
    const { rows } = await sql<{ id: number; org_id: number; content: string; principal: number | null }>`
      update complaints c set escalated_at = ${ctx.now} where c.id in (
        select id from complaints where state in ('OPEN','HANDLING','WAITING') and escalated_at is null and deleted_at is null and resolve_due_at <= ${ctx.now}
        order by resolve_due_at limit 200 for update skip locked)
      returning c.id, c.org_id, c.content, (select u.id from users u where u.org_id = c.org_id and u.is_principal) as principal`.execute(ctx.db)
    for (const row of rows) {
      if (row.principal === null) continue
      await notify(ctx, {
        userIds: [row.principal],
        kind: 'SYSTEM',
        title: bi(`投诉 #${row.id} 已超时`, `Complaint #${row.id} is overdue`),
        body: bi(row.content.slice(0, 200), row.content.slice(0, 200)),
        link: `/complaint/feedback?detail=${row.id}`,
      })
    }
    if (rows.length)
      ctx.touch(
        'complaints',
        rows.map((row) => row.org_id),
      )
    return rows.length
  })

/** Resolved a week ago and nobody came back: closed. */
export const closeResolved = (app: App): Promise<number> =>
  bySystem(app, async (ctx) => {
    const { rows } = await sql<{ id: number }>`
      with closed as (
        update complaints set state = 'CLOSED', version = version + 1 where id in (
          select id from complaints where state = 'RESOLVED' and resolved_at <= ${new Date(ctx.now.getTime() - 7 * 86_400_000)} order by id limit 1000 for update skip locked)
        returning id, org_id)
      insert into complaint_entries (complaint_id, org_id, kind, username, created_at) select id, org_id, 'CLOSE', 'system', ${ctx.now} from closed returning complaint_id as id`.execute(
      ctx.db,
    )
    return rows.length
  })

export async function registerComplaintJobs(app: App): Promise<void> {
  app.jobs.every('complaint-sla', 300_000, () => escalate(app))
  await app.jobs.schedule('complaint-close', '0 1 * * *', async () => {
    await closeResolved(app)
  })
}
