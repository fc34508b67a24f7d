import { timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../../../server/database.ts'
import { sign } from '../../../../server/secretBox.ts'
import type { Head } from './seal.ts'

/** Where the chain goes on when its oldest months went into a file. */
export type Checkpoint = Head & {
  rows: number
  file: string
  fileSha256: string
  stragglers: [id: number, digest: string][]
  signature: Buffer
}

export async function lastCheckpoint(db: Db): Promise<Checkpoint | null> {
  const { rows } =
    await sql<Checkpoint>`select seq, epoch, txid::text as txid, log_id as "logId", hash, rows,
      file, file_sha256 as "fileSha256", stragglers, signature
    from log_checkpoints order by seq desc limit 1`.execute(db)
  return rows[0] ?? null
}

export const checkpointSignature = (secretKey: string, c: Omit<Checkpoint, 'signature'>): Buffer =>
  sign(
    secretKey,
    'log-checkpoint',
    JSON.stringify([
      c.seq,
      c.epoch,
      c.txid,
      c.logId,
      c.hash.toString('hex'),
      c.rows,
      c.file,
      c.fileSha256,
      c.stragglers,
    ]),
  )

export const checkpointProblem = (checkpoint: Checkpoint, secretKey: string): boolean =>
  !timingSafeEqual(checkpointSignature(secretKey, checkpoint), checkpoint.signature)
