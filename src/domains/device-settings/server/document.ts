import { sql } from 'kysely'
import type { Db } from '../../../server/database.ts'
import type { Document } from '../../machines/server/documents.ts'
import type { Config } from '../contract.ts'

type Row = {
  device_id: number
  config_version: number
  temp_min: number | null
  temp_max: number | null
  hum_min: number
  hum_max: number
  limit_per_order: number
  limit_per_day: number
  doc: Omit<Config, 'tempMin' | 'tempMax' | 'humMin' | 'humMax' | 'limitPerOrder' | 'limitPerDay'>
}

/** Settings as machines get them: the newest version of each. */
export async function configDocuments(db: Db, deviceIds: readonly number[]): Promise<Map<number, Document>> {
  const { rows } = await sql<Row>`
    select c.* from unnest(${[...deviceIds]}::bigint[]) as x(id)
    cross join lateral (select * from device_configs c where c.device_id = x.id order by c.config_version desc limit 1) c`.execute(db)
  return new Map(rows.map((row) => [row.device_id, { version: row.config_version, bodies: [bodyOf(row)] }]))
}

/** Refunds are ours alone. */
function bodyOf(row: Row): object {
  const { autoRefund: _, ...doc } = row.doc
  return {
    tempMin: row.temp_min,
    tempMax: row.temp_max,
    humMin: row.hum_min,
    humMax: row.hum_max,
    limitPerOrder: row.limit_per_order,
    limitPerDay: row.limit_per_day,
    ...doc,
  }
}
