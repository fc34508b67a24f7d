import { sql } from 'kysely'
import { prepared } from '../../../server/bind.ts'
import { type Ctx, found } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import type { Input, Output } from '../../../shared/contract.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { bi, say } from '../../../shared/text.ts'
import { notify } from '../../notices/server/notify.ts'
import { moveStock } from '../../stock/server/move.ts'
import type { Op, replenishment } from '../contract.ts'
import { type LaneError, laneError, replenishmentErrors } from '../errors.ts'
import { beforeStart, momentOf } from '../rules.ts'
import { type Raised, raise, type Said } from './conflicts.ts'
import { type Draft, draftsOf, writeDrafts } from './items.ts'
import * as q from './queries.ts'
import { asServed } from './served.ts'
import { ownDraft } from './visits.ts'

type Endpoint = (typeof replenishment)['ops']
type Kept = { opId: string; clientSeq: number; reason: string | null; visitId: number }
type LaneNow = { id: number; productId: number | null; quantity: number; gone: boolean }
type Reason = LaneError | 'noLonger'
type Stored = {
  op: Op
  at: Date
  result: 'APPLIED' | 'CONFLICT' | 'REJECTED'
  reason: Reason | null
}

/** Also of somebody who serves the machine no more: what he did before that. */
export const ops = prepared<Endpoint, Output<Endpoint> | undefined>({
  prepare: (app, input, request, actor) =>
    asServed(app, actor, request, { clientId: input.clientId }, async (ctx, until) => {
      const visit = found(await q.lockVisit(ctx, { clientId: input.clientId }))
      if (visit.userId !== ctx.actor.userId) throw new Refusal(common.notFound)
      if (visit.state !== 'DRAFT' && visit.state !== 'SUBMITTED')
        throw new Refusal(replenishmentErrors.closed)
      return take(ctx, visit, input, until)
    }),
  run: async (ctx, input, done) =>
    done ?? take(ctx, await ownDraft(ctx, { clientId: input.clientId }), input, null),
})

/**
 * What a phone did, in its order: the next number counts, one that came before is a duplicate, one
 * behind a gap waits until the missing one is here. What a lane cannot take any more is a conflict:
 * kept, and no part of the visit.
 */
async function take(
  ctx: Ctx,
  visit: q.Visit,
  input: Input<Endpoint>,
  until: Date | null,
): Promise<Output<Endpoint>> {
  const given = [...input.ops].sort((a, b) => a.clientSeq - b.clientSeq)
  const known = new Map(
    (
      await rowsOf<Kept>(ctx.db)`select op_id as "opId", client_seq as "clientSeq", reason,
        visit_id as "visitId" from visit_ops
      where op_id = any(${given.map((op) => op.opId)}::uuid[])`
    ).map((op) => [op.opId, op]),
  )
  const lanes = new Map(
    (
      await rowsOf<LaneNow>(ctx.db)`select l.id, l.product_id as "productId", l.quantity,
          l.archived_at is not null or l.status = 'MERGED' as gone
        from lanes l where l.device_id = ${visit.deviceId} and l.org_id = ${visit.orgId}
          and l.id = any(${given.map((op) => op.laneId)}::bigint[])`
    ).map((lane) => [lane.id, lane]),
  )
  const earliest = new Date(visit.startedAt.getTime() - beforeStart)
  let lastSeq = visit.lastSeq
  const answers = new Map<string, { state: string; reason: string | null }>()
  const kept: Stored[] = []
  for (const op of given) {
    const before = known.get(op.opId)
    if (before?.visitId === visit.id || answers.has(op.opId)) {
      if (!answers.has(op.opId))
        answers.set(op.opId, { state: 'DUPLICATE', reason: before?.reason ?? null })
      continue
    }
    // the number of another operation, or an operation of somebody else
    if (op.clientSeq <= lastSeq || before) {
      answers.set(op.opId, { state: 'REJECTED', reason: null })
      continue
    }
    if (op.clientSeq > lastSeq + 1) {
      answers.set(op.opId, { state: 'WAITING', reason: 'outOfOrder' })
      continue
    }
    lastSeq = op.clientSeq
    const at = momentOf(op.madeAt, input.sentAt, ctx.now, earliest)
    const lane = lanes.get(op.laneId)
    const found = lane ? fits(op, lane) : 'laneGone'
    const late = until !== null && at > until
    const reason: Reason | null = late ? 'noLonger' : found
    const result = late ? 'REJECTED' : found ? 'CONFLICT' : 'APPLIED'
    answers.set(op.opId, { state: result, reason })
    // one of a lane that is not this machine's cannot be kept with it
    if (lane) kept.push({ op, at, result, reason })
  }
  await keep(ctx, visit, kept)
  if (lastSeq > visit.lastSeq) await heard(ctx, visit, lastSeq, input.sentAt)
  return {
    lastSeq,
    ops: input.ops.map((op) => {
      const { state, reason } = answers.get(op.opId) as { state: string; reason: string | null }
      return {
        opId: op.opId,
        state: state as 'APPLIED',
        reason: reason && said(ctx, reason),
        laneNow: lanes.get(op.laneId)?.quantity ?? null,
      }
    }),
  }
}

const fits = (op: Op, lane: LaneNow): LaneError | null =>
  lane.gone ? 'laneGone' : lane.productId === op.productId ? null : 'productChanged'

/** Which number was the last one, and how far the phone's clock is off. */
const heard = (ctx: Ctx, visit: q.Visit, lastSeq: number, sentAt: string) =>
  sql`update replenishment_visits set last_seq = ${lastSeq}, clock_offset_ms = ${Math.round(
    ctx.now.getTime() - Date.parse(sentAt),
  )} where id = ${visit.id}`.execute(ctx.db)

export const said = (ctx: Ctx, reason: string): string => say(laneError(reason).text, ctx.lang)

/** What the lane is said to be after an operation: counted anew, more put in, more taken out. */
async function keep(ctx: Ctx, visit: q.Visit, stored: readonly Stored[]): Promise<void> {
  if (!stored.length) return
  const rows = stored.map(({ op, ...row }) => ({
    ...op,
    ...row,
    payload: {
      qty: op.qty,
      reason: op.reason ?? null,
      productId: op.productId,
      batchId: op.batchId,
      codes: op.codes,
      planned: op.planned,
      differs: op.differs,
      note: op.note || undefined,
      baseSeq: op.baseSeq,
    },
  }))
  await sql`insert into visit_ops (op_id, org_id, device_id, visit_id, client_seq, kind, lane_id,
      payload, made_at, received_at, result, reason)
    select "opId", ${visit.orgId}, ${visit.deviceId}, ${visit.id}, "clientSeq", kind, "laneId",
      payload, at, ${ctx.now}, result, reason
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n("opId" uuid, "clientSeq" int,
      kind text, "laneId" bigint, payload jsonb, at timestamptz, result text, reason text)`.execute(
    ctx.db,
  )
  const done = stored.filter((row) => row.result === 'APPLIED')
  const ids = [...new Set(done.map(({ op }) => op.laneId))]
  const lanes = await q.lanesOfDevice(ctx, visit.deviceId, ids)
  const drafts = new Map((await draftsOf(ctx, visit.id, ids)).map((one) => [one.laneId, one]))
  for (const { op, at } of done) {
    const lane = lanes.find((one) => one.id === op.laneId)
    if (lane && op.kind !== 'FAULT')
      drafts.set(lane.id, after(drafts.get(lane.id) ?? nothing(lane, at), lane, op, at))
  }
  await writeDrafts(ctx, visit, [...drafts.values()])
  await raiseUnfit(
    ctx,
    visit,
    stored.filter((row) => row.result === 'CONFLICT'),
  )
  await markFaults(
    ctx,
    visit,
    done.filter(({ op }) => op.kind === 'FAULT'),
  )
}

/** All that was said of lanes that are not what they were, as one thing for each of them. */
async function raiseUnfit(ctx: Ctx, visit: q.Visit, unfit: readonly Stored[]): Promise<void> {
  const ids = [...new Set(unfit.map(({ op }) => op.laneId))]
  if (!ids.length) return
  type Row = {
    laneId: number
    kind: Op['kind']
    at: Date
    reason: string
    roadIndex: number
    quantity: number
  } & {
    payload: {
      qty: number
      reason: string | null
      productId: number
      batchId: number | null
      codes: string[]
    }
  }
  const rows = await rowsOf<Row>(ctx.db)`select o.lane_id as "laneId", o.kind, o.made_at as at,
      o.reason, o.payload, l.road_index as "roadIndex", l.quantity
    from visit_ops o join lanes l on l.id = o.lane_id
    where o.visit_id = ${visit.id} and o.lane_id = any(${ids}::bigint[]) and o.result = 'CONFLICT'
    order by o.client_seq`
  const conflicts = [...Map.groupBy(rows, (row) => row.laneId)].map(
    ([laneId, own]): Said & Raised => {
      const { payload, reason, roadIndex, quantity } = own.at(-1) as Row
      const lane = { id: laneId, roadIndex, productId: payload.productId }
      const draft = own.reduce(
        (one, row) => after(one, lane, { ...row.payload, kind: row.kind }, row.at),
        nothing(lane, visit.startedAt),
      )
      const gone = reason === 'laneGone'
      return {
        ...draft,
        kind: gone ? 'LANE_REBUILT' : 'PRODUCT_CHANGED',
        error: reason,
        systemQty: gone ? null : quantity,
      }
    },
  )
  await raise(ctx, visit, conflicts)
}

/** A lane that somebody found broken sells no more. */
async function markFaults(ctx: Ctx, visit: q.Visit, faults: readonly Stored[]): Promise<void> {
  if (!faults.length) return
  const laneIds = [...new Set(faults.map(({ op }) => op.laneId))]
  await moveStock(
    ctx,
    laneIds.map((laneId) => ({ laneId, stop: { to: 'FAULT', reason: '' } })),
  )
  const notes = faults.flatMap(({ op }) => op.note || [])
  await notify(ctx, {
    permission: 'stock-flow:correct',
    orgId: visit.orgId,
    orAbove: true,
    kind: 'STOCK',
    title: bi(
      `${visit.rtuNumber} 补货时发现 ${laneIds.length} 个货道故障`,
      `${visit.rtuNumber}: ${laneIds.length} lanes were found broken`,
    ),
    body: bi(notes.join('；').slice(0, 400), notes.join('; ').slice(0, 400)),
    link: `/stock/replenish/visits?detail=${visit.id}`,
  })
}

const nothing = (lane: q.VisitLane, doneAt: Date): Draft => ({
  laneId: lane.id,
  roadIndex: lane.roadIndex,
  productId: lane.productId,
  countedQty: null,
  countedAt: null,
  doneAt,
  addedQty: 0,
  withdrawnQty: 0,
  withdrawReason: null,
  batchId: null,
  codes: [],
})

type OpSaid = Pick<Op, 'kind' | 'qty' | 'batchId' | 'codes'> & {
  reason?: string | null | undefined
}
/** The last count is the one that counts; what is put in and taken out adds up. */
function after(draft: Draft, lane: q.VisitLane, op: OpSaid, at: Date): Draft {
  if (op.kind === 'CLEAR') return nothing(lane, at)
  if (op.kind === 'COUNT') return { ...draft, countedQty: op.qty, countedAt: at, doneAt: at }
  if (op.kind === 'ADD')
    return {
      ...draft,
      doneAt: at,
      addedQty: Math.min(999, draft.addedQty + op.qty),
      batchId: op.batchId ?? draft.batchId,
      codes: [...draft.codes, ...op.codes].slice(0, 999),
    }
  if (op.kind === 'WITHDRAW')
    return {
      ...draft,
      doneAt: at,
      withdrawnQty: Math.min(999, draft.withdrawnQty + op.qty),
      withdrawReason: op.reason ?? null,
    }
  return draft
}
