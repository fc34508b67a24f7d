import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import type { Ctx } from '../../../server/context.ts'
import { runByHand } from '../../../server/schedules.ts'
import { shape } from '../../../server/shapes.ts'
import { clock } from '../../../server/work.ts'
import { Refusal } from '../../../shared/errors.ts'
import { ConsoleLoop, ConsoleSchedule, jobErrors, type jobs } from '../contract.ts'

const schedules = (ctx: Ctx): Promise<ConsoleSchedule[]> =>
  shape(ConsoleSchedule, ['job_schedules', 's'], {
    paused: sql`s.paused_by is not null`,
    lastRun: sql`s.started_at`,
    lastState: sql`case when s.started_at is not null then s.state end`,
    lastError: sql`s.error`,
    lastSeconds: sql`round(extract(epoch from s.ended_at - s.started_at), 2)`,
    nextRun: sql`s.next_at`,
    waiting: sql`(s.state <> 'RUNNING' and s.next_at <= ${clock(ctx.app)})::int`,
    running: sql`(s.state = 'RUNNING')::int`,
    failed: sql`(s.state = 'FAILED')::int`,
  }).all(ctx.db, sql`from job_schedules s order by s.name`)

const loop = shape(ConsoleLoop, ['job_loops', 'l'], {
  lastRun: sql`l.last_at`,
  lastErrorTime: sql`l.last_error_at`,
  told: sql`l.told_at`,
})

/** One schedule is told something; the console and the log hear of it. */
async function pause(ctx: Ctx, name: string, paused: boolean): Promise<{ ok: true }> {
  const { numAffectedRows } =
    await sql`update job_schedules set paused_by = ${paused ? ctx.actor.username : null}
      where name = ${name}`.execute(ctx.db)
  if (!numAffectedRows) throw new Refusal(jobErrors.noSchedule)
  ctx.audit({ id: name, after: { paused } })
  ctx.touch('job-console')
  return { ok: true }
}

export const jobConsole = {
  console: async (ctx) => ({
    schedules: await schedules(ctx),
    loops: await loop.all(ctx.db, sql`from job_loops l order by l.name, l.process limit 500`),
  }),
  async runNow(ctx, { name }) {
    ctx.audit({ id: name })
    if (!(await runByHand(ctx, name))) throw new Refusal(jobErrors.noSchedule)
    ctx.touch('job-console')
    return { ok: true }
  },
  async retryFailed(ctx, { name }) {
    if (!(await schedules(ctx)).some((schedule) => schedule.name === name))
      throw new Refusal(jobErrors.noSchedule)
    const count = await runByHand(ctx, name, sql`state = 'FAILED'`)
    ctx.audit({ id: name, after: { count } })
    ctx.touch('job-console')
    return { count }
  },
  pause: (ctx, { name }) => pause(ctx, name, true),
  resume: (ctx, { name }) => pause(ctx, name, false),
} satisfies Partial<Handlers<typeof jobs>>
