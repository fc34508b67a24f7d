import { sql } from 'kysely'
import type { Db } from './database.ts'

/**
 * Rows of statements that no contract shapes (else `shapes.ts`): `rowsOf<Row>(ctx.db)`select …``.
 */
type Ask<Answer> = (text: TemplateStringsArray, ...values: unknown[]) => Promise<Answer>

export const rowsOf =
  <Row>(db: Db): Ask<Row[]> =>
  async (text, ...values) =>
    (await sql<Row>(text, ...values).execute(db)).rows

export const rowOf =
  <Row>(db: Db): Ask<Row | undefined> =>
  async (text, ...values) =>
    (await sql<Row>(text, ...values).execute(db)).rows[0]

/** Of a statement that always answers one row, as one that only counts. */
export const onlyRow =
  <Row>(db: Db): Ask<Row> =>
  async (text, ...values) =>
    (await sql<Row>(text, ...values).execute(db)).rows[0] as Row

export const exists =
  (db: Db): Ask<boolean> =>
  async (text, ...values) =>
    (await sql(text, ...values).execute(db)).rows.length > 0
