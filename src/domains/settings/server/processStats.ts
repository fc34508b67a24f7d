import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { metricsOf, sumOf } from '../../../server/metrics.ts'
import type { ProcessFigures } from '../contract.ts'

/** Each process writes down how it is, so that one page shows all of them. */
export type ProcessPart = 'api' | 'gateway' | 'worker'
export const turnMs = 10_000
/** Shown are 30 minutes; rows older than an hour go. */
const keepMs = 3_600_000

const { version } = JSON.parse(
  readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'),
) as { version: string }

type Self = {
  id: string
  startedAt: Date
  parts: Set<ProcessPart>
  machines: (() => number) | null
  last: { at: number; cpu: number }
}
const selves = new WeakMap<App, Self>()

/** Says that this part runs here; the first part of a process starts its turns. */
export function reportProcess(app: App, part: ProcessPart, machines?: () => number): void {
  const known = selves.get(app)
  const self: Self = known ?? {
    id: randomUUID(),
    startedAt: app.now(),
    parts: new Set(),
    machines: null,
    last: { at: performance.now(), cpu: cpuSeconds() },
  }
  self.parts.add(part)
  if (machines) self.machines = machines
  if (known) return
  selves.set(app, self)
  app.jobs.every('process-stats', turnMs, () => write(app, self))
}

const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

async function write(app: App, self: Self): Promise<void> {
  const figures = await figuresOf(app, self)
  const now = app.now()
  await app.database.transact(systemScope, async (db) => {
    await db
      .insertInto('process_stats')
      .values({
        process: self.id,
        at: now,
        started_at: self.startedAt,
        parts: [...self.parts].sort(),
        version,
        figures: JSON.stringify(figures),
      })
      .execute()
    await sql`delete from process_stats where at < ${new Date(now.getTime() - keepMs)}`.execute(db)
  })
}

/** Of this process now; processor and delays since the turn before. */
export async function figuresOf(
  app: App,
  self: Pick<Self, 'machines' | 'last'>,
): Promise<ProcessFigures> {
  const metrics = await metricsOf(app).getMetricsAsJSON()
  const [at, cpu] = [performance.now(), cpuSeconds()]
  const busy = (cpu - self.last.cpu) / Math.max(0.001, (at - self.last.at) / 1000)
  self.last = { at, cpu }
  const bucket = (le: number) =>
    sumOf(
      metrics,
      'http_request_seconds',
      (labels, name) => name.endsWith('_bucket') && labels.le === le,
    )
  const counted = (failed: boolean) =>
    sumOf(
      metrics,
      'http_request_seconds',
      (labels, name) => name.endsWith('_count') && (!failed || Number(labels.status) >= 500),
    )
  const ms = (name: string) => round(sumOf(metrics, name) * 1000)
  return {
    pid: process.pid,
    host: hostname(),
    node: process.versions.node,
    ...app.database.stats(),
    loopMs: ms('nodejs_eventloop_lag_p99_seconds'),
    loopMaxMs: ms('nodejs_eventloop_lag_max_seconds'),
    cpu: round(Math.max(0, busy) * 100),
    memory: sumOf(metrics, 'process_resident_memory_bytes') || process.memoryUsage.rss(),
    heap: sumOf(metrics, 'nodejs_heap_size_used_bytes'),
    requests: counted(false),
    slow: Math.max(0, counted(false) - bucket(1)),
    failed: counted(true),
    machines: self.machines?.() ?? null,
  }
}
const round = (n: number): number => (Number.isFinite(n) ? Math.round(n * 10) / 10 : 0)
