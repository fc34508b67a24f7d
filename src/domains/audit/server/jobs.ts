import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { settingsOf } from '../../settings/server/values.ts'
import { archiveLog } from './chain/archive.ts'
import { copyHead } from './chain/heads.ts'
import { sealOnce } from './chain/seal.ts'
import { checkKind } from './checks.ts'

/**
 * The chain and its copied heads, checks that people asked for, and on Sundays what is older than
 * the settings keep.
 */
export async function registerAuditJobs(app: App): Promise<void> {
  app.jobs.every('seal', 500, () => sealOnce(app))
  app.jobs.every('log-head', 60_000, () => copyHead(app))
  app.jobs.work(checkKind(app))
  await app.jobs.schedule('log-archive', '30 4 * * 0', () => retire(app))
}

export async function retire(app: App): Promise<void> {
  const keep = await app.database.read(systemScope, (db) =>
    settingsOf(db, 1, ['log.retentionDays', 'log.debugDays']),
  )
  await archiveLog(app, keep['log.retentionDays'])
  const before = new Date(app.now().getTime() - keep['log.debugDays'] * 86_400_000)
  for (let gone = 1; gone > 0; ) {
    gone = await app.database.transact(systemScope, async (db) => {
      const { numAffectedRows } =
        await sql`delete from debug_logs where (org_id, created_at, id) in (
        select org_id, created_at, id from debug_logs where created_at < ${before}
        order by created_at limit 5000)`.execute(db)
      return Number(numAffectedRows ?? 0)
    })
  }
  await app.database.transact(systemScope, (db) =>
    sql`delete from log_debug_sessions where until < ${before}`.execute(db),
  )
}
