import { type RawBuilder, sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { rowsOf } from '../../../server/rows.ts'
import { eachFree } from '../../../server/run.ts'
import {
  canPlace,
  type DispensingMode,
  type Goods,
  type Place,
  type Queue,
  type Verdict,
} from '../../drug-guard/rules.ts'
import {
  drugOf,
  queueOf,
  type RawSite,
  siteOf,
  withQueues,
  withSite,
} from '../../drug-guard/server/facts.ts'
import { type GuardRefusal, noteRefusals } from '../../drug-guard/server/refusals.ts'
import { refreshDeviceCounters } from '../../machines/server/counters.ts'
import { noteDevice } from '../../machines/server/events.ts'
import { moveStock } from '../../stock/server/move.ts'

export type DrugLane = Goods & {
  id: number
  orgId: number
  deviceId: number
  road: number
  productId: number
  status: string
  queue: Queue
}
export type Site = Place & { id: number }

const lanesWhere = (ctx: Pick<Ctx, 'db'>, deviceIds: readonly number[], locking = sql``) =>
  rowsOf<DrugLane>(ctx.db)`
    select l.id, l.org_id as "orgId", l.device_id as "deviceId", l.road_index as road,
      l.product_id as "productId", l.status, p.drug_class as "drugClass", ${drugOf} as drug,
      ${queueOf} as queue
    from lanes l join products p on p.id = l.product_id
    where l.device_id = any(${[...deviceIds]}::bigint[]) and l.archived_at is null
      and p.drug_class <> 'NONE' order by l.id ${locking}`

async function sitesOf(ctx: Pick<Ctx, 'app' | 'db' | 'now'>, ids: readonly number[]) {
  const rows = await rowsOf<Omit<Site, 'site'> & { site: RawSite }>(ctx.db)`
    select d.id, d.kind, d.dispensing_mode as "dispensingMode", ${siteOf(ctx)} as site
    from devices d where d.id = any(${[...ids]}::bigint[]) and d.lifecycle in ('OPERATING', 'PAUSED')`
  return new Map(rows.map((row) => [row.id, withSite(row)]))
}

/** What the guard says of every lane with drugs of these machines. */
async function judged(
  ctx: Pick<Ctx, 'app' | 'db' | 'now'>,
  ids: readonly number[],
  locking?: RawBuilder<unknown>,
): Promise<{ lane: DrugLane; verdict: Verdict }[]> {
  const [sites, found] = [await sitesOf(ctx, ids), await lanesWhere(ctx, ids, locking)]
  const lanes = locking ? await withQueues(ctx, found) : found
  return lanes.flatMap((lane) => {
    const site = sites.get(lane.deviceId)
    return site ? [{ lane, verdict: canPlace(lane, site, { queue: lane.queue }) }] : []
  })
}
/** Somebody has to compare the boxes; the rest is what the machine may sell. */
const isOfCodes = (verdict: Verdict): boolean => !verdict.ok && verdict.key === 'codesApart'
const sells = ({ status }: DrugLane): boolean => status !== 'LOCKED' && status !== 'MERGED'

/** How many lanes of a machine would stop in each mode. */
export async function stopsOf(ctx: Ctx, deviceId: number): Promise<Record<DispensingMode, number>> {
  const site = (await sitesOf(ctx, [deviceId])).get(deviceId)
  const lanes = site ? (await lanesWhere(ctx, [deviceId])).filter(sells) : []
  const as = (dispensingMode: DispensingMode) =>
    lanes.filter(
      ({ queue, ...lane }) => site && !canPlace(lane, { ...site, dispensingMode }, { queue }).ok,
    ).length
  return {
    UNATTENDED: as('UNATTENDED'),
    PHARMACIST: as('PHARMACIST'),
    MEDICAL: as('MEDICAL'),
  }
}

/** Locks what fails and keeps why; what somebody else has stopped stays with him. */
export async function stopFailing(
  ctx: Ctx,
  deviceIds: readonly number[],
  act: GuardRefusal['act'],
): Promise<number> {
  const all = await judged(ctx, deviceIds, sql`for no key update of l`)
  const failing = all.filter(({ verdict }) => !verdict.ok)
  if (!failing.length) return 0
  const { userId } = ctx.actor
  const who = userId === null ? {} : { userId, who: ctx.actor.username }
  noteRefusals(
    ctx,
    failing.map(({ lane: { orgId, deviceId, road, productId }, verdict }) => ({
      ...{ orgId, deviceId, road, productId, verdict, act },
      ...who,
    })),
  )
  const stops = failing.filter(({ lane }) => sells(lane))
  if (!stops.length) return 0
  const lanes = stops.map(({ lane }) => lane)
  const { deviceIds: changed } = await moveStock(
    ctx,
    stops.map(({ lane: { id }, verdict }) => ({
      laneId: id,
      stop: { to: 'LOCKED', reason: isOfCodes(verdict) ? 'TRACE_CODE' : 'COMPLIANCE' },
    })),
  )
  await noteDevice(
    ctx,
    [...Map.groupBy(lanes, ({ deviceId }) => deviceId)].map(([deviceId, own]) => ({
      deviceId,
      orgId: own[0]?.orgId ?? 0,
      kind: 'COMPLIANCE_LOCK',
      data: { roads: own.map(({ road }) => road) },
    })),
  )
  refreshDeviceCounters(ctx, changed)
  for (const topic of ['lanes', 'devices']) ctx.touch(topic, lanes)
  return lanes.length
}

const atOnce = 200
/** Over the whole fleet, a few hundred machines with drugs at a time. */
export async function guardFleet(app: App): Promise<void> {
  for (let last = 0; ; ) {
    const machines = await app.database.readSame(
      systemScope,
      (db) => rowsOf<{ id: number; orgId: number }>(db)`
        select d.id, d.org_id as "orgId" from devices d
        where d.id > ${last} and exists (select from lanes l join products p on p.id = l.product_id
          where l.device_id = d.id and l.archived_at is null and p.drug_class <> 'NONE')
        order by d.id limit ${atOnce}`,
    )
    await eachFree(app, machines, (ctx, some) =>
      stopFailing(
        ctx,
        some.map(({ id }) => id),
        'NIGHTLY',
      ),
    )
    if (machines.length < atOnce) return
    last = machines.at(-1)?.id ?? 0
  }
}

/** What the guard says of one lane now. */
export async function verdictOfLane(ctx: Ctx, deviceId: number, laneId: number): Promise<Verdict> {
  const all = await judged(ctx, [deviceId])
  return all.find(({ lane }) => lane.id === laneId)?.verdict ?? { ok: true }
}
