import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { Refusal } from '../../../shared/errors.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { cachedFor } from '../../settings/server/values.ts'
import { stockErrors } from '../errors.ts'
import { isPast, stopDays } from '../expiry.ts'
import { type Layer, type Portion, placed, putIn, takeOut } from '../layers.ts'

/** A locked lane, as far as its goods are concerned. */
export type GoodsLane = {
  id: number
  org_id: number
  device_id: number
  product_id: number | null
  drug_class: string | null
  quantity: number
  status: string
  lock_reason: string | null
  layered: boolean
  goods_expire_on: string | null
}
/** What is asked of the goods of a lane. */
export type GoodsFlow = {
  change: number
  reason: string
  type: string
  batchId?: number | null
  codes?: readonly string[]
  before?: boolean
}
type Batch = {
  id: number
  productId: number
  batchNo: string
  expiresOn: string
  recalled: boolean
  /** Pieces that may still be loaded; null: nobody counts them. */
  room: number | null
}
/** Of the lanes whose goods are known, and of those that will be. */
export type Goods = {
  layers: Map<number, Layer[]>
  batches: ReadonlyMap<number, Batch>
  /** Of an organisation. */
  stopDays: (lane: GoodsLane) => number
  /** Loaded by this act. */
  loaded: Set<number>
}

/**
 * Layers and batches that flows into or out of these lanes touch; null when no lane has layers and
 * none gets any, so that it costs such a lane nothing. Read behind the lock of the lanes, and what
 * is counted of a batch is held: a recall that runs meanwhile is seen, or sees the goods.
 */
export async function goodsOf(
  ctx: Ctx,
  lanes: ReadonlyMap<number, GoodsLane>,
  flows: readonly (GoodsFlow & { laneId: number })[],
): Promise<Goods | null> {
  const incoming = flows.filter((flow) => flow.change > 0 && flow.batchId)
  const named = new Set(incoming.map((flow) => flow.laneId))
  const own = [...new Set(flows.map((flow) => flow.laneId))].flatMap((id) => lanes.get(id) ?? [])
  const concerned = own.filter((lane) => lane.layered || named.has(lane.id))
  if (!concerned.length) return null
  const layers = await layersOf(ctx, concerned)
  const counted = new Set(incoming.map((flow) => flow.batchId as number))
  for (const flow of flows)
    if (flow.change < 0 && flow.type !== 'CUSTOMER_TAKE')
      for (const layer of layers.get(flow.laneId) ?? [])
        if (layer.batchId !== null) counted.add(layer.batchId)
  if (counted.size) await sql`select app_hold_batches(${[...counted]}::bigint[])`.execute(ctx.db)
  const known = [...layers.values()].flat().flatMap((layer) => layer.batchId ?? [])
  const batches = await rowsOf<Batch>(ctx.db)`
    select id, product_id as "productId", batch_no as "batchNo", expires_on as "expiresOn",
      status = 'RECALLED' as recalled, received_qty - loaded_qty + returned_qty as room
    from batches where id = any(${[...new Set([...known, ...counted])]}::bigint[])`
  const days = await cachedFor(
    ctx.app,
    concerned.map((lane) => lane.org_id),
    ['stock.stopSaleDaysBeforeExpiry'],
  )
  await checkCodes(ctx, incoming)
  return {
    layers,
    batches: new Map(batches.map((batch) => [batch.id, batch])),
    stopDays: (lane) =>
      stopDays(lane.drug_class, days(lane.org_id)['stock.stopSaleDaysBeforeExpiry']),
    loaded: named,
  }
}

async function layersOf(ctx: Ctx, lanes: readonly GoodsLane[]): Promise<Map<number, Layer[]>> {
  const ids = lanes.flatMap((lane) => (lane.layered ? [lane.id] : []))
  type Row = { laneId: number; pos: number; batchId: number | null; qty: number; coded: boolean }
  const [rows, codes] = ids.length
    ? await Promise.all([
        rowsOf<Row>(ctx.db)`
          select lane_id as "laneId", pos, batch_id as "batchId", qty, coded from lane_layers
          where lane_id = any(${ids}::bigint[]) order by lane_id, pos`,
        rowsOf<{ laneId: number; code: string }>(ctx.db)`
          select lane_id as "laneId", code from trace_codes
          where lane_id = any(${ids}::bigint[]) order by lane_id, pos`,
      ])
    : [[], []]
  const queues = Map.groupBy(codes, (row) => row.laneId)
  const layers = new Map<number, Layer[]>()
  for (const lane of lanes) {
    if (lane.layered) layers.set(lane.id, [])
    else layers.set(lane.id, lane.quantity > 0 ? [unknown(lane.quantity)] : [])
  }
  for (const { laneId, coded, ...row } of rows) {
    const queue = coded ? (queues.get(laneId)?.splice(0, row.qty) ?? []) : []
    layers.get(laneId)?.push({ ...row, codes: queue.map(({ code }) => code) })
  }
  return layers
}
const unknown = (qty: number): Layer => ({ pos: null, batchId: null, qty, codes: [] })

/** All of what comes in has a code of its batch that is nowhere else, or none of it has one. */
async function checkCodes(ctx: Ctx, incoming: readonly GoodsFlow[]): Promise<void> {
  const coded = incoming.flatMap(({ batchId, codes }) =>
    (codes ?? []).map((code) => ({ code, batchId })),
  )
  if (!coded.length) return
  const wrong = await rowsOf<{ code: string }>(ctx.db)`
    select n.code from jsonb_to_recordset(${JSON.stringify(coded)}::jsonb) as n(code text,
      "batchId" bigint)
    left join trace_codes t on t.code = n.code and t.batch_id = n."batchId"
      and t.state in ('IN_STOCK', 'WITHDRAWN')
    group by n.code having count(*) > 1 or count(t.code) = 0 order by 1 limit 10`
  if (wrong.length)
    throw new Refusal(stockErrors.codeUnusable, {
      codes: wrong.map(({ code }) => code).join(' '),
    })
}

/**
 * Moves the goods of one flow in memory, and answers it in portions of one batch: each is a flow of
 * its own.
 */
export function portions(
  goods: Goods | null,
  lane: GoodsLane,
  flow: GoodsFlow,
): (Portion & { batchNo: string | null })[] {
  const qty = Math.abs(flow.change)
  const layers = goods?.layers.get(lane.id)
  if (flow.codes?.length && flow.codes.length !== qty) throw new Refusal(stockErrors.codesMismatch)
  if (flow.codes?.length && flow.change > 0 && !flow.batchId)
    throw new Refusal(stockErrors.batchMissing)
  if (!goods || !layers) {
    if (flow.batchId || flow.codes?.length) throw new Refusal(stockErrors.notInLane)
    return [{ batchId: null, qty, codes: [], batchNo: null }]
  }
  const named = (portion: Portion) => ({
    ...portion,
    batchNo: goods.batches.get(portion.batchId ?? 0)?.batchNo ?? null,
  })
  if (flow.change > 0) {
    const portion = { batchId: flow.batchId ?? null, qty, codes: flow.codes ?? [] }
    if (flow.batchId && goods.batches.get(flow.batchId)?.productId !== lane.product_id)
      throw new Refusal(stockErrors.batchMissing)
    goods.layers.set(lane.id, putIn(layers, portion, flow.before))
    if (loads.includes(flow.reason) && !fits(goods, portion.batchId, -qty))
      throw new Refusal(stockErrors.overReceived)
    return [named(portion)]
  }
  const out = takeOut(layers, qty, flow)
  if (!out && (flow.batchId !== undefined || flow.codes)) throw new Refusal(stockErrors.notInLane)
  goods.layers.set(lane.id, out?.left ?? [])
  const taken = out?.taken ?? [{ batchId: null, qty, codes: [] }]
  if (returns.includes(flow.reason))
    for (const portion of taken) fits(goods, portion.batchId, portion.qty)
  return taken.map(named)
}

/** As the trigger count_batch counts them; the check of the table would only say that it is wrong. */
const loads: readonly string[] = ['REFILL', 'CORRECTION']
const returns: readonly string[] = ['TAKE_BACK', 'EXPIRED', 'RECALL', 'LANE_RESET', 'CORRECTION']
function fits({ batches }: Goods, batchId: number | null, change: number): boolean {
  const batch = batches.get(batchId ?? 0)
  if (!batch || batch.room === null) return true
  batch.room += change
  return batch.room >= 0
}

const isGoodsLock = (reason: string | null): boolean => reason === 'RECALL' || reason === 'EXPIRY'

/**
 * What the goods that are there now make of the lane: who loads a recalled or expired batch locks
 * it, whoever takes the last of them out frees it. Answers the lanes that are free.
 */
export function judgeGoods(
  ctx: Ctx,
  goods: Goods,
  lanes: ReadonlyMap<number, GoodsLane>,
): number[] {
  const today = shanghaiDay(ctx.now)
  const free: number[] = []
  for (const [id, layers] of goods.layers) {
    const lane = lanes.get(id)
    if (!lane) continue
    const batches = layers.flatMap((layer) => goods.batches.get(layer.batchId ?? 0) ?? [])
    lane.layered = placed(layers).length > 0
    lane.goods_expire_on = batches.map((batch) => batch.expiresOn).sort()[0] ?? null
    const lock = batches.some((batch) => batch.recalled)
      ? 'RECALL'
      : lane.goods_expire_on && isPast(lane.goods_expire_on, today, goods.stopDays(lane))
        ? 'EXPIRY'
        : null
    const locked = lane.status === 'LOCKED'
    if (lock && (locked ? isGoodsLock(lane.lock_reason) : goods.loaded.has(id))) {
      lane.status = 'LOCKED'
      lane.lock_reason = lock
    } else if (!lock && locked && isGoodsLock(lane.lock_reason)) free.push(id)
  }
  return free
}

/** The rows of all these lanes as they are now, as parts of one statement. */
export function layersStatement(
  goods: Goods,
  lanes: ReadonlyMap<number, GoodsLane>,
): RawBuilder<unknown> {
  const rows = [...goods.layers].flatMap(([id, layers]) => {
    const lane = lanes.get(id)
    return placed(layers).map(({ pos, batchId, qty, codes }) => ({
      org_id: lane?.org_id,
      device_id: lane?.device_id,
      lane_id: id,
      pos,
      batch_id: batchId,
      qty,
      coded: codes.length > 0,
    }))
  })
  return sql`y as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as y(org_id bigint,
        device_id bigint, lane_id bigint, pos int, batch_id bigint, qty int, coded boolean)
    ), gone as (
      delete from lane_layers o where o.lane_id = any(${[...goods.layers.keys()]}::bigint[])
        and not exists (select from y where y.lane_id = o.lane_id and y.pos = o.pos)
    ), kept as (
      insert into lane_layers as o (org_id, device_id, lane_id, pos, batch_id, qty, coded)
      select org_id, device_id, lane_id, pos, batch_id, qty, coded from y
      on conflict (lane_id, pos) do update set qty = excluded.qty where o.qty <> excluded.qty
    ),`
}

const holdsRecalled = sql<boolean>`l.layered and exists (select from lane_layers y
  join batches b on b.id = y.batch_id where y.lane_id = l.id and b.status = 'RECALLED')`

/**
 * The end of whatever locked these lanes, which the caller holds: one that was faulty before is
 * faulty again, and a recall that came meanwhile locks it in its turn. `reason`: those alone that
 * are locked for it.
 */
export const unlockLanes = (ctx: Ctx, laneIds: readonly number[], reason?: string) =>
  sql`update lanes l set version = version + 1,
    lock_reason = case when ${holdsRecalled} then 'RECALL' end,
    status = case when ${holdsRecalled} then 'LOCKED'
      when exists (select from device_faults f where f.lane_id = l.id and f.closed_at is null)
      then 'FAULT' else 'ENABLED' end
    where l.id = any(${[...laneIds]}::bigint[])
      and ${reason === undefined ? sql`true` : sql`l.status = 'LOCKED' and l.lock_reason = ${reason}`}`.execute(
    ctx.db,
  )
