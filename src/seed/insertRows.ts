import { sql } from 'kysely'
import type { Db } from '../server/database.ts'
import type { DB } from '../server/schema.ts'

/** Any number of rows in one statement; each says the same columns as the first. */
export async function insertRows<T extends keyof DB>(
  db: Db,
  table: T,
  rows: readonly Partial<Record<keyof DB[T], unknown>>[],
): Promise<void> {
  const names = sql.join(Object.keys(rows[0] ?? {}).map((name) => sql.ref(name)))
  await sql`insert into ${sql.table(table)} (${names}) select ${names}
    from jsonb_populate_recordset(null::${sql.table(table)},
      ${JSON.stringify(rows)}::jsonb)`.execute(db)
}
