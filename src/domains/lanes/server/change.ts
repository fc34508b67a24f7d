import { type Ctx, found } from '../../../server/context.ts'
import { columns } from '../../../server/shapes.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { isClosed } from '../../machines/rules.ts'
import { refreshDeviceCounters } from '../../machines/server/counters.ts'
import { want } from '../../machines/server/shadows.ts'
import { laneErrors, skips } from '../errors.ts'
import { type Doc, diffDocs } from '../planogram.ts'
import type { Change, VersionRow } from '../versionContract.ts'
import { docOf } from './documents.ts'
import * as q from './queries.ts'

/** A machine whose lanes are about to change, with its lanes locked. */
type Held = { device: q.Device; all: q.LockedLane[] }
/** Its next version is taken, and how the lanes were is known. */
export type Opened = Held & { version: number; before: Doc }
export type Source = VersionRow['source']
type Kept = Pick<VersionRow, 'version' | 'source' | 'byName'> & { byUser: number | null }

export const pickLane = (all: readonly q.LockedLane[], id: number): q.LockedLane =>
  found(all.find((lane) => lane.id === id))
export const pickLanes = (all: readonly q.LockedLane[], ids: readonly number[]) =>
  [...new Set(ids)].map((id) => pickLane(all, id))

/** At the version the person saw. */
export async function open(
  ctx: Ctx,
  { deviceId, version }: { deviceId: number; version: number },
): Promise<Opened> {
  const device = found(await q.device(ctx, deviceId))
  if (isClosed(device)) throw new Refusal(laneErrors.closed)
  if (!(await q.nextVersion(ctx, device, version))) throw new Refusal(common.stale)
  const all = await q.lockAll(ctx, device.id)
  return { device, all, version: version + 1, before: await docOf(ctx, device.id) }
}

/** For work after the request: held while what may be written is found out … */
export async function hold(ctx: Ctx, deviceId: number): Promise<Held> {
  const device = await q.lockDevice(ctx, deviceId)
  if (!device) throw new Refusal({ ...common.notFound, text: skips.gone })
  return { device, all: await q.lockAll(ctx, device.id) }
}
/** … and its version is taken only if something is. */
export async function openHeld(ctx: Ctx, { device, all }: Held): Promise<Opened> {
  const before = await docOf(ctx, device.id)
  await q.nextVersion(ctx, device, device.planogramVersion)
  return { device, all, version: device.planogramVersion + 1, before }
}

/** The line of the log about a machine's lanes. */
export const logLanes = (
  ctx: Ctx,
  { id, rtuNumber, orgId }: Pick<q.Device, 'id' | 'rtuNumber' | 'orgId'>,
  after: unknown,
  before?: unknown,
) => ctx.audit({ id, name: rtuNumber, before, after, orgId })

/** Every change of settings ends here. */
export async function finish(
  ctx: Ctx,
  opened: Opened,
  source: Source,
  was: unknown,
  is: unknown,
): Promise<void> {
  await keep(ctx, opened, source)
  logLanes(ctx, opened.device, is, was)
}

/** Version, counters and live screens; whoever changes many machines writes the log himself. */
export async function keep(
  ctx: Ctx,
  { device, version, before }: Opened,
  source: Source,
): Promise<void> {
  const { id: deviceId, orgId } = device
  const { userId, username } = ctx.actor
  const store = (kept: Kept, doc: Doc, diff: Change[]) =>
    ctx.db.insertInto('planogram_versions').values({
      ...columns('planogram_versions', { ...kept, deviceId, orgId }),
      doc: JSON.stringify(doc),
      diff: JSON.stringify(diff),
      created_at: ctx.now,
    })
  // lanes of a machine are older than their first change
  if (version > 1)
    await store({ version: version - 1, source: 'FIRST', byUser: null, byName: '' }, before, [])
      .onConflict((same) => same.doNothing())
      .execute()
  const after = await docOf(ctx, deviceId)
  const changes = diffDocs(before, after)
  await store({ version, source, byUser: userId, byName: username }, after, changes).execute()
  refreshDeviceCounters(ctx, [deviceId])
  await want(ctx, 'PLANOGRAM', [{ deviceId, orgId, version }])
  for (const topic of ['lanes', 'devices']) ctx.touch(topic, orgId)
}
