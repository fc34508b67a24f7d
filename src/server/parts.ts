import { sql } from 'kysely'
import type { Db } from './database.ts'

/**
 * What every installation needs beside the API; each process says every ten seconds which of them
 * it is.
 */
export const neededParts = ['gateway', 'worker'] as const
export type NeededPart = (typeof neededParts)[number]
export const silentMs = 30_000

/** The parts no process has reported for as long: dead, frozen, or never started. */
export async function missingParts(db: Db, now: Date): Promise<NeededPart[]> {
  const [from, to] = [-silentMs, silentMs].map((ms) => new Date(now.getTime() + ms))
  const { rows } = await sql<{ part: NeededPart }>`
    select part from unnest(${[...neededParts]}::text[]) part
    where not exists (select from process_stats
      where at > ${from} and at < ${to} and part = any(parts)) order by part`.execute(db)
  return rows.map((row) => row.part)
}

/**
 * For who asks often: looked up at most every two seconds, and not before this process has had time
 * to hear from the others.
 */
export function openPartsProbe(
  aside: <T>(work: (db: Db) => Promise<T>) => Promise<T>,
  clock: () => Date,
): () => Promise<NeededPart[]> {
  const startedAt = performance.now()
  let askedAt = Number.NEGATIVE_INFINITY
  let answer: Promise<NeededPart[]> = Promise.resolve([])
  return () => {
    const now = performance.now()
    if (now - startedAt >= silentMs && now - askedAt >= 2000) {
      askedAt = now
      answer = aside((db) => missingParts(db, clock())).catch(() => [])
    }
    return answer
  }
}
