import pino from 'pino'
import type { Config } from './config.ts'
import { type App, serverNow } from './context.ts'
import { openDatabase } from './database.ts'
import { openFiles } from './files.ts'
import { refuseWrongInstallation } from './installation.ts'
import { openJobs } from './jobs.ts'
import { openLive } from './live.ts'
import type { Product } from './product.ts'

/**
 * Connections at most: three processes together stay below the 100 that PostgreSQL has by default.
 */
const pools: Readonly<Record<string, { reads: number; looks: number; writes: number }>> = {
  gateway: { reads: 3, looks: 2, writes: 12 },
  worker: { reads: 4, looks: 2, writes: 8 },
}
const usual = { reads: 8, looks: 5, writes: 14 }

/** Told to the other processes when a loop is wanted that runs in one of them; nobody's screen. */
const loopTopic = 'loop:'
const platform = 1

/** Opens what a process needs to run a product. */
export async function openApp(
  config: Config,
  product: Product,
  name: string,
  now: () => Date = serverNow,
): Promise<App> {
  if (!config.databaseUrl) throw new Error('DATABASE_URL is not set')
  const log = pino({
    name,
    level: config.logLevel,
    base: { app: name },
    redact: { paths: ['password', '*.password', 'headers.authorization'], censor: '[secret]' },
  })
  const database = await openDatabase({
    url: config.databaseUrl,
    ...(pools[name] ?? usual),
    statementMs: 20_000,
  })
  try {
    await refuseWrongInstallation(database, config)
  } catch (error) {
    await database.close()
    throw error
  }
  const live = await openLive(database, product.topics, (error) =>
    log.warn({ err: error }, 'live updates'),
  )
  const jobs = openJobs(() => app)
  live.subscribe((topics) => {
    for (const topic of topics)
      if (topic.startsWith(loopTopic)) jobs.poke(topic.slice(loopTopic.length))
  })
  const poke = (name: string): void => {
    if (!jobs.poke(name)) live.publish([loopTopic + name], platform)
  }
  const app: App = {
    config,
    database,
    log,
    files: openFiles(config.dataDir),
    jobs: { ...jobs, poke },
    live,
    product,
    now,
  }
  return app
}

/** Streams first (they never end by themselves), then work in progress, the database last. */
export async function closeApp(app: App): Promise<void> {
  app.live.endStreams()
  await app.jobs.close()
  await app.live.close()
  await app.database.close()
}
