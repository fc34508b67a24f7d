import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import type { Ctx } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { say } from '../../../shared/text.ts'
import type { Op, replenishment } from '../contract.ts'
import { type LaneError, laneError } from '../errors.ts'
import { beforeStart, momentOf } from '../rules.ts'
import { type Draft, draftsOf, writeDrafts } from './items.ts'
import * as q from './queries.ts'
import { ownDraft } from './visits.ts'

type Kept = { opId: string; clientSeq: number; reason: string | null; visitId: number }
type LaneNow = { id: number; productId: number | null; quantity: number }

/**
 * What a phone did, in its order: the next number counts, one that came before is a duplicate, one
 * behind a gap waits until the missing one is here. What a lane cannot take any more is a conflict:
 * kept, and no part of the visit.
 */
export const ops: Handlers<typeof replenishment>['ops'] = async (ctx, input) => {
  const visit = await ownDraft(ctx, { clientId: input.clientId })
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
      await rowsOf<LaneNow>(ctx.db)`select l.id, l.product_id as "productId", l.quantity
        from lanes l where l.device_id = ${visit.deviceId} and l.archived_at is null
          and l.status <> 'MERGED' and l.id = any(${given.map((op) => op.laneId)}::bigint[])`
    ).map((lane) => [lane.id, lane]),
  )
  let lastSeq = visit.lastSeq
  const answers = new Map<string, { state: string; reason: string | null }>()
  const kept: { op: Op; result: 'APPLIED' | 'CONFLICT'; reason: LaneError | null }[] = []
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
    const lane = lanes.get(op.laneId)
    const reason: LaneError | null = !lane
      ? 'laneGone'
      : lane.productId === op.productId
        ? null
        : 'productChanged'
    lastSeq = op.clientSeq
    const state = reason ? 'CONFLICT' : 'APPLIED'
    answers.set(op.opId, { state, reason })
    kept.push({ op, result: state, reason })
  }
  await keep(ctx, visit, kept, lastSeq, input.sentAt)
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

const said = (ctx: Ctx, reason: string): string => say(laneError(reason).text, ctx.lang)

/** What the lane is said to be after an operation: counted anew, more put in, more taken out. */
async function keep(
  ctx: Ctx,
  visit: q.Visit,
  kept: readonly { op: Op; result: string; reason: string | null }[],
  lastSeq: number,
  sentAt: string,
): Promise<void> {
  if (!kept.length) return
  const earliest = new Date(visit.startedAt.getTime() - beforeStart)
  const rows = kept.map(({ op, result, reason }) => ({
    ...op,
    result,
    reason,
    payload: {
      qty: op.qty,
      reason: op.reason ?? null,
      productId: op.productId,
      batchId: op.batchId,
      codes: op.codes,
    },
    at: momentOf(op.madeAt, sentAt, ctx.now, earliest),
  }))
  // one of a lane that is gone cannot be kept with it
  const stored = rows.filter((row) => row.reason !== 'laneGone')
  await sql`insert into visit_ops (op_id, org_id, device_id, visit_id, client_seq, kind, lane_id,
      payload, made_at, received_at, result, reason)
    select "opId", ${visit.orgId}, ${visit.deviceId}, ${visit.id}, "clientSeq", kind, "laneId",
      payload, at, ${ctx.now}, result, reason
    from jsonb_to_recordset(${JSON.stringify(stored)}::jsonb) as n("opId" uuid, "clientSeq" int,
      kind text, "laneId" bigint, payload jsonb, at timestamptz, result text, reason text)`.execute(
    ctx.db,
  )
  const done = stored.filter((row) => row.result === 'APPLIED')
  const ids = done.map((row) => row.laneId)
  const lanes = await q.lanesOfDevice(ctx, visit.deviceId, ids)
  const drafts = new Map((await draftsOf(ctx, visit.id, ids)).map((one) => [one.laneId, one]))
  for (const { laneId, at, ...op } of done) {
    const lane = lanes.find((one) => one.id === laneId)
    if (!lane) continue
    const draft =
      op.kind === 'CLEAR' ? nothing(lane, at) : (drafts.get(laneId) ?? nothing(lane, at))
    drafts.set(laneId, { ...draft, ...changed(draft, op, at), doneAt: at })
  }
  await writeDrafts(ctx, visit, [...drafts.values()])
  await sql`update replenishment_visits set last_seq = ${lastSeq} where id = ${visit.id}`.execute(
    ctx.db,
  )
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

/** The last count is the one that counts; what is put in and taken out adds up. */
function changed(
  draft: Draft,
  {
    kind,
    qty,
    payload,
    batchId,
    codes,
  }: Pick<Op, 'kind' | 'qty' | 'batchId' | 'codes'> & {
    payload: { reason: string | null }
  },
  at: Date,
): Partial<Draft> {
  if (kind === 'COUNT') return { countedQty: qty, countedAt: at }
  if (kind === 'ADD')
    return {
      addedQty: Math.min(999, draft.addedQty + qty),
      batchId: batchId ?? draft.batchId,
      codes: [...draft.codes, ...codes].slice(0, 999),
    }
  if (kind === 'WITHDRAW')
    return {
      withdrawnQty: Math.min(999, draft.withdrawnQty + qty),
      withdrawReason: payload.reason,
    }
  return {}
}
