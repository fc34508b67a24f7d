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
import { laneChanges } from '../planogram.ts'
import { copyFrom, undoMs } from '../rules.ts'
import { logLanes } from './change.ts'
import { copyParties, machinePlan, productsByOwner } from './copyPlans.ts'
import { copiesName } from './copyRun.ts'
import * as q from './queries.ts'
import { said, skipsOf } from './versions.ts'

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
  { rtuNumber: sql`d.rtu_number`, nickname: sql`d.nickname`, skipped: sql`t.skipped` },
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
  return copies.map((copy) => {
    const machines = targets.filter(({ copyId }) => copyId === copy.id)
    const inTime = copy.undoUntil !== null && ctx.now.getTime() <= Date.parse(copy.undoUntil)
    const written = machines.some((one) => one.state === 'DONE' && one.afterVersion !== null)
    return {
      ...copy,
      machines: machines.length,
      open: machines.filter(({ state }) => state === 'WAITING' || state === 'UNDOING').length,
      targets: machines.map(({ copyId, afterVersion, ...one }) => ({
        ...one,
        skipped: skipsOf(ctx, one.skipped),
        problem: say(one.problem, ctx.lang),
      })),
      can: { undo: may(ctx, 'lane:copy') && inTime && written },
    }
  })
}
const copyOf = async (ctx: Ctx, id: number) => found((await copiesWhere(ctx, sql`c.id = ${id}`))[0])

/** The copy with machines that are to be written or taken back; the worker is woken. */
function begun(ctx: Ctx, id: number): Promise<CopyRow> {
  ctx.touch('lane-copies')
  ctx.afterCommit(() => ctx.app.jobs.poke(copiesName))
  return copyOf(ctx, id)
}

export const handlers = {
  async copyPlan(ctx, input) {
    const { device, doc, targets } = await copyParties(ctx, input)
    const present = await q.lanesByDevice(
      ctx,
      targets.map((target) => target.id),
    )
    const products = await productsByOwner(ctx, targets, present, doc)
    const single = targets.length === 1
    const names = new Map<number, string>()
    if (single) {
      const here = [...present.values()].flat().map((lane) => lane.productId)
      for (const [id, name] of await q.productNames(ctx, here)) names.set(id, name)
      for (const { productId, productName } of doc.lanes)
        if (productId !== null) names.set(productId, productName ?? '')
    }
    const list = targets.map((target) => {
      const own = products.get(target.orgId) ?? new Map()
      const found = machinePlan(target, present.get(target.id) ?? [], own, { ...input, doc })
      return {
        deviceId: target.id,
        rtuNumber: target.rtuNumber,
        nickname: target.nickname,
        problem: say(found.problem, ctx.lang),
        creates: found.creates,
        ...said(ctx, found.plan),
        changes: single ? laneChanges(found.lanes, found.plan.changed, names) : [],
      }
    })
    return {
      version: device.planogramVersion,
      machines: list.filter((target) => target.write.length > 0 || target.creates).length,
      lanes: list.reduce((sum, target) => sum + target.write.length, 0),
      targets: list,
    }
  },
  async copy(ctx, input) {
    const { device, doc, targets } = await copyParties(ctx, input)
    const { parts, layout } = input
    const { id } = await onlyRow<{ id: number }>(ctx.db)`insert into lane_copies (org_id, device_id,
        user_id, version, doc, parts, layout, created_at)
      values (${device.orgId}, ${device.id}, ${ctx.actor.userId}, ${device.planogramVersion},
        ${JSON.stringify(doc)}, ${[...new Set(parts)]}, ${layout}, ${ctx.now}) returning id`
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
    logLanes(ctx, device, { targets: targets.map((target) => target.rtuNumber), parts, layout })
    return begun(ctx, id)
  },
  async copies(ctx, { deviceId }) {
    const device = found(await q.device(ctx, deviceId))
    return { list: await copiesWhere(ctx, sql`c.device_id = ${device.id}`) }
  },
  copyState: (ctx, { id }) => copyOf(ctx, id),
  async copyUndo(ctx, { id }) {
    const before = await copyOf(ctx, id)
    if (!before.can.undo) throw new Refusal(laneErrors.undoTooLate)
    const changed = await sql`update lane_copies c
      set undo_by = ${ctx.actor.userId}, undo_at = ${ctx.now}
      where c.id = ${id} and c.undo_at is null
        and c.finished_at >= ${new Date(ctx.now.getTime() - undoMs)}
        and ${visible(ctx, 'c.org_id', 'c.device_id')}`.execute(ctx.db)
    if (!changed.numAffectedRows) throw new Refusal(laneErrors.undoTooLate)
    await sql`update lane_copy_targets t set state = 'UNDOING', attempts = 0, next_at = ${ctx.now}
      where t.copy_id = ${id} and t.state = any(${copyFrom('UNDOING')})
        and t.after_version is not null
        and ${visible(ctx, 't.org_id', 't.device_id')}`.execute(ctx.db)
    ctx.audit({
      id: before.deviceId,
      name: before.rtuNumber,
      after: { copy: id, machines: before.targets.map((target) => target.rtuNumber) },
    })
    return begun(ctx, id)
  },
} satisfies Partial<Handlers<typeof lanes>>
