import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { type Handlers, prepared } from '../../../server/bind.ts'
import { type Ctx, found, inheritable, isoOrNull, may } from '../../../server/context.ts'
import { onlyRow, rowOf } from '../../../server/rows.ts'
import type { Input } from '../../../shared/contract.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import type { replenishment, Visit } from '../contract.ts'
import { laneError, replenishmentErrors } from '../errors.ts'
import { beforeStart, longest, momentOf, pickedHours, visitFrom } from '../rules.ts'
import { dropConflicts, raise } from './conflicts.ts'
import { boardReplaced, doorSeconds, doorsOf } from './doors.ts'
import { writeDrafts } from './items.ts'
import { type Posted, postItems, tellBadGoods, tellDifference, totalsOf } from './post.ts'
import * as q from './queries.ts'
import { asServed } from './served.ts'

type Contract = typeof replenishment
type Verb<K extends keyof Contract> = Handlers<Contract>[K]

/** A visit with its lanes, and what the actor may still do with it. */
export async function whole(ctx: Ctx, id: number): Promise<Visit> {
  const row = found(await q.visitRow(ctx, id))
  const { finishedAt, ...more } = await q.visitMore(ctx, id)
  return {
    ...row,
    ...more,
    finishedAt: isoOrNull(finishedAt),
    items: await q.items(ctx, id),
    can: {
      edit: row.state === 'DRAFT' && row.userId === ctx.actor.userId,
      decide: row.state === 'SUBMITTED' && may(ctx, 'replenish:create'),
    },
  }
}

/** The own visit that is still open, locked; that of somebody else is only looked at. */
export async function ownDraft(
  ctx: Ctx,
  which: { id: number } | { clientId: string },
): Promise<q.Visit> {
  const visit = found(await q.lockVisit(ctx, which))
  if (visit.userId !== ctx.actor.userId) throw new Refusal(common.notFound)
  if (visit.state !== 'DRAFT') throw new Refusal(replenishmentErrors.closed)
  return visit
}

/** One row of a visit: `null` when somebody else took the client's number or the machine's draft. */
async function insertVisit(
  ctx: Ctx,
  device: { id: number; orgId: number },
  row: {
    clientId: string
    source: string
    state: 'DRAFT' | 'POSTED'
    pickListId?: number | undefined
    reason?: string
    startedAt?: Date
    packAt?: string | undefined
  },
): Promise<number | undefined> {
  const posted = row.state === 'POSTED' ? ctx.now : null
  const made = await rowOf<{ id: number }>(ctx.db)`
    insert into replenishment_visits (client_id, org_id, device_id, user_id, source, state,
      pick_list_id, started_at, opened_at, pack_at, submitted_at, posted_at, reason)
    values (${row.clientId}::uuid, ${device.orgId}, ${device.id}, ${ctx.actor.userId},
      ${row.source}, ${row.state}, ${row.pickListId ?? null}, ${row.startedAt ?? ctx.now},
      ${ctx.now}, ${row.packAt ?? null}, ${posted}, ${posted}, ${row.reason ?? ''})
    on conflict do nothing returning id`
  return made?.id
}

type Start = Input<Contract['start']>
async function begin(ctx: Ctx, { deviceId, clientId, pickListId, ...how }: Start, until?: Date) {
  const device = found(await q.deviceRow(ctx, deviceId))
  if (pickListId !== undefined && (await q.pickListSeen(ctx, pickListId)).n === 0)
    throw new Refusal(common.notFound)
  const { source, packAt, startedAt, sentAt } = how
  const begun =
    source === 'PHONE' && startedAt && sentAt
      ? momentOf(startedAt, sentAt, ctx.now, new Date(ctx.now.getTime() - longest))
      : ctx.now
  if (until && begun > until) throw new Refusal(replenishmentErrors.noLonger)
  const since = new Date(ctx.now.getTime() - pickedHours * 3_600_000)
  const list = pickListId ?? (await q.pickListFor(ctx, deviceId, since))?.id
  const made = await insertVisit(ctx, device, {
    clientId,
    source,
    state: 'DRAFT',
    pickListId: list,
    packAt,
    startedAt: begun,
  })
  // sent twice, from two tabs, or begun before: there is one
  const again = made === undefined ? await q.lockVisit(ctx, { clientId }) : undefined
  if (again && (again.userId !== ctx.actor.userId || again.deviceId !== deviceId))
    throw new Refusal(common.notFound)
  const id = made ?? again?.id ?? (await q.draftOf(ctx, deviceId))?.id
  const visit = await whole(ctx, found(id))
  ctx.touch('replenishment', device.orgId)
  return {
    visit,
    entries:
      made === undefined
        ? []
        : [{ id: visit.id, name: device.rtuNumber, after: { clientId }, orgId: device.orgId }],
  }
}

export const start = prepared<Contract['start'], Awaited<ReturnType<typeof begin>> | undefined>({
  prepare: async (app, input, request, actor) =>
    input.source === 'PHONE'
      ? asServed(app, actor, request, { deviceId: input.deviceId }, (ctx, until) =>
          begin(ctx, input, until),
        )
      : undefined,
  async run(ctx, input, done) {
    const { visit, entries } = done ?? (await begin(ctx, input))
    ctx.audit(...entries)
    return visit
  },
})

type Given = {
  laneId: number
  countedQty: number | null
  countedAt?: string | undefined
  doneAt?: string | undefined
  addedQty: number
  withdrawnQty: number
  withdrawReason: string | null
  batchId: number | null
  codes: readonly string[]
}

/** Whoever sits at a desk chooses from those that are there. */
async function batchesThere(ctx: Ctx, named: readonly number[]): Promise<void> {
  const ids = [...new Set(named)]
  if (!ids.length) return
  const { n } = await onlyRow<{ n: number }>(ctx.db)`select count(*) as n from batches b
    where b.id = any(${ids}::bigint[]) and ${inheritable(ctx, 'b.org_id')}`
  if (n < ids.length) throw new Refusal(common.notFound)
}

/** What the actor says of lanes of this machine, at moments of his own clock. */
async function save(
  ctx: Ctx,
  visit: q.Visit,
  given: readonly Given[],
  sentAt: string | undefined,
): Promise<void> {
  const ids = given.map((one) => one.laneId)
  const lanes = new Map(
    (await q.lanesOfDevice(ctx, visit.deviceId, ids)).map((lane) => [lane.id, lane]),
  )
  await batchesThere(
    ctx,
    given.flatMap(({ batchId }) => batchId ?? []),
  )
  const earliest = new Date(visit.startedAt.getTime() - beforeStart)
  const moment = (at: string | undefined) =>
    at === undefined || sentAt === undefined ? ctx.now : momentOf(at, sentAt, ctx.now, earliest)
  const drafts = given.map(({ countedAt, doneAt, ...said }) => {
    const { roadIndex, productId } = found(lanes.get(said.laneId))
    return {
      ...said,
      roadIndex,
      productId,
      countedAt: said.countedQty === null ? null : moment(countedAt),
      doneAt: moment(doneAt ?? countedAt),
    }
  })
  await writeDrafts(ctx, visit, drafts)
}

export const saveItems: Verb<'saveItems'> = async (ctx, { id, items, sentAt }) => {
  const visit = await ownDraft(ctx, { id })
  const named = items.map((one) => one.laneId)
  if (new Set(named).size < named.length) throw new Refusal(common.invalid)
  await sql`delete from replenishment_items where visit_id = ${id}
    and lane_id <> all(${named}::bigint[])`.execute(ctx.db)
  await save(ctx, visit, items, sentAt)
  return whole(ctx, id)
}

export const saveItem: Verb<'saveItem'> = async (ctx, { id, sentAt, ...one }) => {
  await save(ctx, await ownDraft(ctx, { id }), [one], sentAt)
  return whole(ctx, id)
}

/**
 * Posts what the visit says. One of which nothing could be posted stays as it is: its lanes say
 * why, and it may be sent again. What a phone did is done: lanes that do not fit to it wait for
 * somebody's word.
 */
async function post(ctx: Ctx, visit: q.Visit): Promise<void> {
  const items = await q.itemsToPost(ctx, visit.id)
  const told = visit.source === 'PHONE' && visit.lastSeq > 0
  if (!items.length && !told) throw new Refusal(replenishmentErrors.nothing)
  const doors = await doorsOf(
    ctx,
    visit.deviceId,
    new Date(visit.startedAt.getTime() - beforeStart),
    visit.finishedAt ?? ctx.now,
  )
  const replaced = told && (await boardReplaced(ctx, visit.deviceId, visit.startedAt))
  const done = await postItems(ctx, items, {
    // the words of another board do not follow those of the one before
    phone: visit.source === 'PHONE' ? { doors: replaced ? [] : doors } : undefined,
  })
  const totals = totalsOf(done)
  auditPosted(ctx, visit, done)
  await raise(
    ctx,
    visit,
    done.flatMap((item) => {
      const said = items.find((one) => one.id === item.id) ?? item
      return item.conflicts.map((one) => ({ ...said, countedAt: item.referenceAt, ...one }))
    }),
  )
  await tellBadGoods(ctx, visit, done)
  if (totals.none && !told) return
  const to = totals.partly || (await q.openConflicts(ctx, visit.id)) ? 'PARTIAL' : 'POSTED'
  const { numAffectedRows } = await sql`update replenishment_visits set state = ${to},
      submitted_at = coalesce(submitted_at, ${ctx.now}),
      posted_at = ${ctx.now}, added = ${totals.added},
      withdrawn = ${totals.withdrawn}, counted = ${totals.counted}, gained = ${totals.gained},
      lost = ${totals.lost}, diff_cost = ${totals.diffCost}, board_replaced = ${replaced},
      door_seconds = ${doorSeconds(doors)}
    where id = ${visit.id} and state = any(${visitFrom(to)}::text[])`.execute(ctx.db)
  if (!numAffectedRows) throw new Refusal(common.stale)
  await tellDifference(ctx, visit, totals)
}

function auditPosted(ctx: Ctx, visit: q.Visit, done: readonly Posted[]): void {
  const { added, withdrawn, gained, lost } = totalsOf(done)
  const failed = done.filter((item) => item.error).length
  ctx.audit({
    id: visit.id,
    name: visit.rtuNumber,
    after: { added, withdrawn, gained, lost, failed },
    orgId: visit.orgId,
  })
}

type Finish = Input<Contract['submit']>
/** All its operations are here, and it says when the door was closed. */
export async function finish(ctx: Ctx, visit: q.Visit, said: Finish): Promise<q.Visit> {
  const { lastClientSeq, finishedAt, sentAt, checks } = said
  if (lastClientSeq !== undefined && lastClientSeq !== visit.lastSeq)
    throw new Refusal(replenishmentErrors.outOfOrder)
  const ended = finishedAt && sentAt ? momentOf(finishedAt, sentAt, ctx.now, visit.startedAt) : null
  if (ended || checks)
    await sql`update replenishment_visits set finished_at = ${ended},
      checks = ${checks ?? []}::text[] where id = ${visit.id}`.execute(ctx.db)
  return { ...visit, finishedAt: ended }
}

/** What somebody did at a machine that he serves no more waits for an operator. */
export const submit = prepared<Contract['submit'], Visit | undefined>({
  prepare: (app, input, request, actor) =>
    asServed(app, actor, request, { visitId: input.id }, async (ctx) => {
      const visit = found(await q.lockVisit(ctx, { id: input.id }))
      if (visit.userId !== ctx.actor.userId) throw new Refusal(common.notFound)
      if (visit.state === 'DRAFT') {
        await finish(ctx, visit, input)
        await sql`update replenishment_visits set state = 'SUBMITTED', submitted_at = ${ctx.now}
          where id = ${visit.id}`.execute(ctx.db)
        ctx.touch('replenishment', visit.orgId)
      } else if (visit.state !== 'SUBMITTED') throw new Refusal(replenishmentErrors.closed)
      return whole(ctx, visit.id)
    }),
  async run(ctx, input, done) {
    if (done) {
      ctx.audit({ id: done.id, name: done.rtuNumber, after: { state: done.state } })
      return done
    }
    await post(ctx, await finish(ctx, await ownDraft(ctx, { id: input.id }), input))
    return whole(ctx, input.id)
  },
})

export const cancel: Verb<'cancel'> = async (ctx, { id }) => {
  const visit = await ownDraft(ctx, { id })
  await sql`update replenishment_visits set state = 'CANCELLED' where id = ${id}`.execute(ctx.db)
  await dropConflicts(ctx, visit)
  ctx.audit({ id, name: visit.rtuNumber, orgId: visit.orgId })
  ctx.touch('replenishment', visit.orgId)
  return whole(ctx, id)
}

async function submitted(ctx: Ctx, id: number): Promise<q.Visit> {
  const visit = found(await q.lockVisit(ctx, { id }))
  if (visit.state !== 'SUBMITTED') throw new Refusal(replenishmentErrors.notSubmitted)
  return visit
}

export const approve: Verb<'approve'> = async (ctx, { id }) => {
  await post(ctx, await submitted(ctx, id))
  return whole(ctx, id)
}

export const reject: Verb<'reject'> = async (ctx, { id, reason }) => {
  const visit = await submitted(ctx, id)
  await sql`update replenishment_visits set state = 'REJECTED', reason = ${reason}
    where id = ${id}`.execute(ctx.db)
  await dropConflicts(ctx, visit)
  ctx.audit({ id, name: visit.rtuNumber, after: { reason }, orgId: visit.orgId })
  ctx.touch('replenishment', visit.orgId)
  return whole(ctx, id)
}

/** One lane as a visit of its own, posted at once or not at all. */
async function oneLane(
  ctx: Ctx,
  laneId: number,
  said: Partial<Pick<Given, 'countedQty' | 'addedQty' | 'batchId' | 'codes'>>,
  how: { source: 'LANE' } | { source: 'CORRECTION'; reason: string },
) {
  const lane = found(await q.deviceOfLane(ctx, laneId))
  const device = { id: lane.deviceId, orgId: lane.orgId }
  const row = { clientId: randomUUID(), state: 'POSTED' as const, ...how }
  const id = found(await insertVisit(ctx, device, row))
  const visit = found(await q.lockVisit(ctx, { id }))
  const { countedQty = null, addedQty = 0, batchId = null, codes = [] } = said
  await save(
    ctx,
    visit,
    [{ laneId, countedQty, addedQty, batchId, codes, withdrawnQty: 0, withdrawReason: null }],
    undefined,
  )
  const done = await postItems(ctx, await q.itemsToPost(ctx, id), {
    asCorrection: how.source === 'CORRECTION',
  })
  const wrong = done.find((item) => item.error)?.error
  if (wrong) throw new Refusal(laneError(wrong))
  const totals = totalsOf(done)
  await sql`update replenishment_visits set added = ${totals.added}, counted = ${totals.counted},
      gained = ${totals.gained}, lost = ${totals.lost}, diff_cost = ${totals.diffCost}
    where id = ${id}`.execute(ctx.db)
  await tellDifference(ctx, visit, totals)
  ctx.audit({
    id,
    name: `${lane.rtuNumber} ${lane.roadIndex}`,
    after: { ...said, ...('reason' in how ? { reason: how.reason } : {}) },
    orgId: lane.orgId,
  })
  return found(await q.laneRow(ctx, laneId))
}

export const postLane: Verb<'postLane'> = async (ctx, { laneId, ...said }) => {
  if (said.countedQty === undefined && !said.addedQty)
    throw new Refusal(replenishmentErrors.nothing)
  return oneLane(ctx, laneId, said as Partial<Given>, { source: 'LANE' })
}

export const correct: Verb<'correct'> = (ctx, { laneId, countedQty, reason }) =>
  oneLane(ctx, laneId, { countedQty }, { source: 'CORRECTION', reason })
