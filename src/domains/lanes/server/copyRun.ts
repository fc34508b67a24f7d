import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { inOneAct, type Kind, type Piece } from '../../../server/work.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { skips } from '../errors.ts'
import type { Doc, Part, Placed, Plan, Skip } from '../planogram.ts'
import { type CopyState, copyFrom } from '../rules.ts'
import { finish, type Opened } from './change.ts'
import { levelsOf, machinePlan, productsByOwner } from './copyPlans.ts'
import { docOf } from './documents.ts'
import { inNameOf } from './person.ts'
import * as q from './queries.ts'
import { putBack, storedDoc } from './versions.ts'

type Asked = { orgId: number; userId: number; doc: Doc; parts: Part[]; layout: 'SAME' | 'CREATE' }
/** One machine of a copy. */
type Target = Piece & {
  copy_id: number
  device_id: number
  state: CopyState
  before_version: number | null
  after_version: number | null
  copy: Asked
}
type Job = Target & Asked
export const copiesName = 'lane-copies'

const pieces = { table: 'lane_copy_targets' }

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
    const job = { ...target, ...target.copy }
    const work = {
      WAITING: ['lanes.copied', write],
      UNDOING: ['lanes.uncopied', takeBack],
    } as const
    if (job.state === 'WAITING' || job.state === 'UNDOING') {
      const [audit, one] = work[job.state]
      const caller = await inNameOf(app, job.userId, 'lane:copy')
      await inOneAct(app, pieces, target, caller, audit, (ctx) => one(ctx, job))
    }
    // else whoever did it died before the mark
    return { state: 'DONE' }
  },
  async mark(ctx, target, to) {
    // machines of a copy that end together end one after the other, or each would see the other
    // still at it
    await sql`select 1 from lane_copies where id = ${target.copy_id} for no key update`.execute(
      ctx.db,
    )
    if (to.state === 'FAILED')
      await end(ctx, target, target.state === 'WAITING' ? 'FAILED' : 'KEPT', { problem: to.reason })
    await sql`update lane_copy_targets set next_at = ${to.nextAt} where ${target.ours}`.execute(
      ctx.db,
    )
    await finishCopy(ctx, target)
  },
})

type Result = {
  problem?: string
  written?: number
  skipped?: readonly Skip[]
  before?: number
  after?: number
}
async function end(ctx: Ctx, job: Target, state: CopyState, result: Result): Promise<void> {
  const {
    problem = '',
    written = 0,
    skipped = [],
    before = job.before_version,
    after = job.after_version,
  } = result
  await sql`update lane_copy_targets
    set state = ${state}, problem = ${problem}, written = ${written},
      skipped = ${JSON.stringify(skipped)}::jsonb,
      before_version = ${before}, after_version = ${after}, done_at = ${ctx.now}
    where ${job.ours} and state = any(${copyFrom(state)})`.execute(ctx.db)
}

async function opened(ctx: Ctx, device: q.Device, all: q.LockedLane[]): Promise<Opened> {
  const before = await docOf(ctx, device.id)
  await q.nextVersion(ctx, device, device.planogramVersion)
  return { device, all, version: device.planogramVersion + 1, before }
}

async function write(ctx: Ctx, job: Job): Promise<void> {
  const device = await q.lockDevice(ctx, job.device_id)
  if (!device) throw new Refusal({ ...common.notFound, text: skips.gone })
  const all = await q.lockAll(ctx, device.id)
  const products =
    (await productsByOwner(ctx, [device], new Map([[device.id, all]]), job.doc)).get(
      device.orgId,
    ) ?? new Map()
  const { problem, creates, plan } = machinePlan(device, all, products, job)
  if (problem) throw new Refusal({ ...common.refused, text: problem })
  const said = { copy: job.copy_id, written: plan.changed.length, skipped: plan.skipped }
  if (!creates && plan.changed.length === 0) {
    ctx.audit({ id: device.id, name: device.rtuNumber, after: said, orgId: device.orgId })
    await end(ctx, job, 'DONE', { skipped: plan.skipped })
    return
  }
  const open = await opened(ctx, device, all)
  const done = creates ? await drawAndFill(ctx, open, job, products) : plan
  if (!creates) await q.saveLanes(ctx, plan.changed)
  await finish(
    ctx,
    open,
    'COPY',
    { version: device.planogramVersion },
    { ...said, written: done.changed.length },
  )
  await end(ctx, job, 'DONE', {
    written: done.changed.length,
    skipped: done.skipped,
    before: device.planogramVersion,
    after: open.version,
  })
}

/** Lanes like those of the source for a machine that had none: drawn, joined, filled. */
async function drawAndFill(
  ctx: Ctx,
  { device }: Opened,
  job: Job,
  products: Parameters<typeof machinePlan>[2],
): Promise<Plan> {
  await q.draw(ctx, device, levelsOf(job.doc))
  const fresh = await q.lockAll(ctx, device.id)
  const at = new Map(fresh.map((lane) => [`${lane.level}.${lane.col}`, lane]))
  const source = new Map(job.doc.lanes.map((lane) => [lane.road, lane]))
  const joined: Placed[] = job.doc.lanes.flatMap((lane) => {
    const own = at.get(`${lane.level}.${lane.col}`)
    const main = lane.mergedInto === null ? undefined : source.get(lane.mergedInto)
    const into = main && at.get(`${main.level}.${main.col}`)
    return own && into ? [{ ...own, status: 'MERGED' as const, mergedInto: into.id }] : []
  })
  await q.saveLanes(ctx, joined)
  const { plan } = machinePlan(device, await q.lockAll(ctx, device.id), products, job, true)
  await q.saveLanes(ctx, plan.changed)
  return plan
}

async function takeBack(ctx: Ctx, job: Job): Promise<void> {
  const device = await q.lockDevice(ctx, job.device_id)
  if (!device) throw new Refusal({ ...common.notFound, text: skips.gone })
  if (device.planogramVersion !== job.after_version)
    throw new Refusal({ ...common.stale, text: skips.changed })
  const before = job.before_version ?? 0
  const doc = before > 0 ? await storedDoc(ctx, device.id, before) : { floors: [], lanes: [] }
  const all = await q.lockAll(ctx, device.id)
  const open = await opened(ctx, device, all)
  let skipped: readonly Skip[] = []
  if (doc.lanes.length > 0) skipped = (await putBack(ctx, open, doc)).skipped
  else {
    // lanes that the copy drew go again, unless somebody filled them
    if (all.some((lane) => lane.quantity > 0))
      throw new Refusal({ ...common.refused, text: skips.filled })
    await q.archive(ctx, device.id)
  }
  await finish(
    ctx,
    open,
    'UNDO',
    { version: device.planogramVersion },
    { copy: job.copy_id, restored: before, skipped },
  )
  await end(ctx, job, 'UNDONE', { skipped })
}

/**
 * The last machine ends the copy: from here the ten minutes run. Open screens hear of every
 * machine.
 */
async function finishCopy(ctx: Ctx, { copy_id, copy }: Target): Promise<void> {
  await sql`update lane_copies c set finished_at = ${ctx.now}
    where c.id = ${copy_id} and c.finished_at is null
    and not exists (select from lane_copy_targets t
      where t.copy_id = c.id and t.next_at is not null)`.execute(ctx.db)
  ctx.touch('lane-copies', copy.orgId)
}
