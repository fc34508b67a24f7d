import { PgBoss } from 'pg-boss'
import type { Logger } from 'pino'

/** Background work of this process: schedules and queues by pg-boss, second-level sweeps as plain loops. */
export type JobQueue = {
  /** Runs `work` at a cron time (Asia/Shanghai); one process of all takes each run. */
  schedule(name: string, cron: string, work: () => Promise<void>): Promise<void>
  /** Runs `work` every `ms`, never twice at once in this process; failures are logged and the loop goes on. */
  every(name: string, ms: number, work: () => Promise<unknown>): void
  /** Runs a loop's work now instead of at its next turn. */
  poke(name: string): void
  /** Stops taking work and waits for what is running. */
  close(): Promise<void>
}

type Loop = { run: () => void; stop: () => Promise<void> }

export function openJobs(url: string, log: Logger): JobQueue {
  let boss: PgBoss | undefined
  const loops = new Map<string, Loop>()
  async function started(): Promise<PgBoss> {
    if (boss) return boss
    boss = new PgBoss({ connectionString: url, application_name: 'huodao-jobs', max: 3, migrate: false, createSchema: false })
    boss.on('error', (error) => log.warn({ err: error }, 'job queue'))
    await boss.start()
    return boss
  }
  return {
    async schedule(name, cron, work) {
      const queue = await started()
      await queue.createQueue(name, { retryLimit: 3, retryBackoff: true, policy: 'singleton' })
      await queue.work(name, async () => {
        await work()
      })
      await queue.schedule(name, cron, {}, { tz: 'Asia/Shanghai' })
    },
    every(name, ms, work) {
      let timer: NodeJS.Timeout | undefined
      let running: Promise<void> | undefined
      let again = false
      let stopped = false
      const run = (): void => {
        if (stopped) return
        if (running) {
          again = true
          return
        }
        clearTimeout(timer)
        running = work()
          .then(
            () => {},
            (error: unknown) => log.error({ err: error, loop: name }, 'loop'),
          )
          .finally(() => {
            running = undefined
            if (stopped) return
            if (again) {
              again = false
              setImmediate(run)
            } else timer = setTimeout(run, ms)
          })
      }
      timer = setTimeout(run, ms)
      loops.set(name, {
        run,
        async stop() {
          stopped = true
          clearTimeout(timer)
          await running
        },
      })
    },
    poke: (name) => loops.get(name)?.run(),
    async close() {
      await Promise.all([...loops.values()].map((loop) => loop.stop()))
      await boss?.stop({ graceful: true, timeout: 5000 })
    },
  }
}
