import { timingSafeEqual } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { sql } from 'kysely'
import { z } from 'zod'
import type { App } from '../../../../server/context.ts'
import { systemScope } from '../../../../server/database.ts'
import { sign } from '../../../../server/secretBox.ts'
import { sealHead } from './seal.ts'

/**
 * Heads of the log's chain, copied outside the database every minute: without them a truncated or
 * rewritten log could not be told from a short or honest one. Each line is signed over the one
 * before it, so that an edited or missing line is seen.
 */
const Line = z.strictObject({
  at: z.string(),
  seq: z.number().int(),
  hash: z.string(),
  mac: z.string(),
})
export type CopiedHead = { line: number; at: string; seq: number; hash: string }
export type Heads = { heads: CopiedHead[]; forged: { line: number; seq: number } | null }

export const headFile = (dataDir: string): string => path.join(dataDir, 'log-head.jsonl')

const macOf = (
  secretKey: string,
  previous: string,
  head: { at: string; seq: number; hash: string },
): string =>
  sign(secretKey, 'log-head', [previous, head.at, head.seq, head.hash].join('\n')).toString('hex')

/**
 * Appends the head when it moved. The lock keeps two workers on one folder from signing after the
 * same line.
 */
export async function copyHead(app: Pick<App, 'database' | 'config' | 'now'>): Promise<void> {
  await app.database.transact(systemScope, async (db) => {
    const { rows } = await sql<{
      ok: boolean
    }>`select pg_try_advisory_xact_lock(hashtextextended('operation_log_head', 0)) as ok`.execute(
      db,
    )
    if (!rows[0]?.ok) return
    const { seq, hash } = await sealHead(db)
    if (seq === 0) return
    await mkdir(app.config.dataDir, { recursive: true })
    const file = await open(headFile(app.config.dataDir), 'a+', 0o600)
    try {
      const last = await lastLine(file)
      const head = { at: app.now().toISOString(), seq, hash: hash.toString('hex') }
      if (last?.seq === seq && last.hash === head.hash) return
      await file.appendFile(
        `${JSON.stringify({ ...head, mac: macOf(app.config.secretKey, last?.mac ?? '', head) })}\n`,
      )
      await file.datasync()
    } finally {
      await file.close()
    }
  })
}

/** The last whole line; what a crash left behind it is cut off. */
async function lastLine(
  file: Awaited<ReturnType<typeof open>>,
): Promise<z.infer<typeof Line> | null> {
  const { size } = await file.stat()
  const tail = Buffer.alloc(Math.min(size, 4096))
  await file.read(tail, 0, tail.length, size - tail.length)
  const text = tail.toString('utf8')
  const end = text.lastIndexOf('\n') + 1
  if (end < text.length) await file.truncate(size - Buffer.byteLength(text.slice(end)))
  const line = text.slice(0, end).trimEnd().split('\n').at(-1)
  return line ? readLine(line) : null
}
function readLine(text: string): z.infer<typeof Line> | null {
  try {
    return Line.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** All copies in the order they were made, and the first line that does not carry its signature. */
export async function readHeads(dataDir: string, secretKey: string): Promise<Heads> {
  const found: Heads = { heads: [], forged: null }
  if (!existsSync(headFile(dataDir))) return found
  let previous = ''
  let line = 0
  for await (const text of createInterface({
    input: createReadStream(headFile(dataDir)),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    line += 1
    const head = readLine(text)
    const wanted = head ? Buffer.from(macOf(secretKey, previous, head)) : Buffer.alloc(0)
    const given = Buffer.from(head?.mac ?? '')
    const last = found.heads.at(-1)
    if (head && wanted.length === given.length && timingSafeEqual(wanted, given))
      found.heads.push({ line, at: head.at, seq: head.seq, hash: head.hash })
    else found.forged ??= { line, seq: head?.seq ?? last?.seq ?? 0 }
    previous = head?.mac ?? ''
  }
  return found
}
