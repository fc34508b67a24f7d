import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { safeUrl } from './answers.ts'
import { holdDataDir } from './dataDir.ts'
import { freshName, openFiles } from './files.ts'
import { installationProblem, keyCheck } from './installation.ts'
import { reach } from './reach.ts'

const folder = mkdtempSync(join(tmpdir(), 'hd-install-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const [key, other] = ['0'.repeat(64), 'f'.repeat(64)]
describe('a database and the settings of its server', () => {
  test.each([
    ['a new one', { demo: null, keyCheck: null }, { demo: true, production: false }, null],
    [
      'the demo as the demo',
      { demo: true, keyCheck: keyCheck(key) },
      { demo: true, production: false },
      null,
    ],
    [
      'the demo in production',
      { demo: true, keyCheck: keyCheck(key) },
      { demo: false, production: true },
      /passwords are public/,
    ],
    [
      'a business in production',
      { demo: false, keyCheck: keyCheck(key) },
      { demo: false, production: true },
      null,
    ],
    [
      'a business as the demo',
      { demo: false, keyCheck: keyCheck(key) },
      { demo: true, production: false },
      /real business/,
    ],
    [
      'another key',
      { demo: false, keyCheck: keyCheck(other) },
      { demo: false, production: true },
      /SECRET_KEY .* is not the key/,
    ],
  ])('%s', (_name, kept, config, problem) => {
    const found = installationProblem(kept, { ...config, secretKey: key })
    if (problem) expect(found).toMatch(problem)
    else expect(found).toBeNull()
  })
})

test('an address that leads nowhere is told by its setting', async () => {
  await expect(reach('DATABASE_URL', 'postgres://me:secret@127.0.0.1:1/none')).rejects.toThrow(
    'DATABASE_URL does not lead to a database (me@127.0.0.1:1/none): connect ECONNREFUSED 127.0.0.1:1.',
  )
})

test('uploads are for nobody else on the machine', async () => {
  const files = openFiles(folder)
  const name = freshName('png')
  await files.put(name, Buffer.from('x'))
  const { name: sheet } = await files.write([Buffer.from('x')] as never, 'xlsx')
  for (const file of [name, sheet]) {
    expect(statSync(join(files.folder, file.slice(0, 2), file)).mode & 0o77).toBe(0)
    expect(statSync(join(files.folder, file.slice(0, 2))).mode & 0o77).toBe(0)
  }
})

test('one start for each data folder; a number that somebody else has now does not count', () => {
  const dataDir = join(folder, 'held')
  holdDataDir(dataDir)
  holdDataDir(dataDir)
  const file = join(dataDir, 'start.pid')
  writeFileSync(file, `${process.ppid}\n`)
  holdDataDir(dataDir)
  const own = readFileSync(file, 'utf8')
  // what runs there now is a start too, of another installation or another user
  const other = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)', 'scripts/start.mjs'])
  writeFileSync(file, own.replace(/^\d+/, String(other.pid)))
  holdDataDir(dataDir)
  expect(readFileSync(file, 'utf8')).toBe(own)
  const stat = readFileSync(`/proc/${other.pid}/stat`, 'utf8')
  writeFileSync(
    file,
    own.replace(/^\d+ \d+/, `${other.pid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`),
  )
  expect(() => holdDataDir(dataDir)).toThrow(/in use by process/)
  other.kill()
})

test.runIf(process.getuid?.() === 0)(
  'a number that another user has now does not keep a plain user out of his folder',
  () => {
    const dataDir = join(folder, 'plain')
    mkdirSync(dataDir)
    chmodSync(folder, 0o755)
    writeFileSync(join(dataDir, 'start.pid'), '1\n')
    chownSync(dataDir, 65534, 65534)
    chownSync(join(dataDir, 'start.pid'), 65534, 65534)
    const script = `process.setgid(65534); process.setuid(65534); m.holdDataDir(${JSON.stringify(dataDir)})`
    const module = pathToFileURL('src/server/dataDir.ts').href
    const { status, stderr } = spawnSync(process.execPath, [
      '--input-type=module',
      '-e',
      `const m = await import(${JSON.stringify(module)}); ${script}`,
    ])
    expect([stderr.toString(), status]).toEqual(['', 0])
  },
)

test('a path is shown as it was asked for, without markup', () =>
  expect(safeUrl('/x?a=1&b=<i>')).toBe('/x?a=1&b=%3Ci%3E'))
