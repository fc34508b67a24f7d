import { sql } from 'kysely'
import { PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import { type Database, systemScope } from './database.ts'
import { type Loops, openLoops } from './loops.ts'

/** Background work of this process: schedules and queues by pg-boss, second-level sweeps as plain loops. */
export type JobQueue = {
  /** Runs `work` at a cron time (Asia/Shanghai) unless the schedule is paused; one process of all takes each run. */
  schedule(name: string, cron: string, work: () => Promise<void>): Promise<void>
  /** Runs `work` every `ms`, never twice at once in this process; failures are logged and the loop goes on. */
  every(name: string, ms: number, work: () => Promise<unknown>): void
  /** Runs a loop's work now instead of at its next turn, in whichever process it is. */
  poke(name: string): void
  /** Every schedule of all processes with its last and next run. */
  schedules(): Promise<ScheduleState[]>
  /** Has some process run the schedule now, paused or not. False when there is none of that name. */
  runNow(name: string): Promise<boolean>
  /** Queues failed runs once more; their number, or null when there is no such schedule. */
  retryFailed(name: string): Promise<number | null>
  /** Stops taking work and waits for what is running. */
  close(): Promise<void>
}
export type ScheduleState = {
  name: string
  cron: string
  last: { state: string; startedAt: Date | null; endedAt: Date | null; error: string } | null
  next: Date | null
  waiting: number
  running: number
  failed: number
}

const tz = 'Asia/Shanghai'
type Order = { manual?: boolean } | null

export function openJobs(url: string, log: Logger, database: Database): Omit<JobQueue, 'poke'> & Pick<Loops, 'poke'> {
  let boss: Promise<PgBoss> | undefined
  let desk: Promise<PgBoss> | undefined
  const loops = openLoops(log, database)
  const open = async (more: { supervise?: boolean; schedule?: boolean; max: number }): Promise<PgBoss> => {
    const fresh = new PgBoss({ connectionString: url, application_name: 'huodao-jobs', migrate: false, createSchema: false, ...more })
    fresh.on('error', (error) => log.warn({ err: error }, 'job queue'))
    await fresh.start()
    return fresh
  }
  const working = () => {
    boss ??= open({ max: 3 })
    return boss
  }
  /** A process that works has its queue at hand; one that only looks neither schedules nor supervises. */
  const looking = () => {
    desk ??= boss ?? open({ supervise: false, schedule: false, max: 1 })
    return desk
  }
  const paused = async (name: string) =>
    database.read(systemScope, async (db) => (await sql`select 1 from job_pauses where name = ${name}`.execute(db)).rows.length > 0)
  return {
    ...loops,
    async schedule(name, cron, work) {
      const queue = await working()
      await queue.createQueue(name, { retryLimit: 3, retryBackoff: true, policy: 'singleton' })
      await queue.work<Order>(name, async ([job]) => {
        // asked at every run, so that a pause holds for every process and over restarts
        if (!job?.data?.manual && (await paused(name))) return
        await work()
      })
      await queue.schedule(name, cron, {}, { tz })
    },
    async schedules() {
      const queue = await looking()
      return (await queue.getSchedules()).length ? scheduleStates(queue) : []
    },
    async runNow(name) {
      const queue = await looking()
      if (!(await queue.getSchedule(name))) return false
      await queue.send(name, { manual: true })
      return true
    },
    async retryFailed(name) {
      const queue = await looking()
      if (!(await queue.getSchedule(name))) return null
      const { rows } = await queue.getDb().executeSql(`select id from pgboss.job where name = $1 and state = 'failed' order by created_on limit 100`, [name])
      const ids = (rows as { id: string }[]).map(({ id }) => id)
      if (ids.length) await queue.retry(name, ids)
      return ids.length
    },
    async close() {
      await loops.close()
      for (const queue of new Set([await boss, await desk])) await queue?.stop({ graceful: true, timeout: 5000 })
    },
  }
}

type LastRun = {
  name: string
  state: string
  started_on: Date | null
  completed_on: Date | null
  output: { message?: string } | null
  waiting: string
  running: string
  failed: string
}

async function scheduleStates(queue: PgBoss): Promise<ScheduleState[]> {
  const { rows } = await queue.getDb().executeSql(`
    select distinct on (j.name) j.name, j.state::text as state, j.started_on, j.completed_on, j.output, n.waiting, n.running, n.failed
    from pgboss.job j join (select name, count(*) filter (where state in ('created', 'retry')) as waiting, count(*) filter (where state = 'active') as running,
      count(*) filter (where state = 'failed') as failed from pgboss.job group by name) n on n.name = j.name
    where j.name in (select name from pgboss.schedule) order by j.name, j.created_on desc`)
  const last = new Map((rows as LastRun[]).map((row) => [row.name, row]))
  const schedules = await queue.getSchedules()
  return schedules.map(({ name, cron }) => {
    const run = last.get(name)
    return {
      name,
      cron,
      last: run
        ? {
            state: run.state,
            startedAt: run.started_on,
            endedAt: run.completed_on,
            error: run.state === 'completed' ? '' : String(run.output?.message ?? '').slice(0, 500),
          }
        : null,
      next: queue.previewSchedule(cron, { tz, count: 1 })[0] ?? null,
      waiting: Number(run?.waiting ?? 0),
      running: Number(run?.running ?? 0),
      failed: Number(run?.failed ?? 0),
    }
  })
}
