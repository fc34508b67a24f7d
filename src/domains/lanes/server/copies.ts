import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may, visible } from '../../../server/context.ts'
import { onlyRow } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import { Refusal } from '../../../shared/errors.ts'
import * as f from '../../../shared/fields.ts'
import { say } from '../../../shared/text.ts'
import type { lanes } from '../contract.ts'
import { CopyRow } from '../copyContract.ts'
import { laneErrors } from '../errors.ts'
import { type Doc, laneChanges, type Placed } from '../planogram.ts'
import { copyFrom, undoMs } from '../rules.ts'
import { copyParties, machinePlan, productsByOwner } from './copyPlans.ts'
import { copiesName } from './copyRun.ts'
import * as q from './queries.ts'
import { said, skipsOf, written } from './versions.ts'

type Contract = typeof lanes

const copyPlan: Handlers<Contract>['copyPlan'] = async (ctx, input) => {
  const { device, doc, targets } = await copyParties(ctx, input)
  const ids = targets.map((target) => target.id)
  const present = await q.lanesOf(ctx, ids)
  const products = await productsByOwner(ctx, targets, present, doc)
  const single = targets.length === 1
  const names = single
    ? await namesOf(ctx, doc, [...present.values()].flat())
    : new Map<number, string>()
  const list = targets.map((target) => {
    const found = machinePlan(
      target,
      present.get(target.id) ?? [],
      products.get(target.orgId) ?? new Map(),
      { doc, parts: input.parts, layout: input.layout },
    )
    return {
      deviceId: target.id,
      rtuNumber: target.rtuNumber,
      nickname: target.nickname,
      problem: say(found.problem, ctx.lang),
      creates: found.creates,
      ...said(ctx, found.plan, written(found.plan, found.lanes)),
      changes: single ? laneChanges(found.lanes, found.plan.changed, names) : [],
    }
  })
  return {
    version: device.planogramVersion,
    machines: list.filter((target) => target.write.length > 0 || target.creates).length,
    lanes: list.reduce((sum, target) => sum + target.write.length, 0),
    targets: list,
  }
}

async function namesOf(ctx: Ctx, doc: Doc, lanes: readonly Placed[]): Promise<Map<number, string>> {
  const ids = lanes.map((lane) => lane.productId)
  const known = await q.productNames(ctx, ids)
  for (const lane of doc.lanes)
    if (lane.productId !== null) known.set(lane.productId, lane.productName ?? '')
  return known
}

const copied = shape(
  CopyRow,
  ['lane_copies', 'c'],
  {
    rtuNumber: sql`d.rtu_number`,
    parts: sql`c.parts`,
    createTime: sql`c.created_at`,
    finishTime: sql`c.finished_at`,
    undoUntil: sql`case when c.undo_at is null then c.finished_at +
      make_interval(secs => ${undoMs / 1000}) end`,
  },
  ['machines', 'open', 'targets', 'can'],
)
const target = shape(
  CopyRow.shape.targets.element.extend({ copyId: f.id, afterVersion: z.number().nullable() }),
  ['lane_copy_targets', 't'],
  {
    rtuNumber: sql`d.rtu_number`,
    nickname: sql`d.nickname`,
    skipped: sql`t.skipped`,
  },
)

async function copiesWhere(ctx: Ctx, where: RawBuilder<unknown>): Promise<CopyRow[]> {
  const copies = await copied.all(
    ctx.db,
    sql`from lane_copies c join devices d on d.id = c.device_id
      where ${visible(ctx, 'c.org_id', 'c.device_id')} and ${where} order by c.id desc limit 5`,
  )
  const targets = await target.all(
    ctx.db,
    sql`from lane_copy_targets t join devices d on d.id = t.device_id
      where t.copy_id = any(${copies.map((copy) => copy.id)}::bigint[])
      and ${visible(ctx, 't.org_id', 't.device_id')} order by t.copy_id, t.device_id`,
  )
  const byCopy = Map.groupBy(targets, ({ copyId }) => copyId)
  return copies.map((copy) => {
    const machines = byCopy.get(copy.id) ?? []
    const undoable = copy.undoUntil !== null && ctx.now.getTime() <= Date.parse(copy.undoUntil)
    return {
      ...copy,
      machines: machines.length,
      open: machines.filter(({ state }) => state === 'WAITING' || state === 'UNDOING').length,
      targets: machines.map(({ copyId, afterVersion, ...one }) => ({
        ...one,
        skipped: skipsOf(ctx, one.skipped),
        problem: say(one.problem, ctx.lang),
      })),
      can: {
        undo:
          may(ctx, 'lane:copy') &&
          undoable &&
          machines.some(({ state, afterVersion }) => state === 'DONE' && afterVersion !== null),
      },
    }
  })
}
const copyOf = async (ctx: Ctx, id: number) => found((await copiesWhere(ctx, sql`c.id = ${id}`))[0])

const copy: Handlers<Contract>['copy'] = async (ctx, input) => {
  const { device, doc, targets } = await copyParties(ctx, input)
  const { id } = await onlyRow<{ id: number }>(
    ctx.db,
  )`insert into lane_copies (org_id, device_id, user_id, version, doc, parts, layout, created_at)
      values (${device.orgId}, ${device.id}, ${ctx.actor.userId}, ${device.planogramVersion},
        ${JSON.stringify(doc)},
        ${[...new Set(input.parts)]}, ${input.layout}, ${ctx.now}) returning id`
  await ctx.db
    .insertInto('lane_copy_targets')
    .values(
      targets.map((target) => ({
        copy_id: id,
        org_id: target.orgId,
        device_id: target.id,
        next_at: ctx.now,
      })),
    )
    .execute()
  const names = targets.map((target) => target.rtuNumber)
  ctx.audit({
    id: device.id,
    name: device.rtuNumber,
    after: { targets: names, parts: input.parts, layout: input.layout },
    orgId: device.orgId,
  })
  ctx.touch('lane-copies')
  ctx.afterCommit(() => ctx.app.jobs.poke(copiesName))
  return copyOf(ctx, id)
}

const copyUndo: Handlers<Contract>['copyUndo'] = async (ctx, { id }) => {
  const before = await copyOf(ctx, id)
  if (!before.can.undo) throw new Refusal(laneErrors.undoTooLate)
  const changed =
    await sql`update lane_copies c set undo_by = ${ctx.actor.userId}, undo_at = ${ctx.now}
    where c.id = ${id} and c.undo_at is null
      and c.finished_at >= ${new Date(ctx.now.getTime() - undoMs)}
      and ${visible(ctx, 'c.org_id', 'c.device_id')}`.execute(ctx.db)
  if (!changed.numAffectedRows) throw new Refusal(laneErrors.undoTooLate)
  await sql`update lane_copy_targets t set state = 'UNDOING', attempts = 0, next_at = ${ctx.now}
    where t.copy_id = ${id} and t.state = any(${copyFrom('UNDOING')})
      and t.after_version is not null and ${visible(ctx, 't.org_id', 't.device_id')}`.execute(
    ctx.db,
  )
  ctx.audit({
    id: before.deviceId,
    name: before.rtuNumber,
    after: { copy: id, machines: before.targets.map((target) => target.rtuNumber) },
  })
  ctx.touch('lane-copies')
  ctx.afterCommit(() => ctx.app.jobs.poke(copiesName))
  return copyOf(ctx, id)
}

export const handlers: Pick<
  Handlers<Contract>,
  'copyPlan' | 'copy' | 'copies' | 'copyState' | 'copyUndo'
> = {
  copyPlan,
  copy,
  async copies(ctx, { deviceId }) {
    const device = found(await q.device(ctx, deviceId))
    return { list: await copiesWhere(ctx, sql`c.device_id = ${device.id}`) }
  },
  copyState: (ctx, { id }) => copyOf(ctx, id),
  copyUndo,
}
