import { CronExpressionParser } from 'cron-parser'
import { type RawBuilder, sql } from 'kysely'
import type { App, Ctx } from './context.ts'
import { bySystem } from './run.ts'
import { claiming, clock, type Kind, leased, type Piece } from './work.ts'

/**
 * What runs at the times of a cron line (Asia/Shanghai): a row of job_schedules is a piece of
 * durable work that never ends, its `next_at` is the next time. What nobody ran in time, because
 * every worker stood still, runs when one is there again.
 */
export type Schedules = Map<string, { readonly cron: string; readonly work: () => Promise<void> }>
type Run = Piece & {
  readonly name: string
  readonly cron: string
  readonly byHand: boolean
  readonly paused: boolean
  readonly at: Date
}
export const schedulesName = 'schedules'
/** Thirds of a lease: six hours. */
const mostRenewed = 72

const nextTime = (cron: string, from: Date): Date =>
  CronExpressionParser.parse(cron, { currentDate: from, tz: 'Asia/Shanghai' }).next().toDate()

/**
 * A row that is there keeps its time, unless its line has changed, or the clock was set back and
 * the time is no longer the next one.
 */
export const keepSchedule = (app: App, name: string, cron: string): Promise<unknown> =>
  bySystem(app, (ctx) => {
    const latest = nextTime(cron, new Date(ctx.now.getTime() + 60_000))
    return sql`insert into job_schedules (name, cron, next_at)
      values (${name}, ${cron}, ${nextTime(cron, ctx.now)})
      on conflict (name) do update set cron = excluded.cron, next_at = excluded.next_at
      where job_schedules.cron <> excluded.cron or job_schedules.attempts = 0
        and job_schedules.next_at > ${latest}`.execute(ctx.db)
  })

export function scheduleKind(
  app: () => App,
  schedules: Schedules,
  leaseSeconds = 900,
): Kind<Run, { state: 'DONE' }> {
  // rows of schedules that only an earlier or a later release knows are due for ever here
  const known = () => sql<boolean>`name = any(${[...schedules.keys()]}::text[])`

  const kind: Kind<Run, { state: 'DONE' }> = {
    name: schedulesName,
    table: 'job_schedules',
    key: ['name'],
    planned: true,
    atOnce: 2,
    get of() {
      return known()
    },
    leaseSeconds,
    waits: [10, 60, 300],
    async claim(ctx, free) {
      const { rows } = await sql<Run>`
        with due as (select name, by_hand from job_schedules
          where next_at <= ${clock(ctx.app)} and ${known()}
          order by next_at limit ${free} for update skip locked)
        update job_schedules t set ${claiming(ctx.app, kind)}, by_hand = false, state = 'RUNNING',
          started_at = ${clock(ctx.app)}, ended_at = null
        from due where t.name = due.name
        returning t.name, t.cron, t.attempts, due.by_hand as "byHand",
          t.paused_by is not null as paused, t.started_at as at`.execute(ctx.db)
      // attempts begin anew with each time
      return rows.map((row) => ({
        ...row,
        ours: sql`name = ${row.name} and attempts = ${row.attempts}
          and date_trunc('milliseconds', started_at) = ${row.at}::timestamptz`,
      }))
    },
    async do(run) {
      const { name, paused, byHand } = run
      // a pause holds for every process; a person may run it all the same
      if (paused && !byHand) return { state: 'DONE' }
      try {
        await renewing(run, () => schedules.get(name)?.work())
        return { state: 'DONE' }
      } catch (error) {
        app().log.error({ err: error, schedule: name }, 'schedule')
        return {
          state: 'RETRY',
          reason: String(error instanceof Error ? error.message : error).slice(0, 500),
        }
      }
    },
    // the next time is one after the database's clock said that this one had come
    mark(ctx, piece, to) {
      const again = to.state === 'RETRY'
      const ended = again
        ? sql`by_hand = by_hand or ${piece.byHand}, state = 'WAITING', next_at = ${to.nextAt}`
        : sql`attempts = 0, state = ${to.state}, next_at = case when by_hand then ${clock(ctx.app)}
          else ${nextTime(piece.cron, piece.at)}::timestamptz end`
      return sql`update job_schedules
        set ${ended}, ended_at = ${clock(ctx.app)}, error = ${to.state === 'DONE' ? '' : to.reason}
        where ${piece.ours}`.execute(ctx.db)
    },
  }
  return kind

  /**
   * Nobody else begins it while it runs, for hours at most: what hangs for ever is begun again
   * elsewhere.
   */
  async function renewing(run: Run, work: () => Promise<void> | undefined): Promise<void> {
    let left = mostRenewed
    const renew = () =>
      bySystem(app(), (ctx) =>
        sql`update job_schedules set ${leased(app(), kind)}
          where ${run.ours} and state = 'RUNNING'`.execute(ctx.db),
      ).catch((error: unknown) =>
        app().log.warn({ err: error, schedule: run.name }, 'lease of a schedule'),
      )
    const timer = setInterval(
      () => (left-- > 0 ? void renew() : clearInterval(timer)),
      (leaseSeconds * 1000) / 3,
    )
    try {
      await work()
    } finally {
      clearInterval(timer)
    }
  }
}

/**
 * Has some process run the schedule, paused or not; while it runs, once more after that. Answers
 * how many rows that are `which`.
 */
export async function runByHand(
  ctx: Pick<Ctx, 'app' | 'db' | 'afterCommit'>,
  name: string,
  which: RawBuilder<unknown> = sql`true`,
): Promise<number> {
  const { numAffectedRows } = await sql`update job_schedules
      set by_hand = true, next_at = case when state = 'RUNNING' then next_at
        else ${clock(ctx.app)} end
    where name = ${name} and ${which}`.execute(ctx.db)
  ctx.afterCommit(() => ctx.app.jobs.poke(schedulesName))
  return Number(numAffectedRows)
}
