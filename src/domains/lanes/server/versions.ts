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
  restorePlan,
  type Target,
} from '../planogram.ts'
import { floorName } from '../rules.ts'
import { shownChanges, VersionRow } from '../versionContract.ts'
import { finish, type Opened, open } from './change.ts'
import { docOf } from './documents.ts'
import { noteSkipped } from './guard.ts'
import * as q from './queries.ts'

const version = (ctx: Ctx, device: q.Device) =>
  shape(VersionRow, ['planogram_versions', 'v'], {
    byName: nameFor(ctx, device.orgId, sql`v.by_name`),
    createTime: sql`v.created_at`,
    changes: sql`jsonb_array_length(v.diff)`,
    diff: sql`jsonb_path_query_array(v.diff, ${`$[0 to ${shownChanges - 1}]`}::jsonpath)`,
    current: sql`v.version = ${device.planogramVersion}`,
  })

/** What a version says; one nobody kept, or of another machine, is not there. */
export async function keptDoc(ctx: Ctx, deviceId: number, version: number) {
  const kept = await rowOf<{ doc: Doc }>(ctx.db)`select v.doc from planogram_versions v
    where v.device_id = ${deviceId} and v.version = ${version}
      and ${visible(ctx, 'v.org_id', 'v.device_id')}`
  return kept?.doc
}
export const storedDoc = async (ctx: Ctx, deviceId: number, version: number): Promise<Doc> =>
  found(await keptDoc(ctx, deviceId, version))

/** The machine as plans see it: its lanes and every product that is in them or is to come. */
export async function targetOf(
  ctx: Ctx,
  device: q.Device,
  lanes: readonly Placed[],
  doc: Doc,
): Promise<Target> {
  const ids = [...lanes, ...doc.lanes].map((lane) => lane.productId)
  return { ...device, lanes, products: await q.usableProducts(ctx, ids, device.orgId) }
}

/** A plan as people read it. */
export const said = (ctx: Pick<Ctx, 'lang'>, { changed, same, skipped }: Plan) => ({
  write: changed.map((lane) => lane.roadIndex),
  same,
  skipped: skipsOf(ctx, skipped),
})
export const skipsOf = (ctx: Pick<Ctx, 'lang'>, skipped: Plan['skipped']) =>
  skipped.map(({ road, reason }) => ({ road, reason: say(reason, ctx.lang) }))

/** Writes what of `doc` may be written; the names of levels go with it. Answers the plan. */
export async function putBack(ctx: Ctx, { device, all }: Opened, doc: Doc): Promise<Plan> {
  const target = await targetOf(ctx, device, all, doc)
  const plan = restorePlan(doc, target)
  const wanted = new Map(doc.lanes.map((lane) => [lane.road, lane.productId]))
  noteSkipped(ctx, device, plan.skipped, wanted, target.products)
  await q.saveLanes(ctx, plan.changed)
  const names = new Map(doc.floors.map((floor) => [floor.level, floor.name]))
  const renamed = (await q.floors(ctx, device.id)).flatMap(({ id, level, name: was }) => {
    const name = names.get(level)
    return name === undefined || name === was ? [] : [{ id, name: name || floorName(level) }]
  })
  await q.nameFloors(ctx, renamed)
  if (plan.changed.length + renamed.length === 0) throw new Refusal(laneErrors.nothingToWrite)
  return plan
}

export const handlers = {
  async versions(ctx, input) {
    const device = found(await q.device(ctx, input.deviceId))
    const { rows, total } = await version(ctx, device).page(ctx.db, {
      from: sql`planogram_versions v`,
      where: [sql`v.device_id = ${device.id}`, visible(ctx, 'v.org_id', 'v.device_id')],
      sort: { version: sql`v.version` },
      last: sql`v.version`,
      input,
    })
    return { list: rows, total }
  },
  async compare(ctx, { deviceId, target, against }) {
    const { id } = found(await q.device(ctx, deviceId))
    const doc = await storedDoc(ctx, id, target)
    const other = against === undefined ? docOf(ctx, id) : storedDoc(ctx, id, against)
    return { changes: diffDocs(doc, await other) }
  },
  async restorePlan(ctx, input) {
    const device = found(await q.device(ctx, input.deviceId))
    const doc = await storedDoc(ctx, device.id, input.target)
    const lanes = await q.lanesOf(ctx, device.id)
    return said(ctx, restorePlan(doc, await targetOf(ctx, device, lanes, doc)))
  },
  async restore(ctx, input) {
    const device = found(await q.device(ctx, input.deviceId))
    if (isClosed(device)) throw new Refusal(laneErrors.closed)
    const doc = await storedDoc(ctx, device.id, input.target)
    const opened = await open(ctx, input)
    const plan = await putBack(ctx, opened, doc)
    const answer = said(ctx, plan)
    const after = { restored: input.target, write: answer.write, skipped: plan.skipped }
    await finish(ctx, opened, input.undo ? 'UNDO' : 'RESTORE', { version: input.version }, after)
    return { ...answer, version: opened.version }
  },
} satisfies Partial<Handlers<typeof lanes>>
