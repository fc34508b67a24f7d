import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, nameFor, visible } from '../../../server/context.ts'
import { rowOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import { Refusal } from '../../../shared/errors.ts'
import { say } from '../../../shared/text.ts'
import { isClosed } from '../../machines/rules.ts'
import type { lanes } from '../contract.ts'
import { laneErrors } from '../errors.ts'
import {
  type Doc,
  diffDocs,
  type Placed,
  type Plan,
  restorePlan as planned,
  type Skip,
  type Target,
} from '../planogram.ts'
import { floorName } from '../rules.ts'
import { shownChanges, VersionRow } from '../versionContract.ts'
import { finish, type Opened, open } from './change.ts'
import { docOf } from './documents.ts'
import * as q from './queries.ts'

type Contract = typeof lanes

const version = (ctx: Ctx, device: q.Device) =>
  shape(VersionRow, ['planogram_versions', 'v'], {
    byName: nameFor(ctx, device.orgId, sql`v.by_name`),
    createTime: sql`v.created_at`,
    changes: sql`jsonb_array_length(v.diff)`,
    diff: sql`jsonb_path_query_array(v.diff, ${`$[0 to ${shownChanges - 1}]`}::jsonpath)`,
    current: sql`v.version = ${device.planogramVersion}`,
  })

const versions: Handlers<Contract>['versions'] = async (ctx, input) => {
  const device = found(await q.device(ctx, input.deviceId))
  const { rows, total } = await version(ctx, device).page(ctx.db, {
    from: sql`planogram_versions v`,
    where: [sql`v.device_id = ${device.id}`, visible(ctx, 'v.org_id', 'v.device_id')],
    sort: { version: sql`v.version` },
    last: sql`v.version`,
    input,
  })
  return { list: rows, total }
}

/** What a version says; one nobody kept, or of another machine, is not there. */
export async function storedDoc(ctx: Ctx, deviceId: number, version: number): Promise<Doc> {
  return found(await keptDoc(ctx, deviceId, version))
}
export async function keptDoc(
  ctx: Ctx,
  deviceId: number,
  version: number,
): Promise<Doc | undefined> {
  const kept = await rowOf<{ doc: Doc }>(ctx.db)`select v.doc from planogram_versions v
    where v.device_id = ${deviceId} and v.version = ${version}
      and ${visible(ctx, 'v.org_id', 'v.device_id')}`
  return kept?.doc
}

const compare: Handlers<Contract>['compare'] = async (ctx, input) => {
  const device = found(await q.device(ctx, input.deviceId))
  const doc = await storedDoc(ctx, device.id, input.target)
  const other =
    input.against === undefined
      ? await docOf(ctx, device.id)
      : await storedDoc(ctx, device.id, input.against)
  return { changes: diffDocs(doc, other) }
}

/** The machine as plans see it: its lanes and every product that is in them or is to come. */
export async function targetOf(
  ctx: Ctx,
  device: q.Device,
  lanes: readonly Placed[],
  doc: Doc,
): Promise<Target> {
  const ids = new Set(
    [...lanes, ...doc.lanes].flatMap((lane) => (lane.productId === null ? [] : [lane.productId])),
  )
  return { ...device, lanes, products: await q.usableProducts(ctx, [...ids], device.orgId) }
}

export const skipsOf = (ctx: Pick<Ctx, 'lang'>, skipped: readonly Skip[]) =>
  skipped.map(({ road, reason }) => ({ road, reason: say(reason, ctx.lang) }))
/** A plan as people read it. */
export const said = (
  ctx: Pick<Ctx, 'lang'>,
  plan: Pick<Plan, 'same' | 'skipped'>,
  write: readonly Placed[],
) => ({
  write: write.map((lane) => lane.roadIndex),
  same: plan.same,
  skipped: skipsOf(ctx, plan.skipped),
})
export const written = (plan: Plan, lanes: readonly Placed[]): Placed[] => {
  const ids = new Set(plan.changed.map((lane) => lane.id))
  return lanes.filter((lane) => ids.has(lane.id))
}

const restorePlan: Handlers<Contract>['restorePlan'] = async (ctx, input) => {
  const device = found(await q.device(ctx, input.deviceId))
  const doc = await storedDoc(ctx, device.id, input.target)
  const lanes = (await q.lanesOf(ctx, [device.id])).get(device.id) ?? []
  const plan = planned(doc, await targetOf(ctx, device, lanes, doc))
  return said(ctx, plan, written(plan, lanes))
}

/** Writes what of `doc` may be written; the names of levels go with it. Answers the plan. */
export async function putBack(ctx: Ctx, opened: Opened, doc: Doc): Promise<Plan> {
  const plan = planned(doc, await targetOf(ctx, opened.device, opened.all, doc))
  await q.saveLanes(ctx, plan.changed)
  const names = new Map(doc.floors.map((floor) => [floor.level, floor.name]))
  const renamed = (await q.floors(ctx, opened.device.id)).filter(
    (floor) => names.has(floor.level) && names.get(floor.level) !== floor.name,
  )
  const floors = renamed.map(({ id, level }) => ({
    id,
    name: names.get(level) || floorName(level),
  }))
  await q.nameFloors(ctx, floors)
  if (plan.changed.length + renamed.length === 0) throw new Refusal(laneErrors.nothingToWrite)
  return plan
}

const restore: Handlers<Contract>['restore'] = async (ctx, input) => {
  const device = found(await q.device(ctx, input.deviceId))
  if (isClosed(device)) throw new Refusal(laneErrors.closed)
  const doc = await storedDoc(ctx, device.id, input.target)
  const opened = await open(ctx, input)
  const plan = await putBack(ctx, opened, doc)
  const answer = said(ctx, plan, written(plan, opened.all))
  await finish(
    ctx,
    opened,
    input.undo ? 'UNDO' : 'RESTORE',
    { version: input.version },
    { restored: input.target, write: answer.write, skipped: plan.skipped },
  )
  return { ...answer, version: opened.version }
}

export const handlers: Pick<
  Handlers<Contract>,
  'versions' | 'compare' | 'restorePlan' | 'restore'
> = { versions, compare, restorePlan, restore }
