import { sql } from 'kysely'
import type { Db } from '../../../server/database.ts'
import type { Document } from '../../machines/server/documents.ts'
import { type ConfigRow, configOf } from './queries.ts'

type Row = ConfigRow & { device_id: number; config_version: number }

/** Settings as machines get them: the newest version of each. */
export async function configDocuments(db: Db, deviceIds: readonly number[]): Promise<Map<number, Document>> {
  const { rows } = await sql<Row>`
    select c.* from unnest(${[...deviceIds]}::bigint[]) as x(id)
    cross join lateral (select * from device_configs c where c.device_id = x.id order by c.config_version desc limit 1) c`.execute(db)
  return new Map(rows.map((row) => [row.device_id, { version: row.config_version, bodies: [bodyOf(row)] }]))
}

/** Refunds are ours alone. */
function bodyOf(row: ConfigRow): object {
  const { autoRefund: _, ...body } = configOf(row)
  return body
}
