import { sql } from 'kysely'
import { type Ctx, found } from '../../../server/context.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { isClosed } from '../../machines/rules.ts'
import { refreshDeviceCounters } from '../../machines/server/counters.ts'
import { want } from '../../machines/server/shadows.ts'
import { laneErrors } from '../errors.ts'
import { type Doc, diffDocs } from '../planogram.ts'
import type { versionSources } from '../versionContract.ts'
import { docOf } from './documents.ts'
import * as q from './queries.ts'

/** A machine whose lanes are about to change: locked, its version taken, and how they were. */
export type Opened = { device: q.Device; all: q.LockedLane[]; version: number; before: Doc }
export type Source = Exclude<(typeof versionSources)[number], 'FIRST'>

export const pickLane = (all: readonly q.LockedLane[], id: number): q.LockedLane =>
  found(all.find((lane) => lane.id === id))

/** The machine with its lanes locked, at the version the person saw. */
export async function open(
  ctx: Ctx,
  input: { deviceId: number; version: number },
): Promise<Opened> {
  const device = found(await q.device(ctx, input.deviceId))
  if (isClosed(device)) throw new Refusal(laneErrors.closed)
  if (!(await q.nextVersion(ctx, device, input.version))) throw new Refusal(common.stale)
  return {
    device,
    all: await q.lockAll(ctx, device.id),
    version: input.version + 1,
    before: await docOf(ctx, device.id),
  }
}

/** Version, counters and live screens; every change of settings ends here. */
export async function saved(
  ctx: Ctx,
  { device, version, before }: Opened,
  source: Source,
): Promise<void> {
  await keepVersion(ctx, device, version, before, source)
  refreshDeviceCounters(ctx, [device.id])
  await want(ctx, 'PLANOGRAM', [{ deviceId: device.id, orgId: device.orgId, version }])
  for (const topic of ['lanes', 'devices']) ctx.touch(topic, device.orgId)
}

export async function finish(
  ctx: Ctx,
  opened: Opened,
  source: Source,
  before: unknown,
  after: unknown,
): Promise<void> {
  await saved(ctx, opened, source)
  const { device } = opened
  ctx.audit({ id: device.id, name: device.rtuNumber, before, after, orgId: device.orgId })
}

/**
 * The version that was made, and the one before it if nobody kept that: lanes of a machine are
 * older than their first change.
 */
async function keepVersion(
  ctx: Ctx,
  device: q.Device,
  version: number,
  before: Doc,
  source: Source,
): Promise<void> {
  const after = await docOf(ctx, device.id)
  const keep = (
    number: number,
    source: string,
    byUser: number | null,
    byName: string,
    doc: Doc,
    diff: unknown[],
  ) =>
    sql`insert into planogram_versions (org_id, device_id, version, source, by_user, by_name, doc,
      diff, created_at)
      values (${device.orgId}, ${device.id}, ${number}, ${source}, ${byUser}, ${byName},
        ${JSON.stringify(doc)}, ${JSON.stringify(diff)}, ${ctx.now})`
  if (version > 1)
    await sql`${keep(version - 1, 'FIRST', null, '', before, [])}
      on conflict (device_id, version) do nothing`.execute(ctx.db)
  await keep(
    version,
    source,
    ctx.actor.userId,
    ctx.actor.username,
    after,
    diffDocs(before, after),
  ).execute(ctx.db)
}
