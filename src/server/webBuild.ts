import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const target = 'dist/web'
const stamp = join(target, '.stamp')

/** Builds the web into dist/web when its sources changed; the finished folder appears in one step. */
export async function buildWeb(log: (line: string) => void): Promise<void> {
  if (!existsSync('src/apps/web')) return log('There is no web application yet.')
  const wanted = sourceHash()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  log('Building the web application …')
  const fresh = `${target}.${process.pid}`
  try {
    await vite(fresh)
    writeFileSync(join(fresh, '.stamp'), wanted)
    rmSync(target, { recursive: true, force: true })
    renameSync(fresh, target)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

// Server code does not reach the browser: a change there needs no build.
function sourceHash(): string {
  const hash = createHash('sha256')
  const files = globSync(['src/**/*', 'package-lock.json', 'public/**/*'], { withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/(^|\/)(server|seed)\//.test(path))
  for (const path of files.sort()) hash.update(path).update('\0').update(readFileSync(path)).update('\0')
  return hash.digest('hex')
}

async function vite(outDir: string) {
  const args = ['node_modules/vite/bin/vite.js', 'build', 'src/apps/web', '--outDir', join(process.cwd(), outDir), '--emptyOutDir', '--logLevel', 'warn']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, NODE_ENV: 'production' } })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error('The web application could not be built: see the message of vite above.')
}
