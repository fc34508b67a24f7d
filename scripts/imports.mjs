// The import rules of docs and CONTRIBUTING ("Where things are"), and no cycles. By text:
// TypeScript 7 has no compiler API.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const pattern =
  /(?:^|[\n;}])\s*(?:import|export)\s+(type\s+)?(?:[\w*{}\s,$]+?\s+from\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/g

/** What the manifests open to other domains: `boards/server/binding.ts`. */
const opened = globSync('src/domains/*/domain.ts', { cwd: root }).flatMap((file) => {
  const [, list = ''] =
    /\n {2}open: \{\n([\s\S]*?)\n {2}\},\n/.exec(readFileSync(join(root, file), 'utf8')) ?? []
  return [...list.matchAll(/^ {4}'([^']+)':/gm)].map((found) => join(dirname(file), found[1]))
})
const missing = opened.filter((file) => !existsSync(join(root, file)))
/** Modules that put the domains together; every domain may read the product. */
const product = 'src/domains/product.ts'
const collectors = [product, 'src/domains/domains.ts']

/** `src/domains/orders/server/verbs.ts` -> { domain: 'orders', part: 'server/verbs' } */
function placeOf(file) {
  const found = /^src\/domains\/([\w-]+)\/(.+?)(\.test)?\.tsx?$/.exec(file)
  return found
    ? { domain: found[1], part: found[2], test: Boolean(found[3]) || /testWorld/.test(found[2]) }
    : null
}
const layerOf = (file) =>
  file.startsWith('src/postgres/')
    ? 'server'
    : (/^src\/(web|server|shared|seed|apps|fleet)\//.exec(file)?.[1] ??
      /^src\/domains\/[\w-]+\/(web|server)\//.exec(file)?.[1] ??
      null)
const pure = /^(contract|rules|screens|locale)$/

/** Settings, dice and the rhythm of customers; no data, no server. */
const fleetMay =
  /^src\/(fleet|shared)\/|^src\/domains\/machines\/(protocol|rules)\.ts$|^src\/domains\/releases\/(manifest|rules)\.ts$|^src\/seed\/(random|rhythm)\.ts$|^src\/server\/config\.ts$/

/** Why `from` must not import `to`; null when it may. */
function refusal(from, to, typeOnly) {
  const [a, b] = [placeOf(from), placeOf(to)]
  if (a?.test || /\.test\.tsx?$/.test(from) || collectors.includes(from)) return null
  if (
    layerOf(from) === 'web' &&
    (layerOf(to) === 'server' || to.startsWith('src/seed/') || collectors.includes(to))
  )
    return 'web never reaches the server'
  if (b?.part === 'domain') return 'a manifest is read by src/domains/domains.ts alone'
  if (layerOf(from) === 'server' && layerOf(to) === 'web') return 'the server never reaches web'
  if (/^src\/(server|postgres|shared|web)\//.test(from) && to.startsWith('src/domains/'))
    return 'the platform knows no domain'
  if (layerOf(from) === 'shared' && !to.startsWith('src/shared/'))
    return 'shared imports only shared'
  if (from.startsWith('src/fleet/') && !fleetMay.test(to))
    return 'the fleet speaks the public protocol only'
  if (to.endsWith('.tsx') && layerOf(from) === 'server') return 'Node cannot import .tsx'
  if (a && pure.test(a.part)) {
    const own = b?.domain === a.domain && (pure.test(b.part) || !/\//.test(b.part))
    return to.startsWith('src/shared/') || own || (b && /^(contract|rules)$/.test(b.part))
      ? null
      : `${a.part} imports only shared, zod, its own pure files and other contracts and rules`
  }
  // reading a type makes no dependency at run time and cannot reach data
  if (a && b && a.domain !== b.domain) {
    const open =
      /^(contract|rules|screens|locale|protocol)$/.test(b.part) ||
      b.part === 'server/verbs' ||
      /^web\/pickers(\/|$)/.test(b.part) ||
      opened.includes(to) ||
      (a.part === 'seed' && b.part === 'seed')
    const access = b.domain === 'accounts' && /^(roles|permissions|menus)$/.test(b.part)
    return open || access || typeOnly
      ? null
      : 'another domain is reached by its contract, rules, server/verbs or web/pickers'
  }
  return null
}

const files = globSync('src/**/*.{ts,tsx}', { cwd: root }).sort()
const known = new Set([...files, ...globSync('src/**/*.{json,css,svg,txt}', { cwd: root })])
const problems = missing.map((file) => `${file} is opened by its domain and does not exist`)
// an import in a comment is an example
const codeOf = (file) =>
  readFileSync(join(root, file), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '')
const graph = new Map()
/** `orders stock`: the first needs the second. */
const needs = new Set()
for (const file of files) {
  const edges = []
  for (const [, type, given, lazy] of codeOf(file).matchAll(pattern)) {
    const name = given ?? lazy
    if (!name.startsWith('.')) {
      const place = placeOf(file)
      if (place && !place.test && pure.test(place.part) && name !== 'zod')
        problems.push(`${file}: ${name} (${place.part} imports only shared and zod)`)
      continue
    }
    const target = normalize(join(dirname(file), name))
    if (!known.has(target)) {
      if (!target.startsWith('..') && !target.startsWith('test/'))
        problems.push(`${file}: ${name} does not exist`)
      continue
    }
    const [a, b] = [placeOf(file), placeOf(target)]
    if (a && b && !a.test && a.domain !== b.domain) needs.add(`${a.domain} ${b.domain}`)
    const why = refusal(file, target, Boolean(type))
    if (why) problems.push(`${file} -> ${relative('src', target)}: ${why}`)
    // a type is gone at run time and a lazy page is loaded later: neither closes a circle
    if (!type && !lazy) edges.push(target)
  }
  graph.set(file, edges)
}

/** Circles of a graph, each once: `a -> b -> a`. */
function circlesOf(graph) {
  const found = []
  const state = new Map()
  const walk = (at, path) => {
    state.set(at, 'open')
    for (const next of graph.get(at) ?? []) {
      if (state.get(next) === 'open') found.push([...path.slice(path.indexOf(next)), next])
      else if (!state.has(next)) walk(next, [...path, next])
    }
    state.set(at, 'done')
  }
  for (const at of graph.keys()) if (!state.has(at)) walk(at, [at])
  return found.map((circle) => circle.join(' -> '))
}

/**
 * Domains need each other in one direction, types and pages included: what every screen chooses
 * from stands in `accounts` and `machines`, and who shows a thing whole is needed by nobody
 * (decision 40). These run against it; none is added, and one that is gone leaves this list.
 */
const against = ['lanes device-commands', 'lanes devices']
for (const need of against)
  if (!needs.delete(need))
    problems.push(`${need.replace(' ', ' does not need ')} any more: take it off the list`)
const domains = new Map([...needs].sort().map((need) => [need.split(' ')[0], []]))
for (const need of needs) {
  const [from, to] = need.split(' ')
  domains.get(from).push(to)
}
for (const circle of circlesOf(domains))
  problems.push(`${circle}: domains that need each other in a circle are parted or merged`)
for (const circle of circlesOf(graph))
  problems.push(`circle: ${circle.replaceAll(/(^| )src\//g, '$1')}`)

for (const problem of problems) process.stdout.write(`${problem}\n`)
process.stdout.write(
  problems.length
    ? `${problems.length} imports break the rules\n`
    : `${files.length} files keep the import rules, ${against.length} needs of domains run against the others\n`,
)
process.exitCode = problems.length ? 1 : 0
