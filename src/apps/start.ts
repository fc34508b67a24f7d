import { parseArgs } from 'node:util'
import pg from 'pg'
import { startPostgres } from '../postgres/embedded.ts'
import { install } from '../seed/index.ts'
import { type Config, loadConfig } from '../server/config.ts'
import { holdDataDir, makeDataDir } from '../server/dataDir.ts'
import { refuseOwner } from '../server/installation.ts'
import { type Part, startServers } from '../server/launch.ts'
import { migrate } from '../server/migrate.ts'
import { exitWithParent, whenNpmEnds } from '../server/parentWatch.ts'
import { reach } from '../server/reach.ts'
import { freePort } from '../server/supervisor.ts'
import { buildWeb } from '../server/webBuild.ts'

const log = (line: string) => console.log(line)
const installLock = 7_281_996_002n

// Stopped in reverse order of starting: machines, then the server, then the database.
const running: Part[] = []
let stopping: Promise<void> | null = null

function stop(code: number) {
  stopping ??= (async () => {
    log('Stopping …')
    for (const part of running.reverse())
      await part.stop().catch((error: Error) => log(error.message))
    log('Stopped.')
    process.exit(code)
  })()
}

function listenForStops() {
  // A terminal or pipe that is gone must not cut the orderly stop short.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // A second Ctrl-C does not wait for open requests; the database still closes cleanly.
      if (stopping) for (const part of running) part.killNow?.()
      stop(0)
    })
  }
  exitWithParent()
  whenNpmEnds(() => stop(0))
}

type Urls = { databaseUrl: string; ownerUrl: string }
async function openDatabase(
  config: Config,
  allowed: { embedded: boolean; owner: boolean },
): Promise<Urls> {
  if (config.databaseUrl) {
    await reach('DATABASE_URL', config.databaseUrl)
    if (config.databaseOwnerUrl) await reach('DATABASE_OWNER_URL', config.databaseOwnerUrl)
    if (config.production && !allowed.owner) await refuseOwner(config.databaseUrl)
    return {
      databaseUrl: config.databaseUrl,
      ownerUrl: config.databaseOwnerUrl ?? config.databaseUrl,
    }
  }
  if (config.production && !allowed.embedded) {
    throw new Error(
      'Production wants a database of its own: set DATABASE_URL, or start with --allow-embedded for a small shop on one machine.',
    )
  }
  log('Starting the database …')
  const server = await startPostgres({
    dataDir: `${config.dataDir}/postgres`,
    log,
    onGiveUp: () => stop(1),
  })
  running.push(server)
  return { databaseUrl: server.url, ownerUrl: server.url }
}

/** Two starts at once take turns, so that the second finds what the first filled in. */
async function installOnce(databaseUrl: string, config: Config) {
  const client = new pg.Client({ connectionString: databaseUrl })
  client.on('error', () => {}) // the database stops under us when we are stopped
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [installLock])
    await install({ databaseUrl, config, log })
  } finally {
    await client.end()
  }
}

async function main() {
  const { values } = parseArgs({
    options: {
      production: { type: 'boolean' },
      dev: { type: 'boolean' },
      build: { type: 'boolean' },
      'allow-embedded': { type: 'boolean' },
      'allow-owner': { type: 'boolean' },
    },
  })
  if (values.build) return buildWeb(log)
  const config = loadConfig(values.production ? { ...process.env, PRODUCTION: '1' } : process.env)
  if (config.production) process.env.PRODUCTION = '1'
  listenForStops()
  makeDataDir(config.dataDir)
  // said before the database is made and filled, not after
  if (config.portFixed) await freePort(config.host, config.port, true, 'PORT')
  if (config.mqttPortFixed && !config.mqttUrl)
    await freePort(config.host, config.mqttPort, true, 'MQTT_PORT')
  if (!config.databaseUrl) holdDataDir(config.dataDir)
  const { databaseUrl, ownerUrl } = await openDatabase(config, {
    embedded: values['allow-embedded'] === true,
    owner: values['allow-owner'] === true,
  })
  // the owner is nobody's business but ours
  delete process.env.DATABASE_OWNER_URL
  const applied = await migrate(ownerUrl)
  if (applied.length > 0) log(`Database brought up to date (${applied.length} migrations).`)
  if (stopping) return
  await installOnce(databaseUrl, config)
  if (!values.dev) await buildWeb(log)
  if (stopping) return
  log('Starting the server …')
  await startServers({
    config,
    databaseUrl,
    dev: values.dev === true,
    running,
    log,
    fail: () => stop(1),
  })
}

await main().catch((error: Error) => {
  // whoever stops us in the middle has asked for what failed
  if (!stopping) console.error(error.message)
  if (process.env.LOG_LEVEL === 'debug') console.error(error.stack)
  stop(1)
})
