import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import type { Ctx } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { updateVersion } from '../../../server/shapes.ts'
import { Refusal } from '../../../shared/errors.ts'
import { bi } from '../../../shared/text.ts'
import { refreshDeviceCounters } from '../../machines/server/counters.ts'
import { noteDevice } from '../../machines/server/events.ts'
import { notify } from '../../notices/server/notify.ts'
import { unlockLanes } from '../../stock/server/goods.ts'
import type { batches } from '../contract.ts'
import { batchErrors } from '../rules.ts'
import { getOwn } from './one.ts'
import { holding, touched } from './queries.ts'

type Contract = typeof batches
type Lane = { id: number; orgId: number; deviceId: number; road: number }

/**
 * Lanes that hold the batch, held. Asked again behind the lock of the batch: whoever loaded it in
 * between is done, or waits for the batch while he holds a lane; then this act gives way.
 */
async function holdLanes(ctx: Ctx, batchId: number, known: readonly number[] | null) {
  const others = known ? sql`and l.id <> all(${[...known]}::bigint[])` : sql``
  return rowsOf<Lane>(ctx.db)`
    select l.id, l.org_id as "orgId", l.device_id as "deviceId", l.road_index as road from lanes l
    where l.id in ${holding(batchId)} ${others}
    order by l.id for no key update ${known ? sql`nowait` : sql``}`
}

/** The lanes, the batch, and the lanes that came meanwhile; `set` is written to this version. */
export async function holdBatch(
  ctx: Ctx,
  batch: { id: number; version: number },
  set: Parameters<typeof updateVersion<'batches'>>[3],
): Promise<Lane[]> {
  const lanes = await holdLanes(ctx, batch.id, null)
  await updateVersion(ctx, 'batches', batch, set)
  const late = await holdLanes(
    ctx,
    batch.id,
    lanes.map((lane) => lane.id),
  )
  return [...lanes, ...late]
}

/** One transaction, whatever the number of machines. Pieces on their way out finish. */
const recall: Handlers<Contract>['recall'] = async (ctx, { id, version, level, ...input }) => {
  const batch = await getOwn(ctx, id)
  if (batch.status === 'RECALLED') throw new Refusal(batchErrors.recalledAlready)
  const lanes = await holdBatch(
    ctx,
    { id, version },
    {
      status: 'RECALLED',
      recall_level: level,
      recall_no: input.recallNo,
      recall_reason: input.reason,
      recalled_at: ctx.now,
    },
  )
  // a lock that somebody else must end stays, and recalled goods lock the lane when he does
  await sql`update lanes l set status = 'LOCKED', lock_reason = 'RECALL', version = version + 1
    where l.id in ${holding(id)} and l.status <> 'MERGED'
      and (l.status <> 'LOCKED' or l.lock_reason = 'EXPIRY')`.execute(ctx.db)
  const { batchNo } = batch
  await tell(ctx, lanes, {
    event: 'RECALL_LOCK',
    batchNo,
    title: bi(`批次 ${batchNo} 已召回`, `Batch ${batchNo} is recalled`),
    body: bi(
      `${batch.productName}：${input.reason}。请从机器中取回。`,
      `${batch.productName}: ${input.reason}. Take it out of the machines.`,
    ),
  })
  const after = await touched(ctx, id)
  logged(ctx, batch, lanes, { ...input, level, ...after })
  return after
}

const unrecall: Handlers<Contract>['unrecall'] = async (ctx, { id, version, reason }) => {
  const batch = await getOwn(ctx, id)
  if (batch.status !== 'RECALLED') throw new Refusal(batchErrors.notRecalled)
  const lanes = await holdBatch(ctx, { id, version }, { status: 'NORMAL' })
  const locked = await rowsOf<{ id: number }>(ctx.db)`select l.id from lanes l
    where l.id in ${holding(id)} and l.status = 'LOCKED' and l.lock_reason = 'RECALL'`
  await unlockLanes(
    ctx,
    locked.map((lane) => lane.id),
  )
  const { batchNo } = batch
  await tell(ctx, lanes, {
    event: 'RECALL_END',
    batchNo,
    title: bi(`批次 ${batchNo} 已解除召回`, `The recall of batch ${batchNo} has ended`),
    body: bi(reason, reason),
  })
  const after = await touched(ctx, id)
  logged(ctx, batch, lanes, { reason, ...after })
  return after
}

/** A line for the batch, and one for each other organisation whose lanes it concerns. */
function logged(
  ctx: Ctx,
  batch: { id: number; batchNo: string; orgId: number; status: string },
  lanes: readonly Lane[],
  after: object,
): void {
  const orgs = new Set([batch.orgId, ...lanes.map((lane) => lane.orgId)])
  const { id, batchNo: name } = batch
  ctx.audit(...[...orgs].map((orgId) => ({ id, name, after, orgId })))
  for (const topic of ['batches', 'lanes', 'devices']) ctx.touch(topic, orgs)
}

type Told = { event: string; batchNo: string; title: string; body: string }
/** Who fills these machines, and who may recall in their organisations. */
async function tell(ctx: Ctx, lanes: readonly Lane[], { event, batchNo, title, body }: Told) {
  const machines = [...Map.groupBy(lanes, (lane) => lane.deviceId)]
  const deviceIds = machines.map(([deviceId]) => deviceId)
  await noteDevice(
    ctx,
    machines.map(([deviceId, own]) => ({
      deviceId,
      orgId: own[0]?.orgId ?? 0,
      kind: event,
      data: { batchNo, roads: own.map((lane) => lane.road) },
    })),
  )
  refreshDeviceCounters(ctx, deviceIds)
  const people = await rowsOf<{ id: number }>(ctx.db)`
    select distinct a.user_id as id from device_assignments a
    where a.device_id = any(${deviceIds}::bigint[]) and a.kind = 'REPLENISHER' and a.to_at is null`
  const link = `/product/supplier-batch/batches?keyword=${encodeURIComponent(batchNo)}`
  const note = { kind: 'STOCK', title, body, link } as const
  const orgs = new Set(lanes.map((lane) => lane.orgId))
  await notify(ctx, [
    { ...note, userIds: people.map((person) => person.id) },
    ...[...orgs].map((orgId) => ({ ...note, permission: 'batch:recall', orgId })),
  ])
}

export const recallHandlers = { recall, unrecall }
