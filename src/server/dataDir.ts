import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Level by level: Node's own recursion never ends where a file system answers "no such folder" to
 * making one (/proc).
 */
export function makeDataDir(dataDir: string): void {
  if (existsSync(dataDir)) return
  if (dirname(dataDir) !== dataDir) makeDataDir(dirname(dataDir))
  try {
    mkdirSync(dataDir, { mode: 0o711 })
  } catch (error) {
    if (existsSync(dataDir)) return
    throw new Error(`The setting DATA_DIR cannot be used: ${(error as Error).message}.`)
  }
}

/**
 * One `npm start` for each folder: a second would simulate the same machines and write the same
 * files, on ports nobody looks for.
 */
export function holdDataDir(dataDir: string): void {
  makeDataDir(dataDir)
  const file = join(dataDir, 'start.pid')
  for (let tries = 0; tries < 2; tries += 1) {
    try {
      writeFileSync(file, `${identityOf(process.pid)}\n`, { mode: 0o600, flag: 'wx' })
      process.once(
        'exit',
        () => holderOf(file).pid === process.pid && rmSync(file, { force: true }),
      )
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const { pid, identity } = holderOf(file)
    if (pid !== process.pid && isHolder(pid, identity))
      throw new Error(
        `${dataDir} is in use by process ${pid}: stop that one, or choose another DATA_DIR.`,
      )
    rmSync(file, { force: true })
  }
}

function holderOf(file: string): { pid: number; identity: string } {
  try {
    const identity = readFileSync(file, 'utf8').trim()
    return { pid: Number.parseInt(identity, 10), identity }
  } catch {
    return { pid: 0, identity: '' }
  }
}

/**
 * A number comes again, most of all after a power cut: with the start of the computer and, in its
 * ticks, that of the process it does not.
 */
function identityOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const began = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return `${pid} ${began} ${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`
  } catch {
    return String(pid)
  }
}

function isHolder(pid: number, identity: string): boolean {
  if (identity.includes(' ')) return identityOf(pid) === identity
  // written before identities were; `npm start` goes on in the process of its script
  try {
    process.kill(pid, 0)
    return (
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').match(
        /src\/apps\/start\.ts|scripts\/start\.mjs/,
      ) !== null
    )
  } catch {
    return false
  }
}
