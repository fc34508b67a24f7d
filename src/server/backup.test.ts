import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { testDatabase } from '../../test/support/postgres.ts'
import { backup, restore } from './backup.ts'
import { dumpSchema, withClient } from './catalogue.ts'
import { madeBy, migrate } from './migrate.ts'

const folder = mkdtempSync(join(tmpdir(), 'hd-backup-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const probe = `create table probe (id bigint generated always as identity primary key,
  at timestamptz, raw bytea, doc jsonb, tags text[], big bigint,
    note text, day date, ratio float8, doubled bigint generated always
    as (big * 2) stored, parent bigint references probe);
  insert into probe (at, raw, doc, tags, big, note, day, ratio, parent) values
    ('2026-02-03 04:05:06.789012+08', '\\x00ff10', '{"a": [1, null, "中"]}', '{"a,b",NULL,"q\\"x"}',
      9007199254740993, E'line\\n\\\\ "quoted"', '0044-03-15 BC', 0.1, 2),
    (null, '', 'null', '{}', -1, '', 'infinity', 'NaN', null)`
const everything =
  'select id, at::text, raw::text, doc::text, tags::text, big::text, note, day::text, ratio::text, doubled::text, parent from probe order by id'

/** The migrations and one more, which makes the probe. */
const migrations = join(folder, 'migrations')
cpSync('db/migrations', migrations, { recursive: true })
writeFileSync(join(migrations, '9000_probe.sql'), `${probe.split(';')[0]};`)

test('a restored backup equals its source: every value, sequence, file and constraint', async () => {
  const [source, target] = [await testDatabase(), await testDatabase()]
  const archive = join(folder, 'all.gz')
  mkdirSync(join(folder, 'files/7'), { recursive: true })
  writeFileSync(join(folder, 'files/7/photo.jpg'), Buffer.alloc(200_000, 'x\0y'))
  try {
    await migrate(source.ownerUrl, migrations)
    await withClient(source.ownerUrl, (client) => client.query(probe.slice(probe.indexOf(';') + 1)))
    // what somebody else put beside our tables stays where it is
    await withClient(source.ownerUrl, (client) =>
      client.query(
        'create table notes (id bigserial primary key, u bigint references users); insert into notes default values; create schema other; create table other.orders ()',
      ),
    )
    await withClient(target.ownerUrl, (client) =>
      client.query('create table own_notes (text text); insert into own_notes values (1)'),
    )
    const saved = await backup(source.ownerUrl, join(folder, 'files'), archive, migrations)
    expect(saved).toMatchObject({ files: 1, foreign: ['other.orders', 'public.notes'] })
    const restored = await restore(target.ownerUrl, join(folder, 'back'), archive, migrations)
    expect(restored).toEqual({ ...saved, foreign: [] })
    expect(
      (await withClient(target.ownerUrl, (client) => client.query('table own_notes'))).rowCount,
    ).toBe(1)
    await withClient(source.ownerUrl, (client) =>
      client.query('drop table notes; drop schema other cascade'),
    )
    await withClient(target.ownerUrl, (client) => client.query('drop table own_notes'))
    const [before, after] = await Promise.all(
      [source, target].map(({ ownerUrl }) =>
        withClient(ownerUrl, async (client) => (await client.query(everything)).rows),
      ),
    )
    expect(after).toEqual(before)
    expect(await dumpSchema(target.ownerUrl)).toBe(await dumpSchema(source.ownerUrl))
    expect(
      readFileSync(join(folder, 'back/7/photo.jpg')).equals(
        readFileSync(join(folder, 'files/7/photo.jpg')),
      ),
    ).toBe(true)
    const next = await withClient(target.ownerUrl, (client) =>
      client.query<{ id: string }>('insert into probe default values returning id::text'),
    )
    expect(next.rows[0]?.id).toBe('3')
  } finally {
    await Promise.all([source.drop(), target.drop()])
  }
})

test('what migrations made is known by their text', async () => {
  const source = await testDatabase()
  const { rows } = await withClient(source.ownerUrl, (client) =>
    client.query<{
      name: string
    }>(`select c.relname as name from pg_class c
      where c.relnamespace = 'public'::regnamespace and not c.relispartition
      and (c.relkind in ('r', 'p') or c.relkind = 'S' and not exists (select from pg_depend d
        where d.objid = c.oid and d.deptype = 'i'))
      and c.relname <> 'schema_migrations'`),
  )
  const versions = readdirSync('db/migrations').map((name) => name.slice(0, 4))
  expect([...madeBy(versions)].sort()).toEqual(rows.map(({ name }) => name).sort())
  await source.drop()
})

test('an archive of an earlier release that holds a foreign table is restored without it', async () => {
  const [source, target] = [await testDatabase(), await testDatabase()]
  await backup(source.ownerUrl, join(folder, 'none'), join(folder, 'plain.gz'))
  const lines = gunzipSync(readFileSync(join(folder, 'plain.gz')))
    .toString()
    .trimEnd()
    .split('\n')
  const end = JSON.parse(lines.pop() as string)
  const notes = [
    { table: 'public.notes', columns: [{ name: 'id', type: 'bigint' }] },
    ['1'],
    { sequence: 'public.notes_id_seq', value: '1' },
  ]
  const old = [
    ...lines,
    ...[...notes, { ...end, rows: end.rows + 1 }].map((line) => JSON.stringify(line)),
  ].join('\n')
  writeFileSync(join(folder, 'old.gz'), gzipSync(old))
  expect(
    await restore(target.ownerUrl, join(folder, 'back'), join(folder, 'old.gz')),
  ).toMatchObject({ foreign: ['public.notes'] })
  await Promise.all([source.drop(), target.drop()])
})

test('a cut or foreign archive restores nothing', async () => {
  const [source, target] = [await testDatabase(), await testDatabase()]
  const archive = join(folder, 'whole.gz')
  try {
    await backup(source.ownerUrl, join(folder, 'none'), archive)
    const cut = gunzipSync(readFileSync(archive))
      .toString()
      .trimEnd()
      .split('\n')
      .slice(0, -1)
      .join('\n')
    writeFileSync(join(folder, 'cut.gz'), gzipSync(cut))
    await expect(
      restore(target.ownerUrl, join(folder, 'back'), join(folder, 'cut.gz')),
    ).rejects.toThrow(/incomplete/)
    const outside = `${cut}\n{"file":"../../evil"}\n`
    writeFileSync(join(folder, 'evil.gz'), gzipSync(outside))
    await expect(
      restore(target.ownerUrl, join(folder, 'back'), join(folder, 'evil.gz')),
    ).rejects.toThrow(/wrong name/)
    writeFileSync(join(folder, 'foreign.gz'), gzipSync('{"hello":1}\n'))
    await expect(
      restore(target.ownerUrl, join(folder, 'back'), join(folder, 'foreign.gz')),
    ).rejects.toThrow(/not a backup/)
    const client = new pg.Client({ connectionString: target.ownerUrl })
    await client.connect()
    expect(
      (await client.query('select from pg_trigger where tgenabled = $1', ['D'])).rowCount,
    ).toBe(0)
    await client.end()
  } finally {
    await Promise.all([source.drop(), target.drop()])
  }
})
