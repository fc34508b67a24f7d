import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { inOneAct, type Kind, type Piece } from '../../../server/work.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { skips } from '../errors.ts'
import { type Doc, joinedTo, type Plan, type Skip } from '../planogram.ts'
import { type CopyState, copyFrom } from '../rules.ts'
import { finish, hold, logLanes, openHeld } from './change.ts'
import { levelsOf, machinePlan, type Wanted } from './copyPlans.ts'
import { noteSkipped } from './guard.ts'
import { inNameOf } from './person.ts'
import * as q from './queries.ts'
import { putBack, storedDoc, targetOf } from './versions.ts'

type Asked = Wanted & { orgId: number; userId: number }
/** One machine of a copy. */
type Target = Piece & {
  copy_id: number
  device_id: number
  state: CopyState
  before_version: number | null
  after_version: number | null
  copy: Asked
}
export const copiesName = 'lane-copies'

const pieces = { table: 'lane_copy_targets' }
const work = {
  WAITING: ['lanes.copied', write],
  UNDOING: ['lanes.uncopied', takeBack],
} as const

/**
 * Writes or takes back one machine after the other, each in the name of who asked, in one
 * transaction with its state.
 */
export const copyKind = (app: App): Kind<Target, { state: 'DONE' }> => ({
  name: copiesName,
  ...pieces,
  key: ['copy_id', 'device_id'],
  reads: sql`(select jsonb_build_object('orgId', c.org_id, 'doc', c.doc, 'parts', c.parts, 'layout',
    c.layout,
    'userId', case t.state when 'UNDOING' then c.undo_by else c.user_id end) from lane_copies c
    where c.id = t.copy_id) as copy`,
  atOnce: 1,
  leaseSeconds: 60,
  waits: [0, 10],
  async do(target) {
    if (target.state === 'WAITING' || target.state === 'UNDOING') {
      const [audit, one] = work[target.state]
      const caller = await inNameOf(app, target.copy.userId, 'lane:copy')
      await inOneAct(app, pieces, target, caller, audit, (ctx) => one(ctx, target))
    }
    // else whoever did it died before the mark
    return { state: 'DONE' }
  },
  async mark(ctx, target, to) {
    // machines of a copy that end together end one after the other, or each would see the other
    // still at it
    const { copy_id, copy, ours } = target
    await sql`select 1 from lane_copies where id = ${copy_id} for no key update`.execute(ctx.db)
    if (to.state === 'FAILED')
      await end(ctx, target, target.state === 'WAITING' ? 'FAILED' : 'KEPT', { problem: to.reason })
    await sql`update lane_copy_targets set next_at = ${to.nextAt} where ${ours}`.execute(ctx.db)
    // the last machine ends the copy: from here the ten minutes run
    await sql`update lane_copies c set finished_at = ${ctx.now}
      where c.id = ${copy_id} and c.finished_at is null
      and not exists (select from lane_copy_targets t
        where t.copy_id = c.id and t.next_at is not null)`.execute(ctx.db)
    ctx.touch('lane-copies', copy.orgId)
  },
})

type Result = {
  problem?: string
  written?: number
  skipped?: readonly Skip[]
  before?: number
  after?: number
}
async function end(ctx: Ctx, target: Target, state: CopyState, result: Result): Promise<void> {
  const { problem = '', written = 0, skipped = [] } = result
  const { before = target.before_version, after = target.after_version } = result
  await sql`update lane_copy_targets
    set state = ${state}, problem = ${problem}, written = ${written},
      skipped = ${JSON.stringify(skipped)}::jsonb,
      before_version = ${before}, after_version = ${after}, done_at = ${ctx.now}
    where ${target.ours} and state = any(${copyFrom(state)})`.execute(ctx.db)
}

async function write(ctx: Ctx, target: Target): Promise<void> {
  const held = await hold(ctx, target.device_id)
  const { device, all } = held
  const { products } = await targetOf(ctx, device, all, target.copy.doc)
  const { problem, creates, plan } = machinePlan(device, all, products, target.copy)
  if (problem) throw new Refusal({ ...common.refused, text: problem })
  const copy = { copy: target.copy_id, skipped: plan.skipped }
  if (!creates && plan.changed.length === 0) {
    noteSkipped(ctx, device, plan.skipped, productsOf(target.copy.doc), products)
    logLanes(ctx, device, { ...copy, written: 0 })
    return end(ctx, target, 'DONE', { skipped: plan.skipped })
  }
  const opened = await openHeld(ctx, held)
  if (!creates) await q.saveLanes(ctx, plan.changed)
  const done = creates ? await drawAndFill(ctx, device, target.copy, products) : plan
  noteSkipped(ctx, device, done.skipped, productsOf(target.copy.doc), products)
  const written = done.changed.length
  const before = device.planogramVersion
  await finish(ctx, opened, 'COPY', { version: before }, { ...copy, written })
  const { skipped } = done
  await end(ctx, target, 'DONE', { written, skipped, before, after: opened.version })
}

const productsOf = (doc: Doc) => new Map(doc.lanes.map((lane) => [lane.road, lane.productId]))

/** Lanes like those of the source for a machine that had none: drawn, joined, filled. */
async function drawAndFill(
  ctx: Ctx,
  device: q.Device,
  wanted: Wanted,
  products: Parameters<typeof machinePlan>[2],
): Promise<Plan> {
  const { doc } = wanted
  await q.draw(ctx, device, levelsOf(doc))
  const fresh = await q.lockAll(ctx, device.id)
  const at = new Map(fresh.map((lane) => [`${lane.level}.${lane.col}`, lane]))
  const drawn = new Map(doc.lanes.map((lane) => [lane.road, at.get(`${lane.level}.${lane.col}`)]))
  const joined = doc.lanes.flatMap(({ road, mergedInto }) => {
    const [lane, main] = [drawn.get(road), drawn.get(mergedInto ?? 0)]
    return lane && main ? [joinedTo(main.id, lane)] : []
  })
  await q.saveLanes(ctx, joined)
  const { plan } = machinePlan(device, await q.lockAll(ctx, device.id), products, wanted, true)
  await q.saveLanes(ctx, plan.changed)
  return plan
}

async function takeBack(ctx: Ctx, target: Target): Promise<void> {
  const held = await hold(ctx, target.device_id)
  const { device, all } = held
  if (device.planogramVersion !== target.after_version)
    throw new Refusal({ ...common.stale, text: skips.changed })
  const before = target.before_version ?? 0
  const doc: Doc = before > 0 ? await storedDoc(ctx, device.id, before) : { floors: [], lanes: [] }
  const opened = await openHeld(ctx, held)
  let skipped: Skip[] = []
  if (doc.lanes.length > 0) skipped = (await putBack(ctx, opened, doc)).skipped
  else {
    // lanes that the copy drew go again, unless somebody filled them
    if (all.some((lane) => lane.quantity > 0))
      throw new Refusal({ ...common.refused, text: skips.filled })
    await q.archive(ctx, device.id)
  }
  const after = { copy: target.copy_id, restored: before, skipped }
  await finish(ctx, opened, 'UNDO', { version: device.planogramVersion }, after)
  await end(ctx, target, 'UNDONE', { skipped })
}
