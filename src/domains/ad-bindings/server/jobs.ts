import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { shanghaiDay } from '../../../shared/instants.ts'

/** What begins, begins; what is over, ends and gives its hours back. */
export async function turnBindings(app: App): Promise<void> {
  await bySystem(app, async (ctx) => {
    const today = sql`${shanghaiDay(ctx.now)}::date`
    const now = sql`${ctx.now}::timestamptz`
    const moved = await rowsOf<{ id: number; orgId: number; over: boolean }>(ctx.db)`
      with due as (select id, coalesce(ends_at <= ${now}, date_to < ${today}) as over
        from ad_bindings where state in ('SCHEDULED', 'RUNNING', 'PAUSED')
          and (coalesce(ends_at <= ${now}, date_to < ${today})
            or (state = 'SCHEDULED' and coalesce(starts_at <= ${now}, date_from <= ${today})))
        order by id limit 500 for update skip locked)
      update ad_bindings b set state = case when due.over then 'ENDED' else 'RUNNING' end,
        version = version + 1
      from due where b.id = due.id returning b.id, b.org_id as "orgId", due.over`
    const ended = moved.filter(({ over }) => over).map(({ id }) => id)
    if (ended.length)
      await sql`update ad_binding_devices set holds = false, plays = false
        where binding_id = any(${ended}::bigint[])`.execute(ctx.db)
    if (moved.length)
      ctx.touch(
        'ad-bindings',
        moved.map(({ orgId }) => orgId),
      )
  })
}

export async function registerBindingJobs(app: App): Promise<void> {
  app.jobs.every('ad-bindings', 60_000, () => turnBindings(app))
}
