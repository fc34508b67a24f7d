import { sql } from 'kysely'
import { type AuditEntry, type Ctx, found, visible } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { forOneOfMany } from '../../../server/run.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { isClosed } from '../../machines/rules.ts'
import { laneErrors } from '../errors.ts'
import { hold, keep, openHeld } from './change.ts'
import * as q from './queries.ts'

/**
 * From how many pieces on these lanes count as low, all of them or none; each machine keeps it as a
 * version. Answers what the log says.
 */
export async function setWarnLevel(
  ctx: Ctx,
  laneIds: readonly number[],
  warnQty: number,
): Promise<AuditEntry[]> {
  const lanes = await rowsOf<{ id: number; deviceId: number }>(
    ctx.db,
  )`select l.id, l.device_id as "deviceId" from lanes l
    where l.id = any(${[...laneIds]}::bigint[]) and l.archived_at is null
      and ${visible(ctx, 'l.org_id', 'l.device_id')}`
  if (lanes.length < new Set(laneIds).size) throw new Refusal(common.notFound)
  const ofDevice = Map.groupBy(lanes, ({ deviceId }) => deviceId)
  const ids = [...ofDevice.keys()].sort((a, b) => a - b)
  ctx.later(forOneOfMany)
  // all machines, then all lanes: in the order of locks
  ctx.later(sql`select from devices where id = any(${ids}::bigint[]) order by id for no key update`)
  ctx.later(sql`select from lanes where device_id = any(${ids}::bigint[]) and archived_at is null
    order by id for no key update`)
  const entries: AuditEntry[] = []
  for (const id of ids) {
    const held = await hold(ctx, id)
    if (isClosed(held.device)) throw new Refusal(laneErrors.closed)
    const own = new Set(ofDevice.get(id)?.map((lane) => lane.id))
    const before = held.all.filter((lane) => own.has(lane.id))
    // somebody may have drawn the lanes anew
    if (before.length < own.size) found(undefined)
    if (before.some((lane) => warnQty > lane.capacity))
      throw fieldRefusal(laneErrors.warnOverCapacity, 'warnQty')
    const changed = before.filter((lane) => lane.warnQty !== warnQty)
    if (changed.length === 0) continue
    const opened = await openHeld(ctx, held)
    await q.saveLanes(
      ctx,
      changed.map((lane) => ({ ...lane, warnQty })),
    )
    await keep(ctx, opened, 'EDIT')
    const { rtuNumber: name, orgId } = held.device
    const levels = (of: (lane: q.LockedLane) => number) =>
      changed.map((lane) => ({ road: lane.roadIndex, warnQty: of(lane) }))
    entries.push({
      id,
      name,
      orgId,
      before: levels((lane) => lane.warnQty),
      after: levels(() => warnQty),
    })
  }
  return entries
}
