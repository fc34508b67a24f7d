import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, iso, isoOrNull } from '../../../server/context.ts'
import { runByHand } from '../../../server/schedules.ts'
import { clock } from '../../../server/work.ts'
import { Refusal } from '../../../shared/errors.ts'
import { type ConsoleLoop, type ConsoleSchedule, jobErrors, type jobs } from '../contract.ts'

type Contract = Pick<typeof jobs, 'console' | 'runNow' | 'retryFailed' | 'pause' | 'resume'>

type Row = {
  name: string
  cron: string
  paused_by: string | null
  state: ConsoleSchedule['lastState']
  error: string
  started_at: Date | null
  ended_at: Date | null
  next_at: Date
  waits: boolean
}

async function schedules(ctx: Ctx): Promise<ConsoleSchedule[]> {
  const { rows } =
    await sql<Row>`select name, cron, paused_by, state, error, started_at, ended_at, next_at, state <> 'RUNNING' and next_at <= ${clock(ctx.app)} as waits
    from job_schedules order by name`.execute(ctx.db)
  return rows.map((row) => ({
    name: row.name,
    cron: row.cron,
    paused: row.paused_by !== null,
    pausedBy: row.paused_by,
    lastRun: isoOrNull(row.started_at),
    lastState: row.started_at && row.state,
    lastError: row.error,
    lastSeconds: row.started_at && row.ended_at ? Math.round((row.ended_at.getTime() - row.started_at.getTime()) / 10) / 100 : null,
    nextRun: iso(row.next_at),
    waiting: Number(row.waits),
    running: Number(row.state === 'RUNNING'),
    failed: Number(row.state === 'FAILED'),
  }))
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

/** One schedule is told something; the console and the log hear of it. */
async function pause(ctx: Ctx, name: string, paused: boolean): Promise<{ ok: true }> {
  const { numAffectedRows } = await sql`update job_schedules set paused_by = ${paused ? ctx.actor.username : null} where name = ${name}`.execute(ctx.db)
  if (!numAffectedRows) throw new Refusal(jobErrors.noSchedule)
  ctx.audit({ id: name, after: { paused } })
  ctx.touch('job-console')
  return { ok: true }
}

export const handlers: Handlers<Contract> = {
  console: async (ctx) => ({ schedules: await schedules(ctx), loops: await loops(ctx) }),
  async runNow(ctx, { name }) {
    ctx.audit({ id: name })
    if (!(await runByHand(ctx, name))) throw new Refusal(jobErrors.noSchedule)
    ctx.touch('job-console')
    return { ok: true }
  },
  async retryFailed(ctx, { name }) {
    if (!(await schedules(ctx)).some((schedule) => schedule.name === name)) throw new Refusal(jobErrors.noSchedule)
    const count = await runByHand(ctx, name, sql`state = 'FAILED'`)
    ctx.audit({ id: name, after: { count } })
    ctx.touch('job-console')
    return { count }
  },
  pause: (ctx, { name }) => pause(ctx, name, true),
  resume: (ctx, { name }) => pause(ctx, name, false),
}
