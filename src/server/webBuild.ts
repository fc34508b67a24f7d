import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  globSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

const target = 'dist/web'
const stamp = join(target, '.stamp')

/**
 * Builds the web into dist/web when its sources changed; the finished folder appears in one step.
 */
export async function buildWeb(log: (line: string) => void): Promise<void> {
  if (!existsSync('src/apps/web')) return log('There is no web application yet.')
  const wanted = sourceHash()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  log('Building the web application …')
  const fresh = `${target}.${process.pid}`
  try {
    await vite(fresh)
    keepOlder(target, fresh)
    writeFileSync(join(fresh, '.stamp'), wanted)
    rmSync(target, { recursive: true, force: true })
    renameSync(fresh, target)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

const releasesKept = 5

/**
 * A page opened before a release asks for the chunks it was built with: the assets of the last
 * releases stay beside the new ones.
 */
export function keepOlder(old: string, fresh: string): void {
  const assets = (folder: string) =>
    existsSync(join(folder, 'assets')) ? readdirSync(join(folder, 'assets')) : []
  const list = join(old, '.releases')
  const before = existsSync(list)
    ? (JSON.parse(readFileSync(list, 'utf8')) as string[][])
    : [assets(old)]
  const releases = [assets(fresh), ...before].slice(0, releasesKept)
  for (const file of new Set(releases.slice(1).flat())) {
    const [from, to] = [join(old, 'assets', file), join(fresh, 'assets', file)]
    if (existsSync(from) && !existsSync(to)) linkSync(from, to)
  }
  writeFileSync(join(fresh, '.releases'), JSON.stringify(releases))
}

// Server code does not reach the browser: a change there needs no build.
function sourceHash(): string {
  const hash = createHash('sha256')
  const files = globSync(['src/**/*', 'package-lock.json', 'public/**/*'], { withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/(^|\/)(server|seed)\//.test(path))
  for (const path of files.sort())
    hash.update(path).update('\0').update(readFileSync(path)).update('\0')
  return hash.digest('hex')
}

async function vite(outDir: string) {
  const args = [
    'node_modules/vite/bin/vite.js',
    'build',
    'src/apps/web',
    '--outDir',
    join(process.cwd(), outDir),
    '--emptyOutDir',
    '--logLevel',
    'warn',
  ]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0)
    throw new Error('The web application could not be built: see the message of vite above.')
}
