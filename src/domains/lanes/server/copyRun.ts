import { sql } from 'kysely'
import { type App, type Ctx, type Refused, refused } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { act } from '../../../server/run.ts'
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

/** One machine of a copy. Its row is the intent: what a killed process left WAITING or UNDOING, the next one does. */
type Job = {
  copy_id: number
  device_id: number
  state: 'WAITING' | 'UNDOING'
  attempts: number
  before_version: number | null
  after_version: number | null
  source_id: number
  user_id: number
  doc: Doc
  parts: Part[]
  layout: 'SAME' | 'CREATE'
}
const mostAttempts = 3

const takeJob = (app: App): Promise<Job | undefined> =>
  app.database.transact(systemScope, async (db) => {
    const { rows } = await sql<Job>`
      with next as (select copy_id, device_id from lane_copy_targets where state in ('WAITING', 'UNDOING') order by copy_id, device_id limit 1 for update skip locked)
      update lane_copy_targets t set attempts = t.attempts + 1 from next, lane_copies c
      where t.copy_id = next.copy_id and t.device_id = next.device_id and c.id = t.copy_id
      returning t.copy_id, t.device_id, t.state, t.attempts, t.before_version, t.after_version, c.device_id as source_id,
        case t.state when 'WAITING' then c.user_id else c.undo_by end as user_id, c.doc, c.parts, c.layout`.execute(db)
    return rows[0]
  })

/** Does one machine if there is one to do; true when there was. */
export async function runNextCopy(app: App): Promise<boolean> {
  const job = await takeJob(app)
  if (!job) return false
  try {
    if (job.attempts > mostAttempts) throw new Refusal(common.unexpected)
    const caller = await inNameOf(app, job.user_id, 'lane:copy')
    const audit = job.state === 'WAITING' ? 'lanes.copied' : 'lanes.uncopied'
    await act(app, caller, { audit, scope: 'actor' }, (ctx) => (job.state === 'WAITING' ? write(ctx, job) : takeBack(ctx, job)))
  } catch (error) {
    // anything else is tried again by the next turn
    if (!(error instanceof Refusal)) throw error
    await app.database.transact(systemScope, (db) => end({ db, now: app.now() }, job, job.state === 'WAITING' ? 'FAILED' : 'KEPT', { problem: error.def.text }))
  }
  await finishCopy(app, job.copy_id)
  return true
}

type Result = { problem?: string; written?: number; skipped?: readonly Skip[]; before?: number; after?: number }
async function end(ctx: Pick<Ctx, 'db' | 'now'>, job: Job, state: CopyState, result: Result): Promise<void> {
  const { problem = '', written = 0, skipped = [], before = job.before_version, after = job.after_version } = result
  await sql`update lane_copy_targets set state = ${state}, problem = ${problem}, written = ${written}, skipped = ${JSON.stringify(skipped)}::jsonb,
      before_version = ${before}, after_version = ${after}, done_at = ${ctx.now}
    where copy_id = ${job.copy_id} and device_id = ${job.device_id} and state = any(${copyFrom(state)})`.execute(ctx.db)
}

/** The row of the machine, ours until the transaction ends; somebody else at it leaves it to him. */
async function held(ctx: Ctx, job: Job): Promise<boolean> {
  const { rows } = await sql`select 1 from lane_copy_targets where copy_id = ${job.copy_id} and device_id = ${job.device_id} and state = ${job.state}
    for update skip locked`.execute(ctx.db)
  return rows.length > 0
}

async function opened(ctx: Ctx, device: q.Device, all: q.LockedLane[]): Promise<Opened> {
  const before = await docOf(ctx, device.id)
  await q.nextVersion(ctx, device, device.planogram_version)
  return { device, all, version: device.planogram_version + 1, before }
}

async function write(ctx: Ctx, job: Job): Promise<undefined | Refused> {
  if (!(await held(ctx, job))) return refused(common.stale)
  const device = await q.lockDevice(ctx, job.device_id)
  if (!device) throw new Refusal({ ...common.notFound, text: skips.gone })
  const all = await q.lockAll(ctx, device.id)
  const products = (await productsByOwner(ctx, [device], new Map([[device.id, all]]), job.doc)).get(device.org_id) ?? new Map()
  const { problem, creates, plan } = machinePlan(device, all, products, job)
  if (problem) throw new Refusal({ ...common.refused, text: problem })
  const said = { copy: job.copy_id, written: plan.changed.length, skipped: plan.skipped }
  if (!creates && plan.changed.length === 0) {
    ctx.audit({ id: device.id, name: device.rtu_number, after: said, orgId: device.org_id })
    await end(ctx, job, 'DONE', { skipped: plan.skipped })
    return undefined
  }
  const open = await opened(ctx, device, all)
  const done = creates ? await drawAndFill(ctx, open, job, products) : plan
  if (!creates) await q.saveLanes(ctx, plan.changed)
  await finish(ctx, open, 'COPY', { version: device.planogram_version }, { ...said, written: done.changed.length })
  await end(ctx, job, 'DONE', { written: done.changed.length, skipped: done.skipped, before: device.planogram_version, after: open.version })
  return undefined
}

/** Lanes like those of the source for a machine that had none: drawn, joined, filled. */
async function drawAndFill(ctx: Ctx, { device }: Opened, job: Job, products: Parameters<typeof machinePlan>[2]): Promise<Plan> {
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

async function takeBack(ctx: Ctx, job: Job): Promise<undefined | Refused> {
  if (!(await held(ctx, job))) return refused(common.stale)
  const device = await q.lockDevice(ctx, job.device_id)
  if (!device) throw new Refusal({ ...common.notFound, text: skips.gone })
  if (device.planogram_version !== job.after_version) throw new Refusal({ ...common.stale, text: skips.changed })
  const before = job.before_version ?? 0
  const doc = before > 0 ? await storedDoc(ctx, device.id, before) : { floors: [], lanes: [] }
  const all = await q.lockAll(ctx, device.id)
  const open = await opened(ctx, device, all)
  let skipped: readonly Skip[] = []
  if (doc.lanes.length > 0) skipped = (await putBack(ctx, open, doc)).skipped
  else {
    // lanes that the copy drew go again, unless somebody filled them
    if (all.some((lane) => lane.quantity > 0)) throw new Refusal({ ...common.refused, text: skips.filled })
    await q.archive(ctx, device.id)
  }
  await finish(ctx, open, 'UNDO', { version: device.planogram_version }, { copy: job.copy_id, restored: before, skipped })
  await end(ctx, job, 'UNDONE', { skipped })
  return undefined
}

/** The last machine ends the copy: from here the ten minutes run. Open screens hear of every machine. */
async function finishCopy(app: App, copyId: number): Promise<void> {
  const org = await app.database.transact(systemScope, async (db) => {
    await sql`update lane_copies c set finished_at = ${app.now()} where c.id = ${copyId} and c.finished_at is null
      and not exists (select from lane_copy_targets t where t.copy_id = c.id and t.state = 'WAITING')`.execute(db)
    const { rows } = await sql<{ org_id: number }>`select org_id from lane_copies where id = ${copyId}`.execute(db)
    return rows[0]?.org_id
  })
  if (org !== undefined) app.live.publish(['lane-copies'], org)
}
