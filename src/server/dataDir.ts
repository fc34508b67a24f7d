import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** One `npm start` for each folder: a second would simulate the same machines and write the same files, on ports nobody looks for. */
export function holdDataDir(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o711 })
  const file = join(dataDir, 'start.pid')
  for (let tries = 0; tries < 2; tries += 1) {
    try {
      writeFileSync(file, `${process.pid}\n`, { mode: 0o600, flag: 'wx' })
      process.once('exit', () => rmSync(file, { force: true }))
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10)
    if (pid !== process.pid && isStart(pid)) throw new Error(`${dataDir} is in use by process ${pid}: stop that one, or choose another DATA_DIR.`)
    rmSync(file, { force: true })
  }
}

// a recycled number is not ours
function isStart(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('src/apps/start.ts')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
