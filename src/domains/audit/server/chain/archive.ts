import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, open, rename } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { sql } from 'kysely'
import type { App } from '../../../../server/context.ts'
import { type Db, systemScope } from '../../../../server/database.ts'
import { type Checkpoint, checkpointSignature, lastCheckpoint } from './checkpoints.ts'
import { digestedRows, genesis, type Head, inChainOrder, noHead } from './seal.ts'
import { verifyLog } from './verify.ts'

type Month = { name: string; until: Date }
/**
 * Why a month stays: the log does not fit, rows are not sealed yet, or too many of its neighbours'
 * rows are mixed in.
 */
export type Archived =
  | { file: string; rows: number }
  | { kept: string; why: 'BROKEN' | 'UNSEALED' | 'MIXED' }

const chunk = 5000
const mostStragglers = 10_000

/**
 * Puts months past retention into files of DATA_DIR/archive and drops their partitions, oldest
 * first. The whole chain is checked before: what does not fit is evidence and stays. What is left
 * is a signed checkpoint from which the next check goes on.
 */
export async function archiveLog(
  app: Pick<App, 'database' | 'config' | 'now' | 'log'>,
  retentionDays: number,
): Promise<Archived[]> {
  const cutoff = new Date(app.now().getTime() - retentionDays * 86_400_000)
  const months = (await monthsOf(app.database)).filter((month) => month.until <= cutoff)
  const done: Archived[] = []
  for (const month of months) {
    const { broken } = await verifyLog(app)
    const result = broken
      ? { kept: month.name, why: 'BROKEN' as const }
      : await archiveMonth(app, month)
    if ('kept' in result) {
      app.log.error({ month: month.name, why: result.why, broken }, 'the log is not archived')
      return [...done, result]
    }
    done.push(result)
  }
  return done
}

async function monthsOf(database: App['database']): Promise<Month[]> {
  const { rows } = await database.read(systemScope, (db) =>
    sql<{
      name: string
      bound: string
    }>`select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'operation_logs'::regclass order by 1`.execute(db),
  )
  return rows.flatMap(({ name, bound }) => {
    const until = /TO \('([^']+)'\)/.exec(bound)?.[1]
    return until ? [{ name, until: new Date(until) }] : []
  })
}

async function archiveMonth(
  app: Pick<App, 'database' | 'config' | 'now'>,
  month: Month,
): Promise<Archived> {
  const { database, config } = app
  const ask = <T>(work: (db: Db) => Promise<T>) => inChainOrder(database, work)
  const from: Head = (await ask(lastCheckpoint)) ?? noHead
  const last = await ask((db) => lastSealOf(db, month))
  if (!last)
    return (await ask((db) => holdsRows(db, month)))
      ? { kept: month.name, why: 'UNSEALED' }
      : dropMonth(app, month, null)
  if (await ask((db) => hasUnsealed(db, month))) return { kept: month.name, why: 'UNSEALED' }
  const stragglers = await ask((db) => youngerRows(db, last, month))
  if (stragglers.length > mostStragglers) return { kept: month.name, why: 'MIXED' }
  const folder = path.join(config.dataDir, 'archive')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = `${month.name}.jsonl.gz`
  const rows = last.seq - from.seq
  const fileSha256 = await writeArchive(database, path.join(folder, file), from, last)
  const unsigned = { ...last, rows, file, fileSha256, stragglers }
  return dropMonth(app, month, {
    ...unsigned,
    signature: checkpointSignature(config.secretKey, unsigned),
  })
}

const inMonth = (month: Month) =>
  sql`l.created_at < ${month.until}
    and l.created_at >= ${new Date(Date.UTC(month.until.getUTCFullYear(), month.until.getUTCMonth() - 1, 1))}`

async function lastSealOf(db: Db, month: Month): Promise<Head | undefined> {
  const { rows } = await sql<Head>`select seq, log_id as "logId", epoch, txid::text as txid, hash
      from operation_log_seals where log_created_at < ${month.until} order by seq desc
      limit 1`.execute(db)
  return rows[0]
}
async function holdsRows(db: Db, month: Month): Promise<boolean> {
  return (
    (await sql`select 1 from operation_logs l where ${inMonth(month)} limit 1`.execute(db)).rows
      .length > 0
  )
}
async function hasUnsealed(db: Db, month: Month): Promise<boolean> {
  const { rows } = await sql`select 1 from operation_logs l
      where ${inMonth(month)} and not exists (select 1 from operation_log_seals s
        where s.log_id = l.id)
    and not exists (select 1 from log_checkpoints c, jsonb_array_elements(c.stragglers) g
      where (g->>0)::bigint = l.id) limit 1`.execute(db)
  return rows.length > 0
}

/**
 * Rows up to the checkpoint that a longer transaction left in a younger month: the checkpoint
 * vouches for them by name.
 */
async function youngerRows(db: Db, last: Head, month: Month): Promise<Checkpoint['stragglers']> {
  const until = sql`(l.epoch, l.txid, l.id) <= (${last.epoch}::int, ${last.txid}::xid8,
    ${last.logId}::bigint) and l.created_at >= ${month.until}`
  return (await digestedRows(db, genesis, until, mostStragglers + 1)).map((row) => [
    row.logId,
    row.digest.toString('hex'),
  ])
}

/**
 * Rows with their seals as gzip JSON lines; answers the file's hash. Under its name there is only
 * ever a complete file.
 */
async function writeArchive(
  database: App['database'],
  target: string,
  from: Head,
  last: Head,
): Promise<string> {
  const sha = createHash('sha256')
  async function* lines() {
    yield `${JSON.stringify({ format: 'huodao-log', version: 1, from: from.seq + 1, to: last.seq, previous: from.hash.toString('hex') })}\n`
    for (let seq = from.seq; seq < last.seq; ) {
      const { rows } = await database.read(systemScope, (db) =>
        sql<{
          seq: number
          line: string
        }>`select s.seq, jsonb_build_object('seq', s.seq, 'hash', encode(s.hash, 'hex'), 'version',
          s.version, 'row', to_jsonb(l))::text as line
          from operation_log_seals s
          join operation_logs l on l.org_id = s.org_id and l.created_at = s.log_created_at
            and l.id = s.log_id
          where s.seq > ${seq} and s.seq <= ${last.seq} order by s.seq limit ${chunk}`.execute(db),
      )
      if (!rows.length) throw new Error(`the log ends at ${seq} of ${last.seq}`)
      yield rows.map((row) => `${row.line}\n`).join('')
      seq = rows.at(-1)?.seq as number
    }
  }
  await pipeline(
    Readable.from(lines()),
    createGzip(),
    async function* (source) {
      for await (const part of source) {
        sha.update(part as Buffer)
        yield part
      }
    },
    createWriteStream(`${target}.part`, { mode: 0o600 }),
  )
  const file = await open(`${target}.part`, 'r+')
  await file.sync()
  await file.close()
  await rename(`${target}.part`, target)
  return sha.digest('hex')
}

/**
 * One transaction: the checkpoint comes, the seals and the month go. The database refuses what is
 * younger than any retention.
 */
async function dropMonth(
  app: Pick<App, 'database' | 'now'>,
  month: Month,
  c: Checkpoint | null,
): Promise<Archived> {
  const row =
    c &&
    sql`row(${c.seq}::bigint, 1, ${c.epoch}::int, ${c.txid}::xid8, ${c.logId}::bigint,
      ${c.hash}::bytea, ${c.rows}::bigint, ${c.file}::text,
    ${c.fileSha256}::text, ${JSON.stringify(c.stragglers)}::jsonb, ${c.signature}::bytea,
    ${app.now()}::timestamptz)::log_checkpoints`
  await app.database.transact(systemScope, (db) =>
    sql`select app_drop_log_month(${month.name}, ${row ?? sql`null`})`.execute(db),
  )
  return { file: c?.file ?? '', rows: c?.rows ?? 0 }
}
