import {
  createReadStream,
  createWriteStream,
  existsSync,
  globSync,
  mkdirSync,
  renameSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type pg from 'pg'
import { withClient } from './catalogue.ts'
import { madeBy, migrate } from './migrate.ts'

type Table = { name: string; columns: { name: string; type: string }[] }
type Values = (string | null)[]
type Line =
  | { format: 'huodao-backup'; version: 1; migrations: string[]; createdAt: string }
  | { partition: string; parent: string; bound: string }
  | { table: string; columns: { name: string; type: string }[] }
  | Values
  | { sequence: string; value: string }
  | { file: string }
  | { bytes: string }
  | { end: true; rows: number; files: number }
export type BackupTotals = { rows: number; files: number }
/**
 * `foreign`: what lies in the database (a backup) or in the archive (a restore) and no migration
 * made.
 */
export type BackupResult = BackupTotals & { foreign: string[] }

const batchRows = 1000
const chunkBytes = 48 * 1024

// $1: what the migrations made (migrate.ts). Names of other schemas are named in full, so that
// nothing is left out in silence.
const allTables = `from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and c.relkind in ('r', 'p') and not c.relispartition
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`
const isOurs = `n.nspname = 'public' and c.relname = any($1)`
const tablesQuery = `select format('%I.%I', n.nspname, c.relname) as name,
    (select json_agg(json_build_object('name', a.attname, 'type',
      format_type(a.atttypid, a.atttypmod)) order by a.attnum)
     from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       and a.attgenerated = '') as columns
  ${allTables} and ${isOurs} order by 1`
const foreignQuery = `select format('%I.%I', n.nspname, c.relname) as name ${allTables}
  and not (${isOurs}) and c.relname <> 'schema_migrations' order by 1`
const partitionsQuery = `select format('%I.%I', pn.nspname, p.relname) as partition,
  c.oid::regclass::text as parent, pg_get_expr(p.relpartbound, p.oid) as bound
  from pg_inherits i join pg_class p on p.oid = i.inhrelid
  join pg_namespace pn on pn.oid = p.relnamespace
    join pg_class c on c.oid = i.inhparent join pg_namespace n on n.oid = c.relnamespace
  where p.relispartition and p.relkind in ('r', 'p') and ${isOurs} order by 1`
const sequencesQuery = `select format('%I.%I', sn.nspname, s.relname) as sequence,
  q.last_value::text as value
  from pg_sequences q join pg_namespace sn on sn.nspname = q.schemaname
  join pg_class s on s.relname = q.sequencename and s.relnamespace = sn.oid
    left join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = s.oid
      and d.refclassid = 'pg_class'::regclass and d.deptype in ('i', 'a')
    join pg_class c on c.oid = coalesce(d.refobjid, s.oid)
    join pg_namespace n on n.oid = c.relnamespace
  where ${isOurs} and q.last_value is not null order by 1`
// A row policy must neither hide rows from a backup nor refuse them on the way back.
const session = `set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres'; set statement_timeout = 0; select set_config('app.all', 'on', false)`

/**
 * Writes all tables of one snapshot and the uploaded files into one gzip archive of JSON lines. The
 * secret keys are left out: they are kept apart on purpose.
 */
export async function backup(
  ownerUrl: string,
  filesDir: string,
  target: string,
  migrations?: string,
): Promise<BackupResult> {
  return withClient(ownerUrl, async (client) => {
    const totals = { rows: 0, files: 0, foreign: [] as string[] }
    await client.query(session)
    await client.query('begin isolation level repeatable read read only')
    const text = Readable.from(serialise(lines(client, filesDir, totals, migrations)))
    await pipeline(text, createGzip(), createWriteStream(`${target}.part`, { mode: 0o600 }))
    const file = await open(`${target}.part`, 'r+')
    await file.sync()
    await file.close()
    // Under its name there is only ever a complete archive.
    renameSync(`${target}.part`, target)
    return totals
  })
}

async function* serialise(source: AsyncIterable<Line>) {
  for await (const line of source) yield `${JSON.stringify(line)}\n`
}

async function* lines(
  client: pg.Client,
  filesDir: string,
  totals: BackupResult,
  migrations?: string,
): AsyncGenerator<Line> {
  const applied = await appliedTo(client)
  const made = [...madeBy(applied, migrations)]
  yield {
    format: 'huodao-backup',
    version: 1,
    migrations: applied,
    createdAt: new Date().toISOString(),
  }
  totals.foreign = (await client.query<{ name: string }>(foreignQuery, [made])).rows.map(
    ({ name }) => name,
  )
  yield* (
    await client.query<{ partition: string; parent: string; bound: string }>(partitionsQuery, [
      made,
    ])
  ).rows
  for (const table of (await client.query<Table>(tablesQuery, [made])).rows) {
    yield { table: table.name, columns: table.columns }
    const list = table.columns.map((column) => `${quote(column.name)}::text`).join(', ')
    await client.query(`declare backup_rows no scroll cursor for select ${list} from ${table.name}`)
    for (;;) {
      const { rows } = await client.query<Values>({
        text: `fetch ${batchRows} from backup_rows`,
        rowMode: 'array',
      })
      if (rows.length === 0) break
      totals.rows += rows.length
      yield* rows
    }
    await client.query('close backup_rows')
  }
  yield* (await client.query<{ sequence: string; value: string }>(sequencesQuery, [made])).rows
  await client.query('commit')
  for (const entry of existsSync(filesDir)
    ? globSync('**/*', { cwd: filesDir, withFileTypes: true })
    : []) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    yield { file: relative(resolve(filesDir), resolve(path)).split(sep).join('/') }
    for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes }))
      yield { bytes: (chunk as Buffer).toString('base64') }
    totals.files += 1
  }
  yield { end: true, rows: totals.rows, files: totals.files }
}

/**
 * Fills an empty database from an archive: migrations up to the archive's, rows in one transaction,
 * newer migrations.
 */
export async function restore(
  ownerUrl: string,
  filesDir: string,
  source: string,
  migrations?: string,
): Promise<BackupResult> {
  const totals = await withClient(ownerUrl, async (client) => {
    const input = createInterface({
      input: createReadStream(source).pipe(createGunzip()),
      crlfDelay: Number.POSITIVE_INFINITY,
    })
    const parsed = readLines(input)
    const first = (await parsed.next()).value
    if (!first || !('format' in first) || first.format !== 'huodao-backup')
      throw new Error(`${source} is not a backup of Huodao.`)
    await migrate(ownerUrl, migrations, first.migrations.at(-1) ?? '0000')
    const made = madeBy(first.migrations, migrations)
    if ((await appliedTo(client)).join() !== first.migrations.join())
      throw new Error('This backup is of a newer release: restore it with that release.')
    const { rows: used } = await client.query('select from users limit 1')
    if (used.length > 0)
      throw new Error(
        'The database is not empty: a restore wants an empty one (npm run db -- reset).',
      )
    await client.query(session)
    await client.query('begin')
    const reopen = await liftConstraints(client, [...made])
    const totals = await load(client, parsed, filesDir, made)
    await reopen()
    // this cluster counts its transactions anew: rows written from now on stand behind all that
    // were restored
    await client.query(
      `select setval('operation_log_epoch', last_value + 1) from operation_log_epoch`,
    )
    await client.query('commit')
    await client.query('analyze')
    return totals
  })
  await migrate(ownerUrl, migrations)
  return totals
}

const appliedTo = async (client: pg.Client): Promise<string[]> =>
  (
    await client.query<{ version: string }>(
      'select version from schema_migrations order by version',
    )
  ).rows.map((row) => row.version)

async function* readLines(input: AsyncIterable<string>): AsyncGenerator<Line> {
  for await (const line of input) yield JSON.parse(line) as Line
}

async function load(
  client: pg.Client,
  source: AsyncGenerator<Line>,
  filesDir: string,
  made: ReadonlySet<string>,
): Promise<BackupResult> {
  const totals = { rows: 0, files: 0, foreign: [] as string[] }
  const isOurs = (name: string) => made.has(name.replace(/^public\./, ''))
  let table: Table | null = null
  let batch: Values[] = []
  let file: Awaited<ReturnType<typeof open>> | null = null
  let complete = false
  const flush = async () => {
    if (table && batch.length > 0) await insert(client, table, batch)
    totals.rows += batch.length
    batch = []
  }
  for await (const line of source) {
    if (Array.isArray(line)) {
      batch.push(line)
      if (batch.length >= batchRows) await flush()
      continue
    }
    if ('bytes' in line) {
      await file?.write(Buffer.from(line.bytes, 'base64'))
      continue
    }
    await flush()
    await file?.close()
    file = null
    if ('partition' in line) {
      if (isOurs(line.parent))
        await client.query(
          `create table if not exists ${line.partition} partition of ${line.parent} ${line.bound}`,
        )
    } else if ('table' in line) {
      // archives of earlier releases hold whatever lay in the database
      table = isOurs(line.table) ? { name: line.table, columns: line.columns } : null
      if (!table) totals.foreign.push(line.table)
    } else if ('sequence' in line)
      await client.query(
        'select setval(to_regclass($1), $2::bigint) where to_regclass($1) is not null',
        [line.sequence, line.value],
      )
    else if ('file' in line) {
      file = await open(place(filesDir, line.file), 'w', 0o600)
      totals.files += 1
    } else if ('end' in line) complete = line.rows === totals.rows && line.files === totals.files
  }
  if (!complete) throw new Error('The backup is incomplete: nothing was restored.')
  return totals
}

// An archive is input like any other: no name in it may lead out of the folder.
function place(filesDir: string, name: string): string {
  const path = resolve(filesDir, name)
  if (!path.startsWith(resolve(filesDir) + sep))
    throw new Error(`The backup holds a file with a wrong name: ${name}`)
  mkdirSync(filesDir, { recursive: true, mode: 0o700 })
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  return path
}

async function insert(client: pg.Client, { name, columns }: Table, rows: Values[]) {
  const names = columns.map((column) => quote(column.name)).join(', ')
  const values = columns.map((column, index) => `(r->>${index})::${column.type}`).join(', ')
  await client.query(
    `insert into ${name} (${names}) overriding system value select ${values}
      from json_array_elements($1::json) r`,
    [JSON.stringify(rows)],
  )
}

// Rows come table by table, so references are dropped and made again, which checks every one of
// them.
async function liftConstraints(client: pg.Client, made: string[]): Promise<() => Promise<void>> {
  const { rows: keys } = await client.query<{ tbl: string; name: string; definition: string }>(`
    select k.conrelid::regclass::text as tbl, quote_ident(k.conname) as name,
      pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_class c on c.oid = k.conrelid
    join pg_namespace n on n.oid = c.relnamespace
    where k.contype = 'f' and k.conparentid = 0 and n.nspname !~ '^pg_'`)
  const { rows: tables } = await client.query<Table>(tablesQuery, [made])
  for (const { tbl, name } of keys) await client.query(`alter table ${tbl} drop constraint ${name}`)
  for (const { name } of tables) await client.query(`alter table ${name} disable trigger user`)
  // What the migrations put in is in the archive as well.
  if (tables.length > 0)
    await client.query(`truncate ${tables.map((table) => table.name).join(', ')}`)
  return async () => {
    for (const { name } of tables) await client.query(`alter table ${name} enable trigger user`)
    for (const { tbl, name, definition } of keys)
      await client.query(`alter table ${tbl} add constraint ${name} ${definition}`)
  }
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`
