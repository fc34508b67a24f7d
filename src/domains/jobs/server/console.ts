import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, iso, isoOrNull } from '../../../server/context.ts'
import { Refusal } from '../../../shared/errors.ts'
import { type ConsoleLoop, type ConsoleSchedule, jobErrors, type jobs } from '../contract.ts'

type Contract = Pick<typeof jobs, 'console' | 'runNow' | 'retryFailed' | 'pause' | 'resume'>

const states: Readonly<Record<string, ConsoleSchedule['lastState']>> = {
  created: 'WAITING',
  retry: 'WAITING',
  active: 'RUNNING',
  completed: 'DONE',
  failed: 'FAILED',
  cancelled: 'CANCELLED',
}

async function schedules(ctx: Ctx): Promise<ConsoleSchedule[]> {
  const { rows: pauses } = await sql<{ name: string; paused_by: string }>`select name, paused_by from job_pauses`.execute(ctx.db)
  const pausedBy = new Map(pauses.map((row) => [row.name, row.paused_by]))
  const found = await ctx.app.jobs.schedules()
  return found
    .map(({ name, cron, last, next, waiting, running, failed }) => ({
      name,
      cron,
      paused: pausedBy.has(name),
      pausedBy: pausedBy.get(name) ?? null,
      lastRun: isoOrNull(last?.startedAt ?? null),
      lastState: last ? (states[last.state] ?? null) : null,
      lastError: last?.error ?? '',
      lastSeconds: last?.startedAt && last.endedAt ? Math.round((last.endedAt.getTime() - last.startedAt.getTime()) / 10) / 100 : null,
      nextRun: isoOrNull(next),
      waiting,
      running,
      failed,
    }))
    .sort((a, b) => a.name.localeCompare(b.name))
}

async function loops(ctx: Ctx): Promise<ConsoleLoop[]> {
  const rows = await ctx.db.selectFrom('job_loops').selectAll().orderBy('name').orderBy('process').limit(500).execute()
  return rows.map((row) => ({
    name: row.name,
    process: row.process,
    everyMs: row.every_ms,
    runs: row.runs,
    failures: row.failures,
    lastRun: isoOrNull(row.last_at),
    lastMs: row.last_ms,
    lastError: row.last_error,
    lastErrorTime: isoOrNull(row.last_error_at),
    told: iso(row.told_at),
  }))
}

async function known(ctx: Ctx, name: string): Promise<void> {
  if (!(await ctx.app.jobs.schedules()).some((schedule) => schedule.name === name)) throw new Refusal(jobErrors.noSchedule)
}

export const handlers: Handlers<Contract> = {
  console: async (ctx) => ({ schedules: await schedules(ctx), loops: await loops(ctx) }),
  async runNow(ctx, { name }) {
    ctx.audit({ id: name })
    if (!(await ctx.app.jobs.runNow(name))) throw new Refusal(jobErrors.noSchedule)
    ctx.touch('job-console')
    return { ok: true }
  },
  async retryFailed(ctx, { name }) {
    const count = await ctx.app.jobs.retryFailed(name)
    if (count === null) throw new Refusal(jobErrors.noSchedule)
    ctx.audit({ id: name, after: { count } })
    ctx.touch('job-console')
    return { count }
  },
  async pause(ctx, { name }) {
    await known(ctx, name)
    await sql`insert into job_pauses (name, paused_by, paused_at) values (${name}, ${ctx.actor.username}, ${ctx.now}) on conflict (name) do nothing`.execute(
      ctx.db,
    )
    ctx.audit({ id: name, after: { paused: true } })
    ctx.touch('job-console')
    return { ok: true }
  },
  async resume(ctx, { name }) {
    await known(ctx, name)
    await sql`delete from job_pauses where name = ${name}`.execute(ctx.db)
    ctx.audit({ id: name, after: { paused: false } })
    ctx.touch('job-console')
    return { ok: true }
  },
}
