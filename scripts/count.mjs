// Hand-written lines by kind, at 100 columns: `npm run count`, or `npm run count -- <commit>`
// beside another.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ensureRuntime, root } from './lib/runtime.mjs'

await ensureRuntime()

const generated =
  /(^|\/)(schema\.ts|schema\.sql|package-lock\.json|regions\.json|theme\.json)$|\.snap$|^src\/web\/fonts\/|\/public\//
/** The first that fits. */
const kinds = [
  ['tests', /\.test\.tsx?$|^test\//],
  ['words', /(^|\/)locale\.ts$/],
  ['style', /\.css$/],
  ['screens', /\.tsx$|^src\/(domains\/[^/]+\/)?web\/|^src\/apps\/web\//],
  ['tables', /\.tsv$/],
  ['migrations', /\.sql$/],
  ['contracts and rules', /^src\/shared\/|^src\/domains\/[^/]+\/[^/]+\.ts$/],
  ['server', /^src\//],
  ['benches and scripts', /\.(m?js|ts)$/],
]

/** What the formatter cannot break, SQL and comments, is as many lines as it needs. */
function linesOf(line) {
  const text = line.trim()
  return Math.ceil(text.length / (100 - Math.min(line.indexOf(text), 40)))
}

/**
 * A commit, else what git knows of the work tree, written at 100 columns into a folder of its own.
 */
function count(commit) {
  const folder = mkdtempSync(path.join(tmpdir(), 'huodao-count-'))
  try {
    const run = (command, args, options = {}) =>
      spawnSync(command, args, { cwd: root, maxBuffer: 1e9, ...options }).stdout
    const archived =
      commit ?? (run('git', ['stash', 'create'], { encoding: 'utf8' }).trim() || 'HEAD')
    run('tar', ['-x', '-C', folder], { input: run('git', ['archive', archived]) })
    mkdirSync(path.join(folder, '.git'))
    run(
      path.join(root, 'node_modules/.bin/biome'),
      ['format', '--write', '--line-width=100', 'src', 'test', 'bench', 'scripts'],
      { cwd: folder },
    )
    const files = run('git', ['ls-tree', '-r', '--name-only', archived], { encoding: 'utf8' })
      .trim()
      .split('\n')
    const lines = Object.fromEntries(kinds.map(([kind]) => [kind, 0]))
    for (const file of files) {
      const kind = generated.test(file) ? undefined : kinds.find(([, of]) => of.test(file))?.[0]
      if (kind)
        for (const line of readFileSync(path.join(folder, file), 'utf8').split('\n'))
          lines[kind] += linesOf(line)
    }
    return lines
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const [, , other] = process.argv
const columns = [...(other ? [[other, count(other)]] : []), ['now', count()]]
const total = (lines) =>
  Object.entries(lines).reduce((sum, [kind, n]) => (kind === 'tests' ? sum : sum + n), 0)
const row = (name, of) =>
  console.log(name.padEnd(22) + columns.map(([, lines]) => String(of(lines)).padStart(12)).join(''))
console.log(''.padEnd(22) + columns.map(([name]) => name.slice(0, 10).padStart(12)).join(''))
for (const [kind] of kinds) row(kind, (lines) => lines[kind])
row('all but tests', total)
