import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { bySystem } from '../../../server/run.ts'
import { dropOldBrowsers } from './browsers.ts'
import { dropOldGuards } from './guard.ts'
import { runSms, smsLoop } from './sms.ts'
import { runWayMessages } from './ways.ts'

export async function registerSessionJobs(app: App): Promise<void> {
  app.jobs.every(smsLoop, 1000, async () => {
    await runSms(app)
    await runWayMessages(app)
  })
  app.jobs.every('session-clean', 600_000, () => forgetOld(app))
}

/** Tickets and codes are of no use after their limits; a number's codes count for a day. */
export const forgetOld = (app: App): Promise<unknown> =>
  bySystem(app, async (ctx) => {
    const day = new Date(ctx.now.getTime() - 2 * 86_400_000)
    await sql`delete from scan_tickets where created_at < ${day}`.execute(ctx.db)
    await sql`delete from sms_codes where created_at < ${day}`.execute(ctx.db)
    await dropOldGuards(ctx)
    await dropOldBrowsers(ctx.db, ctx.now)
    await sql`delete from factor_tickets where created_at < ${day}`.execute(ctx.db)
    // what a link could bring back is of no use after its hours; that something changed stays in the log
    await sql`delete from way_changes where expires_at < ${ctx.now} and send_state not in ('PENDING','SENDING')`.execute(ctx.db)
    await sql`delete from dev_messages where created_at < ${day}`.execute(ctx.db)
  })
