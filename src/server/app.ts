import pino from 'pino'
import type { Config } from './config.ts'
import type { App } from './context.ts'
import { openDatabase } from './database.ts'
import { openFiles } from './files.ts'
import { refuseWrongInstallation } from './installation.ts'
import { openJobs } from './jobs.ts'
import { openLive } from './live.ts'

/** Opens what a process needs. `now` is the server's clock; only tests give another. */
export async function openApp(config: Config, name: string, now: () => Date = () => new Date()): Promise<App> {
  if (!config.databaseUrl) throw new Error('DATABASE_URL is not set')
  const log = pino({
    name,
    level: config.logLevel,
    base: { app: name },
    redact: { paths: ['password', '*.password', 'headers.authorization'], censor: '[secret]' },
  })
  const database = await openDatabase({ url: config.databaseUrl, reads: 10, writes: 14, statementMs: 20_000 })
  try {
    await refuseWrongInstallation(database, config)
  } catch (error) {
    await database.close()
    throw error
  }
  const live = await openLive(database, (error) => log.warn({ err: error }, 'live updates'))
  return { config, database, log, files: openFiles(config.dataDir), jobs: openJobs(config.databaseUrl, log, database), live, now }
}

/** Streams first (they never end by themselves), then work in progress, the database last. */
export async function closeApp(app: App): Promise<void> {
  app.live.endStreams()
  await app.jobs.close()
  await app.live.close()
  await app.database.close()
}
