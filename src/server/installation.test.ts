import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { safeUrl } from './answers.ts'
import { holdDataDir } from './dataDir.ts'
import { openFiles } from './files.ts'
import { installationProblem, keyCheck } from './installation.ts'
import { reach } from './reach.ts'

const folder = mkdtempSync(join(tmpdir(), 'hd-install-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const [key, other] = ['0'.repeat(64), 'f'.repeat(64)]
describe('a database and the settings of its server', () => {
  test.each([
    ['a new one', { demo: null, keyCheck: null }, { demo: true, production: false }, null],
    ['the demo as the demo', { demo: true, keyCheck: keyCheck(key) }, { demo: true, production: false }, null],
    ['the demo in production', { demo: true, keyCheck: keyCheck(key) }, { demo: false, production: true }, /passwords are public/],
    ['a business in production', { demo: false, keyCheck: keyCheck(key) }, { demo: false, production: true }, null],
    ['a business as the demo', { demo: false, keyCheck: keyCheck(key) }, { demo: true, production: false }, /real business/],
    ['another key', { demo: false, keyCheck: keyCheck(other) }, { demo: false, production: true }, /SECRET_KEY .* is not the key/],
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
  const { name } = await files.put(Buffer.from('x'), 'png')
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
  writeFileSync(join(dataDir, 'start.pid'), `${process.ppid}\n`)
  holdDataDir(dataDir)
})

test('a path is shown as it was asked for, without markup', () => expect(safeUrl('/x?a=1&b=<i>')).toBe('/x?a=1&b=%3Ci%3E'))
