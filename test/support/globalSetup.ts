import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../../src/postgres/embedded.ts'
import { dropTemplatesOf, withoutWaiting } from './postgres.ts'

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
  await withoutWaiting(server.url)
  return async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
