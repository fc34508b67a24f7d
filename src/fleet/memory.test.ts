import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { testConfig } from '../../test/support/api.ts'
import { writeFleet } from '../seed/index.ts'
import { openMemory, openRecord } from './memory.ts'

const folder = mkdtempSync(join(tmpdir(), 'huodao-fleet-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('what simulated machines write is for its owner alone, whatever the umask', () => {
  const before = process.umask(0)
  try {
    openMemory(join(folder, 'fleet'), 'HD000001').write({
      boot: 1,
      kept: [],
      messages: [],
      broken: [],
    })
    openRecord(folder)({ rtu: 'HD000001' })
  } finally {
    process.umask(before)
  }
  const modes = readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => [
    entry.name,
    (statSync(join(entry.parentPath, entry.name)).mode & 0o777).toString(8),
  ])
  expect(Object.fromEntries(modes)).toEqual({
    fleet: '700',
    'HD000001.json': '600',
    'fleet-record.jsonl': '600',
  })
})

test('machines of a new demo remember nothing of the one before, not even which settings they had', () => {
  const chip = openMemory(join(folder, 'fleet'), 'HD000002')
  const config = testConfig('postgres://nobody@127.0.0.1/none', folder)
  chip.write({ boot: 7, kept: [], messages: [], broken: [] })
  writeFleet(config, false)
  expect(chip.read()?.boot).toBe(7)
  writeFleet(config, true)
  expect(chip.read()).toBeNull()
})
