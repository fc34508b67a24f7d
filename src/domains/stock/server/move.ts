import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import {
  type GoodsLane,
  goodsOf,
  judgeGoods,
  layersStatement,
  portions,
  unlockLanes,
} from './goods.ts'
import { renewRecalls } from './recalledList.ts'

/**
 * The only writer of what a lane holds: quantity, holds, layers, and the flow rows that explain
 * every change of quantity.
 */

export type FlowType = 'CUSTOMER_TAKE' | 'MERCHANT_REPLENISH' | 'MERCHANT_WITHDRAW'
export type Move = {
  laneId: number
  /** Changes of the holds; may stand without a flow. */
  reserved?: number
  failedHold?: number
  /** The lane stops selling: a mechanical fault, or locked until counted. */
  stop?: { to: 'FAULT' | 'LOCKED'; reason: string }
  flow?: {
    change: number
    type: FlowType
    reason: string
    unitId?: number
    orderNum?: string
    occurredAt: Date
    actorKind: 'USER' | 'DEVICE' | 'SYSTEM'
    actorId?: number | null
    /**
     * Of what comes in: its batch, unknown without one. Of what goes out: from its layers, `null`
     * from goods of unknown batch; omitted, from the front.
     */
    batchId?: number | null
    /** Trace codes from front to back: of all that comes in; of what goes out, which ones. */
    codes?: readonly string[]
    /** What comes in stands before all others: it is put back to be taken at once. */
    before?: true
    /** The line of a visit that it belongs to. */
    visitItemId?: number
  }
}

type LaneRow = GoodsLane & {
  rtu_number: string
  road_index: number
  product_name: string | null
  reserved: number
  failed_hold: number
  last_flow_seq: number
}

/**
 * Applies moves in order, in two set-based statements; where batches are known, in a few more, and a
 * flow for each batch of a move. Lanes are locked in ascending id order. What
 * would break a lane (below zero, over capacity, holds over stock) is refused by its CHECKs and
 * rolls everything back. Answers the flow id of each piece that left.
 */
export async function moveStock(
  ctx: Ctx,
  moves: readonly Move[],
): Promise<{ flowOfUnit: Map<number, number>; deviceIds: number[] }> {
  const flowOfUnit = new Map<number, number>()
  if (!moves.length) return { flowOfUnit, deviceIds: [] }
  const ids = [...new Set(moves.map((move) => move.laneId))]
  if (moves.every((move) => !move.flow && !move.stop))
    return { flowOfUnit, deviceIds: await moveHolds(ctx, moves, ids) }
  const { rows } = await sql<LaneRow>`
    select l.id, l.org_id, l.device_id, d.rtu_number, l.road_index, l.product_id,
      p.name as product_name, l.quantity, l.reserved, l.failed_hold, l.last_flow_seq, l.status,
      l.lock_reason, l.layered, l.goods_expire_on, p.drug_class
    from lanes l join devices d on d.id = l.device_id left join products p on p.id = l.product_id
    where l.id = any(${ids}::bigint[]) order by l.id for no key update of l`.execute(ctx.db)
  const lanes = new Map(rows.map((row) => [row.id, row]))
  const orgs = new Set(rows.map((row) => row.org_id))
  const goods = await goodsOf(
    ctx,
    lanes,
    moves.flatMap(({ laneId, flow }) => (flow ? [{ ...flow, laneId }] : [])),
  )
  const flows = moves.flatMap((move) => {
    const lane = lanes.get(move.laneId)
    if (!lane) throw new Error(`lane ${move.laneId} is gone`)
    lane.reserved += move.reserved ?? 0
    lane.failed_hold += move.failedHold ?? 0
    if (move.stop && (lane.status === 'ENABLED' || move.stop.to === 'LOCKED')) {
      lane.status = move.stop.to
      lane.lock_reason = move.stop.to === 'LOCKED' ? move.stop.reason : lane.lock_reason
    }
    const { flow } = move
    if (!flow) return []
    const sign = Math.sign(flow.change)
    return portions(goods, lane, flow).map(({ qty, batchId, batchNo, codes }) => {
      const before = lane.quantity
      lane.quantity += sign * qty
      lane.last_flow_seq += 1
      // pieces that a count misses are not those with the codes at the front for sure
      if (flow.reason === 'COUNT_LOSS' && codes.length && lane.status !== 'LOCKED') {
        lane.status = 'LOCKED'
        lane.lock_reason = 'TRACE_CODE'
      }
      return {
        org_id: lane.org_id,
        device_id: lane.device_id,
        rtu_number: lane.rtu_number,
        lane_id: lane.id,
        lane_seq: lane.last_flow_seq,
        cargo_road: lane.road_index,
        product_id: lane.product_id,
        product_name: lane.product_name,
        type: flow.type,
        reason: flow.reason,
        before_total: before,
        change_total: sign * qty,
        after_total: lane.quantity,
        unit_id: flow.unitId ?? null,
        order_num: flow.orderNum ?? null,
        actor_kind: flow.actorKind,
        actor_id: flow.actorId ?? null,
        occurred_at: flow.occurredAt.toISOString(),
        batch_id: batchId,
        batch_no: batchNo,
        codes: codes.length ? codes : null,
        visit_item_id: flow.visitItemId ?? null,
      }
    })
  })
  const free = goods ? judgeGoods(ctx, goods, lanes) : []
  const after = [...lanes.values()].map(
    ({ id, quantity, reserved, failed_hold, last_flow_seq, status, lock_reason, ...lane }) => ({
      id,
      quantity,
      reserved,
      failed_hold,
      last_flow_seq,
      status,
      lock_reason,
      layered: lane.layered,
      goods_expire_on: lane.goods_expire_on,
    }),
  )
  const moved = sql`update lanes l
    set quantity = n.quantity, reserved = n.reserved, failed_hold = n.failed_hold,
      last_flow_seq = n.last_flow_seq, status = n.status, lock_reason = n.lock_reason,
      layered = n.layered, goods_expire_on = n.goods_expire_on
    from jsonb_to_recordset(${JSON.stringify(after)}::jsonb) as n(id bigint, quantity int,
      reserved int, failed_hold int, last_flow_seq bigint, status text, lock_reason text,
      layered boolean, goods_expire_on date)
    where l.id = n.id`
  if (!flows.length) await moved.execute(ctx.db)
  else {
    const { rows: written } = await sql<{ id: number; unit_id: number | null }>`
      with ${goods ? layersStatement(goods, lanes) : sql``} moved as (${moved}), f as (
        select nextval('stock_flows_id_seq') as id, x.*
        from jsonb_to_recordset(${JSON.stringify(flows)}::jsonb) as x(
          org_id bigint, device_id bigint, rtu_number text, lane_id bigint, lane_seq bigint,
          cargo_road int, product_id bigint, product_name text, type text, reason text,
          before_total int, change_total int, after_total int, unit_id bigint, order_num text,
          actor_kind text, actor_id bigint, occurred_at timestamptz, batch_id bigint,
          batch_no text, codes text[], visit_item_id bigint)
      ), once as (
        insert into stock_flow_keys (unit_id, flow_id, org_id) select unit_id, id, org_id from f
        where unit_id is not null
      )
      insert into stock_flows (org_id, created_at, id, waste_num, device_id, rtu_number, lane_id,
        lane_seq, cargo_road, product_id, product_name, type, reason,
        before_total, change_total, after_total, unit_id, order_num, actor_kind, actor_id,
        occurred_at, batch_id, batch_no, codes, visit_item_id)
      select org_id, ${ctx.now}::timestamptz, id,
        to_char(${ctx.now}::timestamptz at time zone 'Asia/Shanghai', 'YYYYMMDD') || lpad(id::text,
          12, '0'),
        device_id, rtu_number, lane_id, lane_seq, cargo_road, product_id, product_name, type,
        reason, before_total, change_total, after_total, unit_id, order_num,
        actor_kind, actor_id, occurred_at, batch_id, batch_no, codes, visit_item_id from f
      returning id, unit_id`.execute(ctx.db)
    if (free.length) await unlockLanes(ctx, free)
    const recalled = flows.flatMap((flow) =>
      goods?.batches.get(flow.batch_id ?? 0)?.recalled ? [flow.device_id] : [],
    )
    if (recalled.length) renewRecalls(ctx, [...new Set(recalled)])
    for (const row of written) if (row.unit_id !== null) flowOfUnit.set(row.unit_id, row.id)
    ctx.touch('stock', orgs)
  }
  ctx.touch('lanes', orgs)
  return { flowOfUnit, deviceIds: [...new Set(rows.map((row) => row.device_id))] }
}

/**
 * Holds alone: the rows are locked and changed in one statement, nothing else of them is needed.
 */
async function moveHolds(
  ctx: Ctx,
  moves: readonly Move[],
  ids: readonly number[],
): Promise<number[]> {
  const { rows } = await holdsStatement(moves, ids).execute(ctx.db)
  if (rows.length !== ids.length) throw new Error(`one of the lanes ${ids.join(', ')} is gone`)
  ctx.touch('lanes')
  return [...new Set(rows.map((row) => row.device_id))]
}

/** Holds of lanes that the caller has locked: nothing is waited for. */
export function holdStock(ctx: Ctx, moves: readonly { laneId: number; reserved: number }[]): void {
  ctx.later(
    holdsStatement(
      moves,
      moves.map((move) => move.laneId),
    ),
  )
  ctx.touch('lanes')
}

function holdsStatement(
  moves: readonly Move[],
  ids: readonly number[],
): RawBuilder<{ device_id: number }> {
  const changes = [...Map.groupBy(moves, (move) => move.laneId)].map(([id, own]) => ({
    id,
    reserved: own.reduce((sum, move) => sum + (move.reserved ?? 0), 0),
    failed_hold: own.reduce((sum, move) => sum + (move.failedHold ?? 0), 0),
  }))
  return sql<{ device_id: number }>`
    with locked as materialized (select id from lanes where id = any(${ids}::bigint[])
      order by id for no key update)
    update lanes l set reserved = l.reserved + n.reserved,
      failed_hold = l.failed_hold + n.failed_hold
    from locked k join jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as n(id bigint,
      reserved int, failed_hold int) on n.id = k.id
    where l.id = k.id returning l.device_id`
}
