import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startPostgres } from '../../src/postgres/embedded.ts'
import { install } from '../../src/seed/index.ts'
import { fillScale, type Size } from '../../src/seed/scale/index.ts'
import { loadConfig } from '../../src/server/config.ts'
import { migrate } from '../../src/server/migrate.ts'

/** What the command line says of the size, as of `npm run seed -- scale`. */
export function sizeOf(usual: Size): Size {
  const option = { type: 'string' } as const
  const { values } = parseArgs({
    options: { orders: option, machines: option, operators: option, days: option, unsplit: option },
  })
  const said = Object.entries(values).map(([name, value]) => {
    if (!/^\d{1,9}$/.test(value ?? '')) throw new Error(`--${name} is a number`)
    return [name, Number(value)] as const
  })
  return { ...usual, ...Object.fromEntries(said) }
}

export type Filled = { env: Record<string, string>; owner: pg.Client }

/** Works on a database of its own, filled as `npm run seed -- scale` fills one; answers whether all went well. */
export async function withScale(
  size: Size,
  ports: Record<string, string>,
  work: (filled: Filled) => Promise<boolean>,
): Promise<void> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'huodao-bench-'))
  const server = await startPostgres({ dataDir: path.join(dataDir, 'postgres'), log: () => {} })
  let fine = false
  const began = performance.now()
  try {
    await migrate(server.url)
    const env = {
      ...{ DATABASE_URL: server.url, DATA_DIR: dataDir, LOG_LEVEL: 'error' },
      ...{ RATE_LIMIT: '1000000', ...ports },
    }
    await install({
      databaseUrl: server.url,
      config: loadConfig({ ...env, DEMO: '1' }),
      log: () => {},
    })
    await fillScale(server.url, size)
    const owner = new pg.Client({ connectionString: server.url })
    owner.on('error', () => {}) // the server is stopped under it when something fails
    await owner.connect()
    await owner.query(`select set_config('app.all', 'on', false)`)
    await owner.query('vacuum analyze')
    const filled = ((performance.now() - began) / 1000).toFixed(0)
    console.log(`     ${size.orders} orders of ${size.machines} machines, filled in ${filled} s`)
    fine = await work({ env, owner })
    await owner.end()
  } catch (error) {
    console.error(error)
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  // what was half started would go on for ever
  process.exit(fine ? 0 : 1)
}
