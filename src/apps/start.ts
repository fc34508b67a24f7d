import { existsSync, watch } from 'node:fs'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { type Config, loadConfig } from '../server/config.ts'
import { startPostgres } from '../server/embedded.ts'
import { migrate } from '../server/migrate.ts'
import { exitWithParent, whenNpmEnds } from '../server/parentWatch.ts'
import { freePort, type Supervised, supervise } from '../server/supervisor.ts'
import { buildWeb } from '../server/webBuild.ts'

const began = Date.now()
const log = (line: string) => console.log(line)
const seedLock = 7_281_996_002n
const accounts = [
  'super', 'admin', 'agent', 'operator', 'replenisher', 'repairer', 'sponsor', 'finance', 'campus', 'hospital', 'supplier', 'tenant', 'regulator',
]

// Stopped in reverse order of starting: machines, then the server, then the database.
const running: { stop(): Promise<void>; killNow?: () => void }[] = []
let stopping: Promise<void> | null = null

function stop(code: number) {
  stopping ??= (async () => {
    log('Stopping …')
    for (const part of running.reverse()) await part.stop().catch((error: Error) => log(error.message))
    log('Stopped.')
    process.exit(code)
  })()
}

function listenForStops() {
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

async function openDatabase(config: Config, allowEmbedded: boolean): Promise<string> {
  if (config.databaseUrl) return config.databaseUrl
  if (config.production && !allowEmbedded) {
    throw new Error('Production wants a database of its own: set DATABASE_URL, or start with --allow-embedded for a small shop on one machine.')
  }
  log('Starting the database …')
  const server = await startPostgres({ dataDir: `${config.dataDir}/postgres`, log, onGiveUp: () => stop(1) })
  running.push(server)
  return server.url
}

async function seedDemo(ownerUrl: string, config: Config) {
  const path = '../seed/index.ts'
  if (!config.demo || !existsSync(new URL(path, import.meta.url))) return
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [seedLock])
    const { rows } = await client.query<{ empty: boolean }>('select not exists (select from users) as empty')
    if (!rows[0]?.empty) return
    log('Filling in the demo data …')
    const { seed } = (await import(path)) as { seed: (options: { ownerUrl: string; config: Config; log: typeof log }) => Promise<void> }
    await seed({ ownerUrl, config, log })
  } finally {
    await client.end()
  }
}

function startServers(config: Config, ownerUrl: string, dev: boolean) {
  const fixed = { DATABASE_URL: ownerUrl, DATA_DIR: config.dataDir, SECRET_KEY: config.secretKey, SIM_PAY_KEY: config.simPayKey }
  let { port, mqttPort } = config
  let shown = ''
  let fleet: Supervised | null = null
  const onGiveUp = (error: Error) => {
    log(error.message)
    stop(1)
  }
  const env = async () => {
    port = await freePort(config.host, port, config.portFixed, 'PORT')
    if (!config.mqttUrl) mqttPort = await freePort(config.host, mqttPort, config.mqttPortFixed, 'MQTT_PORT')
    return { ...fixed, PORT: String(port), MQTT_PORT: String(mqttPort), DEMO: config.demo ? '1' : '0', FLEET: String(config.fleet) }
  }
  const onReady = () => {
    const address = addressOf(config, port)
    if (address === shown) return
    shown = address
    announce(config, address, mqttPort)
    if (dev) startVite(config, port, onGiveUp)
    if (config.fleet > 0 && existsSync('src/apps/fleet.ts')) {
      if (fleet) return fleet.restart()
      const fleetEnv = async () => ({ ...fixed, PORT: String(port), MQTT_PORT: String(mqttPort), FLEET: String(config.fleet) })
      fleet = supervise({ name: 'The simulated fleet', args: ['src/apps/fleet.ts'], env: fleetEnv, log, onGiveUp: (error) => log(error.message) })
      running.push(fleet)
    }
  }
  const server = supervise({ name: 'The server', args: ['src/apps/all.ts'], env, log, onGiveUp, onReady })
  running.push(server)
  if (dev) restartOnChange(server)
}

// Not node --watch: its watcher would outlive us and hide the child's end.
function restartOnChange(server: Supervised) {
  let timer: NodeJS.Timeout | undefined
  watch('src', { recursive: true }, (_event, file) => {
    if (!file?.endsWith('.ts') || file.endsWith('.test.ts') || /(^|\/)web\//.test(file)) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      log(`${file} changed, restarting the server …`)
      server.restart()
    }, 150)
  })
}

let viteStarted = false
function startVite(config: Config, port: number, onGiveUp: (error: Error) => void) {
  if (viteStarted) return
  viteStarted = true
  // The vite configuration proxies /api, /auth and the aliases to this address.
  const env = async () => ({ HUODAO_API: `http://${config.host === '0.0.0.0' ? '127.0.0.1' : config.host}:${port}` })
  const followUs = 'data:text/javascript,process.on("disconnect",()=>process.exit())'
  running.push(supervise({ name: 'vite', args: ['--import', followUs, 'node_modules/vite/bin/vite.js', 'dev', 'src/apps/web', '--host', config.host], env, log, onGiveUp }))
}

const addressOf = ({ host, basePath }: Config, port: number) => {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}${basePath}`
}

function announce(config: Config, address: string, mqttPort: number) {
  const lines = ['', `  Huodao 货道 is ready after ${((Date.now() - began) / 1000).toFixed(1)} s`, '', `  Address   ${address}`]
  lines.push(`  Machines  ${config.mqttUrl ?? `mqtt://${config.host}:${mqttPort}`}`)
  if (config.demo) {
    lines.push('', '  Demo accounts, password Huodao@2026:')
    for (let from = 0; from < accounts.length; from += 5) lines.push(`    ${accounts.slice(from, from + 5).map((name) => name.padEnd(13)).join('')}`.trimEnd())
  }
  log([...lines, '', '  Ctrl-C stops everything.', ''].join('\n'))
}

async function main() {
  const { values } = parseArgs({
    options: { production: { type: 'boolean' }, dev: { type: 'boolean' }, build: { type: 'boolean' }, 'allow-embedded': { type: 'boolean' } },
  })
  if (values.build) return buildWeb(log)
  const config = loadConfig(values.production ? { ...process.env, PRODUCTION: '1' } : process.env)
  if (config.production) process.env.PRODUCTION = '1'
  listenForStops()
  const ownerUrl = await openDatabase(config, values['allow-embedded'] === true)
  const applied = await migrate(ownerUrl)
  if (applied.length > 0) log(`Database brought up to date (${applied.length} migrations).`)
  if (stopping) return
  await seedDemo(ownerUrl, config)
  if (!values.dev) await buildWeb(log)
  if (stopping) return
  log('Starting the server …')
  startServers(config, ownerUrl, values.dev === true)
}

await main().catch((error: Error) => {
  console.error(error.message)
  if (process.env.LOG_LEVEL === 'debug') console.error(error.stack)
  stop(1)
})
