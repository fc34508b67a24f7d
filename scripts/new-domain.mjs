// A new domain as a copy of a living one: `npm run new-domain -- suppliers 供应商 supplier`. What it
// leaves passes the check and the conformance tests; its fields are added by hand.
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ensureRuntime, root } from './lib/runtime.mjs'

await ensureRuntime()

/** The domain that is copied: the smallest with a form. */
const source = { plural: 'device-tags', one: 'device tag', zh: '设备标签' }
/** What only it has: colours, and the machines that carry it. */
const own = {
  files: /\/(seed\.ts|web\/(pickers|tones|ToneField)\.tsx?)$/,
  words: [
    /, tone: ('\w+'|z\.enum\(tones\)\.optional\(\))|, (tone: )?'(tone|颜色|Colour)'|, 'deviceCount'/g,
    /, \{ render: .*DeviceTagChips.* \}(?=\))/g,
    // what counts machines needs the actor
    /(?<=deviceTag = )\(ctx: Ctx\) =>\s+|(?<=deviceTag)\(ctx\)/g,
  ],
  lines: /deviceCount|device_tag_links|\btones?\b|enums|DeviceTagChips|ToneField/,
}

const [, , plural = '', zh = '', one = ''] = process.argv
if (!/^[a-z]+(-[a-z]+)*$/.test(plural) || !zh || !/^[a-z]+( [a-z]+)*$/.test(one))
  stop('npm run new-domain -- <plural> <zh name> <en name>, as in: suppliers 供应商 supplier')
if (existsSync(at(`src/domains/${plural}`))) stop(`src/domains/${plural} exists`)

function stop(why) {
  console.error(why)
  process.exit(1)
}
function at(file) {
  return path.join(root, file)
}

/** Every way a name is written: `device-tags`, `DeviceTags`, `deviceTags`, `device_tags`, in words. */
function spellings({ plural, one, zh }) {
  const big = (word) => word[0].toUpperCase() + word.slice(1)
  return [
    ...[plural.split('-'), one.split(' ')].flatMap((parts) => [
      parts.join('-'),
      parts.map(big).join(''),
      parts[0] + parts.slice(1).map(big).join(''),
      parts.join('_'),
      parts.join(' '),
      big(parts.join(' ')),
    ]),
    zh,
  ]
}
const [was, becomes] = [spellings(source), spellings({ plural, one, zh })]
const renamed = (text) => was.reduce((left, name, i) => left.replaceAll(name, becomes[i]), text)

/** Without the lines that only the source has, each with what is indented below it. */
function copied(text) {
  const left = []
  let below = Number.POSITIVE_INFINITY
  for (const line of own.words.reduce((left, word) => left.replace(word, ''), text).split('\n')) {
    const depth = line.search(/\S|$/)
    if (line.trim() !== '' && depth > below) continue
    const closes = depth === below && /^\s*[\])}/]/.test(line)
    below = own.lines.test(line) ? depth : Number.POSITIVE_INFINITY
    if (!closes && below === Number.POSITIVE_INFINITY) left.push(line)
  }
  return renamed(left.join('\n'))
}

const written = []
const from = (file) => readFileSync(at(file), 'utf8')
function write(file, text) {
  mkdirSync(path.dirname(at(file)), { recursive: true })
  writeFileSync(at(file), text)
  written.push(file)
}

const files = globSync(
  `{src/domains/${source.plural}/**/*.ts*,test/conformance/samples/${source.plural}.ts}`,
  { cwd: root },
)
for (const file of files) if (!own.files.test(file)) write(renamed(file), copied(from(file)))

const migrations = globSync('db/migrations/*.sql', { cwd: root }).sort()
const number = String(Number(path.basename(migrations.at(-1)).slice(0, 4)) + 1).padStart(4, '0')
const table = migrations.find((file) => file.endsWith(`_${was[3]}.sql`))
write(`db/migrations/${number}_${becomes[3]}.sql`, copied(from(table)))

/** Where all domains stand in one list: after the entry of the source ours. */
function list(file, entry) {
  const text = from(file)
  const [found] = entry.exec(text) ?? stop(`${file} does not name ${entry} any more`)
  write(file, text.replace(found, found + renamed(found)))
}
list('src/domains/domains.ts', new RegExp(`^export .*'\\./${source.plural}/.*\\n`, 'm'))
// the catalogue knows the rights of much that is still to come
const rights = 'src/domains/accounts/permissions.ts'
if (!new RegExp(`^  \\['\\w+', '${becomes[6]}',`, 'm').test(from(rights)))
  list(rights, new RegExp(`^  \\['\\w+', '${was[6]}',[\\s\\S]*?^  \\}\\],\\n`, 'm'))

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) stop(`${args.join(' ')} went wrong`)
}
const code = written.filter((file) => !file.endsWith('.sql'))
run('node_modules/@biomejs/biome/bin/biome', 'check', '--write', ...code)
run('scripts/db.mjs', 'dump')
run('node_modules/vitest/vitest.mjs', 'run', 'src/domains/roles/server/mutations', '-u')
console.log(
  `\n${written.join('\n')}\n\nNow its fields, then: npm run check && npm test -- conformance`,
)
