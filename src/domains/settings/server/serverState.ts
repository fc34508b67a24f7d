import { statfs } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { iso, isoOrNull } from '../../../server/context.ts'
import { missingParts } from '../../../server/parts.ts'
import { clock } from '../../../server/work.ts'
import type { ProcessFigures, settings } from '../contract.ts'
import { turnMs } from './processStats.ts'

type Row = { process: string; at: Date; started_at: Date; parts: ('api' | 'gateway' | 'worker')[]; version: string; figures: ProcessFigures }
const shownMs = 1_800_000

/** All processes by what each wrote last, and what they share: database, queues, disk. */
export const serverState: Handlers<typeof settings>['server'] = async (ctx) => {
  const { now } = ctx
  const { rows } = await sql<Row>`select process, at, started_at, parts, version, figures from process_stats
    where at > ${new Date(now.getTime() - shownMs)} order by process, at`.execute(ctx.db)
  const processes = [...Map.groupBy(rows, (row) => row.process).values()].map((all) => {
    const last = all.at(-1) as Row
    return {
      process: last.process,
      parts: last.parts,
      startedAt: iso(last.started_at),
      seenAt: iso(last.at),
      alive: now.getTime() - last.at.getTime() < 3 * turnMs,
      version: last.version,
      figures: last.figures,
      points: all.slice(-180).map((row) => ({
        at: iso(row.at),
        cpu: row.figures.cpu,
        loopMs: row.figures.loopMs,
        memory: row.figures.memory,
        waiting: row.figures.reads.waiting + row.figures.writes.waiting,
      })),
    }
  })
  const { rows: queues } = await sql<{ name: string; waiting: number; active: number; failed: number; last_at: Date | null }>`
    select name, (state <> 'RUNNING' and next_at <= ${clock(ctx.app)})::int as waiting, (state = 'RUNNING')::int as active, (state = 'FAILED')::int as failed, ended_at as last_at
    from job_schedules order by name limit 200`.execute(ctx.db)
  const { rows: database } = await sql<{ version: string; bytes: number; connections: number; most: number }>`
    select current_setting('server_version') as version, pg_database_size(current_database()) as bytes,
      (select count(*) from pg_stat_activity where datname = current_database()) as connections, current_setting('max_connections')::int as most`.execute(
    ctx.db,
  )
  const { rows: migrations } = await sql<{ applied: number; last: string | null; at: Date | null }>`
    select count(*) as applied, max(name) as last, max(applied_at) as at from schema_migrations`.execute(ctx.db)
  const disk = await statfs(ctx.app.config.dataDir)
  return {
    asOf: iso(now),
    // those that run before those that stopped, the oldest first
    processes: processes.sort((a, b) => Number(b.alive) - Number(a.alive) || (a.startedAt < b.startedAt ? -1 : 1)),
    missing: await missingParts(ctx.db, now),
    queues: queues.map((row) => ({ name: row.name, waiting: row.waiting, active: row.active, failed: row.failed, lastAt: isoOrNull(row.last_at) })),
    database: database[0] as (typeof database)[number],
    migrations: { applied: migrations[0]?.applied ?? 0, last: migrations[0]?.last ?? '', at: isoOrNull(migrations[0]?.at ?? null) },
    disk: { free: disk.bavail * disk.bsize, total: disk.blocks * disk.bsize },
    environment: ctx.app.config.environment,
  }
}
