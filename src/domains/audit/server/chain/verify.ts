import { sql } from 'kysely'
import type { App } from '../../../../server/context.ts'
import type { Db } from '../../../../server/database.ts'
import { type Checkpoint, checkpointProblem, lastCheckpoint } from './checkpoints.ts'
import { type CopiedHead, readHeads } from './heads.ts'
import {
  type Digested,
  digestedRows,
  firstLink,
  firstRows,
  genesis,
  type Head,
  inChainOrder,
  linkHash,
  noHead,
  type Position,
} from './seal.ts'

/**
 * What the chain says against a row: it differs, is gone, came in behind a seal; or against the
 * whole: other than its copied heads, shorter than them.
 */
export type Why =
  | 'CHANGED'
  | 'MISSING'
  | 'INSERTED'
  | 'REWRITTEN'
  | 'TRUNCATED'
  | 'HEADS'
  | 'CHECKPOINT'
export type Broken = { seq: number; logId: number | null; at: string | null; why: Why }
export type Verdict = { checked: number; total: number; heads: number; broken: Broken | null }
type Source = Pick<App, 'database' | 'config'>
type Seal = Head & { version: number; createdAt: string }

const batch = 10_000

/**
 * Walks the chain from the last checkpoint to its end and beside it the rows in chain order; stops
 * at the first that does not fit.
 */
export async function verifyLog(
  { database, config }: Source,
  progress: (checked: number, total: number) => Promise<void> = async () => {},
): Promise<Verdict> {
  const { heads, forged } = await readHeads(config.dataDir, config.secretKey)
  const ask = <T>(work: (db: Db) => Promise<T>) => inChainOrder(database, work)
  const checkpoint = await ask(lastCheckpoint)
  const start: Head = checkpoint ?? noHead
  const total = (await ask(lastSeq)) - start.seq
  const verdict = (checked: number, broken: Broken | null): Verdict => ({
    checked,
    total: Math.max(total, checked),
    heads: heads.length,
    broken,
  })
  const early = checkpoint
    ? await ask((db) => beforeCheckpoint(db, checkpoint, config.secretKey))
    : null
  if (early) return verdict(0, early)
  const copies = copiesAfter(heads, start)
  if (copies.wrong) return verdict(0, copies.wrong)
  let head = start
  for (;;) {
    const { seals, steps } = await ask((db) => nextBatch(db, head))
    if (seals.length === 0) break
    const walked = walk(head, seals, steps, copies)
    if (walked.broken) return verdict(walked.head.seq - start.seq, walked.broken)
    head = walked.head
    await progress(head.seq - start.seq, total)
  }
  const checked = head.seq - start.seq
  const future = await ask((db) => fromTheFuture(db, head))
  if (future)
    return verdict(checked, {
      seq: head.seq,
      logId: future.logId,
      at: `${future.createdAt}Z`,
      why: 'INSERTED',
    })
  const beyond = copies.after(head.seq)
  if (beyond)
    return verdict(checked, { seq: head.seq + 1, logId: null, at: beyond.at, why: 'TRUNCATED' })
  return verdict(checked, forged ? { seq: forged.seq, logId: null, at: null, why: 'HEADS' } : null)
}

const lastSeq = async (db: Db): Promise<number> =>
  (
    await sql<{
      seq: number
    }>`select coalesce(max(seq), 0) as seq from operation_log_seals`.execute(db)
  ).rows[0]?.seq ?? 0

/**
 * The signed end of what was archived, and of the rows before it only those the checkpoint names.
 */
async function beforeCheckpoint(
  db: Db,
  checkpoint: Checkpoint,
  secretKey: string,
): Promise<Broken | null> {
  const broken = (why: Why, row?: Digested): Broken => ({
    seq: checkpoint.seq,
    logId: row?.logId ?? null,
    at: row ? `${row.createdAt}Z` : null,
    why,
  })
  if (checkpointProblem(checkpoint, secretKey)) return broken('CHECKPOINT')
  const kept = new Map(checkpoint.stragglers)
  const rows = await digestedRows(db, genesis, upTo(checkpoint), kept.size + 1)
  for (const row of rows) {
    const digest = kept.get(row.logId)
    if (digest === undefined) return broken('INSERTED', row)
    if (digest !== row.digest.toString('hex')) return broken('CHANGED', row)
    kept.delete(row.logId)
  }
  return kept.size ? broken('MISSING') : null
}

/**
 * A row of a transaction that has not begun: nobody wrote it honestly, and the sealer would wait
 * for it for ever.
 */
async function fromTheFuture(db: Db, head: Head): Promise<Digested | undefined> {
  const unborn = sql`(l.epoch > app_log_epoch()
    or (l.epoch = app_log_epoch() and l.txid >= pg_snapshot_xmax(pg_current_snapshot())))`
  return (await digestedRows(db, head, unborn, 1))[0]
}

/** Copied heads by seq; one that contradicts the start or another copy is wrong at once. */
function copiesAfter(heads: readonly CopiedHead[], start: Head) {
  const bySeq = new Map<number, CopiedHead>()
  let wrong: Broken | null = null
  for (const head of heads) {
    if (head.seq < start.seq) continue
    const other = head.seq === start.seq ? start.hash.toString('hex') : bySeq.get(head.seq)?.hash
    if (other !== undefined && other !== head.hash)
      wrong ??= { seq: head.seq, logId: null, at: head.at, why: 'REWRITTEN' }
    bySeq.set(head.seq, head)
  }
  const sorted = [...bySeq.keys()].sort((a, b) => a - b)
  return {
    wrong,
    at: (seq: number) => bySeq.get(seq),
    /** The last copy that still agreed: what follows it may differ. */
    before: (seq: number): number => sorted.findLast((other) => other < seq) ?? start.seq,
    after: (seq: number): CopiedHead | undefined =>
      bySeq.get(sorted.find((other) => other > seq) ?? Number.NaN),
  }
}

/** A row beside the chain: how it continues the hash, or null when it cannot be honest. */
type Step = Position & {
  createdAt: string | null
  link: (previous: Buffer, seq: number) => Buffer | null
}

const upTo = (last: Position) =>
  sql`(l.epoch, l.txid, l.id) <= (${last.epoch}::int, ${last.txid}::xid8, ${last.logId}::bigint)`

/**
 * The next seals of one version and the rows that lie in their stretch; one row more than seals is
 * enough to find an intruder.
 */
async function nextBatch(db: Db, from: Head): Promise<{ seals: Seal[]; steps: Step[] }> {
  const { rows } = await sql<Seal>`
    select seq, log_id as "logId", epoch, txid::text as txid, version, hash,
      to_char(log_created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') as "createdAt"
    from operation_log_seals where seq > ${from.seq} order by seq limit ${batch}`.execute(db)
  const change = rows.findIndex((seal) => seal.version !== rows[0]?.version)
  const seals = change > 0 ? rows.slice(0, change) : rows
  const last = seals.at(-1)
  if (!last) return { seals, steps: [] }
  const [until, limit] = [upTo(last), seals.length + 1]
  if (last.version === 2) {
    const found = await digestedRows(db, from, until, limit)
    return {
      seals,
      steps: found.map((row) => ({
        ...row,
        link: (previous, seq) => linkHash(previous, seq, row.digest),
      })),
    }
  }
  const found = await firstRows(db, from, until, limit)
  return {
    seals,
    steps: found.map((row) => ({
      ...row,
      createdAt: null,
      link: (previous) => (row.untouched ? firstLink(previous, row) : null),
    })),
  }
}

type Copies = ReturnType<typeof copiesAfter>

/** Seals and rows side by side, like the merge of two sorted lists. */
function walk(
  from: Head,
  seals: readonly Seal[],
  steps: readonly Step[],
  copies: Copies,
): { head: Head; broken: Broken | null } {
  let head = from
  for (const [index, seal] of seals.entries()) {
    const broken = (why: Why, row?: Step, seq = head.seq + 1): { head: Head; broken: Broken } => ({
      head,
      broken: {
        seq,
        logId: row?.logId ?? seal.logId,
        at: `${row?.createdAt ?? seal.createdAt}Z`,
        why,
      },
    })
    if (seal.seq !== head.seq + 1 || compare(seal, head) <= 0) return broken('MISSING')
    const row = steps[index]
    const order = row ? compare(row, seal) : 1
    if (order < 0) return broken('INSERTED', row)
    if (!row || order > 0) return broken('MISSING')
    const next = row.link(head.hash, seal.seq)
    if (!next?.equals(seal.hash)) return broken('CHANGED')
    const copy = copies.at(seal.seq)
    if (copy && copy.hash !== seal.hash.toString('hex'))
      return broken('REWRITTEN', row, copies.before(seal.seq) + 1)
    head = seal
  }
  const extra = steps[seals.length]
  return {
    head,
    broken: extra
      ? {
          seq: head.seq,
          logId: extra.logId,
          at: extra.createdAt && `${extra.createdAt}Z`,
          why: 'INSERTED',
        }
      : null,
  }
}

function compare(a: Position, b: Position): number {
  if (a.epoch !== b.epoch) return a.epoch - b.epoch
  if (a.txid !== b.txid) return a.txid.length - b.txid.length || (a.txid < b.txid ? -1 : 1)
  return a.logId - b.logId
}
