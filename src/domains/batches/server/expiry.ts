import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { rowsOf } from '../../../server/rows.ts'
import { eachFree } from '../../../server/run.ts'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { refreshDeviceCounters } from '../../machines/server/counters.ts'
import { noteDevice } from '../../machines/server/events.ts'
import { cachedFor } from '../../settings/server/values.ts'
import { isPast, stopDays } from '../../stock/expiry.ts'
import { unlockLanes } from '../../stock/server/goods.ts'

type Lane = {
  id: number
  orgId: number
  deviceId: number
  road: number
  goodsExpireOn: string
  drugClass: string | null
  locked: boolean
}
const laneColumns = sql`l.id, l.org_id as "orgId", l.device_id as "deviceId",
  l.road_index as road, l.goods_expire_on as "goodsExpireOn", p.drug_class as "drugClass",
  l.status = 'LOCKED' as locked`
const lanes = sql`lanes l left join products p on p.id = l.product_id`

async function pastOf(ctx: Pick<Ctx, 'now'> & { app: App }, rows: readonly Lane[]) {
  const days = await cachedFor(
    ctx.app,
    rows.map((lane) => lane.orgId),
    ['stock.stopSaleDaysBeforeExpiry'],
  )
  const today = shanghaiDay(ctx.now)
  return (lane: Lane) =>
    isPast(
      lane.goodsExpireOn,
      today,
      stopDays(lane.drugClass, days(lane.orgId)['stock.stopSaleDaysBeforeExpiry']),
    )
}

/**
 * Lanes whose earliest goods are too near their date stop selling. What comes in is judged when it
 * comes in, so that this looks for the day, and for settings, to change. No more than the widest
 * setting of any tenant is looked through.
 */
export async function sweepExpiry(app: App): Promise<void> {
  const now = app.now()
  const due = await app.database.readSame(
    systemScope,
    (db) =>
      rowsOf<Lane>(db)`select ${laneColumns} from ${lanes}
      where l.goods_expire_on <= ${addDays(shanghaiDay(now), 1)}::date + coalesce((
          select max((value #>> '{}')::int) from settings
          where key = 'stock.stopSaleDaysBeforeExpiry'), 0)
        and l.status not in ('LOCKED', 'MERGED') and l.archived_at is null order by l.id`,
  )
  const past = await pastOf({ app, now }, due)
  await eachFree(app, due.filter(past), lockPast)
}

/** The date is asked again behind the lock: what was near may have been taken out meanwhile. */
async function lockPast(ctx: Ctx, due: readonly Lane[]): Promise<void> {
  const held = await rowsOf<Lane>(ctx.db)`select ${laneColumns} from ${lanes}
    where l.id = any(${due.map((lane) => lane.id)}::bigint[]) and l.goods_expire_on is not null
    order by l.id for no key update of l`
  const past = await pastOf(ctx, held)
  await lockForDate(
    ctx,
    held.filter((lane) => !lane.locked && past(lane)),
  )
}

async function lockForDate(ctx: Ctx, held: readonly Lane[]): Promise<void> {
  if (!held.length) return
  await sql`update lanes set status = 'LOCKED', lock_reason = 'EXPIRY', version = version + 1
    where id = any(${held.map((lane) => lane.id)}::bigint[])`.execute(ctx.db)
  const machines = [...Map.groupBy(held, (lane) => lane.deviceId)]
  await noteDevice(
    ctx,
    machines.map(([deviceId, own]) => ({
      deviceId,
      orgId: own[0]?.orgId ?? 0,
      kind: 'EXPIRY_LOCK',
      data: { roads: own.map((lane) => lane.road) },
    })),
  )
  refreshDeviceCounters(
    ctx,
    machines.map(([deviceId]) => deviceId),
  )
  for (const topic of ['lanes', 'devices']) ctx.touch(topic, held)
}

/** The dates of a batch were corrected: lanes that hold it, held by the caller, follow. */
export async function followDates(
  ctx: Ctx,
  holding: readonly { id: number; deviceId: number }[],
): Promise<void> {
  const ids = holding.map((lane) => lane.id)
  if (!ids.length) return
  await sql`update lanes l set goods_expire_on = (select min(b.expires_on) from lane_layers y
      join batches b on b.id = y.batch_id where y.lane_id = l.id)
    where l.id = any(${ids}::bigint[])`.execute(ctx.db)
  const held = await rowsOf<Lane & { byDate: boolean }>(ctx.db)`select ${laneColumns},
      l.status = 'LOCKED' and l.lock_reason = 'EXPIRY' as "byDate" from ${lanes}
    where l.id = any(${ids}::bigint[]) order by l.id`
  const past = await pastOf(ctx, held)
  await lockForDate(
    ctx,
    held.filter((lane) => !lane.locked && past(lane)),
  )
  const free = held.filter((lane) => lane.byDate && !past(lane))
  if (!free.length) return
  await unlockLanes(
    ctx,
    free.map((lane) => lane.id),
  )
  refreshDeviceCounters(
    ctx,
    free.map((lane) => lane.deviceId),
  )
  for (const topic of ['lanes', 'devices']) ctx.touch(topic, free)
}
