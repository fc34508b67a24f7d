import type { App } from './context.ts'
import { type Loops, openLoops } from './loops.ts'
import { keepSchedule, type Schedules, scheduleKind, schedulesName } from './schedules.ts'
import { openWorker, type Worker } from './work.ts'

/**
 * Background work of this process: durable work, schedules, and sweeps of what the clock says as
 * plain loops.
 */
export type JobQueue = {
  /** Does pieces of this kind, beside other processes that do. */
  work(kind: Parameters<Worker['work']>[0]): void
  /**
   * Runs `work` at a cron time (Asia/Shanghai) unless the schedule is paused; one process of all
   * takes each run.
   */
  schedule(name: string, cron: string, work: () => Promise<void>): Promise<void>
  /**
   * Runs `work` every `ms`, never twice at once in this process; failures are logged and the loop
   * goes on.
   */
  every(name: string, ms: number, work: () => Promise<unknown>): void
  /** Looks now at a kind of work, or runs a loop now, in whichever process it is. */
  poke(name: string): void
  /**
   * All work of this process is known: brings to now what a clock that was set back left ahead
   * (`setBack.ts`).
   */
  setRight(): Promise<void>
  /** Stops taking work and waits for what is running. */
  close(): Promise<void>
}

/** `app` is not whole yet. */
export function openJobs(app: () => App): Omit<JobQueue, 'poke'> & Pick<Loops, 'poke'> {
  const loops = openLoops(app)
  const schedules: Schedules = new Map()
  const worker = openWorker(app, async () => {
    for (const [name, { cron }] of schedules) await keepSchedule(app(), name, cron)
  })
  let ofSchedules: ReturnType<Worker['work']> | undefined
  return {
    every: loops.every,
    poke(name) {
      if (name !== schedulesName) return loops.poke(name)
      ofSchedules?.run()
      return ofSchedules !== undefined
    },
    setRight: worker.setRight,
    work: (kind) => loops.add(kind.name, worker.work(kind)),
    async schedule(name, cron, work) {
      schedules.set(name, { cron, work })
      await keepSchedule(app(), name, cron)
      // the console shows each of them by itself
      ofSchedules ??= worker.work(scheduleKind(app, schedules))
    },
    async close() {
      await Promise.all([loops.close(), worker.close()])
    },
  }
}
