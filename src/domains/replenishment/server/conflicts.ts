import { sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { bi } from '../../../shared/text.ts'
import { refreshDeviceCounters } from '../../machines/server/counters.ts'
import { notify } from '../../notices/server/notify.ts'
import type { Conflict } from '../conflictContract.ts'
import { settleHours } from '../rules.ts'
import { knownBatch } from './items.ts'
import type * as q from './queries.ts'

type Kind = Conflict['kind']
/** What somebody must say of a lane of a visit. */
export type Raised = {
  kind: Kind
  error?: string
  systemQty: number | null
  codes?: readonly string[]
  diffBefore?: number
  diffAfter?: number
}
/** Of which lane, and what the phone said of it. */
export type Said = {
  laneId: number
  productId: number
  countedQty: number | null
  countedAt: Date | null
  addedQty: number
  withdrawnQty: number
  withdrawReason: string | null
  batchId: number | null
  codes: readonly string[]
}

/** Of a visit that is given up or refused nothing is in the machine's books, so nothing is decided. */
export async function dropConflicts(ctx: Ctx, visit: q.Visit): Promise<void> {
  await sql`update visit_conflicts set state = 'SETTLED', choice = 'NOT_PUT',
      settled_by = ${ctx.actor.userId}::bigint, settled_at = ${ctx.now}
    where visit_id = ${visit.id} and state = 'OPEN'`.execute(ctx.db)
  refreshDeviceCounters(ctx, [visit.deviceId])
}

/** Keeps them, each once for a lane of a visit, and tells who may decide. */
export async function raise(
  ctx: Ctx,
  visit: q.Visit,
  conflicts: readonly (Said & Raised)[],
): Promise<void> {
  if (!conflicts.length) return
  const due = new Date(ctx.now.getTime() + settleHours * 3_600_000)
  const rows = conflicts.map((one) => ({
    ...one,
    error: one.error ?? null,
    diffBefore: one.diffBefore ?? null,
    diffAfter: one.diffAfter ?? null,
    dueAt: one.kind === 'VEND_NEAR' ? due : null,
  }))
  await sql`insert into visit_conflicts as c (org_id, device_id, visit_id, lane_id, road_index,
      product_id, kind, error, counted_qty, counted_at, added_qty, withdrawn_qty, withdraw_reason,
      batch_id, codes, system_qty, diff_before, diff_after, default_at, created_at)
    select ${visit.orgId}, ${visit.deviceId}, ${visit.id}, n."laneId", l.road_index,
      p.id, n.kind, n.error, n."countedQty", n."countedAt",
      n."addedQty", n."withdrawnQty", n."withdrawReason", ${knownBatch}, coalesce(n.codes, '{}'),
      n."systemQty", n."diffBefore", n."diffAfter", n."dueAt", ${ctx.now}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n("laneId" bigint,
      "productId" bigint, kind text, error text, "countedQty" int, "countedAt" timestamptz,
      "addedQty" int, "withdrawnQty" int, "withdrawReason" text, "batchId" bigint, codes text[],
      "systemQty" int, "diffBefore" int, "diffAfter" int, "dueAt" timestamptz)
    join lanes l on l.id = n."laneId" left join products p on p.id = n."productId"
    on conflict (visit_id, lane_id, kind) where state = 'OPEN' do update set
      counted_qty = excluded.counted_qty, counted_at = excluded.counted_at,
      added_qty = excluded.added_qty, withdrawn_qty = excluded.withdrawn_qty,
      withdraw_reason = excluded.withdraw_reason, batch_id = excluded.batch_id,
      codes = excluded.codes, system_qty = excluded.system_qty`.execute(ctx.db)
  ctx.touch('replenishment', visit.orgId)
  await notify(ctx, {
    permission: 'stock-flow:correct',
    orgId: visit.orgId,
    orAbove: true,
    kind: 'STOCK',
    title: bi(
      `${visit.rtuNumber} 补货冲突待处理`,
      `${visit.rtuNumber}: what was refilled does not fit`,
    ),
    link: '/stock/replenish/sync',
    quietHours: 4,
  })
}

/** A count says what lies there, whatever was not clear before it. */
export function countedConflicts(
  ctx: Ctx,
  counts: readonly { laneId: number; countedAt: Date | null }[],
): void {
  ctx.later(sql`update visit_conflicts c set state = 'SETTLED', choice = 'COUNTED',
      settled_by = ${ctx.actor.userId}::bigint, settled_at = ${ctx.now}
    from jsonb_to_recordset(${JSON.stringify(counts)}::jsonb) as n("laneId" bigint,
      "countedAt" timestamptz), replenishment_visits v
    where c.lane_id = n."laneId" and c.state = 'OPEN' and c.kind in ('TO_COUNT','VEND_NEAR')
      and v.id = c.visit_id and coalesce(c.counted_at, v.started_at) <= n."countedAt"`)
}

/** Lanes that sell, until somebody has looked at them; what locks one already stays. */
export function lockLanes(ctx: Ctx, laneIds: readonly number[], reason: string): void {
  if (laneIds.length)
    ctx.later(sql`update lanes set status = 'LOCKED', lock_reason = ${reason}, version = version + 1
      where id = any(${[...laneIds]}::bigint[]) and archived_at is null
        and status in ('ENABLED','FAULT')`)
}
