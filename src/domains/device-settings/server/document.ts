import type { Db } from '../../../server/database.ts'
import { rowsOf } from '../../../server/rows.ts'
import type { Document } from '../../machines/server/documents.ts'
import { config } from './queries.ts'

/** Settings as machines get them: the newest version of each. Refunds are ours alone. */
export async function configDocuments(
  db: Db,
  deviceIds: readonly number[],
): Promise<Map<number, Document>> {
  const rows = await rowsOf<{ id: number; version: number; body: object }>(
    db,
  )`select c.device_id as id, c.config_version as version, (${config}) - 'autoRefund' as body
      from unnest(${[...deviceIds]}::bigint[]) as x(id)
      cross join lateral (select * from device_configs c where c.device_id = x.id
        order by c.config_version desc limit 1) c`
  return new Map(rows.map(({ id, version, body }) => [id, { version, bodies: [body] }]))
}
