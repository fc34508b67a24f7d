import { existsSync, watch } from 'node:fs'
import path from 'node:path'
import type { Config } from './config.ts'
import { freePort, type Supervised, supervise } from './supervisor.ts'

/** Something that runs and is stopped in reverse order of starting. */
export type Part = { stop(): Promise<void>; killNow?: () => void }
export type LaunchOptions = {
  config: Config
  databaseUrl: string
  dev: boolean
  running: Part[]
  log: (line: string) => void
  fail: () => void
}

/** Compiled code of our own files: a process that is started again is there in half the time. */
const compileCache = path.resolve('node_modules/.cache/huodao')

const accounts = [
  'super',
  'admin',
  'agent',
  'operator',
  'replenisher',
  'repairer',
  'sponsor',
  'finance',
  'campus',
  'hospital',
  'supplier',
  'tenant',
  'regulator',
]

/**
 * Stopped in reverse: no new requests, then the machines' messages taken in, then what runs in the
 * background.
 */
const parts = ['worker', 'gateway', 'api'] as const

/**
 * Starts api, gateway and worker, each a process of its own, then the simulated fleet (and vite),
 * and says where they are.
 */
export async function startServers({
  config,
  databaseUrl,
  dev,
  running,
  log,
  fail,
}: LaunchOptions) {
  const fixed = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: config.dataDir,
    SECRET_KEY: config.secretKey,
    SIM_PAY_KEY: config.simPayKey,
    NODE_COMPILE_CACHE: compileCache,
  }
  let { port, mqttPort } = config
  let shown = ''
  let fleet: Supervised | null = null
  let vite: Supervised | null = null
  const onGiveUp = (error: Error) => {
    log(error.message)
    fail()
  }
  const place = async (part?: (typeof parts)[number]) => {
    if (part !== 'gateway') port = await freePort(config.host, port, config.portFixed, 'PORT')
    if (part !== 'api' && !config.mqttUrl)
      mqttPort = await freePort(config.host, mqttPort, config.mqttPortFixed, 'MQTT_PORT')
  }
  const env = async (part: (typeof parts)[number]) => {
    // who starts again moves when its port was taken meanwhile; the others stay where they are
    if (part !== 'worker') await place(part)
    return {
      ...fixed,
      PORT: String(port),
      MQTT_PORT: String(mqttPort),
      DEMO: config.demo ? '1' : '0',
      FLEET: String(config.fleet),
    }
  }
  const startVite = () => {
    // The vite configuration proxies /api, /auth and the aliases to this address.
    const viteEnv = async () => ({
      HUODAO_API: `http://${config.host === '0.0.0.0' ? '127.0.0.1' : config.host}:${port}`,
    })
    const followUs = 'data:text/javascript,process.on("disconnect",()=>process.exit())'
    const args = [
      '--import',
      followUs,
      'node_modules/vite/bin/vite.js',
      'dev',
      'src/apps/web',
      '--host',
      config.host,
    ]
    vite = supervise({ name: 'vite', args, env: viteEnv, log, onGiveUp })
    running.push(vite)
  }
  const ready = new Set<string>()
  const onReady = (part: string) => {
    ready.add(part)
    if (ready.size < parts.length) return
    const address = addressOf(config, port)
    if (shown === `${address} ${mqttPort}`) return
    shown = `${address} ${mqttPort}`
    log(announcement(config, address, mqttPort))
    if (dev && vite) vite.restart()
    else if (dev) startVite()
    if (config.fleet > 0 && existsSync('src/apps/fleet.ts')) {
      if (fleet) return fleet.restart()
      const fleetEnv = async () => ({
        ...fixed,
        PORT: String(port),
        MQTT_PORT: String(mqttPort),
        FLEET: String(config.fleet),
      })
      fleet = supervise({
        name: 'The simulated fleet',
        args: ['src/apps/fleet.ts'],
        env: fleetEnv,
        log,
        onGiveUp: (error) => log(error.message),
      })
      running.push(fleet)
    }
  }
  await place()
  const servers = parts.map((part) => {
    const args = ['src/apps/serve.ts', part]
    return supervise({
      name: part === 'api' ? 'The API' : `The ${part}`,
      args,
      env: () => env(part),
      log,
      onGiveUp,
      onReady: () => onReady(part),
    })
  })
  running.push(...servers)
  if (dev) restartOnChange(servers, log)
}

// Not node --watch: its watcher would outlive us and hide the child's end.
function restartOnChange(servers: readonly Supervised[], log: (line: string) => void) {
  let timer: NodeJS.Timeout | undefined
  watch('src', { recursive: true }, (_event, file) => {
    if (!file?.endsWith('.ts') || file.endsWith('.test.ts') || /(^|\/)web\//.test(file)) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      log(`${file} changed, restarting the server …`)
      for (const server of servers) server.restart()
    }, 150)
  })
}

const addressOf = ({ host, basePath }: Config, port: number) => {
  const name =
    host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}${basePath}`
}

function announcement(config: Config, address: string, mqttPort: number): string {
  const lines = [
    '',
    `  Huodao 货道 is ready after ${(performance.now() / 1000).toFixed(1)} s`,
    '',
    `  Address   ${address}`,
  ]
  lines.push(`  Machines  ${config.mqttUrl ?? `mqtt://${config.host}:${mqttPort}`}`)
  if (config.demo) {
    lines.push('', '  Demo accounts, password Huodao@2026:')
    for (let from = 0; from < accounts.length; from += 5)
      lines.push(
        `    ${accounts
          .slice(from, from + 5)
          .map((name) => name.padEnd(13))
          .join('')}`.trimEnd(),
      )
  }
  return [...lines, '', '  Ctrl-C stops everything.', ''].join('\n')
}
