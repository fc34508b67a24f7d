import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testDatabase } from '../../test/support/postgres.ts'
import { withClient } from './catalogue.ts'
import { migrate } from './migrate.ts'
import { indexesOf, ownName } from './onlineIndexes.ts'
import { ensurePartitions } from './partitions.ts'

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

test('an index is made while its table is read and written, and goes on where it was broken off', async () => {
  const { ownerUrl, drop } = await testDatabase()
  await ensurePartitions(ownerUrl, new Date('2026-11-15'), 1, 1)
  const dir = mkdtempSync(join(tmpdir(), 'huodao-migrations-'))
  cpSync('db/migrations', dir, { recursive: true })
  writeFileSync(
    join(dir, '9000_probe.sql'),
    `-- why; and a list
create index probe_months on orders (device_id, id) where not excluded;
create unique index probe_plain on suppliers (id, version);`,
  )
  const valid = async (client: Parameters<typeof waiting>[0]) =>
    (
      await client.query<{ said: string }>(
        `select relname || ' ' || indisvalid as said from pg_index join pg_class on oid = indexrelid
          where relname like '%probe_%' order by relname`,
      )
    ).rows.map((row) => row.said)
  await withClient(ownerUrl, async (client) => {
    const { rows: months } = await client.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits
        where inhparent = 'orders'::regclass order by inhrelid`,
    )
    expect(months.length).toBeGreaterThan(2)
    const month = months[1]?.name as string
    await client.query('begin')
    await client.query(`update ${month} set id = id where false`)
    const first = migrate(ownerUrl, dir).catch((error: Error) => error.message)
    await withClient(ownerUrl, async (buyer) => {
      const builds = async () =>
        (
          await buyer.query<{ pid: number }>(
            `select pid from pg_stat_activity where application_name = 'huodao-migrate'
              and datname = current_database() and query like 'create index concurrently%'
              and wait_event_type = 'Lock'`,
          )
        ).rows[0]?.pid
      await expect.poll(builds).toBeDefined()
      // whoever sells meanwhile waits for nobody
      await buyer.query(`set lock_timeout = '500ms'`)
      await buyer.query('update orders set id = id where false')
      await buyer.query(`update ${month} set id = id where false`)
      await buyer.query('select pg_terminate_backend($1)', [await builds()])
    })
    expect(await first).toContain('Migration 9000_probe.sql: ')
    await client.query('commit')
    expect(await valid(client)).toContain(`${month}_probe_months false`)
    expect(await migrate(ownerUrl, dir)).toEqual(['9000_probe.sql'])
    expect(await valid(client)).toEqual([
      ...months.map(({ name }) => `${name}_probe_months true`).toSorted(),
      'probe_months true',
      'probe_plain true',
    ])
    // months to come have it, too
    await ensurePartitions(ownerUrl, new Date('2026-11-15'), 0, 2)
    const { rows: indexed } = await client.query(
      `select from pg_inherits where inhparent = 'probe_months'::regclass`,
    )
    expect(indexed).toHaveLength(months.length + 1)
    expect(await migrate(ownerUrl, dir)).toEqual([])
  })
  rmSync(dir, { recursive: true })
  await drop()
})

test('one that cannot be made says why, and what was made before it stays', async () => {
  const { ownerUrl, drop } = await testDatabase()
  const dir = mkdtempSync(join(tmpdir(), 'huodao-migrations-'))
  cpSync('db/migrations', dir, { recursive: true })
  const file = join(dir, '9000_probe.sql')
  const good = 'create index probe_good on roles (code);'
  writeFileSync(file, `${good}\ncreate unique index probe_bad on schema_migrations ((true));`)
  await expect(migrate(ownerUrl, dir)).rejects.toThrow(/9000_probe.sql: could not create unique/)
  writeFileSync(file, `${good}\ncreate unique index probe_bad on schema_migrations (name);`)
  expect(await migrate(ownerUrl, dir)).toEqual(['9000_probe.sql'])
  rmSync(dir, { recursive: true })
  await drop()
})

test.each([
  ['create index a on b (c);', ['a']],
  [
    '-- why\nCREATE UNIQUE INDEX a ON b USING gin (c) WHERE d;\ncreate index e on f (g);',
    ['a', 'e'],
  ],
  ['create index a on b (c); drop index d;', null],
  ['create index concurrently a on b (c);', null],
  ['alter table a add b int;', null],
  ['-- nothing', null],
])('%s: indexes alone %o', (text, names) =>
  expect(indexesOf(text)?.map(({ name }) => name) ?? null).toEqual(names),
)

const waiting = async (client: Parameters<Parameters<typeof withClient>[1]>[0]) =>
  (
    await client.query(
      `select from pg_locks where not granted and relation = 'orders'::regclass
        and mode = 'AccessExclusiveLock'`,
    )
  ).rowCount

test('the index of a month has a name of its own, however long', () => {
  const [one, two] = ['day_and_hour', 'day_and_week'].map((end) =>
    ownName('reconciliation_differences_202611', `reconciliation_differences_by_${end}`),
  )
  expect(one).not.toBe(two)
  expect([one?.length, ownName('orders_202611', 'orders_day')]).toEqual([
    63,
    'orders_202611_orders_day',
  ])
})
