import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testDatabase } from '../../test/support/postgres.ts'
import { withClient } from './catalogue.ts'
import { migrate } from './migrate.ts'

test('a migration does not wait long for a table that somebody reads, as all others wait behind it', async () => {
  const { ownerUrl, drop } = await testDatabase()
  const dir = mkdtempSync(join(tmpdir(), 'huodao-migrations-'))
  cpSync('db/migrations', dir, { recursive: true })
  writeFileSync(join(dir, '9000_probe.sql'), 'alter table orders add column probe int;')
  await withClient(ownerUrl, async (reader) => {
    await reader.query('begin')
    await reader.query('select from orders limit 1')
    const first = migrate(ownerUrl, dir).catch((error: Error) => error.message)
    await withClient(ownerUrl, async (buyer) => {
      await buyer.query(`set lock_timeout = '4s'`)
      await expect.poll(() => waiting(buyer)).toBe(1)
      await buyer.query('update orders set id = id where false')
    })
    expect(await first).toBe(
      'Migration 9000_probe.sql: a table that it changes is in use (a backup, an export). Nothing of it was done; start it again.',
    )
    await reader.query('rollback')
    expect(await migrate(ownerUrl, dir)).toEqual(['9000_probe.sql'])
  })
  rmSync(dir, { recursive: true })
  await drop()
})

const waiting = async (client: Parameters<Parameters<typeof withClient>[1]>[0]) =>
  (
    await client.query(
      `select from pg_locks where not granted and relation = 'orders'::regclass
        and mode = 'AccessExclusiveLock'`,
    )
  ).rowCount
