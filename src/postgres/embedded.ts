import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { chooseRunner, commandLine, give, type Runner, reachableDataDir } from './binaries.ts'
import {
  ensureCluster,
  forgetRecycledPid,
  isPostmaster,
  ownerName,
  password,
  readState,
} from './cluster.ts'
import { keep } from './keeper.ts'

export type EmbeddedOptions = {
  dataDir: string
  log: (line: string) => void
  /** Called once when the server died and could not be brought back. */
  onGiveUp?: (error: Error) => void
}
export type EmbeddedPostgres = { url: string; pid(): number; stop(): Promise<void> }

type Place = { runner: Runner; dataDir: string }
type Server = { pid: number; port: number; child: ChildProcess | null }

const database = 'huodao'
const retryMs = 2000
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '256MB',
  effective_cache_size: '1GB',
  work_mem: '16MB',
  maintenance_work_mem: '128MB',
  jit: 'off',
  random_page_cost: '1.1',
  wal_compression: 'on',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
}

/**
 * Starts the bundled PostgreSQL on dataDir, or adopts the one that already runs there. The server
 * stops with its last holder, also when that one is killed; if the server itself dies it returns on
 * the same port.
 */
export async function startPostgres({
  dataDir,
  log,
  onGiveUp,
}: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const place = choosePlace(dataDir)
  ensureCluster(place.runner, place.dataDir, log)
  const keeper = await keep(place.dataDir)
  let stopping = false
  let server: Server
  try {
    server = await open(place, null, log)
    await createDatabase(place, server.port)
  } catch (error) {
    await keeper.release()
    throw error
  }
  const { port } = server

  keeper.tell(server.pid)
  const watch = async () => {
    const restarts: number[] = []
    while (!stopping) {
      await ended(server, place.dataDir, () => stopping)
      if (stopping) return
      restarts.push(performance.now())
      log('The database stopped unexpectedly, starting it again …')
      if (restarts.filter((time) => time > performance.now() - 60_000).length > 10)
        await sleep(retryMs)
      server = await reopen(place, port, log, () => stopping)
      keeper.tell(server.pid)
      log('The database is back.')
    }
  }
  watch().catch((error: Error) => {
    if (stopping) return
    log(`The database cannot be brought back: ${error.message}`)
    onGiveUp?.(error)
  })

  return {
    url: urlOf(place, port, database),
    pid: () => server.pid,
    async stop() {
      if (stopping) return
      stopping = true
      await keeper.release()
    },
  }
}

function choosePlace(folder: string): Place {
  const wanted = resolve(folder)
  mkdirSync(dirname(wanted), { recursive: true, mode: 0o711 })
  const dataDir = existsSync(wanted)
    ? realpathSync(wanted)
    : join(realpathSync(dirname(wanted)), wanted.slice(dirname(wanted).length + 1))
  const owner = existsSync(dataDir) ? statSync(dataDir).uid : process.getuid?.()
  if (process.getuid?.() !== 0 && owner !== process.getuid?.()) {
    throw new Error(
      `${dataDir} belongs to another user: start Huodao as that user, or choose another DATA_DIR.`,
    )
  }
  const runner = chooseRunner(dataDir)
  return { runner, dataDir: reachableDataDir(runner, dataDir) }
}

function urlOf({ dataDir }: Place, port: number, name: string) {
  return `postgres://${ownerName}:${password(dataDir)}@127.0.0.1:${port}/${name}`
}

// PostgreSQL's own lock on the folder decides who starts; whoever loses adopts the winner.
async function open(
  place: Place,
  fixedPort: number | null,
  log: (line: string) => void,
): Promise<Server> {
  const { dataDir } = place
  let tries = 0
  for (;;) {
    const state = readState(dataDir)
    if (state && isPostmaster(state.pid, dataDir)) {
      const adopted = await adopt(place, log)
      if (adopted) return adopted
      continue
    }
    if (state) forgetRecycledPid(dataDir, state.pid)
    const port = fixedPort ?? (await choosePort(dataDir))
    const failure = await launch(place, port)
    if (typeof failure !== 'string') return failure
    tries += 1
    const passes =
      /postmaster\.pid" already exists|shared memory block|could not create any TCP\/IP sockets|lock file/.test(
        failure,
      )
    if (!passes || tries > 100) throw new Error(`The database does not start: ${failure}`)
    await sleep(150)
  }
}

// A full disk ends the database and does not let it recover; it comes back when there is room
// again, however long that takes.
async function reopen(
  place: Place,
  port: number,
  log: (line: string) => void,
  stopping: () => boolean,
): Promise<Server> {
  for (let told = ''; ; ) {
    try {
      return await open(place, port, log)
    } catch (error) {
      const { message } = error as Error
      if (stopping() || !existsSync(join(place.dataDir, 'PG_VERSION'))) throw error
      const lines = message.split('\n')
      const why = lines.findLast((line) => /FATAL|PANIC/.test(line)) ?? lines[0] ?? ''
      if (why !== told) log(`The database does not come back, trying on: ${why}`)
      told = why
      await sleep(retryMs)
    }
  }
}

async function launch(place: Place, port: number): Promise<Server | string> {
  const { runner, dataDir } = place
  const logFile = join(dataDir, 'huodao/server.log')
  if (existsSync(logFile) && statSync(logFile).size > 10_000_000) rmSync(logFile)
  const output = openSync(logFile, 'a', 0o600)
  give(runner, logFile)
  const from = statSync(logFile).size
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const { command, args, identity } = commandLine(runner, join(runner.bin, 'postgres'), [
    '-D',
    dataDir,
    '-p',
    String(port),
    ...options,
  ])
  const child = spawn(command, args, {
    ...identity,
    detached: true,
    cwd: '/',
    stdio: ['ignore', output, output],
    env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
  })
  closeSync(output)
  child.unref()
  let failed = ''
  child.once('error', (error) => {
    failed = error.message
  })
  for (;;) {
    const state = readState(dataDir)
    if (state?.pid === child.pid && state?.status === 'ready') break
    if (failed) return failed
    if (child.exitCode !== null || child.signalCode !== null)
      return readFileSync(logFile, 'utf8').slice(from).trim() || `exit ${child.exitCode}`
    await sleep(15)
  }
  const portFile = join(dataDir, 'huodao/port')
  writeFileSync(portFile, `${port}\n`, { mode: 0o600 })
  give(runner, portFile)
  return { pid: child.pid ?? 0, port, child }
}

// A server left behind (or just started by a twin) is taken over when it answers for this folder,
// else ended.
async function adopt(place: Place, log: (line: string) => void): Promise<Server | null> {
  const { dataDir } = place
  let patience = performance.now() + 15_000
  for (;;) {
    const state = readState(dataDir)
    if (!state || !isPostmaster(state.pid, dataDir)) return null
    if (state.status === 'ready' && (await answers(place, state.port)))
      return { pid: state.pid, port: state.port, child: null }
    // Recovery after a crash may take minutes and is not a fault; a silent "ready" server is.
    if (state.status === 'starting') patience = performance.now() + 15_000
    if (performance.now() > patience) {
      log('A database left behind does not answer, ending it …')
      await end(state.pid, dataDir)
      return null
    }
    await sleep(50)
  }
}

async function answers(place: Place, port: number): Promise<boolean> {
  const client = new pg.Client({
    connectionString: urlOf(place, port, 'postgres'),
    connectionTimeoutMillis: 3000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ dir: string }>(
      "select current_setting('data_directory') as dir",
    )
    return rows[0]?.dir === place.dataDir
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

async function end(pid: number, dataDir: string) {
  for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
    try {
      process.kill(pid, 'SIGCONT')
      process.kill(pid, signal)
    } catch {
      return
    }
    for (let turn = 0; turn < 100 && isPostmaster(pid, dataDir); turn += 1) await sleep(50)
  }
}

async function ended(server: Server, dataDir: string, stopping: () => boolean): Promise<void> {
  if (server.child) {
    if (server.child.exitCode === null && server.child.signalCode === null)
      await once(server.child, 'exit')
    return
  }
  while (!stopping() && isPostmaster(server.pid, dataDir))
    await sleep(300, undefined, { ref: false })
}

async function createDatabase(place: Place, port: number) {
  const client = new pg.Client({ connectionString: urlOf(place, port, 'postgres') })
  await client.connect()
  try {
    const found = await client.query('select from pg_database where datname = $1', [database])
    if (found.rowCount === 0) await client.query(`create database ${database}`)
  } catch (error) {
    // A twin start created it in between.
    if (!['42P04', '23505'].includes((error as { code?: string }).code ?? '')) throw error
  } finally {
    await client.end()
  }
}

// Outside the ephemeral range: a reconnecting client must not grab the port of a server that
// restarts.
async function choosePort(dataDir: string): Promise<number> {
  const portFile = join(dataDir, 'huodao/port')
  const last = existsSync(portFile) ? Number(readFileSync(portFile, 'utf8')) : 0
  for (let turn = 0; turn < 200; turn += 1) {
    const port = turn === 0 && last > 0 ? last : 20_000 + Math.floor(Math.random() * 10_000)
    if (await isFree(port)) return port
  }
  throw new Error('No free port for the database between 20000 and 30000.')
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer()
    probe.once('error', () => done(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => done(true)))
  })
}
