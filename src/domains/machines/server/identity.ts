import { createHash, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { rowsOf } from '../../../server/rows.ts'
import { rtuForm } from '../protocol.ts'
import { brokerHash } from './secret.ts'

export type Machine = {
  readonly id: number
  readonly orgId: number
  readonly rtu: string
  /** Since its last secret or board; what it numbers is counted within it. */
  readonly epoch: number
}
/** Same machine by the same secret: what the other one was told is not for it. */
export const isSame = (a: Known | undefined, b: Known): boolean =>
  a?.open === true &&
  a.secretHash.equals(b.secretHash) &&
  a.orgId === b.orgId &&
  a.epoch === b.epoch
export type Known = Machine & {
  readonly secretHash: Buffer
  readonly open: boolean
  readonly hasBrokerHash: boolean
}
type Entry = { readonly known: Known | null; readonly until: number }

export type Identities = {
  /**
   * The machine of this number, unless it is sold, scrapped or unknown. Fails when the database is
   * away.
   */
  find(rtu: string): Promise<Known | null>
  /** Whether there is a machine of this number at all, whatever its state. */
  knows(rtu: string): Promise<boolean>
  /** The machine that proved itself; null for every other reason. */
  prove(rtu: string, secret: Uint8Array): Promise<Known | null>
  /**
   * As the database says now, past the cache, which is renewed: a secret, a board, an owner may
   * have changed.
   */
  look(numbers: readonly string[]): Promise<ReadonlyMap<string, Known>>
  /**
   * Machines that were online when last heard of, for a gateway that starts beside a running
   * broker.
   */
  online(): Promise<readonly { machine: Machine; at: Date }[]>
}

const machine = sql`d.id, d.org_id as "orgId", d.rtu_number as rtu, d.boot_epoch as epoch`
const keepMs = 30_000
const maxEntries = 50_000
const nobody = Buffer.alloc(32)

/**
 * Looks machines up by number, many at once in one statement: a reconnect storm must not be a query
 * storm.
 */
export function openIdentities(app: App): Identities {
  const cache = new Map<string, Entry>()
  let waiting = new Map<string, Promise<Known | null>>()
  let turn: Promise<Map<string, Known>> | undefined
  /** What was read before somebody looked anew is not kept. */
  let looks = 0
  let keeping: Promise<unknown> = Promise.resolve()

  /**
   * Only a machine that signs in shows a secret from before that hash was kept; with it the
   * operator may move to a broker of his own.
   */
  function keepBrokerHash({ id, secretHash }: Known, secret: Uint8Array): void {
    keeping = keeping
      .then(() =>
        app.database.transact(systemScope, (db) =>
          sql`update devices set broker_hash = ${brokerHash(secret)}
            where id = ${id} and secret_hash = ${secretHash} and broker_hash is null`.execute(db),
        ),
      )
      .catch((error: unknown) => app.log.warn({ err: error }, 'broker hash'))
  }

  function lookUp(rtu: string): Promise<Known | null> {
    // many are asked for in one statement: what the database cannot read would fail it for all of
    // them
    if (!rtuForm.test(rtu)) return Promise.resolve(null)
    const entry = cache.get(rtu)
    if (entry && entry.until > performance.now()) return Promise.resolve(entry.known)
    const running = waiting.get(rtu)
    if (running) return running
    turn ??= new Promise((resolve, reject) => {
      setTimeout(() => {
        const numbers = [...waiting.keys()]
        waiting = new Map()
        turn = undefined
        load(app, numbers).then(resolve, reject)
      }, 5)
    })
    const asked = looks
    const found = turn.then((rows) => {
      const known = rows.get(rtu) ?? null
      if (asked !== looks) return known
      if (cache.size >= maxEntries) cache.clear()
      cache.set(rtu, { known, until: performance.now() + keepMs })
      return known
    })
    waiting.set(rtu, found)
    return found
  }

  return {
    async find(rtu) {
      const known = await lookUp(rtu)
      return known?.open ? known : null
    },
    knows: async (rtu) => (await lookUp(rtu)) !== null,
    async prove(rtu, secret) {
      const known = await lookUp(rtu)
      const right = timingSafeEqual(
        createHash('sha256').update(secret).digest(),
        known?.secretHash.length === 32 ? known.secretHash : nobody,
      )
      if (!right || !known?.open) return null
      if (!known.hasBrokerHash) keepBrokerHash(known, secret)
      return known
    },
    async look(numbers) {
      looks += 1
      cache.clear()
      const rows = numbers.length ? await load(app, numbers) : new Map<string, Known>()
      for (const rtu of numbers)
        cache.set(rtu, { known: rows.get(rtu) ?? null, until: performance.now() + keepMs })
      return rows
    },
    async online() {
      const rows = await app.database.read(
        systemScope,
        (db) => rowsOf<Machine & { at: Date }>(db)`select ${machine}, s.last_seen_at as at
          from device_states s join devices d on d.id = s.device_id
          where s.online and s.last_seen_at is not null`,
      )
      return rows.map(({ at, ...machine }) => ({ machine, at }))
    },
  }
}

/** Whether the machine `d` may come in with the right secret. */
export const opensDoor = sql<boolean>`(d.lifecycle not in ('SOLD','SCRAPPED') and not exists (select
  from main_boards b where b.board_no = d.board_no and b.disabled_at is not null))`

async function load(app: App, numbers: readonly string[]): Promise<Map<string, Known>> {
  const rows = await app.database.read(
    systemScope,
    (db) => rowsOf<Known>(
      db,
    )`select ${machine}, d.secret_hash as "secretHash", ${opensDoor} as open,
      d.broker_hash is not null as "hasBrokerHash"
      from devices d where d.rtu_number = any(${numbers}::text[])`,
  )
  return new Map(rows.map((known) => [known.rtu, known]))
}
