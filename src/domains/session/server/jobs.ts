import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { bySystem } from '../../../server/run.ts'
import { platformOrg } from '../../../shared/access.ts'
import { settingOf } from '../../settings/server/values.ts'
import { dropOldBrowsers } from './browsers.ts'
import { dropOldGuards } from './guard.ts'
import { codeKind } from './sms.ts'
import { smsProvider } from './smsProvider.ts'
import { wayMessageKind } from './ways.ts'

export async function registerSessionJobs(app: App): Promise<void> {
  const provider = smsProvider(app)
  if (provider) {
    app.jobs.work(codeKind(app, provider))
    app.jobs.work(wayMessageKind(app, provider))
  }
  app.jobs.every('session-clean', 600_000, () => forgetOld(app))
}

/** A share of a long past at a time: other work waits for these rows, too. */
const atOnce = 5000

/**
 * Tickets and codes are of no use after their limits; a number's codes count for a day. Who came in
 * is kept as long as what he did.
 */
export const forgetOld = (app: App): Promise<unknown> =>
  bySystem(app, async (ctx) => {
    const day = new Date(ctx.now.getTime() - 2 * 86_400_000)
    await sql`delete from scan_tickets where created_at < ${day}`.execute(ctx.db)
    await sql`delete from sms_codes where created_at < ${day}`.execute(ctx.db)
    await dropOldGuards(ctx)
    await dropOldBrowsers(ctx.db, ctx.now)
    await sql`delete from factor_tickets where created_at < ${day}`.execute(ctx.db)
    // what a link could bring back is of no use after its hours; that something changed stays in
    // the log
    await sql`delete from way_changes
      where expires_at < ${ctx.now} and send_state not in ('PENDING','SENDING')`.execute(ctx.db)
    await sql`delete from dev_messages where created_at < ${day}`.execute(ctx.db)
    const past = new Date(
      ctx.now.getTime() - (await settingOf(ctx.db, platformOrg, 'log.retentionDays')) * 86_400_000,
    )
    await sql`delete from login_attempts where id in (
      select id from login_attempts where created_at < ${past} order by created_at, id
      limit ${atOnce})`.execute(ctx.db)
    await sql`delete from sessions
      where id in (select id from sessions where expires_at < ${past} limit ${atOnce})`.execute(
      ctx.db,
    )
  })
