// docs/security.md says what is: every requirement stands there once, the sums are right, and what
// it cites exists.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const page = 'docs/security.md'
/** Levels 1 and 2 of ASVS 5.0. */
const requirements = 253
const states = ['met', 'partly', 'not met', 'operator', 'n/a']

const text = readFileSync(join(root, page), 'utf8')
const files = [
  ...globSync('{src,test,scripts,docs,db}/**/*.*', { cwd: root }),
  ...globSync('*.*', { cwd: root }),
]
const folders = [
  ...new Set(
    files.flatMap((file) =>
      file
        .split('/')
        .slice(0, -1)
        .map((_, n, all) => `${all.slice(0, n + 1).join('/')}/`),
    ),
  ),
]
const problems = []

/** `1.2.6–1.2.8, 1.4.1` -> 1.2.6, 1.2.7, 1.2.8, 1.4.1 */
const numbersOf = (cell) =>
  cell.split(', ').flatMap((part) => {
    const [from, to = from] = part.split('–')
    const [section, first, last] = [
      from.slice(0, from.lastIndexOf('.')),
      ...[from, to].map((no) => Number(no.split('.')[2])),
    ]
    return Array.from({ length: last - first + 1 }, (_, n) => `${section}.${first + n}`)
  })

const seen = new Set()
const sums = Object.fromEntries(states.map((state) => [state, 0]))
for (const line of text.split('\n')) {
  const [, number, , state, how] =
    line.split(' | ').length === 4 ? ['', ...line.replace(/^\| | \|$/g, '').split(' | ')] : []
  if (!/^\d+\.\d+\.\d+/.test(number ?? '')) continue
  if (!(state in sums)) problems.push(`${number}: "${state}" is none of ${states.join(', ')}`)
  if (!how) problems.push(`${number}: does not say how`)
  for (const one of numbersOf(number)) {
    if (seen.has(one)) problems.push(`${one} stands twice`)
    seen.add(one)
    sums[state] += 1
  }
}
if (seen.size !== requirements)
  problems.push(`${seen.size} requirements instead of ${requirements}`)
const told = states.map((state) => `${sums[state]} ${state}`).join(', ')
if (!text.includes(`${told}.`)) problems.push(`the sums are: ${told}.`)

/**
 * A file by the end of its path, a folder with a slash at its end; `*` is a part of a name. What is
 * no end stands below src.
 */
function cited(name) {
  const whole = [name, `src/${name}`, `src/domains/${name}`].find((path) => files.includes(path))
  if (whole) return [whole]
  const pattern = new RegExp(`(^|/)${name.replace(/[.+]/g, '\\$&').replaceAll('*', '[^/]*')}$`)
  return (name.endsWith('/') ? folders : files).filter((file) => pattern.test(file))
}
for (const [, name, names = ''] of text.matchAll(
  /`([\w./*-]+(?:\.(?:ts|tsx|mjs|md|sql|json|txt)|\/))`((?:,? "[^"]+")*)/g,
)) {
  if (name.startsWith('/')) continue
  const found = cited(name)
  if (!found.length) problems.push(`${name} does not exist`)
  else if (found.length > 1 && !name.includes('*'))
    problems.push(`${name} may be ${found.join(', ')}`)
  else
    for (const [, title] of names.matchAll(/"([^"]+)"/g))
      if (!readFileSync(join(root, found[0]), 'utf8').includes(title))
        problems.push(`${name} has no test "${title}"`)
}

for (const problem of problems) process.stdout.write(`${page}: ${problem}\n`)
process.stdout.write(
  problems.length ? `${problems.length} problems in ${page}\n` : `${page}: ${told}\n`,
)
process.exitCode = problems.length ? 1 : 0
