import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { limits } from '../rules.ts'
import { sweepSilence } from './excursions.ts'
import { sweepTemperatures } from './temperature.ts'

/** Numbers of messages are kept longer than any machine keeps an unacknowledged one. */
export async function registerMachineJobs(app: App): Promise<void> {
  app.jobs.every('machine-temperature', 15_000, () => sweepTemperatures(app))
  app.jobs.every('temperature-silence', 60_000, () => sweepSilence(app))
  await app.jobs.schedule('machine-keys', '40 3 * * *', async () => {
    const before = new Date(app.now().getTime() - limits.keyDays * 86_400_000)
    for (let gone = 1; gone > 0; ) {
      gone = await app.database.transact(systemScope, async (db) => {
        const { numAffectedRows } = await sql`
          delete from device_message_keys where (device_id, boot, seq) in (
            select device_id, boot, seq from device_message_keys where received_at < ${before}
            order by received_at limit 5000)`.execute(db)
        return Number(numAffectedRows ?? 0)
      })
    }
  })
}
