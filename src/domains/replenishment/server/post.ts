import { type RawBuilder, sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { bi } from '../../../shared/text.ts'
import {
  canPlace,
  type Goods,
  isGuardKey,
  type Place,
  type Verdict,
  verdictOf,
} from '../../drug-guard/rules.ts'
import { drugOf, type RawSite, siteOf, withSite } from '../../drug-guard/server/facts.ts'
import { noteRefusals } from '../../drug-guard/server/refusals.ts'
import { refreshDeviceCounters } from '../../machines/server/counters.ts'
import { notify } from '../../notices/server/notify.ts'
import { parkedIn, settleParked } from '../../orders/server/parked.ts'
import { lockOrders } from '../../orders/server/rows.ts'
import { settingOf, settingsOf } from '../../settings/server/values.ts'
import { isPast, stopDays } from '../../stock/expiry.ts'
import { unlockLanes } from '../../stock/server/goods.ts'
import { type Move, moveStock } from '../../stock/server/move.ts'
import type { LaneError } from '../errors.ts'
import { type BatchNow, isAlarming, judge, type Now, type Posting, type Said } from '../rules.ts'
import { countedConflicts, lockLanes, type Raised } from './conflicts.ts'
import { type Open, referenceOf } from './doors.ts'
import { forecast } from './forecasts.ts'
import { orgsAbove } from './queries.ts'

/** What a visit says of one lane. */
export type Item = Said & {
  id: number
  laneId: number
  countedAt: Date | null
  doneAt: Date
  withdrawReason: string | null
}
export type Posted = Item & {
  error: LaneError | null
  posting: Posting | null
  cost: number
  /** What somebody must say of it. */
  conflicts: readonly Raised[]
  /** Pieces without a code that is theirs. */
  uncoded: number
  /** The moment a count is of. */
  referenceAt: Date | null
  /** What lies there now must not be sold. */
  bad: 'RECALL' | 'EXPIRED' | null
}
/** Told by a phone hours later: when the door stood open, if anybody knows. */
export type Phone = { doors: readonly Open[] }

type Lane = {
  id: number
  orgId: number
  deviceId: number
  productId: number | null
  capacity: number
  quantity: number
  reserved: number
  failedHold: number
  cost: number
  traceRequired: boolean
  roadIndex: number
  status: string
  lockReason: string | null
} & Goods &
  Place
type Held = {
  orgId: number
  at: Date
  id: number
  unitId: number
  /** Of an attempt before the last one of the piece, which holds its lane by itself. */
  cmdId: string | null
  laneId: number
  hold: string
  open: boolean
  sentAt: Date | null
  finishedAt: Date | null
}

/**
 * Makes flows of what was done at lanes, each for itself. `asCorrection`: differences are
 * corrections; `phone`: done away from the network, so that the goods lie in the lane. Locks: orders
 * of doubtful pieces, pieces, lanes ascending, batches (decision 27).
 */
export async function postItems(
  ctx: Ctx,
  given: readonly Item[],
  { asCorrection = false, phone }: { asCorrection?: boolean; phone?: Phone | undefined } = {},
): Promise<Posted[]> {
  const items = given.map((item) =>
    phone && item.countedAt
      ? { ...item, countedAt: referenceOf(item.countedAt, phone.doors) }
      : item,
  )
  const ids = items.map((item) => item.laneId)
  const counted = items.flatMap((item) => (item.countedAt ? item.laneId : []))
  const doubtful = await heldIn(ctx, counted, sql`u.hold = 'FAILED_HOLD'`)
  const waiting = await parkedIn(ctx, counted)
  const keys = [...doubtful, ...waiting]
  const { units } = keys.length ? await lockOrders(ctx, keys) : { units: [] }
  // of orders that are locked now; whether they still hold is read again below
  const settled = new Set(doubtful.map(keyOf))
  const rows = await rowsOf<Omit<Lane, 'site'> & { site: RawSite }>(ctx.db)`
    select l.id, l.org_id as "orgId", l.device_id as "deviceId", l.product_id as "productId",
      l.capacity, l.quantity, l.reserved, l.failed_hold as "failedHold",
      coalesce(p.cost_price, 0) as cost, coalesce(p.drug_class, 'NONE') as "drugClass",
      ${drugOf} as drug, d.kind, d.dispensing_mode as "dispensingMode",
      case when p.drug_class <> 'NONE' then ${siteOf(ctx)} end as site,
      l.road_index as "roadIndex", l.status, l.lock_reason as "lockReason",
      coalesce(p.trace_required, p.drug_class <> 'NONE', false) as "traceRequired"
    from lanes l join devices d on d.id = l.device_id left join products p on p.id = l.product_id
    where l.id = any(${ids}::bigint[]) and l.archived_at is null and l.status <> 'MERGED'
      and ${visible(ctx, 'l.org_id', 'l.device_id')} order by l.id for no key update of l`
  const lanes = rows.map(withSite)
  // from here on nothing moves in these lanes
  const held = await heldIn(ctx, counted, sql`u.hold in ('HELD','FAILED_HOLD')`)
  const since = await flowsSince(ctx, items)
  const later = await countsSince(ctx, items)
  const goods = await incoming(ctx, items, lanes)
  const near = phone ? await nearSales(ctx, items, held) : new Map<number, Near>()
  const laneOf = new Map(lanes.map((lane) => [lane.id, lane]))
  const done = items.map((item): Posted => {
    const lane = laneOf.get(item.laneId)
    const sold = item.countedAt ? near.get(item.laneId) : undefined
    // which of both the count saw is said later; what was put in is there
    const said = sold ? { ...item, countedQty: null, countedAt: null } : item
    const now = lane && nowOf(lane, said)
    const found = judge(said, now)
    const good = typeof found === 'object'
    // what this lane takes is not there for the next one
    if (good && now?.batch && now.batch.room !== null) now.batch.room -= item.addedQty
    const codes = phone ? (goods.codes.get(item.laneId) ?? []).slice(0, item.addedQty) : item.codes
    const uncoded =
      good && phone && (lane?.traceRequired || item.codes.length) ? item.addedQty - codes.length : 0
    const conflicts: Raised[] = []
    if (phone && lane && sold && good) conflicts.push(vendNear(item, lane, sold))
    if (phone && !good) conflicts.push(...unfit(found, lane?.quantity ?? null))
    const strange = item.codes.filter((code) => !codes.includes(code))
    if (good && phone && (uncoded || strange.length))
      conflicts.push({ kind: 'TRACE_CODE', codes: strange, systemQty: codes.length })
    return {
      ...said,
      codes,
      uncoded,
      conflicts,
      referenceAt: item.countedAt,
      bad: !good || !item.addedQty ? null : badOf(now?.batch),
      error: good ? null : found,
      posting: good ? found : null,
      cost: lane?.cost ?? 0,
    }
  })
  // what waited for this count, as it is behind the locks
  const parked = (waiting.length ? await parkedIn(ctx, counted) : []).filter(({ caseId }) =>
    waiting.some((one) => one.caseId === caseId),
  )
  const left = await settleParked(ctx, parked, done.flatMap(missingOf), units)
  for (const { laneId, posting } of done)
    if (posting) {
      posting.before -= left.get(laneId) ?? 0
      posting.difference += left.get(laneId) ?? 0
    }
  const forbidden = done.flatMap((item) => guardOf(ctx, item, laneOf.get(item.laneId)))
  await write(ctx, done, [...settledBy(done)], laneOf, asCorrection, forbidden)
  noteRefusals(ctx, forbidden)
  return done

  /** What the books say before all of these sales, and what the count says against it. */
  function vendNear(item: Item, lane: Lane, { pieces, sold }: Near): Raised {
    const flows = since.filter((flow) => flow.laneId === lane.id)
    const then = lane.quantity - flows.reduce((sum, flow) => sum + flow.change, 0) + sold
    const off = (item.countedQty ?? 0) - then
    return {
      kind: 'VEND_NEAR',
      error: 'vendNear',
      systemQty: then,
      diffAfter: off,
      diffBefore: off + pieces,
    }
  }
  function nowOf(lane: Lane, item: Item): Now {
    const own = held.filter((unit) => unit.laneId === lane.id)
    const flows = since.filter((flow) => flow.laneId === lane.id)
    const { countedAt } = item
    const during = (sentAt: Date | null, finishedAt: Date | null) =>
      countedAt !== null && sentAt !== null && sentAt <= countedAt && !before(finishedAt, countedAt)
    // of a count that is hours old, what leaves now says nothing
    const leaves = (sentAt: Date | null) =>
      !phone || countedAt === null || sentAt === null || sentAt.getTime() < after(countedAt)
    return {
      ...lane,
      since: flows.reduce((sum, flow) => sum + flow.change, 0),
      settled: own.filter((unit) => settles(unit, item)).length,
      vending:
        own.some(
          (u) =>
            (u.open && leaves(u.sentAt)) ||
            (u.hold === 'FAILED_HOLD' && !settles(u, item) && during(u.sentAt, u.finishedAt)),
        ) || flows.some((flow) => during(flow.sentAt, null)),
      countedSince: later.has(lane.id),
      ...{ goods: lane, place: lane, excursion: isExcursion(lane) },
      batch: goods.batches.get(item.batchId ?? 0),
      usableCodes: goods.codes.get(item.laneId)?.length ?? 0,
      inside: phone !== undefined,
    }
  }
  function settles(unit: Held, { countedAt }: Item): boolean {
    return (
      unit.hold === 'FAILED_HOLD' &&
      settled.has(keyOf(unit)) &&
      countedAt !== null &&
      (unit.finishedAt === null || before(unit.finishedAt, countedAt))
    )
  }
  function settledBy(all: readonly Posted[]): Held[] {
    return all.flatMap((item) =>
      item.posting && item.countedAt
        ? held.filter((unit) => unit.laneId === item.laneId && settles(unit, item))
        : [],
    )
  }
}

const isExcursion = ({ status, lockReason }: Lane): boolean =>
  status === 'LOCKED' && lockReason === 'TEMPERATURE'

/**
 * What the drug guard refused of a lane. What is inside already is booked, and the lane stops,
 * unless it stands for another reason.
 */
function guardOf(ctx: Ctx, item: Posted, lane: Lane | undefined) {
  if (!lane || lane.drugClass === 'NONE' || item.addedQty === 0) return []
  const verdict: Verdict = item.posting
    ? canPlace(lane, lane, { excursion: isExcursion(lane) })
    : item.error && isGuardKey(item.error)
      ? verdictOf(item.error)
      : { ok: true }
  if (verdict.ok || !lane.productId) return []
  const { orgId, deviceId, productId, roadIndex: road } = lane
  const { userId, username: who } = ctx.actor
  return [
    {
      laneId: lane.id,
      stops: item.posting !== null && lane.status !== 'LOCKED',
      ...{ orgId, deviceId, productId, road, verdict, act: 'RESTOCK' as const, userId, who },
    },
  ]
}

const missingOf = ({ laneId, countedAt, posting }: Posted) =>
  posting && countedAt ? [{ laneId, countedAt, missing: Math.max(0, -posting.difference) }] : []
const badOf = (batch: BatchNow | undefined) =>
  batch?.recalled ? 'RECALL' : batch?.past ? 'EXPIRED' : null

/** What of a phone does not fit to the lane; somebody counts it, or says what became of the goods. */
function unfit(error: LaneError, systemQty: number | null): Raised[] {
  if (error === 'laneGone') return [{ kind: 'LANE_REBUILT', error, systemQty }]
  if (error === 'productChanged' || error === 'emptyLane')
    return [{ kind: 'PRODUCT_CHANGED', error, systemQty }]
  // he who counted later has counted what was put in before
  return error === 'countedSince' ? [] : [{ kind: 'TO_COUNT', error, systemQty }]
}

/** A result so near to a count may have come before it or after it. */
const nearMs = 90_000
const after = (countedAt: Date): number => countedAt.getTime() + nearMs
/** `sold`: those of them that the quantity at the count does not hold any more. */
type Near = { pieces: number; sold: number }

/**
 * Pieces that were sold about when a lane was counted: results within a minute and a half, those
 * whose command left before it, and those that are on their way since.
 */
async function nearSales(
  ctx: Ctx,
  items: readonly Item[],
  held: readonly Held[],
): Promise<Map<number, Near>> {
  const near = new Map<number, Near>()
  const { counts, first } = countsOf(items)
  if (!counts.length) return near
  const rows = await rowsOf<Near & { laneId: number }>(ctx.db)`
    select f.lane_id as "laneId", sum(-f.change_total)::int as pieces,
      coalesce(sum(-f.change_total) filter (where f.occurred_at <= c.at), 0)::int as sold
    from jsonb_to_recordset(${JSON.stringify(counts)}::jsonb) as c("laneId" bigint, at timestamptz)
    join stock_flows f on f.lane_id = c."laneId" and f.type = 'CUSTOMER_TAKE'
      and f.created_at > ${first} and f.occurred_at >= c.at - ${nearMs} * interval '1 ms'
    left join order_keys k on k.order_num = f.order_num
    left join order_units u on u.org_id = k.org_id and u.created_at = k.created_at
      and u.id = f.unit_id
    where f.occurred_at <= c.at + ${nearMs} * interval '1 ms' or u.sent_at <= c.at
    group by 1`
  for (const { laneId, ...found } of rows) near.set(laneId, found)
  for (const { laneId, at } of counts) {
    const open = held.filter(
      (unit) =>
        unit.laneId === laneId && unit.open && unit.sentAt && unit.sentAt.getTime() < after(at),
    ).length
    const { pieces, sold } = near.get(laneId) ?? { pieces: 0, sold: 0 }
    if (open) near.set(laneId, { pieces: pieces + open, sold })
  }
  return near
}

const before = (at: Date | null, moment: Date): boolean => at !== null && at <= moment

const keyOf = ({ unitId, cmdId }: Held) => cmdId ?? unitId
/**
 * Pieces that these lanes hold for orders, the doubtful ones and those on their way; what an attempt
 * before may have taken is doubtful, too.
 */
const heldIn = async (ctx: Ctx, laneIds: readonly number[], which: RawBuilder<unknown>) =>
  laneIds.length
    ? rowsOf<Held>(ctx.db)`
      select * from (
        select u.org_id as "orgId", u.created_at as at, u.order_id as id, u.id as "unitId",
          null::uuid as "cmdId", u.lane_id as "laneId", u.hold,
          u.vend_state in ('SENT','ACKED','UNKNOWN') as open, u.sent_at as "sentAt",
          u.finished_at as "finishedAt"
        from order_units u where u.lane_id = any(${[...laneIds]}::bigint[]) and ${which}
          and u.hold in ('HELD','FAILED_HOLD')
        union all select c.org_id, c.order_at, c.order_id, c.unit_id, c.cmd_id, c.lane_id, c.hold,
          false, c.issued_at, c.finished_at
        from vend_commands c where c.lane_id = any(${[...laneIds]}::bigint[])
          and c.hold = 'FAILED_HOLD') h
      order by id, "unitId", "cmdId" nulls first`
    : []

/** What was counted when, and since when flows are looked at; a clock may be off by minutes. */
function countsOf(items: readonly Item[]) {
  const counts = items.flatMap(({ laneId, countedAt }) =>
    countedAt ? [{ laneId, at: countedAt }] : [],
  )
  return { counts, first: new Date(Math.min(...counts.map(({ at }) => at.getTime())) - 600_000) }
}

/** What moved in counted lanes after the moment of their count. */
const flowsSince = async (ctx: Ctx, items: readonly Item[]) => {
  const { counts, first } = countsOf(items)
  if (!counts.length) return []
  return rowsOf<{ laneId: number; change: number; sentAt: Date | null }>(ctx.db)`
    select f.lane_id as "laneId", f.change_total as change, u.sent_at as "sentAt"
    from jsonb_to_recordset(${JSON.stringify(counts)}::jsonb) as c("laneId" bigint, at timestamptz)
    join stock_flows f on f.lane_id = c."laneId" and f.occurred_at > c.at
      and f.created_at > ${first}
    left join order_keys k on k.order_num = f.order_num
    left join order_units u on u.org_id = k.org_id and u.created_at = k.created_at
      and u.id = f.unit_id`
}

/** Lanes that somebody counted after this was done, whoever posted first. */
async function countsSince(ctx: Ctx, items: readonly Item[]): Promise<Set<number>> {
  const asked = items.map(({ laneId, countedAt, doneAt }) => ({ laneId, at: countedAt ?? doneAt }))
  const rows = await rowsOf<{ laneId: number }>(ctx.db)`
    select c."laneId" from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb)
      as c("laneId" bigint, at timestamptz)
    where exists (select from replenishment_items i where i.lane_id = c."laneId"
      and i.state = 'POSTED' and i.counted_at > c.at)`
  return new Set(rows.map((row) => row.laneId))
}

/**
 * Batches of what was put in, held, and which of its codes are of that batch and nowhere else.
 */
async function incoming(ctx: Ctx, items: readonly Item[], lanes: readonly Lane[]) {
  const put = items.filter((item) => item.addedQty > 0 && item.batchId !== null)
  const ids = [...new Set(put.map((item) => item.batchId as number))]
  const batches = new Map<number, BatchNow>()
  const codes = new Map<number, string[]>()
  if (!ids.length) return { batches, codes }
  await sql`select app_hold_batches(${ids}::bigint[])`.execute(ctx.db)
  type Row = Omit<BatchNow, 'past'> & { id: number; expiresOn: string }
  const rows = await rowsOf<Row>(ctx.db)`
    select id, product_id as "productId", expires_on as "expiresOn",
      status = 'RECALLED' as recalled, received_qty - loaded_qty + returned_qty as room
    from batches b where id = any(${ids}::bigint[])
      and b.org_id in ${orgsAbove(sql`${lanes[0]?.orgId ?? 0}`)}`
  const setting = await settingOf(ctx.db, lanes[0]?.orgId ?? 0, 'stock.stopSaleDaysBeforeExpiry')
  const today = shanghaiDay(ctx.now)
  for (const { id, expiresOn, ...row } of rows) {
    const drugClass = lanes.find((lane) => lane.productId === row.productId)?.drugClass ?? null
    batches.set(id, { ...row, past: isPast(expiresOn, today, stopDays(drugClass, setting)) })
  }
  const named = put.flatMap(({ laneId, batchId, codes }) =>
    codes.map((code) => ({ laneId, batchId, code })),
  )
  if (named.length) {
    const usable = await rowsOf<{ laneId: number; code: string }>(ctx.db)`
      with said as (select "laneId", "batchId", code, count(*) over (partition by code) as times
        from jsonb_to_recordset(${JSON.stringify(named)}::jsonb)
          as n("laneId" bigint, "batchId" bigint, code text))
      select s."laneId", s.code from said s join trace_codes t on t.code = s.code
        and t.batch_id = s."batchId" and t.state in ('IN_STOCK','WITHDRAWN')
      where s.times = 1`
    const own = Map.groupBy(usable, (row) => row.laneId)
    // in the order in which they were read
    for (const item of put) {
      const there = new Set(own.get(item.laneId)?.map(({ code }) => code))
      codes.set(
        item.laneId,
        item.codes.filter((code) => there.has(code)),
      )
    }
  }
  return { batches, codes }
}

/** What lies in these lanes that must not be sold: goods taken back for that reason are those. */
async function wrongGoods(ctx: Ctx, done: readonly Posted[]) {
  const lanes = done.flatMap((item) =>
    item.posting && ['RECALL', 'EXPIRED'].includes(item.withdrawReason ?? '') ? item.laneId : [],
  )
  return lanes.length
    ? rowsOf<{ laneId: number; batchId: number; qty: number; recalled: boolean }>(ctx.db)`
      select y.lane_id as "laneId", y.batch_id as "batchId", sum(y.qty) as qty,
        b.status = 'RECALLED' as recalled
      from lane_layers y join batches b on b.id = y.batch_id
      where y.lane_id = any(${lanes}::bigint[])
      group by y.lane_id, y.batch_id, b.status, b.expires_on order by b.expires_on, y.batch_id`
    : []
}

async function write(
  ctx: Ctx,
  done: readonly Posted[],
  settled: readonly Held[],
  lanes: ReadonlyMap<number, Lane>,
  asCorrection: boolean,
  forbidden: readonly { laneId: number; stops: boolean }[],
): Promise<void> {
  const wrong = await wrongGoods(ctx, done)
  const moves = done.flatMap((item) => movesOf(ctx, item, settled, wrong, asCorrection))
  const stop = { to: 'LOCKED', reason: 'COMPLIANCE' } as const
  for (const { laneId, stops } of forbidden) if (stops) moves.push({ laneId, stop })
  const { deviceIds } = await moveStock(ctx, moves)
  if (settled.length)
    await sql`with n as (select * from jsonb_to_recordset(${JSON.stringify(settled)}::jsonb)
        as n("orgId" bigint, at timestamptz, "unitId" bigint, "cmdId" uuid)
      ), attempts as (update vend_commands c set hold = 'COUNTED' from n
        where c.cmd_id = n."cmdId" and c.hold = 'FAILED_HOLD')
      update order_units u set hold = 'COUNTED' from n
      where n."cmdId" is null and u.org_id = n."orgId" and u.created_at = n.at
        and u.id = n."unitId" and u.hold = 'FAILED_HOLD'`.execute(ctx.db)
  const counted = done.flatMap((item) => (item.posting && item.countedAt ? item.laneId : []))
  if (counted.length) {
    await unlockLanes(ctx, counted, 'COUNT_NEEDED')
    countedConflicts(
      ctx,
      done.filter((item) => item.posting && item.countedAt),
    )
  }
  for (const [kind, reason] of [
    ['TO_COUNT', 'COUNT_NEEDED'],
    ['TRACE_CODE', 'TRACE_CODE'],
  ] as const)
    lockLanes(
      ctx,
      done.flatMap((item) =>
        item.conflicts.some((one) => one.kind === kind) && (kind === 'TO_COUNT' || item.uncoded)
          ? item.laneId
          : [],
      ),
      reason,
    )
  await sql`update replenishment_items i set state = n.state, error = n.error,
      before_qty = n.before, difference = n.difference, after_qty = n.after
    from jsonb_to_recordset(${JSON.stringify(done.map(resultOf))}::jsonb) as n(id bigint,
      state text, error text, before int, difference int, after int)
    where i.id = n.id`.execute(ctx.db)
  const touched = new Set([
    ...deviceIds,
    ...done.flatMap(({ laneId }) => lanes.get(laneId)?.deviceId ?? []),
  ])
  refreshDeviceCounters(ctx, [...touched])
  forecast(ctx, [...touched])
  const orgs = [...lanes.values()]
  for (const topic of ['lanes', 'replenishment']) ctx.touch(topic, orgs)
}

const resultOf = ({ id, error, posting }: Posted) => ({
  id,
  error,
  state: error ? 'REJECTED' : 'POSTED',
  before: posting?.before ?? null,
  difference: posting?.difference ?? 0,
  after: posting?.after ?? null,
})

/** In the order in which it happened: what was there, what was taken out, what was put in. */
function movesOf(
  ctx: Ctx,
  item: Posted,
  settled: readonly Held[],
  wrong: Awaited<ReturnType<typeof wrongGoods>>,
  asCorrection: boolean,
): Move[] {
  const { laneId, posting } = item
  if (!posting) return []
  const by = { actorKind: 'USER', actorId: ctx.actor.userId, visitItemId: item.id } as const
  const doubts = settled.filter((unit) => unit.laneId === laneId).length
  const moves: Move[] = doubts ? [{ laneId, failedHold: -doubts }] : []
  const flow = (
    change: number,
    type: 'MERCHANT_REPLENISH' | 'MERCHANT_WITHDRAW',
    reason: string,
    occurredAt: Date,
    of: { batchId?: number; codes?: readonly string[] } = {},
  ) => moves.push({ laneId, flow: { ...by, ...of, change, type, reason, occurredAt } })
  const { difference } = posting
  const counted = item.countedAt ?? item.doneAt
  if (difference > 0)
    flow(difference, 'MERCHANT_REPLENISH', asCorrection ? 'CORRECTION' : 'COUNT_GAIN', counted)
  if (difference < 0)
    flow(difference, 'MERCHANT_WITHDRAW', asCorrection ? 'CORRECTION' : 'COUNT_LOSS', counted)
  const reason = item.withdrawReason ?? 'TAKE_BACK'
  let left = item.withdrawnQty
  // a count that found fewer took from the front already, so that a layer may hold less than it did
  if (difference >= 0)
    for (const { batchId, qty } of wrong.filter(
      (layer) => layer.laneId === laneId && (layer.recalled || reason === 'EXPIRED'),
    )) {
      const some = Math.min(left, qty)
      if (some) flow(-some, 'MERCHANT_WITHDRAW', reason, item.doneAt, { batchId })
      left -= some
    }
  if (left) flow(-left, 'MERCHANT_WITHDRAW', reason, item.doneAt)
  const batch = item.batchId === null ? {} : { batchId: item.batchId }
  const coded = item.addedQty - item.uncoded
  if (coded)
    flow(coded, 'MERCHANT_REPLENISH', 'REFILL', item.doneAt, {
      ...batch,
      ...(item.codes.length ? { codes: item.codes } : {}),
    })
  if (item.uncoded) flow(item.uncoded, 'MERCHANT_REPLENISH', 'REFILL', item.doneAt, batch)
  return moves
}

/** What a visit came to, of the lanes that were posted. */
export function totalsOf(done: readonly Posted[]) {
  const posted = done.filter((item) => item.posting)
  const sum = (of: (item: Posted) => number) => posted.reduce((all, item) => all + of(item), 0)
  const difference = (item: Posted) => item.posting?.difference ?? 0
  return {
    added: sum((item) => item.addedQty),
    withdrawn: sum((item) => item.withdrawnQty),
    counted: sum((item) => item.countedQty ?? 0),
    gained: sum((item) => Math.max(0, difference(item))),
    lost: sum((item) => Math.max(0, -difference(item))),
    diffCost: sum((item) => difference(item) * item.cost),
    partly: posted.length < done.length,
    none: posted.length === 0,
  }
}

/** A count that differs much is told to who may decide about visits. */
export async function tellDifference(
  ctx: Ctx,
  visit: { id: number; orgId: number; rtuNumber: string },
  { counted, gained, lost }: ReturnType<typeof totalsOf>,
): Promise<void> {
  const set = await settingsOf(ctx.db, visit.orgId, [
    'stock.diffAlertPieces',
    'stock.diffAlertPercent',
  ])
  const most = { pieces: set['stock.diffAlertPieces'], percent: set['stock.diffAlertPercent'] }
  if (!isAlarming({ counted: counted + lost, off: gained + lost }, most)) return
  await notify(ctx, {
    permission: 'stock-flow:correct',
    orgId: visit.orgId,
    orAbove: true,
    kind: 'STOCK',
    title: bi(
      `${visit.rtuNumber} 盘点差异 ${gained + lost} 件`,
      `${visit.rtuNumber}: the count differs by ${gained + lost}`,
    ),
    body: bi(`盘盈 ${gained} 件，盘亏 ${lost} 件`, `${gained} more, ${lost} fewer than expected`),
    link: `/stock/replenish/visits?detail=${visit.id}`,
  })
}

/** Goods that must not be sold were put in before anybody there could know: they are fetched. */
export async function tellBadGoods(
  ctx: Ctx,
  visit: { orgId: number; deviceId: number; rtuNumber: string },
  done: readonly Posted[],
): Promise<void> {
  const bad = done.filter((item) => item.bad)
  if (!bad.length) return
  const recalled = bad.some((item) => item.bad === 'RECALL')
  await notify(ctx, {
    permission: 'stock-flow:correct',
    orgId: visit.orgId,
    orAbove: true,
    kind: 'STOCK',
    title: recalled
      ? bi(`${visit.rtuNumber} 补入了召回批次`, `${visit.rtuNumber}: recalled goods were put in`)
      : bi(`${visit.rtuNumber} 补入了过期批次`, `${visit.rtuNumber}: expired goods were put in`),
    body: bi(
      `${bad.length} 个货道已锁定，请取回`,
      `${bad.length} lanes are locked: fetch what lies there`,
    ),
    link: `/stock/replenish?deviceId=${visit.deviceId}`,
  })
}
