import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { isHeld } from './database.ts'
import { indexesOf, makeIndex } from './onlineIndexes.ts'

type Migration = { version: string; name: string; sql: string; checksum: string }
type Rights = { installed: boolean; may: boolean }
type Applied = { version: string; name: string; checksum: string }

const lockKey = 7_281_996_001n

/**
 * Files that only a superuser could run: 0001 made a role that an administrator may have made
 * before, the others gave functions a clause that wants GRANT SET. Databases installed with them
 * are brought to the same definitions by 0041.
 */
export const earlier: Readonly<Record<string, string>> = {
  '0001_ground.sql': '52d0454f7eef1848b5393bf64e48f69c8c8af46d7d0aaf3be4995dabbf81ff90',
  '0022_boards.sql': '6c5762f3ea499508f487afb44f932faccee58203cc1eb1f49e9a6bc8bc732cca',
  '0026_alerts.sql': 'e153e6b1757a5872f45bfbf836c53f6559e9be3c33676f2dbb876a3318df82e2',
  '0031_unknown_boards.sql': 'bf833894463c1e9963beab49283ae9b85cdb7c31b4fca46441de458351792124',
}

/**
 * Applies what is missing (up to one version, for a restore), one transaction per file; a file of
 * indexes alone without one, so that nobody waits for it. Returns the names it applied.
 */
export async function migrate(
  ownerUrl: string,
  dir = 'db/migrations',
  upTo = '9999',
): Promise<string[]> {
  const files = readMigrations(dir)
  const client = new pg.Client({ connectionString: ownerUrl, application_name: 'huodao-migrate' })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [lockKey])
    const { rows: places } = await client.query<Rights>(`select t is not null as installed,
      case when t is null then has_schema_privilege('public', 'create')
        else (select pg_has_role(relowner, 'member') from pg_class where oid = t) end as may
      from to_regclass('public.schema_migrations') t`)
    const { installed, may } = places[0] as Rights
    const { rows } = installed
      ? await client.query<Applied>(
          'select version, name, checksum from schema_migrations order by version',
        )
      : { rows: [] }
    const pending = pendingOf(files, rows).filter((file) => file.version <= upTo)
    if (pending.length > 0 && !may)
      throw new Error(
        `The database lacks ${pending.length} migrations, and this login does not own it: run "npm run db -- migrate" with DATABASE_OWNER_URL.`,
      )
    if (!installed)
      await client.query(`create table schema_migrations (
        version text primary key, name text not null, checksum text not null,
        applied_at timestamptz not null default now())`)
    for (const file of pending) await apply(client, file)
    return pending.map((file) => file.name)
  } finally {
    await client.end()
  }
}

function readMigrations(dir: string): Migration[] {
  const names = readdirSync(dir)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  const files = names.map((name) => {
    const version = /^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1]
    if (!version) throw new Error(`Migration ${name}: a name looks like 0001_name.sql.`)
    // Line endings must not decide whether a migration is known.
    const sql = readFileSync(join(dir, name), 'utf8').replaceAll('\r\n', '\n')
    return { version, name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
  })
  const twice = files.find((file, index) => files[index - 1]?.version === file.version)
  if (twice) throw new Error(`Two migrations carry the number ${twice.version}.`)
  return files
}

/**
 * Tables and sequences that these versions made, by their text: whatever else lies in the database
 * is somebody else's.
 */
export function madeBy(versions: readonly string[], dir = 'db/migrations'): ReadonlySet<string> {
  const made = new Set<string>()
  const words =
    /^\s*(create|drop) (?:table|sequence) (?:if (?:not )?exists )?([a-z_][a-z0-9_]*)\b(?!\.| partition of)|^\s*alter table ([a-z_][a-z0-9_]*) rename to ([a-z_][a-z0-9_]*)/gim
  for (const { sql } of readMigrations(dir).filter(({ version }) => versions.includes(version))) {
    for (const [, act, name, before, after] of sql.matchAll(words)) {
      if (name && act?.toLowerCase() === 'create') made.add(name)
      if (after) made.add(after)
      made.delete((act?.toLowerCase() === 'drop' ? name : before) ?? '')
    }
  }
  return made
}

function pendingOf(files: Migration[], applied: Applied[]): Migration[] {
  for (const row of applied) {
    const file = files.find((candidate) => candidate.version === row.version)
    if (!file)
      throw new Error(
        `Migration ${row.name} is applied to this database but its file is missing: this release is older than the database.`,
      )
    if (![file.checksum, earlier[file.name]].includes(row.checksum))
      throw new Error(
        `Migration ${file.name} was changed after it was applied: add a new migration instead.`,
      )
  }
  const known = new Set(applied.map((row) => row.version))
  const newest = applied.at(-1)?.version ?? ''
  const pending = files.filter((file) => !known.has(file.version))
  const late = pending.find((file) => file.version < newest)
  if (late)
    throw new Error(
      `Migration ${late.name} comes before ${newest}, which is already applied: give it a later number.`,
    )
  return pending
}

async function apply(client: pg.Client, file: Migration) {
  const indexes = indexesOf(file.sql)
  // a release runs beside its predecessor, and all who want a table wait behind who waits for it
  await client.query(`set lock_timeout = '2s'`)
  try {
    for (const index of indexes ?? []) await makeIndex(client, index)
    await client.query('begin')
    if (!indexes) await client.query(file.sql)
    await client.query(
      'insert into schema_migrations (version, name, checksum) values ($1, $2, $3)',
      [file.version, file.name, file.checksum],
    )
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    if (isHeld(error))
      throw new Error(
        `Migration ${file.name}: a table that it changes is in use (a backup, an export). ${indexes ? 'What it made so far stays' : 'Nothing of it was done'}; start it again.`,
        { cause: error },
      )
    const { message, position, where, detail } = error as {
      message: string
      position?: string
      where?: string
      detail?: string
    }
    const line = position ? ` (line ${file.sql.slice(0, Number(position)).split('\n').length})` : ''
    throw new Error(
      `Migration ${file.name}${line}: ${[message, detail, where].filter(Boolean).join(' — ')}`,
      { cause: error },
    )
  }
}
