import type { RawBuilder } from 'kysely'
import type { Db } from './database.ts'

/** What statements answer that no contract shapes (else `shapes.ts`). */

export const rowsOf = async <Row>(db: Db, statement: RawBuilder<Row>): Promise<Row[]> => (await statement.execute(db)).rows

export const rowOf = async <Row>(db: Db, statement: RawBuilder<Row>): Promise<Row | undefined> => (await statement.execute(db)).rows[0]

/** Of a statement that always answers one row, as one that only counts. */
export const onlyRow = async <Row>(db: Db, statement: RawBuilder<Row>): Promise<Row> => (await statement.execute(db)).rows[0] as Row

export const exists = async (db: Db, statement: RawBuilder<unknown>): Promise<boolean> => (await statement.execute(db)).rows.length > 0
