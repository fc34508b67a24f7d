import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'

/** Codes that are over are of no use to anybody. */
export const forgetCodes = (app: App): Promise<unknown> =>
  app.database.transact(systemScope, (db) =>
    sql`delete from referrer_codes where expires_at < ${app.now()}::timestamptz
      - interval '1 day'`.execute(db),
  )

export async function registerReferrerJobs(app: App): Promise<void> {
  app.jobs.every('referrer-codes', 3_600_000, () => forgetCodes(app))
}
