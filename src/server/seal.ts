import { createHash } from 'node:crypto'
import { appendFile } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import type { App } from './context.ts'
import { type Db, systemScope } from './database.ts'

/**
 * The hash chain of the operation log. Writers do not chain (that would serialise every act); one sealer links committed
 * rows in the order of their transactions. Rows of running transactions are left for the next turn: all transactions below
 * the snapshot's xmin have ended, so nothing can appear behind the seal.
 */
export type LogRow = {
  org_id: number
  id: number
  created_at: string
  user_id: number | null
  username: string
  level: string
  action: string
  content: string
  resource_id: string
  before: unknown
  after: unknown
  ip_address: string
  request_id: string
  txid: string
}

const columns = sql`l.org_id, l.id, to_char(l.created_at, 'YYYY-MM-DD"T"HH24:MI:SS.US') as created_at, l.user_id, l.username, l.level, l.action,
  l.content, l.resource_id, l.before, l.after, l.ip_address, l.request_id, l.txid::text as txid`

export const linkHash = (previous: Buffer, row: LogRow): Buffer =>
  createHash('sha256')
    .update(previous)
    .update(
      JSON.stringify([
        row.org_id,
        row.id,
        row.created_at,
        row.user_id,
        row.username,
        row.level,
        row.action,
        row.content,
        row.resource_id,
        row.before,
        row.after,
        row.ip_address,
        row.request_id,
        row.txid,
      ]),
    )
    .digest()

/** Seals up to 1,000 rows; returns how many. Safe to run in several processes: one holds the lock, others do nothing. */
export async function sealOnce(app: App): Promise<number> {
  return app.database.transact(systemScope, async (db) => {
    const { rows: lock } = await sql<{ ok: boolean }>`select pg_try_advisory_xact_lock(hashtextextended('operation_log_sealer', 0)) as ok`.execute(db)
    if (!lock[0]?.ok) return 0
    const head = await sealHead(db)
    const { rows } = await sql<LogRow>`select ${columns} from operation_logs l
      where (l.txid, l.id) > (${head.txid}::xid8, ${head.logId}) and l.txid < pg_snapshot_xmin(pg_current_snapshot())
      order by l.txid, l.id limit 1000`.execute(db)
    let { seq, hash } = head
    const seals = rows.map((row) => {
      seq += 1
      hash = linkHash(hash, row)
      return { seq, log_id: row.id, org_id: row.org_id, log_created_at: row.created_at, txid: row.txid, hash: hash.toString('hex') }
    })
    if (seals.length) {
      await sql`insert into operation_log_seals (seq, log_id, org_id, log_created_at, txid, hash)
        select s.seq, s.log_id, s.org_id, s.log_created_at::timestamp at time zone 'UTC', s.txid::xid8, decode(s.hash, 'hex')
        from jsonb_to_recordset(${JSON.stringify(seals)}::jsonb) as s(seq bigint, log_id bigint, org_id bigint, log_created_at text, txid text, hash text)`.execute(
        db,
      )
    }
    return seals.length
  })
}

export async function sealHead(db: Db): Promise<{ seq: number; logId: number; txid: string; hash: Buffer }> {
  const { rows } = await sql<{
    seq: number
    log_id: number
    txid: string
    hash: Buffer
  }>`select seq, log_id, txid::text as txid, hash from operation_log_seals order by seq desc limit 1`.execute(db)
  const last = rows[0]
  return last ? { seq: last.seq, logId: last.log_id, txid: last.txid, hash: last.hash } : { seq: 0, logId: 0, txid: '0', hash: Buffer.alloc(32) }
}

/** Copies the head outside the database; without that a truncated log could not be told from a short one. */
export async function copyHead(app: App): Promise<void> {
  const head = await app.database.read(systemScope, sealHead)
  await appendFile(
    path.join(app.config.dataDir, 'log-head.jsonl'),
    `${JSON.stringify({ at: app.now().toISOString(), seq: head.seq, hash: head.hash.toString('hex') })}\n`,
  )
}

/** Walks the chain; the first row that does not fit, or null when everything does. */
export async function verifyLog(db: Db): Promise<{ checked: number; broken: { seq: number; logId: number; why: 'MISSING' | 'CHANGED' } | null }> {
  let seq = 0
  let hash = Buffer.alloc(32) as Buffer
  for (;;) {
    const { rows } = await sql<LogRow & { seq: number; sealed_id: number; hash: Buffer; found: number | null }>`
      select s.seq, s.log_id as sealed_id, s.hash, l.id as found, ${columns}
      from operation_log_seals s left join operation_logs l on l.id = s.log_id and l.created_at = s.log_created_at and l.org_id = s.org_id
      where s.seq > ${seq} order by s.seq limit 5000`.execute(db)
    if (!rows.length) return { checked: seq, broken: null }
    for (const row of rows) {
      if (row.seq !== seq + 1) return { checked: seq, broken: { seq: seq + 1, logId: 0, why: 'MISSING' } }
      if (row.found === null) return { checked: seq, broken: { seq: row.seq, logId: row.sealed_id, why: 'MISSING' } }
      hash = linkHash(hash, row)
      if (!hash.equals(row.hash)) return { checked: seq, broken: { seq: row.seq, logId: row.sealed_id, why: 'CHANGED' } }
      seq = row.seq
    }
  }
}
