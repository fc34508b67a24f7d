import type { Db } from '../../../server/database.ts'
import { rowsOf } from '../../../server/rows.ts'

type Recall = { batch: string; name: string; lanes: number[] }
/** What is recalled of the goods in machines, now. */
export async function recallDocuments(
  db: Db,
  deviceIds: readonly number[],
): Promise<Map<number, { version: number; recalls: Recall[] }>> {
  const rows = await rowsOf<{ id: number; version: number; recalls: Recall[] }>(db)`
    select s.device_id as id, s.wanted as version, coalesce((select jsonb_agg(jsonb_build_object(
        'batch', x.batch_no, 'name', x.name, 'lanes', x.lanes) order by x.id)
      from (select b.id, b.batch_no, p.name,
          jsonb_agg(distinct l.road_index order by l.road_index) as lanes
        from lane_layers y join batches b on b.id = y.batch_id and b.status = 'RECALLED'
        join products p on p.id = b.product_id join lanes l on l.id = y.lane_id
        where y.device_id = s.device_id group by b.id, p.name) x), '[]') as recalls
    from device_shadows s
    where s.device_id = any(${[...deviceIds]}::bigint[]) and s.kind = 'RECALLS'`
  return new Map(rows.map(({ id, ...list }) => [id, list]))
}
