import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, visible } from '../../../server/context.ts'
import { rowOf, rowsOf } from '../../../server/rows.ts'
import { columns, updateVersion } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { bi } from '../../../shared/text.ts'
import { missingPictures } from '../../files/server/pictures.ts'
import { refreshDeviceCounters } from '../../machines/server/counters.ts'
import { noteDevice } from '../../machines/server/events.ts'
import { notify, notifyWhom } from '../../notices/server/notify.ts'
import { unlockLanes } from '../../stock/server/goods.ts'
import { wantRecalls } from '../../stock/server/recalledList.ts'
import type { batches } from '../contract.ts'
import { batchErrors, recallHours } from '../rules.ts'
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
  const pictures = input.notice ? [input.notice] : []
  if ((await missingPictures(ctx, pictures, visible(ctx, 'u.org_id'))).length)
    throw fieldRefusal(common.notFound, 'notice')
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
  const recallId = await begin(ctx, batch, { level, ...input })
  await tell(ctx, lanes, {
    event: 'RECALL_LOCK',
    recallId,
    batchNo,
    title: bi(`批次 ${batchNo} 已召回`, `Batch ${batchNo} is recalled`),
    body: bi(
      `${batch.productName}：${input.reason}。请从机器中取回。`,
      `${batch.productName}: ${input.reason}. Take it out of the machines.`,
    ),
  })
  await inform(ctx, id, recallId)
  const after = await touched(ctx, id)
  logged(ctx, batch, lanes, { ...input, level, ...after })
  return after
}

/** The recall's own row. */
async function begin(
  ctx: Ctx,
  batch: { id: number; orgId: number },
  { level, ...input }: Pick<Input<Contract['recall']>, 'level' | 'recallNo' | 'reason' | 'notice'>,
): Promise<number> {
  const { id } = await ctx.db
    .insertInto('recalls')
    .values({
      ...columns('recalls', { level, ...input }),
      org_id: batch.orgId,
      batch_id: batch.id,
      recalled_by: ctx.actor.userId,
      recalled_at: ctx.now,
      due_at: new Date(ctx.now.getTime() + recallHours[level] * 3_600_000),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Machines that hold it must know the recalled list from this version on. */
async function inform(ctx: Ctx, batchId: number, recallId: number): Promise<void> {
  const held = await rowsOf<{ deviceId: number }>(ctx.db)`
    select distinct y.device_id as "deviceId" from lane_layers y
    where y.batch_id = ${batchId} order by 1`
  const wanted = await wantRecalls(
    ctx,
    held.map(({ deviceId }) => deviceId),
  )
  await sql`insert into recall_devices (recall_id, device_id, org_id, version, lanes, pieces)
    select ${recallId}, y.device_id, y.org_id, n.version, count(distinct y.lane_id), sum(y.qty)
    from lane_layers y join jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
      as n("deviceId" bigint, version int) on n."deviceId" = y.device_id
    where y.batch_id = ${batchId} group by y.device_id, y.org_id, n.version`.execute(ctx.db)
}

/**
 * The end of a recall: at once when every loaded piece was withdrawn or sold; while some lie in
 * machines it is a wish that somebody else confirms.
 */
const unrecall: Handlers<Contract>['unrecall'] = async (ctx, { id, version, reason }) => {
  const batch = await getOwn(ctx, id)
  if (batch.status !== 'RECALLED') throw new Refusal(batchErrors.notRecalled)
  const before = await touched(ctx, id)
  if (before.pieces === 0) return { ...(await end(ctx, batch, version, reason)), ended: true }
  await updateVersion(ctx, 'batches', { id, version }, {})
  await sql`update recalls set asked_by = ${ctx.actor.userId}, asked_at = ${ctx.now},
      end_reason = ${reason}, version = version + 1
    where batch_id = ${id} and ended_at is null`.execute(ctx.db)
  await notify(ctx, {
    kind: 'STOCK',
    title: bi(
      `${batch.batchNo} 申请解除召回，请复核`,
      `Confirm the end of recall ${batch.batchNo}`,
    ),
    body: bi(
      `还有 ${before.pieces} 件在机器中：${reason}`,
      `${before.pieces} pieces are still loaded: ${reason}`,
    ),
    link: '/stock/drug-control/recalls',
    permission: 'batch:recall',
    orgId: batch.orgId,
  })
  logged(ctx, batch, [], { reason, ...before, ended: false })
  return { ...before, ended: false }
}

/** Goods are missing, and two people say that it ends. */
const confirmEnd: Handlers<Contract>['confirmEnd'] = async (ctx, { id, version, accept }) => {
  type Asked = { batchId: number; askedBy: number | null; reason: string; name: string }
  const recall = found(
    await rowOf<Asked>(ctx.db)`select r.batch_id as "batchId", r.asked_by as "askedBy",
      r.end_reason as reason, coalesce(u.real_name, '') as name
    from recalls r left join users u on u.id = r.asked_by
    where r.id = ${id} and r.ended_at is null and ${visible(ctx, 'r.org_id')}`,
  )
  if (recall.askedBy === null) throw new Refusal(batchErrors.notAsked)
  const batch = await getOwn(ctx, recall.batchId)
  if (!accept) {
    await updateVersion(
      ctx,
      'recalls',
      { id, version },
      { asked_by: null, asked_at: null, end_reason: '' },
    )
    logged(ctx, batch, [], { accept })
    return { ended: false }
  }
  if (recall.askedBy === ctx.actor.userId) throw new Refusal(batchErrors.samePerson)
  // who asked anew meanwhile has other reasons
  await updateVersion(ctx, 'recalls', { id, version }, {})
  await end(ctx, batch, batch.version, recall.reason, { askedBy: recall.name, accept })
  return { ended: true }
}

async function end(
  ctx: Ctx,
  batch: { id: number; batchNo: string; orgId: number; status: string },
  version: number,
  reason: string,
  more: object = {},
) {
  const { id, batchNo } = batch
  const lanes = await holdBatch(ctx, { id, version }, { status: 'NORMAL' })
  const locked = await rowsOf<{ id: number }>(ctx.db)`select l.id from lanes l
    where l.id in ${holding(id)} and l.status = 'LOCKED' and l.lock_reason = 'RECALL'`
  await unlockLanes(
    ctx,
    locked.map((lane) => lane.id),
  )
  const ended = await rowOf<{ id: number }>(ctx.db)`
    update recalls set ended_by = ${ctx.actor.userId}, ended_at = ${ctx.now},
      end_reason = ${reason}, version = version + 1,
      asked_by = nullif(asked_by, ${ctx.actor.userId}::bigint)
    where batch_id = ${id} and ended_at is null returning id`
  await tell(ctx, lanes, {
    event: 'RECALL_END',
    recallId: ended?.id ?? null,
    batchNo,
    title: bi(`批次 ${batchNo} 已解除召回`, `The recall of batch ${batchNo} has ended`),
    body: bi(reason, reason),
  })
  await wantRecalls(ctx, [...new Set(lanes.map((lane) => lane.deviceId))])
  const after = await touched(ctx, id)
  logged(ctx, batch, lanes, { reason, ...after, ...more })
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

type Told = {
  event: string
  recallId: number | null
  batchNo: string
  title: string
  body: string
}
/** Who fills these machines, and who may recall in their organisations. */
async function tell(ctx: Ctx, lanes: readonly Lane[], told: Told) {
  const { event, recallId, batchNo, title, body } = told
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
  const whom = await notifyWhom(ctx, [
    { ...note, userIds: people.map((person) => person.id) },
    ...[...orgs].map((orgId) => ({ ...note, permission: 'batch:recall', orgId })),
  ])
  if (recallId === null || !whom.length) return
  await sql`insert into recall_people (recall_id, user_id, org_id, told_at)
    select ${recallId}, "userId", "orgId", ${ctx.now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(whom)}::jsonb) as n("userId" bigint, "orgId" bigint)
    order by 2 on conflict do nothing`.execute(ctx.db)
}

export const recallHandlers = { recall, unrecall, confirmEnd }
