import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { bundledMajor, commandLine, give, type Runner } from './binaries.ts'

export const ownerName = 'huodao'

export type ServerState = { pid: number; port: number; status: string }

/** Creates the cluster when there is none; refuses a folder of another major version. */
export function ensureCluster(runner: Runner, dataDir: string, log: (line: string) => void) {
  if (!existsSync(join(dataDir, 'PG_VERSION'))) createCluster(runner, dataDir, log)
  const major = readFileSync(join(dataDir, 'PG_VERSION'), 'utf8').trim()
  const bundled = bundledMajor(runner.bin)
  if (major !== bundled) {
    throw new Error(
      `${dataDir} belongs to PostgreSQL ${major}, the embedded database is PostgreSQL ${bundled}: move the data with "npm run db -- backup" of the old release and "restore" of this one.`,
    )
  }
}

export const password = (dataDir: string) =>
  readFileSync(join(dataDir, 'huodao/password'), 'utf8').trim()

// The finished folder appears under its name in one rename, so that a killed or doubled first start
// harms nothing.
function createCluster(runner: Runner, dataDir: string, log: (line: string) => void) {
  if (existsSync(dataDir) && readdirSync(dataDir).length > 0) {
    throw new Error(`${dataDir} is neither empty nor a PostgreSQL data folder.`)
  }
  log('Creating the database (first start only) …')
  removeLeftovers(dataDir)
  const fresh = `${dataDir}.new-${process.pid}`
  const secret = `${fresh}.password`
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh, { mode: 0o700 })
  give(runner, fresh)
  writeFileSync(secret, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600 })
  give(runner, secret)
  try {
    initdb(runner, fresh, secret)
    for (const folder of ['huodao', 'huodao/holders']) {
      mkdirSync(join(fresh, folder), { mode: 0o700 })
      give(runner, join(fresh, folder))
    }
    renameSync(secret, join(fresh, 'huodao/password'))
    renameSync(fresh, dataDir)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    rmSync(secret, { force: true })
    if (!existsSync(join(dataDir, 'PG_VERSION'))) throw error
  }
}

function initdb(runner: Runner, dataDir: string, passwordFile: string) {
  const { command, args, identity } = commandLine(runner, join(runner.bin, 'initdb'), [
    '-D',
    dataDir,
    '-U',
    ownerName,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale-provider=icu',
    '--icu-locale=und',
    '--locale=C',
    '--no-instructions',
  ])
  const result = spawnSync(command, args, {
    ...identity,
    cwd: dirname(dataDir),
    encoding: 'utf8',
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  })
  if (result.status !== 0)
    throw new Error(
      `The database could not be created: ${(result.stderr || String(result.error)).trim()}`,
    )
}

function removeLeftovers(dataDir: string) {
  const parent = dirname(dataDir)
  for (const name of readdirSync(parent)) {
    const path = join(parent, name)
    const pid = path.startsWith(`${dataDir}.new-`)
      ? Number.parseInt(path.slice(dataDir.length + 5), 10)
      : 0
    if (pid > 0 && !isAlive(pid)) rmSync(path, { recursive: true, force: true })
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** What postmaster.pid says about the last server of this folder. */
export function readState(dataDir: string): ServerState | null {
  try {
    const lines = readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')
    const pid = Number(lines[0])
    return pid > 0 ? { pid, port: Number(lines[3]), status: (lines[7] ?? '').trim() } : null
  } catch {
    return null
  }
}

/**
 * Whether the process is a living postmaster of this folder: a recycled number or a zombie is not.
 */
export function isPostmaster(pid: number, dataDir: string): boolean {
  if (!isAlive(pid)) return false
  const args = commandOf(pid)
  return args.includes('postgres') && args.includes(dataDir)
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? ''
  }
}

// PostgreSQL would take a recycled number for a running server. The rest of the file stays:
// its shared memory key lets PostgreSQL find surviving children of the dead server.
export function forgetRecycledPid(dataDir: string, pid: number) {
  if (!isAlive(pid)) return
  const path = join(dataDir, 'postmaster.pid')
  const [, ...rest] = readFileSync(path, 'utf8').split('\n')
  writeFileSync(path, [2 ** 22 + 1, ...rest].join('\n'))
}
