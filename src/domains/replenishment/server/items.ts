import { sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import type { Visit } from './queries.ts'

/** What was done at a lane of a visit, not yet posted. */
export type Draft = {
  laneId: number
  roadIndex: number
  productId: number
  countedQty: number | null
  countedAt: Date | null
  doneAt: Date
  addedQty: number
  withdrawnQty: number
  withdrawReason: string | null
  batchId: number | null
  codes: readonly string[]
}

export const draftsOf = (ctx: Ctx, visitId: number, laneIds: readonly number[]) =>
  rowsOf<Draft>(ctx.db)`select i.lane_id as "laneId", i.road_index as "roadIndex",
      i.product_id as "productId", i.counted_qty as "countedQty", i.counted_at as "countedAt",
      i.done_at as "doneAt", i.added_qty as "addedQty", i.withdrawn_qty as "withdrawnQty",
      i.withdraw_reason as "withdrawReason", i.batch_id as "batchId", i.codes
    from replenishment_items i
    where i.visit_id = ${visitId} and i.lane_id = any(${[...laneIds]}::bigint[])`

/** Of `n`, as far as whoever asks sees it. */
export const knownBatch = sql`(select b.id from batches b where b.id = n."batchId")`

/**
 * Lanes as they are said to be now; one of which nothing is said any more goes. The product of a
 * lane that was said before stays: whoever filled it meant that one. A batch that was removed since
 * a phone took it along is unknown.
 */
export async function writeDrafts(
  ctx: Ctx,
  { id, orgId, deviceId }: Visit,
  drafts: readonly Draft[],
): Promise<void> {
  const says = (one: Draft) => one.countedQty !== null || one.addedQty + one.withdrawnQty > 0
  const silent = drafts.filter((one) => !says(one)).map((one) => one.laneId)
  if (silent.length)
    await sql`delete from replenishment_items
      where visit_id = ${id} and lane_id = any(${silent}::bigint[])`.execute(ctx.db)
  const rows = JSON.stringify(drafts.filter(says))
  await sql`insert into replenishment_items as i (org_id, device_id, visit_id, lane_id, road_index,
      product_id, counted_qty, counted_at, done_at, added_qty, withdrawn_qty, withdraw_reason,
      batch_id, codes)
    select ${orgId}::bigint, ${deviceId}::bigint, ${id}::bigint, "laneId", "roadIndex",
      "productId", "countedQty", "countedAt", "doneAt", "addedQty", "withdrawnQty",
      case when "withdrawnQty" > 0 then "withdrawReason" end,
      case when "addedQty" > 0 then ${knownBatch} end, codes
    from jsonb_to_recordset(${rows}::jsonb) as n("laneId" bigint, "roadIndex" int,
      "productId" bigint, "countedQty" int, "countedAt" timestamptz, "doneAt" timestamptz,
      "addedQty" int, "withdrawnQty" int, "withdrawReason" text,
      "batchId" bigint, codes text[])
    on conflict (visit_id, lane_id) do update set counted_qty = excluded.counted_qty,
      counted_at = excluded.counted_at, done_at = excluded.done_at,
      added_qty = excluded.added_qty, withdrawn_qty = excluded.withdrawn_qty,
      withdraw_reason = excluded.withdraw_reason, batch_id = excluded.batch_id,
      codes = excluded.codes, state = 'PENDING', error = null`.execute(ctx.db)
}
