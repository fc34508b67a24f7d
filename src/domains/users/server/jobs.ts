import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { dayMs } from '../../../shared/instants.ts'
import { resetHours } from '../resets.ts'
import { freedName } from '../rules.ts'

const hourMs = 3_600_000
const keptDays = 180

export async function registerUserJobs(app: App): Promise<void> {
  app.jobs.every('password-resets-expire', 300_000, () => expireResets(app))
  await app.jobs.schedule('users-free-names', '20 3 * * *', () => freeNames(app))
}

/** A request nobody answered for a day ends. */
export const expireResets = (app: App): Promise<void> =>
  bySystem(app, async (ctx) => {
    const rows = await rowsOf<{ org_id: number }>(
      ctx.db,
    )`update password_resets set state = 'EXPIRED', handled_at = ${ctx.now}
      where state = 'PENDING' and created_at <= ${new Date(ctx.now.getTime() - resetHours * hourMs)}
      returning org_id`
    const orgIds = rows.map((row) => row.org_id)
    if (rows.length) ctx.touch('password-resets', orgIds)
  })

/** The name of somebody deleted half a year ago may be given again; the log keeps it as it was. */
export const freeNames = (app: App): Promise<void> =>
  bySystem(app, async (ctx) => {
    const rows = await rowsOf<{ id: number; username: string }>(
      ctx.db,
    )`select id, username from users
      where deleted_at <= ${new Date(ctx.now.getTime() - keptDays * dayMs)}
        and username not like '%#%' limit 1000`
    for (const { id, username } of rows)
      await sql`update users set username = ${freedName(username, id)} where id = ${id}`.execute(
        ctx.db,
      )
  })
