import { createHmac, randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Config } from '../../../server/config.ts'
import type { App } from '../../../server/context.ts'
import { type Database, systemScope } from '../../../server/database.ts'
import { opensDoor } from './identity.ts'
import { brokerHash } from './secret.ts'

/**
 * What Mosquitto must know of the machines when it is the broker (MQTT_URL): who they are and which
 * topics are theirs.
 */
export type BrokerFiles = {
  /** Machines in the file. */
  readonly machines: number
  /** Machines with a board whose secret the platform does not keep in a form the broker reads. */
  readonly unknown: readonly string[]
  readonly changed: boolean
}
type Settings = Pick<Config, 'mqttAccount' | 'secretKey'>

/**
 * A person chose the gateway's password, so it gets more rounds than the machines' random secrets.
 */
const gatewayRounds = 1000
const gatherMs = 500

/** Writes both files when they are not right already; each is replaced as a whole. */
export async function writeBrokerFiles(
  database: Database,
  settings: Settings,
  folder: string,
): Promise<BrokerFiles> {
  const account = checkedAccount(settings)
  const { rows } = await database.read(systemScope, (db) =>
    sql<{ rtu: string; hash: string | null; fitted: boolean }>`
    select d.rtu_number as rtu, d.broker_hash as hash, d.board_no is not null as fitted
    from devices d where ${opensDoor} order by d.rtu_number`.execute(db),
  )
  const known = rows.filter((row) => row.hash !== null)
  // the same salt for the same account: a file that says nothing new is not written
  const salt = createHmac('sha256', Buffer.from(settings.secretKey, 'hex'))
    .update(`machines.broker ${account.user}`)
    .digest()
    .subarray(0, 12)
  const lines = [
    `${account.user}:${brokerHash(account.password, salt, gatewayRounds)}`,
    ...known.map((row) => `${row.rtu}:${row.hash}`),
  ]
  await mkdir(folder, { recursive: true, mode: 0o750 })
  // rights before people: a list of machines is of no use to a broker that does not know their
  // topics
  const changed = [
    await replace(join(folder, 'acl'), accessList(account.user)),
    await replace(join(folder, 'passwd'), `${lines.join('\n')}\n`),
  ]
  return {
    machines: known.length,
    unknown: rows.flatMap((row) => (row.hash === null && row.fitted ? [row.rtu] : [])),
    changed: changed.includes(true),
  }
}

/**
 * Keeps the files as the database says: half a second after somebody was let in or shut out, many
 * changes at once, and every minute in case the word of it was lost.
 */
export async function keepBrokerFiles(
  app: App,
  folder: string,
): Promise<{ changed(): void; stop(): void }> {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  const name = 'machine-broker-files'
  async function write(): Promise<void> {
    if (stopped) return
    const { machines, unknown, changed } = await writeBrokerFiles(app.database, app.config, folder)
    if (changed) app.log.info({ machines, without: unknown.length, folder }, 'files of the broker')
  }
  await write()
  app.jobs.every(name, 60_000, write)
  return {
    changed() {
      timer ??= setTimeout(() => {
        timer = undefined
        app.jobs.poke(name)
      }, gatherMs)
    },
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}

const accessList = (
  gateway: string,
): string => `# Written by Huodao: the gateway hears and tells every machine, a machine has its own topics only.
user ${gateway}
topic read v1/+/up/#
topic write v1/+/down/#

pattern write v1/%u/up/#
pattern read v1/%u/down/#
`

/** A name that is no machine's and that both files can hold. */
function checkedAccount({ mqttAccount }: Settings): { user: string; password: string } {
  if (!mqttAccount?.password)
    throw new Error(
      'MQTT_URL names no user and password for the gateway, for example mqtt://gateway:3f9c…@broker:1884.',
    )
  if (!/^[a-z][a-z0-9_-]{0,31}$/.test(mqttAccount.user))
    throw new Error("The user in MQTT_URL must be of small letters, digits, '_' and '-'.")
  return mqttAccount
}

/**
 * Readers see the old file or the new one, never a part; several gateways may write into one
 * folder.
 */
async function replace(path: string, text: string): Promise<boolean> {
  const old = await readFile(path, 'utf8').catch(() => null)
  if (old === text) return false
  const fresh = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await writeFile(fresh, text, { mode: 0o600, flush: true })
    await chmod(fresh, 0o640) // whatever the umask: the broker reads it by its group
    await rename(fresh, path)
  } finally {
    await rm(fresh, { force: true })
  }
  return true
}
