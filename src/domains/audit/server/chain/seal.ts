import { createHash, hash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { App } from '../../../../server/context.ts'
import { type Db, systemScope } from '../../../../server/database.ts'
import { writtenColumns } from '../../../../server/logRow.ts'

/**
 * The hash chain of the operation log. Writers do not chain (that would serialise every act); one
 * sealer links committed rows in the order of their transactions. Rows of running transactions are
 * left for the next turn: all transactions below the snapshot's xmin have ended, so nothing can
 * appear behind the seal.
 */

/** Every column of a row: none can change without its hash. */
export const hashedColumns: readonly string[] = ['epoch', 'txid', 'id', ...writtenColumns]
const instantText = sql`to_char(l.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')`
const hashedRow = sql.join(
  hashedColumns.map((name) => (name === 'created_at' ? instantText : sql.ref(`l.${name}`))),
)

/** Where a row stands in the chain. `txid` stays text: it may be larger than JavaScript counts. */
export type Position = { epoch: number; txid: string; logId: number }
export const genesis: Position = { epoch: 0, txid: '0', logId: 0 }

/** A row for the chain: the database hashes its columns, so that a check moves 32 bytes a row. */
export type Digested = Position & { orgId: number; createdAt: string; digest: Buffer }

/**
 * A transaction that reads in chain order by the index of that order: with nothing to go by, the
 * planner would rather sort the rest of the log each time.
 */
export const inChainOrder = <T>(
  database: App['database'],
  work: (db: Db) => Promise<T>,
): Promise<T> =>
  database.transact(systemScope, async (db) => {
    await sql`select set_config('enable_sort', 'off', true),
      set_config('enable_seqscan', 'off', true),
      set_config('enable_bitmapscan', 'off', true)`.execute(db)
    return work(db)
  })

/** Rows after `from`, in chain order. */
export async function digestedRows(
  db: Db,
  from: Position,
  until: RawBuilder<unknown>,
  limit: number,
): Promise<Digested[]> {
  const { rows } = await sql<Digested>`
    select l.epoch, l.txid::text as txid, l.id as "logId", l.org_id as "orgId",
      ${instantText} as "createdAt", sha256(convert_to(row(${hashedRow})::text, 'UTF8')) as digest
    from operation_logs l where (l.epoch, l.txid, l.id) > (${from.epoch}::int, ${from.txid}::xid8,
      ${from.logId}::bigint) and ${until}
    order by l.epoch, l.txid, l.id limit ${limit}`.execute(db)
  return rows
}

export function linkHash(previous: Buffer, seq: number, digest: Buffer): Buffer {
  const link = Buffer.allocUnsafe(72)
  previous.copy(link, 0)
  link.writeBigUInt64BE(BigInt(seq), 32)
  digest.copy(link, 40)
  return hash('sha256', link, 'buffer')
}

/** A row sealed before every column was hashed; what it could not have must still be empty. */
export type FirstRow = Position & { values: unknown[]; untouched: boolean }
export const firstLink = (previous: Buffer, row: FirstRow): Buffer =>
  createHash('sha256').update(previous).update(JSON.stringify(row.values)).digest()
export async function firstRows(
  db: Db,
  from: Position,
  until: RawBuilder<unknown>,
  limit: number,
): Promise<FirstRow[]> {
  const { rows } = await sql<Record<string, unknown> & { untouched: boolean; epoch: number }>`
    select l.org_id, l.id, ${instantText} as created_at, l.user_id, l.username, l.level, l.action,
      l.content, l.resource_id, l.before, l.after, l.ip_address, l.request_id,
      l.txid::text as txid, l.epoch, (l.actor_org_id is null and l.target_name = ''
        and l.result = 'SUCCESS' and l.error_name = '' and l.user_agent = ''
        and l.duration_ms = 0) as untouched
    from operation_logs l where (l.epoch, l.txid, l.id) > (${from.epoch}::int, ${from.txid}::xid8,
      ${from.logId}::bigint) and ${until}
    order by l.epoch, l.txid, l.id limit ${limit}`.execute(db)
  return rows.map(({ untouched, epoch, ...row }) => ({
    epoch,
    txid: row.txid as string,
    logId: row.id as number,
    values: Object.values(row),
    untouched,
  }))
}

const perTurn = 2000

/**
 * Seals up to 2,000 rows; returns how many. Safe to run in several processes: one holds the lock,
 * others do nothing.
 */
export async function sealOnce(app: Pick<App, 'database'>): Promise<number> {
  return inChainOrder(app.database, async (db) => {
    const { rows: lock } = await sql<{
      ok: boolean
    }>`select pg_try_advisory_xact_lock(hashtextextended('operation_log_sealer', 0)) as ok`.execute(
      db,
    )
    if (!lock[0]?.ok) return 0
    const head = await sealHead(db)
    const ended = sql`(l.txid < pg_snapshot_xmin(pg_current_snapshot())
      or l.epoch < app_log_epoch())`
    const rows = await digestedRows(db, head, ended, perTurn)
    let { seq, hash: last } = head
    const seals = rows.map((row) => {
      seq += 1
      last = linkHash(last, seq, row.digest)
      return {
        seq,
        log_id: row.logId,
        org_id: row.orgId,
        log_created_at: row.createdAt,
        epoch: row.epoch,
        txid: row.txid,
        hash: last.toString('hex'),
      }
    })
    if (seals.length) {
      await sql`insert into operation_log_seals (seq, log_id, org_id, log_created_at, epoch, txid,
        version, hash)
        select s.seq, s.log_id, s.org_id, s.log_created_at::timestamp at time zone 'UTC', s.epoch,
          s.txid::xid8, 2, decode(s.hash, 'hex')
        from jsonb_to_recordset(${JSON.stringify(seals)}::jsonb) as s(seq bigint, log_id bigint,
          org_id bigint, log_created_at text, epoch int, txid text, hash text)`.execute(db)
    }
    return seals.length
  })
}

export type Head = Position & { seq: number; hash: Buffer }
export const noHead: Head = { ...genesis, seq: 0, hash: Buffer.alloc(32) }

/** The last seal, or where an archive ended when nothing was sealed since. */
export async function sealHead(db: Db): Promise<Head> {
  const { rows } = await sql<Head>`
    (select seq, log_id as "logId", epoch, txid::text as txid, hash from operation_log_seals
      order by seq desc limit 1)
    union all (select seq, log_id, epoch, txid::text, hash from log_checkpoints order by seq desc
      limit 1)
    order by seq desc limit 1`.execute(db)
  return rows[0] ?? noHead
}
