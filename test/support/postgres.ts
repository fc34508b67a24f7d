import { createHash, randomBytes } from 'node:crypto'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { loadConfig } from '../../src/server/config.ts'
import { migrate } from '../../src/server/migrate.ts'

export type TestDatabase = { ownerUrl: string; drop(): Promise<void> }
type Seed = {
  seed: (options: {
    databaseUrl: string
    config: ReturnType<typeof loadConfig>
    log: (line: string) => void
  }) => Promise<void>
}

/** A template more: what fills it, once in a run of the tests. */
type Filled = { name: string; fill(ownerUrl: string): Promise<void> }
type Template = { seeded?: boolean; filled?: Filled | undefined }

const templateLock = 728_199_603

/**
 * A database of its own for one suite: a clone of the migrated template or, when asked, of the
 * seeded one or of one that is filled otherwise.
 */
export async function testDatabase({
  seeded = false,
  filled,
}: Template = {}): Promise<TestDatabase> {
  const template = await templateNamed({ seeded, filled })
  const name = `huodao_test_${randomBytes(6).toString('hex')}`
  await onServer(async (client) => {
    // Cloning refuses while someone is connected to the template, so clones and the making of it
    // take turns.
    await locked(client, template, () =>
      client.query(`create database ${name} template ${template} strategy file_copy`),
    )
  })
  return {
    ownerUrl: urlOf(name),
    drop: () => onServer((client) => client.query(`drop database if exists ${name} with (force)`)),
  }
}

// The name carries a hash of what went in, or the run that filled it: a server kept between runs
// never serves a stale template.
async function templateNamed({ seeded, filled }: Template): Promise<string> {
  const of = filled
    ? `${process.env.TEST_RUN}_${filled.name}`
    : `${hashOf(seeded ? ['db/migrations/*.sql', 'src/seed/**', 'src/domains/*/seed.ts'] : ['db/migrations/*.sql'])}${seeded ? '_seeded' : ''}`
  const name = `huodao_template_${of}`
  await onServer((client) =>
    locked(client, name, async () => {
      const { rows } = await client.query<{ template: boolean }>(
        'select datistemplate as template from pg_database where datname = $1',
        [name],
      )
      if (rows[0]?.template) return
      await client.query(`drop database if exists ${name} with (force)`)
      await client.query(`create database ${name}`)
      await migrate(urlOf(name))
      if (seeded) await runSeed(urlOf(name))
      if (filled) await filled.fill(urlOf(name))
      await client.query(`alter database ${name} with is_template true`)
    }),
  )
  return name
}

async function runSeed(ownerUrl: string) {
  const path = '../../src/seed/index.ts'
  const { seed } = (await import(path)) as Seed
  const keys = { SECRET_KEY: '0'.repeat(64), SIM_PAY_KEY: '1'.repeat(64) }
  // pictures of the demo must not land in the checkout
  const dataDir = mkdtempSync(join(tmpdir(), 'huodao-seed-'))
  await seed({
    databaseUrl: ownerUrl,
    config: loadConfig({ ...process.env, DATABASE_URL: ownerUrl, DATA_DIR: dataDir, ...keys }),
    log: () => {},
  })
  rmSync(dataDir, { recursive: true, force: true })
}

function hashOf(patterns: string[]): string {
  const hash = createHash('sha256')
  for (const entry of globSync(patterns, { withFileTypes: true })
    .filter((found) => found.isFile())
    .map((found) => `${found.parentPath}/${found.name}`)
    .sort()) {
    hash.update(entry).update(readFileSync(entry))
  }
  return hash.digest('hex').slice(0, 12)
}

/** What a run filled for itself goes with it. */
export const dropTemplatesOf = (run: string): Promise<void> =>
  onServer(async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select datname as name from pg_database where datname like 'huodao\\_template\\_' || $1 || '%'`,
      [run],
    )
    for (const { name } of rows) {
      await client.query(`alter database ${name} with is_template false`)
      await client.query(`drop database ${name} with (force)`)
    }
  })

/**
 * Durability is what the crash flow of test/e2e is for; other suites only read what they wrote.
 */
export async function withoutWaiting(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const setting of [
    'synchronous_commit = off',
    'fsync = off',
    // hundreds of empty tables look large enough for helpers, whose start costs more than the read
    'max_parallel_workers_per_gather = 0',
  ])
    await client.query(`alter system set ${setting}`)
  await client.query('select pg_reload_conf()')
  await client.end()
}

function urlOf(name: string): string {
  const server = process.env.TEST_DATABASE_URL
  if (!server)
    throw new Error('No test server: run the tests through vitest (test/support/globalSetup.ts).')
  return Object.assign(new URL(server), { pathname: `/${name}` }).href
}

async function onServer(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf('postgres') })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

/**
 * One at a time for each template: who needs the plain one does not wait for the demo business to
 * be filled in.
 */
async function locked(client: pg.Client, template: string, work: () => Promise<unknown>) {
  await client.query('select pg_advisory_lock($1, hashtext($2))', [templateLock, template])
  try {
    await work()
  } finally {
    await client.query('select pg_advisory_unlock($1, hashtext($2))', [templateLock, template])
  }
}
