import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, iso, isoOrNull, may, visible } from '../../../server/context.ts'
import { Refusal } from '../../../shared/errors.ts'
import { say } from '../../../shared/text.ts'
import type { lanes } from '../contract.ts'
import type { CopyRow } from '../copyContract.ts'
import { laneErrors } from '../errors.ts'
import { type Doc, laneChanges, type Part, type Placed, type Skip } from '../planogram.ts'
import { type CopyState, copyFrom, undoMs } from '../rules.ts'
import { copyParties, machinePlan, productsByOwner } from './copyPlans.ts'
import { copiesName } from './copyRun.ts'
import * as q from './queries.ts'
import { said, written } from './versions.ts'

type Contract = typeof lanes

const copyPlan: Handlers<Contract>['copyPlan'] = async (ctx, input) => {
  const { device, doc, targets } = await copyParties(ctx, input)
  const present = await q.lanesOf(
    ctx,
    targets.map((target) => target.id),
  )
  const products = await productsByOwner(ctx, targets, present, doc)
  const single = targets.length === 1
  const names = single ? await namesOf(ctx, doc, [...present.values()].flat()) : new Map<number, string>()
  const list = targets.map((target) => {
    const found = machinePlan(target, present.get(target.id) ?? [], products.get(target.org_id) ?? new Map(), { doc, parts: input.parts, layout: input.layout })
    return {
      deviceId: target.id,
      rtuNumber: target.rtu_number,
      nickname: target.nickname,
      problem: say(found.problem, ctx.lang),
      creates: found.creates,
      ...said(ctx, found.plan, written(found.plan, found.lanes)),
      changes: single ? laneChanges(found.lanes, found.plan.changed, names) : [],
    }
  })
  return {
    version: device.planogram_version,
    machines: list.filter((target) => target.write.length > 0 || target.creates).length,
    lanes: list.reduce((sum, target) => sum + target.write.length, 0),
    targets: list,
  }
}

async function namesOf(ctx: Ctx, doc: Doc, lanes: readonly Placed[]): Promise<Map<number, string>> {
  const known = await q.productNames(
    ctx,
    lanes.map((lane) => lane.productId),
  )
  for (const lane of doc.lanes) if (lane.productId !== null) known.set(lane.productId, lane.productName ?? '')
  return known
}

type Copy = {
  id: number
  device_id: number
  rtu_number: string
  version: number
  parts: Part[]
  created_at: Date
  finished_at: Date | null
  undo_at: Date | null
}
type TargetRow = {
  copy_id: number
  device_id: number
  rtu_number: string
  nickname: string
  state: CopyState
  after_version: number | null
  written: number
  skipped: Skip[]
  problem: string
}

async function rows(ctx: Ctx, where: { id?: number; deviceId?: number }): Promise<CopyRow[]> {
  const { rows: copies } = await sql<Copy>`select c.id, c.device_id, d.rtu_number, c.version, c.parts, c.created_at, c.finished_at, c.undo_at
    from lane_copies c join devices d on d.id = c.device_id where ${visible(ctx, 'c.org_id', 'c.device_id')}
      and ${where.id === undefined ? sql`c.device_id = ${where.deviceId}` : sql`c.id = ${where.id}`} order by c.id desc limit 5`.execute(ctx.db)
  const { rows: targets } =
    await sql<TargetRow>`select t.copy_id, t.device_id, d.rtu_number, d.nickname, t.state, t.after_version, t.written, t.skipped, t.problem
    from lane_copy_targets t join devices d on d.id = t.device_id where t.copy_id = any(${copies.map((copy) => copy.id)}::bigint[])
      and ${visible(ctx, 't.org_id', 't.device_id')} order by t.copy_id, t.device_id`.execute(ctx.db)
  const byCopy = Map.groupBy(targets, (target) => target.copy_id)
  return copies.map((copy) => present(ctx, copy, byCopy.get(copy.id) ?? []))
}

const undoable = (now: Date, copy: Pick<Copy, 'finished_at' | 'undo_at'>): boolean =>
  copy.finished_at !== null && copy.undo_at === null && now.getTime() <= copy.finished_at.getTime() + undoMs

function present(ctx: Ctx, copy: Copy, targets: readonly TargetRow[]): CopyRow {
  const end = copy.finished_at && copy.undo_at === null ? new Date(copy.finished_at.getTime() + undoMs) : null
  return {
    id: copy.id,
    deviceId: copy.device_id,
    rtuNumber: copy.rtu_number,
    version: copy.version,
    parts: copy.parts,
    createTime: iso(copy.created_at),
    finishTime: isoOrNull(copy.finished_at),
    undoUntil: isoOrNull(end),
    machines: targets.length,
    open: targets.filter(({ state }) => state === 'WAITING' || state === 'UNDOING').length,
    targets: targets.map((target) => ({
      deviceId: target.device_id,
      rtuNumber: target.rtu_number,
      nickname: target.nickname,
      state: target.state,
      written: target.written,
      skipped: target.skipped.map(({ road, reason }) => ({ road, reason: say(reason, ctx.lang) })),
      problem: say(target.problem, ctx.lang),
    })),
    can: { undo: may(ctx, 'lane:copy') && undoable(ctx.now, copy) && targets.some((target) => target.state === 'DONE' && target.after_version !== null) },
  }
}

const copy: Handlers<Contract>['copy'] = async (ctx, input) => {
  const { device, doc, targets } = await copyParties(ctx, input)
  const { id } = await ctx.db
    .insertInto('lane_copies')
    .values({
      org_id: device.org_id,
      device_id: device.id,
      user_id: ctx.actor.userId as number,
      version: device.planogram_version,
      doc: JSON.stringify(doc),
      parts: [...new Set(input.parts)],
      layout: input.layout,
      created_at: ctx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await ctx.db
    .insertInto('lane_copy_targets')
    .values(targets.map((target) => ({ copy_id: id, org_id: target.org_id, device_id: target.id, next_at: ctx.now })))
    .execute()
  const names = targets.map((target) => target.rtu_number)
  ctx.audit({ id: device.id, name: device.rtu_number, after: { targets: names, parts: input.parts, layout: input.layout }, orgId: device.org_id })
  ctx.touch('lane-copies')
  ctx.afterCommit(() => ctx.app.jobs.poke(copiesName))
  return found((await rows(ctx, { id }))[0])
}

const copyUndo: Handlers<Contract>['copyUndo'] = async (ctx, { id }) => {
  const before = found((await rows(ctx, { id }))[0])
  if (!before.can.undo) throw new Refusal(laneErrors.undoTooLate)
  const changed = await sql`update lane_copies c set undo_by = ${ctx.actor.userId}, undo_at = ${ctx.now}
    where c.id = ${id} and c.undo_at is null and c.finished_at >= ${new Date(ctx.now.getTime() - undoMs)} and ${visible(ctx, 'c.org_id', 'c.device_id')}`.execute(
    ctx.db,
  )
  if (!changed.numAffectedRows) throw new Refusal(laneErrors.undoTooLate)
  await sql`update lane_copy_targets t set state = 'UNDOING', attempts = 0, next_at = ${ctx.now}
    where t.copy_id = ${id} and t.state = any(${copyFrom('UNDOING')}) and t.after_version is not null and ${visible(ctx, 't.org_id', 't.device_id')}`.execute(
    ctx.db,
  )
  ctx.audit({ id: before.deviceId, name: before.rtuNumber, after: { copy: id, machines: before.targets.map((target) => target.rtuNumber) } })
  ctx.touch('lane-copies')
  ctx.afterCommit(() => ctx.app.jobs.poke(copiesName))
  return found((await rows(ctx, { id }))[0])
}

export const handlers: Pick<Handlers<Contract>, 'copyPlan' | 'copy' | 'copies' | 'copyState' | 'copyUndo'> = {
  copyPlan,
  copy,
  async copies(ctx, { deviceId }) {
    const device = found(await q.device(ctx, deviceId))
    return { list: await rows(ctx, { deviceId: device.id }) }
  },
  copyState: async (ctx, { id }) => found((await rows(ctx, { id }))[0]),
  copyUndo,
}
