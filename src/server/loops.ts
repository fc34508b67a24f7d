import { hostname } from 'node:os'
import { sql } from 'kysely'
import type { App } from './context.ts'
import { beside } from './database.ts'
import { bySystem } from './run.ts'

/**
 * Second-level sweeps of this process, and their pulse in job_loops with that of durable work, so
 * that the console sees those of every process.
 */
export type Loop = { run: () => void; stop: () => Promise<void>; pulse: Pulse }
export type Pulse = {
  everyMs: number
  runs: number
  failures: number
  lastAt: Date | null
  lastMs: number | null
  lastError: string
  lastErrorAt: Date | null
}

const tellEveryMs = 10_000
const processName = `${hostname()}:${process.pid}`.slice(0, 100)

export type Loops = {
  every(name: string, ms: number, work: () => Promise<unknown>): void
  add(name: string, loop: Loop): void
  poke(name: string): boolean
  close(): Promise<void>
}

export function openLoops(app: () => App): Loops {
  const loops = new Map<string, Loop>()
  let telling: NodeJS.Timeout | undefined
  async function tell(): Promise<void> {
    const now = new Date()
    await bySystem(app(), async ({ db }) => {
      const rows = [...loops].map(([name, { pulse }]) => ({
        process: processName,
        name,
        every_ms: pulse.everyMs,
        runs: pulse.runs,
        failures: pulse.failures,
        last_at: pulse.lastAt,
        last_ms: pulse.lastMs,
        last_error: pulse.lastError,
        last_error_at: pulse.lastErrorAt,
        told_at: now,
      }))
      const columns = [
        'every_ms',
        'runs',
        'failures',
        'last_at',
        'last_ms',
        'last_error',
        'last_error_at',
        'told_at',
      ] as const
      await db
        .insertInto('job_loops')
        .values(rows)
        .onConflict((oc) =>
          oc
            .columns(['name', 'process'])
            .doUpdateSet((eb) =>
              Object.fromEntries(columns.map((column) => [column, eb.ref(`excluded.${column}`)])),
            ),
        )
        .execute()
      await sql`delete from job_loops
        where told_at < ${new Date(now.getTime() - 86_400_000)}`.execute(db)
    })
  }
  const add = (name: string, loop: Loop): void => {
    // one of them would run and be seen nowhere
    if (loops.has(name)) throw new Error(`two loops are called ${name}`)
    loops.set(name, loop)
    telling ??= setInterval(
      () =>
        void beside(tell).catch((error: unknown) =>
          app().log.warn({ err: error }, 'pulse of loops'),
        ),
      tellEveryMs,
    ).unref()
  }
  return {
    add,
    every: (name, ms, work) =>
      add(
        name,
        startLoop(ms, work, (error) => app().log.error({ err: error, loop: name }, 'loop')),
      ),
    poke(name) {
      loops.get(name)?.run()
      return loops.has(name)
    },
    async close() {
      clearInterval(telling)
      await Promise.all([...loops.values()].map((loop) => loop.stop()))
      const gone = sql`delete from job_loops where process = ${processName}`
      if (telling) await bySystem(app(), ({ db }) => gone.execute(db)).catch(() => {})
    },
  }
}

function startLoop(
  ms: number,
  work: () => Promise<unknown>,
  onError: (error: unknown) => void,
): Loop {
  const pulse: Pulse = {
    everyMs: ms,
    runs: 0,
    failures: 0,
    lastAt: null,
    lastMs: null,
    lastError: '',
    lastErrorAt: null,
  }
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
    const [at, began] = [new Date(), performance.now()]
    running = beside(work)
      .then(
        () => {},
        (error: unknown) => {
          onError(error)
          pulse.failures += 1
          pulse.lastError = String(error instanceof Error ? error.message : error).slice(0, 500)
          pulse.lastErrorAt = new Date()
        },
      )
      .finally(() => {
        running = undefined
        pulse.runs += 1
        pulse.lastAt = at
        pulse.lastMs = Math.round(performance.now() - began)
        if (stopped) return
        if (again) {
          again = false
          setImmediate(run)
        } else timer = setTimeout(run, ms)
      })
  }
  timer = setTimeout(run, ms)
  return {
    run,
    pulse,
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
