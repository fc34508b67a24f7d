import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { draftHours, keptDays } from '../rules.ts'
import { forecastAll } from './forecasts.ts'
import { settleDue } from './settle.ts'

/**
 * Visits that nobody ends: those of a day ago, and those of people who no longer serve the machine.
 * What was done with a phone is done, and waits for an operator; all others are cancelled.
 */
export const endDrafts = (app: App): Promise<number> =>
  bySystem(app, async (ctx) => {
    const since = new Date(ctx.now.getTime() - draftHours * 3_600_000)
    const ended = await rowsOf<{ orgId: number }>(ctx.db)`
      with gone as (select v.id, v.last_seq > 0 as waits
        from replenishment_visits v
        where v.state = 'DRAFT' and (coalesce(v.opened_at, v.started_at) <= ${since} or (exists (
            select from device_assignments a where a.device_id = v.device_id
              and a.user_id = v.user_id and a.to_at > v.started_at)
          and not exists (select from device_assignments a where a.device_id = v.device_id
            and a.user_id = v.user_id and a.kind = 'REPLENISHER' and a.to_at is null)))
        order by v.started_at limit 500 for update skip locked)
      update replenishment_visits v set
        state = case when gone.waits then 'SUBMITTED' else 'CANCELLED' end,
        submitted_at = case when gone.waits then ${ctx.now}::timestamptz end
      from gone where v.id = gone.id returning v.org_id as "orgId"`
    if (ended.length) ctx.touch('replenishment', ended)
    return ended.length
  })

/** Days of a month ago are looked at no more. */
const dropRoutes = (app: App): Promise<unknown> =>
  bySystem(app, async (ctx) => {
    const before = addDays(shanghaiDay(ctx.now), -keptDays)
    await sql`delete from route_plans where day < ${before}::date`.execute(ctx.db)
    await sql`delete from route_skips where day < ${before}::date`.execute(ctx.db)
  })

export async function registerReplenishmentJobs(app: App): Promise<void> {
  app.jobs.every('replenishment-drafts', 600_000, () => endDrafts(app))
  app.jobs.every('replenishment-conflicts', 600_000, () => settleDue(app))
  app.jobs.every('old-routes', 3_600_000, () => dropRoutes(app))
  await app.jobs.schedule('sell-out-forecasts', '20 * * * *', async () => {
    await forecastAll(app)
  })
}
