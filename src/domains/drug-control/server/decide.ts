import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, visible } from '../../../server/context.ts'
import { rowOf, rowsOf } from '../../../server/rows.ts'
import { common, Refusal, reject } from '../../../shared/errors.ts'
import { bi } from '../../../shared/text.ts'
import { codesAgree, guardErrors, verdictError } from '../../drug-guard/rules.ts'
import { queuesOf } from '../../drug-guard/server/facts.ts'
import { refreshDeviceCounters } from '../../machines/server/counters.ts'
import { notify } from '../../notices/server/notify.ts'
import { unlockLanes } from '../../stock/server/goods.ts'
import { type drugControl, drugControlErrors } from '../contract.ts'
import { verdictOfLane } from './guard.ts'

type Contract = typeof drugControl
type Lane = {
  id: number
  orgId: number
  deviceId: number
  rtuNumber: string
  road: number
  product: string | null
  quantity: number
  reason: string | null
}

/** Those of these lanes that are stopped for this reason, held in order. */
const stopped = (ctx: Ctx, ids: readonly number[], reason: string) =>
  rowsOf<Lane>(ctx.db)`
    select l.id, l.org_id as "orgId", l.device_id as "deviceId", d.rtu_number as "rtuNumber",
      l.road_index as road, p.name as product, l.quantity, l.lock_reason as reason
    from lanes l join devices d on d.id = l.device_id left join products p on p.id = l.product_id
    where l.id = any(${[...ids]}::bigint[]) and l.archived_at is null and l.status = 'LOCKED'
      and l.lock_reason = ${reason} and ${visible(ctx, 'l.org_id', 'l.device_id')}
    order by l.id for no key update of l`

async function free(ctx: Ctx, lanes: readonly Lane[], reason: string): Promise<void> {
  await unlockLanes(
    ctx,
    lanes.map(({ id }) => id),
    reason,
  )
  refreshDeviceCounters(ctx, [...new Set(lanes.map(({ deviceId }) => deviceId))])
  for (const topic of ['lanes', 'devices']) ctx.touch(topic, lanes)
}

/** Whoever fills the machines is asked to take these goods out; the lanes stay as they are. */
async function askToFetch(ctx: Ctx, lanes: readonly Lane[], why: string): Promise<void> {
  const people = await rowsOf<{ deviceId: number; userId: number }>(ctx.db)`
    select a.device_id as "deviceId", a.user_id as "userId" from device_assignments a
    where a.device_id = any(${lanes.map(({ deviceId }) => deviceId)}::bigint[])
      and a.kind = 'REPLENISHER' and a.to_at is null`
  await notify(
    ctx,
    [...Map.groupBy(lanes, ({ deviceId }) => deviceId)].map(([deviceId, own]) => {
      const roads = own.map(({ road }) => road).join(' ')
      const number = own[0]?.rtuNumber ?? ''
      return {
        kind: 'STOCK' as const,
        title: bi(`${number} 货道 ${roads} 商品需取回`, `${number}: take out lanes ${roads}`),
        body: bi(`质量处置：报废。${why}`, `Scrapped: ${why}`),
        link: `/stock/replenish?deviceId=${deviceId}`,
        userIds: people.flatMap((one) => (one.deviceId === deviceId ? one.userId : [])),
      }
    }),
  )
}

/** Lanes of which an excursion says that nobody has released them. */
async function unreleased(ctx: Ctx, lanes: readonly Lane[], but = 0): Promise<Set<number>> {
  const rows = await rowsOf<{ id: number }>(ctx.db)`
    select distinct (x->>'id')::bigint as id from temperature_excursions e
    cross join lateral jsonb_array_elements(e.lanes) x
    where e.device_id = any(${[...new Set(lanes.map(({ deviceId }) => deviceId))]}::bigint[])
      and e.locked_at is not null and e.decision is distinct from 'RELEASED' and e.id <> ${but}`
  return new Set(rows.map(({ id }) => id))
}

export const decideLock: Handlers<Contract>['decideLock'] = async (ctx, input) => {
  const { id, was, choice, reason } = input
  const [lane] = await stopped(ctx, [id], was)
  if (!lane) throw new Refusal(common.notFound)
  if (choice === 'SCRAP') await askToFetch(ctx, [lane], reason)
  else {
    // what has been taken out needs nobody's word
    if (lane.quantity > 0) {
      if (was === 'EXPIRY' || was === 'RECALL' || was === 'WRONG_PRODUCT')
        throw new Refusal(drugControlErrors.takeOutFirst)
      if (was === 'COMPLIANCE') reject(verdictError(await verdictOfLane(ctx, lane.deviceId, id)))
      if (was === 'TRACE_CODE' && !codesAgree((await queuesOf(ctx, [id])).get(id) ?? null))
        throw new Refusal(guardErrors.codesApart)
      if (was === 'TEMPERATURE' && (await unreleased(ctx, [lane])).has(id))
        throw new Refusal(drugControlErrors.excursionFirst)
    }
    await free(ctx, [lane], was)
  }
  ctx.audit({
    id,
    name: `${lane.rtuNumber}-${lane.road}`,
    orgId: lane.orgId,
    before: { reason: was, product: lane.product, qty: lane.quantity },
    after: { choice, reason },
  })
  return { ok: true }
}

type Kept = {
  id: number
  orgId: number
  deviceId: number
  rtuNumber: string
  over: boolean
  lanes: { id: number }[]
}
/** Lanes first, then the row: as those who stop them. */
export const decideExcursion: Handlers<Contract>['decideExcursion'] = async (ctx, input) => {
  const { id, choice, reason } = input
  const kept = found(
    await rowOf<Kept>(ctx.db)`select e.id, e.org_id as "orgId", e.device_id as "deviceId",
        d.rtu_number as "rtuNumber", e.to_at is not null as over, e.lanes
      from temperature_excursions e join devices d on d.id = e.device_id
      where e.id = ${id} and e.locked_at is not null
        and ${visible(ctx, 'e.org_id', 'e.device_id')}`,
  )
  if (choice === 'RELEASE' && !kept.over) throw new Refusal(drugControlErrors.stillOutside)
  const lanes = await stopped(
    ctx,
    kept.lanes.map((lane) => lane.id),
    'TEMPERATURE',
  )
  const { numAffectedRows } = await sql`update temperature_excursions
    set decision = ${choice === 'RELEASE' ? 'RELEASED' : 'SCRAPPED'}, reason = ${reason},
      decided_by = ${ctx.actor.userId}, decided_at = ${ctx.now}
    where id = ${id} and decision is null and (to_at is not null) = ${kept.over}`.execute(ctx.db)
  if (numAffectedRows !== 1n) throw new Refusal(common.stale)
  if (choice === 'SCRAP') await askToFetch(ctx, lanes, reason)
  else {
    const others = await unreleased(ctx, lanes, id)
    const freed = lanes.filter((lane) => !others.has(lane.id))
    if (freed.length) await free(ctx, freed, 'TEMPERATURE')
  }
  ctx.audit({
    ...{ id, name: kept.rtuNumber, orgId: kept.orgId },
    after: { choice, reason, roads: lanes.map(({ road }) => road) },
  })
  ctx.touch('excursions', kept.orgId)
  return { ok: true }
}
