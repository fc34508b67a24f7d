import { sql } from 'kysely'
import { type Database, isOutOfRoom } from './database.ts'

const everyMs = 2000
const quietMs = 15_000

/**
 * Whether the database takes writes, asked at most every two seconds by one small update. An update
 * finds room where an insert does not, so what transactions were refused counts as well until a
 * while has passed without.
 */
export function openWriteProbe(database: Database): () => Promise<boolean> {
  let askedAt = Number.NEGATIVE_INFINITY
  let answer = Promise.resolve(true)
  const ask = () =>
    database
      .aside((db) => sql`update installation set probed_at = now()`.execute(db))
      .then(
        () => true,
        (error: unknown) => !isOutOfRoom(error),
      )
  return async () => {
    const now = performance.now()
    if (now - askedAt >= everyMs) {
      askedAt = now
      answer = ask()
    }
    return (await answer) && now - database.lastOutOfRoom() >= quietMs
  }
}
