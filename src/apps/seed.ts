import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { startPostgres } from '../postgres/embedded.ts'
import { install } from '../seed/index.ts'
import { fillScale, refuseFilled, type Size, usualSize } from '../seed/scale/index.ts'
import { withClient } from '../server/catalogue.ts'
import { loadConfig } from '../server/config.ts'
import { migrate } from '../server/migrate.ts'
import { reach } from '../server/reach.ts'

const usage = `npm run seed -- scale [--orders ${usualSize.orders}] [--machines ${usualSize.machines}] [--operators ${usualSize.operators}] [--days ${usualSize.days}] [--unsplit ${usualSize.unsplit}]
Fills an empty database with the demo business and a large one beside it: sales of so many days until now,
the last --unsplit of which wait for their shares. DATA_DIR or DATABASE_URL say which database.`

const least: Size = { orders: 1, machines: 1, operators: 1, days: 2, unsplit: 0 }

function sizeOf(args: readonly string[]): Size {
  const names = Object.keys(usualSize) as (keyof Size)[]
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
  const size = Object.fromEntries(
    names.map((name) => [name, Number(values[name] ?? usualSize[name])]),
  ) as Size
  const wrong = names.filter(
    (name) => !(Number.isSafeInteger(size[name]) && size[name] >= least[name]),
  )
  if (positionals.join() !== 'scale' || wrong.length) throw new Error(usage)
  return size
}

async function fill(url: string, size: Size): Promise<void> {
  if (!config.demo)
    throw new Error(
      'This is for measurements, beside the demo business: start it with DEMO=1, and never in production.',
    )
  // before anything of it is changed
  await refuseFilled(url)
  await migrate(url)
  await install({ databaseUrl: url, config, log: console.log })
  const began = performance.now()
  const seconds = () => ((performance.now() - began) / 1000).toFixed(0).padStart(5)
  await fillScale(url, size, { log: (line) => console.log(`${seconds()} s  ${line}`) })
  const { rows } = await withClient(url, (client) =>
    client.query<{
      rows: number
      bytes: string
    }>(`select sum(greatest(reltuples, 0))::bigint as rows,
      pg_size_pretty(pg_database_size(current_database())) as bytes from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace`),
  )
  const [total] = rows
  console.log(
    `${seconds()} s  done: ${total?.rows} rows, ${total?.bytes}; ${Math.round((1000 * Number(total?.rows)) / (performance.now() - began))} rows a second`,
  )
}

const config = loadConfig(process.env)
try {
  const size = sizeOf(process.argv.slice(2))
  const url = config.databaseOwnerUrl ?? config.databaseUrl
  if (url) {
    await reach(config.databaseOwnerUrl ? 'DATABASE_OWNER_URL' : 'DATABASE_URL', url)
    await fill(url, size)
  } else {
    const server = await startPostgres({
      dataDir: join(config.dataDir, 'postgres'),
      log: console.log,
    })
    try {
      await fill(server.url, size)
    } finally {
      await server.stop()
    }
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
