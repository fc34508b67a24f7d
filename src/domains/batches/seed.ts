import { sql } from 'kysely'
import type { Db } from '../../server/database.ts'
import { rowsOf } from '../../server/rows.ts'
import { shanghaiDay } from '../../shared/instants.ts'
import { counterStatements } from '../machines/server/counters.ts'

/** A batch of each of the first dozen products that an operator sells, from one of his suppliers. */
export async function seedBatches(db: Db, now: Date): Promise<void> {
  const today = shanghaiDay(now)
  await sql`
    insert into batches (org_id, product_id, supplier_id, batch_no, produced_on, expires_on,
      cost_price, created_at)
    select x.org_id, x.product_id, s.id,
      to_char(${today}::date - 70 - x.n::int, 'YYYYMMDD') || chr(64 + x.n::int),
      ${today}::date - 70 - x.n::int,
      case when x.drug then ${today}::date + 300 + 40 * x.n::int
        else ${today}::date - 9 + 13 * x.n::int end,
      x.cost_price, ${now}::timestamptz - interval '65 days' + x.n * interval '1 hour'
    from (select l.org_id, l.product_id, p.cost_price, p.drug_class <> 'NONE' as drug,
        row_number() over (partition by l.org_id order by l.product_id) as n
      from lanes l join products p on p.id = l.product_id
      where l.archived_at is null group by 1, 2, 3, 4) x
    cross join lateral (select s.id from suppliers s
      where s.org_id = x.org_id and s.status = 'ENABLED' and s.supplies_drugs = x.drug
      order by (s.id + x.n) % 2, s.id limit 1) s
    where x.n <= 12`.execute(db)
}

/** Of which batch the goods of a lane are, all the time. */
export async function batchesOfLanes(db: Db) {
  const rows = await rowsOf<{ laneId: number; id: number; batchNo: string }>(db)`
    select l.id as "laneId", b.id, b.batch_no as "batchNo" from lanes l
    join batches b on b.org_id = l.org_id and b.product_id = l.product_id
    where l.archived_at is null`
  return new Map(rows.map((row) => [row.laneId, row]))
}

/** What the history has left of them, and the recall of one that is a drug. */
export async function seedLayers(db: Db, now: Date): Promise<void> {
  await sql`with y as (
      insert into lane_layers (org_id, device_id, lane_id, pos, batch_id, qty)
      select l.org_id, l.device_id, l.id, 1, b.id, l.quantity from lanes l
      join batches b on b.org_id = l.org_id and b.product_id = l.product_id
      where l.archived_at is null and l.quantity > 0 returning lane_id, batch_id)
    update lanes l set layered = true, goods_expire_on = b.expires_on
    from y join batches b on b.id = y.batch_id where l.id = y.lane_id`.execute(db)
  await sql`update batches set status = 'RECALLED', recall_level = 'II',
      recall_no = '粤药监召〔2026〕18号', recall_reason = '标签批号印刷模糊',
      recalled_at = ${now}::timestamptz - interval '3 hours'
    where id = (select b.id from batches b join products p on p.id = b.product_id
      where p.drug_class <> 'NONE' order by b.id limit 1)`.execute(db)
  const locked = await rowsOf<{ id: number }>(db)`
    update lanes l set status = 'LOCKED', lock_reason = 'RECALL'
    where l.status = 'ENABLED' and l.id in (select y.lane_id from lane_layers y
      join batches b on b.id = y.batch_id where b.status = 'RECALLED')
    returning l.device_id as id`
  const devices = [...new Set(locked.map(({ id }) => id))]
  if (devices.length)
    for (const statement of counterStatements(devices)) await statement.execute(db)
}
