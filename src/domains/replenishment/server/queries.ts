import { type RawBuilder, sql } from 'kysely'
import { type Ctx, inheritable, may, visible } from '../../../server/context.ts'
import { all, matches } from '../../../server/lists.ts'
import { exists, onlyRow, rowOf, rowsOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { addDays, shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import {
  Batch,
  ItemRow,
  LaneRow,
  type replenishment,
  TaskRow,
  VisitRow,
  type Visit as Whole,
} from '../contract.ts'
import { clockLimitMs, silentHours, soonDays } from '../rules.ts'
import type { Item } from './post.ts'

type Contract = typeof replenishment

const toCount = sql`(select count(*) from lanes l where l.org_id = d.org_id and l.device_id = d.id
  and l.archived_at is null and (l.failed_hold > 0 or l.lock_reason = 'COUNT_NEEDED'))`
const waits: Readonly<Record<Input<Contract['tasks']>['need'], RawBuilder<unknown>>> = {
  NEEDED: sql`(s.lanes_sold_out > 0 or s.lanes_low > 0 or ${toCount} > 0)`,
  SOLD_OUT: sql`s.lanes_sold_out > 0`,
  LOW: sql`s.lanes_low > 0`,
  TO_COUNT: sql`${toCount} > 0`,
  ALL: sql`true`,
}
const room = sql`greatest(s.capacity - s.stock, 0)`
const task = (ctx: Ctx) =>
  shape(TaskRow, ['devices', 'd'], {
    storeName: sql`coalesce(st.store_name, '')`,
    status: sql`case when s.online then 'online' else 'offline' end`,
    soldOut: sql`s.lanes_sold_out`,
    low: sql`s.lanes_low`,
    stock: sql`s.stock`,
    capacity: sql`s.capacity`,
    fillRate: sql`least(100, case when s.capacity = 0 then 100
      else round(100.0 * s.stock / s.capacity) end)::int`,
    suggested: room,
    sellsOutAt: sql`f.sells_out_at`,
    toCount,
    expiring: sql`(select count(*) from lanes l where l.device_id = d.id and l.archived_at is null
      and (l.lock_reason = 'EXPIRY'
        or l.goods_expire_on <= ${addDays(shanghaiDay(ctx.now), soonDays)}::date))`,
    replenishers: sql`(select coalesce(array_agg(u.real_name order by a.id), '{}')
      from device_assignments a join users u on u.id = a.user_id
      where a.device_id = d.id and a.kind = 'REPLENISHER' and a.to_at is null
        and ${visible(ctx, 'a.org_id')})`,
    lastPostedAt: sql`(select max(v.posted_at) from replenishment_visits v
      where v.device_id = d.id and v.posted_at is not null and v.org_id = d.org_id)`,
    draftId: sql`(select v.id from replenishment_visits v where v.device_id = d.id
      and v.user_id = ${ctx.actor.userId} and v.state = 'DRAFT' and v.org_id = d.org_id)`,
  })

/** Only machines in use are filled. */
export const tasks = (ctx: Ctx, input: Input<Contract['tasks']>) =>
  task(ctx).page(ctx.db, {
    from: sql`devices d join device_states s on s.device_id = d.id
      left join stores st on st.id = d.store_id
      left join sell_out_forecasts f on f.device_id = d.id and f.org_id = d.org_id`,
    countFrom: sql`devices d join device_states s on s.device_id = d.id`,
    wideSorts: ['sellsOutAt'],
    where: [
      visible(ctx, 'd.org_id', 'd.id'),
      sql`d.lifecycle in ('OPERATING','PAUSED')`,
      waits[input.need],
      matches('devices', 'd.id', input.keyword),
      input.deviceId && sql`d.id = ${input.deviceId}`,
      input.region && sql`${input.region} in (d.province, d.city, d.county)`,
      input.storeId && sql`d.store_id = ${input.storeId}`,
      input.status && sql`s.online = ${input.status === 'online'}`,
      input.userId &&
        sql`exists (select from device_assignments a where a.device_id = d.id
          and a.user_id = ${input.userId} and a.kind = 'REPLENISHER' and a.to_at is null)`,
      input.productId &&
        sql`exists (select from lanes l where l.device_id = d.id and l.archived_at is null
          and l.product_id = ${input.productId})`,
    ],
    sort: {
      sellsOutAt: sql`f.sells_out_at`,
      soldOut: sql`s.lanes_sold_out`,
      low: sql`s.lanes_low`,
      suggested: room,
      rtuNumber: sql`d.rtu_number`,
    },
    last: sql`d.id`,
    input,
  })

const lane = shape(LaneRow, ['lanes', 'l'], {
  rtuNumber: sql`d.rtu_number`,
  level: sql`fl.level`,
  productId: sql`l.product_id`,
  productName: sql`coalesce(p.name, '')`,
  productImg: sql`coalesce(p.images[1], '')`,
  model: sql`coalesce(p.model, '')`,
  productStock: sql`l.quantity`,
  roadCapacity: sql`l.capacity`,
  status: sql`l.status`,
  drugClass: sql`coalesce(p.drug_class, 'NONE')`,
  traceRequired: sql`coalesce(p.trace_required, p.drug_class <> 'NONE', false)`,
})
const laneRows = sql`lanes l join devices d on d.id = l.device_id
  join lane_floors fl on fl.id = l.floor_id left join products p on p.id = l.product_id`
const filled = (ctx: Ctx) =>
  all([
    visible(ctx, 'l.org_id', 'l.device_id'),
    sql`l.archived_at is null and l.status <> 'MERGED' and l.product_id is not null`,
  ])
export const lanes = (ctx: Ctx, input: Input<Contract['lanes']>) =>
  lane.page(ctx.db, {
    from: laneRows,
    where: [
      filled(ctx),
      input.deviceId && sql`l.device_id = ${input.deviceId}`,
      input.laneId && sql`l.id = ${input.laneId}`,
      matches('devices', 'l.device_id', input.keyword),
      input.short && sql`l.quantity - l.reserved - l.failed_hold <= l.warn_qty`,
    ],
    sort: { roadIndex: sql`l.road_index` },
    filled: ['roadIndex'],
    last: sql`l.id`,
    input,
  })
export const laneRow = (ctx: Ctx, id: number) =>
  lane.one(ctx.db, sql`from ${laneRows} where l.id = ${id} and ${filled(ctx)}`)

const visited = (ctx: Ctx) =>
  shape(VisitRow, ['replenishment_visits', 'v'], {
    rtuNumber: sql`d.rtu_number`,
    nickname: sql`d.nickname`,
    userName: sql`coalesce(u.real_name, '')`,
    difference: sql`v.gained - v.lost`,
    diffCost: may(ctx, 'product:cost') ? sql`v.diff_cost` : sql`null`,
    flags: sql`array_remove(array[
      case when v.started_at - v.pack_at > interval '24 hours' then 'OFFLINE_LONG' end,
      case when abs(v.clock_offset_ms) > ${clockLimitMs} then 'CLOCK_OFF' end,
      case when v.board_replaced then 'BOARD_REPLACED' end], null)`,
  })
/** A machine that went to another owner is not seen any more; its visits are. */
const visitRows = sql`replenishment_visits v
  left join lateral (select coalesce(max(d.rtu_number), '') as rtu_number,
    coalesce(max(d.nickname), '') as nickname from devices d where d.id = v.device_id) d on true
  left join users u on u.id = v.user_id`
export const visits = (ctx: Ctx, input: Input<Contract['visits']>) =>
  visited(ctx).page(ctx.db, {
    from: visitRows,
    countFrom: sql`replenishment_visits v`,
    wideSorts: [],
    where: [
      visible(ctx, 'v.org_id', 'v.device_id'),
      matches('devices', 'v.device_id', input.keyword),
      input.deviceId && sql`v.device_id = ${input.deviceId}`,
      input.userId && sql`v.user_id = ${input.userId}`,
      input.state && sql`v.state = ${input.state}`,
      input.differs && sql`v.gained + v.lost > 0`,
      input.from && sql`v.started_at >= ${startOfDay(input.from)}`,
      input.to && sql`v.started_at < ${startOfDay(addDays(input.to, 1))}`,
    ],
    sort: { startedAt: sql`v.started_at` },
    filled: ['startedAt'],
    grows: true,
    last: sql`v.id`,
    input,
  })

const seen = (ctx: Ctx) => visible(ctx, 'v.org_id', 'v.device_id')
export const visitRow = (ctx: Ctx, id: number) =>
  visited(ctx).one(ctx.db, sql`from ${visitRows} where v.id = ${id} and ${seen(ctx)}`)

export type Visit = {
  id: number
  clientId: string
  orgId: number
  deviceId: number
  userId: number
  rtuNumber: string
  source: VisitRow['source']
  state: VisitRow['state']
  startedAt: Date
  finishedAt: Date | null
  lastSeq: number
}
const visitColumns = sql`v.id, v.client_id as "clientId", v.org_id as "orgId",
  v.device_id as "deviceId", v.user_id as "userId", v.source, v.state, v.started_at as "startedAt",
  v.finished_at as "finishedAt", v.last_seq as "lastSeq", coalesce((select d.rtu_number from devices d where d.id = v.device_id),
    '') as "rtuNumber"`
/** Held until the end of the act: two who write the same visit take turns. */
export const lockVisit = (ctx: Ctx, which: { id: number } | { clientId: string }) =>
  rowOf<Visit>(ctx.db)`select ${visitColumns} from replenishment_visits v
    where ${'id' in which ? sql`v.id = ${which.id}` : sql`v.client_id = ${which.clientId}::uuid`}
      and ${seen(ctx)} for no key update of v`
/** Of an own visit, beside its row. */
export const visitMore = (ctx: Ctx, id: number) =>
  onlyRow<
    Pick<Visit, 'lastSeq' | 'finishedAt'> &
      Pick<Whole, 'checks' | 'photos' | 'openConflicts' | 'planned'>
  >(ctx.db)`select v.last_seq as "lastSeq", v.finished_at as "finishedAt", v.checks,
      (select coalesce(jsonb_agg(jsonb_build_object('url', h.img, 'laneId', h.lane_id)
        order by h.created_at, h.id), '[]') from visit_photos h where h.visit_id = v.id) as photos,
      (select count(*) from visit_conflicts c where c.visit_id = v.id and c.state = 'OPEN')
        as "openConflicts",
      (select coalesce(jsonb_agg(jsonb_build_object('laneId', i.lane_id, 'planned', i.planned)
        order by i.lane_id), '[]') from pick_list_items i where i.pick_list_id = v.pick_list_id
        and i.device_id = v.device_id) as planned
    from replenishment_visits v where v.id = ${id}`
export const openConflicts = (ctx: Ctx, visitId: number) =>
  exists(ctx.db)`select 1 from visit_conflicts c where c.visit_id = ${visitId}
    and c.state = 'OPEN' limit 1`
export const draftOf = (ctx: Ctx, deviceId: number) =>
  rowOf<{ id: number }>(ctx.db)`select v.id from replenishment_visits v
    where v.device_id = ${deviceId} and v.user_id = ${ctx.actor.userId} and v.state = 'DRAFT'
      and ${seen(ctx)}`

const item = shape(ItemRow, ['replenishment_items', 'i'], {
  productName: sql`coalesce(p.name, '')`,
  batchNo: sql`coalesce((select b.batch_no from batches b where b.id = i.batch_id), '')`,
})
export const items = (ctx: Ctx, visitId: number) =>
  item.all(
    ctx.db,
    sql`from replenishment_items i left join products p on p.id = i.product_id
      where i.visit_id = ${visitId} and ${visible(ctx, 'i.org_id', 'i.device_id')}
      order by i.road_index, i.id`,
  )
export const itemsToPost = (ctx: Ctx, visitId: number) =>
  rowsOf<Item>(ctx.db)`select i.id, i.lane_id as "laneId", i.product_id as "productId",
      i.counted_qty as "countedQty", i.counted_at as "countedAt", i.done_at as "doneAt",
      i.added_qty as "addedQty", i.withdrawn_qty as "withdrawnQty",
      i.withdraw_reason as "withdrawReason", i.batch_id as "batchId", i.codes
    from replenishment_items i where i.visit_id = ${visitId} and i.state <> 'POSTED'
    order by i.lane_id`

export type VisitLane = { id: number; roadIndex: number; productId: number }
/** Lanes of the machine that can be filled. */
export const lanesOfDevice = (ctx: Ctx, deviceId: number, ids: readonly number[]) =>
  rowsOf<VisitLane>(ctx.db)`select l.id, l.road_index as "roadIndex",
      l.product_id as "productId" from lanes l
    where l.device_id = ${deviceId} and l.id = any(${[...ids]}::bigint[]) and ${filled(ctx)}`
export const deviceOfLane = (ctx: Ctx, laneId: number) =>
  rowOf<VisitLane & { deviceId: number; orgId: number; rtuNumber: string }>(ctx.db)`
    select l.id, l.road_index as "roadIndex", l.product_id as "productId",
      l.device_id as "deviceId", l.org_id as "orgId", d.rtu_number as "rtuNumber"
    from lanes l join devices d on d.id = l.device_id where l.id = ${laneId} and ${filled(ctx)}`
export const deviceRow = (ctx: Ctx, id: number) =>
  rowOf<{ id: number; orgId: number; rtuNumber: string }>(ctx.db)`select d.id,
      d.org_id as "orgId", d.rtu_number as "rtuNumber" from devices d
    where d.id = ${id} and d.lifecycle in ('OPERATING','PAUSED') and ${visible(ctx, 'd.org_id', 'd.id')}`
export const pickListSeen = (ctx: Ctx, id: number) =>
  onlyRow<{ n: number }>(ctx.db)`select count(*) as n from pick_lists k
    where k.id = ${id} and ${visible(ctx, 'k.org_id')}`

const batch = shape(Batch, ['batches', 'b'], {
  room: sql`b.received_qty - b.loaded_qty + b.returned_qty`,
})
/** An organisation and those above it: batches of no other lie in its machines. */
export const orgsAbove = (orgId: RawBuilder<unknown>) =>
  sql`(select a::bigint as id from organisations o
    cross join lateral unnest(string_to_array(o.path::text, '.')) a where o.id = ${orgId})`

/** Of the goods of its lanes; those that nothing is left of, or that must not be loaded, are not. */
export const batches = (ctx: Ctx, deviceId: number) =>
  batch.all(
    ctx.db,
    sql`from batches b where b.product_id in (select l.product_id from lanes l
        where l.device_id = ${deviceId} and ${filled(ctx)})
      and b.org_id in ${orgsAbove(sql`(select d.org_id from devices d where d.id = ${deviceId})`)}
      and b.status = 'NORMAL' and b.expires_on > ${shanghaiDay(ctx.now)}::date
      and (b.received_qty is null or b.received_qty - b.loaded_qty + b.returned_qty > 0)
      and ${inheritable(ctx, 'b.org_id')}
      order by b.expires_on, b.id limit 500`,
  )

type Unsent = { userId: number; userName: string; visits: number; since: string }
/** Begun with a phone that has been silent since. */
export const unsent = async (ctx: Ctx): Promise<Unsent[]> => {
  const silent = new Date(ctx.now.getTime() - silentHours * 3_600_000)
  const rows = await rowsOf<Omit<Unsent, 'since'> & { since: Date }>(ctx.db)`
    select v.user_id as "userId", coalesce(u.real_name, '') as "userName", count(*) as visits,
      min(o.at) as since
    from replenishment_visits v left join users u on u.id = v.user_id
    cross join lateral (select greatest(coalesce(v.opened_at, v.started_at), max(o.received_at))
      as at from visit_ops o where o.visit_id = v.id) o
    where v.state = 'DRAFT' and v.source = 'PHONE' and v.started_at <= ${silent}
      and o.at <= ${silent} and ${seen(ctx)}
    group by v.user_id, u.real_name order by since limit 50`
  return rows.map((row) => ({ ...row, since: row.since.toISOString() }))
}

/** The newest list of these hours that says what this machine wants. */
export const pickListFor = (ctx: Ctx, deviceId: number, since: Date) =>
  rowOf<{ id: number }>(ctx.db)`select k.id from pick_lists k
    where ${visible(ctx, 'k.org_id')} and k.created_at > ${since}
      and exists (select from pick_list_items i where i.pick_list_id = k.id
        and i.device_id = ${deviceId})
      and not exists (select from replenishment_visits v where v.device_id = ${deviceId}
        and v.pick_list_id = k.id and v.state in ('POSTED','PARTIAL'))
    order by k.created_at desc, k.id desc limit 1`
