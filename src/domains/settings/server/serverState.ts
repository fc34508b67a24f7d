import { statfs } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { iso, isoOrNull } from '../../../server/context.ts'
import { missingParts } from '../../../server/parts.ts'
import { onlyRow } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import { clock } from '../../../server/work.ts'
import * as f from '../../../shared/fields.ts'
import { Process, Queue, type settings } from '../contract.ts'
import { turnMs } from './processStats.ts'

const reported = shape(
  Process.pick({
    process: true,
    parts: true,
    startedAt: true,
    version: true,
    figures: true,
  }).extend({ at: f.instant }),
  ['process_stats', 'p'],
  {
    parts: sql`p.parts`,
    figures: sql`p.figures`,
  },
)
const shownMs = 1_800_000

/** All processes by what each wrote last, and what they share: database, queues, disk. */
export const serverState: Handlers<typeof settings>['server'] = async (ctx) => {
  const { now } = ctx
  const rows = await reported.all(
    ctx.db,
    sql`from process_stats p where p.at > ${new Date(now.getTime() - shownMs)}
      order by p.process, p.at`,
  )
  const processes = [...Map.groupBy(rows, (row) => row.process).values()].map((all) => {
    const { at: seenAt, ...last } = all.at(-1) as (typeof all)[number]
    return {
      ...last,
      seenAt,
      alive: now.getTime() - Date.parse(seenAt) < 3 * turnMs,
      points: all.slice(-180).map(({ at, figures: { cpu, loopMs, memory, reads, writes } }) => ({
        at,
        cpu,
        loopMs,
        memory,
        waiting: reads.waiting + writes.waiting,
      })),
    }
  })
  const queue = shape(Queue, ['job_schedules', 's'], {
    waiting: sql`(s.state <> 'RUNNING' and s.next_at <= ${clock(ctx.app)})::int`,
    active: sql`(s.state = 'RUNNING')::int`,
    failed: sql`(s.state = 'FAILED')::int`,
    lastAt: sql`s.ended_at`,
  })
  const database = await onlyRow<{
    version: string
    bytes: number
    connections: number
    most: number
  }>(ctx.db)`
    select current_setting('server_version') as version,
      pg_database_size(current_database()) as bytes,
      (select count(*) from pg_stat_activity where datname = current_database()) as connections,
      current_setting('max_connections')::int as most`
  const migrations = await onlyRow<{ applied: number; last: string; at: Date | null }>(ctx.db)`
    select count(*) as applied, coalesce(max(name), '') as last, max(applied_at) as at
    from schema_migrations`
  const disk = await statfs(ctx.app.config.dataDir)
  return {
    asOf: iso(now),
    // those that run before those that stopped, the oldest first
    processes: processes.sort(
      (a, b) => Number(b.alive) - Number(a.alive) || (a.startedAt < b.startedAt ? -1 : 1),
    ),
    missing: await missingParts(ctx.db, now),
    queues: await queue.all(ctx.db, sql`from job_schedules s order by s.name limit 200`),
    database,
    migrations: { ...migrations, at: isoOrNull(migrations.at) },
    disk: { free: disk.bavail * disk.bsize, total: disk.blocks * disk.bsize },
    environment: ctx.app.config.environment,
  }
}
