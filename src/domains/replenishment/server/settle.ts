import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type App, type Ctx, found, visible } from '../../../server/context.ts'
import { matches } from '../../../server/lists.ts'
import { exists, rowOf, rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { shape } from '../../../server/shapes.ts'
import { Refusal } from '../../../shared/errors.ts'
import { codesAgree } from '../../drug-guard/rules.ts'
import { queuesOf } from '../../drug-guard/server/facts.ts'
import { refreshDeviceCounters } from '../../machines/server/counters.ts'
import { unlockLanes } from '../../stock/server/goods.ts'
import { moveStock } from '../../stock/server/move.ts'
import { Conflict, type conflictEndpoints } from '../conflictContract.ts'
import { laneError, replenishmentErrors } from '../errors.ts'
import { choicesOf, smallerOf } from '../rules.ts'
import { lockLanes } from './conflicts.ts'
import { writeDrafts } from './items.ts'
import { postItems, totalsOf } from './post.ts'
import * as q from './queries.ts'

type Contract = Pick<typeof conflictEndpoints, 'conflicts' | 'resolveConflict'>

const conflict = shape(Conflict, ['visit_conflicts', 'c'], {
  clientId: sql`v.client_id`,
  rtuNumber: sql`coalesce(d.rtu_number, '')`,
  nickname: sql`coalesce(d.nickname, '')`,
  userId: sql`v.user_id`,
  userName: sql`coalesce(u.real_name, '')`,
  productName: sql`coalesce(p.name, '')`,
  choices: sql`'{}'::text[]`,
  settledBy: sql`coalesce(b.real_name, '')`,
  createTime: sql`c.created_at`,
})
const rows = sql`visit_conflicts c join replenishment_visits v on v.id = c.visit_id
  left join devices d on d.id = c.device_id left join users u on u.id = v.user_id
  left join products p on p.id = c.product_id left join users b on b.id = c.settled_by`
const seen = (ctx: Ctx) => visible(ctx, 'c.org_id', 'c.device_id')
const withChoices = (row: Conflict): Conflict => ({
  ...row,
  choices: row.state === 'OPEN' ? choicesOf(row.kind) : [],
})

/** Of one visit. */
export const conflictsOf = async (ctx: Ctx, visitId: number): Promise<Conflict[]> =>
  (
    await conflict.all(
      ctx.db,
      sql`from ${rows} where c.visit_id = ${visitId} and ${seen(ctx)} order by c.road_index, c.id`,
    )
  ).map(withChoices)

type Open = {
  id: number
  orgId: number
  deviceId: number
  visitId: number
  laneId: number
  roadIndex: number
  productId: number | null
  kind: Conflict['kind']
  countedAt: Date | null
  addedQty: number
  withdrawnQty: number
  withdrawReason: string | null
  batchId: number | null
  codes: string[]
  diffBefore: number
  diffAfter: number
  state: Conflict['state']
}
const openColumns = sql`c.id, c.org_id as "orgId", c.device_id as "deviceId",
  c.visit_id as "visitId", c.lane_id as "laneId", c.road_index as "roadIndex",
  c.product_id as "productId", c.kind, c.counted_at as "countedAt", c.added_qty as "addedQty",
  c.withdrawn_qty as "withdrawnQty", c.withdraw_reason as "withdrawReason",
  c.batch_id as "batchId", c.codes, c.diff_before as "diffBefore", c.diff_after as "diffAfter",
  c.state`

/** The reading that holds becomes a flow, if the lane can still be what was counted. */
async function book(ctx: Ctx, one: Open, change: number): Promise<boolean> {
  if (change === 0) return true
  const lane = await rowOf<{ free: number; room: number; cost: number }>(ctx.db)`
    select l.quantity - l.reserved - l.failed_hold as free, l.capacity - l.quantity as room,
      coalesce(p.cost_price, 0) as cost
    from lanes l left join products p on p.id = l.product_id
    where l.id = ${one.laneId} and l.archived_at is null and l.status <> 'MERGED'
      and l.product_id = ${one.productId} and l.org_id = ${one.orgId} for no key update of l`
  if (!lane || lane.free + change < 0 || lane.room < change) return false
  const item = await rowOf<{ id: number }>(ctx.db)`select id from replenishment_items
    where visit_id = ${one.visitId} and lane_id = ${one.laneId}`
  await moveStock(ctx, [
    {
      laneId: one.laneId,
      flow: {
        change,
        type: change > 0 ? 'MERCHANT_REPLENISH' : 'MERCHANT_WITHDRAW',
        reason: change > 0 ? 'COUNT_GAIN' : 'COUNT_LOSS',
        occurredAt: one.countedAt ?? ctx.now,
        actorKind: ctx.actor.userId === null ? 'SYSTEM' : 'USER',
        actorId: ctx.actor.userId,
        ...(item ? { visitItemId: item.id } : {}),
      },
    },
  ])
  await sql`update replenishment_items set difference = difference + ${change},
      after_qty = after_qty + ${change} where id = ${item?.id ?? 0}`.execute(ctx.db)
  await addTotals(ctx, one.visitId, {
    added: 0,
    withdrawn: 0,
    gained: Math.max(0, change),
    lost: Math.max(0, -change),
    diffCost: change * lane.cost,
  })
  return true
}

type Totals = { added: number; withdrawn: number; gained: number; lost: number; diffCost: number }
const addTotals = (ctx: Ctx, visitId: number, more: Totals) =>
  sql`update replenishment_visits set added = added + ${more.added},
    withdrawn = withdrawn + ${more.withdrawn}, gained = gained + ${more.gained},
    lost = lost + ${more.lost}, diff_cost = diff_cost + ${more.diffCost}
    where id = ${visitId}`.execute(ctx.db)

/** The lane that has the number of the old one now. */
const laneNow = (ctx: Ctx, { deviceId, orgId, roadIndex }: Open) =>
  rowOf<{ id: number; productId: number | null }>(ctx.db)`select l.id,
      l.product_id as "productId" from lanes l
    where l.device_id = ${deviceId} and l.org_id = ${orgId} and l.road_index = ${roadIndex}
      and l.archived_at is null and l.status <> 'MERGED'`

/** What was put into a lane that is gone is put into the one that stands in its place. */
async function putInNew(ctx: Ctx, one: Open): Promise<void> {
  const lane = await laneNow(ctx, one)
  const visit = found(await q.lockVisit(ctx, { id: one.visitId }))
  const { productId } = one
  if (productId === null || lane?.productId !== productId)
    throw new Refusal(replenishmentErrors.laneGone)
  const taken = await exists(ctx.db)`select 1 from replenishment_items
    where visit_id = ${visit.id} and lane_id = ${lane.id}`
  if (taken) throw new Refusal(replenishmentErrors.cannotBook)
  await writeDrafts(ctx, visit, [
    {
      ...one,
      productId,
      laneId: lane.id,
      countedQty: null,
      countedAt: null,
      doneAt: one.countedAt ?? visit.startedAt,
    },
  ])
  const items = (await q.itemsToPost(ctx, visit.id)).filter((item) => item.laneId === lane.id)
  const done = await postItems(ctx, items, { phone: { doors: [] } })
  const wrong = done.find((item) => item.error)?.error
  if (wrong) throw new Refusal(laneError(wrong))
  await addTotals(ctx, visit.id, totalsOf(done))
}

/**
 * Codes were looked at; another visit may still doubt some of this lane, or pieces lie in it
 * without one: then it stays locked, for those who take them out.
 */
async function freeOfCodes(ctx: Ctx, { id, laneId }: Open): Promise<void> {
  const others = await exists(ctx.db)`select 1 from visit_conflicts c
    where c.lane_id = ${laneId} and c.state = 'OPEN' and c.kind = 'TRACE_CODE' and c.id <> ${id}`
  if (others) return
  await sql`select 1 from lanes where id = ${laneId} for no key update`.execute(ctx.db)
  const queue = (await queuesOf(ctx, [laneId])).get(laneId) ?? null
  if (codesAgree(queue)) await unlockLanes(ctx, [laneId], 'TRACE_CODE')
}

async function end(ctx: Ctx, one: Open, choice: string, reason: string): Promise<void> {
  await sql`update visit_conflicts set state = 'SETTLED', choice = ${choice}, reason = ${reason},
      settled_by = ${ctx.actor.userId}::bigint, settled_at = ${ctx.now}
    where id = ${one.id} and state = 'OPEN'`.execute(ctx.db)
  refreshDeviceCounters(ctx, [one.deviceId])
  ctx.touch('replenishment', one.orgId)
  ctx.touch('lanes', one.orgId)
}

export const settleHandlers: Handlers<Contract> = {
  async conflicts(ctx, input) {
    const { rows: list, total } = await conflict.page(ctx.db, {
      from: rows,
      countFrom: sql`visit_conflicts c join replenishment_visits v on v.id = c.visit_id`,
      where: [
        seen(ctx),
        sql`c.state = ${input.state}`,
        matches('devices', 'c.device_id', input.keyword),
        input.kind && sql`c.kind = ${input.kind}`,
        input.userId && sql`v.user_id = ${input.userId}`,
        input.deviceId && sql`c.device_id = ${input.deviceId}`,
      ],
      sort: { createTime: sql`c.created_at` },
      filled: ['createTime'],
      last: sql`c.id`,
      input,
    })
    return { list: list.map(withChoices), total }
  },
  async resolveConflict(ctx, { id, choice, reason }) {
    const one = found(
      await rowOf<Open>(ctx.db)`select ${openColumns} from visit_conflicts c
        where c.id = ${id} and ${seen(ctx)} for no key update of c`,
    )
    if (one.state !== 'OPEN') throw new Refusal(replenishmentErrors.settled)
    if (!choicesOf(one.kind).includes(choice)) throw new Refusal(replenishmentErrors.noChoice)
    if (choice === 'PUT_IN_NEW') await putInNew(ctx, one)
    if (choice === 'OLD_GOODS') lockLanes(ctx, [one.laneId], 'WRONG_PRODUCT')
    if (choice === 'CODES_CHECKED') await freeOfCodes(ctx, one)
    if (choice === 'TAKE_BACK' && one.kind === 'LANE_REBUILT') {
      const lane = await laneNow(ctx, one)
      if (lane) lockLanes(ctx, [lane.id], 'WRONG_PRODUCT')
    }
    if (choice === 'BEFORE' || choice === 'AFTER') {
      const booked = await book(ctx, one, choice === 'BEFORE' ? one.diffBefore : one.diffAfter)
      if (!booked) throw new Refusal(replenishmentErrors.cannotBook)
    }
    await end(ctx, one, choice, reason)
    const row = found(
      await conflict.one(ctx.db, sql`from ${rows} where c.id = ${id} and ${seen(ctx)}`),
    )
    ctx.audit({
      id,
      name: `${row.rtuNumber} ${row.roadIndex}`,
      after: { choice, reason },
      orgId: one.orgId,
    })
    return withChoices(row)
  },
}

/** Of a day ago, that nobody decided: the smaller difference holds, or somebody counts again. */
export const settleDue = (app: App): Promise<number> =>
  bySystem(app, async (ctx) => {
    const due = await rowsOf<Open>(ctx.db)`select ${openColumns} from visit_conflicts c
      where c.state = 'OPEN' and c.default_at <= ${ctx.now}
      order by c.default_at, c.id limit 200 for no key update of c skip locked`
    for (const one of due.sort((a, b) => a.laneId - b.laneId)) {
      const choice = smallerOf(one)
      const booked = await book(ctx, one, choice === 'BEFORE' ? one.diffBefore : one.diffAfter)
      if (!booked) lockLanes(ctx, [one.laneId], 'COUNT_NEEDED')
      await end(ctx, one, choice, '')
    }
    return due.length
  })
