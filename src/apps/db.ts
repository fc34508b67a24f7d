import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { auditText } from '../domains/audit/server/actionText.ts'
import { verifyLog } from '../domains/audit/server/chain/verify.ts'
import { writeBrokerFiles } from '../domains/machines/server/brokerFiles.ts'
import { enterMerchant } from '../domains/payment-channels/server/merchants.ts'
import { verifyDay } from '../domains/reconciliation/server/run.ts'
import { startPostgres } from '../postgres/embedded.ts'
import { backup, restore } from '../server/backup.ts'
import { dumpSchema, withClient } from '../server/catalogue.ts'
import { loadConfig } from '../server/config.ts'
import { openDatabase } from '../server/database.ts'
import { migrate } from '../server/migrate.ts'
import { reach } from '../server/reach.ts'
import { rebuildRollups, verifyRollups } from '../server/rollups.ts'
import { rowTypes } from '../server/rowTypes.ts'
import { addDays, shanghaiDay } from '../shared/instants.ts'

const usage = `npm run db -- migrate            bring the database up to date
npm run db -- reset [--yes]      drop everything and migrate (--yes is needed with DATABASE_URL)
npm run db -- dump [--check]     write db/schema.sql and src/server/schema.ts from fresh migrations, or compare
npm run db -- backup <file>      one archive of all rows and uploaded files
npm run db -- restore <file>     fill an empty database from an archive and check every invariant
npm run db -- verify-log         walk the hash chain of the operation log against the heads in DATA_DIR; exit 1 when it does not fit
npm run reconcile -- verify [day]    compare orders, payments, refunds, stock, ledger and bills of a day (yesterday) and print what differs; exit 1 when something does
npm run rollups -- verify        compare every figure that is kept with what it is made of, and print what differs; exit 1 when something does
npm run rollups -- rebuild       make them all anew; sales wait meanwhile
npm run db -- broker <folder>    write passwd and acl of Mosquitto for the broker of MQTT_URL
npm run db -- merchant <file>    enter a merchant of WeChat Pay or Alipay, or its new keys, from a JSON file (docs/operations.md)`

type Invariants = {
  checkInvariants: (ownerUrl: string) => Promise<{ name: string; rows: unknown[] }[]>
}

const [command = '', ...args] = process.argv.slice(2)
const config = loadConfig(process.env)
const filesDir = join(config.dataDir, 'files')

async function reset(url: string) {
  if (config.databaseUrl && !args.includes('--yes'))
    throw new Error('This drops the whole database behind DATABASE_URL: repeat with --yes.')
  const name = nameOf(url)
  await onServer(url, async (client) => {
    await client.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`)
    await client.query(`create database ${pg.escapeIdentifier(name)}`)
  })
  await migrate(url)
  console.log('The database is empty and up to date.')
}

// From fresh migrations, not from this database: local experiments must not leak into the
// repository.
async function dump(url: string) {
  const name = `huodao_dump_${process.pid}`
  await onServer(url, (client) => client.query(`create database ${name}`))
  try {
    const fresh = Object.assign(new URL(url), { pathname: `/${name}` }).href
    await migrate(fresh)
    const wanted = {
      'db/schema.sql': await dumpSchema(fresh),
      'src/server/schema.ts': await rowTypes(fresh),
    }
    const stale = Object.entries(wanted).filter(
      ([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text,
    )
    if (args.includes('--check')) {
      if (stale.length > 0)
        throw new Error(
          `Not up to date: ${stale.map(([path]) => path).join(', ')}. Run "npm run db -- dump".`,
        )
      console.log('Schema and row types are up to date.')
      return
    }
    for (const [path, text] of stale) writeFileSync(path, text)
    console.log(
      stale.length > 0 ? `Written: ${stale.map(([path]) => path).join(', ')}` : 'Nothing changed.',
    )
  } finally {
    await onServer(url, (client) => client.query(`drop database if exists ${name} with (force)`))
  }
}

async function restoreFrom(url: string, file: string) {
  const totals = await restore(url, filesDir, file)
  console.log(`Restored ${totals.rows} rows and ${totals.files} files.`)
  if (totals.foreign.length > 0)
    console.log(
      `In the archive and not restored, because no migration makes them: ${totals.foreign.join(', ')}.`,
    )
  const path = '../server/invariants.ts'
  if (!existsSync(new URL(path, import.meta.url))) return
  const { checkInvariants } = (await import(path)) as Invariants
  const broken = (await checkInvariants(url)).filter((invariant) => invariant.rows.length > 0)
  for (const { name, rows } of broken)
    console.error(`Broken: ${name} (${rows.length} rows, first: ${JSON.stringify(rows[0])})`)
  if (broken.length > 0) throw new Error('The restored data breaks invariants: see above.')
  console.log('Every invariant holds.')
}

async function verify(url: string) {
  const database = await openDatabase({ url, reads: 1, writes: 1, statementMs: 60_000 })
  try {
    const { checked, heads, broken } = await verifyLog({ database, config })
    console.log(`${checked} rows checked, ${heads} heads outside the database.`)
    if (broken)
      throw new Error(
        `The log does not fit: ${broken.why} at ${broken.seq}${broken.logId ? `, row ${broken.logId}` : ''}${broken.at ? ` of ${broken.at}` : ''}.`,
      )
    console.log('The log is intact.')
  } finally {
    await database.close()
  }
}

async function reconcile(url: string) {
  const [, day = addDays(shanghaiDay(new Date()), -1)] = args
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) throw new Error(usage)
  const database = await openDatabase({ url, reads: 1, writes: 1, statementMs: 600_000 })
  try {
    const found = await verifyDay({ database, now: () => new Date() }, day)
    for (const { kind, subject, orderNum, orgId, localAmount, otherAmount } of found)
      console.log(
        `${kind.padEnd(16)} ${subject}  ${localAmount} / ${otherAmount}  order ${orderNum ?? '–'}  organisation ${orgId}`,
      )
    console.log(
      found.length ? `${day}: ${found.length} differences.` : `${day}: everything agrees.`,
    )
    if (found.length) process.exitCode = 1
  } finally {
    await database.close()
  }
}

async function figures(url: string, what: 'verify' | 'rebuild') {
  await withClient(url, async (client) => {
    // row policies must not hide what is wrong
    await client.query(`select set_config('app.all', 'on', false)`)
    if (what === 'rebuild') await rebuildRollups(client)
    for (const { name, rows } of await verifyRollups(client)) {
      console.log(
        `${rows.length ? 'DIFFERS' : 'agrees '} ${name}${rows.length ? `: ${rows.length}` : ''}`,
      )
      for (const row of rows.slice(0, 20)) console.log(`        ${JSON.stringify(row)}`)
      if (rows.length) process.exitCode = 1
    }
  })
}

async function broker(url: string, folder: string) {
  const database = await openDatabase({ url, reads: 1, writes: 1, statementMs: 60_000 })
  try {
    const { machines, unknown, changed } = await writeBrokerFiles(database, config, folder)
    console.log(
      changed
        ? `Written to ${folder}: ${machines} machines and the gateway. Let the broker read the files again.`
        : 'Nothing changed.',
    )
    if (unknown.length > 0)
      console.log(
        `${unknown.length} machines are not in it, because their secret was made before the platform kept it for a broker: ${unknown.slice(0, 20).join(', ')}${unknown.length > 20 ? ' …' : ''}. They need to sign in once at the built-in broker, or a new secret.`,
      )
  } finally {
    await database.close()
  }
}

async function merchant(url: string, file: string) {
  const database = await openDatabase({ url, reads: 1, writes: 1, statementMs: 60_000 })
  try {
    const id = await enterMerchant(
      { database, config, now: () => new Date(), product: { auditText } },
      JSON.parse(readFileSync(file, 'utf8')),
    )
    console.log(`Merchant ${id} is entered. Remove ${file}: its keys are kept sealed.`)
  } finally {
    await database.close()
  }
}

async function onServer(url: string, work: (client: pg.Client) => Promise<unknown>) {
  const client = new pg.Client({
    connectionString: Object.assign(new URL(url), { pathname: '/postgres' }).href,
  })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

const nameOf = (url: string) => decodeURIComponent(new URL(url).pathname.slice(1))

async function run(url: string): Promise<void> {
  const file = args.find((arg) => !arg.startsWith('--'))
  if (command === 'migrate') {
    const applied = await migrate(url)
    console.log(
      applied.length > 0 ? `Applied: ${applied.join(', ')}` : 'The database is up to date.',
    )
  } else if (command === 'reset') await reset(url)
  else if (command === 'dump') await dump(url)
  else if (command === 'backup' && file) {
    mkdirSync(dirname(file), { recursive: true })
    const totals = await backup(url, filesDir, file)
    console.log(
      `Saved ${totals.rows} rows and ${totals.files} files to ${file}. Keep SECRET_KEY as well: it is not in the archive.`,
    )
    if (totals.foreign.length > 0)
      console.log(
        `Not in the archive, because no migration made them: ${totals.foreign.join(', ')}.`,
      )
  } else if (command === 'restore' && file) await restoreFrom(url, file)
  else if (command === 'verify-log') await verify(url)
  else if (command === 'reconcile' && args[0] === 'verify') await reconcile(url)
  else if (command === 'rollups' && (args[0] === 'verify' || args[0] === 'rebuild'))
    await figures(url, args[0])
  else if (command === 'broker' && file) await broker(url, file)
  else if (command === 'merchant' && file) await merchant(url, file)
  else throw new Error(usage)
}

try {
  const url = config.databaseOwnerUrl ?? config.databaseUrl
  if (url) {
    await reach(config.databaseOwnerUrl ? 'DATABASE_OWNER_URL' : 'DATABASE_URL', url)
    await run(url)
  } else {
    const server = await startPostgres({
      dataDir: join(config.dataDir, 'postgres'),
      log: console.log,
    })
    try {
      await run(server.url)
    } finally {
      await server.stop()
    }
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
