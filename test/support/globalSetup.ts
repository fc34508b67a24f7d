import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../../src/postgres/embedded.ts'
import { dropTemplatesOf } from './postgres.ts'

/**
 * One server for the whole run: that of DATABASE_URL, or an embedded one in a folder of its own.
 */
export default async function setup() {
  process.env.TEST_RUN = randomBytes(4).toString('hex')
  if (process.env.DATABASE_URL) {
    process.env.TEST_DATABASE_URL = process.env.DATABASE_URL
    return () => dropTemplatesOf(process.env.TEST_RUN as string)
  }
  const folder = mkdtempSync(join(tmpdir(), 'huodao-test-'))
  const server = await startPostgres({ dataDir: join(folder, 'postgres'), log: () => {} })
  process.env.TEST_DATABASE_URL = server.url
  // durability is what the crash flow of test/e2e is for; these suites only read what they wrote
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query('alter system set synchronous_commit = off')
  await client.query('alter system set fsync = off')
  // a hundred empty tables look large enough for helpers, whose start costs more than the read
  await client.query('alter system set max_parallel_workers_per_gather = 0')
  await client.query('select pg_reload_conf()')
  await client.end()
  return async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
